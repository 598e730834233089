"""Index arithmetic in 32 bits, where every value of it is proved to fit.

In: a block whose indices are i64, and what its builder knows of the ranges of integers.  Out: the
same block with i32 in the place of i64 wherever a range fits; an address becomes one of i32 when
its parts, their sum in any lane, and the sum in bytes do.  Decides by intervals alone, which come
from the layouts that a kernel is specialised for (`certile.ir.host.is_near`), from constants and
from the number of programs.  What comes from data, rows further apart than that, and what a kernel
keeps, exchanges or stores stay as they are; what both kinds of reader want exists in both types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from certile.ir.dtypes import i32, i64
from certile.ir.functions import COMPARISONS
from certile.ir.host import NEAR_PROGRAMS
from certile.ir.machine import (
    Address,
    ArrayLoad,
    ArrayStore,
    Block,
    Compute,
    Constant,
    Convert,
    For,
    If,
    Load,
    MType,
    Operation,
    SharedLoad,
    SharedStore,
    Special,
    Store,
    Value,
)
from certile.ir.machine.build import Builder
from certile.ir.machine.fold import Facts, Range, bounds
from certile.ir.machine.prune import prune
from certile.plan.record import GroupPlan

__all__ = ["builder_of", "most_programs", "narrowed"]

# Functions whose 32-bit result is right when operands and result are 32-bit numbers; of those that
# could wrap the result is marked.
_WRAPPING = frozenset({"add", "sub", "mul", "floordiv", "neg", "abs"})
_ARITHMETIC = _WRAPPING | {"mod", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"}
_LIMITS = bounds(i32)


def most_programs(plan: GroupPlan) -> int | None:
    """The most programs of a launch whose indices may have 32 bits; None where 64 are as good.

    A CPU finds addresses in 64 bits at no cost.  The number of programs that a plan is for stands
    for its class, and those above the limit are one of their own.
    """
    near = plan.sheet.kind != "cpu" and plan.programs <= NEAR_PROGRAMS
    return NEAR_PROGRAMS if near else None


def builder_of(plan: GroupPlan, subgroups: int, programs_per_group: int) -> Builder:
    """The builder of a launch whose groups have so many subgroups and programs."""
    most = most_programs(plan)
    if most is None:
        return Builder(plan.sheet.lanes, subgroups)
    return Builder(plan.sheet.lanes, subgroups, -(-most // programs_per_group))


def narrowed(block: Block, facts: Facts, lanes: int, furthest: Mapping[Address, int]) -> Block:
    """The block with 32-bit indices where they are proved to do.

    `facts` knows its values; `furthest` has the most that addresses reach either way, in elements,
    where that follows from layouts.
    """
    return prune(_Narrowing(facts, lanes, furthest).block(block))


class _Narrowing:
    """Rewrites operations in order; `_short` has the i32 of each i64 that fits."""

    def __init__(self, facts: Facts, lanes: int, furthest: Mapping[Address, int]) -> None:
        self._facts, self._lanes, self._furthest = facts, lanes, furthest
        self._short: dict[Value, Value] = {}

    def block(self, block: Block) -> Block:
        made: list[Operation] = []
        for operation in block.operations:
            made += self._rewritten(operation)
        return Block(tuple(made))

    def _rewritten(self, operation: Operation) -> list[Operation]:
        match operation:
            case For():
                return [self._loop(operation)]
            case If():
                then, otherwise = map(self.block, operation.blocks())
                return [replace(operation, then=then, otherwise=otherwise)]
            case Load() | Store():
                return self._defined(replace(operation, address=self._address(operation)))
            case SharedLoad() | SharedStore():
                return self._defined(replace(operation, index=self._of(operation.index)))
            case ArrayLoad() | ArrayStore():
                return self._defined(replace(operation, slot=self._of(operation.slot)))
            case Compute() if operation.fn in COMPARISONS and self._all_short(operation.args):
                return [replace(operation, args=tuple(map(self._of, operation.args)))]
            case Convert() if operation.result.dtype != i64:
                return [replace(operation, value=self._of(operation.value))]
            case _:
                return self._defined(operation)

    def _of(self, value: Value) -> Value:
        """The i32 of a value, or the value where it has none."""
        return self._short.get(value, value)

    def _all_short(self, values: tuple[Value, ...]) -> bool:
        return all(value in self._short for value in values)

    # Values.

    def _defined(self, operation: Operation) -> list[Operation]:
        """An operation, and what gives its result in the other type; `prune` drops the unread."""
        results = [v for v in operation.results_() if v.dtype == i64 and self._fits(v)]
        if not results:
            return [operation]
        (result,) = results
        short = Value(MType(i32, result.varying))
        computed = self._computed(operation, short)
        if computed is None:
            self._short[result] = short
            return [operation, Convert(short, result, exact=True)]
        made, short = computed
        self._short[result] = short
        return [*made, self._widened(operation, result, short)]

    def _widened(self, operation: Operation, result: Value, short: Value) -> Operation:
        """What defines the i64: a constant is one again, anything else follows from its i32."""
        return operation if isinstance(operation, Constant) else Convert(result, short)

    def _fits(self, value: Value) -> bool:
        return _inside(self._facts.range(value))

    def _computed(self, operation: Operation, short: Value) -> tuple[list[Operation], Value] | None:
        """The operations that compute a result in 32 bits, and the result; None: it is converted.

        A conversion from i32 needs no operation at all.
        """
        match operation:
            case Constant(value=value):
                return [Constant(short, value)], short
            case Special():
                return [replace(operation, result=short)], short
            case Convert(value=value) if value.dtype == i32:
                return [], value
            case Convert(value=value) if not value.dtype.is_float and value.dtype.bits < 32:
                return [Convert(short, value)], short
            case Compute(fn="where", args=(condition, *rest)) if self._all_short(tuple(rest)):
                return [Compute(short, "where", (condition, *map(self._of, rest)))], short
            case Compute(fn=fn, args=args) if fn in _ARITHMETIC and self._all_short(args):
                made = Compute(short, fn, tuple(map(self._of, args)), exact=fn in _WRAPPING)
                return [made], short
            case _:
                return None

    # Loops and addresses.

    def _loop(self, loop: For) -> For:
        bounds_ = (loop.start, loop.stop, loop.step)
        # The index is stepped past the last round before it is compared.
        last = self._facts.range(loop.stop)[1] + self._facts.range(loop.step)[1]
        if loop.index.dtype != i64 or not self._all_short(bounds_) or not _inside((0, last)):
            return replace(loop, body=self.block(loop.body))
        index = Value(MType(i32))
        self._short[loop.index] = index
        start, stop, step = map(self._of, bounds_)
        body = self.block(loop.body)
        widened = Block((Convert(loop.index, index), *body.operations))
        return replace(loop, index=index, start=start, stop=stop, step=step, body=widened)

    def _address(self, access: Load | Store) -> Address:
        address, size = access.address, access.buffer.dtype.size
        if not self._all_short(tuple(address.values())):
            return address
        low, high = self._sum(address)
        if not _inside((low * size, high * size)):
            return address
        stride, offset = address.lane_stride, address.offset
        return Address(
            self._of(address.base),
            self._of(stride) if isinstance(stride, Value) else stride,
            None if offset is None else self._of(offset),
        )

    def _sum(self, address: Address) -> Range:
        """The bounds of the element index of an address over all lanes."""
        low, high = self._facts.range(address.base)
        if address.offset is not None:
            least, most = self._facts.range(address.offset)
            low, high = low + least, high + most
        if address.lane_stride is not None:
            stride = address.lane_stride
            ends = self._facts.range(stride) if isinstance(stride, Value) else (stride, stride)
            steps = [end * (self._lanes - 1) for end in ends]
            low, high = low + min(0, *steps), high + max(0, *steps)
        known = self._furthest.get(address)
        return (low, high) if known is None else (max(low, -known), min(high, known))


def _inside(known: Range) -> bool:
    return _LIMITS[0] <= known[0] and known[1] <= _LIMITS[1]
