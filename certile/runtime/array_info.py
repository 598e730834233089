"""One array as a launch sees it, whatever framework it is of.

Holds what every framework's file makes and every caller reads: `ArrayInfo`, addresses that keep
their memory alive.  Decides nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from certile.ir.host import RESIDUE_BYTES

__all__ = [
    "ALIGNMENTS",
    "PLACES",
    "ArrayInfo",
    "Framework",
    "HeldAddress",
    "Probe",
    "Signature",
    "alignment",
    "extent",
    "names_of",
    "type_name",
]

Framework = Literal["numpy", "torch", "mlx", "dlpack"]

# Opaque: equal signatures mean arrays that one prepared kernel serves alike.
Signature = tuple[object, ...]

# An array of whatever framework; the packages are optional, so their names cannot be imported.
Array: TypeAlias = Any
Probe: TypeAlias = Callable[[Array], tuple[Signature, int]]

# `alignment` as a table of the lowest six bits, for where a call of a function costs too much.
ALIGNMENTS: Final = tuple((i & -i) or 64 for i in range(64))

# What a signature holds of an address, by its lowest six bits: the alignment, or how far behind a
# place that suits the widest access of a lane it lies.
PLACES: Final = tuple(
    -(i % RESIDUE_BYTES) if i % RESIDUE_BYTES else ALIGNMENTS[i] for i in range(64)
)


class ArrayInfo(NamedTuple):
    """One array, as a launch sees it.

    `address` is that of the element with all indices 0; `strides` count elements, may be negative
    or 0.  `dtype` is our name ("f32").  `device` is "cpu", "cuda:0", ….  A description keeps no
    memory alive: the array does, or the address that `probe` returns for it.  Where memory is not
    there yet, `placed` is false and the address says its alignment alone.
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
    placed: bool = True

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    @property
    def c_ordered(self) -> bool:
        """Whether the elements lie one behind the other, the last index fastest."""
        step = 1
        for n, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if n > 1 and stride != step:
                return False
            step *= n
        return True


class HeldAddress(int):
    """An address whose memory lives as long as the number does: for memory that is only lent.

    `distance` is how many bytes behind the first element of `owner` it is.
    """

    owner: object
    distance: int

    @classmethod
    def of(cls, address: int, owner: object, distance: int = 0) -> "HeldAddress":
        """Return the address, holding `owner`."""
        made = cls(address)
        made.owner = owner
        made.distance = distance
        return made

    def __add__(self, distance: int) -> "HeldAddress":
        """Return the address further on, with the same owner."""
        return HeldAddress.of(int(self) + distance, self.owner, self.distance + distance)


def alignment(address: int) -> int:
    """Return the alignment class of an address: the greatest of 64, 32, …, 2, 1 that divides it."""
    return ALIGNMENTS[address & 63]


def extent(info: ArrayInfo) -> tuple[int, int]:
    """Return the byte range [low, high) of all elements, relative to the array's address."""
    if 0 in info.shape:
        return 0, 0
    spans = [(n - 1) * s * info.itemsize for n, s in zip(info.shape, info.strides, strict=True)]
    return sum(min(span, 0) for span in spans), sum(max(span, 0) for span in spans) + info.itemsize


def names_of(module: object, table: Mapping[str, str]) -> dict[Any, str]:
    """Map a framework's dtype objects to our names; `table` says what the framework calls ours.

    Versions that lack a dtype are fine.
    """
    return {getattr(module, name): ours for ours, name in table.items() if hasattr(module, name)}


def type_name(value: object) -> str:
    """Return the full name of a value's type, for messages."""
    kind = type(value)
    prefix = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return prefix + kind.__qualname__
