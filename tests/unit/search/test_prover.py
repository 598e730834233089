"""The prover on single goals: what it proves, under which facts, and that it puts things back."""

import pytest

from certile.proof.check import kinds
from certile.proof.check.rules import Goal, Replay
from certile.proof.goal_text import text
from certile.search.algebra import ratio, spread
from certile.search.prover import prove_goal
from certile.search.script import Script
from tests.unit.proof.builder import Build


@pytest.fixture
def b():
    return Build(fuel=3_000_000)


def proves(b, left, right, context=None):
    """Whether the prover finds a script; a script it finds must replay."""
    goal = Goal(context or b.context, left, right)
    steps = prove_goal(goal)
    if steps is None:
        return False
    replay = Replay(goal)
    for step in steps:
        replay.apply(step)
    assert not replay.goals
    return True


def test_identities_of_all_numbers(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    minus = b.num(-1)
    assert proves(b, b.add(x, x), b.mul(b.num(2), x))
    assert proves(b, b.mul(minus, b.add(x, y)), b.add(b.mul(minus, x), b.mul(minus, y)))
    assert proves(b, b.mul(x, b.mul(minus, y)), b.mul(minus, b.mul(x, y)))
    assert proves(b, b.max(b.num(1), b.num(2)), b.num(2))
    assert proves(b, b.max(x, b.max(y, z)), b.max(b.max(z, y), x))
    assert proves(b, b.log(b.exp(x)), x)


def test_identities_that_need_a_premise(b):
    x = b.sym("e.x")
    finite = b.context.with_kind(x, kinds.FINITE)
    nonzero = b.context.with_kind(x, kinds.POS)
    zero, square = b.mul(b.num(0), x), b.div(b.mul(x, x), x)
    assert not proves(b, zero, b.num(0))
    assert proves(b, zero, b.num(0), finite)
    assert not proves(b, square, x, finite)
    assert proves(b, square, x, nonzero)


def test_false_identities_are_not_proved(b):
    x, y = b.sym("e.x"), b.sym("y")
    numbers = b.context.with_kind(x, kinds.FINITE).with_kind(y, kinds.FINITE)
    assert not proves(b, b.max(x, y), x, numbers)
    assert not proves(b, b.add(x, y), b.mul(x, y), numbers)
    assert not proves(b, b.over("sum", b.elem()), b.over("sum", b.elem(), "ys"))


def test_extrema_by_cases(b):
    x, y = b.sym("e.x"), b.sym("y")
    larger = b.choose(b.less(x, y), y, x)
    numbers = b.context.with_kind(x, 31).with_kind(y, 31)
    assert proves(b, b.max(x, y), larger, numbers)
    assert not proves(b, b.max(x, y), larger)


def test_a_factor_leaves_a_sum_by_one_script_for_every_factor(b):
    shapes = set()
    for factor in (5, -5, 0):
        x, c = b.elem("x"), b.num(factor)
        goal = Goal(b.context, b.over("sum", b.mul(x, c)), b.mul(c, b.over("sum", x)))
        shapes.add(tuple(step.name for step in prove_goal(goal)))
    assert shapes == {("factor_in", "operands", "regroup")}


def test_a_summand_leaves_a_maximum_only_if_it_is_finite(b):
    x, y = b.sym("e.x"), b.sym("y")

    def holds(c):
        return proves(b, b.max(b.add(x, c), b.add(y, c)), b.add(b.max(x, y), c))

    assert holds(b.sym("e.f"))
    # With x = -inf and c = +inf the left is NaN, and the right is not.
    assert not holds(b.sym("c"))


def test_a_failed_search_leaves_the_script_as_it_was(b):
    script = Script(Goal(b.context, b.sym("e.x"), b.num(0)))
    mark = script.mark()
    assert script.attempt("split", (b.sym("e.x"),), (1, 62))
    assert script.open == 2
    script.back(mark)
    assert script.open == 1
    assert not script.steps
    assert not script.attempt("operands")
    assert not script.steps


def test_ratio_of_bodies(b):
    x, v, m, n = b.elem("x"), b.elem("f"), b.sym("m"), b.sym("n")

    def weight(shift):
        return b.mul(b.exp(b.add(x, b.mul(b.num(-1), shift))), v)

    factor = ratio(b.table, weight(m), weight(n))
    (written,) = text(b.table, factor)
    assert written in ("(exp (add (mul -1 m) n))", "(exp (add n (mul -1 m)))")
    assert ratio(b.table, weight(m), b.mul(v, v)) is None
    assert ratio(b.table, b.exp(b.mul(x, m)), b.exp(b.mul(x, n))) is None


def test_what_is_divided_by_zero_has_no_ratio(b):
    x, nothing = b.elem("x"), b.num(0)
    empty = b.div(x, nothing)
    for over, under in ((empty, x), (x, empty), (empty, empty), (nothing, x), (x, nothing)):
        assert ratio(b.table, over, under) is None


def test_spread_over_monomials(b):
    x, m = b.elem("x"), b.sym("m")
    difference = b.add(x, b.mul(b.num(-1), m))
    pairs = {
        text(b.table, part)[0]: text(b.table, factor)[0]
        for factor, part in spread(b.table, b.mul(difference, difference))
    }
    assert pairs == {"(mul x x)": "1", "x": "(mul -2 m)", "1": "(mul m m)"}
    assert spread(b.table, b.div(m, x)) is None
