"""Spell the element-wise functions of Machine IR in LLVM.

In: operands as LLVM values, scalars or vectors.  Out: the lines that compute a function of them.
No fast-math flag, no contraction.  f16 and bf16 are computed in f32 and rounded once.  Functions
without an instruction (exp, log, …) are expanded before they reach this file; what a sheet with
functions of its own leaves in is called from the C library one lane at a time.  Decides which
sequence of instructions a function is; refuses by name what no sequence gives.
"""

from __future__ import annotations

from collections.abc import Callable

from certile.codegen.cpu.conversions import NARROW, Conversions
from certile.codegen.cpu.writer import FULL_LANES, Writer, literal, scalar_type
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType, bool_, f32, f64, i32, i64
from certile.ir.functions import FUNCTIONS

_INTRINSICS = {
    "abs": "fabs",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "round": "roundeven",
    "sqrt": "sqrt",
    "fma": "fma",
}
_FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INT_OPS = {"add": "add", "sub": "sub", "mul": "mul"}
_BITS = {"bit_and": "and", "bit_or": "or", "bit_xor": "xor"}
# Functions of the C library; f32 has them with an f at the end of the name.
_LIBRARY = frozenset(
    {"exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan", "tanh", "erf", "erfc"}
    | {"pow"}
)
_FLOAT_COMPARE = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


