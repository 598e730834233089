"""How arrays share memory: with each other, and their elements among themselves.

In: described arrays.  Out: an `Overlap`, or whether two indices may name one element.  Decides how
much effort an exact answer is worth.  Leaves to others what is refused.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np

from certile.runtime.array_info import ArrayInfo, extent

__all__ = ["Overlap", "meets_itself", "overlap"]

Overlap = Literal["none", "same", "partial", "interleaved"]

# Candidates that the exact overlap test may look at before it gives up; about 0.1 ms.
_EFFORT: Final = 10_000


def overlap(a: ArrayInfo, b: ArrayInfo) -> Overlap:
    """Say how two arrays share memory.

    "same": the same elements at the same indices.  "none": their byte ranges are disjoint.
    "interleaved": the ranges meet, but no byte belongs to both.  "partial": some byte belongs to
    both, or that could not be excluded with bounded effort.
    """
    a_low, a_high = extent(a)
    b_low, b_high = extent(b)
    if a_low == a_high or b_low == b_high:
        return "none"
    if a.address + a_high <= b.address + b_low or b.address + b_high <= a.address + a_low:
        return "none"
    if a.address == b.address and a.itemsize == b.itemsize and _steps(a) == _steps(b):
        return "same"
    try:
        shared = _shares_memory(_bytes_of(a), _bytes_of(b), max_work=_EFFORT)
    except np.exceptions.TooHardError:
        shared = True
    return "partial" if shared else "interleaved"


def meets_itself(info: ArrayInfo) -> bool:
    """Whether two indices may name one element.

    False is proved: sorted by stride, each axis steps over everything that the axes below it span.
    """
    span = 0
    axes = ((abs(s), n) for n, s in zip(info.shape, info.strides, strict=True) if n > 1)
    for stride, n in sorted(axes):
        if stride <= span:
            return 0 not in info.shape
        span += stride * (n - 1)
    return False


class _Bytes:
    """An array of opaque elements at an address; NumPy computes with it but never reads it."""

    def __init__(self, info: ArrayInfo) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (int(info.address), False),
            "shape": info.shape,
            "strides": tuple(step * info.itemsize for step in info.strides),
            "typestr": f"|V{info.itemsize}",
        }


# NumPy's stubs know only the two special values of `max_work`.
_shares_memory: Callable[..., bool] = np.shares_memory


def _bytes_of(info: ArrayInfo) -> np.ndarray[Any, Any]:
    return np.asarray(_Bytes(info))


def _steps(info: ArrayInfo) -> tuple[tuple[int, int], ...]:
    """Return extent and stride of each axis; the stride of an axis of one element says nothing."""
    return tuple((n, s if n > 1 else 0) for n, s in zip(info.shape, info.strides, strict=True))
