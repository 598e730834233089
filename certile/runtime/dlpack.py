"""Reading an array through the DLPack protocol, without copying it.

In: an object with `__dlpack__`.  Out: where its elements lie, of which type, and an owner that has
to be kept while they are used.  Decides nothing.  Leaves to `arrays` what is refused.

The layout of the structures is DLPack's C header, version 1; capsules of version 0, which know no
flags, are read as well.
"""

import ctypes
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

__all__ = ["CPU", "Exported", "export"]

# Anything with `__dlpack__`.
Array: TypeAlias = Any

# Device types that the host can address: kDLCPU, and page-locked memory of the GPU runtimes.
CPU: Final = frozenset({1, 3, 11})

_READ_ONLY: Final = 1
_COPIED: Final = 2

# (type code, bits) of one-lane element types: signed, unsigned, float, bfloat, bool.
_DTYPES: Final = {
    **{(0, bits): f"i{bits}" for bits in (8, 16, 32, 64)},
    **{(1, bits): f"u{bits}" for bits in (8, 16, 32, 64)},
    **{(2, bits): f"f{bits}" for bits in (16, 32, 64)},
    (4, 16): "bf16",
    (6, 8): "bool",
}


class _Tensor(ctypes.Structure):
    _fields_: ClassVar = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_: ClassVar = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


class Exported(NamedTuple):
    """An array as DLPack describes it.

    `dtype` is our name of the element type, or None for one that we lack; `described` names it in
    DLPack's words.  `strides` count elements.  `owner` keeps the memory alive.
    """

    address: int
    dtype: str | None
    described: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    readonly: bool
    device_type: int
    device_id: int
    owner: object


def export(array: Array) -> Exported:
    """Ask `array` for its DLPack description.

    The capsule is not consumed: it stays the owner, and its destructor releases the array.  Without
    flags (version 0) an array counts as read-only, as NumPy has it, and so does a copy.
    """
    try:
        capsule = array.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = array.__dlpack__()
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        readonly = bool(managed.flags & (_READ_ONLY | _COPIED))
        return _read(managed.tensor, readonly, capsule)
    return _read(_Tensor.from_address(_pointer(capsule, b"dltensor")), True, capsule)


def _read(tensor: _Tensor, readonly: bool, owner: object) -> Exported:
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None
    known = _DTYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    return Exported(
        address=(tensor.data or 0) + tensor.byte_offset,
        dtype=known,
        described=f"DLPack type code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes",
        shape=shape,
        strides=_compact(shape) if strides is None else strides,
        readonly=readonly,
        device_type=tensor.device_type,
        device_id=tensor.device_id,
        owner=owner,
    )


def _compact(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a C-ordered array, which version 0 may leave out."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
