"""The few operations that every vector math function is written in.

In: nothing.  Out: ``Arith``, a protocol that a code generator or an interpreter implements for
its own kind of value ``V`` (an SSA name, a C expression, an array).  Decides: the exact meaning
of each operation, so that one expansion gives the same bits on every target.  Leaves to others:
the functions themselves (the neighbouring modules) and how an operation is spelled.

Every floating operation is IEEE binary32, rounded to nearest even, with subnormal operands and
results kept.  Nothing is contracted: only ``fma`` fuses.  A value is an f32, an i32 or a
condition; the protocol uses one type variable for all three because a target's own builder
already knows which is which.
"""

from typing import Protocol, TypeVar

V = TypeVar("V")


class Arith(Protocol[V]):
    """Straight-line arithmetic over f32, i32 and conditions; no branches, no memory."""

    def const(self, value: float) -> V:
        """Make an f32 constant; ``value`` is exactly an f32, an infinity or a NaN."""
        ...

    def iconst(self, value: int) -> V:
        """Make an i32 constant from a value in [-2**31, 2**31)."""
        ...

    def add(self, a: V, b: V) -> V:
        """Return a + b."""
        ...

    def sub(self, a: V, b: V) -> V:
        """Return a - b."""
        ...

    def mul(self, a: V, b: V) -> V:
        """Return a * b."""
        ...

    def div(self, a: V, b: V) -> V:
        """Return a / b, correctly rounded."""
        ...

    def fma(self, a: V, b: V, c: V) -> V:
        """Return a * b + c with one rounding."""
        ...

    def neg(self, a: V) -> V:
        """Flip the sign bit."""
        ...

    def abs(self, a: V) -> V:
        """Clear the sign bit."""
        ...

    def sqrt(self, a: V) -> V:
        """Return the square root, correctly rounded; NaN below zero, -0 for -0."""
        ...

    def floor(self, a: V) -> V:
        """Return the largest integer that is not above a."""
        ...

    def scale2(self, x: V, n: V) -> V:
        """Return x * 2**n with one rounding, also where the result is subnormal.

        ``n`` is an integer-valued f32 in [-252, 252]; ``x`` is NaN, zero or 1/4 <= abs(x) <= 4.
        AVX-512 has this as one instruction; elsewhere two products do it (see the CPU emitter).
        """
        ...

    def lt(self, a: V, b: V) -> V:
        """Compare f32 a < b; false when either is NaN."""
        ...

    def le(self, a: V, b: V) -> V:
        """Compare f32 a <= b; false when either is NaN."""
        ...

    def gt(self, a: V, b: V) -> V:
        """Compare f32 a > b; false when either is NaN."""
        ...

    def ge(self, a: V, b: V) -> V:
        """Compare f32 a >= b; false when either is NaN."""
        ...

    def eq(self, a: V, b: V) -> V:
        """Compare f32 a == b; false when either is NaN."""
        ...

    def ne(self, a: V, b: V) -> V:
        """Compare f32 a != b; true when either is NaN."""
        ...

    def isnan(self, a: V) -> V:
        """Return whether the f32 a is a NaN."""
        ...

    def select(self, condition: V, a: V, b: V) -> V:
        """Return a where the condition holds, else b; the values share f32 or i32."""
        ...

    def iadd(self, a: V, b: V) -> V:
        """Return the i32 sum, wrapping."""
        ...

    def isub(self, a: V, b: V) -> V:
        """Return the i32 difference, wrapping."""
        ...

    def ishl(self, a: V, count: int) -> V:
        """Shift an i32 left by a static count in [0, 32)."""
        ...

    def ishr(self, a: V, count: int) -> V:
        """Shift an i32 right by a static count in [0, 32), repeating the sign bit."""
        ...

    def iand(self, a: V, b: V) -> V:
        """Return the bitwise and of two i32."""
        ...

    def ior(self, a: V, b: V) -> V:
        """Return the bitwise or of two i32."""
        ...

    def bits(self, a: V) -> V:
        """Reinterpret an f32 as an i32."""
        ...

    def float_of(self, a: V) -> V:
        """Reinterpret an i32 as an f32."""
        ...

    def to_float(self, a: V) -> V:
        """Convert an i32 to f32, rounded to nearest even."""
        ...
