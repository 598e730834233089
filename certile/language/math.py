"""The element-wise functions of the language.

In: tiles and numbers inside a kernel.  Out: tiles.  Decides names and signatures.  Leaves dtypes
and accuracy to the table `certile.ir.functions`.

f16 and bf16 are computed in f32 and rounded once a function.  Functions of real numbers take
integers as f32.  The functions that name a reduction law may be passed to `ct.reduce`.
"""

from __future__ import annotations

from certile.language.active import call
from certile.language.integers import integer_or_none
from certile.language.values import Element, Tile


def _map(function: str, *operands: Element) -> Tile:
    made: Tile = call("elementwise", function, *operands)
    return made


def neg(x: Element) -> Tile:
    """-x."""
    return _map("neg", x)


def abs(x: Element) -> Tile:  # noqa: A001 - NumPy's name
    """The absolute value."""
    return _map("abs", x)


def sign(x: Element) -> Tile:
    """-1, 0 or 1 by the sign; NaN stays NaN."""
    return _map("sign", x)


def floor(x: Element) -> Tile:
    """The greatest integer that is not above x."""
    return _map("floor", x)


def ceil(x: Element) -> Tile:
    """The least integer that is not below x."""
    return _map("ceil", x)


def round(x: Element) -> Tile:  # noqa: A001 - NumPy's name
    """The nearest integer, half to even."""
    return _map("round", x)


def trunc(x: Element) -> Tile:
    """x without its fraction."""
    return _map("trunc", x)


def sqrt(x: Element) -> Tile:
    """The square root, correctly rounded."""
    return _map("sqrt", x)


def rsqrt(x: Element) -> Tile:
    """1 / sqrt(x)."""
    return _map("rsqrt", x)


def recip(x: Element) -> Tile:
    """1 / x."""
    return _map("recip", x)


def exp(x: Element) -> Tile:
    """e to the power x."""
    return _map("exp", x)


def exp2(x: Element) -> Tile:
    """2 to the power x."""
    return _map("exp2", x)


def expm1(x: Element) -> Tile:
    """exp(x) - 1, exact near 0."""
    return _map("expm1", x)


def log(x: Element) -> Tile:
    """The natural logarithm."""
    return _map("log", x)


def log2(x: Element) -> Tile:
    """The logarithm to base 2."""
    return _map("log2", x)


def log1p(x: Element) -> Tile:
    """log(1 + x), exact near 0."""
    return _map("log1p", x)


def sin(x: Element) -> Tile:
    """The sine."""
    return _map("sin", x)


def cos(x: Element) -> Tile:
    """The cosine."""
    return _map("cos", x)


def tan(x: Element) -> Tile:
    """The tangent."""
    return _map("tan", x)


def tanh(x: Element) -> Tile:
    """The hyperbolic tangent."""
    return _map("tanh", x)


def sigmoid(x: Element) -> Tile:
    """1 / (1 + exp(-x))."""
    return _map("sigmoid", x)


def erf(x: Element) -> Tile:
    """The error function."""
    return _map("erf", x)


def erfc(x: Element) -> Tile:
    """1 - erf(x), exact for large x."""
    return _map("erfc", x)


def isnan(x: Element) -> Tile:
    """Whether x is NaN."""
    return _map("isnan", x)


def isinf(x: Element) -> Tile:
    """Whether x is infinite."""
    return _map("isinf", x)


def isfinite(x: Element) -> Tile:
    """Whether x is neither infinite nor NaN."""
    return _map("isfinite", x)


def bit_not(x: Element) -> Tile:
    """The complement of the bits; of a bool, its negation."""
    return _map("bit_not", x)


def popcount(x: Element) -> Tile:
    """How many bits are set."""
    return _map("popcount", x)


def add(x: Element, y: Element) -> Tile:
    """x + y.  As a law: the sum."""
    return _map("add", x, y)


def mul(x: Element, y: Element) -> Tile:
    """x · y.  As a law: the product."""
    return _map("mul", x, y)


