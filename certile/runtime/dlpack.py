"""Arrays of any framework that speaks DLPack, read without copying them.

In: an object with `__dlpack__`.  Out: its signature and address for every call, an `ArrayInfo` for
the first of a signature.  Decides that memory which the host cannot address is refused before it
is asked for, and so is a structure of an unknown version.

A capsule is not consumed: it stays the owner of the memory, and its destructor, which the exporter
wrote, releases it.  So an address is good for as long as the capsule lives; `probe` returns one
that holds it.  The layout of the structures is DLPack's C header, version 1; capsules of version 0,
which know no flags, are read as well.
"""

import ctypes
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

import numpy as np

from certile.diagnostics import ArgumentError, CertileError, UnsupportedError
from certile.ir.array_types import numpy_dtype
from certile.runtime.array_info import (
    PLACES,
    ArrayInfo,
    HeldAddress,
    Signature,
    type_name,
)
from certile.runtime.buffers import capsule_is, capsule_pointer, word_at

__all__ = ["Exported", "address", "describe", "lends", "probe", "read"]

# Anything with `__dlpack__`.
Array: TypeAlias = Any

# Device types that the host can address: kDLCPU, and page-locked memory of the GPU runtimes.
_HOST: Final = frozenset({1, 3, 11})

_DEVICES: Final = {
    2: "CUDA",
    4: "OpenCL",
    7: "Vulkan",
    8: "Metal",
    10: "ROCm",
    13: "managed CUDA",
    14: "oneAPI",
    15: "WebGPU",
}

_MAJOR: Final = 1
_READ_ONLY: Final = 1
_COPIED: Final = 2

# (type code, bits) of one-lane element types: signed, unsigned, float, bfloat, bool, and the 8-bit
# floats of version 1.1.
_DTYPES: Final = {
    **{(0, bits): f"i{bits}" for bits in (8, 16, 32, 64)},
    **{(1, bits): f"u{bits}" for bits in (8, 16, 32, 64)},
    **{(2, bits): f"f{bits}" for bits in (16, 32, 64)},
    (4, 16): "bf16",
    (6, 8): "bool",
    (10, 8): "f8e4m3",
    (12, 8): "f8e5m2",
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


_BYTE_OFFSET: Final = _Tensor.byte_offset.offset


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
    device: tuple[int, int]
    owner: object


def lends(value: object) -> bool:
    """Whether a value is an array of DLPack; no class of arrays is one, and no scalar of NumPy."""
    return hasattr(value, "__dlpack__") and not isinstance(value, np.generic | type)


def probe(array: Array) -> tuple[Signature, int]:
    """Return the signature and the address of an array; the address keeps the memory alive."""
    exported = _export(array)
    layout = (
        exported.dtype,
        exported.shape,
        exported.strides,
        PLACES[exported.address & 63],
        exported.readonly,
    )
    return (type(array), *layout), HeldAddress.of(exported.address, exported.owner)


def describe(array: Array) -> ArrayInfo:
    """Describe an array; raises as `arrays.describe` says."""
    exported = _export(array)
    assert exported.dtype is not None
    return ArrayInfo(
        address=exported.address,
        dtype=exported.dtype,
        shape=exported.shape,
        strides=exported.strides,
        itemsize=numpy_dtype(exported.dtype).itemsize,
        readonly=exported.readonly,
        framework="dlpack",
    )


def address(capsule: object) -> int:
    """Return the address in a fresh capsule of version 0, at less cost than reading all of it."""
    tensor = capsule_pointer(capsule, b"dltensor")
    return (word_at(tensor).value or 0) + (word_at(tensor + _BYTE_OFFSET).value or 0)


def read(capsule: object) -> Exported:
    """Read what a capsule describes; it stays the owner.

    Without flags (version 0) an array counts as read-only, as NumPy has it, and so does a copy.
    Raises `ArgumentError` A201 for what is no fresh capsule of DLPack or has extents that no array
    has, and `UnsupportedError` U201 for a version whose layout is unknown.
    """
    if capsule_is(capsule, b"dltensor"):
        return _read(_Tensor.from_address(capsule_pointer(capsule, b"dltensor")), True, capsule)
    if not capsule_is(capsule, b"dltensor_versioned"):
        raise ArgumentError("A201", f"__dlpack__ returned {capsule!r}, which describes no array")
    managed = _Versioned.from_address(capsule_pointer(capsule, b"dltensor_versioned"))
    if managed.major != _MAJOR:
        raise UnsupportedError(
            "U201",
            f"the array is described by DLPack {managed.major}.{managed.minor}",
            hint=f"this version reads DLPack 0 and {_MAJOR}; pass np.from_dlpack(array)",
        )
    return _read(managed.tensor, bool(managed.flags & (_READ_ONLY | _COPIED)), capsule)


def _export(array: Array) -> Exported:
    """Ask `array` for its description; raises for a device or an element type that is not ours."""
    device = array.__dlpack_device__() if hasattr(array, "__dlpack_device__") else (1, 0)
    if not (
        isinstance(device, tuple)
        and len(device) == 2
        and all(isinstance(each, int) for each in device)
    ):
        raise ArgumentError("A201", f"__dlpack_device__ returned {device!r}, which is no device")
    _require_host(array, device)
    try:
        capsule = _capsule(array)
    except CertileError:
        # Some of them are a ValueError or a RuntimeError too, and say more.
        raise
    except (BufferError, ValueError, RuntimeError) as error:
        raise UnsupportedError(
            "U201",
            f"{type_name(array)} lends no memory",
            hint="convert it to a plain array first",
            notes=(str(error),),
        ) from error
    exported = read(capsule)
    _require_host(array, exported.device)
    if not exported.address and 0 not in exported.shape:
        raise UnsupportedError(
            "U201",
            f"{type_name(array)} lends memory at address 0",
            hint="convert it to a plain array first",
        )
    if exported.dtype is None:
        raise ArgumentError("A202", f"kernels have no element type like {exported.described}")
    return exported


def _capsule(array: Array) -> object:
    try:
        return array.__dlpack__(max_version=(_MAJOR, 0))
    except TypeError:
        # Exporters of version 0 do not know the keyword.
        return array.__dlpack__()


def _require_host(array: Array, device: tuple[int, int]) -> None:
    kind, number = (int(each) for each in device)
    if kind in _HOST:
        return
    named = _DEVICES.get(kind, f"DLPack type {kind}")
    raise ArgumentError(
        "A205",
        f"{type_name(array)} lies in memory of the device {named} {number}",
        hint="copy it to the CPU; CUDA arrays are taken as PyTorch tensors",
    )


def _read(tensor: _Tensor, readonly: bool, owner: object) -> Exported:
    rank = tensor.ndim
    if rank < 0 or (rank and not tensor.shape):
        raise ArgumentError("A201", f"__dlpack__ describes an array of {rank} axes without extents")
    shape = tuple(tensor.shape[i] for i in range(rank))
    if shape and min(shape) < 0:
        raise ArgumentError("A201", f"__dlpack__ describes an array of shape {shape}")
    strides = tuple(tensor.strides[i] for i in range(rank)) if tensor.strides else None
    known = _DTYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    return Exported(
        address=(tensor.data or 0) + tensor.byte_offset,
        dtype=known,
        described=f"DLPack type code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes",
        shape=shape,
        strides=_compact(shape) if strides is None else strides,
        readonly=readonly,
        device=(tensor.device_type, tensor.device_id),
        owner=owner,
    )


def _compact(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a C-ordered array, which version 0 may leave out."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))
