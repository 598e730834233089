"""The promotion table, written out from the rules, and what each class of operator gives by it.

Rows and columns are the two operands' dtypes.  Formats of memory (f8) are computed as f32.
"""

from __future__ import annotations

import operator

import certile as ct

TABLE = """
       bool   i8  i16  i32  i64   u8  u16  u32  u64  f16 bf16  f32  f64 f8e4m3 f8e5m2
bool   bool   i8  i16  i32  i64   u8  u16  u32  u64  f16 bf16  f32  f64    f32    f32
i8       i8   i8  i16  i32  i64  i16  i32  i64  u64  f16 bf16  f32  f64    f32    f32
i16     i16  i16  i16  i32  i64  i16  i32  i64  u64  f16 bf16  f32  f64    f32    f32
i32     i32  i32  i32  i32  i64  i32  i32  i64  u64  f16 bf16  f32  f64    f32    f32
i64     i64  i64  i64  i64  i64  i64  i64  i64  u64  f16 bf16  f32  f64    f32    f32
u8       u8  i16  i16  i32  i64   u8  u16  u32  u64  f16 bf16  f32  f64    f32    f32
u16     u16  i32  i32  i32  i64  u16  u16  u32  u64  f16 bf16  f32  f64    f32    f32
u32     u32  i64  i64  i64  i64  u32  u32  u32  u64  f16 bf16  f32  f64    f32    f32
u64     u64  u64  u64  u64  u64  u64  u64  u64  u64  f16 bf16  f32  f64    f32    f32
f16     f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f32  f32  f64    f32    f32
bf16   bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16  f32 bf16  f32  f64    f32    f32
f32     f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64    f32    f32
f64     f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64    f64    f64
f8e4m3  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64    f32    f32
f8e5m2  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64    f32    f32
"""

# With a Python number: it yields unless the dtype cannot hold its kind.
WEAK = """
        bool  int float
bool    bool  i32   f32
i8        i8   i8   f32
i16      i16  i16   f32
i32      i32  i32   f32
i64      i64  i64   f32
u8        u8   u8   f32
u16      u16  u16   f32
u32      u32  u32   f32
u64      u64  u64   f32
f16      f16  f16   f16
bf16    bf16 bf16  bf16
f32      f32  f32   f32
f64      f64  f64   f64
f8e4m3   f32  f32   f32
f8e5m2   f32  f32   f32
"""


def _read(text: str) -> dict[tuple[str, str], str]:
    head, *lines = [line.split() for line in text.strip().splitlines()]
    return {
        (row, column): cell
        for row, *cells in lines
        for column, cell in zip(head, cells, strict=True)
    }


PAIRS = _read(TABLE)
WITH_NUMBERS = _read(WEAK)
NAMES = tuple(dict.fromkeys(row for row, _ in PAIRS))
NUMBERS = {"bool": True, "int": 2, "float": 2.0}

ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
}
REAL = {"div": operator.truediv, "pow": operator.pow}
COMPARISONS = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
BITS = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
SHIFTS = {"shl": operator.lshift, "shr": operator.rshift}
EXTREMA = {"maximum": ct.maximum, "minimum": ct.minimum, "fmax": ct.fmax, "fmin": ct.fmin}
OPERATORS = ARITHMETIC | REAL | COMPARISONS | BITS | SHIFTS | EXTREMA


def is_float(name: str) -> bool:
    return name in ("f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2")


def result(name: str, common: str) -> str | None:
    """The dtype that an operator gives where its operands meet in `common`; None: refused."""
    if name in COMPARISONS:
        return "bool"
    if name in REAL:
        return common if is_float(common) else "f32"
    if name in BITS or name in SHIFTS:
        if is_float(common):
            return None
        return "i32" if common == "bool" and name in SHIFTS else common
    return "i32" if common == "bool" and name in ARITHMETIC else common
