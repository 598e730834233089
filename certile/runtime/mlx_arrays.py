"""MLX's arrays: evaluated, read through their buffer, and made for results.

In: an array; MLX is never imported here, its arrays exist only where it already is.  Out: its
signature and address for every call, an `ArrayInfo` for the first of a signature, empty arrays.
Decides that an array inside a transformation is refused, since it has no elements yet.

An array of MLX is a value that may not have been computed: the buffer protocol and DLPack both
evaluate it first, on the device where it lives, and lend memory that the host can address.  The
name `x` may be given another buffer at any time (`x += 1`), which frees the one before; whoever
keeps an address beyond a call keeps `lent(x)`.
"""

import functools
import math
import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.array_types import MLX_NAMES, numpy_dtype
from certile.runtime import dlpack, mlx_memory
from certile.runtime.array_info import (
    PLACES,
    ArrayInfo,
    HeldAddress,
    Signature,
    names_of,
    type_name,
)
from certile.runtime.buffers import address_of, from_buffer
from certile.runtime.metal import frameworks

__all__ = [
    "address",
    "address_now",
    "describe",
    "drives_metal",
    "empty",
    "is_mlx",
    "lent",
    "maker",
    "probe",
]

# The package is optional, so its names cannot be imported for their types.
MlxArray: TypeAlias = Any
Mlx: TypeAlias = Any

# Up to here copying memory that nobody filled is quicker than evaluating: MLX hands that to another
# thread, which takes as long as copying a megabyte.
_COPIED_BYTES: Final = 512 * 1024


def is_mlx(array: object) -> bool:
    """Whether a value is an array of MLX, of a subclass too."""
    kind = getattr(sys.modules.get("mlx.core"), "array", None)
    return kind is not None and isinstance(array, kind)


def probe(array: MlxArray) -> tuple[Signature, int]:
    """Return the signature and the address of an array, evaluated."""
    try:
        address = address_of(from_buffer(array))
    except (TypeError, ValueError, BufferError):
        # The buffer is not C-ordered.
        layout = memoryview(array).strides
        address = dlpack.address(lent(array))
        if drives_metal():
            address = HeldAddress.of(address, array)
        return (probe, array.dtype, array.shape, PLACES[address & 63], layout), address
    except RuntimeError:
        # There is nothing to evaluate inside a transformation.
        describe(array)
        raise
    if drives_metal():
        # Kernels that MLX launches take the array itself.
        address = HeldAddress.of(address, array)
    # The shape of a C-ordered array says its strides.
    return (probe, array.dtype, array.shape, PLACES[address & 63]), address


def describe(array: MlxArray) -> ArrayInfo:
    """Describe an array; raises as `arrays.describe` says."""
    mlx = sys.modules["mlx.core"]
    if type(array) is not mlx.array:
        raise UnsupportedError(
            "U201",
            f"{type_name(array)} gives MLX's arrays another meaning",
            hint="pass mx.array(array), if its plain elements are meant",
        )
    name = _names(mlx).get(array.dtype)
    if name is None:
        raise ArgumentError("A202", f"kernels have no element type {array.dtype}")
    exported = _export(array)
    return ArrayInfo(
        address=exported.address,
        dtype=name,
        shape=exported.shape,
        strides=exported.strides,
        itemsize=array.itemsize,
        readonly=False,
        framework="mlx",
    )


def empty(shape: tuple[int, ...], dtype: str) -> MlxArray:
    """Return an evaluated array of one of our element types, with whatever its memory holds."""
    return maker(shape, dtype)()


def maker(shape: tuple[int, ...], dtype: str) -> Callable[[], MlxArray]:
    """Return what does the same again and again, at the least cost."""
    mlx = sys.modules["mlx.core"]
    kind = numpy_dtype(dtype)
    if math.prod(shape) * kind.itemsize > _COPIED_BYTES or not _copies(mlx, dtype):
        return functools.partial(_made_by_mlx, shape, dtype)
    array, unfilled = mlx.array, np.empty
    return lambda: array(unfilled(shape, kind))


def _made_by_mlx(shape: tuple[int, ...], dtype: str) -> MlxArray:
    """Return an array that is not a copy of one of NumPy."""
    mlx = sys.modules["mlx.core"]
    kind = getattr(mlx, MLX_NAMES[dtype])
    size = math.prod(shape) * kind.size
    if size >= mlx_memory.UNFILLED_BYTES:
        unfilled = mlx_memory.unfilled(shape, dtype)
        if unfilled is not None:
            return unfilled
    # Versions with `empty` fill it with zeros all the same.
    array = getattr(mlx, "empty", mlx.zeros)(shape, kind)
    mlx.eval(array)
    return array


def address(array: MlxArray) -> int:
    """Return the address of an array that was made for a call, as `probe` does."""
    return address_of(from_buffer(array)) if not drives_metal() else probe(array)[1]


def address_now(word: Any) -> Any:  # noqa: ANN401 - a word of a call: an address or a number
    """Return the address again that `probe` gave, in the buffer that its array has by now."""
    if not isinstance(word, HeldAddress) or not is_mlx(word.owner):
        return word
    return HeldAddress.of(describe(word.owner).address + word.distance, word.owner, word.distance)


def lent(array: MlxArray) -> object:
    """Return what keeps the buffer that an array has now, whatever becomes of the array."""
    return array.__dlpack__()


def _export(array: MlxArray) -> dlpack.Exported:
    try:
        capsule = lent(array)
    except (ValueError, RuntimeError) as error:
        raise UnsupportedError(
            "U201",
            "the MLX array cannot be evaluated here",
            hint="call the kernel outside mx.compile and mx.vmap, on the thread of the array",
            notes=(str(error),),
        ) from error
    return dlpack.read(capsule)


@functools.cache
def _copies(mlx: Mlx, dtype: str) -> bool:
    """Whether MLX copies NumPy's arrays of this type as they are: it makes f32 of f64."""
    try:
        made = mlx.array(np.zeros(1, numpy_dtype(dtype)))
    except (TypeError, ValueError):
        # Versions that do not know the bf16 of ml_dtypes.
        return False
    return bool(made.dtype == getattr(mlx, MLX_NAMES[dtype]))


@functools.cache
def drives_metal() -> bool:
    """Whether MLX runs on an Apple GPU, asked once: every call of every array wants to know."""
    return frameworks.mlx_drives_metal()


@functools.cache
def _names(mlx: Mlx) -> dict[Any, str]:
    return names_of(mlx, MLX_NAMES)
