"""The caller's arrays, read without copying: address, type, shape, strides, who owns them.

In: NumPy arrays, PyTorch tensors, or anything with `__dlpack__`.  Out: an `ArrayInfo` (what a first
call needs), a signature and an address (what every call needs), and how two arrays overlap.
Decides which arrays are understood, and refuses the others with a reason: an array whose elements
are not what its address and strides say (a mask, another byte order, a negation bit, sparse
storage) is never reinterpreted.  Leaves to others which types and layouts a kernel takes.

`probe` is on the path of every call and must stay under half a microsecond; `describe` runs once
for each signature and may ask more.  So everything that makes `describe` refuse an array is part
of the signature.  PyTorch is never imported here; its tensors exist only where it already is.
"""

import ctypes
import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from certile.diagnostics import ArgumentError, UnsupportedError
from certile.runtime import dlpack, memory

__all__ = [
    "ArrayInfo",
    "Framework",
    "Overlap",
    "Signature",
    "alignment",
    "check_output",
    "describe",
    "empty_like_framework",
    "extent",
    "numpy_dtype",
    "overlap",
    "probe",
    "probe_into",
    "prober",
    "signature",
]

Framework = Literal["numpy", "torch", "dlpack"]
Overlap = Literal["none", "same", "partial", "interleaved"]

# An array of whatever framework, an array of NumPy, and PyTorch's tensor and module: the package is
# optional, so its names cannot be imported for their types.
Array: TypeAlias = Any
NumpyArray: TypeAlias = np.ndarray[Any, Any]
Tensor: TypeAlias = Any
Torch: TypeAlias = Any

# Opaque: equal signatures mean arrays that one prepared kernel serves alike.
Signature = tuple[object, ...]

# Candidates that the exact overlap test may look at before it gives up; about 0.1 ms.
_OVERLAP_EFFORT: Final = 10_000

_TORCH_NAMES: Final = {
    "bool": "bool",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
}


class ArrayInfo(NamedTuple):
    """One array, as a launch sees it.

    `address` is that of the element with all indices 0; `strides` count elements, may be negative
    or 0.  `dtype` is our name ("f32").  `device` is "cpu", "cuda:0", ….  `owner` keeps the memory
    alive for a framework that only lends it; the array itself does for the others.
    """

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    readonly: bool
    framework: Framework
    device: str = "cpu"
    requires_grad: bool = False
    owner: object = None

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for n in self.shape:
            count *= n
        return count


def probe(array: Array) -> tuple[Signature, int]:
    """Return the signature and the address of an array.

    The signature of an array holds its type, element type, shape, strides, alignment class and
    whatever else decides if it is understood.  The address is that of its first element.
    """
    return _PROBES.get(type(array), _probe_other)(array)


def prober(kind: type) -> Callable[[Array], tuple[Signature, int]]:
    """Return what `probe` does for arrays of exactly this type, to be called at once."""
    return _PROBES.get(kind, _probe_other)


def probe_into(group: Iterable[Array], signatures: list[Any], addresses: list[int]) -> None:
    """Append the signature and the address of each array, at less cost than one by one."""
    find, other = _PROBES.get, _probe_other
    for array in group:
        found, address = find(type(array), other)(array)
        signatures.append(found)
        addresses.append(address)


def signature(array: Array) -> Signature:
    """Return the dispatch key of an array."""
    return probe(array)[0]


def alignment(address: int) -> int:
    """Return the alignment class of an address: the greatest of 64, 32, …, 2, 1 that divides it."""
    return _ALIGNMENTS[address & 63]


def describe(array: Array) -> ArrayInfo:
    """Describe an array of any framework.

    Raises `ArgumentError` A201 for what is no array, A202 for an element type that kernels lack or
    another byte order, A203 for strides that are no whole number of elements, and
    `UnsupportedError` U201 for arrays whose elements cannot be reached by address and strides.
    """
    if isinstance(array, np.ndarray):
        return _describe_numpy(array)
    if _is_tensor(array):
        return _describe_torch(array)
    if hasattr(array, "__dlpack__") and not isinstance(array, np.generic):
        return _describe_dlpack(array)
    raise ArgumentError(
        "A201",
        f"{_type_name(array)} is not an array",
        hint="pass a NumPy array, a PyTorch tensor or an object with __dlpack__",
    )


def check_output(info: ArrayInfo, name: str) -> None:
    """Check that a kernel may store to the array given for parameter `name`.

    Raises `ArgumentError` A204 if it is read-only, takes part in automatic differentiation, or
    has elements that share memory with each other.
    """
    if info.readonly:
        problem, hint = "is read-only", "pass an array that may be written"
    elif info.requires_grad:
        problem, hint = "requires grad", "pass output.detach(), or run under torch.no_grad()"
    elif _may_overlap_itself(info):
        problem, hint = "has elements that share memory", "pass an array made by empty()"
    else:
        return
    raise ArgumentError("A204", f"{name} is stored to, but {problem}", hint=hint)


