"""Emit the vector math expansions as Machine IR.

In: a `Builder`, and the expansions of `certile.lower.math`, which speak `Arith`.  Out: Machine IR
values.  Decides nothing: each method names the one operation with that meaning.  Leaves to others
when a function is expanded and when a target's own is called.
"""

from certile.ir.dtypes import f32, i32
from certile.ir.machine import Value
from certile.ir.machine_build import Builder

__all__ = ["MachineArith"]


class MachineArith:
    """`Arith[Value]` over a builder; operands are f32, i32 or bool values, uniform or varying."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def const(self, value: float) -> Value:
        """Make an f32 constant."""
        return self.builder.const(float(value), f32)

    def iconst(self, value: int) -> Value:
        """Make an i32 constant."""
        return self.builder.const(value, i32)

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
        """Reinterpret an f32 as an i32."""
        return self.builder.reinterpret(a, i32)

    def float_of(self, a: Value) -> Value:
        """Reinterpret an i32 as an f32."""
        return self.builder.reinterpret(a, f32)

    def to_float(self, a: Value) -> Value:
        """Convert an i32 to f32."""
        return self.builder.convert(a, f32)
