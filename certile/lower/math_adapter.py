"""Emit the vector math expansions as Machine IR.

In: a `Builder`, a float type, and the expansions of `certile.lower.math`, which speak `Arith`.
Out: Machine IR values.  Decides how work that few lanes need is left out: a loop whose trip count
is the largest that a lane of the subgroup asks for.  Leaves to others when a function is expanded
and when a target's own is called.
"""

from collections.abc import Callable, Sequence

from certile.ir.dtypes import DType, f32, f64, i32, i64
from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.lower.math import FORMATS, Format

__all__ = ["MachineArith"]

_Body = Callable[[Sequence[Value]], Sequence[Value]]


class MachineArith:
    """`Arith[Value]` over a builder; operands are floats, integers as wide, or bool values.

    They are uniform or varying.  `keeps_nan` says that a maximum which propagates NaN is one
    instruction; elsewhere a comparison and a select are no more.  `scales_widely` says that the
    target's `scale2` takes any exponent.
    """

    def __init__(
        self,
        builder: Builder,
        dtype: DType = f32,
        *,
        keeps_nan: bool = False,
        scales_widely: bool = False,
    ) -> None:
        self.builder = builder
        self._keeps_nan = keeps_nan
        self._scales_widely = scales_widely
        self._float = dtype
        self._integer = {f32: i32, f64: i64}[dtype]

    @property
    def format(self) -> Format:
        """The format of the floats."""
        return FORMATS[self._float.name]

    @property
    def scales_widely(self) -> bool:
        """Whether the target's `scale2` takes any exponent."""
        return self._scales_widely

    def const(self, value: float) -> Value:
        """Make a float constant."""
        return self.builder.const(float(value), self._float)

    def iconst(self, value: int) -> Value:
        """Make an integer constant."""
        return self.builder.const(value, self._integer)

    def add(self, a: Value, b: Value) -> Value:
        """Return a + b."""
        return self.builder.compute("add", a, b)

    def sub(self, a: Value, b: Value) -> Value:
        """Return a - b."""
        return self.builder.compute("sub", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        """Return a * b."""
        return self.builder.compute("mul", a, b)

    def div(self, a: Value, b: Value) -> Value:
        """Return a / b."""
        return self.builder.compute("div", a, b)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """Return a * b + c with one rounding."""
        return self.builder.compute("fma", a, b, c)

    def neg(self, a: Value) -> Value:
        """Flip the sign bit."""
        return self.builder.compute("neg", a)

    def abs(self, a: Value) -> Value:
        """Clear the sign bit."""
        return self.builder.compute("abs", a)

    def sqrt(self, a: Value) -> Value:
        """Return the square root."""
        return self.builder.compute("sqrt", a)

    def floor(self, a: Value) -> Value:
        """Return the largest integer that is not above a."""
        return self.builder.compute("floor", a)

    def scale2(self, x: Value, n: Value) -> Value:
        """Return x * 2**n with one rounding."""
        return self.builder.compute("scale2", x, n)

    def lt(self, a: Value, b: Value) -> Value:
        """Compare a < b."""
        return self.builder.compute("lt", a, b)

    def le(self, a: Value, b: Value) -> Value:
        """Compare a <= b."""
        return self.builder.compute("le", a, b)

    def gt(self, a: Value, b: Value) -> Value:
        """Compare a > b."""
        return self.builder.compute("gt", a, b)

    def ge(self, a: Value, b: Value) -> Value:
        """Compare a >= b."""
        return self.builder.compute("ge", a, b)

    def eq(self, a: Value, b: Value) -> Value:
        """Compare a == b."""
        return self.builder.compute("eq", a, b)

    def ne(self, a: Value, b: Value) -> Value:
        """Compare a != b."""
        return self.builder.compute("ne", a, b)

    def isnan(self, a: Value) -> Value:
        """Return whether a is a NaN."""
        return self.builder.compute("isnan", a)

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        """Return a where the condition holds, else b."""
        return self.builder.select(condition, a, b)

    def larger(self, a: Value, b: Value) -> Value:
        """Return the larger of two numbers or of two NaNs."""
        if self._keeps_nan:
            return self.builder.compute("maximum", a, b)
        return self.builder.select(self.builder.compute("gt", a, b), a, b)

    def iadd(self, a: Value, b: Value) -> Value:
        """Return the i32 sum, wrapping."""
        return self.builder.compute("add", a, b)

    def isub(self, a: Value, b: Value) -> Value:
        """Return the i32 difference, wrapping."""
        return self.builder.compute("sub", a, b)

    def ishl(self, a: Value, count: int) -> Value:
        """Shift left by a static count."""
        return self.builder.compute("shl", a, count)

    def ishr(self, a: Value, count: int) -> Value:
        """Shift right by a static count, repeating the sign bit."""
        return self.builder.compute("shr", a, count)

    def iand(self, a: Value, b: Value) -> Value:
        """Return the bitwise and."""
        return self.builder.compute("bit_and", a, b)

    def ior(self, a: Value, b: Value) -> Value:
        """Return the bitwise or."""
        return self.builder.compute("bit_or", a, b)

    def bits(self, a: Value) -> Value:
        """Reinterpret a float as an integer."""
        return self.builder.reinterpret(a, self._integer)

    def float_of(self, a: Value) -> Value:
        """Reinterpret an integer as a float."""
        return self.builder.reinterpret(a, self._float)

    def to_float(self, a: Value) -> Value:
        """Convert an integer below 2**31 in size; every vector unit has that of i32."""
        return self.builder.convert(self.builder.convert(a, i32), self._float)

    def where_any(self, condition: Value, state: Sequence[Value], body: _Body) -> tuple[Value, ...]:
        """Return `body(state)` where the condition holds, and `state` elsewhere.

        A loop of no round or one stands for the branch, because only a loop gives values.
        """
        any_lane = condition
        if condition.varying:
            any_lane = self.builder.collective("any", condition)

        def merged(inside: Sequence[Value]) -> Sequence[Value]:
            return self.builder.select_all(condition, body(inside), inside)

        return self._rounds(any_lane, state, merged, varying=condition.varying)

    def repeat(self, count: Value, state: Sequence[Value], body: _Body) -> tuple[Value, ...]:
        """Return the state after as many rounds as the lane with the largest count asks for."""
        most = self.builder.convert(count, i32)
        if most.varying:
            most = self.builder.collective("maximum", most)
        return self._rounds(most, state, body, varying=count.varying)

    def _rounds(
        self, rounds: Value, state: Sequence[Value], body: _Body, *, varying: bool
    ) -> tuple[Value, ...]:
        """Run the body on carried values; what it computes of them stays inside the loop."""
        most = self.builder.convert(rounds, i64)
        return self.builder.for_(0, most, 1, state, lambda _, inside: body(inside), varying=varying)