class Functions:
    """Emits one function at one shape: a scalar, or a vector of `width` lanes."""

    def __init__(self, writer: Writer, dtype: DType, width: int | None) -> None:
        self._writer = writer
        self._dtype = dtype
        self._width = width
        self._scalar = scalar_type(dtype)
        self._type = self._shape(self._scalar)
        self._suffix = (f"v{width}" if width else "") + (
            f"f{dtype.bits}" if dtype.is_float else f"i{dtype.bits}"
        )

    def _shape(self, element: str) -> str:
        return f"<{self._width} x {element}>" if self._width else element

    def _number(self, value: float, dtype: DType | None = None) -> str:
        at = dtype or self._dtype
        text = literal(value, at)
        return f"splat ({scalar_type(at)} {text})" if self._width else text

    def _op(self, name: str, *args: str) -> str:
        return self._writer.op(f"{name} {self._type} {', '.join(args)}")

    def _intrinsic(self, name: str, *args: str, flags: str = "") -> str:
        typed = [f"{self._type} {arg}" for arg in args]
        kinds = [self._type] * len(args)
        if flags:
            typed.append(flags)
            kinds.append("i1")
        return self._writer.call(
            self._type, f"llvm.{name}.{self._suffix}", ", ".join(typed), ", ".join(kinds)
        )

    def _compare(self, kind: str, a: str, b: str) -> str:
        return self._writer.op(f"{kind} {self._type} {a}, {b}")

    def _select(self, condition: str, a: str, b: str) -> str:
        bit = self._shape("i1")
        return self._writer.op(f"select {bit} {condition}, {self._type} {a}, {self._type} {b}")

    def emit(self, fn: str, args: tuple[str, ...]) -> str:
        """The name of `fn(args)`; all arguments have this emitter's dtype and shape."""
        if self._dtype == bool_:
            return self._boolean(fn, args)
        if self._dtype in NARROW:
            return self._widened(fn, args)
        special: Callable[..., str] | None = getattr(self, f"_fn_{fn}", None)
        if special is not None:
            return special(*args)
        if self._dtype.is_float:
            return self._float(fn, args)
        return self._integer(fn, args)

    def _boolean(self, fn: str, args: tuple[str, ...]) -> str:
        match fn:
            case "bit_and" | "bit_or" | "bit_xor":
                return self._op(_BITS[fn], *args)
            case "bit_not":
                return self._op("xor", args[0], self._number(True))
            case "eq" | "ne":
                return self._compare(f"icmp {fn}", *args)
            case "lt" | "le" | "gt" | "ge":
                return self._compare(f"icmp u{fn}", *args)
            case "maximum" | "fmax":
                return self._op("or", *args)
            case "minimum" | "fmin":
                return self._op("and", *args)
            case _:
                raise self._refused(fn)

    def _widened(self, fn: str, args: tuple[str, ...]) -> str:
        """A function of a narrow float: computed in f32, a float result rounded once."""
        conversions = Conversions(self._writer, self._width)
        wide = tuple(conversions.emit(arg, self._dtype, f32) for arg in args)
        made = Functions(self._writer, f32, self._width).emit(fn, wide)
        result = FUNCTIONS[fn].result((f32,) * len(args))
        return conversions.emit(made, f32, self._dtype) if result.is_float else made

    def _refused(self, fn: str) -> UnsupportedError:
        return UnsupportedError("U030", f"the CPU target has no {fn} of {self._dtype}")

    def _float(self, fn: str, args: tuple[str, ...]) -> str:
        if fn in _FLOAT_OPS:
            return self._op(_FLOAT_OPS[fn], *args)
        if fn in _FLOAT_COMPARE:
            return self._compare(f"fcmp {_FLOAT_COMPARE[fn]}", *args)
        if fn in _INTRINSICS:
            return self._intrinsic(_INTRINSICS[fn], *args)
        if fn in _LIBRARY:
            return self._library(fn, args)
        raise self._refused(fn)

    def _library(self, fn: str, args: tuple[str, ...]) -> str:
        """Call the C library; a vector goes through it lane by lane."""
        writer, scalar = self._writer, self._scalar
        name = f"{fn}f" if self._dtype == f32 else fn
        kinds = ", ".join([scalar] * len(args))

        def call(values: list[str]) -> str:
            return writer.call(scalar, name, ", ".join(f"{scalar} {v}" for v in values), kinds)

        if not self._width:
            return call(list(args))
        result = "poison"
        for lane in range(self._width):
            parts = [writer.op(f"extractelement {self._type} {arg}, i64 {lane}") for arg in args]
            made = call(parts)
            result = writer.op(f"insertelement {self._type} {result}, {scalar} {made}, i64 {lane}")
        return result

    def _integer(self, fn: str, args: tuple[str, ...]) -> str:
        signed = self._dtype.kind == "int"
        if fn in _INT_OPS:
            return self._op(_INT_OPS[fn], *args)
        if fn in _BITS:
            return self._op(_BITS[fn], *args)
        if fn in _FLOAT_COMPARE:
            sign = "" if fn in ("eq", "ne") else ("s" if signed else "u")
            return self._compare(f"icmp {sign}{fn}", *args)
        if fn in ("floor", "ceil", "trunc", "round"):
            return args[0]
        raise self._refused(fn)

    # Functions that need more than one instruction, by name.

    def _fn_neg(self, a: str) -> str:
        if self._dtype.is_float:
            return self._op("fneg", a)
        return self._op("sub", self._number(0), a)

    def _fn_abs(self, a: str) -> str:
        if self._dtype.is_float:
            return self._intrinsic("fabs", a)
        return a if self._dtype.kind == "uint" else self._intrinsic("abs", a, flags="i1 false")

    def _fn_sign(self, a: str) -> str:
        zero, one = self._number(0), self._number(1)
        compare = "fcmp ogt" if self._dtype.is_float else "icmp sgt"
        if self._dtype.kind == "uint":
            return self._select(self._compare("icmp ne", a, zero), one, zero)
        negative = self._compare(compare, zero, a)
        # A zero and a NaN stay what they are.
        below = self._select(negative, self._number(-1), a)
        return self._select(self._compare(compare, a, zero), one, below)

    def _fn_rsqrt(self, a: str) -> str:
        return self._op("fdiv", self._number(1), self._intrinsic("sqrt", a))

    def _fn_recip(self, a: str) -> str:
        return self._op("fdiv", self._number(1), a)

    def _fn_sigmoid(self, a: str) -> str:
        grown = self._library("exp", (self._fn_neg(a),))
        return self._op("fdiv", self._number(1), self._op("fadd", self._number(1), grown))

    def _fn_fmod(self, a: str, b: str) -> str:
        return self._op("frem", a, b)

    def _fn_fmax(self, a: str, b: str) -> str:
        return self._intrinsic("maxnum", a, b) if self._dtype.is_float else self._fn_maximum(a, b)

    def _fn_fmin(self, a: str, b: str) -> str:
        return self._intrinsic("minnum", a, b) if self._dtype.is_float else self._fn_minimum(a, b)

    def _fn_maximum(self, a: str, b: str) -> str:
        return self._extreme("gt", a, b)

    def _fn_minimum(self, a: str, b: str) -> str:
        return self._extreme("lt", a, b)

    def _extreme(self, order: str, a: str, b: str) -> str:
        """max and min that keep NaN: the plain instruction returns `b` when either is NaN."""
        if not self._dtype.is_float:
            sign = "s" if self._dtype.kind == "int" else "u"
            return self._intrinsic(f"{sign}{'max' if order == 'gt' else 'min'}", a, b)
        plain = self._select(self._compare(f"fcmp o{order}", a, b), a, b)
        return self._select(self._compare("fcmp uno", a, a), a, plain)

    def _fn_isnan(self, a: str) -> str:
        return self._compare("fcmp uno", a, a)

    def _fn_isinf(self, a: str) -> str:
        return self._compare("fcmp oeq", self._fn_abs(a), self._number(float("inf")))

    def _fn_isfinite(self, a: str) -> str:
        return self._compare("fcmp olt", self._fn_abs(a), self._number(float("inf")))

    def _fn_bit_not(self, a: str) -> str:
        return self._op("xor", a, self._number(-1))

    def _fn_popcount(self, a: str) -> str:
        return self._intrinsic("ctpop", a)

    def _fn_ctz(self, a: str) -> str:
        return self._intrinsic("cttz", a, flags="i1 false")

    def _fn_shl(self, a: str, count: str) -> str:
        return self._select(self._in_width(count), self._op("shl", a, count), self._number(0))

    def _fn_shr(self, a: str, count: str) -> str:
        inside = self._in_width(count)
        if self._dtype.kind == "int":
            last = self._number(self._dtype.bits - 1)
            return self._op("ashr", a, self._select(inside, count, last))
        return self._select(inside, self._op("lshr", a, count), self._number(0))

    def _in_width(self, count: str) -> str:
        return self._compare("icmp ult", count, self._number(self._dtype.bits))

    def _quotient(self, a: str, b: str) -> tuple[str, str, str]:
        """Quotient and remainder of a safe division, and whether the divisor is 0.

        A divisor of 0, and the least integer over -1, would trap: both divide by 1 instead, which
        gives what two's complement gives for the second.
        """
        zero = self._compare("icmp eq", b, self._number(0))
        bad = zero
        if self._dtype.kind == "int":
            least = self._number(-(1 << (self._dtype.bits - 1)))
            edge = self._compare("icmp eq", a, least)
            minus = self._compare("icmp eq", b, self._number(-1))
            both = self._writer.op(f"and {self._shape('i1')} {edge}, {minus}")
            bad = self._writer.op(f"or {self._shape('i1')} {zero}, {both}")
        safe = self._select(bad, self._number(1), b)
        kind = "s" if self._dtype.kind == "int" else "u"
        quotient = self._op(f"{kind}div", a, safe)
        remainder = self._op("sub", a, self._op("mul", quotient, safe))
        return quotient, remainder, zero

    def _fn_floordiv(self, a: str, b: str) -> str:
        if self._dtype.is_float:
            return self._float_floordiv(a, b)
        quotient, remainder, zero = self._quotient(a, b)
        if self._dtype.kind == "int":
            lower = self._op("sub", quotient, self._number(1))
            quotient = self._select(self._wrong_side(remainder, b), lower, quotient)
        return self._select(zero, self._number(0), quotient)

    def _wrong_side(self, remainder: str, divisor: str) -> str:
        """Whether a truncated remainder has the other sign than the divisor (and is not 0)."""
        bit = self._shape("i1")
        some = self._compare("icmp ne", remainder, self._number(0))
        mixed = self._op("xor", remainder, divisor)
        apart = self._compare("icmp slt", mixed, self._number(0))
        return self._writer.op(f"and {bit} {some}, {apart}")

    def _fn_mod(self, a: str, b: str) -> str:
        if self._dtype.is_float:
            return self._float_mod(a, b)
        _, remainder, zero = self._quotient(a, b)
        if self._dtype.kind == "int":
            moved = self._op("add", remainder, b)
            remainder = self._select(self._wrong_side(remainder, b), moved, remainder)
        return self._select(zero, self._number(0), remainder)

    def _float_mod(self, a: str, b: str) -> str:
        """Python's floor modulo: the exact remainder, moved to the divisor's side."""
        rest = self._op("frem", a, b)
        return self._select(self._other_side(rest, b), self._op("fadd", rest, b), rest)

    def _other_side(self, rest: str, divisor: str) -> str:
        """Whether a remainder that is not 0 has the other sign than the divisor."""
        zero, bit = self._number(0.0), self._shape("i1")
        below = self._writer.op(
            f"xor {bit} {self._compare('fcmp olt', rest, zero)}, "
            f"{self._compare('fcmp olt', divisor, zero)}"
        )
        some = self._compare("fcmp une", rest, zero)
        return self._writer.op(f"and {bit} {some}, {below}")

    def _float_floordiv(self, a: str, b: str) -> str:
        """Python's floor division: from the exact remainder, for a / b may round up to a whole."""
        rest = self._op("frem", a, b)
        near = self._op("fdiv", self._op("fsub", a, rest), b)
        lower = self._op("fsub", near, self._number(1.0))
        near = self._select(self._other_side(rest, b), lower, near)
        whole = self._intrinsic("floor", near)
        above = self._op("fsub", near, whole)
        far = self._compare("fcmp ogt", above, self._number(0.5))
        whole = self._select(far, self._op("fadd", whole, self._number(1.0)), whole)
        zero = self._compare("fcmp oeq", b, self._number(0.0))
        return self._select(zero, self._op("fdiv", a, b), whole)

    def _fn_scale2(self, x: str, n: str) -> str:
        """x * 2**n rounded once, for 2**-16 <= |x| <= 4 (or 0, NaN) and |n| <= 226 (f64: 2000).

        The instruction of AVX-512 takes any x and n.
        """
        if not self._dtype.is_float:
            raise self._refused("scale2")
        if self._writer.instructions.scales and self._dtype == f32:
            return self._scalef_of(x, n)
        # The first factor keeps the product normal, hence exact; only the second one rounds.
        bias = 127.0 if self._dtype == f32 else 1023.0
        first = self._clamp(n, 24.0 - bias, bias)
        second = self._clamp(self._op("fsub", n, first), 1.0 - bias, bias)
        return self._op("fmul", self._op("fmul", x, self._power(first)), self._power(second))

    def _scalef_of(self, x: str, n: str) -> str:
        """x * 2**n for any n, by the instruction for whole registers; fewer lanes are padded."""
        writer, lanes = self._writer, self._width or 1
        if lanes < FULL_LANES:
            x, n = (self._padded(value, lanes) for value in (x, n))
        kind = f"<{FULL_LANES} x float>"
        scaled = writer.call(
            kind,
            "llvm.x86.avx512.mask.scalef.ps.512",
            f"{kind} {x}, {kind} {n}, {kind} zeroinitializer, i16 -1, i32 4",
            f"{kind}, {kind}, {kind}, i16, i32 immarg",
        )
        if not self._width:
            return writer.op(f"extractelement {kind} {scaled}, i64 0")
        if lanes == FULL_LANES:
            return scaled
        first = ", ".join(f"i32 {lane}" for lane in range(lanes))
        return writer.op(f"shufflevector {kind} {scaled}, {kind} poison, <{lanes} x i32> <{first}>")

    def _padded(self, value: str, lanes: int) -> str:
        """The lanes of a value, and others that hold anything."""
        kind = f"<{FULL_LANES} x float>"
        if not self._width:
            return self._writer.op(f"insertelement {kind} poison, float {value}, i64 0")
        places = (f"i32 {lane if lane < lanes else 'poison'}" for lane in range(FULL_LANES))
        mask = f"<{FULL_LANES} x i32> <{', '.join(places)}>"
        return self._writer.op(f"shufflevector {self._type} {value}, {self._type} poison, {mask}")

    def _clamp(self, n: str, low: float, high: float) -> str:
        least = self._intrinsic("maxnum", n, self._number(low))
        return self._intrinsic("minnum", least, self._number(high))

    def _power(self, n: str) -> str:
        """2**n for an integer-valued n, where the result is normal."""
        writer = self._writer
        if self._dtype == f64:
            # The last bits of the sum are the exponent: only AVX-512 converts f64 to i64.
            word, shift = i64, 52
            moved = self._op("fadd", n, self._number(1.5 * 2.0**52 + 1023))
            biased = writer.op(f"bitcast {self._type} {moved} to {self._shape('i64')}")
        else:
            word, shift = i32, 23
            number = writer.op(f"fptosi {self._type} {n} to {self._shape('i32')}")
            biased = writer.op(f"add {self._shape('i32')} {number}, {self._number(127, i32)}")
        whole = self._shape(scalar_type(word))
        bits = writer.op(f"shl {whole} {biased}, {self._number(shift, word)}")
        return writer.op(f"bitcast {whole} {bits} to {self._type}")
