"""What users of NumPy, PyTorch and Triton write, and what the language has for it.

In: a name that tiles or the package lack.  Out: what does its work, for hints.  Decides nothing.
"""

from __future__ import annotations

from typing import Final

__all__ = ["INSTEAD"]

# Names that methods or functions have elsewhere; those that are functions here are not listed.
INSTEAD: Final = {
    "sum": "ct.reduce(tile, axis, ct.add)",
    "mean": "ct.reduce(tile, axis, ct.add) / axis.extent",
    "prod": "ct.reduce(tile, axis, ct.mul)",
    "max": "ct.reduce(tile, axis, ct.maximum)",
    "min": "ct.reduce(tile, axis, ct.minimum)",
    "argmax": "ct.reduce(tile, axis, ct.argmax)",
    "argmin": "ct.reduce(tile, axis, ct.argmin)",
    "logsumexp": "ct.reduce(tile, axis, ct.logsumexp)",
    "var": "ct.reduce(tile, axis, ct.mean_var)",
    "dot": "ct.reduce(a * b, axis, ct.add)",
    "sort": "ct.sort(tile, axis)",
    "argsort": "ct.sort(tile, axis, indices=True)",
    "topk": "ct.topk(tile, into, axis)",
    "cumsum": "ct.scan(tile, axis, ct.add)",
    "cumprod": "ct.scan(tile, axis, ct.mul)",
    "cummax": "ct.scan(tile, axis, ct.maximum)",
    "cummin": "ct.scan(tile, axis, ct.minimum)",
    "associative_scan": "ct.scan(tile, axis, law)",
    "astype": "ct.cast(tile, dtype)",
    "to": "ct.cast(tile, dtype)",
    "float": "ct.cast(tile, ct.f32)",
    "shape": "the extents of its axes",
    "arange": "ct.iota(axis)",
    "range": "ct.serial(axis)",
    "program_id": "the coordinate r of `for r in ct.parallel(rows)`",
    "load": "view[r, cols]",
    "store": "view[r, cols] = tile",
}
