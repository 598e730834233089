"""`certile bench OP --target cuda` without a device: its memory, graphs and clock are stood in for.

The stand-in lies in this machine's memory and has its clock; kernels run on the CPU.  What a real
device does is in tests/device.
"""

from __future__ import annotations

import itertools
import json
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from certile.cli.bench import command, on_device
from certile.cli.bench.on_device import Device, DeviceTurns
from certile.cli.bench.plans import best_device_plans
from certile.cli.bench.turns import Contestant
from certile.cli.operations.forms import Case
from certile.cli.options import FormFlags
from certile.cli.running.data import random_arguments
from certile.cli.subject import find
from certile.targets import DEFAULTS
from tests.unit.cli.command_line import run

SUBJECTS = """
import torch
import certile as ct


@ct.tile_kernel
def doubled(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2.0


def twice(x):
    assert isinstance(x, torch.Tensor)
    return x * 2


def thrice(x):
    return x * 3
"""
WITHOUT_TORCH = """
def twice(x):
    return x * 2
"""
SETS = 4


class _Event:
    """Events of a device whose clock is given."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self.at = clock, 0.0

    def record(self) -> None:
        self.at = self._clock()

    def elapsed_time(self, end: _Event) -> float:
        """Milliseconds, as of PyTorch's."""
        return 1e3 * (end.at - self.at)


def stand_in(clock: Callable[[], float] = time.perf_counter, cache: int = 1000) -> Any:
    """PyTorch with a device that has so large a cache, and this machine's memory."""
    cuda = SimpleNamespace(
        Event=lambda enable_timing: _Event(clock),
        synchronize=lambda: None,
        current_device=lambda: 0,
        get_device_properties=lambda _: SimpleNamespace(L2_cache_size=cache),
        mem_get_info=lambda: (1 << 30, 1 << 31),
    )
    return SimpleNamespace(**{**vars(torch), "cuda": cuda})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(SUBJECTS)
    (tmp_path / "plain.py").write_text(WITHOUT_TORCH)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_SECONDS_A_CONTESTANT", 0.001)
    monkeypatch.setattr(on_device, "_BATCH_SECONDS", 0.0)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that is this machine; its graphs are calls."""
    monkeypatch.setattr(on_device, "torch_with_device", stand_in)
    monkeypatch.setattr(on_device, "captured", lambda _torch, enqueue: enqueue)
    monkeypatch.setattr(on_device, "DEVICE", "cpu")
    monkeypatch.setattr(Device, "target", "cpu")


def test_a_machine_without_a_device_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    code, shown, said = run("bench", "mine.py:doubled", "--shape", "4x8", "--target", "cuda")
    assert (code, shown) == (4, "")
    assert "PyTorch sees no CUDA device" in said


def test_a_target_is_of_one_kernel() -> None:
    code, _, said = run("bench", "--ops", "sum", "--target", "cuda")
    assert code == 2
    assert "--target is of one kernel" in said


@pytest.mark.usefixtures("device")
def test_contestants_are_judged_and_measured_on_the_device() -> None:
    rivals = "mine.py:twice,mine.py:thrice"
    given = ("bench", "mine.py:doubled", "--shape", "4x70", "--target", "cuda", "--plans", "2")
    code, shown, complaint = run(*given, "--against", rivals, "--json")
    assert code == 0, complaint
    ours, second, twice, thrice = json.loads(shown)["rows"]
    assert [row["contestant"] for row in (ours, second)] == ["certile", "certile plan 2"]
    assert ours["bytes"] == 2 * 4 * 70 * 4
    assert ours["to_first"] == 1.0
    assert ours["plan"] != second["plan"]
    assert not any("wrong" in row for row in (ours, second, twice))
    assert thrice["wrong"].startswith("y[")
    assert ours["of_copy"] > 0


@pytest.mark.usefixtures("device")
def test_arrays_of_numpy_are_not_on_a_device() -> None:
    given = ("bench", "mine.py:doubled", "--shape", "4x8", "--target", "cuda")
    code, _, said = run(*given, "--against", "plain.py:twice")
    assert code == 2
    assert "plain.py:twice takes arrays of NumPy" in said


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("dtype", ["f32", "bf16", "i32"])
def test_what_lies_on_the_device_comes_back_bit_for_bit(dtype: str) -> None:
    subject = find("max", "3x5", FormFlags(dtype=dtype))
    place, values = Device(), random_arguments(subject, seed=0)
    on = place.fresh(values)
    back = place.results(on, values)
    for name, array in values.items():
        assert on[name].data_ptr() != array.ctypes.data
        assert back[name].dtype == array.dtype
        assert back[name].tobytes() == array.tobytes()


@pytest.mark.parametrize(("size", "wanted"), [(4000, 2), (1000, 4), (10, 32)])
@pytest.mark.usefixtures("device")
def test_buffer_sets_take_several_times_the_cache(size: int, wanted: int) -> None:
    assert Device().buffer_sets(size, 0, "a kernel") == wanted


@pytest.mark.usefixtures("device")
def test_what_does_not_fit_the_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    full = stand_in()
    full.cuda.mem_get_info = lambda: (4 * 4 * 8 * 2, 1 << 31)
    monkeypatch.setattr(on_device, "torch_with_device", lambda: full)
    code, _, said = run("bench", "mine.py:doubled", "--shape", "4x8", "--target", "cuda")
    assert code == 4
    assert "of the device" in said


def turns(monkeypatch: pytest.MonkeyPatch, clock: Callable[[], float]) -> DeviceTurns:
    """Turns whose copies take no time; graphs replay the calls."""
    monkeypatch.setattr("certile.cli.bench.turns.own_copy", lambda *_: lambda: None)
    sources = [torch.zeros(64, dtype=torch.int32) for _ in range(SETS)]
    return DeviceTurns(sources, stand_in(clock))


def test_a_batch_walks_through_every_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the next one begins with the set that was least lately used; times are a launch's."""
    monkeypatch.setattr(on_device, "captured", lambda _torch, enqueue: enqueue)
    now, used = itertools.count(), list[int]()
    device = turns(monkeypatch, lambda: float(next(now)))
    racer = Contestant("one", used.append)
    (figure,) = device.race([racer], Case("sum", (4, 4)), 64, 0.0)
    assert used == list(range(SETS)) * (len(used) // SETS)
    # Two walks to find out how long one takes, then one a round, and one before a round it begins.
    assert len(used) // SETS in (2 + 3 + 1, 2 + 3 + 2)
    # The clock ticks once an event, so that a batch takes a second.
    assert racer.seconds == [1 / SETS] * 3
    assert figure.note == ""


def test_what_no_graph_holds_is_called_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "captured", lambda _torch, _enqueue: None)
    used: list[int] = []
    device = turns(monkeypatch, time.perf_counter)
    (figure,) = device.race([Contestant("one", used.append)], Case("sum", (4, 4)), 64, 0.0)
    assert len(used) > 2 * SETS
    assert "the host's calls" in str(figure.to_json()["note"])


