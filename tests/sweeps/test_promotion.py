"""Every pair of dtypes under every operator: the dtype that is traced and the value on a CPU."""

from __future__ import annotations

import numpy as np
import pytest

import certile as ct
from tests.sweeps.conversions import STORAGE
from tests.sweeps.promotion import (
    ARITHMETIC,
    NAMES,
    NUMBERS,
    OPERATORS,
    PAIRS,
    REAL,
    WITH_NUMBERS,
    is_float,
    result,
)

COMPUTED = tuple(name for name in NAMES if not name.startswith("f8"))


def traced(body):
    """Run `body` while a kernel is traced, on one tile of each dtype."""

    @ct.tile_kernel
    def kernel(x: ct.View):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            body({name: ct.cast(x[r], name) for name in NAMES})
            x[r] = 0

    with ct.target("null"):
        kernel(np.zeros(1, np.int64))


def meet(name, left, right):
    """The dtype of an operation, or the code of its refusal."""
    try:
        return str(OPERATORS[name](left, right).dtype)
    except ct.KernelError as error:
        return error.code


def test_every_pair_of_tiles_under_every_operator():
    found = {}

    def body(tiles):
        for a, b in PAIRS:
            for name in OPERATORS:
                found[a, b, name] = meet(name, tiles[a], tiles[b])

    traced(body)
    assert len(found) == 15 * 15 * 22
    for (a, b, name), dtype in found.items():
        assert dtype == (result(name, PAIRS[a, b]) or "K011"), (a, b, name)


def test_every_tile_with_every_kind_of_number_on_either_side():
    found = {}

    def body(tiles):
        for a, kind in WITH_NUMBERS:
            for name in OPERATORS:
                found[a, kind, name, "right"] = meet(name, tiles[a], NUMBERS[kind])
                found[a, kind, name, "left"] = meet(name, NUMBERS[kind], tiles[a])

    traced(body)
    assert len(found) == 2 * 15 * 3 * 22
    for (a, kind, name, side), dtype in found.items():
        # A literal square is the product.
        square = side == "right" and name == "pow" and kind == "int"
        wanted = result("mul" if square else name, WITH_NUMBERS[a, kind])
        assert dtype == (wanted or "K011"), (a, kind, name, side)


def test_the_arms_of_a_condition_promote():
    found = {}

    def body(tiles):
        for a, b in PAIRS:
            found[a, b] = str(ct.where(tiles["bool"], tiles[a], tiles[b]).dtype)

    traced(body)
    assert found == PAIRS


# Values.  Every dtype holds them or rounds them the same way wherever they come from.
LEFT = np.array([7, 1, 100, 0, 5, 64, 3, 120], np.int64)
RIGHT = np.array([3, 1, 2, 5, 7, 64, 110, 1], np.int64)
PLAIN = {
    "add": np.add,
    "mul": np.multiply,
    "div": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "lt": np.less,
    "xor": np.bitwise_xor,
}
SLOTS = 16 * len(PLAIN)


def defined(left, right):
    """The operators that a pair has."""
    return [name for name in PLAIN if result(name, PAIRS[left, right]) is not None]


@ct.tile_kernel
def combined(
    x, w, left: ct.constexpr, truth, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64
):
    """Combine `left` with each dtype by each operator, in the slots of the result's dtype."""
    views = {
        v.dtype.name: v for v in (truth, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64)
    }
    used = dict.fromkeys(views, 0)
    for r in ct.parallel(ct.axis("rows", x.shape[0])):
        a = ct.cast(x[r], left)
        for name in NAMES:
            b = ct.cast(w[r], name)
            for operator in defined(left, name):
                made = OPERATORS[operator](a, b)
                views[made.dtype.name][r, used[made.dtype.name]] = made
                used[made.dtype.name] += 1


def wanted(operator, left, right):
    """The dtype and the values of an operation, by NumPy in the dtype of the table."""
    common = PAIRS[left, right]
    if common == "bool" and operator in ARITHMETIC:
        common = "i32"
    if operator in REAL and not is_float(common):
        common = "f32"
    with np.errstate(all="ignore"):
        a = LEFT.astype(STORAGE[left]).astype(STORAGE[common])
        b = RIGHT.astype(STORAGE[right]).astype(STORAGE[common])
        return result(operator, PAIRS[left, right]), PLAIN[operator](a, b)


@pytest.mark.parametrize("left", NAMES)
def test_every_pair_computes_in_the_common_dtype(left):
    outputs = {name: np.zeros((len(LEFT), SLOTS), STORAGE[name]) for name in COMPUTED}
    with ct.target("cpu"):
        combined(LEFT, RIGHT, left, *outputs.values())
    used = dict.fromkeys(outputs, 0)
    for right in NAMES:
        for operator in defined(left, right):
            dtype, values = wanted(operator, left, right)
            found = outputs[dtype][:, used[dtype]]
            used[dtype] += 1
            np.testing.assert_array_equal(
                found.astype(np.float64), values.astype(np.float64), f"{operator} {right}"
            )
