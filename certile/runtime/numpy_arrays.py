"""NumPy's arrays: the cheapest way to their address, and which of them are plain memory.

In: an array.  Out: its signature and address for every call, an `ArrayInfo` for the first of a
signature.  Decides that subclasses with another meaning, other byte orders and strides between
elements are refused.
"""

from typing import Any, Final

import numpy as np

from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.array_types import BEYOND_NUMPY, NUMPY_DTYPES
from certile.runtime.array_info import (
    PLACES,
    ArrayInfo,
    Signature,
    type_name,
)
from certile.runtime.buffers import address_of, capsule_pointer, from_buffer, word_at

__all__ = ["address", "describe", "probe"]

NumpyArray = np.ndarray[Any, Any]

# Where `data` lies in the structure of NumPy's array interface: two ints, a char padded to four
# bytes, two ints padded to eight, and the pointers to shape and strides stand before it.
_DATA_OFFSET: Final = 40

_NAMES: Final = {dtype: name for name, dtype in NUMPY_DTYPES.items()}
_EXTENSION_NAMES: Final = {theirs: ours for ours, theirs in BEYOND_NUMPY.items()}


def probe(array: NumpyArray) -> tuple[Signature, int]:
    """Return the signature and the address of an array."""
    try:
        # The cheapest public way to the address; it needs a contiguous, writable array of a type
        # that the buffer protocol has a letter for, and refuses every other.
        address = address_of(from_buffer(array))
    except (TypeError, ValueError, BufferError):
        address = _address(array)
        layout = (array.strides, array.flags.writeable)
        return (np.ndarray, array.dtype, array.shape, PLACES[address & 63], layout), address
    # The shape of a contiguous array says its strides.
    return (np.ndarray, array.dtype, array.shape, PLACES[address & 63]), address


def address(array: NumpyArray) -> int:
    """Return the address of an array that was made for a call."""
    try:
        return address_of(from_buffer(array))
    except (TypeError, ValueError, BufferError):
        return _address(array)


def describe(array: NumpyArray) -> ArrayInfo:
    """Describe an array; raises as `arrays.describe` says."""
    if type(array) not in (np.ndarray, np.memmap):
        raise UnsupportedError(
            "U201",
            f"{type_name(array)} gives NumPy's arrays another meaning",
            hint="pass np.asarray(array), if its plain elements are meant",
        )
    name = _NAMES.get(array.dtype) or _extension_name(array.dtype)
    if name is None:
        native = array.dtype.isnative
        raise ArgumentError(
            "A202",
            f"kernels have no element type {array.dtype}",
            hint=None if native else "pass array.astype(array.dtype.newbyteorder('='))",
        )
    size = array.itemsize
    if any(step % size for step, n in zip(array.strides, array.shape, strict=True) if n > 1):
        raise ArgumentError(
            "A203",
            f"strides of {array.strides} bytes are no whole number of {size}-byte elements",
            hint="pass array.copy(); fields of a structured array are laid out like this",
        )
    return ArrayInfo(
        address=_address(array),
        dtype=name,
        shape=array.shape,
        strides=tuple(step // size for step in array.strides),
        itemsize=size,
        readonly=not array.flags.writeable,
        framework="numpy",
    )


def _address(array: NumpyArray) -> int:
    # Held by a name: the structure goes with the capsule.
    capsule = array.__array_struct__
    return word_at(capsule_pointer(capsule, None) + _DATA_OFFSET).value or 0


def _extension_name(dtype: np.dtype[Any]) -> str | None:
    """Name a dtype that another package registers, without importing that package."""
    # Types of NumPy itself, such as structures, may have any name.
    return _EXTENSION_NAMES.get(dtype.name) if dtype.isbuiltin == 2 else None
