"""Element-wise functions and conversions as CUDA C++ expressions.

In: a function, operand texts and types.  Out: an expression of the result's carried type, and the
helpers it uses.  Decides which device function serves which function: a precise kernel takes those
within the table's two units in the last place (through double where CUDA's own float version is
not), a fast one the hardware's approximations.  Leaves statements to `emit`.
"""

from collections.abc import Sequence

from certile.codegen.cuda.types import SPELLING
from certile.codegen.threads.functions import INFIX, ThreadExpressions
from certile.codegen.threads.spelling import NARROW
from certile.ir.dtypes import DType
from certile.ir.machine.fold import bounds

__all__ = ["FAST", "Expressions"]

# Name of the float function; double's is the same without the final f unless given.
_PRECISE = {
    "floor": "floorf",
    "ceil": "ceilf",
    "round": "rintf",
    "trunc": "truncf",
    "sqrt": "sqrtf",
    "abs": "fabsf",
    "fmax": "fmaxf",
    "fmin": "fminf",
    "fma": "fmaf",
    "fmod": "fmodf",
    "exp": "expf",
    "exp2": "exp2f",
    "expm1": "expm1f",
    "log": "logf",
    "log2": "log2f",
    "log1p": "log1pf",
    "tanh": "tanhf",
    "erf": "erff",
    "sin": "sinf",
    "cos": "cosf",
}

# What a fast kernel takes for a function of f32.
FAST = {
    "exp": "__expf",
    "exp2": "exp2f",
    "log": "__logf",
    "log2": "__log2f",
    "sin": "__sinf",
    "cos": "__cosf",
    "rsqrt": "rsqrtf",
}

# The float versions of these are off by more than two units in the last place.
_THROUGH_DOUBLE = {"erfc": "erfc", "tan": "tan", "pow": "pow", "logaddexp": "logaddexp"}

_HELPER_FUNCTIONS = {
    "maximum": "max_nan",
    "minimum": "min_nan",
    "sign": "sign_of",
    "floordiv": "float_floordiv",
    "mod": "float_mod",
    "sigmoid": "sigmoid",
}

_INTEGER_HELPERS = {"floordiv": "floor_div", "mod": "floor_mod", "sign": "sign_of"}

_INFINITY = "__uint_as_float(0x7f800000U)"
_TESTS = {
    "isnan": "({0} != {0})",
    "isinf": f"(fabs({{0}}) == {_INFINITY})",
    "isfinite": f"(fabs({{0}}) < {_INFINITY})",
}

_BITS_OF = {"f32": "__float_as_int", "f64": "__double_as_longlong"}
_OF_BITS = {"f32": "__int_as_float", "f64": "__longlong_as_double"}


