"""Element-wise functions and conversions as MSL expressions.

In: a function, operand texts and types.  Out: an expression of the result's carried type, and the
helpers it uses.  Decides which function of the standard library serves which: those of `precise`
unless the kernel allows approximations.  Leaves statements to `emit`.
"""

from collections.abc import Sequence

from certile.codegen.metal.types import SPELLING, WIDE
from certile.codegen.threads.functions import INFIX, ThreadExpressions
from certile.codegen.threads.spelling import NARROW
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType

__all__ = ["MetalExpressions"]

# Exact everywhere, so the namespace does not matter.
_EXACT = {
    "floor": "floor",
    "ceil": "ceil",
    "round": "rint",
    "trunc": "trunc",
    "abs": "fabs",
    "fmax": "fmax",
    "fmin": "fmin",
    "fma": "fma",
}

# These exist as `precise` and as `fast`.
_LIBRARY = frozenset(
    {"exp", "exp2", "log", "log2", "sin", "cos", "tan", "tanh", "sqrt", "rsqrt", "pow", "fmod"}
)

_HELPERS = {
    "maximum": "max_nan",
    "minimum": "min_nan",
    "sign": "sign_float",
    "floordiv": "float_floordiv",
    "mod": "float_mod",
}

_INTEGER_HELPERS = {
    "floordiv": "floor_div",
    "mod": "floor_mod",
    "sign": "sign",
    "shl": "shift_left",
    "shr": "shift_right",
    "popcount": "popcount",
    "ctz": "ctz",
}

# No finite f32 needs more, and as an int it never overflows; a NaN becomes the low end.
_MOST_SCALE = 300.0


class MetalExpressions(ThreadExpressions):
    """Builds MSL expressions; `fast` takes the approximations of namespace `fast`."""

    def __init__(self, *, fast: bool = False) -> None:
        super().__init__(SPELLING, fast=fast)

    def test(self, fn: str, value: str) -> str:
        return f"{fn}({value})"

    def float_function(self, fn: str, dtype: DType, args: Sequence[str]) -> str:
        """A function of floats, before a narrow result is rounded.

        Raises:
            UnsupportedError: U311, for a function that MSL lacks and lowering left in.
        """
        if fn in INFIX:
            return f"{args[0]} {INFIX[fn]} {args[1]}"
        if fn == "neg":
            return f"-{args[0]}"
        if fn == "recip":
            return f"1.0f / {args[0]}"
        if fn == "scale2":
            return f"ldexp({args[0]}, (int)clamp({args[1]}, -{_MOST_SCALE}f, {_MOST_SCALE}f))"
        if fn in _HELPERS:
            return f"{self.helper(_HELPERS[fn])}({', '.join(args)})"
        if fn in _EXACT:
            return f"{_EXACT[fn]}({', '.join(args)})"
        if fn in _LIBRARY:
            return f"{'fast' if self.fast else 'precise'}::{fn}({', '.join(args)})"
        raise UnsupportedError(
            "U311",
            f"Metal has no function {fn}",
            hint="list it as not native in the target's sheet, and lowering expands it",
        )

    def integer_function(self, fn: str, dtype: DType, args: Sequence[str]) -> str:
        name = f"{_INTEGER_HELPERS[fn]}_{SPELLING.stored[dtype.name]}"
        return f"{self.helper(name)}({', '.join(args)})"

    def saturated(self, value: str, source: DType, target: DType) -> str:
        return f"{self.helper(f'saturate_{SPELLING.stored[target.name]}')}({value})"

    def to_round(self, value: str, source: DType) -> str:
        if source.is_float or source.bits < 32:
            return value if source.is_float else f"(float){value}"
        wide = "long" if source.is_signed else "ulong"
        widened = value if source.name in WIDE else f"({wide}){value}"
        return f"{self.helper(f'odd_float_{wide}')}({widened})"

    def rounded(self, value: str, dtype: DType) -> str:
        return f"(float){SPELLING.element(dtype)}({value})"

    def load(self, text: str, dtype: DType) -> str:
        if dtype.kind == "bool":
            return f"({text} != 0)"
        return f"float({text})" if dtype.name in NARROW else text

    def store(self, value: str, dtype: DType) -> str:
        plain = dtype.kind != "bool" and dtype.name not in NARROW
        return value if plain else f"{SPELLING.element(dtype)}({value})"

    def reinterpret(self, value: str, source: DType, target: DType) -> str:
        if "bool" in (source.kind, target.kind):
            return f"({SPELLING.carried(target)}){value}"
        text = f"as_type<{SPELLING.element(target)}>({self.store(value, source)})"
        return self.load(text, target)
