"""Functions that a kernel's text brings along, where MSL leaves a rule of Machine IR open.

In: the names a kernel uses.  Out: their text.  Decides how floors, NaN,
saturation, shifts, 64-bit exchanges and roundings of wide integers are computed.  A helper for
several types is one function a type, `<helper>_<type>`.
"""

from collections.abc import Iterable, Iterator

from certile.codegen.metal.types import SPELLING, WIDE
from certile.ir import dtypes
from certile.ir.dtypes import DType
from certile.ir.machine.fold import bounds

__all__ = ["HELPERS", "prelude"]

_FLOATS = {
    "max_nan": """static inline float max_nan(float a, float b) {
  return (a > b || isnan(a)) ? a : b;
}""",
    "min_nan": """static inline float min_nan(float a, float b) {
  return (a < b || isnan(a)) ? a : b;
}""",
    "sign_float": """static inline float sign_float(float x) {
  return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x;
}""",
    "float_mod": """static inline float float_mod(float a, float b) {
  float rest = precise::fmod(a, b);
  if (rest == 0.0f) return copysign(0.0f, b);
  return (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}""",
    "float_floordiv": """static inline float float_floordiv(float a, float b) {
  if (b == 0.0f) return a / b;
  float rest = precise::fmod(a, b);
  float quotient = (a - rest) / b;
  if (rest != 0.0f && (rest < 0.0f) != (b < 0.0f)) quotient = quotient - 1.0f;
  float whole = floor(quotient);
  return quotient - whole > 0.5f ? whole + 1.0f : whole;
}""",
}

# The extrema of a SIMD group give way to numbers; here a NaN anywhere is the result.
_LANES = {
    f"lanes_{name}": f"""static inline float lanes_{name}(float value) {{
  float extremum = {call}(value);
  bool poisoned = simd_any(isnan(value));
  return poisoned ? NAN : extremum;
}}"""
    for name, call in (("maximum", "simd_max"), ("minimum", "simd_min"))
}


def _exchanges(kind: str) -> Iterator[tuple[str, str]]:
    """64 bits go from lane to lane as two halves."""
    yield (
        f"other_{kind}",
        f"""static inline {kind} other_{kind}({kind} value, ushort mask) {{
  return as_type<{kind}>(simd_shuffle_xor(as_type<uint2>(value), mask));
}}""",
    )
    yield (
        f"below_{kind}",
        f"""static inline {kind} below_{kind}({kind} value, ushort distance) {{
  return as_type<{kind}>(simd_shuffle_up(as_type<uint2>(value), distance));
}}""",
    )
    yield (
        f"lane_{kind}",
        f"""static inline {kind} lane_{kind}({kind} value, ushort lane) {{
  return as_type<{kind}>(simd_broadcast(as_type<uint2>(value), lane));
}}""",
    )


def _rounding(kind: str) -> str:
    """To f32, rounded to odd: so it rounds on to f16 and bf16 as the exact integer would.

    At least ten bits stay, which is bf16 and two; above 2**24 f16 is infinite.
    """
    magnitude = "value < 0L ? ~value : value" if kind == "long" else "value"
    return f"""static inline float odd_float_{kind}({kind} value) {{
  ulong magnitude = (ulong)({magnitude});
  int dropped = magnitude < 0x1000000UL ? 0
              : magnitude < 0x4000000000UL ? 14
              : magnitude < 0x10000000000000UL ? 28 : 40;
  {kind} high = value >> dropped;
  bool inexact = ({kind})((ulong)high << dropped) != value;
  return ldexp((float)(high | ({kind})inexact), dropped);
}}"""


