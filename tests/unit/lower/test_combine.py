"""Trees of states: shape and order, with states that are texts."""

import numpy as np
import pytest

from certile.ir.dtypes import i64
from certile.ir.machine import Buffer, MachineKernel, ScalarParameter
from certile.ir.machine.build import Builder
from certile.ir.machine.verify import check_machine
from certile.ir.tile import REPRODUCIBLE_DISTANCES
from certile.lower.combine import OrderedStack, balanced, blocks_in_order, in_order
from certile.reference.machine import run_machine


def pair(a, b):
    return f"({a}{b})"


def depth(text):
    level, deepest = 0, 0
    for sign in text:
        level += (sign == "(") - (sign == ")")
        deepest = max(deepest, level)
    return deepest


@pytest.mark.parametrize("count", range(1, 40))
def test_trees_keep_the_order_and_are_balanced(count):
    leaves = [chr(65 + k) for k in range(count)]
    for tree in (balanced, blocks_in_order):
        made = tree(leaves, pair)
        assert made.replace("(", "").replace(")", "") == "".join(leaves)
        assert depth(made) == (count - 1).bit_length()


def test_blocks_split_at_the_largest_power_of_two_below():
    assert blocks_in_order(list("abcde"), pair) == "(((ab)(cd))e)"
    assert blocks_in_order(list("abcdef"), pair) == "(((ab)(cd))(ef))"
    assert blocks_in_order(list("abcd"), pair) == "((ab)(cd))"


def test_each_accumulator_bit_is_merged_once():
    assert sorted(REPRODUCIBLE_DISTANCES) == [1, 2, 4, 8, 16, 32, 64]
    assert REPRODUCIBLE_DISTANCES == (16, 8, 4, 2, 1, 64, 32)


class Numbers:
    """A state machine of one component that appends decimal digits: (a, b) -> a * base(b) + b."""

    dtypes = (i64, i64)

    def __init__(self, builder):
        self._b = builder

    def identity(self):
        return (self._b.const(0, i64), self._b.const(1, i64))

    def merge(self, a, b):
        return (self._b.add(self._b.mul(a[0], b[1]), b[0]), self._b.mul(a[1], b[1]))


@pytest.mark.parametrize("with_last", [False, True])
@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 15, 16, 17])
def test_states_that_arrive_one_by_one_stay_in_order(count, with_last):
    """Short lists are written out, long ones go through the stack in a run-time loop."""
    b = Builder(4)
    machine = Numbers(b)
    y = Buffer("y", i64, True)

    def digit(index):
        return (b.add(b.mod(index, 9), 1), b.const(10, i64))

    last = (lambda: (b.const(7, i64), b.const(10, i64))) if with_last else None
    state = in_order(b, machine, count, digit, last)
    b.store(y, b.address(0), state[0])
    kernel = check_machine(MachineKernel("k", 4, 1, 1, (y,), (), (), (), b.block()))
    out = np.zeros(1, np.int64)
    assert run_machine(kernel, {"y": out}, {}, 1).ok
    text = "".join(str(k % 9 + 1) for k in range(count)) + ("7" if with_last else "")
    assert str(out[0]) == text


@pytest.mark.parametrize("count", [1, 2, 3, 12, 16, 17])
def test_a_push_at_a_known_place_is_a_push_at_any(count):
    """Constants fold: the stack must be the same when the arrival's number is known."""
    number = ScalarParameter("number", i64)
    results = []
    for known in (True, False):
        b = Builder(4)
        machine = Numbers(b)
        stack = OrderedStack(b, machine, count)
        flat = stack.empty()
        zero = b.const(0, i64) if known else b.parameter(number)
        for k in range(count):
            flat = stack.push(flat, b.add(zero, k), (b.const(k % 9 + 1, i64), b.const(10, i64)))
        y = Buffer("y", i64, True)
        b.store(y, b.address(0), stack.finish(flat)[0])
        scalars = () if known else (number,)
        kernel = check_machine(MachineKernel("k", 4, 1, 1, (y,), scalars, (), (), b.block()))
        out = np.zeros(1, np.int64)
        run_machine(kernel, {"y": out}, {"number": 0}, 1)
        results.append(int(out[0]))
    assert results[0] == results[1] == int("".join(str(k % 9 + 1) for k in range(count)))
