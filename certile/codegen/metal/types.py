"""How MSL spells dtypes and constants.  It has no double: kernels of f64 are refused."""

from certile.codegen.threads.spelling import Spelling

__all__ = ["SPELLING", "WIDE"]

SPELLING = Spelling(
    stored={
        "bool": "uchar",
        "i8": "char",
        "i16": "short",
        "i32": "int",
        "i64": "long",
        "u8": "uchar",
        "u16": "ushort",
        "u32": "uint",
        "u64": "ulong",
        "f16": "half",
        "bf16": "bfloat",
        "f32": "float",
    },
    unsigned={8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"},
    long_suffix="L",
    from_bits={"f32": ("<I", "as_type<float>({:#x}U)")},
)

# What a SIMD group exchanges only in two halves.
WIDE = frozenset({"i64", "u64"})
