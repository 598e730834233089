"""Arrays with what the reference must know about each element.

In: NumPy arrays in carrier types (`machine_numeric`: narrow floats are carried as float32).  Out:
`Value`, an array with a poison bit and an error bound an element.  Decides the limits of each float
format.  Leaves functions to `functions` and how bounds grow to `bounding`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from certile.ir import dtypes
from certile.records import record
from certile.reference.machine_numeric import Array

# One rounding is off by at most this much of the value, and by half of the least subnormal.
UNIT = {
    dtypes.f8e4m3: 2.0**-4,
    dtypes.f8e5m2: 2.0**-3,
    dtypes.f16: 2.0**-11,
    dtypes.bf16: 2.0**-8,
    dtypes.f32: 2.0**-24,
    dtypes.f64: 2.0**-53,
}
LEAST = {
    dtypes.f8e4m3: 2.0**-9,
    dtypes.f8e5m2: 2.0**-16,
    dtypes.f16: 2.0**-24,
    dtypes.bf16: 2.0**-133,
    dtypes.f32: 2.0**-149,
    dtypes.f64: 2.0**-1074,
}
LEAST_NORMAL = {
    dtypes.f8e4m3: 2.0**-6,
    dtypes.f8e5m2: 2.0**-14,
    dtypes.f16: 2.0**-14,
    dtypes.bf16: 2.0**-126,
    dtypes.f32: 2.0**-126,
    dtypes.f64: 2.0**-1022,
}
LARGEST = {
    dtypes.f8e4m3: 448.0,
    dtypes.f8e5m2: 57344.0,
    dtypes.f16: 65504.0,
    dtypes.bf16: (2 - 2.0**-7) * 2.0**127,
    dtypes.f32: (2 - 2.0**-23) * 2.0**127,
    dtypes.f64: (2 - 2.0**-52) * 2.0**1023,
}


@record
class Value:
    """The elements of a tile for all instances at once.

    `data` has one dimension for each of `levels` enclosing `parallel` regions, then one an axis of
    the tile; a dimension of length 1 repeats.  `poison` marks elements that do not exist, `error`
    bounds how far a legal result may be from `data`; None means none, or exact.  Both have `data`'s
    rank.  An error of infinity allows anything; of a bool, any error means that both are legal.
    """

    data: Array
    levels: int = 0
    poison: Array | None = None
    error: Array | None = None

    def each(self, change: Callable[[Array], Array], levels: int | None = None) -> Value:
        """The value with one rearrangement applied to its elements and to what is known of them."""
        return Value(
            change(self.data),
            self.levels if levels is None else levels,
            None if self.poison is None else change(self.poison),
            None if self.error is None else change(self.error),
        )

    def full(self) -> Value:
        """The value with `poison` and `error` as large as `data`, so that parts can be taken."""
        shape = self.data.shape
        return self.each(lambda array: np.broadcast_to(array, shape))

    def errors(self) -> Array:
        """The error of each element, as large as `data`, since errors are summed along it."""
        if self.error is None:
            return np.zeros(self.data.shape)
        return np.broadcast_to(self.error, self.data.shape)


def wide(data: Array) -> Array:
    """The elements as float64, for bounds."""
    return data if data.dtype == np.float64 else data.astype(np.float64)


def either(*marks: Array | None) -> Array | None:
    """Where any of some optional marks is set."""
    found: Array | None = None
    for mark in marks:
        if mark is not None:
            found = mark if found is None else found | mark
    return found


def same(a: Array, b: Array) -> Array:
    """Numeric equality an element: -0 equals +0, and a NaN equals a NaN."""
    return np.asarray((a == b) | ((a != a) & (b != b)))
