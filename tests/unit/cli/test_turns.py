"""Contestants take turns over buffers that none before them has left in a cache."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import numpy as np
import pytest

from certile.cli.bench import turns
from certile.cli.bench.turns import Contestant, Turns
from certile.cli.operations.forms import Case

SETS = 8


def test_who_comes_next_goes_on_where_the_one_before_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Set after set, whoever measures; the first two calls of each only ask how long they take."""
    used: list[int] = []

    def call(at: int) -> None:
        used.append(at)
        time.sleep(1e-3)

    copies = itertools.count()

    def copy(_source: object, _target: object) -> Callable[[], None]:
        at = next(copies)
        return lambda: call(at)

    monkeypatch.setattr(turns, "own_copy", copy)
    sources = [np.zeros((4, 4), np.float32) for _ in range(SETS)]
    contestants = [Contestant("one", call), Contestant("another", call)]
    figures = Turns(sources, None).race(contestants, Case("sum", (4, 4)), 64, 0.0)
    assert [len(each.seconds) for each in contestants] == [3, 3]
    assert [each.contestant for each in figures] == ["one", "another"]
    # Three racers wake with one set and measure with the next, in each of three rounds.
    asked, measured = used[:6], used[6:]
    assert asked == [0, 1] * 3
    assert measured == [at % SETS for at in range(3 * 3 * 2)]
