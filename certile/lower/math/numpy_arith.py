"""NumPy's implementation of `Arith`: what the expansions mean, bit for bit.

In: arrays of one float type, of the integers as wide, and of bool.  Out: the same.  Decides:
nothing; it follows the protocol to the letter, so that tests and the reference interpreter compare
targets against it.  Leaves to others: speed.  Callers pass blocks of some ten thousand elements,
which stay in cache.

NumPy has no fused multiply-add; that of `certile.reference.fused` serves.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from certile.lower.math.arith import F32, Format
from certile.reference.fused import fma_f32, fma_f64

# A float, integer or bool array: the protocol has one type for the three, and so has this alias.
Value: TypeAlias = npt.NDArray[Any]


class NumpyArith:
    """`Arith` over NumPy arrays; run it under `np.errstate(all="ignore")`.

    `scales_widely` makes expansions choose as they do for a target of which that holds.
    """

    def __init__(self, form: Format = F32, *, scales_widely: bool = False) -> None:
        self._format = form
        self._scales_widely = scales_widely
        self._float = np.dtype(f"f{form.bits // 8}").type
        self._integer = np.dtype(f"i{form.bits // 8}").type

    @property
    def format(self) -> Format:
        """The format of the floats."""
        return self._format

    @property
    def scales_widely(self) -> bool:
        """Whether an expansion may leave any exponent to `scale2`, which takes all of them."""
        return self._scales_widely

    def const(self, value: float) -> Value:
        """Make a float constant; a value that the format does not hold is a fault of the expansion.

        Raises:
            ValueError: when `value` would have to be rounded.
        """
        constant = self._float(value)
        if float(constant) != value and value == value:
            raise ValueError(f"{value!r} is not a {constant.dtype}")
        return np.asarray(constant)

    def iconst(self, value: int) -> Value:
        """Make an integer constant."""
        return np.asarray(self._integer(value))

    def add(self, a: Value, b: Value) -> Value:
        """Return a + b."""
        return np.asarray(np.add(a, b))

    def sub(self, a: Value, b: Value) -> Value:
        """Return a - b."""
        return np.asarray(np.subtract(a, b))

    def mul(self, a: Value, b: Value) -> Value:
        """Return a * b."""
        return np.asarray(np.multiply(a, b))

    def div(self, a: Value, b: Value) -> Value:
        """Return a / b."""
        return np.asarray(np.divide(a, b))

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """Return a * b + c with one rounding."""
        return fma_f32(a, b, c) if self._format is F32 else fma_f64(a, b, c)

    def neg(self, a: Value) -> Value:
        """Flip the sign bit."""
        return np.asarray(np.negative(a))

    def abs(self, a: Value) -> Value:
        """Clear the sign bit."""
        return np.asarray(np.abs(a))

    def sqrt(self, a: Value) -> Value:
        """Return the square root."""
        return np.asarray(np.sqrt(a))

    def floor(self, a: Value) -> Value:
        """Return the largest integer that is not above a."""
        return np.asarray(np.floor(a))

    def scale2(self, x: Value, n: Value) -> Value:
        """Return x * 2**n with one rounding; of f32 the product is exact in f64."""
        # Beyond these the product is 0 or infinity whatever x is.
        exponent = np.clip(np.where(np.isnan(n), 0, n), -9999, 9999).astype(np.int32)
        scaled = np.ldexp(x.astype(np.float64), exponent)
        return np.asarray(np.where(np.isnan(n), np.nan, scaled).astype(self._float))

    def lt(self, a: Value, b: Value) -> Value:
        """Compare a < b."""
        return np.asarray(a < b)

    def le(self, a: Value, b: Value) -> Value:
        """Compare a <= b."""
        return np.asarray(a <= b)

    def gt(self, a: Value, b: Value) -> Value:
        """Compare a > b."""
        return np.asarray(a > b)

    def ge(self, a: Value, b: Value) -> Value:
        """Compare a >= b."""
        return np.asarray(a >= b)

    def eq(self, a: Value, b: Value) -> Value:
        """Compare a == b."""
        return np.asarray(a == b)

    def ne(self, a: Value, b: Value) -> Value:
        """Compare a != b."""
        return np.asarray(a != b)

    def isnan(self, a: Value) -> Value:
        """Return where a is NaN."""
        return np.asarray(np.isnan(a))

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        """Return a where the condition holds, else b."""
        return np.asarray(np.where(condition, a, b))

    def larger(self, a: Value, b: Value) -> Value:
        """Return a where a > b, else b."""
        return np.asarray(np.where(a > b, a, b))

    def iadd(self, a: Value, b: Value) -> Value:
        """Return the integer sum, wrapping."""
        return np.asarray(np.add(a, b))

    def isub(self, a: Value, b: Value) -> Value:
        """Return the integer difference, wrapping."""
        return np.asarray(np.subtract(a, b))

    def ishl(self, a: Value, count: int) -> Value:
        """Shift left."""
        return np.asarray(np.left_shift(a, self._integer(count)))

    def ishr(self, a: Value, count: int) -> Value:
        """Shift right, repeating the sign bit."""
        return np.asarray(np.right_shift(a, self._integer(count)))

    def iand(self, a: Value, b: Value) -> Value:
        """Return the bitwise and."""
        return np.asarray(np.bitwise_and(a, b))

    def ior(self, a: Value, b: Value) -> Value:
        """Return the bitwise or."""
        return np.asarray(np.bitwise_or(a, b))

    def bits(self, a: Value) -> Value:
        """Reinterpret a float as an integer."""
        return a.view(self._integer)

    def float_of(self, a: Value) -> Value:
        """Reinterpret an integer as a float."""
        return a.view(self._float)

    def to_float(self, a: Value) -> Value:
        """Convert an integer to a float."""
        return a.astype(self._float)

    def where_any(
        self,
        condition: Value,
        state: Sequence[Value],
        body: Callable[[Sequence[Value]], Sequence[Value]],
    ) -> tuple[Value, ...]:
        """Return `body(state)` where the condition holds, and `state` elsewhere."""
        if not condition.any():
            return tuple(state)
        made = body(state)
        return tuple(self.select(condition, a, b) for a, b in zip(made, state, strict=True))

    def repeat(
        self,
        count: Value,
        state: Sequence[Value],
        body: Callable[[Sequence[Value]], Sequence[Value]],
    ) -> tuple[Value, ...]:
        """Return the state after as many rounds as the largest count."""
        for _ in range(int(count.max(initial=0))):
            state = body(state)
        return tuple(state)
