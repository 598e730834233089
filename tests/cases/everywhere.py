"""Run one kernel on every target that this machine has, and hold the results together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import certile as ct

Array = np.ndarray[Any, Any]

TARGETS = ("cpu", "reference", "metal-sim")


def plain(array: Array) -> bytes:
    """The bits of an array; all NaNs count as one, and so do both zeros."""
    if array.dtype.kind == "f":
        array = np.where(array == 0, np.zeros_like(array), array)
        array = np.where(np.isnan(array), np.full_like(array, np.nan), array)
    return array.tobytes()


def everywhere(
    kernel: Any, *args: object, out: int = -1, targets: tuple[str, ...] = TARGETS
) -> Any:
    """Call a kernel on each target with copies of the arguments; return what `out` then holds.

    Results whose bits differ from target to target fail.
    """
    results = []
    for target in targets:
        copies = [value.copy() if isinstance(value, np.ndarray) else value for value in args]
        with ct.target(target):
            kernel(*copies)
        results.append(copies[out])
    for target, result in zip(targets[1:], results[1:], strict=True):
        assert plain(result) == plain(results[0]), f"{target} differs from {targets[0]}"
    return results[0]


def refused(code: str, call: Any, *args: object, **keywords: object) -> str:
    """The text of the error of that code which a call raises."""
    with pytest.raises(ct.CertileError) as caught:
        call(*args, **keywords)
    assert caught.value.code == code, caught.value
    return str(caught.value)
