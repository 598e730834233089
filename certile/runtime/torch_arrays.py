"""PyTorch's tensors: their signature and address, and which of them are plain memory.

In: a tensor; PyTorch is never imported here, its tensors exist only where it already is.  Out: its
signature and address for every call, an `ArrayInfo` for the first of a signature.  Decides that
tensors are refused whose elements are not what address and strides say.
"""

import functools
import itertools
import math
import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.array_types import FULL_NAMES
from certile.runtime import memory, torch_modes
from certile.runtime.array_info import (
    PLACES,
    ArrayInfo,
    HeldAddress,
    Signature,
    names_of,
    type_name,
)

__all__ = ["address", "address_on_device", "describe", "empty", "is_tensor", "maker", "probe"]

# The package is optional, so its names cannot be imported for their types.
Tensor: TypeAlias = Any
Torch: TypeAlias = Any

# No buffer has as many bytes as 40 bits count, and all numbers fit an address.
_BUFFER_BITS: Final = 40
_MOST_BUFFERS: Final = 1 << 22
_count = itertools.count(1)
_buffers: Final[dict[int, int]] = {}


def is_tensor(array: object) -> bool:
    """Whether a value is a tensor, of a subclass too."""
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return tensor is not None and isinstance(array, tensor)


def probe(tensor: Tensor) -> tuple[Signature, int]:
    """Return the signature and the address of a tensor."""
    try:
        address = tensor.data_ptr()
        place = tensor.is_cpu or tensor.device
        if place is not True and _on_mps(tensor):
            address = HeldAddress.of(address_on_device(tensor), tensor)
        return (
            probe,
            tensor.dtype,
            tensor.shape,
            # The shape of a contiguous tensor says its strides.
            tensor.is_contiguous() or tensor.stride(),
            # A storage that was given back lies at 0, and has a signature that is never known.
            PLACES[address & 63] if address else 0,
            tensor.requires_grad,
            place,
            tensor.is_neg(),
        ), address
    except RuntimeError:
        # Sparse tensors have no strides and tensors inside a transform no address.
        describe(tensor)
        raise


def address(tensor: Tensor) -> int:
    """Return the address of a tensor that was made for a call on the host."""
    try:
        found: int = tensor.data_ptr()
    except RuntimeError:
        # Inside a transform not even a new one has an address.
        describe(tensor)
        raise
    return found


def describe(tensor: Tensor) -> ArrayInfo:
    """Describe a tensor; raises as `arrays.describe` says."""
    torch = sys.modules["torch"]
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        raise UnsupportedError(
            "U201",
            f"{type_name(tensor)} gives tensors another meaning",
            # What wraps others, or only stands for elements, has none to be taken.
            hint="pass tensor.as_subclass(torch.Tensor), if its plain elements are meant"
            if _storage(tensor)
            else "pass a plain tensor that holds elements, outside of tracing and export",
        )
    if problem := _problem(tensor, torch):
        reason, hint = problem
        raise UnsupportedError("U201", f"the tensor {reason}", hint=hint)
    torch_modes.watch(torch)
    torch_modes.refuse(tensor, torch)
    name = _names(torch).get(tensor.dtype)
    if name is None:
        raise ArgumentError("A202", f"kernels have no element type {tensor.dtype}")
    return ArrayInfo(
        address=address_on_device(tensor) if _on_mps(tensor) else tensor.data_ptr(),
        dtype=name,
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        itemsize=tensor.element_size(),
        readonly=False,
        framework="torch",
        device=str(tensor.device),
        requires_grad=tensor.requires_grad,
    )


def empty(shape: tuple[int, ...], dtype: str, device: str = "cpu") -> Tensor:
    """Return an uninitialised contiguous tensor of one of our element types on a device."""
    torch = sys.modules["torch"]
    kind = getattr(torch, FULL_NAMES[dtype])
    if device != "cpu":
        return torch.empty(shape, dtype=kind, device=device)
    return memory.empty_torch(shape, kind)


def maker(shape: tuple[int, ...], dtype: str, device: str = "cpu") -> Callable[[], Tensor]:
    """Return what does the same again and again, at the least cost."""
    torch = sys.modules["torch"]
    kind = getattr(torch, FULL_NAMES[dtype])
    if device != "cpu" or math.prod(shape) * kind.itemsize >= memory.POOLED_BYTES:
        return functools.partial(empty, shape, dtype, device)
    strides = empty(shape, dtype).stride()
    # PyTorch reads its arguments in two thirds of the time that `torch.empty` takes.
    return functools.partial(
        torch.empty_strided, shape, strides, dtype=kind, device=torch_modes.modes.host
    )


def address_on_device(tensor: Tensor) -> int:
    """Return a number that stands for where a tensor on `mps` lies.

    PyTorch gives the identity of a Metal buffer there, not an address.  Two numbers differ by bytes
    where their tensors share a buffer, and by more than any buffer has where they do not.
    """
    identity = _buffers.setdefault(int(tensor.untyped_storage().data_ptr()), next(_count))
    inside = int(tensor.storage_offset()) * int(tensor.element_size())
    return (identity % _MOST_BUFFERS << _BUFFER_BITS) + inside


def _on_mps(tensor: Tensor) -> bool:
    return bool(tensor.is_mps)


def _problem(tensor: Tensor, torch: Torch) -> tuple[str, str] | None:
    """Say why a tensor's elements are not what its address and strides tell, and what helps."""
    if tensor.is_meta:
        return "is on the meta device and has no elements", "pass a tensor that holds data"
    if tensor.is_nested:
        return "is nested: its parts have shapes of their own", "pass one part, or a padded tensor"
    if tensor.layout is not torch.strided:
        return f"is stored as {tensor.layout}", "pass tensor.to_dense()"
    if tensor.is_quantized:
        return f"is quantised as {tensor.dtype}", "pass tensor.dequantize() or tensor.int_repr()"
    if tensor.is_neg():
        return "holds its elements negated", "pass tensor.resolve_neg()"
    try:
        address = tensor.data_ptr()
    except RuntimeError:
        return "has no memory of its own", "call the kernel outside torch.func and tracing"
    if address or not tensor.numel():
        return None
    if _storage(tensor) is None:
        return "has no memory of its own", "call the kernel outside torch.func and tracing"
    return "has a storage without memory", "resize the storage to what the tensor needs"


def _storage(tensor: Tensor) -> int | None:
    """Return where a tensor's storage lies; 0 where it has no memory, None where it is none."""
    try:
        storage = tensor.untyped_storage()
        # Fake tensors have one on the meta device, and warn when they are asked for its address.
        return None if storage.device.type == "meta" else int(storage.data_ptr())
    except (RuntimeError, ValueError):  # of a wrapper; of a parameter that is not initialised
        return None


@functools.cache
def _names(torch: Torch) -> dict[Any, str]:
    """Map PyTorch's dtypes to ours; older versions lack some of them."""
    return names_of(torch, FULL_NAMES)