def _division(kind: str, unsigned: str, *, signed: bool) -> Iterator[tuple[str, str]]:
    """Floored quotients and remainders; a divisor of 0 gives 0, and -1 never overflows."""
    if not signed:
        for name, sign in (("floor_div", "/"), ("floor_mod", "%")):
            yield (
                f"{name}_{kind}",
                f"""static inline {kind} {name}_{kind}({kind} a, {kind} b) {{
  return b == 0 ? ({kind})0 : ({kind})(a {sign} b);
}}""",
            )
        return
    yield (
        f"floor_div_{kind}",
        f"""static inline {kind} floor_div_{kind}({kind} a, {kind} b) {{
  if (b == 0) return ({kind})0;
  if (b == -1) return ({kind})(0U - ({unsigned})a);
  {kind} quotient = ({kind})(a / b);
  return ({kind})(quotient - ({kind})(a % b != 0 && (a < 0) != (b < 0)));
}}""",
    )
    yield (
        f"floor_mod_{kind}",
        f"""static inline {kind} floor_mod_{kind}({kind} a, {kind} b) {{
  if (b == 0 || b == -1) return ({kind})0;
  {kind} rest = ({kind})(a % b);
  return ({kind})((rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest);
}}""",
    )


def _shifts(kind: str, unsigned: str, bits: int, *, signed: bool) -> Iterator[tuple[str, str]]:
    """Shifts by any count: past the width nothing but the sign is left."""
    inside = f"({unsigned})count < {bits}"
    yield (
        f"shift_left_{kind}",
        f"""static inline {kind} shift_left_{kind}({kind} a, {kind} count) {{
  return {inside} ? ({kind})(({unsigned})a << ({unsigned})count) : ({kind})0;
}}""",
    )
    beyond = f"({kind})(a < 0 ? -1 : 0)" if signed else f"({kind})0"
    yield (
        f"shift_right_{kind}",
        f"""static inline {kind} shift_right_{kind}({kind} a, {kind} count) {{
  return {inside} ? ({kind})(a >> ({unsigned})count) : {beyond};
}}""",
    )


def _counts(kind: str, bits: int) -> Iterator[tuple[str, str]]:
    """Bit counts of at most 32 bits at once; no bit set counts as the width."""
    if bits == 64:
        popcount = "popcount((uint)value) + popcount((uint)((ulong)value >> 32))"
        ctz = "(uint)value != 0U ? ctz((uint)value) : 32U + ctz((uint)((ulong)value >> 32))"
    else:
        unsigned = SPELLING.unsigned[bits]
        popcount = f"popcount((uint)({unsigned})value)"
        ctz = f"value == 0 ? {bits}U : ctz((uint)({unsigned})value)"
    for name, text in (("popcount", popcount), ("ctz", ctz)):
        yield (
            f"{name}_{kind}",
            f"""static inline {kind} {name}_{kind}({kind} value) {{
  return ({kind})({text});
}}""",
        )


def _saturation(dtype: DType) -> str:
    kind = SPELLING.stored[dtype.name]
    low, high = bounds(dtype)
    least = SPELLING.literal(low, dtype)
    most = SPELLING.literal(high, dtype)
    return f"""static inline {kind} saturate_{kind}(float x) {{
  if (isnan(x)) return ({kind})0;
  return x < {float(low)!r}f ? {least} : x >= {float(high + 1)!r}f ? {most} : ({kind})x;
}}"""


def _integers(dtype: DType) -> Iterator[tuple[str, str]]:
    kind, signed = SPELLING.stored[dtype.name], dtype.is_signed
    unsigned = SPELLING.unsigned[dtype.bits]
    yield (
        f"sign_{kind}",
        f"""static inline {kind} sign_{kind}({kind} x) {{
  return ({kind})((x > 0) - (x < 0));
}}""",
    )
    yield from _division(kind, unsigned, signed=signed)
    yield from _shifts(kind, unsigned, dtype.bits, signed=signed)
    yield from _counts(kind, dtype.bits)
    yield f"saturate_{kind}", _saturation(dtype)
    if dtype.name in WIDE:
        yield f"odd_float_{kind}", _rounding(kind)
        yield from _exchanges(kind)


HELPERS: dict[str, str] = {
    **_FLOATS,
    **_LANES,
    **{name: text for dtype in dtypes.ALL if dtype.is_integer for name, text in _integers(dtype)},
}


def prelude(used: Iterable[str]) -> str:
    """The text of the helpers named, in one fixed order."""
    wanted = frozenset(used)
    return "".join(f"{text}\n\n" for name, text in HELPERS.items() if name in wanted)
