"""Element-wise functions of Machine IR as terms of TVM.

In: a function, carried operands of one type and one number of lanes.  Out: a carried term.  Decides
which kind of function it is, what booleans do, and when a narrow float is rounded.  Leaves the rest
to `integers`, `floats` and `library`; what none of them gives is refused by name.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.codegen.threads.spelling import NARROW
from certile.ir.dtypes import DType, bool_, u8
from certile.ir.functions import COMPARISONS, EXACT_IN_NARROW
from certile.tirx import tvm
from certile.tirx.conversions import Conversions
from certile.tirx.floats import Floats
from certile.tirx.integers import Integers
from certile.tirx.library import Library, unknown
from certile.tirx.numbers import Numbers
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


class Functions:
    """Element-wise functions for one target; `fast` allows its approximations."""

    def __init__(self, numbers: Numbers, conversions: Conversions, *, fast: bool) -> None:
        self._conversions = conversions
        self._target = numbers.target
        self._integers = Integers(numbers, conversions)
        self._floats = Floats(numbers, conversions, Library(numbers, fast=fast))

    def compute(self, fn: str, dtype: DType, args: Sequence[Term], *, plain: bool = False) -> Term:
        """`fn` of carried operands of type `dtype`; `plain` integers need not wrap."""
        if fn == "where":
            return tvm.select(*args)
        if dtype == bool_:
            return self._boolean(fn, args)
        if fn in COMPARISONS:
            return tvm.compare(fn, *args)
        if not dtype.is_float:
            found = self._integers.compute(fn, args, plain=plain)
            if found is None:
                raise unknown(fn, args[0].dtype, self._target)
            return found
        made = self._floats.compute(fn, dtype, args)
        if made.dtype.is_float and dtype.name in NARROW and fn not in EXACT_IN_NARROW:
            return self._conversions.rounded(made, dtype)
        return made

    def quotient(self, fn: str, a: Term, b: Term) -> Term:
        """`floordiv` or `mod` of integers of which neither is negative, and b is not 0."""
        return tvm.binary("div" if fn == "floordiv" else "mod", a, b)

    def _boolean(self, fn: str, args: Sequence[Term]) -> Term:
        if fn in COMPARISONS or fn == "bit_xor":
            a, b = (self._conversions.as_integer(arg, u8) for arg in args)
            return tvm.compare("ne" if fn == "bit_xor" else fn, a, b)
        if fn == "bit_not":
            return tvm.negated(args[0])
        if fn not in _LOGIC:
            raise unknown(fn, bool_, self._target)
        return tvm.logic("and" if _LOGIC[fn] == "and" else "or", *args)
