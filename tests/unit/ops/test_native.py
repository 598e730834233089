"""The frameworks' own forms compute what the operations compute."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from certile.cli.contest import KNOWN, Case, Race, expected
from certile.cli.oracles import tolerance
from certile.ops import native


@pytest.mark.parametrize("op", KNOWN)
def test_every_contestant_is_right(op: str) -> None:
    race = Race(Case(op, (9, 65)), ("numpy", "torch"))
    wrong = {each.name: each.wrong for each in race.contestants if each.wrong}
    assert not wrong
    names = {each.name for each in race.contestants}
    for framework in ("numpy", "torch"):
        theirs = native.native(op, framework)
        assert (framework in names) == (theirs is not None)
        assert (f"{framework} out=" in names) == (theirs is not None and theirs.given is not None)


def test_a_wrong_contestant_is_named() -> None:
    race = Race(Case("softmax", (4, 33)), ())
    honest = race.contestants[0].run
    race.contestants[0].run = lambda at: honest(at) * 1.001
    race._check()
    assert race.contestants[0].wrong.startswith("off by")
    assert not race.contestants[1].wrong


def test_a_skipped_element_is_noticed() -> None:
    race = Race(Case("softmax", (4, 33)), ())
    race.contestants[0].run = lambda at: race.outputs[at][0]
    race._check()
    assert race.contestants[0].wrong == "off by nan"


def test_the_tolerance_knows_wrong_results() -> None:
    x = np.random.default_rng(0).standard_normal((3, 1000))
    (exact,) = expected("sum", (x.astype(np.float32),))
    allowed = tolerance("sum", x, exact, "f32", "f32")
    assert (np.abs(x[:, 0]) > allowed).all()  # one element left out
    (shares,) = expected("softmax", (x.astype(np.float32),))
    assert (0.001 * shares.max() > tolerance("softmax", x, shares, "f32", "f32")).any()


def test_dtypes_of_sums() -> None:
    for name, dtype in (("u8", np.uint8), ("i32", np.int32), ("bool", np.bool_)):
        array = np.ones(2, dtype)
        ours = native.sum_dtype("numpy", name)
        assert np.dtype(f"{ours[0]}8") == array.sum().dtype
        assert native.sum_dtype("torch", name) == "i64"
        assert torch.from_numpy(array).sum().dtype == torch.int64
