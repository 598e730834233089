"""Elements as integers in order: the codes that a sorting network compares.

In: values of any dtype, and their positions.  Out: states, tuples of signed integers that compare
as the elements do, and the way back.  Decides the codes: floats become two's complement of their
sign and magnitude, so that zeros of both signs are one number, every NaN is one above infinity, and
no float is compared as a float; a position makes equal elements differ, so every order is stable.
Leaves which integers are kept to the layout, and exchanges to `network`.
"""

from __future__ import annotations

from certile.ir.dtypes import DType, bool_, highest, i16, i32, i64
from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.plan.subgroup.sorting import SortLayout
from certile.records import record

State = tuple[Value, ...]

# The signed integer with the bits of a float; the bits of infinity, and those of the quiet NaN.
_FLOATS = {
    "f16": (i16, 0x7C00, 0x7E00),
    "bf16": (i16, 0x7F80, 0x7FC0),
    "f32": (i32, 0x7F80_0000, 0x7FC0_0000),
    "f64": (i64, 0x7FF0_0000_0000_0000, 0x7FF8_0000_0000_0000),
}


@record(slots=False)
class Keys:
    """The codes of one sort's elements."""

    builder: Builder
    dtype: DType
    layout: SortLayout
    descending: bool

    # From elements to codes.

    def rank(self, value: Value) -> Value:
        """The signed integer that orders a value; equal values have one rank."""
        made = self._ascending(value)
        return self.builder.compute("bit_not", made) if self.descending else made

    def _ascending(self, value: Value) -> Value:
        builder, rank = self.builder, self.layout.rank
        if self.dtype.is_float:
            return self._float_rank(value)
        if self.dtype.kind == "uint" and self.dtype.bits == rank.bits:
            return builder.compute("bit_xor", builder.reinterpret(value, rank), self._sign)
        return builder.convert(value, rank)

    def _float_rank(self, value: Value) -> Value:
        builder = self.builder
        narrow, infinity, nan = _FLOATS[self.dtype.name]
        bits = builder.convert(builder.reinterpret(value, narrow), self.layout.rank)
        size = builder.compute("bit_and", bits, int(highest(narrow)))
        signed = builder.select(builder.lt(bits, 0), builder.compute("neg", size), size)
        return builder.select(builder.compute("gt", size, infinity), nan, signed)

    @property
    def _sign(self) -> int:
        """The least rank: only its sign bit is set."""
        return -(1 << (self.layout.rank.bits - 1))

    def state(self, rank: Value, position: Value) -> State:
        """What is kept of an element: its rank and, where one is wanted, its i64 position."""
        builder, layout = self.builder, self.layout
        if len(layout.components) == 2:
            return (rank, builder.convert(position, layout.components[1]))
        if not layout.shift:
            return (rank,)
        (kept,) = layout.components
        high = builder.compute("shl", builder.convert(rank, kept), layout.shift)
        return (builder.compute("bit_or", high, builder.convert(position, kept)),)

    def greatest_rank(self) -> Value:
        """A rank that none exceeds."""
        return self.builder.const(int(highest(self.layout.rank)), self.layout.rank)

    def padding(self) -> State:
        """A state that none exceeds: of elements that do not exist."""
        return tuple(self.builder.const(int(highest(d)), d) for d in self.layout.components)

    # From codes to elements.

    def rank_of(self, state: State) -> Value:
        """The rank that a state holds."""
        builder, layout = self.builder, self.layout
        if not layout.shift:
            return state[0]
        return builder.convert(builder.compute("shr", state[0], layout.shift), layout.rank)

    def position(self, state: State) -> Value:
        """The i64 position that a state holds."""
        builder, layout = self.builder, self.layout
        if not layout.shift:
            return builder.convert(state[-1], i64)
        low = builder.compute("bit_and", state[0], (1 << layout.shift) - 1)
        return builder.convert(low, i64)

    def value(self, state: State) -> Value:
        """The element that a state stands for."""
        builder, rank = self.builder, self.rank_of(state)
        if self.descending:
            rank = builder.compute("bit_not", rank)
        if self.dtype.is_float:
            return self._float(rank)
        if self.dtype == bool_:
            return builder.compute("ne", rank, 0)
        if self.dtype.kind == "uint" and self.dtype.bits == rank.dtype.bits:
            return builder.reinterpret(builder.compute("bit_xor", rank, self._sign), self.dtype)
        return builder.convert(rank, self.dtype)

    def _float(self, rank: Value) -> Value:
        builder = self.builder
        narrow, _, _ = _FLOATS[self.dtype.name]
        sign = -(1 << (narrow.bits - 1))
        negative = builder.compute("bit_or", builder.compute("neg", rank), sign)
        bits = builder.convert(builder.select(builder.lt(rank, 0), negative, rank), narrow)
        return builder.reinterpret(bits, self.dtype)

    # Comparison.

    def after(self, a: State, b: State) -> Value:
        """Whether `a` comes after `b`."""
        builder = self.builder
        greater = builder.compute("gt", a[0], b[0])
        if len(a) == 1:
            return greater
        later = builder.compute("gt", a[1], b[1])
        equal = builder.compute("bit_and", builder.eq(a[0], b[0]), later)
        return builder.or_(greater, equal)

    def ordered(self, a: State, b: State) -> tuple[State, State]:
        """The two states, the lesser first."""
        if len(a) == 1:
            return (self._least(a, b), self._greatest(a, b))
        swap = self.after(a, b)
        select = self.builder.select_all
        return (select(swap, b, a), select(swap, a, b))

    def one_of(self, upper: Value, a: State, b: State) -> State:
        """The greater of two states where `upper` holds, else the lesser."""
        if len(a) == 1:
            return self.builder.select_all(upper, self._greatest(a, b), self._least(a, b))
        take = self.builder.compute("bit_xor", self.after(a, b), upper)
        return self.builder.select_all(take, b, a)

    def _least(self, a: State, b: State) -> State:
        return (self.builder.minimum(a[0], b[0]),)

    def _greatest(self, a: State, b: State) -> State:
        return (self.builder.compute("maximum", a[0], b[0]),)