def extent(info: ArrayInfo) -> tuple[int, int]:
    """Return the byte range [low, high) of all elements, relative to the array's address."""
    if 0 in info.shape:
        return 0, 0
    spans = [(n - 1) * s * info.itemsize for n, s in zip(info.shape, info.strides, strict=True)]
    return sum(min(span, 0) for span in spans), sum(max(span, 0) for span in spans) + info.itemsize


def overlap(a: ArrayInfo, b: ArrayInfo) -> Overlap:
    """Say how two arrays share memory.

    "same": the same elements at the same indices.  "none": their byte ranges are disjoint.
    "interleaved": the ranges meet, but no byte belongs to both.  "partial": some byte belongs to
    both, or that could not be excluded with bounded effort.
    """
    a_low, a_high = extent(a)
    b_low, b_high = extent(b)
    if a_low == a_high or b_low == b_high:
        return "none"
    if a.address + a_high <= b.address + b_low or b.address + b_high <= a.address + a_low:
        return "none"
    if a.address == b.address and a.itemsize == b.itemsize and _steps(a) == _steps(b):
        return "same"
    try:
        shared = _shares_memory(_bytes_of(a), _bytes_of(b), max_work=_OVERLAP_EFFORT)
    except np.exceptions.TooHardError:
        shared = True
    return "partial" if shared else "interleaved"


def empty_like_framework(framework: Framework, shape: tuple[int, ...], dtype: str) -> Array:
    """Return an uninitialised C-ordered CPU array of a framework; "dlpack" gets a NumPy array."""
    if framework == "torch":
        name = next(name for name, ours in _TORCH_NAMES.items() if ours == dtype)
        return memory.empty_torch(shape, getattr(sys.modules["torch"], name))
    return memory.empty_numpy(shape, numpy_dtype(dtype))


@functools.cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return the NumPy dtype of an element type; `bf16` comes from ml_dtypes."""
    if name == "bf16":
        import ml_dtypes

        extension: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return extension
    return _NUMPY_DTYPES[name]


# Probing

_ALIGNMENTS: Final = tuple((i & -i) or 64 for i in range(64))

# NumPy's arrays have the buffer protocol in C, which types before Python 3.12 cannot say.
_from_buffer: Callable[[Array], Any] = (ctypes.c_char * 0).from_buffer
_address_of = ctypes.addressof
_pointer_at = ctypes.c_void_p.from_address
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)

# Where `data` lies in the structure of NumPy's array interface: two ints, a char padded to four
# bytes, two ints padded to eight, and the pointers to shape and strides stand before it.
_DATA_OFFSET: Final = 40

_NUMPY_DTYPES: Final = {
    "bool": np.dtype(np.bool_),
    **{f"i{n}": np.dtype(f"i{n // 8}") for n in (8, 16, 32, 64)},
    **{f"u{n}": np.dtype(f"u{n // 8}") for n in (8, 16, 32, 64)},
    **{f"f{n}": np.dtype(f"f{n // 8}") for n in (16, 32, 64)},
}
_NAMES: Final = {dtype: name for name, dtype in _NUMPY_DTYPES.items()}


def _probe_numpy(array: NumpyArray) -> tuple[Signature, int]:
    try:
        # The cheapest public way to the address; it needs a contiguous, writable array of a type
        # that the buffer protocol has a letter for, and refuses every other.
        address = _address_of(_from_buffer(array))
    except (TypeError, ValueError, BufferError):
        address = _numpy_address(array)
        aligned = _ALIGNMENTS[address & 63]
        layout = (array.strides, array.flags.writeable)
        return (np.ndarray, array.dtype, array.shape, aligned, layout), address
    # The shape of a contiguous array says its strides.
    return (np.ndarray, array.dtype, array.shape, _ALIGNMENTS[address & 63]), address


def _numpy_address(array: NumpyArray) -> int:
    capsule = array.__array_struct__
    return _pointer_at(_capsule_pointer(capsule, None) + _DATA_OFFSET).value or 0


def _probe_torch(tensor: Tensor) -> tuple[Signature, int]:
    try:
        address = tensor.data_ptr()
        return (
            _probe_torch,
            tensor.dtype,
            tensor.shape,
            # The shape of a contiguous tensor says its strides.
            tensor.is_contiguous() or tensor.stride(),
            _ALIGNMENTS[address & 63],
            tensor.requires_grad,
            tensor.is_cpu or tensor.device,
            tensor.is_neg(),
        ), address
    except RuntimeError:
        # Sparse tensors have no strides and tensors inside a transform no address.
        describe(tensor)
        raise


def _probe_other(array: Array) -> tuple[Signature, int]:
    """Probe what has no fast way, and give it one where it can have one."""
    info = describe(array)
    kind = type(array)
    if isinstance(array, np.ndarray):
        _PROBES[kind] = _probe_numpy
        return _probe_numpy(array)
    if info.framework == "torch":
        _PROBES[kind] = _probe_torch
        return _probe_torch(array)
    aligned = _ALIGNMENTS[info.address & 63]
    layout = (info.dtype, info.shape, info.strides, aligned, info.readonly, info.device)
    return (kind, *layout), info.address


_PROBES: Final[dict[type, Callable[[Array], tuple[Signature, int]]]] = {np.ndarray: _probe_numpy}


# Describing


def _describe_numpy(array: NumpyArray) -> ArrayInfo:
    if type(array) not in (np.ndarray, np.memmap):
        raise UnsupportedError(
            "U201",
            f"{_type_name(array)} gives NumPy's arrays another meaning",
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
        address=_numpy_address(array),
        dtype=name,
        shape=array.shape,
        strides=tuple(step // size for step in array.strides),
        itemsize=size,
        readonly=not array.flags.writeable,
        framework="numpy",
    )


def _extension_name(dtype: np.dtype[Any]) -> str | None:
    """Name a dtype that another package registers, without importing that package."""
    return "bf16" if dtype.name == "bfloat16" and dtype.itemsize == 2 else None


def _describe_torch(tensor: Tensor) -> ArrayInfo:
    torch = sys.modules["torch"]
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        raise UnsupportedError(
            "U201",
            f"{_type_name(tensor)} gives tensors another meaning",
            hint="pass tensor.as_subclass(torch.Tensor), if its plain elements are meant",
        )
    if problem := _torch_problem(tensor, torch):
        reason, hint = problem
        raise UnsupportedError("U201", f"the tensor {reason}", hint=hint)
    name = _torch_names(torch).get(tensor.dtype)
    if name is None:
        raise ArgumentError("A202", f"kernels have no element type {tensor.dtype}")
    return ArrayInfo(
        address=tensor.data_ptr(),
        dtype=name,
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        itemsize=tensor.element_size(),
        readonly=False,
        framework="torch",
        device=str(tensor.device),
        requires_grad=tensor.requires_grad,
    )


def _torch_problem(tensor: Tensor, torch: Torch) -> tuple[str, str] | None:
    """Say why a tensor's elements are not what its address and strides tell, and what helps."""
    if tensor.is_meta:
        return "is on the meta device and has no elements", "pass a tensor that holds data"
    if tensor.layout is not torch.strided:
        return f"is stored as {tensor.layout}", "pass tensor.to_dense()"
    if tensor.is_neg():
        return "holds its elements negated", "pass tensor.resolve_neg()"
    try:
        tensor.data_ptr()
    except RuntimeError:
        return "has no memory of its own", "call the kernel outside torch.func and tracing"
    return None


