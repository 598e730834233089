"""Arrays of one framework as those of another, for contestants of several.

In: arrays of NumPy, PyTorch or MLX.  Out: others with the same elements.  Decides that frameworks
are imported where they are there, and that narrow floats are compared as f32.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "as_numpy",
    "bits_of",
    "integers_of",
    "largest_bits",
    "mlx_array",
    "shared_numpy",
    "tensor_of",
    "torch_or_none",
]

Array = Any


def torch_or_none() -> Any:  # noqa: ANN401 - a module, or None
    """Return PyTorch, or None where it is not installed."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


def as_numpy(array: Array) -> np.ndarray[Any, Any]:
    """Return the elements as NumPy can hold them, narrow floats as f32."""
    if isinstance(array, np.ndarray):
        return array.astype(np.float32) if array.dtype == np.float16 else array
    if not hasattr(array, "detach"):
        mx: Any = importlib.import_module("mlx.core")
        return np.asarray(array.astype(mx.float32) if array.dtype == mx.bfloat16 else array)
    wide = array.float() if array.is_floating_point() else array
    found: np.ndarray[Any, Any] = wide.numpy()
    return found


def shared_numpy(array: Array) -> Array:
    """Return a NumPy array of the same memory."""
    return array if isinstance(array, np.ndarray) else array.numpy()


def mlx_array(array: Array) -> Array:
    """Return a copy as an array of MLX."""
    mx: Any = importlib.import_module("mlx.core")
    plain = as_numpy(array)
    narrow = {"torch.bfloat16": mx.bfloat16, "torch.float16": mx.float16}
    made = mx.array(plain)
    made = made.astype(narrow[str(array.dtype)]) if str(array.dtype) in narrow else made
    mx.eval(made)
    return made


def bits_of(array: Array) -> Any:  # noqa: ANN401 - an array of NumPy, or a tensor of a device
    """Return the elements of an array as integers of their size, in the same memory.

    They are an array of NumPy where that can see the memory, a tensor otherwise.
    """
    if isinstance(array, np.ndarray):
        return array.view(f"i{array.itemsize}")
    integers = integers_of(array)
    return integers.numpy() if integers.device.type == "cpu" else integers


def integers_of(tensor: Any) -> Any:  # noqa: ANN401 - tensors of a package that may be absent
    """Return a tensor as one of integers of its size: NumPy, for one, has no bfloat16."""
    torch: Any = importlib.import_module("torch")
    return tensor.view(getattr(torch, f"int{8 * tensor.element_size()}"))


def largest_bits(arguments: Mapping[str, object], torch: Any) -> Array:  # noqa: ANN401 - a module
    """Return the bits of the largest array in one row; its copy is the yardstick of a contest.

    They are a tensor where there is a PyTorch to copy it.
    """
    arrays: list[Array] = [at for at in arguments.values() if hasattr(at, "nbytes")]
    largest = max(arrays, key=lambda array: array.nbytes)
    if not isinstance(largest, np.ndarray):
        return integers_of(largest).reshape(-1)
    bits = bits_of(largest).reshape(-1)
    return bits if torch is None else torch.from_numpy(bits)


def tensor_of(array: np.ndarray[Any, Any], torch: Any) -> Any:  # noqa: ANN401 - a tensor of a module
    """Return a tensor of PyTorch of the same elements, in the same memory."""
    return torch.from_numpy(bits_of(array)).view(getattr(torch, array.dtype.name))
