"""The prover: tactics tried in order on each goal, with backtracking where a choice may be wrong.

Splitting into kinds and comparing lose nothing, so what follows them decides; going to the operands
or bodies of both sides may lose a true goal, so it is undone when it fails.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.rules import Goal, Step
from certile.proof.check.terms import JOIN, LISTS, Refused, Table
from certile.search.algebra import difference, product, ratio, spread, total
from certile.search.script import Script, minuend_and_subtrahend

SEARCH_FUEL: Final = 3_000_000
_DEPTH: Final = 60
_GROUPS: Final = (kinds.NINF, kinds.FINITE, kinds.PINF, kinds.NAN)
_DECIDED: Final = (kinds.ZERO, kinds.POS)
_EXTREMA: Final = frozenset({"top", "bottom"})
# Where the kind of an operand decides the kind of the result.
_ARITHMETIC: Final = frozenset({"add", "mul", "div", "exp", "log", "abs", "kind", "sum", "prod"})

Tactic = Callable[[Script], bool]


def prove_goal(goal: Goal) -> tuple[Step, ...] | None:
    """The steps that prove a goal, or None; the table's fuel bounds the search."""
    try:
        script = Script(goal)
        return tuple(script.steps) if _solve_down_to(script, 0, _DEPTH) else None
    except Refused:
        return None


def search_table(fuel: int = SEARCH_FUEL) -> Table:
    """A table with fuel for a search."""
    return Table(fuel)


def _solve(script: Script, depth: int) -> bool:
    """Prove the goal on top; on failure the script is as it was."""
    mark, floor = script.mark(), script.open - 1
    script.settle()
    if script.open == floor or _finish(script):
        return True
    if depth:
        here = script.mark()
        if _factored(script) and _solve_down_to(script, floor, depth - 1):
            return True
        script.back(here)
        for tactic in _CERTAIN:
            if tactic(script):
                if _solve_down_to(script, floor, depth - 1):
                    return True
                script.back(mark)
                return False
        here = script.mark()
        for tactic in _DOUBTFUL:
            if tactic(script) and _solve_down_to(script, floor, depth - 1):
                return True
            script.back(here)
    script.back(mark)
    return False


def _solve_down_to(script: Script, floor: int, depth: int) -> bool:
    while script.open > floor:
        if not _solve(script, depth):
            return False
    return True


def _finish(script: Script) -> bool:
    """Close a goal whose sides are one term up to order or finite algebra, or that cannot be."""
    goal = script.goal
    for term in (*script.reach(), *goal.context.kinds):
        if not goal.context.kind(term):
            # A split without cases: the facts contradict.
            script.take("split", (term,))
            return True
    sides = (goal.left, goal.right)
    if script.attempt("regroup", sides) or script.attempt("ring", sides):
        return True
    mark = script.mark()
    if _multiply_out(script):
        return True
    script.back(mark)
    return False


def _multiply_out(script: Script) -> bool:
    """Distribute finite factors, sort products, compare the sums: their terms may be infinite."""
    rows, goal, count = script.table.rows, script.goal, script.open
    products = [rows[t].args for t in script.reach() if rows[t].op == "mul"]
    if not any(rows[arg].op == "add" for args in products for arg in args):
        return False
    for side in (goal.left, goal.right):
        _multiply_out_at(script, side, count)
    return script.open < count or script.attempt("regroup", script.goal[1:])


def _multiply_out_at(script: Script, term: int, count: int) -> None:
    rows, table = script.table.rows, script.table
    op, _, args = rows[term]
    if op == "mul" and rows[args[0]].op == "add":
        term = script.rewrite("regroup", term, table.make("mul", *reversed(args)))
    if script.open == count:
        term = script.rewrite("distribute", term)
    if script.open == count and rows[term].op == "mul":
        script.rewrite("regroup", term, product(table, sorted(table.flat("mul", term))))
    elif rows[term].op == "add":
        for arg in rows[term].args:
            if script.open == count:
                _multiply_out_at(script, arg, count)


def _parents(script: Script) -> dict[int, set[str]]:
    """The operations that each term of the goal is an operand of."""
    rows = script.table.rows
    parents: dict[int, set[str]] = {}
    for term in script.table.reach(script.goal.left, script.goal.right):
        for arg in rows[term].args:
            parents.setdefault(arg, set()).add(rows[term].op)
    return parents


