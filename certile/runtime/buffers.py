"""Addresses out of Python objects, at the least cost that public interfaces allow.

In: an object with the buffer protocol, or a capsule.  Out: an address.  Decides nothing.
"""

import ctypes
from collections.abc import Callable
from typing import Any, Final

__all__ = ["address_of", "capsule_is", "capsule_pointer", "from_buffer", "word_at"]

# Arrays of NumPy and MLX have the buffer protocol in C, which types before Python 3.12 cannot say.
# It refuses, by TypeError, ValueError or BufferError, whatever is not C-ordered or not writable.
from_buffer: Final[Callable[[Any], Any]] = (ctypes.c_char * 0).from_buffer
address_of: Final = ctypes.addressof

# The pointer that stands at an address.
word_at: Final = ctypes.c_void_p.from_address

capsule_is: Final[Callable[[object, bytes | None], int]] = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.py_object, ctypes.c_char_p
)(("PyCapsule_IsValid", ctypes.pythonapi))

capsule_pointer: Final[Callable[[object, bytes | None], int]] = ctypes.PYFUNCTYPE(
    ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p
)(("PyCapsule_GetPointer", ctypes.pythonapi))
