"""Each built-in law on reachable states: a monoid, commutative where it says so, and what it means.

Reachable states are folds of lists, special values included; equality is numeric (-0 is +0, a NaN
is a NaN), and within rounding for the laws whose states are rounded.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certile.ir import laws
from certile.ir.dtypes import f32, f64, i32
from certile.reference.algebra import Algebra
from certile.reference.values import Value

INF, NAN = math.inf, math.nan
SPECIAL = [NAN, -INF, INF, 0.0, -0.0, 1e-40, -1e-40]
FLOATS = st.one_of(
    st.integers(-8, 8).map(float), st.sampled_from(SPECIAL), st.floats(-100, 100, width=32)
)
INTEGERS = st.integers(-(2**31), 2**31 - 1)
ROUNDED = {"mean_var", "sum_var", "logsumexp", "softmax_sum", "add", "mul", "affine"}
# These decide by the numbers among the elements; the others give NaN for a NaN.
INDIFFERENT_TO_NAN = {"fmax", "fmin", "all", "any"}


def numbers(law, dtype):
    """Elements; a weight of +inf makes every result of `softmax_sum` NaN, whatever the state.

    Factors of a recurrence are finite, and here small enough for products of nine.
    """
    if law.name == "affine":
        return st.integers(-8, 8).map(lambda k: k / 8 if dtype.is_float else k)
    if law.operands == 2:
        return FLOATS.filter(lambda x: x != INF)
    return FLOATS if dtype.is_float else INTEGERS


def algebra(law, dtype):
    return Algebra(law, dtype, 16)


def weighted(values):
    """A second operand for a list: finite, of both signs, with zeros."""
    return [round(math.sin(3 * k) * 9) / 2 for k in range(len(values))]


def leaves(law, dtype, values):
    """The lifted states of a list, which know their places in it."""
    storage = {f32: np.float32, f64: np.float64, i32: np.int32}[dtype]
    operands = [values, weighted(values)][: law.operands]
    lifted = algebra(law, dtype).lift([Value(np.array(each, storage)) for each in operands])
    return [tuple(v.each(lambda a, k=k: a[k : k + 1]) for v in lifted) for k in range(len(values))]


def folded(law, dtype, states):
    made = algebra(law, dtype).identity(1)
    for state in states:
        made = algebra(law, dtype).merge(made, state)
    return made


def assert_same(law, dtype, a, b, *, exact=False):
    rough = law.name in ROUNDED and not exact and dtype.is_float
    for left, right, component in zip(a, b, law.state, strict=True):
        rounded = rough and component.type == "acc"
        tolerance = 64 * np.finfo(left.data.dtype).eps if rounded else 0.0
        np.testing.assert_allclose(
            left.data.astype(np.float64),
            right.data.astype(np.float64),
            rtol=tolerance,
            # Nine numbers up to 100 cancel to nothing; so do their squares.
            atol=tolerance * (2e4 if component.name == "m2" else 900),
            err_msg=f"{law.name}.{component.name}",
        )


CASES = [
    pytest.param(law, dtype, id=f"{law.name}-{dtype}")
    for law in laws.BUILTIN.values()
    for dtype in (f32, f64, i32)
    if dtype.is_float or not law.is_real
]


@pytest.mark.parametrize(("law", "dtype"), CASES)
@given(data=st.data())
def test_the_identity_changes_nothing(law, dtype, data):
    values = data.draw(st.lists(numbers(law, dtype), max_size=5))
    with np.errstate(all="ignore"):
        state = folded(law, dtype, leaves(law, dtype, values))
        identity = algebra(law, dtype).identity(1)
        assert_same(law, dtype, algebra(law, dtype).merge(identity, state), state, exact=True)
        assert_same(law, dtype, algebra(law, dtype).merge(state, identity), state, exact=True)


@pytest.mark.parametrize(("law", "dtype"), CASES)
@given(data=st.data())
def test_merge_is_associative(law, dtype, data):
    sizes = data.draw(st.tuples(*(st.integers(0, 3),) * 3))
    values = data.draw(st.lists(numbers(law, dtype), min_size=sum(sizes), max_size=sum(sizes)))
    merge = algebra(law, dtype).merge
    with np.errstate(all="ignore"):
        all_leaves = leaves(law, dtype, values) if values else []
        first, second = sizes[0], sizes[0] + sizes[1]
        a = folded(law, dtype, all_leaves[:first])
        b = folded(law, dtype, all_leaves[first:second])
        c = folded(law, dtype, all_leaves[second:])
        assert_same(law, dtype, merge(merge(a, b), c), merge(a, merge(b, c)))


def test_all_laws_but_the_recurrence_commute():
    assert [law.name for law in laws.BUILTIN.values() if not law.commutative] == ["affine"]


@pytest.mark.parametrize(("law", "dtype"), [case for case in CASES if case.values[0].commutative])
@given(data=st.data())
def test_merge_is_commutative(law, dtype, data):
    values = data.draw(st.lists(numbers(law, dtype), min_size=2, max_size=6))
    cut = data.draw(st.integers(0, len(values)))
    merge = algebra(law, dtype).merge
    with np.errstate(all="ignore"):
        all_leaves = leaves(law, dtype, values)
        a, b = folded(law, dtype, all_leaves[:cut]), folded(law, dtype, all_leaves[cut:])
        assert_same(law, dtype, merge(a, b), merge(b, a))


def log_of_sum(x):
    """The law's own meaning: NaN wins, then +inf, then the formula; -inf for nothing."""
    if np.isnan(x).any():
        return [NAN]
    if (x == INF).any():
        return [INF]
    if (x == -INF).all():
        return [-INF]
    top = x.max()
    return [top + math.log(np.exp(x - top).sum())]


