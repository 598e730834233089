"""Element-wise functions of floats as terms of TVM.

In: a function, carried operands of f32 or f64.  Out: a carried term.  Decides what a library leaves
open and Machine IR does not: NaN, the side of a remainder, results far from 1.  What a sheet calls
native is a function of the target's library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.ir.dtypes import DType, f32, f64, i32, i64
from certile.ir.functions import FLOAT_TESTS
from certile.tirx import tvm
from certile.tirx.conversions import Conversions
from certile.tirx.library import Library
from certile.tirx.numbers import Numbers
from certile.tirx.ordering import Ordered
from certile.tirx.tvm import Term

__all__ = ["Floats"]

# No finite f32 needs more, and as an int it never overflows.
_MOST_SCALE = 300.0


class Floats(Ordered):
    """Functions of floats for one target."""

    def __init__(self, numbers: Numbers, conversions: Conversions, library: Library) -> None:
        super().__init__(numbers, conversions)
        self._library = library

    def compute(self, fn: str, dtype: DType, args: Sequence[Term]) -> Term:
        """A function of f32 or f64; `dtype` is what a narrow result is rounded to later."""
        if fn in FLOAT_TESTS:
            return self._test(fn, args[0])
        if fn == "mul":
            return self._numbers.product(*args)
        if fn in ("add", "sub", "div"):
            return tvm.binary(fn, *args)
        made = _MADE.get(fn)
        if made is not None:
            return made(self, *args)
        return self._library.call(fn, dtype, args)

    def _test(self, fn: str, a: Term) -> Term:
        if fn == "isnan":
            return self._numbers.is_nan(a)
        infinite = self._numbers.like(float("inf"), a)
        size = self._keep(self._numbers.magnitude(a))
        return tvm.compare("eq" if fn == "isinf" else "lt", size, infinite)

    def _size(self, a: Term) -> Term:
        return self._numbers.magnitude(a)

    def _minus(self, a: Term) -> Term:
        return tvm.binary("sub", self._numbers.like(-0.0, a), a)

    def _reciprocal(self, a: Term) -> Term:
        return tvm.binary("div", self._numbers.like(1.0, a), a)

    def _maximum(self, a: Term, b: Term) -> Term:
        return tvm.select(self._numbers.is_nan(a), a, self._keep(self.greater(a, b)))

    def _minimum(self, a: Term, b: Term) -> Term:
        return tvm.select(self._numbers.is_nan(a), a, self._keep(self.less(a, b)))

    def _float_rest(self, a: Term, b: Term) -> Term:
        """Python's floor modulo: the exact remainder, moved to the divisor's side."""
        rest = self._keep(self._library.call("fmod", a.dtype, [a, b]))
        moved = self._keep(tvm.binary("add", rest, b))
        return tvm.select(self.wrong_side(rest, b), moved, rest)

    def _float_quotient(self, a: Term, b: Term) -> Term:
        """Python's floor division: from the exact remainder, for a / b may round up to a whole."""
        keep, numbers = self._keep, self._numbers
        rest = keep(self._library.call("fmod", a.dtype, [a, b]))
        near = keep(tvm.binary("div", keep(tvm.binary("sub", a, rest)), b))
        lower = keep(tvm.binary("sub", near, numbers.like(1.0, near)))
        near = keep(tvm.select(self.wrong_side(rest, b), lower, near))
        whole = keep(self._library.call("floor", a.dtype, [near]))
        above = keep(tvm.binary("sub", near, whole))
        far = tvm.compare("gt", above, numbers.like(0.5, above))
        next_ = keep(tvm.binary("add", whole, numbers.like(1.0, whole)))
        whole = keep(tvm.select(far, next_, whole))
        zero = tvm.compare("eq", b, numbers.like(0.0, b))
        return tvm.select(zero, keep(tvm.binary("div", a, b)), whole)

    def _inverse_root(self, a: Term) -> Term:
        if self._target == "metal":
            return self._library.call("rsqrt", a.dtype, [a])
        if self._target == "cuda" and a.dtype == f32:
            name = "rsqrtf" if self._library.fast else "__frsqrt_rn"
            return tvm.call("cuda", name, f32, [a])
        return self._reciprocal(self._keep(self._library.call("sqrt", a.dtype, [a])))

    def _logistic(self, a: Term) -> Term:
        """Through exp(-|x|), which never overflows, so that far left the small result is kept."""
        size = self._keep(self._numbers.magnitude(a))
        decayed = self._keep(self._library.call("exp", a.dtype, [self._keep(self._minus(size))]))
        one = self._numbers.like(1.0, a)
        negative = tvm.compare("lt", a, self._numbers.like(0.0, a))
        upper = self._keep(tvm.select(negative, decayed, one))
        return tvm.binary("div", upper, self._keep(tvm.binary("add", one, decayed)))

    def _log_of_sum(self, a: Term, b: Term) -> Term:
        """log(exp(a) + exp(b)) in f64."""
        keep, numbers = self._keep, self._numbers
        x, y = (keep(tvm.cast(each, f64)) for each in (a, b))
        high, low = keep(self.greater(x, y)), keep(self.less(x, y))
        decayed = keep(self._library.call("exp", f64, [keep(tvm.binary("sub", low, high))]))
        more = keep(self._library.call("log1p", f64, [decayed]))
        made = keep(tvm.binary("add", high, more))
        equal = keep(tvm.binary("add", x, numbers.like(0.6931471805599453, x)))
        made = keep(tvm.select(tvm.compare("eq", x, y), equal, made))
        lost = tvm.logic("or", numbers.is_nan(x), numbers.is_nan(y))
        made = tvm.select(lost, keep(tvm.binary("add", x, y)), made)
        return tvm.cast(keep(made), a.dtype)

    def _scaled(self, x: Term, n: Term) -> Term:
        """x * 2**n rounded once; on LLVM for 2**-16 <= |x| <= 4, 0 or NaN, and |n| <= 226."""
        numbers = self._numbers
        if self._target == "llvm":
            bias = 127.0 if x.dtype == f32 else 1023.0
            # The first factor keeps the product normal, hence exact; only the second one rounds.
            first = self._clamped(n, 24.0 - bias, bias)
            rest = self._keep(tvm.binary("sub", n, first))
            second = self._clamped(rest, 1.0 - bias, bias)
            near = self._keep(numbers.product(x, self._power(first)))
            return numbers.product(near, self._power(second))
        least, most = (numbers.like(end * _MOST_SCALE, n) for end in (-1.0, 1.0))
        if x.dtype == f64:
            least, most = (numbers.like(end * 4000.0, n) for end in (-1.0, 1.0))
        held = self._keep(tvm.select(tvm.compare("gt", n, least), n, least))
        held = self._keep(tvm.select(tvm.compare("lt", held, most), held, most))
        name = "ldexp" if self._target == "metal" or x.dtype == f64 else "ldexpf"
        return tvm.call(self._target, name, x.dtype, [x, tvm.cast(held, i32)])

    def _clamped(self, n: Term, low: float, high: float) -> Term:
        least = self._keep(tvm.intrinsic("llvm.maxnum", n, self._numbers.like(low, n)))
        return self._keep(tvm.intrinsic("llvm.minnum", least, self._numbers.like(high, n)))

    def _power(self, n: Term) -> Term:
        """2**n for an integer-valued n, where the result is normal."""
        word, shift, bias = (i32, 23, 127) if n.dtype == f32 else (i64, 52, 1023)
        number = tvm.cast(n, word)
        biased = tvm.binary("add", number, self._numbers.like(bias, number))
        bits = tvm.binary("shl", biased, self._numbers.like(shift, number))
        return self._keep(tvm.bits(self._keep(bits), n.dtype))


_MADE: dict[str, Callable[..., Term]] = {
    "neg": Floats._minus,
    "abs": Floats._size,
    "recip": Floats._reciprocal,
    "maximum": Floats._maximum,
    "minimum": Floats._minimum,
    "sign": Floats.sign,
    "floordiv": Floats._float_quotient,
    "mod": Floats._float_rest,
    "rsqrt": Floats._inverse_root,
    "sigmoid": Floats._logistic,
    "logaddexp": Floats._log_of_sum,
    "scale2": Floats._scaled,
}