def _split_special(script: Script, *ops: str) -> bool:
    """Split a term with several groups of kinds into -inf, finite, +inf and NaN."""
    parents = _parents(script)
    for term in script.reach():
        if script.table.rows[term].op not in ops:
            continue
        mask = script.goal.context.kind(term)
        groups = tuple(mask & group for group in _GROUPS if mask & group)
        matters = mask & kinds.NAN or parents.get(term, set()) & _ARITHMETIC
        known = term in script.goal.context.kinds or script.table.rows[term].op in ("elem", "sym")
        if matters and (len(groups) > 1 or not known):
            script.take("split", (term,), groups)
            return True
    return False


def _split_extrema(script: Script) -> bool:
    return _split_special(script, *_EXTREMA)


def _split_elements(script: Script) -> bool:
    return _split_special(script, "elem", "sym")


def _split_sums(script: Script) -> bool:
    return _split_special(script, "sum", "prod")


def _split_counts(script: Script) -> bool:
    """Tell an empty list from one with elements where its count is spoken of."""
    one = script.table.num(1)
    for term in script.reach():
        row = script.table.rows[term]
        if row.op == "sum" and row.args == (one,):
            mask = script.goal.context.kind(term)
            if mask == kinds.ZERO | kinds.POS:
                script.take("split", (term,), (kinds.ZERO, kinds.POS))
                return True
    return False


def _attain(script: Script) -> bool:
    """Narrow sums by the element that is the maximum, or infinite."""
    context, rows = script.goal.context, script.table.rows
    terms = script.reach()
    sums = [term for term in terms if rows[term].op == "sum"]
    for extreme in sorted({term for term in {*terms, *context.kinds} if rows[term].op in JOIN}):
        mark, count = script.mark(), script.open
        told = any(rows[each].value == rows[extreme].value for each in sums)
        if told and script.attempt("attain", (extreme,)):
            narrower = script.open == count and script.goal.context
            if not narrower or any(narrower.kind(t) != context.kind(t) for t in sums):
                return True
            script.back(mark)
    return False


def _relate(script: Script) -> bool:
    """Write a sum of the left as a factor times a sum of the right, after proving it."""
    rows, goal = script.table.rows, script.goal
    left, right = (
        [t for t in script.table.reach(side) if rows[t].op == "sum"]
        for side in (goal.left, goal.right)
    )
    for over in left:
        for under in right:
            if over in right or rows[over].value != rows[under].value or under in left:
                continue
            factor = ratio(script.table, rows[over].args[0], rows[under].args[0])
            if factor is not None and _relate_by(script, over, factor, under):
                return True
    return False


def _relate_by(script: Script, over: int, factor: int, under: int) -> bool:
    """Prove over = factor * under for each element, and use it."""
    one = script.table.num(1)
    written = under if factor == one else script.table.make("mul", factor, under)

    def prove() -> bool:
        floor = script.open - 1
        script.attempt("factor_in", script.goal[2:])
        return script.open == floor or _by_operands(script)

    return script.replace(over, written, prove)


def _by_operands(script: Script) -> bool:
    """Prove the goal by those of its operands, or of each element."""
    floor = script.open - 1
    return script.attempt("operands") and _solve_down_to(script, floor, _DEPTH)


def _split_sizes(script: Script) -> bool:
    """Split what has a size that is known to be 0 by its kinds: all but 0 contradict."""
    context, rows = script.goal.context, script.table.rows
    for term in context.kinds:
        if rows[term].op == "abs" and context.kind(term) == kinds.ZERO:
            (of,) = rows[term].args
            masks = tuple(kinds.single(context.kind(of)))
            if len(masks) > 1 and script.attempt("split", (of,), masks):
                return True
    return False


def _same_values(script: Script) -> bool:
    """Where an extreme of a list is 0, write a sum of it as that of one value, after proving it."""
    rows, context, table = script.table.rows, script.goal.context, script.table
    extremes = ((rows[term], mask) for term, mask in context.kinds.items())
    names = {row.value for row, mask in extremes if row.op in _EXTREMA and mask == kinds.ZERO}
    for term in script.reach():
        row = rows[term]
        if row.op != "sum" or row.value not in names or rows[row.args[0]].op == "num":
            continue
        for value in (table.num(0), table.num("nan")):
            written = context.simple(table.apply(row, (value,)))
            if script.replace(term, written, partial(_by_operands, script)):
                return True
    return False


