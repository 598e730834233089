"""The element-wise functions: one table that every stage reads.

A function is named once, here, with its arity, how its result type follows from its operands, and
how exact it is.  `ulp` is None for functions that are bit-exact on every target (arithmetic in the
operand type, comparisons, selections, conversions); otherwise it is what kernels may rely on under
precise math: the bound, in units in the last place of the result type, of any precise target.
A target may do better.  The expansions of `certile.lower.math` do, and state their own bounds
there; where a target's library cannot keep the promise its sheet says so.  f16 and bf16 operands
of an inexact function are widened to f32, and the result is rounded once.
"""

from __future__ import annotations

from typing import Literal

from certile.ir.dtypes import DType, bool_, f32
from certile.records import record

Rule = Literal["same", "float", "bool", "select", "integer"]


@record
class Function:
    """One element-wise function.

    `rule` gives the result type: `same` as the (already promoted) operands; `float`: the operands'
    type, or f32 for integers and bool; `bool`; `select`: the type of operands 1 and 2; `integer`:
    same, and the operands must be integers or bool.  `expensive` marks transcendental functions,
    which the expensive-only materialisation keeps.
    """

    name: str
    arity: int
    rule: Rule
    ulp: float | None = None
    expensive: bool = False

    def result(self, operands: tuple[DType, ...]) -> DType:
        """The result type for operands that are already promoted to one type."""
        match self.rule:
            case "bool":
                return bool_
            case "select":
                return operands[1]
            case "float":
                return operands[0] if operands[0].is_float else f32
            case _:
                return operands[0]


def _table(*functions: Function) -> dict[str, Function]:
    return {function.name: function for function in functions}


def _exact(rule: Rule, arity: int, names: str) -> list[Function]:
    return [Function(name, arity, rule) for name in names.split()]


def _inexact(names: str, ulp: float, arity: int = 1) -> list[Function]:
    return [Function(name, arity, "float", ulp, expensive=True) for name in names.split()]


COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
# What tells special values of a float apart.
FLOAT_TESTS = frozenset({"isnan", "isinf", "isfinite"})
# What works on bools as on the numbers 0 and 1 in i32: arithmetic counts, comparisons order them.
COUNTS_BOOLS = frozenset(
    {"neg", "abs", "sign", "add", "sub", "mul", "floordiv", "mod"}
    | {"shl", "shr", "popcount"}
    | {"lt", "le", "gt", "ge"}
)
# What works on bools without counting them.
LOGICAL = (
    COMPARISONS
    | {"maximum", "minimum", "fmax", "fmin", "where"}
    | {"bit_and", "bit_or", "bit_xor", "bit_not"}
)
# What leaves every integer as it is.
IDENTITY_ON_INTEGERS = frozenset({"floor", "ceil", "round", "trunc"})
# What the tests of floats answer for every integer.
TESTS_OF_INTEGERS = {"isnan": False, "isinf": False, "isfinite": True}
# Whose results f16 or bf16 hold exactly when they hold the operands.
EXACT_IN_NARROW = frozenset(
    {"neg", "abs", "maximum", "minimum", "fmax", "fmin", "sign"} | IDENTITY_ON_INTEGERS
)

# `div` is true division; `floordiv` and `mod` floor as Python's do; integers divided by 0 give 0,
# floats what IEEE division gives.
# `maximum minimum` propagate NaN; `fmax fmin` ignore it.  `round` is half to even.  `shl shr` past
# the width give 0 (shr of a negative: -1).  `scale2(x, n)` is x * 2**n rounded once, n an
# integer-valued float; a sheet says whether its target takes any n (`Sheet.scales_widely`).
# `logaddexp` cancels where its result is near 0: its units are those of the larger of the result
# and log 2.
FUNCTIONS: dict[str, Function] = _table(
    *_exact("same", 1, "neg abs sign floor ceil round trunc"),
    *_exact("same", 2, "add sub mul floordiv mod maximum minimum fmax fmin"),
    *_exact("float", 2, "div scale2"),
    *_exact("float", 1, "sqrt"),
    *_exact("float", 3, "fma"),
    *_exact("bool", 2, "eq ne lt le gt ge"),
    *_exact("bool", 1, "isnan isinf isfinite"),
    *_exact("select", 3, "where"),
    *_exact("integer", 2, "bit_and bit_or bit_xor shl shr"),
    *_exact("integer", 1, "bit_not popcount ctz"),
    *_inexact("exp exp2 expm1 log log2 log1p tanh sigmoid erf erfc rsqrt recip", 2.0),
    *_inexact("sin cos tan", 2.0),
    *_inexact("pow fmod logaddexp", 2.0, arity=2),
)
