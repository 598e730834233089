"""Every float32 through an expansion, in C.

In: the expansions.  Out: a shared library with, for each of them, the largest distance from the
libm's f64 function over a range of bit patterns.  Decides: nothing; the operations are spelled as
C, compiled without contraction.  NumPy would take hours for what this does in minutes.
"""

import ctypes
import struct
import subprocess
from pathlib import Path

from certile.lower.math import EXPANSIONS

TYPES = {"f": "float", "i": "int32_t", "c": "_Bool"}
FREE_NAMES = {"sigmoid": "1 / (1 + exp(-x))", "recip": "1 / x", "rsqrt": "1 / sqrt(x)"}

PROLOGUE = """
#include <math.h>
#include <stdint.h>
#include <string.h>
static inline int32_t bits(float x) { int32_t i; memcpy(&i, &x, 4); return i; }
static inline float float_of(uint32_t i) { float x; memcpy(&x, &i, 4); return x; }
// Two factors of about 2**(n/2): the first product is exact, so only the second one rounds.
static inline float scale2(float x, float n) {
  int32_t whole = (int32_t)n, half = whole >> 1;
  float first = float_of((uint32_t)(half + 127) << 23);
  return x * first * float_of((uint32_t)(whole - half + 127) << 23);
}
"""

# `wrong` counts results whose kind (NaN, infinity, sign) is not that of the value.
FUNCTION = """
static inline float expansion_{name}(float x) {{
{body}
  return {result};
}}
double sweep_{name}(uint64_t low, uint64_t high, float *where, uint64_t *wrong) {{
  double worst = 0;
  for (uint64_t block = low; block < high; block += 4096) {{
    float y[4096];
    for (int i = 0; i < 4096; i++) y[i] = expansion_{name}(float_of((uint32_t)(block + i)));
    for (int i = 0; i < 4096; i++) {{
      double x = float_of((uint32_t)(block + i)), truth = {oracle};
      int bad = isnan(truth) != isnan(y[i]);
      if (!isnan(truth)) bad |= !signbit(truth) != !signbit(y[i]);
      if (isinf(truth)) bad |= !isinf(y[i]);
      if (isinf(y[i])) bad |= fabs(truth) < 3.4028234663852886e38;
      if (bad) {{ *wrong += 1; *where = (float)x; }}
      if (bad || !isfinite(truth) || isinf(y[i])) continue;
      int exponent;
      frexp(truth, &exponent);
      double ulp = fabs(y[i] - truth) / ldexp(1, (exponent < -125 ? -126 : exponent - 1) - 23);
      if (ulp > worst) {{ worst = ulp; if (!*wrong) *where = (float)x; }}
    }}
  }}
  return worst;
}}
"""

BINARY = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "lt": "{} < {}",
    "le": "{} <= {}",
    "gt": "{} > {}",
    "ge": "{} >= {}",
    "eq": "{} == {}",
    "ne": "{} != {}",
    "iadd": "(int32_t)((uint32_t){} + (uint32_t){})",
    "isub": "(int32_t)((uint32_t){} - (uint32_t){})",
    "iand": "{} & {}",
    "ior": "{} | {}",
    "ishl": "(int32_t)((uint32_t){} << {})",
    "ishr": "{} >> {}",
    "neg": "-{}",
    "abs": "fabsf({})",
    "sqrt": "sqrtf({})",
    "scale2": "scale2({}, {})",
    "floor": "floorf({})",
    "fma": "fmaf({}, {}, {})",
    "isnan": "isnan({})",
    "bits": "bits({})",
    "float_of": "float_of((uint32_t){})",
    "to_float": "(float){}",
}
RESULT = {
    **dict.fromkeys(("lt", "le", "gt", "ge", "eq", "ne", "isnan"), "c"),
    **dict.fromkeys(("iadd", "isub", "iand", "ior", "ishl", "ishr", "bits"), "i"),
}


class CArith:
    """`Arith[str]`: each value is the name of a C variable, whose first letter is its type."""

    def __init__(self):
        self.lines = []

    def _define(self, kind, expression):
        name = f"{kind}{len(self.lines)}"
        self.lines.append(f"  const {TYPES[kind]} {name} = {expression};")
        return name

    def __getattr__(self, name):
        template = BINARY[name]
        return lambda *args: self._define(RESULT.get(name, "f"), template.format(*args))

    def const(self, value):
        (pattern,) = struct.unpack("<I", struct.pack("<f", value))
        return self._define("f", f"float_of({pattern}u)")

    def iconst(self, value):
        return self._define("i", f"(int32_t){value}LL")

    def select(self, condition, a, b):
        return self._define(a[0], f"{condition} ? {a} : {b}")


def source():
    """The C text that sweeps every expansion."""
    parts = [PROLOGUE]
    for name, expansion in EXPANSIONS.items():
        builder = CArith()
        result = expansion(builder, builder._define("f", "x"))
        oracle = FREE_NAMES.get(name, f"{name}(x)")
        body = "\n".join(builder.lines)
        parts.append(FUNCTION.format(name=name, body=body, result=result, oracle=oracle))
    return "".join(parts)


def build(compiler, folder: Path):
    """Compile the sweeps into a library in `folder` and load it."""
    text, library = folder / "sweep.c", folder / "sweep.so"
    text.write_text(source())
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
    subprocess.run(
        [compiler, *flags, "-fPIC", "-shared", str(text), "-o", str(library), "-lm"], check=True
    )
    return ctypes.CDLL(str(library))


def sweep(library, name, low, high):
    """The worst distance for bit patterns in [low, high), an input, and how many are wrong."""
    function = getattr(library, f"sweep_{name}")
    function.restype = ctypes.c_double
    where, wrong = ctypes.c_float(), ctypes.c_uint64()
    worst = function(
        ctypes.c_uint64(low), ctypes.c_uint64(high), ctypes.byref(where), ctypes.byref(wrong)
    )
    return worst, where.value, wrong.value