def _difference(script: Script) -> bool:
    """Write what is compared with 0 as c·a, and c·a - c·b as c·(a - b): then their order counts."""
    rows, table = script.table.rows, script.table
    zero = table.num(0)
    for term in script.reach():
        if rows[term].op != "less" or rows[term].args[0] != zero:
            continue
        of = rows[term].args[1]
        rule, written = _multiple(script, of)
        if written is not None and written != of and script.attempt(rule, (of, written)):
            return True
    return False


def _multiple(script: Script, term: int) -> tuple[str, int | None]:
    """How to write a term as a multiple, positive factor first, and the rule that says so."""
    op, _, args = script.table.rows[term]
    if op == "mul" and script.goal.context.kind(args[1]) == kinds.POS:
        swapped = script.goal.context.kind(args[0]) != kinds.POS
        return "regroup", script.table.make("mul", *reversed(args)) if swapped else None
    if op == "div" and script.goal.context.kind(args[1]) == kinds.POS:
        share = script.table.make("div", script.table.num(1), args[1])
        return "ring", script.table.make("mul", share, args[0])
    return "ring", difference(script.table, term)


def _decide(script: Script) -> bool:
    """Split what an undecided condition, maximum or minimum asks, the smallest one first."""
    rows, context, table = script.table.rows, script.goal.context, script.table
    for term in sorted(script.reach(), key=lambda term: len(table.reach(term))):
        row = rows[term]
        if row.op == "kind":
            (of,) = row.args
            mask, among = context.kind(of), int(row.value)  # type: ignore[arg-type]
            if mask & among and mask & ~among:
                script.take("split", (of,), (mask & among, mask & ~among))
                return True
        elif row.op in ("same", "less", "max", "min"):
            a, b = row.args
            orders = [context.kind(table.make("less", *pair)) for pair in ((a, b), (b, a))]
            numbers = not (context.kind(a) | context.kind(b)) & kinds.NAN
            known = numbers and kinds.ZERO in orders
            decided = known if row.op in ("max", "min") else context.kind(term) in _DECIDED
            if not decided and (_ordered(script, a, b) or _decide_order(script, a, b)):
                return True
    return False


def _ordered(script: Script, a: int, b: int) -> bool:
    """Show the order of two terms by a summand of one of them, and use it."""
    return _not_below(script, a, b) or _not_below(script, b, a)


def _not_below(script: Script, a: int, b: int) -> bool:
    """Show that a is not below b, by a number between them or by a summand of a, and use it."""
    table = script.table
    less, zero = table.make("less", a, b), table.num(0)
    if script.goal.context.kind(less) == kinds.ZERO:
        return False
    if _shown(script, less, zero, "count_from_one"):
        return True
    beside = minuend_and_subtrahend(table, b)
    if a == zero and beside is not None:
        return _not_below(script, *reversed(beside))
    facts = script.goal.context.kinds.items()
    orders = [table.rows[term] for term, mask in facts if mask == kinds.ZERO]
    between = [row.args[1] for row in orders if row.op == "less" and row.args[0] == a]
    if any(_shown(script, less, zero, "not_below", each) for each in between):
        return True
    op, _, args = table.rows[a]
    if op != "add":
        return False
    mark = script.mark()
    _not_below(script, args[0], b)
    if _shown(script, less, zero, "sum_from_summand"):
        return True
    script.back(mark)
    return False


def _shown(script: Script, term: int, value: int, axiom: str, *given: int) -> bool:
    """Use that a term has a value, if an axiom says so."""
    return script.have(term, value, lambda: script.attempt(axiom, (script.goal.left, *given)))


