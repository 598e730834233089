"""What the tests of this folder share: the targets that run everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import certile as ct

TARGETS = ("cpu", "reference")


@pytest.fixture(params=TARGETS)
def on_target(request: pytest.FixtureRequest) -> Iterator[str]:
    """Choose each target in turn, and let NumPy's own arithmetic overflow in silence."""
    with ct.target(request.param), np.errstate(all="ignore"):
        yield request.param
