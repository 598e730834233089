"""The memory that kernels touch, with what the reference knows about every element.

In: arrays, indices and masks.  Out: loaded values, or a `KernelError` for what a kernel must not
do.  Decides what is out of range, what is poison, and when two instances conflict: they touch one
element and one of them stores.  Leaves the order of accesses to `tile`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from certile.diagnostics import Diagnostic, KernelError
from certile.ir.dtypes import DType, bool_
from certile.reference import machine_numeric as numeric
from certile.reference.machine_numeric import Array
from certile.source import Loc

_NOBODY, _SEVERAL = -1, -2


@dataclass(slots=True)
class Owners:
    """Which instance of one parallel region stored, and which loaded, each element."""

    elements: int
    writer: Array = field(init=False)
    reader: Array = field(init=False)

    def __post_init__(self) -> None:
        self.writer = np.full(self.elements, _NOBODY)
        self.reader = np.full(self.elements, _NOBODY)

    def load(self, places: Array, instances: Array) -> bool:
        """Record loads; false when another instance stored one of the elements."""
        writer = self.writer[places]
        if ((writer != _NOBODY) & (writer != instances)).any():
            return False
        before = self.reader[places]
        shared = (before != _NOBODY) & (before != instances)
        self.reader[places] = np.where(shared, _SEVERAL, instances)
        after = self.reader[places]
        self.reader[places[(after != instances) & (after != _SEVERAL)]] = _SEVERAL
        self.reader[places[shared]] = _SEVERAL
        return True

    def store(self, places: Array, instances: Array) -> bool:
        """Record stores; false when another instance touched one of the elements."""
        for owner in (self.writer[places], self.reader[places]):
            if ((owner != _NOBODY) & (owner != instances)).any():
                return False
        self.writer[places] = instances
        return bool((self.writer[places] == instances).all())


@dataclass(slots=True)
class Storage:
    """One buffer: its elements, their bounds, which are poison, and who touched them.

    `data` has the storage dtype.  `poison` is None where every element exists (views); `error` is
    None until an inexact value is stored with bounds kept; `owners` has one entry for each level of
    open regions whose accesses are watched.
    """

    name: str
    dtype: DType
    data: Array
    poison: Array | None = None
    error: Array | None = None
    owners: dict[int, Owners] = field(default_factory=dict)

    def places(self, indices: Sequence[Array], mask: Array | None, loc: Loc) -> tuple[Array, ...]:
        """Checked indices, zero where the mask is off; raises K090 for one that is outside."""
        checked = []
        for dim, (index, extent) in enumerate(zip(indices, self.data.shape, strict=True)):
            outside = (index < 0) | (index >= extent)
            wrong = outside if mask is None else outside & mask
            if wrong.any():
                shown = np.broadcast_to(index, wrong.shape)[wrong][0]
                message = f"index {shown} in dimension {dim} of {self.name}, of length {extent}"
                raise _fault("K090", message, loc)
            checked.append(np.where(outside, 0, index) if outside.any() else index)
        return tuple(checked)

    def load(self, places: tuple[Array, ...]) -> tuple[Array, Array | None, Array | None]:
        """Elements in carrier type, which of them are poison, and their bounds."""
        if 0 in self.data.shape and places:
            # Every place is masked off: there is no element to read.
            shape = np.broadcast_shapes(*(place.shape for place in places))
            return np.zeros(shape, numeric.carrier(self.dtype)), None, None
        data = self.data[places].astype(numeric.carrier(self.dtype), copy=False)
        if self.dtype == bool_:
            # NumPy lets a bool hold any byte, and would hand the byte on.
            data = np.asarray(data).view(np.uint8) != 0
        poison = None if self.poison is None else self.poison[places]
        error = None if self.error is None else self.error[places]
        return np.asarray(data), poison, error

    def store(self, places: tuple[Array, ...], data: Array, error: Array | None) -> None:
        """Write elements."""
        self.data[places] = data.astype(self.data.dtype)
        if self.poison is not None:
            self.poison[places] = False
        if error is not None and self.error is None:
            self.error = np.zeros(self.data.shape)
        if self.error is not None:
            self.error[places] = 0.0 if error is None else error

    def check_distinct(self, places: tuple[Array, ...], loc: Loc) -> None:
        """Raise K093 when two of the places of one store are the same."""
        flat = self.flat(places)
        if len(flat) > 1 and not _distinct(flat, self.data.size):
            raise _fault("K093", f"one store writes an element of {self.name} twice", loc)

    def flat(self, places: tuple[Array, ...]) -> Array:
        """The number of each element, row by row."""
        number = np.zeros((1,) * max((place.ndim for place in places), default=0), np.int64)
        for place, extent in zip(places, self.data.shape, strict=True):
            number = number * extent + place
        return number

    def record(
        self, places: tuple[Array, ...], instances: Sequence[Array], *, stored: bool, loc: Loc
    ) -> None:
        """Note who touches which elements in every open region; raises K091 for a conflict."""
        if not self.owners:
            return
        flat = self.flat(places)
        for level, owners in self.owners.items():
            who = instances[level]
            shape = np.broadcast_shapes(flat.shape, who.shape)
            touched = np.broadcast_to(flat, shape).ravel()
            ids = np.broadcast_to(who, shape).ravel()
            fine = owners.store(touched, ids) if stored else owners.load(touched, ids)
            if not fine:
                raise _fault(
                    "K091", f"two instances touch one element of {self.name}, one storing", loc
                )


def poison_fault(what: str, loc: Loc) -> KernelError:
    """The error for an element that does not exist and reaches something that needs it."""
    return _fault("K092", f"an element without a value reaches {what}", loc)


def _distinct(flat: Array, size: int) -> bool:
    """Whether no two numbers are equal."""
    seen = np.zeros(size, np.bool_)
    seen[flat] = True
    return int(np.count_nonzero(seen)) == len(flat)


def _fault(code: str, message: str, loc: Loc) -> KernelError:
    return KernelError(Diagnostic(code, message, loc))
