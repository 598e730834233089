"""What integers and floats compute alike from comparisons, as terms of TVM.

In: carried operands of one type.  Out: a carried term.  Decides nothing that a type decides.
"""

from __future__ import annotations

from certile.ir.dtypes import u8
from certile.tirx import tvm
from certile.tirx.conversions import Conversions
from certile.tirx.numbers import Numbers
from certile.tirx.tvm import Term

__all__ = ["Ordered"]


class Ordered:
    """Functions that only compare, for one target."""

    def __init__(self, numbers: Numbers, conversions: Conversions) -> None:
        self._numbers = numbers
        self._conversions = conversions
        self._target = numbers.target
        self._keep = numbers.keep

    def sign(self, a: Term) -> Term:
        """-1, 0 or 1; NaN and zeros of floats stay."""
        zero, one = self._numbers.like(0, a), self._numbers.like(1, a)
        below = a if a.dtype.is_float else zero
        if a.dtype.is_signed:
            minus = self._numbers.like(-1, a)
            below = tvm.select(tvm.compare("lt", a, zero), minus, below)
        return tvm.select(tvm.compare("gt", a, zero), one, self._keep(below))

    def greater(self, a: Term, b: Term) -> Term:
        """The greater one; b where an operand is NaN."""
        return tvm.select(tvm.compare("gt", a, b), a, b)

    def less(self, a: Term, b: Term) -> Term:
        """The lesser one; b where an operand is NaN."""
        return tvm.select(tvm.compare("lt", a, b), a, b)

    def wrong_side(self, rest: Term, divisor: Term) -> Term:
        """Whether a truncated remainder has the other sign than the divisor (and is not 0)."""
        zero = self._numbers.like(0, rest)
        signs = [
            self._conversions.as_integer(tvm.compare("lt", each, zero), u8)
            for each in (rest, divisor)
        ]
        some = tvm.compare("ne", rest, zero)
        return tvm.logic("and", some, tvm.compare("ne", *signs))
