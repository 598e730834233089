"""Convert between dtypes in LLVM IR, with the rounding of the language.

In: the LLVM name of a value, its dtype and another.  Out: the name of the converted value.  Decides
how what the processor lacks is put together from integer operations.  Float to integer truncates
and saturates; every conversion rounds once, to nearest even.
"""

from __future__ import annotations

from certile.codegen.cpu.memory import any_lane
from certile.codegen.cpu.writer import FULL_LANES, RARELY, Writer, literal, scalar_type
from certile.ir.dtypes import DType, bf16, bool_, f16, f32, f64, i32

NARROW = (f16, bf16)
# The classes of negative and of positive subnormals, of `llvm.is.fpclass`.
_SUBNORMAL = 0x0010 | 0x0080


class Conversions:
    """Conversions between dtypes at one shape."""

    def __init__(self, writer: Writer, width: int | None) -> None:
        self._writer = writer
        self._width = width

    def _shape(self, dtype: DType) -> str:
        scalar = scalar_type(dtype)
        return f"<{self._width} x {scalar}>" if self._width else scalar

    def _plain(self, op: str, name: str, source: DType, target: DType) -> str:
        return self._writer.op(f"{op} {self._shape(source)} {name} to {self._shape(target)}")

    def emit(self, name: str, source: DType, target: DType) -> str:
        """`name` of dtype `source` as `target`."""
        if source == target:
            return name
        if source == bf16:
            return self.emit(self._widen(name), f32, target)
        if target == bool_:
            return self._truth(name, source)
        if target in NARROW:
            return self._to_narrow(name, source, target)
        if source.is_float and target.is_float:
            return self._plain(
                "fpext" if target.bits > source.bits else "fptrunc", name, source, target
            )
        if source.is_float:
            return self._saturate(name, source, target)
        unsigned = source.kind in ("uint", "bool")
        if target.is_float:
            return self._plain("uitofp" if unsigned else "sitofp", name, source, target)
        if source != bool_ and target.bits == source.bits:
            return name
        if source != bool_ and target.bits < source.bits:
            return self._plain("trunc", name, source, target)
        return self._plain("zext" if unsigned else "sext", name, source, target)

    def _to_narrow(self, name: str, source: DType, target: DType) -> str:
        """f16 or bf16, rounded once: through f32, which keeps what a second rounding must see."""
        if source.bits == 64 and not source.is_float:
            name, source = self._sticky(name, source), f64
        elif source.bits == 32 and not source.is_float:
            name, source = self.emit(name, source, f64), f64
        wide = self._odd(name) if source == f64 else self.emit(name, source, f32)
        return self._narrow(wide) if target == bf16 else self._plain("fptrunc", wide, f32, target)

    def _sticky(self, name: str, source: DType) -> str:
        """A 64-bit integer as f64, what f64 cannot hold folded into the last bit."""
        writer, word, signed = self._writer, self._shape(source), source.kind == "int"
        shift = "ashr" if signed else "lshr"
        upper = writer.op(f"{shift} {word} {name}, {self._number(11, source)}")
        rest = writer.op(f"and {word} {name}, {self._number(2047, source)}")
        some = writer.op(f"icmp ne {word} {rest}, {self._number(0, source)}")
        last = writer.op(f"zext {self._shape(bool_)} {some} to {word}")
        odd = writer.op(f"or {word} {upper}, {last}")
        double = self._shape(f64)
        scaled = writer.op(
            f"fmul {double} {self.emit(odd, source, f64)}, {self._float(2048.0, f64)}"
        )
        shifted = name
        if signed:
            shifted = writer.op(f"add {word} {name}, {self._number(1 << 52, source)}")
        small = writer.op(f"icmp ult {word} {shifted}, {self._number(1 << 53, source)}")
        return self._select(small, double, self.emit(name, source, f64), scaled)

    def _odd(self, name: str) -> str:
        """f64 to f32, rounded to odd where bits are lost (Boldo and Melquiond, 2008).

        What is rounded to odd rounds on to a type at least two bits narrower as the exact value.
        """
        writer, word, double = self._writer, self._shape(i32), self._shape(f64)
        nearest = self._plain("fptrunc", name, f64, f32)
        back = self._plain("fpext", nearest, f32, f64)
        bits = writer.op(f"bitcast {self._shape(f32)} {nearest} to {word}")
        suffix = f"v{self._width}f64" if self._width else "f64"
        sizes = [
            writer.call(double, f"llvm.fabs.{suffix}", f"{double} {value}", double)
            for value in (name, back)
        ]
        outward = writer.op(f"fcmp ogt {double} {sizes[0]}, {sizes[1]}")
        inward = writer.op(f"fcmp olt {double} {sizes[0]}, {sizes[1]}")
        up = self._select(outward, word, self._number(1, i32), self._number(0, i32))
        step = self._select(inward, word, self._number(-1, i32), up)
        moved = writer.op(f"add {word} {bits}, {step}")
        last = writer.op(f"and {word} {bits}, {self._number(1, i32)}")
        even = writer.op(f"icmp eq {word} {last}, {self._number(0, i32)}")
        kept = self._select(even, word, moved, bits)
        return writer.op(f"bitcast {word} {kept} to {self._shape(f32)}")

    def _number(self, value: int, dtype: DType) -> str:
        return f"splat ({scalar_type(dtype)} {value})" if self._width else str(value)

    def _float(self, value: float, dtype: DType) -> str:
        text = literal(value, dtype)
        return f"splat ({scalar_type(dtype)} {text})" if self._width else text

    def _select(self, condition: str, kind: str, a: str, b: str) -> str:
        bit = self._shape(bool_)
        return self._writer.op(f"select {bit} {condition}, {kind} {a}, {kind} {b}")

    def _truth(self, name: str, source: DType) -> str:
        kind = self._shape(source)
        compare = "fcmp une" if source.is_float else "icmp ne"
        zero = "zeroinitializer" if self._width else ("0.0" if source.is_float else "0")
        return self._writer.op(f"{compare} {kind} {name}, {zero}")

    def _saturate(self, name: str, source: DType, target: DType) -> str:
        """Truncate toward zero, clamp to the range, NaN to 0."""
        sign = "s" if target.kind == "int" else "u"
        lanes = f"v{self._width}" if self._width else ""
        suffix = f"{lanes}i{target.bits}.{lanes}f{source.bits}"
        result, kind = self._shape(target), self._shape(source)
        return self._writer.call(result, f"llvm.fpto{sign}i.sat.{suffix}", f"{kind} {name}", kind)

    def _widen(self, name: str) -> str:
        """bf16 bits as f32: the upper half of the word."""
        word, writer = self._shape(i32), self._writer
        wide = writer.op(f"zext {self._shape(bf16)} {name} to {word}")
        moved = writer.op(f"shl {word} {wide}, {self._number(16, i32)}")
        return writer.op(f"bitcast {word} {moved} to {self._shape(f32)}")

    def _narrow(self, name: str) -> str:
        """f32 rounded to nearest even bf16; a NaN stays one (quiet, sign kept)."""
        writer = self._writer
        if writer.instructions.narrows_bf16 and self._width == writer.lanes == FULL_LANES:
            return self._narrow_normal(name)
        return self._narrow_bits(name)

    def _narrow_normal(self, name: str) -> str:
        """The AVX-512 instruction, and the bits where a lane is subnormal, which it flushes."""
        writer, floats, words = self._writer, self._shape(f32), self._shape(bf16)
        halves = f"<{self._width} x bfloat>"
        intrinsic = "llvm.x86.avx512bf16.cvtneps2bf16.512"
        made = writer.call(halves, intrinsic, f"{floats} {name}", floats)
        usual = writer.op(f"bitcast {halves} {made} to {words}")
        kinds = f"{floats} {name}, i32 {_SUBNORMAL}"
        bits = self._shape(bool_)
        tiny = writer.call(
            bits, f"llvm.is.fpclass.v{self._width}f32", kinds, f"{floats}, i32 immarg"
        )
        # A lane may be poison, which a branch must not see.
        some = any_lane(writer, writer.op(f"freeze {bits} {tiny}"))
        return writer.branch(some, lambda: self._narrow_bits(name), usual, words, RARELY)

    def _narrow_bits(self, name: str) -> str:
        """The rounding on the bits."""
        word, writer = self._shape(i32), self._writer
        bits = writer.op(f"bitcast {self._shape(f32)} {name} to {word}")
        upper = writer.op(f"lshr {word} {bits}, {self._number(16, i32)}")
        odd = writer.op(f"and {word} {upper}, {self._number(1, i32)}")
        bias = writer.op(f"add {word} {odd}, {self._number(0x7FFF, i32)}")
        rounded = writer.op(f"add {word} {bits}, {bias}")
        moved = writer.op(f"lshr {word} {rounded}, {self._number(16, i32)}")
        quiet = writer.op(f"or {word} {upper}, {self._number(0x40, i32)}")
        nan = writer.op(f"fcmp uno {self._shape(f32)} {name}, {name}")
        kept = self._select(nan, word, quiet, moved)
        return writer.op(f"trunc {word} {kept} to {self._shape(bf16)}")
