"""Arrays of the host as buffers of the device.

In: ranges of addresses.  Out: `Region`s, each one buffer.  Decides that memory which starts at a
page is lent as it is and everything else is copied in, and out again where it was stored to; and
that ranges which meet share one buffer, so that nothing is held twice.  Leaves when to copy out to
`certile.runtime.metal.batch`.

Metal lends host memory by whole pages (newBufferWithBytesNoCopy: "page-aligned").  Results of
`certile.ops` from 4 MiB on are so aligned, as are NumPy's memory maps.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterable

from certile.diagnostics import UnsupportedError
from certile.records import record
from certile.runtime import arrays
from certile.runtime.array_info import ArrayInfo
from certile.runtime.bind import as_numpy
from certile.runtime.metal.protocol import Buffer, Device

__all__ = ["Region", "Span", "copy_out", "lend", "merged", "span_of"]

# Metal makes no buffer of no bytes, and an array without elements is bound like every other.
_LEAST_BYTES = 16

# What code may rely on: an array in a copy is as aligned as it was.
_ALIGNMENT = 256


@record
class Span:
    """Addresses [low, high) of an array, and whether a launch stores to them."""

    low: int
    high: int
    written: bool

    def meets(self, other: Span) -> bool:
        """Whether two spans have an address in common."""
        return self.low < other.high and other.low < self.high


@record
class Region:
    """Addresses [low, high) of the host as a buffer; `copied` says that the buffer is a copy.

    The buffer's first byte stands for the address `base`, which is `low` or a little less.
    """

    low: int
    high: int
    base: int
    buffer: Buffer
    copied: bool

    def holds(self, low: int, high: int) -> bool:
        """Whether the buffer has all of these addresses, and begins no later than its end.

        An array without elements that lies right behind the last one is not in it: Metal binds no
        buffer at its end.
        """
        return self.low <= low and high <= self.high and (low < self.high or low == self.low)

    def meets(self, low: int, high: int) -> bool:
        """Whether the buffer has any of these addresses."""
        return self.low < high and low < self.high


def merged(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Return ranges that cover the spans: those that meet are one range."""
    ranges: list[tuple[int, int]] = []
    for low, high in sorted({(span.low, span.high) for span in spans}):
        if ranges and low < ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(high, ranges[-1][1]))
        else:
            ranges.append((low, high))
    return ranges


def lend(device: Device, low: int, high: int) -> Region:
    """Return a buffer that has what lies at these addresses.

    Raises `UnsupportedError` U406 where the device has not enough memory.
    """
    length = high - low
    most = device.facts.max_buffer_bytes
    if length > most:
        message = f"an array spans {length} bytes; {device.facts.name} takes {most} in one buffer"
        raise UnsupportedError("U406", message, hint="pass the array in parts")
    if length and low % mmap.PAGESIZE == 0:
        wrapped = device.wrap(low, length)
        if wrapped is not None:
            return Region(low, high, low, wrapped, copied=False)
    before = low % _ALIGNMENT
    buffer = device.buffer(before + max(length, _LEAST_BYTES))
    if buffer is None:
        raise UnsupportedError("U406", f"{device.facts.name} gives no buffer of {length} bytes")
    ctypes.memmove(buffer.address + before, low, length)
    return Region(low, high, low - before, buffer, copied=True)


def copy_out(region: Region, info: ArrayInfo) -> None:
    """Store the elements of an array that a copied buffer holds; what lies between them stays."""
    there = info._replace(address=region.buffer.address + info.address - region.base)
    as_numpy(info)[...] = as_numpy(there)


def span_of(info: ArrayInfo, address: int, *, written: bool) -> Span:
    """Return the addresses of an array that starts at `address`."""
    low, high = arrays.extent(info)
    return Span(address + low, address + high, written)
