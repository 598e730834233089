"""Element-wise functions of integers as terms of TVM.

In: a function, carried operands of one integer type.  Out: a carried term.  Decides what C and LLVM
leave open and Machine IR does not: wrapping sums, shifts past the width, divisions that would trap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.ir.dtypes import i32, i64, u32
from certile.tirx import tvm
from certile.tirx.numbers import unsigned
from certile.tirx.ordering import Ordered
from certile.tirx.tvm import Term

__all__ = ["Integers"]


class Integers(Ordered):
    """Functions of integers for one target."""

    def compute(self, fn: str, args: Sequence[Term], *, plain: bool) -> Term | None:
        """`fn` of integers, None where there is none; `plain` ones need not wrap."""
        if fn in ("add", "sub", "mul"):
            return tvm.binary(fn, *args) if plain else self._numbers.wrapping(fn, *args)
        if fn in ("bit_and", "bit_or", "bit_xor"):
            return tvm.binary(fn, *args)
        if fn in ("floor", "ceil", "round", "trunc"):
            return args[0]
        made = _MADE.get(fn)
        return None if made is None else made(self, *args)

    def _negated(self, a: Term) -> Term:
        return self._numbers.wrapping("sub", self._numbers.like(0, a), a)

    def _absolute(self, a: Term) -> Term:
        if a.dtype.kind == "uint":
            return a
        negative = tvm.compare("lt", a, self._numbers.like(0, a))
        return tvm.select(negative, self._keep(self._negated(a)), a)

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

    def _floor_quotient(self, a: Term, b: Term) -> Term:
        quotient, rest, zero = self._divided(a, b)
        if a.dtype.is_signed:
            lower = self._numbers.wrapping("sub", quotient, self._numbers.like(1, quotient))
            wrong = self.wrong_side(rest, b)
            quotient = self._keep(tvm.select(wrong, self._keep(lower), quotient))
        return tvm.select(zero, self._numbers.like(0, a), quotient)

    def _floor_rest(self, a: Term, b: Term) -> Term:
        _, rest, zero = self._divided(a, b)
        if a.dtype.is_signed:
            moved = self._keep(self._numbers.wrapping("add", rest, b))
            rest = self._keep(tvm.select(self.wrong_side(rest, b), moved, rest))
        return tvm.select(zero, self._numbers.like(0, a), rest)


_MADE: dict[str, Callable[..., Term]] = {
    "neg": Integers._negated,
    "abs": Integers._absolute,
    "sign": Integers.sign,
    "maximum": Integers.greater,
    "fmax": Integers.greater,
    "minimum": Integers.less,
    "fmin": Integers.less,
    "bit_not": Integers._complement,
    "popcount": Integers._popcount,
    "ctz": Integers._trailing,
    "shl": Integers._left,
    "shr": Integers._right,
    "floordiv": Integers._floor_quotient,
    "mod": Integers._floor_rest,
}