def average(x):
    """The second operand's average by weights exp(x), as the formula has it."""
    weights = np.exp(x - x.max())
    return [(weights * weighted(x)).sum() / weights.sum()]


def recurrence(x):
    """Where a loop from 0 ends."""
    h = 0.0
    for factor, value in zip(x, weighted(x), strict=True):
        h = factor * h + value
    return [h]


def first_values(x, sign, none):
    """The first two in an order in which a NaN comes first."""
    held = np.sort(sign * np.append(x, [none, none]))[::-1]
    return sign * held[:2]


MEANING = {
    "top_values": lambda x: first_values(x, 1, -INF),
    "bottom_values": lambda x: first_values(x, -1, INF),
    "affine": recurrence,
    "sum_var": lambda x: [x.sum(), x.var()],
    "fmax": lambda x: [np.fmax.reduce(x, initial=-INF)],
    "fmin": lambda x: [np.fmin.reduce(x, initial=INF)],
    "absmax": lambda x: [np.abs(x).max()],
    "all": lambda x: [(x != 0).all()],
    "any": lambda x: [(x != 0).any()],
    "softmax_sum": average,
    "add": lambda x: [x.sum()],
    "mul": lambda x: [x.prod()],
    "maximum": lambda x: [x.max()],
    "minimum": lambda x: [x.min()],
    "argmax": lambda x: [x.argmax()],
    "argmin": lambda x: [x.argmin()],
    "mean_var": lambda x: [x.mean(), x.var()],
    "logsumexp": log_of_sum,
}


@pytest.mark.parametrize("law", laws.BUILTIN.values(), ids=lambda law: law.name)
@given(data=st.data())
def test_finalize_gives_what_the_law_means(law, data):
    elements = numbers(law, f64) if law.name == "affine" else FLOATS
    values = data.draw(st.lists(elements, min_size=1, max_size=9))
    x = np.array(values, np.float64)
    with np.errstate(all="ignore"):
        made = algebra(law, f64)
        found = made.finalize(folded(law, f64, leaves(law, f64, values)))
        expected = MEANING[law.name](x)
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(float(value.data[0]), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("law", "dtype"), CASES)
def test_a_nan_is_found_wherever_the_list_is_split(law, dtype):
    if not dtype.is_float or law.name in INDIFFERENT_TO_NAN | {"affine"}:
        return
    with np.errstate(all="ignore"):
        for place in range(3):
            values = [1.0, 2.0, 2.0]
            values[place] = NAN
            states = leaves(law, dtype, values)
            for cut in range(4):
                left, right = folded(law, dtype, states[:cut]), folded(law, dtype, states[cut:])
                (result, *_) = algebra(law, dtype).finalize(algebra(law, dtype).merge(left, right))
                found = result.data[0]
                assert found == place if law.results == ("index",) else np.isnan(found)


def test_a_mutant_of_a_law_is_noticed():
    """The same assertions fail for the law of the largest number that starts at 0."""
    from dataclasses import replace

    from certile.ir.terms import Lit

    mutant = replace(laws.MAXIMUM, identity=(Lit(0),))
    state = folded(laws.MAXIMUM, f32, leaves(laws.MAXIMUM, f32, [-1.0]))
    made = algebra(mutant, f32).merge(algebra(mutant, f32).identity(1), state)
    with pytest.raises(AssertionError):
        assert_same(mutant, f32, made, state, exact=True)


def test_the_largest_size_of_integers_saturates():
    """The absolute value of the least integer is none of the type."""
    made = algebra(laws.ABSMAX, i32)
    (found,) = made.finalize(folded(laws.ABSMAX, i32, leaves(laws.ABSMAX, i32, [-(2**31), 5])))
    assert found.data[0] == 2**31 - 1


def test_laws_say_whether_they_are_of_real_numbers():
    real = {name for name, law in laws.BUILTIN.items() if law.is_real}
    assert real == {"mean_var", "sum_var", "logsumexp", "softmax_sum"}