def _describe_dlpack(array: Array) -> ArrayInfo:
    exported = dlpack.export(array)
    if exported.dtype is None:
        raise ArgumentError("A202", f"kernels have no element type like {exported.described}")
    on_host = exported.device_type in dlpack.CPU
    return ArrayInfo(
        address=exported.address,
        dtype=exported.dtype,
        shape=exported.shape,
        strides=exported.strides,
        itemsize=numpy_dtype(exported.dtype).itemsize,
        readonly=exported.readonly,
        framework="dlpack",
        device="cpu" if on_host else f"dlpack:{exported.device_type}:{exported.device_id}",
        owner=exported.owner,
    )


def _is_tensor(array: object) -> bool:
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return tensor is not None and isinstance(array, tensor)


@functools.cache
def _torch_names(torch: Torch) -> dict[Any, str]:
    """Map PyTorch's dtypes to ours; versions before 2.3 lack the wider unsigned ones."""
    present = [(name, ours) for name, ours in _TORCH_NAMES.items() if hasattr(torch, name)]
    return {getattr(torch, name): ours for name, ours in present}


def _type_name(value: object) -> str:
    kind = type(value)
    prefix = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return prefix + kind.__qualname__


# Overlap


class _Bytes:
    """An array of opaque elements at an address; NumPy computes with it but never reads it."""

    def __init__(self, info: ArrayInfo) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (info.address, False),
            "shape": info.shape,
            "strides": tuple(step * info.itemsize for step in info.strides),
            "typestr": f"|V{info.itemsize}",
        }


# NumPy's stubs know only the two special values of `max_work`.
_shares_memory: Callable[..., bool] = np.shares_memory


def _bytes_of(info: ArrayInfo) -> NumpyArray:
    return np.asarray(_Bytes(info))


def _steps(info: ArrayInfo) -> tuple[tuple[int, int], ...]:
    """Return extent and stride of each axis; the stride of an axis of one element says nothing."""
    return tuple((n, s if n > 1 else 0) for n, s in zip(info.shape, info.strides, strict=True))


def _may_overlap_itself(info: ArrayInfo) -> bool:
    """Whether two indices may name one element.

    False is proved: sorted by stride, each axis steps over everything that the axes below it span.
    """
    span = 0
    axes = ((abs(s), n) for n, s in zip(info.shape, info.strides, strict=True) if n > 1)
    for stride, n in sorted(axes):
        if stride <= span:
            return 0 not in info.shape
        span += stride * (n - 1)
    return False
