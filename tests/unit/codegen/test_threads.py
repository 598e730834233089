"""What targets of one scalar a thread share: constants, and integers that must wrap."""

import pytest

from certile.codegen.cuda.types import SPELLING as CUDA
from certile.codegen.indices import index_only
from certile.codegen.metal.types import SPELLING as METAL
from certile.ir.dtypes import BY_NAME, bool_, f32, i32, i64
from certile.ir.machine import Buffer, ScalarParameter
from certile.ir.machine.build import Builder


@pytest.mark.parametrize(
    ("value", "dtype", "cuda", "metal"),
    [
        (0.1, "f32", "0.1f", "0.1f"),
        (-0.0, "f32", "(-0.0f)", "(-0.0f)"),
        (1.5, "bf16", "1.5f", "1.5f"),
        (float("inf"), "f32", "__uint_as_float(0x7f800000U)", "as_type<float>(0x7f800000U)"),
        (-(2**31), "i32", "(-2147483647 - 1)", "(-2147483647 - 1)"),
        (-(2**63), "i64", "(-9223372036854775807LL - 1)", "(-9223372036854775807L - 1)"),
        (7, "i64", "7LL", "7L"),
        (2**64 - 1, "u64", "18446744073709551615ULL", "18446744073709551615UL"),
        (-5, "i8", "(signed char)-5", "(char)-5"),
        (True, "bool", "true", "true"),
    ],
)
def test_constants(value, dtype, cuda, metal):
    assert CUDA.literal(value, BY_NAME[dtype]) == cuda
    assert METAL.literal(value, BY_NAME[dtype]) == metal


def test_integers_that_data_reaches_are_never_plain():
    """`x + 1 > x` asks how an integer wraps, though its result is only a mask."""
    b = Builder(32)
    x, y = Buffer("x", i32, False), Buffer("y", f32, True)
    loaded = b.load(x, b.address(0, 1))
    argument = b.parameter(ScalarParameter("a", i32))
    sums = [b.compute("add", value, 1) for value in (loaded, argument)]
    placed = b.add(b.parameter(ScalarParameter("stride", i64)), 1)
    for value, sum_ in zip((loaded, argument), sums, strict=True):
        mask = b.compute("gt", sum_, value)
        b.store(y, b.address(placed, 1), b.const(1.0, f32), mask)
    indices = index_only(b.block())
    assert placed in indices
    assert not indices.intersection(sums)


def test_a_carried_integer_is_never_plain():
    b = Builder(32)
    flag = Buffer("flag", bool_, True)
    inside = []

    def body(index, params):
        inside.append(b.add(params[0], 1))
        b.store(flag, b.address(index), b.compute("gt", inside[0], params[0]))
        return [inside[0]]

    b.for_(0, 3, 1, [b.const(0, i64)], body)
    assert inside[0] not in index_only(b.block())
