"""The caller's arrays, read without copying: address, type, shape, strides, who owns them.

In: NumPy arrays, PyTorch tensors, MLX arrays, or anything with `__dlpack__`.  Out: an `ArrayInfo`
(what a first call needs), a signature and an address (what every call needs), and results in the
caller's framework.  Decides which framework an array is of, and which arrays may be stored to.
Leaves each framework to its own file, which refuses with a reason: an array whose elements
are not what its address and strides say (a mask, another byte order, a negation bit, sparse
storage) is never reinterpreted.  Leaves to others which types and layouts a kernel takes.

`probe` is on the path of every call and must stay under half a microsecond; `describe` runs once
for each signature and may ask more.  So everything that makes `describe` refuse an array is part
of the signature, or one of the modes of PyTorch for which whoever probes looks out.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import prod
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from certile.diagnostics import ArgumentError, CertileError
from certile.ir.array_types import numpy_dtype
from certile.runtime import dlpack, memory, mlx_arrays, numpy_arrays, torch_arrays
from certile.runtime.array_info import (
    ArrayInfo,
    Framework,
    HeldAddress,
    Probe,
    Signature,
    alignment,
    extent,
    type_name,
)
from certile.runtime.overlap import Overlap, meets_itself, overlap
from certile.runtime.torch_modes import modes

__all__ = [
    "ArrayInfo",
    "Framework",
    "HeldAddress",
    "Overlap",
    "Signature",
    "address",
    "alignment",
    "check_output",
    "describe",
    "describe_argument",
    "empty_like_framework",
    "extent",
    "holder",
    "maker",
    "overlap",
    "probe",
    "probe_into",
    "probe_made",
    "prober",
    "require_plain",
    "signature",
]

# An array of whatever framework.
Array: TypeAlias = Any


def probe(array: Array) -> tuple[Signature, int]:
    """Return the signature and the address of an array.

    The signature of an array holds its type, element type, shape, strides, alignment class and
    whatever else decides if it is understood.  The address is that of its first element; it is good
    while the array lives, and the address of what a framework only lends keeps it alive.
    """
    return _PROBES.get(type(array), _probe_other)(array)


def prober(kind: type) -> Probe:
    """Return what `probe` does for arrays of exactly this type, to be called at once."""
    return _PROBES.get(kind, _probe_other)


def probe_into(group: Sequence[Array], signatures: list[Any], addresses: list[int]) -> None:
    """Append the signature and the address of each array, at less cost than one by one.

    Raises `UnsupportedError` as `describe` does for tensors that PyTorch traces or differentiates.
    """
    # As in `torch_modes.any_on`, without the cost of a call.
    if (
        modes.forward._current_level >= 0
        or modes.dispatch._is_in_torch_dispatch_mode
        or modes.is_tracing()
    ):
        require_plain(group)
    probe_made(group, signatures, addresses)


def probe_made(group: Sequence[Array], signatures: list[Any], addresses: list[int]) -> None:
    """Append the same of arrays that were made for the call, which nobody differentiates."""
    find, other = _PROBES.get, _probe_other
    for array in group:
        found, address = find(type(array), other)(array)
        signatures.append(found)
        addresses.append(address)


def require_plain(group: Iterable[Array]) -> None:
    """Raise for a tensor of which a signature says too little while PyTorch is in a mode.

    To be asked where one of `modes` is on; raises as `describe` does.
    """
    for array in group:
        if torch_arrays.is_tensor(array):
            describe(array)


def signature(array: Array) -> Signature:
    """Return the dispatch key of an array."""
    return probe(array)[0]


def describe(array: Array) -> ArrayInfo:
    """Describe an array of any framework.

    Raises `ArgumentError` A201 for what is no array, A202 for an element type that kernels lack or
    another byte order, A203 for strides that are no whole number of elements, A205 for memory that
    the host cannot address, and `UnsupportedError` U201 for arrays whose elements cannot be reached
    by address and strides.
    """
    return _FRAMEWORKS[_framework(array)].describe(array)


def describe_argument(array: Array, name: str) -> ArrayInfo:
    """Describe the array of an argument; what `describe` raises says which argument it is of."""
    try:
        return describe(array)
    except CertileError as error:
        refused = error.noted(f"argument {name}")
    raise refused


def check_output(info: ArrayInfo, name: str) -> None:
    """Check that a kernel may store to the array given for parameter `name`.

    Raises `ArgumentError` A204 if it is read-only, takes part in automatic differentiation, or
    has elements that share memory with each other.
    """
    if info.readonly:
        problem, hint = "is read-only", "pass an array that may be written"
    elif info.requires_grad:
        problem, hint = "requires grad", "pass output.detach()"
    elif meets_itself(info):
        problem, hint = "has elements that share memory", "pass an array made by empty()"
    else:
        return
    raise ArgumentError("A204", f"{name} is stored to, but {problem}", hint=hint)


def empty_like_framework(
    framework: Framework, shape: tuple[int, ...], dtype: str, device: str = "cpu"
) -> Array:
    """Return an uninitialised C-ordered array of a framework; "dlpack" gets a NumPy array.

    Only tensors of PyTorch live on a device of their own.
    """
    if framework == "torch":
        return torch_arrays.empty(shape, dtype, device)
    if framework == "mlx":
        return mlx_arrays.empty(shape, dtype)
    return memory.empty_numpy(shape, numpy_dtype(dtype))


def maker(
    framework: Framework,
    shape: tuple[int, ...],
    dtype: str,
    device: str = "cpu",
    order: tuple[int, ...] | None = None,
) -> Callable[[], Array]:
    """Return what makes an array as `empty_like_framework` does, at the least cost a call.

    With `order` its dimensions follow each other in memory as that says, the outermost first.  MLX
    lays out its arrays itself, so there it is a C-ordered one.
    """
    if order is not None and framework != "mlx":
        laid = maker(framework, tuple(shape[dim] for dim in order), dtype, device)
        back = tuple(order.index(dim) for dim in range(len(order)))
        return lambda: laid().permute(back) if framework == "torch" else laid().transpose(back)
    if framework == "torch":
        return torch_arrays.maker(shape, dtype, device)
    if framework == "mlx":
        return mlx_arrays.maker(shape, dtype)
    kind = numpy_dtype(dtype)
    small = prod(shape) * kind.itemsize < memory.ALIGNED_BYTES
    return partial(np.empty if small else memory.empty_numpy, shape, kind)


def address(array: Array) -> int:
    """Return the address that `probe` does, of an array that was made for a call on the host."""
    return _ADDRESSES.get(type(array), _address_other)(array)


def holder(value: object) -> object:
    """Return what keeps the memory that an argument has now alive, for longer than a call."""
    return mlx_arrays.lent(value) if mlx_arrays.is_mlx(value) else value


def _framework(array: Array) -> Framework:
    if isinstance(array, np.ndarray):
        return "numpy"
    if torch_arrays.is_tensor(array):
        return "torch"
    if mlx_arrays.is_mlx(array):
        return "mlx"
    if dlpack.lends(array):
        return "dlpack"
    raise ArgumentError(
        "A201",
        f"{type_name(array)} is not an array",
        hint="pass an array of NumPy, PyTorch or MLX, or an object with __dlpack__",
    )


def _probe_other(array: Array) -> tuple[Signature, int]:
    """Probe what has no fast way, and give it one where it can have one."""
    framework = _framework(array)
    if framework == "dlpack":
        # Not kept by type: a program may make any number of them.
        return dlpack.probe(array)
    # What is refused whatever it holds, such as a subclass, never gets a fast way.
    describe(array)
    reader = _FRAMEWORKS[framework]
    _PROBES[type(array)], _ADDRESSES[type(array)] = reader.probe, reader.address
    return reader.probe(array)


def _address_other(array: Array) -> int:
    return probe(array)[1]


class _Reader(NamedTuple):
    describe: Callable[[Array], ArrayInfo]
    probe: Probe
    address: Callable[[Array], int] = _address_other


_FRAMEWORKS: Final[dict[Framework, _Reader]] = {
    "numpy": _Reader(numpy_arrays.describe, numpy_arrays.probe, numpy_arrays.address),
    "torch": _Reader(torch_arrays.describe, torch_arrays.probe, torch_arrays.address),
    "mlx": _Reader(mlx_arrays.describe, mlx_arrays.probe, mlx_arrays.address),
    "dlpack": _Reader(dlpack.describe, dlpack.probe),
}
_PROBES: Final[dict[type, Probe]] = {np.ndarray: numpy_arrays.probe}
_ADDRESSES: Final[dict[type, Callable[[Array], int]]] = {np.ndarray: numpy_arrays.address}
