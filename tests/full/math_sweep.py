"""Many inputs through an expansion, in C.

In: the expansions.  Out: a shared library with, for each of them and each format, the largest
distance from the C library's function in a wider type over arrays of inputs.  Decides: nothing; the
operations are spelled as C, compiled without contraction.  NumPy would take hours for what this
does in minutes.  The wider type is double for f32 and the 64-bit long double of x86 for f64.
"""

import ctypes
import struct
import subprocess
from pathlib import Path

import numpy as np

from certile.lower.math import EXPANSIONS, FORMATS
from certile.lower.math.arith import F32

BINARY_FUNCTIONS = ("pow", "fmod", "logaddexp")
# What C has no function for, with `l` where long double wants one.
ORACLES = {"sigmoid": "1 / (1 + exp{l}(-x))", "recip": "1 / x", "rsqrt": "1 / sqrt{l}(x)"}

PROLOGUE = """
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
_Static_assert(LDBL_MANT_DIG >= 64, "the oracle of f64 needs a wider long double");
static inline long double logaddexpl(long double x, long double z) {
  long double most = x > z ? x : z, least = x > z ? z : x;
  if (isnan(x) || isnan(z)) return x + z;
  return isinf(most) ? most : most + log1pl(expl(least - most));
}
static inline double logaddexp(double x, double z) { return (double)logaddexpl(x, z); }
"""

# logaddexp cancels near zero: the least size in whose units it is measured.
LEAST_SIZE = {"logaddexp": "logl(2)"}

TYPES = """
typedef {real} real_{form};
typedef {integer} integer_{form};
static inline integer_{form} bits_{form}(real_{form} x) {{
  integer_{form} i; memcpy(&i, &x, sizeof x); return i;
}}
static inline real_{form} float_of_{form}(u{integer} i) {{
  real_{form} x; memcpy(&x, &i, sizeof x); return x;
}}
// Two factors of about 2**(n/2): the first product is exact, so only the second one rounds.
static inline real_{form} scale2_{form}(real_{form} x, real_{form} n) {{
  integer_{form} whole = (integer_{form})n, half = whole >> 1;
  real_{form} first = float_of_{form}((u{integer})(half + {bias}) << {fraction});
  return x * first * float_of_{form}((u{integer})(whole - half + {bias}) << {fraction});
}}
"""

# For a target that scales by every n: in double the product of an f32 is exact.
WIDELY = """
static inline real_f32 scale2_widely_f32(real_f32 x, real_f32 n) {
  if (isnan(n)) return n;
  int whole = n > 999 ? 999 : n < -999 ? -999 : (int)n;
  uint64_t bits = (uint64_t)(whole + 1023) << 52;
  double power; memcpy(&power, &bits, sizeof bits);
  return (real_f32)(x * power);
}
"""

# `wrong` counts results whose kind (NaN, infinity, sign) is not that of the value.
FUNCTION = """
static inline real_{form} expansion_{called}({parameters}) {{
{body}
  return {result};
}}
double sweep_{called}(const real_{form} *xs, const real_{form} *ys, uint64_t count,
                           uint64_t *where, uint64_t *wrong) {{
  double worst = 0;
  for (uint64_t i = 0; i < count; i++) {{
    {wide} x = xs[i], z = ys[i], truth = {oracle};
    real_{form} y = expansion_{called}({arguments});
    int bad = isnan(truth) != isnan(y);
    {wide} least = {least};
    if (!isnan(truth) && least == 0) bad |= !signbit(truth) != !signbit(y);
    if (isinf(truth)) bad |= !isinf(y);
    if (isinf(y)) bad |= fabs{l}(truth) < {most};
    if (bad) {{ *wrong += 1; *where = i; }}
    if (bad || !isfinite(truth) || isinf(y)) continue;
    int exponent;
    frexp{l}(fabs{l}(truth) < least ? least : truth, &exponent);
    int last = (exponent - 1 < 1 - {bias} ? 1 - {bias} : exponent - 1) - {fraction};
    double ulp = (double)ldexp{l}(fabs{l}(y - truth), -last);
    if (ulp > worst) {{ worst = ulp; if (!*wrong) *where = i; }}
  }}
  return worst;
}}
"""

