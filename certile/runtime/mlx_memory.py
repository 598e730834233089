"""Memory of MLX's that nobody filled.

In: a shape and an element type.  Out: an evaluated array with whatever its memory holds, or None
where this version of MLX has none to give.  Decides how one is had.

`mx.empty` fills with zeros, and memory that others allocated is copied.  On fresh pages that is the
dearest part of a result: the system zeroes them as one thread writes them for the first time.  What
MLX allocates without writing is what it is about to read from a file, and a file may be an object
of Python's: this one holds a header (of the format safetensors), and leaves the elements as they
are.  It also learns where they lie before anybody wrote there, in time to ask for huge pages.
"""

from __future__ import annotations

import ctypes
import functools
import io
import json
import math
import mmap
import sys
from typing import Any, Final, TypeAlias

from certile.ir.array_types import MLX_NAMES
from certile.runtime.buffers import address_of, from_buffer

__all__ = ["UNFILLED_BYTES", "unfilled"]

# The package is optional, so its names cannot be imported for their types.
MlxArray: TypeAlias = Any
Mlx: TypeAlias = Any

# From here on reading nothing is quicker than zeros: it takes 50 us, whatever the size.
UNFILLED_BYTES: Final = 4 * 1024 * 1024

_NAME: Final = "elements"
_PAGE: Final = mmap.PAGESIZE


class _Blank(io.RawIOBase):
    """A file of one array, of which the header can be read; nothing is read of the elements."""

    def __init__(self, shape: tuple[int, ...], size: int, dtype: str) -> None:
        entry = {"dtype": dtype.upper(), "shape": shape, "data_offsets": [0, size]}
        header = json.dumps({_NAME: entry}).encode()
        self._head = len(header).to_bytes(8, "little") + header
        self._size = len(self._head) + size
        self._at = 0

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place of the file."""
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        """Return the place that is read next."""
        return self._at

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - has the buffer protocol
        """Write what the header has from here on, and report the elements as read."""
        count = min(len(buffer), self._size - self._at)
        known = self._head[self._at : self._at + count]
        buffer[: len(known)] = known
        if count >= UNFILLED_BYTES:
            _ask_for_huge_pages(address_of(from_buffer(buffer)), count)
        self._at += count
        return count


def unfilled(shape: tuple[int, ...], dtype: str) -> MlxArray | None:
    """Return an evaluated array of one of our element types, with whatever its memory holds.

    None where MLX computes on a GPU, and where it reads no such array from an object.
    """
    mlx = sys.modules["mlx.core"]
    if mlx.default_device() != mlx.cpu or not _reads(mlx, dtype):
        return None
    return _read(mlx, shape, dtype)


def _read(mlx: Mlx, shape: tuple[int, ...], dtype: str) -> MlxArray:
    size = math.prod(shape) * getattr(mlx, MLX_NAMES[dtype]).size
    array = mlx.load(_Blank(shape, size, dtype), format="safetensors")[_NAME]
    mlx.eval(array)
    return array


@functools.cache
def _reads(mlx: Mlx, dtype: str) -> bool:
    """Whether MLX reads arrays of this type from an object, tried once with a small one."""
    try:
        made = _read(mlx, (2, 3), dtype)
    except (AttributeError, OSError, RuntimeError, TypeError, ValueError):
        # Versions without the function, the format or the type.
        return False
    return bool(made.shape == (2, 3) and made.dtype == getattr(mlx, MLX_NAMES[dtype]))


def _ask_for_huge_pages(address: int, size: int) -> None:
    """Advise the system as `certile.runtime.memory` does; it need not follow."""
    advise = _advise()
    if advise is not None:
        first, last = -(-address // _PAGE) * _PAGE, (address + size) // _PAGE * _PAGE
        advise(first, last - first, mmap.MADV_HUGEPAGE)


@functools.cache
def _advise() -> Any:  # noqa: ANN401 - a foreign function, or None
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return None
    function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function