class Expressions(ThreadExpressions):
    """Builds CUDA C++ expressions; `fast` allows the hardware's approximations."""

    def __init__(self, *, fast: bool = False) -> None:
        super().__init__(SPELLING, fast=fast)

    def test(self, fn: str, value: str) -> str:
        return _TESTS[fn].format(value)

    def float_function(self, fn: str, dtype: DType, args: Sequence[str]) -> str:
        double = dtype.name == "f64"
        if fn in INFIX:
            return f"{args[0]} {INFIX[fn]} {args[1]}"
        if fn == "neg":
            return f"-{args[0]}"
        if fn == "recip":
            return f"{'1.0' if double else '1.0f'} / {args[0]}"
        if fn == "scale2":
            exponent = "__double2int_rn" if double else "__float2int_rn"
            return f"{'ldexp' if double else 'ldexpf'}({args[0]}, {exponent}({args[1]}))"
        if self.fast and not double and fn in FAST:
            return f"{FAST[fn]}({args[0]})"
        if fn == "rsqrt":
            return f"1.0 / sqrt({args[0]})" if double else f"__frsqrt_rn({args[0]})"
        if fn in _HELPER_FUNCTIONS:
            return f"{self.helper(_HELPER_FUNCTIONS[fn])}({', '.join(args)})"
        if fn in _THROUGH_DOUBLE:
            return self._through_double(fn, args, double=double)
        return f"{_PRECISE[fn].removesuffix('f') if double else _PRECISE[fn]}({', '.join(args)})"

    def _through_double(self, fn: str, args: Sequence[str], *, double: bool) -> str:
        name = _THROUGH_DOUBLE[fn]
        if name in ("logaddexp",):
            self.helper(name)
        if double:
            return f"{name}({', '.join(args)})"
        return f"(float){name}({', '.join(f'(double){arg}' for arg in args)})"

    def integer_function(self, fn: str, dtype: DType, args: Sequence[str]) -> str:
        kind, unsigned = SPELLING.stored[dtype.name], SPELLING.unsigned[dtype.bits]
        if fn in _INTEGER_HELPERS:
            return f"{self.helper(_INTEGER_HELPERS[fn])}<{kind}>({', '.join(args)})"
        if fn in ("popcount", "ctz"):
            return _count(fn, args[0], dtype)
        name = {"shl": "shift_left", "shr": "shift_right"}[fn]
        return f"{self.helper(name)}<{kind}, {unsigned}>({', '.join(args)})"

    def to_round(self, value: str, source: DType) -> str:
        if source.is_float and source.name != "f64":
            return value
        if not source.is_float and source.bits < 32:
            return f"(float){value}"
        wide = value if source.is_float else f"(double){value}"
        if not source.is_float and source.bits == 64:
            wide = f"{self.helper(f'{source.name}_to_odd_f64')}({value})"
        return f"{self.helper('f64_to_odd_f32')}({wide})"

    def rounded(self, value: str, dtype: DType) -> str:
        return f"{self.helper(f'{dtype.name}_round')}({value})"

    def saturated(self, value: str, source: DType, target: DType) -> str:
        kind = SPELLING.stored[target.name]
        low, high = bounds(target)
        if target.bits > 32 or source.name == "f64":
            least = f"(-{high}LL - 1)" if target.kind == "int" else "0"
            limits = f"{float(low)!r}, {float(high + 1)!r}, ({kind}){least}, ({kind}){high}ULL"
            return f"{self.helper('saturate')}<{kind}>((double){value}, {limits})"
        # One instruction, which saturates to 32 bits and gives 0 for NaN.
        if target.bits == 32:
            return f"__float2{'int' if target.kind == 'int' else 'uint'}_rz({value})"
        return f"({kind})min(max(__float2int_rz({value}), {low}), {high})"

    def load(self, text: str, dtype: DType) -> str:
        if dtype.kind == "bool":
            return f"({text} != 0)"
        return f"{self.helper(f'{dtype.name}_load')}({text})" if dtype.name in NARROW else text

    def store(self, value: str, dtype: DType) -> str:
        if dtype.kind == "bool":
            return f"({SPELLING.element(dtype)}){value}"
        return f"{self.helper(f'{dtype.name}_store')}({value})" if dtype.name in NARROW else value

    def reinterpret(self, value: str, source: DType, target: DType) -> str:
        bits = _BITS_OF.get(source.name)
        if source.name in NARROW:
            value = self.store(value, source)
        elif bits is not None:
            value = f"{bits}({value})"
        if target.name in NARROW:
            return self.load(f"(unsigned short){value}", target)
        of_bits = _OF_BITS.get(target.name)
        return f"{of_bits}({value})" if of_bits else f"({SPELLING.carried(target)}){value}"


def _count(name: str, value: str, dtype: DType) -> str:
    """Bit counts of the value as unsigned; `__ffs` is 0 for 0, which is no bit below the width."""
    kind, wide = SPELLING.stored[dtype.name], "ll" if dtype.bits == 64 else ""
    bits = f"({SPELLING.unsigned[dtype.bits]}){value}"
    if name == "popcount":
        return f"({kind})__popc{wide}({bits})"
    return f"({kind})({value} == 0 ? {dtype.bits} : __ffs{wide}({bits}) - 1)"