TEMPLATES = {
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
    "larger": "{0} > {1} ? {0} : {1}",
    "iadd": "(integer)((uinteger){} + (uinteger){})",
    "isub": "(integer)((uinteger){} - (uinteger){})",
    "iand": "{} & {}",
    "ior": "{} | {}",
    "ishl": "(integer)((uinteger){} << {})",
    "ishr": "{} >> {}",
    "neg": "-{}",
    "abs": "@fabs({})",
    "sqrt": "@sqrt({})",
    "scale2": "@scale2_form({}, {})",
    "floor": "@floor({})",
    "fma": "@fma({}, {}, {})",
    "isnan": "isnan({})",
    "bits": "bits_form({})",
    "float_of": "float_of_form((uinteger){})",
    "to_float": "(real){}",
}
RESULT = {
    **dict.fromkeys(("lt", "le", "gt", "ge", "eq", "ne", "isnan"), "c"),
    **dict.fromkeys(("iadd", "isub", "iand", "ior", "ishl", "ishr", "bits"), "i"),
}


class CArith:
    """`Arith[str]`: each value is the name of a C variable, whose first letter is its type."""

    def __init__(self, form, widely=False):
        self.format, self.scales_widely = form, widely
        self.lines = []
        self._count = 0
        self._types = {"f": f"real_{form.name}", "i": f"integer_{form.name}", "c": "_Bool"}

    def define(self, kind, expression):
        self._count += 1
        name = f"{kind}{self._count}"
        self.lines.append(f"  {self._types[kind]} {name} = {expression};")
        return name

    def __getattr__(self, name):
        narrow = self.format.name == "f32"
        text = TEMPLATES[name].replace("real", f"real_{self.format.name}")
        text = text.replace("uinteger", f"uint{self.format.bits}_t")
        text = text.replace("integer", f"integer_{self.format.name}")
        text = text.replace("_form", f"_{self.format.name}")
        text = text.replace("@scale2", "scale2_widely" if self.scales_widely else "scale2")
        for function in ("fabs", "sqrt", "floor", "fma"):
            text = text.replace(f"@{function}", f"{function}f" if narrow else function)
        return lambda *args: self.define(RESULT.get(name, "f"), text.format(*args))

    def const(self, value):
        real, integer = ("<f", "<I") if self.format.bits == 32 else ("<d", "<Q")
        (pattern,) = struct.unpack(integer, struct.pack(real, value))
        return self.define("f", f"float_of_{self.format.name}({pattern}ull)")

    def iconst(self, value):
        return self.define(
            "i", f"(integer_{self.format.name}){value & (1 << self.format.bits) - 1}ull"
        )

    def select(self, condition, a, b):
        return self.define(a[0], f"{condition} ? {a} : {b}")

    def where_any(self, condition, state, body):
        return self._block(f"if ({condition})", state, body)

    def repeat(self, count, state, body):
        return self._block(f"for (int round = 0; round < {count}; round++)", state, body)

    def _block(self, head, state, body):
        kept = tuple(self.define("f", value) for value in state)
        self.lines.append(f"  {head} {{")
        made = body(kept)
        self.lines.extend(f"  {k} = {m};" for k, m in zip(kept, made, strict=True))
        self.lines.append("  }")
        return kept


def logaddexp(b, x, y):
    """What lowering composes of two expansions."""
    most = b.select(b.gt(x, y), x, y)
    apart = b.abs(b.sub(x, y))
    sum_ = b.add(most, EXPANSIONS["log1p"](b, EXPANSIONS["exp"](b, b.neg(apart))))
    limit = b.select(b.isnan(x), x, b.select(b.isnan(y), y, most))
    finite = b.lt(b.abs(most), b.const(float("inf")))
    return b.select(b.isnan(limit), limit, b.select(finite, sum_, limit))