def maximum(x: Element, y: Element) -> Tile:
    """The greater value; NaN if either is NaN.  As a law: the greatest."""
    return _map("maximum", x, y)


def minimum(x: Element, y: Element) -> Tile:
    """The lesser value; NaN if either is NaN.  As a law: the least."""
    return _map("minimum", x, y)


def fmax(x: Element, y: Element) -> Tile:
    """The greater value; a NaN is ignored beside a number."""
    return _map("fmax", x, y)


def fmin(x: Element, y: Element) -> Tile:
    """The lesser value; a NaN is ignored beside a number."""
    return _map("fmin", x, y)


def pow(x: Element, y: Element) -> Tile:  # noqa: A001 - NumPy's name
    """x to the power y."""
    return _map("pow", x, y)


def fmod(x: Element, y: Element) -> Tile:
    """The remainder with the sign of x, as in C."""
    return _map("fmod", x, y)


def logaddexp(x: Element, y: Element) -> Tile:
    """log(exp(x) + exp(y)), without overflow."""
    return _map("logaddexp", x, y)


def bit_and(x: Element, y: Element) -> Tile:
    """The bits set in both."""
    return _map("bit_and", x, y)


def bit_or(x: Element, y: Element) -> Tile:
    """The bits set in either."""
    return _map("bit_or", x, y)


def bit_xor(x: Element, y: Element) -> Tile:
    """The bits set in one of the two."""
    return _map("bit_xor", x, y)


def shl(x: Element, y: Element) -> Tile:
    """x shifted left by y bits; 0 past the width."""
    return _map("shl", x, y)


def shr(x: Element, y: Element) -> Tile:
    """x shifted right by y bits, keeping its sign; 0 or -1 past the width."""
    return _map("shr", x, y)


def clamp(x: Element, low: Element, high: Element) -> Tile:
    """x held between `low` and `high`; NaN stays NaN."""
    return _map("minimum", _map("maximum", x, low), high)


def fma(x: Element, y: Element, z: Element) -> Tile:
    """x · y + z, rounded once."""
    return _map("fma", x, y, z)


def where(condition: Element, x: Element, y: Element) -> Tile:
    """x where the condition holds, else y."""
    return _map("where", condition, x, y)


def cast(x: Element, dtype: object) -> Tile:
    """x as another dtype: floats truncate to integers and saturate, NaN gives 0."""
    made: Tile = call("cast", x, dtype)
    return made


def bitcast(x: Element, dtype: object) -> Tile:
    """The bits of x read as another dtype of the same width."""
    made: Tile = call("bitcast", x, dtype)
    return made


def unpack(tile: Tile, position: Element, *, bits: int = 4, signed: bool = True) -> Tile:
    """Return the integer of `bits` bits (1, 2 or 4) that stands at a position of each byte.

    `tile` is u8 or i8; position 0 is the lowest bits.  The result is i8, or u8 when not `signed`.
    A position that comes from data and that no byte has gives 0.
    """
    made: Tile = call("unpack", tile, position, bits=bits, signed=signed)
    return made


def pack(*parts: Tile, bits: int = 4) -> Tile:
    """Return bytes (u8) that hold one integer of each of 8 / `bits` tiles, the first lowest.

    Of each integer the lowest `bits` bits are kept.
    """
    made: Tile = call("pack", *parts, bits=bits)
    return made


def cdiv(x: Element, y: Element) -> Tile | int:
    """The quotient x / y rounded up, of integers; of two Python integers or extents an int."""
    numbers = _whole(x), _whole(y)
    if numbers[0] is not None and numbers[1] is not None:
        return -(-numbers[0] // numbers[1])
    quotient, rest = _map("floordiv", x, y), _map("mod", x, y)
    return quotient + _map("ne", rest, 0)


def _whole(x: object) -> int | None:
    """The integer that stands at compile time; an extent takes the number of the call."""
    return None if isinstance(x, Tile) else int(x) if isinstance(x, bool) else integer_or_none(x)