def _decide_order(script: Script, a: int, b: int) -> bool:
    context, rows = script.goal.context, script.table.rows
    x, y = context.kind(a), context.kind(b)
    for term, mask, other in ((a, x, y), (b, y, x)):
        if other in kinds.ONLY and rows[term].op != "num":
            sides = (other - 1, other, kinds.ANY & ~(2 * other - 1) & ~kinds.NAN, kinds.NAN)
            masks = tuple(mask & side for side in sides if mask & side)
            if len(masks) > 1:
                script.take("split", (term,), masks)
                return True
        if mask & kinds.NAN:
            if mask == kinds.NAN:
                return False
            script.take("split", (term,), (kinds.NAN, mask & ~kinds.NAN))
            return True
    if not x & y:
        return False
    # Two numbers: which one is less, if one is.
    less = script.table.make("less", a, b)
    if context.kind(less) in _DECIDED:
        less = script.table.make("less", b, a)
    return script.attempt("split", (less,), (kinds.POS, kinds.ZERO))


def _same_branches(script: Script) -> bool:
    """Drop a choice whose branches are one where its condition holds."""
    return any(_needless(script, term) for term in script.reach())


def _needless(script: Script, term: int) -> bool:
    op, _, args = script.table.rows[term]
    context = script.goal.context
    if op != "choose" or not context.kind(args[0]) & kinds.ZERO:
        return False
    condition, first, second = args
    mask = context.kind(condition) & ~kinds.ZERO
    there = context.with_kind(condition, mask)

    def prove() -> bool:
        return script.attempt("split", (condition,), (mask, kinds.ZERO))

    return there.simple(first) == there.simple(second) and script.replace(term, second, prove)


def _expand(script: Script) -> bool:
    """Spread each sum of a polynomial in the element over its monomials."""
    rows = script.table.rows
    return any(rows[term].op == "sum" and _expand_sum(script, term) for term in script.reach())


def _expand_sum(script: Script, term: int) -> bool:
    table, context, steps = script.table, script.goal.context, len(script.steps)
    row = table.rows[term]
    pairs = spread(table, *row.args)
    if not pairs or pairs[0][1] == row.args[0]:
        return False
    products = (product(table, pair) for pair in pairs)
    written = context.inside(str(row.value)).simple(total(table, products))
    if written != row.args[0]:
        spelled = table.apply(row, (written,))
        if not script.replace(term, spelled, partial(_spelled, script)):
            return False
        term = context.simple(spelled)
    _spread(script, term, script.open)
    return len(script.steps) > steps


def _spelled(script: Script) -> bool:
    """Prove two sums to be one by finite algebra of their summands."""
    return script.attempt("operands") and script.attempt("ring", script.goal[1:])


def _spread(script: Script, term: int, count: int) -> None:
    """Sum(a1 + … + an) becomes Sum a1 + … + Sum an, and each coefficient leaves its sum."""
    table, row = script.table, script.table.rows[term]
    # Spread so far, the goal may be shown, and no other be left.
    if script.open < count or row.op != "sum":
        return
    context = script.goal.context
    op, _, args = table.rows[row.args[0]]
    if op == "add" and script.attempt("split_sum", (term,)):
        for arg in args:
            _spread(script, context.simple(table.apply(row, (arg,))), count)
    elif not (op == "mul" and script.attempt("factor_out", (term,))) and op != "num":
        script.attempt("sum_of_equals", (term,))


def _factored(script: Script) -> bool:
    """Sum against c * Sum: move the factor in, whatever it is, and compare the bodies."""
    rows, goal, count = script.table.rows, script.goal, script.open
    for side, other in ((goal.left, goal.right), (goal.right, goal.left)):
        if rows[side].op == "mul" and rows[other].op == "sum":
            moved = script.attempt("factor_in", (side,))
            return moved and (script.open < count or script.attempt("operands"))
    return False


def _bodies(script: Script) -> bool:
    left = script.table.rows[script.goal.left]
    return left.op in LISTS and script.attempt("operands")


def _operands(script: Script) -> bool:
    return script.attempt("operands")


_CERTAIN: Final[tuple[Tactic, ...]] = (
    _split_extrema,
    _split_sizes,
    _split_elements,
    _split_counts,
    _attain,
    _same_values,
    _relate,
)
_DOUBTFUL: Final[tuple[Tactic, ...]] = (
    _same_branches,
    _bodies,
    _expand,
    _operands,
    _difference,
    _decide,
    _split_sums,
)
