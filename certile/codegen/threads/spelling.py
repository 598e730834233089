"""How a C-like language spells dtypes and constants.

In: nothing but the language's words.  Out: `Spelling`.  Decides that a narrow float is carried in a
register as f32 and rounded at each operation, and that a bool is a byte in memory, of which any but
0 is true, while every other dtype is carried as it is stored.
"""

import math
import struct
from collections.abc import Mapping

from certile.ir.dtypes import DType
from certile.records import record

__all__ = ["NARROW", "Spelling"]

# Types of memory alone: their values are carried as f32 and rounded after each operation.
NARROW = frozenset({"f16", "bf16"})


@record(slots=False)
class Spelling:
    """The words of one language.

    `stored` names the type of an element in memory, `unsigned` the unsigned type of a width,
    `long_suffix` ends a 64-bit literal.  `from_bits` gives a float by its bits: the `struct` format
    that reads them and the text around them.
    """

    stored: Mapping[str, str]
    unsigned: Mapping[int, str]
    long_suffix: str
    from_bits: Mapping[str, tuple[str, str]]

    def carried(self, dtype: DType) -> str:
        """The type of a value between operations."""
        if dtype.kind == "bool":
            return "bool"
        return self.stored["f32" if dtype.name in NARROW else dtype.name]

    def element(self, dtype: DType) -> str:
        """The type of an element in memory."""
        return self.stored[dtype.name]

    def literal(self, value: bool | int | float, dtype: DType) -> str:
        """A constant as text with exactly this value; it binds like an identifier."""
        text = self._plain(value, dtype)
        # Behind another sign a bare one would make a decrement.
        return f"({text})" if text.startswith("-") else text

    def _plain(self, value: bool | int | float, dtype: DType) -> str:
        if dtype.kind == "bool":
            return "true" if value else "false"
        if dtype.is_float:
            return self._float(float(value), "f64" if dtype.name == "f64" else "f32")
        long = self.long_suffix
        if dtype.name == "i64":
            # The least value has no literal of its own sign.
            return f"-{2**63 - 1}{long} - 1" if value == -(2**63) else f"{value}{long}"
        if dtype.name == "i32":
            return f"-{2**31 - 1} - 1" if value == -(2**31) else str(value)
        suffix = {"u64": f"U{long}", "u32": "U"}.get(dtype.name)
        return f"{value}{suffix}" if suffix else f"({self.stored[dtype.name]}){value}"

    def _float(self, value: float, name: str) -> str:
        if math.isfinite(value):
            return f"{value!r}f" if name == "f32" else repr(value)
        bits, text = self.from_bits[name]
        packed = struct.pack("<f" if name == "f32" else "<d", value)
        return text.format(struct.unpack(bits, packed)[0])
