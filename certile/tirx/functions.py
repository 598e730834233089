"""Element-wise functions of Machine IR as terms of TVM.

In: a function, carried operands of one type and one number of lanes.  Out: a carried term.  Decides
what C and LLVM leave open and Machine IR does not: wrapping sums, floors, shifts past the width,
NaN.  What a sheet calls native is a function of the target's library, from the closed list; the
others were expanded by lowering.  Refuses by name what neither gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.codegen.threads.spelling import NARROW
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType, bool_, f32, f64, i32, i64, u8, u32
from certile.ir.functions import COMPARISONS, EXACT_IN_NARROW, FLOAT_TESTS
from certile.tirx import tvm
from certile.tirx.conversions import Conversions
from certile.tirx.externs import EXTERNS
from certile.tirx.numbers import Numbers, unsigned
from certile.tirx.tvm import Term

__all__ = ["Functions"]

_LOGIC = {
    "bit_and": "and",
    "minimum": "and",
    "fmin": "and",
    "bit_or": "or",
    "maximum": "or",
    "fmax": "or",
}
_LLVM = {
    "floor": "llvm.floor",
    "ceil": "llvm.ceil",
    "trunc": "llvm.trunc",
    "round": "llvm.roundeven",
    "sqrt": "llvm.sqrt",
    "fma": "llvm.fma",
    "fmax": "llvm.maxnum",
    "fmin": "llvm.minnum",
}
# Of these the float version of CUDA is too far off, or there is none.
_THROUGH_DOUBLE = frozenset({"tan", "erfc", "pow"})
_FAST_CUDA = {
    "exp": "__expf",
    "exp2": "exp2f",
    "log": "__logf",
    "log2": "__log2f",
    "sin": "__sinf",
    "cos": "__cosf",
    "rsqrt": "rsqrtf",
}
# No finite f32 needs more, and as an int it never overflows.
_MOST_SCALE = 300.0


class Functions:
    """Element-wise functions for one target; `fast` allows its approximations."""

    def __init__(self, numbers: Numbers, conversions: Conversions, *, fast: bool) -> None:
        self._numbers = numbers
        self._conversions = conversions
        self._target = numbers.target
        self._keep = numbers.keep
        self._fast = fast

    def compute(self, fn: str, dtype: DType, args: Sequence[Term], *, plain: bool = False) -> Term:
        """`fn` of carried operands of type `dtype`; `plain` integers need not wrap."""
        if fn == "where":
            return tvm.select(*args)
        if dtype == bool_:
            return self._boolean(fn, args)
        if fn in COMPARISONS:
            return tvm.compare(fn, *args)
        if not dtype.is_float:
            return self._integer(fn, args, plain=plain)
        made = self._float(fn, dtype, args)
        if made.dtype.is_float and dtype.name in NARROW and fn not in EXACT_IN_NARROW:
            return self._conversions.rounded(made, dtype)
        return made

    def _refused(self, fn: str, dtype: DType) -> UnsupportedError:
        message = f"there is no {fn} of {dtype} for {self._target} through TIRx"
        return UnsupportedError("U321", message)

    def _boolean(self, fn: str, args: Sequence[Term]) -> Term:
        if fn in COMPARISONS or fn == "bit_xor":
            a, b = (self._conversions.as_integer(arg, u8) for arg in args)
            return tvm.compare("ne" if fn == "bit_xor" else fn, a, b)
        if fn == "bit_not":
            return tvm.negated(args[0])
        if fn not in _LOGIC:
            raise self._refused(fn, bool_)
        return tvm.logic("and" if _LOGIC[fn] == "and" else "or", *args)

    # Integers.

    def _integer(self, fn: str, args: Sequence[Term], *, plain: bool) -> Term:
        if fn in ("add", "sub", "mul"):
            return tvm.binary(fn, *args) if plain else self._numbers.wrapping(fn, *args)
        if fn in ("bit_and", "bit_or", "bit_xor"):
            return tvm.binary(fn, *args)
        if fn in ("floor", "ceil", "round", "trunc"):
            return args[0]
        made = _INTEGERS.get(fn)
        if made is None:
            raise self._refused(fn, args[0].dtype)
        return made(self, *args)

    def _negated(self, a: Term) -> Term:
        return self._numbers.wrapping("sub", self._numbers.like(0, a), a)

    def _absolute(self, a: Term) -> Term:
        if a.dtype.kind == "uint":
            return a
        negative = tvm.compare("lt", a, self._numbers.like(0, a))
        return tvm.select(negative, self._keep(self._negated(a)), a)

    def _sign(self, a: Term) -> Term:
        zero, one = self._numbers.like(0, a), self._numbers.like(1, a)
        below = a if a.dtype.is_float else zero
        if a.dtype.is_signed:
            minus = self._numbers.like(-1, a)
            below = tvm.select(tvm.compare("lt", a, zero), minus, below)
        return tvm.select(tvm.compare("gt", a, zero), one, self._keep(below))

    def _greater(self, a: Term, b: Term) -> Term:
        return tvm.select(tvm.compare("gt", a, b), a, b)

    def _less(self, a: Term, b: Term) -> Term:
        return tvm.select(tvm.compare("lt", a, b), a, b)

    def _complement(self, a: Term) -> Term:
        ones = (1 << a.dtype.bits) - 1 if a.dtype.kind == "uint" else -1
        return tvm.binary("bit_xor", a, self._numbers.like(ones, a))

    def _wide(self, a: Term) -> Term:
        """The bits of an integer, zeros above, as an unsigned one of at least 32 bits."""
        narrow = tvm.cast(a, unsigned(a.dtype))
        return self._keep(tvm.cast(narrow, u32) if a.dtype.bits < 32 else narrow)

    def _population(self, wide: Term) -> Term:
        """The bits that are set in an unsigned integer of 32 or 64 bits."""
        if self._target == "llvm":
            return tvm.intrinsic("llvm.ctpop", wide)
        if self._target == "cuda":
            name = "__popcll" if wide.dtype.bits == 64 else "__popc"
            return tvm.cast(tvm.call("cuda", name, i32, [wide]), wide.dtype)
        halves = [wide]
        if wide.dtype.bits == 64:
            upper = tvm.binary("shr", wide, self._numbers.like(32, wide))
            halves = [tvm.cast(half, u32) for half in (wide, upper)]
        counts = [self._keep(tvm.call("metal", "popcount", u32, [half])) for half in halves]
        total = counts[0] if len(counts) == 1 else tvm.binary("add", *counts)
        return tvm.cast(total, wide.dtype)

    def _popcount(self, a: Term) -> Term:
        return tvm.cast(self._population(self._wide(a)), a.dtype)

    def _trailing(self, a: Term) -> Term:
        """Zeros below the lowest bit that is set: the ones of ~x & (x - 1); 0 counts its width."""
        wide = self._wide(a)
        if a.dtype.bits < 32:
            end = self._numbers.like(1 << a.dtype.bits, wide)
            wide = self._keep(tvm.binary("bit_or", wide, end))
        lower = tvm.binary("sub", wide, self._numbers.like(1, wide))
        ones = self._keep(tvm.binary("bit_and", self._complement(wide), lower))
        return tvm.cast(self._population(ones), a.dtype)

    def _left(self, a: Term, count: Term) -> Term:
        inside, count = self._in_width(a, count)
        shifted = tvm.binary("shl", self._wide(a), count)
        made = self._keep(tvm.cast(shifted, a.dtype))
        return tvm.select(inside, made, self._numbers.like(0, a))

    def _right(self, a: Term, count: Term) -> Term:
        if a.dtype.kind == "uint":
            inside, count = self._in_width(a, count)
            made = tvm.cast(tvm.binary("shr", self._wide(a), count), a.dtype)
            return tvm.select(inside, self._keep(made), self._numbers.like(0, a))
        # Past the width nothing but the sign is left.
        wide = i64 if a.dtype.bits == 64 else i32
        inside, _ = self._in_width(a, count)
        last = self._numbers.number(a.dtype.bits - 1, wide, a.lanes)
        moved = tvm.select(inside, tvm.cast(count, wide), last)
        made = tvm.binary("shr", self._keep(tvm.cast(a, wide)), self._keep(moved))
        return tvm.cast(made, a.dtype)

    def _in_width(self, a: Term, count: Term) -> tuple[Term, Term]:
        """Whether a shift leaves anything, and a count that is defined in any case."""
        wide = self._wide(count)
        inside = self._keep(tvm.compare("lt", wide, self._numbers.like(a.dtype.bits, wide)))
        return inside, self._keep(tvm.select(inside, wide, self._numbers.like(0, wide)))

    def quotient(self, fn: str, a: Term, b: Term) -> Term:
        """`floordiv` or `mod` of integers of which neither is negative, and b is not 0."""
        return tvm.binary("div" if fn == "floordiv" else "mod", a, b)

    def _divided(self, a: Term, b: Term) -> tuple[Term, Term, Term]:
        """Quotient and remainder of a safe division, and whether the divisor is 0.

        A divisor of 0, and the least integer over -1, would trap: both divide by 1 instead, which
        gives what two's complement gives for the second.
        """
        numbers, keep = self._numbers, self._keep
        zero = keep(tvm.compare("eq", b, numbers.like(0, b)))
        bad = zero
        if a.dtype.is_signed:
            least = numbers.like(-(1 << (a.dtype.bits - 1)), a)
            edge = tvm.compare("eq", a, least)
            minus = tvm.compare("eq", b, numbers.like(-1, b))
            bad = tvm.logic("or", zero, tvm.logic("and", edge, minus))
        safe = keep(tvm.select(bad, numbers.like(1, b), b))
        quotient = keep(tvm.binary("div", a, safe))
        rest = keep(tvm.binary("mod", a, safe))
        return quotient, rest, zero

    def _wrong_side(self, rest: Term, divisor: Term) -> Term:
        """Whether a truncated remainder has the other sign than the divisor (and is not 0)."""
        zero = self._numbers.like(0, rest)
        signs = [
            self._conversions.as_integer(tvm.compare("lt", each, zero), u8)
            for each in (rest, divisor)
        ]
        some = tvm.compare("ne", rest, zero)
        return tvm.logic("and", some, tvm.compare("ne", *signs))

    def _floor_quotient(self, a: Term, b: Term) -> Term:
        quotient, rest, zero = self._divided(a, b)
        if a.dtype.is_signed:
            lower = self._numbers.wrapping("sub", quotient, self._numbers.like(1, quotient))
            wrong = self._wrong_side(rest, b)
            quotient = self._keep(tvm.select(wrong, self._keep(lower), quotient))
        return tvm.select(zero, self._numbers.like(0, a), quotient)

    def _floor_rest(self, a: Term, b: Term) -> Term:
        _, rest, zero = self._divided(a, b)
        if a.dtype.is_signed:
            moved = self._keep(self._numbers.wrapping("add", rest, b))
            rest = self._keep(tvm.select(self._wrong_side(rest, b), moved, rest))
        return tvm.select(zero, self._numbers.like(0, a), rest)

    # Floats.

    def _float(self, fn: str, dtype: DType, args: Sequence[Term]) -> Term:
        """A function of f32 or f64; `dtype` is what a narrow result is rounded to later."""
        if fn in FLOAT_TESTS:
            return self._test(fn, args[0])
        if fn == "mul":
            return self._numbers.product(*args)
        if fn in ("add", "sub", "div"):
            return tvm.binary(fn, *args)
        made = _FLOATS.get(fn)
        if made is not None:
            return made(self, *args)
        return self._library(fn, dtype, args)

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
        return tvm.select(self._numbers.is_nan(a), a, self._keep(self._greater(a, b)))

    def _minimum(self, a: Term, b: Term) -> Term:
        return tvm.select(self._numbers.is_nan(a), a, self._keep(self._less(a, b)))

    def _float_rest(self, a: Term, b: Term) -> Term:
        """Python's floor modulo: the exact remainder, moved to the divisor's side."""
        rest = self._keep(self._library("fmod", a.dtype, [a, b]))
        moved = self._keep(tvm.binary("add", rest, b))
        return tvm.select(self._wrong_side(rest, b), moved, rest)

    def _float_quotient(self, a: Term, b: Term) -> Term:
        """Python's floor division: from the exact remainder, for a / b may round up to a whole."""
        keep, numbers = self._keep, self._numbers
        rest = keep(self._library("fmod", a.dtype, [a, b]))
        near = keep(tvm.binary("div", keep(tvm.binary("sub", a, rest)), b))
        lower = keep(tvm.binary("sub", near, numbers.like(1.0, near)))
        near = keep(tvm.select(self._wrong_side(rest, b), lower, near))
        whole = keep(self._library("floor", a.dtype, [near]))
        above = keep(tvm.binary("sub", near, whole))
        far = tvm.compare("gt", above, numbers.like(0.5, above))
        next_ = keep(tvm.binary("add", whole, numbers.like(1.0, whole)))
        whole = keep(tvm.select(far, next_, whole))
        zero = tvm.compare("eq", b, numbers.like(0.0, b))
        return tvm.select(zero, keep(tvm.binary("div", a, b)), whole)

    def _inverse_root(self, a: Term) -> Term:
        if self._target == "metal":
            return self._library("rsqrt", a.dtype, [a])
        if self._target == "cuda" and a.dtype == f32:
            name = "rsqrtf" if self._fast else "__frsqrt_rn"
            return tvm.call("cuda", name, f32, [a])
        return self._reciprocal(self._keep(self._library("sqrt", a.dtype, [a])))

    def _logistic(self, a: Term) -> Term:
        """Through exp(-|x|), which never overflows, so that far left the small result is kept."""
        size = self._keep(self._numbers.magnitude(a))
        decayed = self._keep(self._library("exp", a.dtype, [self._keep(self._minus(size))]))
        one = self._numbers.like(1.0, a)
        negative = tvm.compare("lt", a, self._numbers.like(0.0, a))
        upper = self._keep(tvm.select(negative, decayed, one))
        return tvm.binary("div", upper, self._keep(tvm.binary("add", one, decayed)))

    def _log_of_sum(self, a: Term, b: Term) -> Term:
        """log(exp(a) + exp(b)) in f64."""
        keep, numbers = self._keep, self._numbers
        x, y = (keep(tvm.cast(each, f64)) for each in (a, b))
        high, low = keep(self._greater(x, y)), keep(self._less(x, y))
        decayed = keep(self._library("exp", f64, [keep(tvm.binary("sub", low, high))]))
        more = keep(self._library("log1p", f64, [decayed]))
        made = keep(tvm.binary("add", high, more))
        equal = keep(tvm.binary("add", x, numbers.like(0.6931471805599453, x)))
        made = keep(tvm.select(tvm.compare("eq", x, y), equal, made))
        lost = tvm.logic("or", numbers.is_nan(x), numbers.is_nan(y))
        made = tvm.select(lost, keep(tvm.binary("add", x, y)), made)
        return tvm.cast(keep(made), a.dtype)

    # Powers of two.

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

    # Functions of a library.

    def _library(self, fn: str, dtype: DType, args: Sequence[Term]) -> Term:
        kind = args[0].dtype
        if self._target == "llvm":
            if fn in _LLVM:
                return tvm.intrinsic(_LLVM[fn], *args)
            if fn == "fmod":
                return self._each_lane("fmodf" if kind == f32 else "fmod", args)
            raise self._refused(fn, dtype)
        if self._target == "cuda" and fn in _THROUGH_DOUBLE and kind == f32:
            wide = [self._keep(tvm.cast(arg, f64)) for arg in args]
            return tvm.cast(self._keep(tvm.call("cuda", fn, f64, wide)), f32)
        name = self._metal(fn) if self._target == "metal" else self._cuda(fn, kind)
        known = EXTERNS[self._target].get(name)
        if known is None or known.arity != len(args):
            raise self._refused(fn, dtype)
        return tvm.call(self._target, name, kind, args)

    def _metal(self, fn: str) -> str:
        plain = {"round": "rint", "abs": "fabs"}.get(fn, fn)
        if plain in EXTERNS["metal"]:
            return plain
        return f"{'fast' if self._fast else 'precise'}::{fn}"

    def _cuda(self, fn: str, kind: DType) -> str:
        if self._fast and kind == f32 and fn in _FAST_CUDA:
            return _FAST_CUDA[fn]
        plain = {"round": "rint", "abs": "fabs"}.get(fn, fn)
        return plain if kind == f64 else f"{plain}f"

    def _each_lane(self, name: str, args: Sequence[Term]) -> Term:
        """A function of the C library, lane by lane."""
        first = args[0]
        if first.lanes == 1:
            return tvm.call("llvm", name, first.dtype, args)
        made = []
        for lane in range(first.lanes):
            scalars = [self._keep(tvm.lanes_of(arg, [lane])) for arg in args]
            made.append(self._keep(tvm.call("llvm", name, first.dtype, scalars)))
        return tvm.shuffled(made, range(first.lanes))


_Made = Callable[..., Term]

_INTEGERS: dict[str, _Made] = {
    "neg": Functions._negated,
    "abs": Functions._absolute,
    "sign": Functions._sign,
    "maximum": Functions._greater,
    "fmax": Functions._greater,
    "minimum": Functions._less,
    "fmin": Functions._less,
    "bit_not": Functions._complement,
    "popcount": Functions._popcount,
    "ctz": Functions._trailing,
    "shl": Functions._left,
    "shr": Functions._right,
    "floordiv": Functions._floor_quotient,
    "mod": Functions._floor_rest,
}

_FLOATS: dict[str, _Made] = {
    "neg": Functions._minus,
    "abs": Functions._size,
    "recip": Functions._reciprocal,
    "maximum": Functions._maximum,
    "minimum": Functions._minimum,
    "sign": Functions._sign,
    "floordiv": Functions._float_quotient,
    "mod": Functions._float_rest,
    "rsqrt": Functions._inverse_root,
    "sigmoid": Functions._logistic,
    "logaddexp": Functions._log_of_sum,
    "scale2": Functions._scaled,
}
