"""Arrays of one framework as those of another, for contestants of several.

In: arrays of NumPy, PyTorch or MLX.  Out: others with the same elements.  Decides that frameworks
are imported where they are there, and that narrow floats are compared as f32.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

__all__ = ["as_numpy", "bits_of", "mlx_array", "shared_numpy", "torch_or_none"]

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


def bits_of(array: Array) -> np.ndarray[Any, Any]:
    """Return the elements of an array as integers of their size, in the same memory."""
    if not isinstance(array, np.ndarray):
        # NumPy has no bfloat16, so that PyTorch has to see integers first.
        torch: Any = importlib.import_module("torch")
        array = array.view(getattr(torch, f"int{8 * array.element_size()}")).numpy()
    integers: np.ndarray[Any, Any] = array.view(f"i{array.itemsize}")
    return integers