FUNCTIONS = {**EXPANSIONS, "logaddexp": logaddexp}


def called(name, form, widely=False):
    """What the C text calls an expansion."""
    return f"{name}_{form.name}{'_widely' * widely}"


def function_text(name, form, widely=False):
    """The C text of one expansion in one format, and of its sweep."""
    binary = name in BINARY_FUNCTIONS
    builder = CArith(form, widely)
    operands = [builder.define("f", name) for name in ("x", "z")[: 1 + binary]]
    result = FUNCTIONS[name](builder, *operands)
    narrow = form.name == "f32"
    suffix = "" if narrow else "l"
    call = f"{name}{suffix}(x, z)" if binary else f"{name}{suffix}(x)"
    real = f"real_{form.name}"
    return FUNCTION.format(
        called=called(name, form, widely),
        form=form.name,
        body="\n".join(builder.lines),
        result=result,
        oracle=ORACLES[name].format(l=suffix) if name in ORACLES else call,
        l=suffix,
        least=LEAST_SIZE.get(name, "0"),
        wide="double" if narrow else "long double",
        most="(double)FLT_MAX" if narrow else "(long double)DBL_MAX",
        parameters=f"{real} x, {real} z" if binary else f"{real} x",
        arguments=f"({real})x, ({real})z" if binary else f"({real})x",
        bias=form.bias,
        fraction=form.fraction_bits,
    )


def has_wide_form(name):
    """Whether an expansion of f32 has other operations where a target scales by every power."""
    plain, wide = CArith(F32), CArith(F32, widely=True)
    for builder in (plain, wide):
        names = ("x", "z")[: 1 + (name in BINARY_FUNCTIONS)]
        FUNCTIONS[name](builder, *(builder.define("f", each) for each in names))
    return plain.lines != [line.replace("scale2_widely", "scale2") for line in wide.lines]


def source():
    """The C text that sweeps every expansion."""
    parts = [PROLOGUE]
    for form in FORMATS.values():
        parts.append(
            TYPES.format(
                form=form.name,
                real="float" if form.name == "f32" else "double",
                integer=f"int{form.bits}_t",
                bias=form.bias,
                fraction=form.fraction_bits,
            )
        )
        parts.extend(function_text(name, form) for name in FUNCTIONS)
    parts.append(WIDELY)
    parts.extend(function_text(name, F32, widely=True) for name in FUNCTIONS if has_wide_form(name))
    return "".join(parts)


def build(compiler, folder: Path):
    """Compile the sweeps into a library in `folder` and load it."""
    text, library = folder / "sweep.c", folder / "sweep.so"
    text.write_text(source())
    flags = ["-O2", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
    subprocess.run(
        [compiler, *flags, "-fPIC", "-shared", str(text), "-o", str(library), "-lm"], check=True
    )
    return ctypes.CDLL(str(library))


def sweep(library, name, x, y=None, *, widely=False):
    """The worst distance over arrays of inputs, the index of one, and how many are wrong."""
    x = np.ascontiguousarray(x)
    y = x if y is None else np.ascontiguousarray(y)
    assert x.dtype == y.dtype
    assert x.size == y.size
    function = getattr(library, f"sweep_{called(name, FORMATS[f'f{8 * x.itemsize}'], widely)}")
    function.restype = ctypes.c_double
    where, wrong = ctypes.c_uint64(), ctypes.c_uint64()
    worst = function(
        ctypes.c_void_p(x.ctypes.data),
        ctypes.c_void_p(y.ctypes.data),
        ctypes.c_uint64(x.size),
        ctypes.byref(where),
        ctypes.byref(wrong),
    )
    return worst, where.value, wrong.value
