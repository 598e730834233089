"""How CUDA C++ spells dtypes and constants; a narrow float is stored as its 16 bits."""

from certile.codegen.threads.spelling import Spelling
from certile.ir.dtypes import DType

__all__ = ["SPELLING", "literal"]

SPELLING = Spelling(
    stored={
        "bool": "unsigned char",
        "i8": "signed char",
        "i16": "short",
        "i32": "int",
        "i64": "long long",
        "u8": "unsigned char",
        "u16": "unsigned short",
        "u32": "unsigned int",
        "u64": "unsigned long long",
        "f16": "unsigned short",
        "bf16": "unsigned short",
        "f32": "float",
        "f64": "double",
    },
    unsigned={
        8: "unsigned char",
        16: "unsigned short",
        32: "unsigned int",
        64: "unsigned long long",
    },
    long_suffix="LL",
    from_bits={
        "f32": ("<I", "__uint_as_float({:#x}U)"),
        "f64": ("<q", "__longlong_as_double({}LL)"),
    },
)


def literal(value: bool | int | float, dtype: DType) -> str:
    """A constant as CUDA C++ text with exactly this value."""
    return SPELLING.literal(value, dtype)
