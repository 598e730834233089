"""Find the source line of a code address in a shared library.

In: an ELF file with a DWARF 4 line table.  Out: lines.  Decides nothing.  A file of another format
has no lines: every answer is 0.

Source: DWARF Debugging Information Format, version 4, section 6.2 (line number information).
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

__all__ = ["LineTable"]

_ELF_MAGIC = b"\x7fELF\x02\x01"
_STANDARD_OPERANDS = {2: 1, 3: 1, 4: 1, 5: 1, 9: 1, 12: 1}


class LineTable:
    """The lines of one library that belong to one source file."""

    def __init__(self, path: Path, source: str) -> None:
        rows = sorted(_rows(path.read_bytes(), source.encode()))
        self._addresses = [address for address, _ in rows]
        self._lines = [line for _, line in rows]

    def line(self, return_address: int) -> int:
        """Return the line of the call that returns to `return_address`, 0 if unknown."""
        at = bisect_right(self._addresses, return_address - 1) - 1
        return self._lines[at] if at >= 0 and return_address else 0


def _rows(image: bytes, source: bytes) -> Iterator[tuple[int, int]]:
    section = _section(image, b".debug_line")
    at = 0
    while at + 4 <= len(section):
        (length,) = struct.unpack_from("<I", section, at)
        if length >= 0xFFFFFFF0:
            return
        yield from _Program(section[at + 4 : at + 4 + length], source).rows()
        at += 4 + length


def _section(image: bytes, wanted: bytes) -> bytes:
    if image[:6] != _ELF_MAGIC:
        return b""
    (headers,) = struct.unpack_from("<Q", image, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", image, 0x3A)
    entries = [struct.unpack_from("<IIQQQQ", image, headers + size * i) for i in range(count)]
    names = entries[names_at][4]
    for name, _, _, _, offset, length in entries:
        end = image.index(b"\0", names + name)
        if image[names + name : end] == wanted:
            return image[offset : offset + length]
    return b""


class _Program:
    """One line number program: a header and a state machine."""

    def __init__(self, data: bytes, source: bytes) -> None:
        self._data = data
        self._at = 6
        version, header_length = struct.unpack_from("<HI", data)
        self._usable = version == 4
        if not self._usable:
            return
        self._begin = self._at + header_length
        fields = struct.unpack_from("<BBBbBB", data, self._at)
        self._step, self._line_base, self._line_range = fields[0], fields[3], fields[4]
        self._first_special = fields[5]
        self._at += 6 + self._first_special - 1
        while self._string():
            pass
        self._wanted = self._file_number(source)

    def _file_number(self, source: bytes) -> int:
        number = 1
        while name := self._string():
            if name == source:
                return number
            for _ in range(3):
                self._uleb()
            number += 1
        return 0

    def _string(self) -> bytes:
        end = self._data.index(b"\0", self._at)
        text = self._data[self._at : end]
        self._at = end + 1
        return text

    def _uleb(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def _sleb(self) -> int:
        start = self._at
        value = self._uleb()
        bits = 7 * (self._at - start)
        return value - (1 << bits) if self._data[self._at - 1] & 0x40 else value

    def rows(self) -> Iterator[tuple[int, int]]:
        """Yield (address, line); a line of another file or past the end is 0."""
        if not self._usable:
            return
        self._at = self._begin
        self._address, self._file, self._line = 0, 1, 1
        while self._at < len(self._data):
            opcode = self._data[self._at]
            self._at += 1
            if opcode >= self._first_special:
                self._advance_special(opcode)
                yield self._row()
            elif opcode == 0:
                if self._extended():
                    yield self._address, 0
                    self._address, self._file, self._line = 0, 1, 1
            elif self._standard(opcode):
                yield self._row()

    def _row(self) -> tuple[int, int]:
        return self._address, self._line if self._file == self._wanted else 0

    def _advance_special(self, opcode: int) -> None:
        adjusted = opcode - self._first_special
        self._address += adjusted // self._line_range * self._step
        self._line += self._line_base + adjusted % self._line_range

    def _extended(self) -> bool:
        """Run an extended opcode; return whether it ends a sequence."""
        length = self._uleb()
        end, opcode = self._at + length, self._data[self._at]
        if opcode == 2:
            (self._address,) = struct.unpack_from("<Q", self._data, self._at + 1)
        self._at = end
        return opcode == 1

    def _standard(self, opcode: int) -> bool:
        """Run a standard opcode; return whether it adds a row."""
        match opcode:
            case 1:
                return True
            case 2:
                self._address += self._uleb() * self._step
            case 3:
                self._line += self._sleb()
            case 4:
                self._file = self._uleb()
            case 8:
                self._address += (255 - self._first_special) // self._line_range * self._step
            case 9:
                self._address += struct.unpack_from("<H", self._data, self._at)[0]
                self._at += 2
            case _:
                for _ in range(_STANDARD_OPERANDS.get(opcode, 0)):
                    self._uleb()
        return False
