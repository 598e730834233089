"""Element-wise steps of random programs: every function of the table, on operands that suit it.

In: a pool.  Out: one more row.  Decides which function, and brings operands of floats to where the
function has a value of a moderate size; integers wrap as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from certile.ir.build import Builder
from certile.ir.dtypes import bool_, f32, i32, u32
from certile.ir.functions import COMPARISONS, FLOAT_TESTS
from certile.ir.tile import Tile
from certile.reference.generate.pool import Pool

Form = Callable[[Builder, Tile], Tile]

_FORMS: Mapping[str, Form] = {
    "any": lambda b, x: x,
    "low": lambda b, x: b.map("minimum", x, 2.0),
    "positive": lambda b, x: b.map("add", b.map("abs", x), 0.5),
    "unit": lambda b, x: b.map("tanh", x),
    # `fmax` takes the number where x is NaN: an exponent is a whole number.
    "whole": lambda b, x: b.map("fmax", b.map("trunc", b.map("mul", b.map("tanh", x), 4.0)), -4.0),
}

# The forms of the operands of each function of floats.
FLOAT_FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("neg", "abs", "sign", "floor", "ceil", "round", "trunc"), ("any",)),
    **dict.fromkeys(("tanh", "sigmoid", "erf", "erfc", "sin", "cos"), ("any",)),
    **dict.fromkeys(("exp", "exp2", "expm1"), ("low",)),
    **dict.fromkeys(("sqrt", "log", "log2", "log1p", "rsqrt", "recip"), ("positive",)),
    "tan": ("unit",),
    **dict.fromkeys(
        ("add", "sub", "maximum", "minimum", "fmax", "fmin", "logaddexp"), ("any", "any")
    ),
    **dict.fromkeys(("div", "floordiv", "mod", "fmod"), ("any", "positive")),
    "mul": ("any", "unit"),
    "pow": ("positive", "unit"),
    "scale2": ("any", "whole"),
    "fma": ("any", "unit", "any"),
}
# Drawn as often as all others together: what most kernels consist of.
_COMMON = ("add", "sub", "mul", "div", "maximum", "minimum", "exp", "sqrt", "sigmoid", "tanh")

INTEGER_FUNCTIONS: Mapping[str, int] = {
    **dict.fromkeys(("neg", "abs", "sign", "bit_not", "popcount", "ctz"), 1),
    **dict.fromkeys(("add", "sub", "mul", "maximum", "minimum", "floordiv", "mod"), 2),
    **dict.fromkeys(("bit_and", "bit_or", "bit_xor", "shl", "shr"), 2),
}
BOOL_FUNCTIONS: Mapping[str, int] = {
    "bit_not": 1,
    **dict.fromkeys(("bit_and", "bit_or", "bit_xor", "maximum", "minimum"), 2),
}


def step(pool: Pool) -> None:
    """Write one element-wise operation on the last row, with another, a scalar or a number."""
    left = pool.last
    number = pool.b.const(True if left.dtype == bool_ else 2, left.dtype)
    right = pool.one([*pool.wide, *pool.scalars, number])
    if left.dtype.is_float or right.dtype.is_float:
        made = _of_floats(pool, left, right)
    elif left.dtype == right.dtype == bool_:
        made = _of_truths(pool, left, right)
    else:
        made = _of_integers(pool, left, right)
    pool.wide.append(made)


def _of_floats(pool: Pool, left: Tile, right: Tile) -> Tile:
    b = pool.b
    match pool.random.randrange(12):
        case 0:
            compared = b.map(pool.one(sorted(COMPARISONS)), left, right)
            return b.map("where", compared, left, b.map("neg", right))
        case 1:
            tested = b.map(pool.one(sorted(FLOAT_TESTS)), b.cast(left, f32))
            return b.map("where", tested, b.map("minimum", right, 1.0), left)
        case 2:
            # To an integer and back: towards zero, within what an integer holds.
            small = b.map("mul", b.map("tanh", left), 9.0)
            return b.map("add", b.cast(b.cast(small, i32), f32), right)
        case _:
            names = _COMMON if pool.often(0.5) else tuple(FLOAT_FUNCTIONS)
            return _applied(b, pool.one(names), left, right)


def _applied(b: Builder, name: str, left: Tile, right: Tile) -> Tile:
    """A function of as many operands as it takes, each in its form."""
    forms = FLOAT_FUNCTIONS[name]
    if len(forms) == 1:
        floats = left if left.dtype.is_float else b.cast(left, f32)
        return b.map(name, _FORMS[forms[0]](b, floats))
    operands = (left, right, left)[: len(forms)]
    shaped = (_FORMS[form](b, operand) for form, operand in zip(forms, operands, strict=True))
    return b.map(name, *shaped)


def _of_integers(pool: Pool, left: Tile, right: Tile) -> Tile:
    b = pool.b
    left, right = (b.cast(at, i32) if at.dtype == bool_ else at for at in (left, right))
    match pool.random.randrange(10):
        case 0:
            compared = b.map(pool.one(sorted(COMPARISONS)), left, right)
            return b.map("where", compared, left, right)
        case 1:
            return b.cast(left, f32)
        case _:
            name = pool.one(tuple(INTEGER_FUNCTIONS))
            return b.map(name, *(left, right)[: INTEGER_FUNCTIONS[name]])


def _of_truths(pool: Pool, left: Tile, right: Tile) -> Tile:
    b = pool.b
    if pool.often(0.3):
        return b.map("where", left, 3, b.cast(right, i32))
    name = pool.one(tuple(BOOL_FUNCTIONS))
    return b.map(name, *(left, right)[: BOOL_FUNCTIONS[name]])


def sizes_by_bits(pool: Pool) -> None:
    """The absolute values of the first input, made by clearing the sign bit; f32 alone."""
    b = pool.b
    bits = b.map("bit_and", b.bitcast(pool.wide[0], u32), b.const(2**31 - 1, u32))
    pool.wide.append(b.map("add", b.bitcast(bits, f32), pool.last))
