"""Integers of any kind: Python's, NumPy's, and whatever else stands for one.

In: a value of a caller's.  Out: Python's integer, or None.  Decides what counts as one: what has
`__index__`, True and False excepted.  Leaves ranges to whoever asks.
"""

from __future__ import annotations

from operator import index

import numpy as np

__all__ = ["integer_or_none"]


def integer_or_none(value: object) -> int | None:
    """Return an integer of any kind as Python's; None for anything else, True and arrays too."""
    if value.__class__ is int:
        return value
    # A truth of another framework is told by its dtype: it has the method as well.
    if isinstance(value, bool | np.bool_) or str(getattr(value, "dtype", "")).endswith("bool"):
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:  # an array of NumPy has the method, and most arrays are no integer
        return None