@pytest.mark.usefixtures("device")
def test_the_table_says_what_no_graph_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "captured", lambda _torch, _enqueue: None)
    given = ("bench", "mine.py:doubled", "--shape", "4x70", "--target", "cuda")
    code, shown, complaint = run(*given, "--against", "mine.py:twice")
    assert code == 0, complaint
    assert "mine.py:twice: no graph holds it" in shown


def test_results_of_a_walk_are_kept_until_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """New arrays would otherwise share one block, which then lies in the cache."""
    made: list[weakref.ref[Any]] = []

    def fresh(_: int) -> Any:
        array = np.zeros(1000)
        made.append(weakref.ref(array))
        return array

    def enqueue_once(_torch: Any, enqueue: Callable[[], object]) -> Callable[[], object]:
        return enqueue

    monkeypatch.setattr(on_device, "captured", enqueue_once)
    device = turns(monkeypatch, time.perf_counter)
    walk = device._walk(Contestant("one", fresh))
    for walks in (1, 2):
        walk()
        assert len(made) == walks * SETS
        assert [each() is not None for each in made] == [
            *[False] * (len(made) - SETS),
            *[True] * SETS,
        ]


def test_plans_of_a_gpu_differ_and_come_by_their_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are planned and not compiled; a call's own comes first."""
    monkeypatch.setattr("certile.cli.bench.plans._asked", _planned_alone)
    subject = find("softmax", "4096x4096", FormFlags())
    found = best_device_plans(subject, {}, 100, DEFAULTS["cuda"])
    assert found[0].options == {}
    assert len({each.identity for each in found}) == len(found) > 4
    estimates = [each.estimate for each in found[1:]]
    assert estimates == sorted(estimates)
    assert found[0].estimate <= estimates[0]
    widths = {plan.mapping.lane_elements for each in found for plan in each.plans if plan.mapping}
    assert {1, 2, 4} <= widths


def _planned_alone(_kernel: object, _arguments: object, options: dict[str, Any]) -> Any:
    """The plan of a call, which only a device could prepare."""
    from certile.cli.bench.plans import Asked
    from certile.pipeline import plan_program

    subject, sheet = find("softmax", "4096x4096", FormFlags()), DEFAULTS["cuda"]
    facts = subject.facts(sheet)
    return Asked(options, plan_program(subject.kernel, subject.programs, sheet, facts=facts))
