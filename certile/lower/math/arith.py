"""The few operations that every vector math function is written in.

In: nothing.  Out: `Arith`, a protocol that a code generator or an interpreter implements for
its own kind of value `V` (an SSA name, a C expression, an array).  Decides: the exact meaning
of each operation, so that one expansion gives the same bits on every target.  Leaves to others:
the functions themselves (the neighbouring modules) and how an operation is spelled.

A builder works in one `Format`, f32 or f64; its integers are as wide.  Every floating operation
is IEEE arithmetic in that format, rounded to nearest even, with subnormal operands and results
kept.  Nothing is contracted: only `fma` fuses.  A value is a float, an integer or a condition;
the protocol uses one type variable for all three because a target's own builder already knows
which is which.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from certile.records import record

V = TypeVar("V")


@record(eq=False)
class Format:
    """An IEEE binary format: its name, its width, the bits of its fraction, its exponent bias."""

    name: str
    bits: int
    fraction_bits: int
    bias: int

    @property
    def least_normal(self) -> float:
        """The smallest positive normal number."""
        return 2.0 ** (1 - self.bias)


F32 = Format("f32", 32, 23, 127)
F64 = Format("f64", 64, 52, 1023)
FORMATS = {F32.name: F32, F64.name: F64}


class Arith(Protocol[V]):
    """Arithmetic over one float format, integers of its width, and conditions; no memory.

    There are no branches.  `repeat` and `where_any` save work and change no value: whatever
    else a lane's neighbours need, its own result is the one it would have alone.
    """

    @property
    def format(self) -> Format:
        """The format of the floats."""
        ...

    @property
    def scales_widely(self) -> bool:
        """Whether `scale2` takes any `n`: beyond the exponents it gives 0 or infinity, NaN for NaN.

        It may change the operations of an expansion, and no bit of its result.
        """
        ...

    def const(self, value: float) -> V:
        """Make a float constant; `value` is exactly one of the format, an infinity or a NaN."""
        ...

    def iconst(self, value: int) -> V:
        """Make an integer constant from a value that the width holds, signed."""
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

        `n` is an integer-valued float, in f32 within [-226, 252] and in f64 within
        [-2000, 2000]; `x` is NaN, zero or 2**-16 <= abs(x) <= 4.  Where `scales_widely` holds, `n`
        may be any such float, an infinity or NaN, and `x` any number.
        AVX-512 has this as one instruction; elsewhere two products do it (see the CPU emitter).
        """
        ...

    def lt(self, a: V, b: V) -> V:
        """Compare floats a < b; false when either is NaN."""
        ...

    def le(self, a: V, b: V) -> V:
        """Compare floats a <= b; false when either is NaN."""
        ...

    def gt(self, a: V, b: V) -> V:
        """Compare floats a > b; false when either is NaN."""
        ...

    def ge(self, a: V, b: V) -> V:
        """Compare floats a >= b; false when either is NaN."""
        ...

    def eq(self, a: V, b: V) -> V:
        """Compare floats a == b; false when either is NaN."""
        ...

    def ne(self, a: V, b: V) -> V:
        """Compare floats a != b; true when either is NaN."""
        ...

    def isnan(self, a: V) -> V:
        """Return whether the float a is a NaN."""
        ...

    def select(self, condition: V, a: V, b: V) -> V:
        """Return a where the condition holds, else b; both are floats or both integers."""
        ...

    def larger(self, a: V, b: V) -> V:
        """Return a where a > b, else b, for numbers, or for two NaNs, but for 0 beside -0.

        So it does not matter which one an instruction takes where neither is larger.
        """
        ...

    def iadd(self, a: V, b: V) -> V:
        """Return the integer sum, wrapping."""
        ...

    def isub(self, a: V, b: V) -> V:
        """Return the integer difference, wrapping."""
        ...

    def ishl(self, a: V, count: int) -> V:
        """Shift an integer left by a static count in [0, width)."""
        ...

    def ishr(self, a: V, count: int) -> V:
        """Shift an integer right by a static count in [0, width), repeating the sign bit."""
        ...

    def iand(self, a: V, b: V) -> V:
        """Return the bitwise and of two integers."""
        ...

    def ior(self, a: V, b: V) -> V:
        """Return the bitwise or of two integers."""
        ...

    def bits(self, a: V) -> V:
        """Reinterpret a float as an integer."""
        ...

    def float_of(self, a: V) -> V:
        """Reinterpret an integer as a float."""
        ...

    def to_float(self, a: V) -> V:
        """Convert an integer of less than 2**31 in size to a float, rounded to nearest even."""
        ...

    def where_any(
        self, condition: V, state: Sequence[V], body: Callable[[Sequence[V]], Sequence[V]]
    ) -> tuple[V, ...]:
        """Return `body(state)` where the condition holds, and `state` elsewhere.

        Where it holds in no lane of a subgroup the body need not run.  The body works on nothing
        but the floats of `state` that it is given, and on constants.
        """
        ...

    def repeat(
        self, count: V, state: Sequence[V], body: Callable[[Sequence[V]], Sequence[V]]
    ) -> tuple[V, ...]:
        """Return the state after `count` rounds or more of `state = body(state)`.

        `count` is an integer, lane by lane; the body must keep a state that has seen its count.
        The body works on nothing but the floats of `state` that it is given, and on constants.
        """
        ...
