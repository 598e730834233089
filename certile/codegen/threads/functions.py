"""Element-wise functions and conversions as expressions of a C-like language.

In: a function, operand texts (each binds like an identifier) and types.  Out: an expression of the
result's carried type, and the names of the helpers it uses.  Decides what C leaves open and Machine
IR does not: wrapping sums, floors, shifts past the width, saturation, rounding of narrow floats.
Leaves to a target the names of its own functions and the text of its helpers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from certile.codegen.threads.spelling import NARROW, Spelling
from certile.diagnostics import InternalError
from certile.ir.dtypes import DType
from certile.ir.functions import EXACT_IN_NARROW, FLOAT_TESTS

__all__ = ["INFIX", "ThreadExpressions"]

INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "bit_and": "&",
    "bit_or": "|",
    "bit_xor": "^",
}
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class ThreadExpressions(ABC):
    """Builds expressions and remembers the helpers they need.  `fast` allows approximations."""

    def __init__(self, spelling: Spelling, *, fast: bool = False) -> None:
        self.spelling = spelling
        self.fast = fast
        self.helpers: set[str] = set()

    def helper(self, name: str) -> str:
        """Note that the prelude must hold `name`, and return it."""
        self.helpers.add(name)
        return name

    def compute(self, fn: str, dtype: DType, args: Sequence[str], *, plain: bool = False) -> str:
        """`fn` of carried operands of type `dtype` (of `where`: of its branches).

        `plain` integers need not wrap.
        """
        if fn == "where":
            return f"{args[0]} ? {args[1]} : {args[2]}"
        if fn in _COMPARE:
            return f"{args[0]} {_COMPARE[fn]} {args[1]}"
        if not dtype.is_float:
            return self._integer(fn, dtype, args, plain=plain)
        if fn in FLOAT_TESTS:
            return self.test(fn, args[0])
        value = self.float_function(fn, dtype, args)
        if dtype.name in NARROW and fn not in EXACT_IN_NARROW:
            return self.rounded(value, dtype)
        return value

    def convert(self, value: str, source: DType, target: DType) -> str:
        """A carried value as the carried form of another type."""
        if target.kind == "bool":
            return f"{value} != {'0' if not source.is_float else '0.0f'}"
        if not target.is_float and source.is_float:
            return self.saturated(value, source, target)
        if target.name not in NARROW:
            return f"({self.spelling.carried(target)}){value}"
        return self.rounded(self.to_round(value, source), target)

    # What a target spells.

    @abstractmethod
    def test(self, fn: str, value: str) -> str:
        """One of isnan, isinf, isfinite."""

    @abstractmethod
    def float_function(self, fn: str, dtype: DType, args: Sequence[str]) -> str:
        """A function of floats, before a narrow result is rounded."""

    @abstractmethod
    def integer_function(self, fn: str, dtype: DType, args: Sequence[str]) -> str:
        """One of floordiv, mod, sign, shl, shr, popcount, ctz."""

    @abstractmethod
    def saturated(self, value: str, source: DType, target: DType) -> str:
        """A float as the nearest integer towards zero that the target type holds; NaN as 0."""

    @abstractmethod
    def to_round(self, value: str, source: DType) -> str:
        """A value as an f32 that rounds to a narrow type as the value itself does."""

    @abstractmethod
    def rounded(self, value: str, dtype: DType) -> str:
        """An f32 rounded to a narrow type, carried."""

    @abstractmethod
    def load(self, text: str, dtype: DType) -> str:
        """An element in memory as a carried value; binds like an identifier if `text` does."""

    @abstractmethod
    def store(self, value: str, dtype: DType) -> str:
        """A carried value as an element in memory."""

    @abstractmethod
    def reinterpret(self, value: str, source: DType, target: DType) -> str:
        """The bits of a carried value as another type's carried value."""

    # Integers.

    def _integer(self, fn: str, dtype: DType, args: Sequence[str], *, plain: bool) -> str:
        if dtype.kind == "bool":
            return _logic(fn, args)
        kind, unsigned = self.spelling.stored[dtype.name], self.spelling.unsigned[dtype.bits]
        if fn in ("add", "sub", "mul") and plain:
            return f"{args[0]} {INFIX[fn]} {args[1]}"
        if fn in ("add", "sub", "mul"):
            # Signed overflow is undefined in C and wraps here; 16-bit products are computed as int
            # and would overflow it.
            wide = unsigned if dtype.bits >= 32 else self.spelling.unsigned[32]
            return f"({kind})(({wide}){args[0]} {INFIX[fn]} ({wide}){args[1]})"
        if fn in INFIX:
            return f"({kind})({args[0]} {INFIX[fn]} {args[1]})"
        simple = _INTEGERS.get(fn)
        if simple is not None:
            return simple(kind, unsigned, args)
        return self.integer_function(fn, dtype, args)


def _logic(fn: str, args: Sequence[str]) -> str:
    match fn:
        case "bit_not":
            return f"!{args[0]}"
        case "bit_xor":
            return f"{args[0]} != {args[1]}"
        case "bit_or" | "maximum" | "fmax":
            return f"{args[0]} | {args[1]}"
        case "bit_and" | "minimum" | "fmin":
            return f"{args[0]} & {args[1]}"
        case _:
            raise InternalError("M002", f"{fn} is not defined for bool")


_Simple = Callable[[str, str, Sequence[str]], str]


def _choose(order: str) -> _Simple:
    return lambda kind, unsigned, args: f"{args[0]} {order} {args[1]} ? {args[0]} : {args[1]}"


def _same(kind: str, unsigned: str, args: Sequence[str]) -> str:
    return args[0]


def _negate(kind: str, unsigned: str, args: Sequence[str]) -> str:
    return f"({kind})(0U - ({unsigned}){args[0]})"


def _absolute(kind: str, unsigned: str, args: Sequence[str]) -> str:
    return f"{args[0]} < 0 ? {_negate(kind, unsigned, args)} : {args[0]}"


_INTEGERS: dict[str, _Simple] = {
    "neg": _negate,
    "abs": _absolute,
    "floor": _same,
    "ceil": _same,
    "round": _same,
    "trunc": _same,
    "maximum": _choose(">"),
    "fmax": _choose(">"),
    "minimum": _choose("<"),
    "fmin": _choose("<"),
    "bit_not": lambda kind, unsigned, args: f"({kind})~{args[0]}",
}
