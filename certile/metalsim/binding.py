"""Bind NumPy arrays to the buffer parameters of a kernel.

In: arrays by index.  Out: the buffer records of a launch.  Decides which arrays fit which
parameter, and which bindings share memory.  Leaves copying to the runtime.
"""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from certile.diagnostics import ArgumentError
from certile.metalsim import abi
from certile.metalsim.signature import Entry, Slot
from certile.metalsim.syntax import SCALARS, base_scalar
from certile.records import record

__all__ = ["Binding", "bind"]

Array = npt.NDArray[np.generic]

_DTYPES: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "char": ("int8",), "int8_t": ("int8",), "uchar": ("bool", "uint8"), "uint8_t": ("uint8",),
    "short": ("int16",), "int16_t": ("int16",), "ushort": ("uint16",), "uint16_t": ("uint16",),
    "int": ("int32",), "int32_t": ("int32",), "uint": ("uint32",), "uint32_t": ("uint32",),
    "long": ("int64",), "int64_t": ("int64",), "ulong": ("uint64",), "uint64_t": ("uint64",),
    "size_t": ("uint64",),
    "half": ("float16",), "bfloat": ("bfloat16", "uint16"), "float": ("float32",),
}  # fmt: skip


@record
class Binding:
    """The arrays behind a launch; they must live until it has ended."""

    arrays: dict[int, Array]

    @staticmethod
    def dtype_of(scalar: str) -> str:
        """Return the NumPy dtype that one MSL scalar is passed as."""
        return _DTYPES[scalar][-1]


def bind(
    kernel: Entry,
    sizes: Sequence[int],
    given: Mapping[int, object],
    launch: abi.Launch,
    offsets: Mapping[int, int],
) -> Binding:
    """Fill the buffer records of `launch`; `sizes` are the parameters' element sizes.

    `offsets` says by index how many bytes of an array lie before the kernel's pointer to it.

    Raises:
        ArgumentError: if an index is missing or unknown, or an array does not fit.
    """
    parameters = {p.index: p for p in kernel.buffers}
    if given.keys() != parameters.keys():
        raise _wrong(f"buffers {sorted(parameters)} are needed, {sorted(given)} given")
    arrays = {}
    for (index, parameter), size in zip(parameters.items(), sizes, strict=True):
        array, offset = _as_array(parameter, given[index]), offsets.get(index, 0)
        _check(parameter, array, size)
        if not 0 <= offset <= array.nbytes:
            raise _wrong(f"buffer {index} of {array.nbytes} bytes does not begin at byte {offset}")
        arrays[index] = array
        scalar = base_scalar(parameter.type)
        launch.buffers[index] = abi.Buffer(
            host=array.ctypes.data,
            bytes=array.nbytes,
            offset=offset,
            granule=SCALARS[scalar] if scalar else 1,
            writable=int(not parameter.const),
            alias=index,
            bound=1,
        )
    _find_aliases(arrays, launch)
    return Binding(arrays)


def _as_array(parameter: Slot, value: object) -> Array:
    if isinstance(value, np.ndarray):
        return value
    scalar = base_scalar(parameter.type)
    if not parameter.reference or not parameter.const or scalar is None:
        raise _wrong(f"buffer {parameter.index} ({parameter.name}) needs an array")
    if isinstance(value, np.generic):
        return np.asarray(value).reshape(1)
    if not isinstance(value, (bool, int, float)):
        raise _wrong(f"buffer {parameter.index} ({parameter.name}) cannot be {type(value)}")
    try:
        return np.array([value], dtype=_DTYPES[scalar][-1])
    except OverflowError:
        raise _wrong(f"{value} does not fit {parameter.type} {parameter.name}") from None


def _check(parameter: Slot, array: Array, size: int) -> None:
    what = f"buffer {parameter.index} ({parameter.name})"
    scalar = base_scalar(parameter.type)
    if scalar is not None and array.dtype.name not in _DTYPES[scalar]:
        wanted = " or ".join(_DTYPES[scalar])
        raise _wrong(f"{what} has dtype {array.dtype.name}; {parameter.type} needs {wanted}")
    if not array.flags.c_contiguous:
        raise _wrong(f"{what} is not C-contiguous; bind the whole base array and pass strides")
    if not parameter.const and not array.flags.writeable:
        raise _wrong(f"{what} is stored to, but the array is read-only")
    if parameter.reference and array.nbytes < size:
        raise _wrong(f"{what} holds {array.nbytes} bytes; {parameter.type} has {size}")


def _find_aliases(arrays: Mapping[int, Array], launch: abi.Launch) -> None:
    """Let bindings of the same memory share it; refuse a store to what overlaps otherwise."""
    seen: dict[tuple[int, int], int] = {}
    for index, array in arrays.items():
        extent = (array.ctypes.data, array.nbytes)
        if array.nbytes == 0:
            continue
        if extent in seen:
            first = launch.buffers[seen[extent]]
            launch.buffers[index].alias = seen[extent]
            first.writable |= launch.buffers[index].writable
            first.granule = min(first.granule, launch.buffers[index].granule)
            continue
        seen[extent] = index
    # Only when every alias is known is it known what may be stored to.
    for (one, index), (two, other) in itertools.combinations(seen.items(), 2):
        overlap = one[0] < two[0] + two[1] and two[0] < one[0] + one[1]
        stored = launch.buffers[index].writable or launch.buffers[other].writable
        if overlap and stored:
            raise _wrong(f"buffers {index} and {other} overlap without being the same memory")


def _wrong(message: str) -> ArgumentError:
    return ArgumentError("X020", message)
