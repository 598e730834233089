"""The order of elements: what a sort of the language means.

In: a value with the elements to order along its last dimension.  Out: the elements in order and the
positions they had.  Decides the order (stable; a NaN is greater than every number and equal to
every NaN) and what an error bound of the elements says about the results.
"""

from __future__ import annotations

import numpy as np

from certile.reference.machine_numeric import Array
from certile.reference.values import Value, wide


def order(source: Value, *, descending: bool) -> tuple[Value, Value]:
    """The elements along the last dimension in order, and the i64 position each had.

    Of equal elements that at the lower position comes first in both directions.  Zeros come out as
    +0 and NaNs as the quiet NaN.
    """
    data = source.data
    if descending:
        # Ascending from the far end, then reversed: equal elements keep their order.
        picked = data.shape[-1] - 1 - np.argsort(data[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    else:
        picked = np.argsort(data, axis=-1, kind="stable")
    picked = picked.astype(np.int64)
    values = np.take_along_axis(data, picked, -1)
    if data.dtype.kind == "f":
        values = np.where(values == 0, 0, np.where(np.isnan(values), np.nan, values))
    values = values.astype(data.dtype, copy=False)
    error, unsure = _bounds(source.error, values)
    return (
        Value(values, source.levels, None, error),
        Value(picked, source.levels, None, unsure),
    )


def _bounds(error: Array | None, values: Array) -> tuple[Array | None, Array | None]:
    """An element of the order moves no farther than the elements do; a position may be any of all
    where a neighbour in the order is within reach.
    """
    if error is None or not values.shape[-1]:
        return None, None
    most = np.broadcast_to(error, values.shape).max(axis=-1, keepdims=True)
    bound = np.broadcast_to(most, values.shape)
    gap = np.abs(np.diff(wide(values), axis=-1))
    near = ~(gap > 2 * most[..., :1]) & (most > 0)
    unsure = np.zeros(values.shape)
    unsure[..., 1:][near] = np.inf
    unsure[..., :-1][near] = np.inf
    return bound, unsure
