"""PyTorch's tensors: their signature and address, and which of them are plain memory.

In: a tensor; PyTorch is never imported here, its tensors exist only where it already is.  Out: its
signature and address for every call, an `ArrayInfo` for the first of a signature.  Decides that
tensors are refused whose elements are not what address and strides say.
"""

import functools
import sys
from typing import Any, Final, TypeAlias

from certile.diagnostics import ArgumentError, UnsupportedError
from certile.runtime import memory
from certile.runtime.array_info import (
    ALIGNMENTS,
    FRAMEWORK_NAMES,
    ArrayInfo,
    Signature,
    names_of,
    type_name,
)

__all__ = ["describe", "empty", "is_tensor", "probe"]

# The package is optional, so its names cannot be imported for their types.
Tensor: TypeAlias = Any
Torch: TypeAlias = Any

_DTYPES: Final = {ours: name for name, ours in FRAMEWORK_NAMES.items()}


def is_tensor(array: object) -> bool:
    """Whether a value is a tensor, of a subclass too."""
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return tensor is not None and isinstance(array, tensor)


def probe(tensor: Tensor) -> tuple[Signature, int]:
    """Return the signature and the address of a tensor."""
    try:
        address = tensor.data_ptr()
        return (
            probe,
            tensor.dtype,
            tensor.shape,
            # The shape of a contiguous tensor says its strides.
            tensor.is_contiguous() or tensor.stride(),
            # A storage that was given back lies at 0, and has a signature that is never known.
            ALIGNMENTS[address & 63] if address else 0,
            tensor.requires_grad,
            tensor.is_cpu or tensor.device,
            tensor.is_neg(),
        ), address
    except RuntimeError:
        # Sparse tensors have no strides and tensors inside a transform no address.
        describe(tensor)
        raise


def describe(tensor: Tensor) -> ArrayInfo:
    """Describe a tensor; raises as `arrays.describe` says."""
    torch = sys.modules["torch"]
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        raise UnsupportedError(
            "U201",
            f"{type_name(tensor)} gives tensors another meaning",
            hint="pass tensor.as_subclass(torch.Tensor), if its plain elements are meant",
        )
    if problem := _problem(tensor, torch):
        reason, hint = problem
        raise UnsupportedError("U201", f"the tensor {reason}", hint=hint)
    name = _names(torch).get(tensor.dtype)
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


def empty(shape: tuple[int, ...], dtype: str) -> Tensor:
    """Return an uninitialised contiguous CPU tensor of one of our element types."""
    return memory.empty_torch(shape, getattr(sys.modules["torch"], _DTYPES[dtype]))


def _problem(tensor: Tensor, torch: Torch) -> tuple[str, str] | None:
    """Say why a tensor's elements are not what its address and strides tell, and what helps."""
    if tensor.is_meta:
        return "is on the meta device and has no elements", "pass a tensor that holds data"
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
    if not address and tensor.numel():
        return "has a storage without memory", "resize the storage to what the tensor needs"
    return None


@functools.cache
def _names(torch: Torch) -> dict[Any, str]:
    """Map PyTorch's dtypes to ours; older versions lack some of them."""
    return names_of(torch, FRAMEWORK_NAMES)
