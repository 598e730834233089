"""Proofs over the extended reals that speak of integers: the arguments, every pair of i8 and u8."""

from dataclasses import replace

import numpy as np
import pytest

from certile.ir.dtypes import BY_NAME, bool_, i8, i32, u8
from certile.ir.laws import ABSMAX, ADD, BUILTIN, MAXIMUM, Component
from certile.ir.meanings import MEANINGS, meaning_of
from certile.ir.terms import Apply, Lit, Var, app
from certile.proof.integers import coverage, covered, holds_for_integers
from certile.reference.algebra import Algebra
from certile.reference.values import Value

BYTES = {i8: np.arange(-128, 128), u8: np.arange(256)}
STORED = {i8: np.int8, u8: np.uint8}


def wrapped(numbers, dtype):
    """Exact integers modulo the width."""
    return (numbers % 256).astype(np.uint8).astype(STORED[dtype]).astype(np.int64)


# What two elements make, in exact integers that are wrapped in the end only.
PAIRS = {
    "add": lambda x, y, d: wrapped(x + y, d),
    "mul": lambda x, y, d: wrapped(x * y, d),
    "maximum": lambda x, y, d: np.maximum(x, y),
    "minimum": lambda x, y, d: np.minimum(x, y),
    "fmax": lambda x, y, d: np.maximum(x, y),
    "fmin": lambda x, y, d: np.minimum(x, y),
    "absmax": lambda x, y, d: np.minimum(np.maximum(abs(x), abs(y)), BYTES[d].max()),
    "any": lambda x, y, d: (x != 0) | (y != 0),
    "all": lambda x, y, d: (x != 0) & (y != 0),
    "argmax": lambda x, y, d: (y > x).astype(int),
    "argmin": lambda x, y, d: (y < x).astype(int),
    "top_values": lambda x, y, d: (np.maximum(x, y), np.minimum(x, y)),
    "bottom_values": lambda x, y, d: (np.minimum(x, y), np.maximum(x, y)),
}


def integral():
    return [name for name, law in BUILTIN.items() if not law.is_real]


def test_each_integral_law_has_an_oracle():
    assert {*PAIRS, "affine"} == set(integral())


@pytest.mark.parametrize("dtype", [i8, u8], ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_every_pair_of_bytes(name, dtype):
    x, y = (side.ravel() for side in np.meshgrid(BYTES[dtype], BYTES[dtype], indexing="ij"))
    row = Value(np.stack([x, y], axis=-1).astype(STORED[dtype]))
    algebra = Algebra(BUILTIN[name], dtype, 2)
    lifted = algebra.lift([row])
    first, second = (
        tuple(part.each(lambda data, k=k: data[..., k]) for part in lifted) for k in (0, 1)
    )
    none = algebra.identity(1)
    for tree in (
        algebra.merge(first, second),
        algebra.merge(algebra.merge(none, first), second),
        algebra.merge(first, algebra.merge(second, none)),
    ):
        results = algebra.finalize(tree)
        wanted = np.broadcast_to(PAIRS[name](x, y, dtype), (len(results), *x.shape))
        for result, each in zip(results, wanted, strict=True):
            assert np.array_equal(result.data.astype(np.int64), each)


@pytest.mark.parametrize("dtype", [i8, u8], ids=str)
def test_every_pair_of_bytes_in_a_recurrence(dtype):
    factor, value = (side.ravel() for side in np.meshgrid(BYTES[dtype], BYTES[dtype]))
    algebra = Algebra(BUILTIN["affine"], dtype, 3)
    rolled = [(np.roll(factor, k), np.roll(value, 7 * k)) for k in range(3)]
    a, b, c = (
        algebra.lift([Value(part.astype(STORED[dtype])) for part in pair]) for pair in rolled
    )
    h = np.zeros(len(factor), np.int64)
    for x0, x1 in rolled:
        h = wrapped(x0 * h + x1, dtype)
    for tree in (algebra.merge(algebra.merge(a, b), c), algebra.merge(a, algebra.merge(b, c))):
        (result,) = algebra.finalize(tree)
        assert np.array_equal(result.data.astype(np.int64), h)


@pytest.mark.parametrize("name", BUILTIN)
def test_what_a_proof_speaks_of(name):
    law = BUILTIN[name]
    for dtype in (*(each for each in BY_NAME.values() if each.is_integer), bool_):
        found = coverage(law, meaning_of(law), dtype)
        if law.is_real or (law == ABSMAX and dtype == bool_):
            assert found == "none"
        elif law == ABSMAX and dtype.kind == "int":
            assert found == "but the least"
        else:
            assert found == "all"


def test_words():
    assert covered(ADD, MEANINGS["add"]) == "integers hold"
    assert covered(ABSMAX, MEANINGS["absmax"]).endswith("the least signed one excepted")
    assert covered(BUILTIN["logsumexp"], MEANINGS["logsumexp"]) == "integers are not covered"


@pytest.mark.parametrize(
    "lift",
    [
        # True of the reals, and not of integers that wrap.
        app("where", app("lt", app("add", "x", 1), "x"), 5, 0),
        app("maximum", app("add", "x", 1), "x"),
        app("where", app("isfinite", "x"), 1, 0),
    ],
    ids=["comparison of a sum", "order of a sum", "a test for infinities"],
)
def test_order_of_what_may_wrap_is_not_covered(lift):
    law = replace(MAXIMUM, lift=(lift,))
    meaning = replace(MEANINGS["maximum"], closed=(app("list.max", lift),))
    meaning = replace(meaning, specification=meaning.closed)
    other = replace(law, lift=(app("maximum", lift, lift),))
    assert not holds_for_integers(other, meaning, i32)


def test_the_least_unsigned_integer_is_also_zero():
    """max(x, -inf) against max(x, 0): alike for u8, and different for i8 and the reals."""
    clamped = replace(MAXIMUM, identity=(Lit(0),), merge=(app("maximum", "a.s", "b.s"),))
    meaning = replace(MEANINGS["maximum"], closed=(app("maximum", 0, app("list.max", "x")),))
    assert coverage(clamped, meaning, u8) == "all"
    named = replace(clamped, finalize=(app("where", app("lt", Lit("lowest"), "s"), 1, 0),))
    assert coverage(named, meaning, u8) == "none"
    assert coverage(named, meaning, i8) == "all"


def test_half_an_integer_is_none():
    halves = replace(ADD, finalize=(app("mul", 0.5, "s"),))
    meaning = replace(MEANINGS["add"], specification=(app("mul", app("list.sum", "x"), 0.5),))
    assert coverage(halves, meaning, i32) == "none"


def test_what_cannot_be_read_covers_nothing():
    unread = replace(ADD, lift=(Apply("sqrt", (Var("x"),)),), state=(Component("s"),))
    assert coverage(unread, MEANINGS["add"], i8) == "none"
