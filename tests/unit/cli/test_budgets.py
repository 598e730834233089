"""Bars, ceilings and verdicts, from figures as a measurement gives them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from certile import ops
from certile.cli.bench import contest
from certile.cli.bench.contest import Case, Race
from certile.cli.bench.own_copy import own_copy
from certile.cli.budgets import bars as budgets
from certile.cli.budgets import leading, measures, shared_cores
from certile.cli.budgets.bars import Bar, bars_of, judged
from certile.cli.main import app

LEAST = Bar("figure", "a bar", 1.6)
MOST = Bar("figure", "a bar", 1.15, "at most")


def verdict(bar: Bar, *runs: float, ceiling: float | None = None) -> object:
    figures = {"figure": runs, **({} if ceiling is None else {"ceiling figure": [ceiling]})}
    return judged("rows", bar, figures)["verdict"]


def test_verdicts() -> None:
    assert verdict(LEAST, 1.7) == "met"
    assert verdict(LEAST, 1.2, 1.6, 1.7) == "met"
    assert verdict(LEAST, 1.2) == "missed"
    assert verdict(LEAST, 1.2, ceiling=1.9) == "missed"
    assert verdict(LEAST, 1.2, ceiling=1.334) == "missed, ceiling 1.33"
    assert verdict(LEAST, 1.7, ceiling=1.33) == "met"
    assert verdict(LEAST) == "not measured"
    assert verdict(MOST, 1.1) == "met"
    assert verdict(MOST, 1.2, ceiling=1.0) == "missed"


def test_the_table_counts_bars_above_the_ceiling_as_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = tuple(Bar(f"f{n}", f"bar {n}", 2.0) for n in range(3))
    measured = {"f0": [2.5], "f1": [1.0], "f2": [1.0], "ceiling f1": [1.5], "ceiling f2": [3.0]}
    monkeypatch.setattr(budgets, "bars_of", lambda _name: bars)
    monkeypatch.setattr(budgets, "_figures", lambda _name: measured)
    done = CliRunner().invoke(app, ["bench", "--budgets", "rows"])
    assert done.exit_code == 1
    assert "missed, ceiling 1.50" in done.stdout
    assert "1 of 3 bars met, 1 of those missed lie above what a copy allows here" in done.stdout
    done = CliRunner().invoke(app, ["bench", "--budgets", "rows", "--json"])
    found = json.loads(done.stdout)["budgets"]
    assert [each["ceiling"] for each in found] == [None, 1.5, 3.0]
    assert [each["verdict"] for each in found] == ["met", "missed, ceiling 1.50", "missed"]


def test_bars_of_mlx_count_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets.importlib.util, "find_spec", lambda _name: None)
    without = {bar.figure for bar in (*bars_of("rows"), *bars_of("call"))}
    monkeypatch.setattr(budgets.importlib.util, "find_spec", lambda _name: "here")
    limits = {bar.figure: bar.limit for bar in (*bars_of("rows"), *bars_of("call"))}
    added = {name: limit for name, limit in limits.items() if name not in without}
    assert added["softmax 65536x256 f32 mlx"] == 40
    assert added["layer_norm 4096x4096 f32 mlx"] == 15
    assert added["rms_norm 4096x4096 f32 mlx fresh"] == 2
    assert added["overhead mlx 4"] == 7
    assert len(added) == 14


def test_reductions_over_the_leading_axis_are_measured_and_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    figures = {leading.name_of(each.op, s) for each in leading.REDUCED for s in leading.SHAPES}
    assert len(figures) == 10
    assert figures <= {
        bar.figure for bar in bars_of("rows") if bar.limit == 0.6 and bar.sense == "at least"
    }
    x = np.random.default_rng(2).standard_normal((16, 64), np.float32)
    for each in leading.REDUCED:
        assert leading.leading_beside_last(each, x) > 0
        monkeypatch.setattr(ops, each.op, lambda x, _axis, out: out.fill(x[0, 0] + 2))
        with pytest.raises(RuntimeError, match=f"{each.op} over axis 0 is wrong"):
            leading.leading_beside_last(each, x)


@pytest.mark.parametrize("shape", [(5, 129), (1, 4096), (3, 2, 512)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_own_copy_copies_every_bit(shape: tuple[int, ...], dtype: type) -> None:
    random = np.random.default_rng(3)
    bits = random.integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8)
    source = np.ascontiguousarray(bits).view(dtype)[..., 0].copy()
    target = np.zeros(shape, dtype)
    own_copy(source, target)()
    assert source.tobytes() == target.tobytes()


def test_new_and_given_outputs_share_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three calls a round, one of them given what the one before it made; all in one block."""
    race, softmax = Race(Case("softmax", (1024, 1024)), ()), ops.softmax
    calls: list[tuple[bool, int]] = []

    def noted(x: object, **more: object) -> object:
        result = softmax(x, **more)
        calls.append(("out" in more, np.asarray(result).ctypes.data))
        return result

    monkeypatch.setattr(contest, "ours", lambda _name: noted)
    assert race.allocating_to_given(2) > 0
    assert [given for given, _ in calls] == [False, False, True, False, True, False]
    for at in (0, 3):
        assert len({address for _, address in calls[at : at + 3]}) == 1


def test_a_ceiling_is_the_time_of_a_copy_of_the_same_bytes() -> None:
    figures = Race(Case("sum", (64, 512)), ("numpy",)).run(0.05)
    rival = next(f for f in figures if f.contestant == "numpy")
    moved = 64 * 512 * 4 + 64 * 4
    assert rival.bytes == moved
    assert rival.ceiling == pytest.approx(rival.median / (moved / rival.own_copy_speed))
    assert rival.to_json()["ceiling"] == rival.ceiling


def test_bars_of_shared_cores_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both figures of a shape, of results that were checked; one core has none to be taken."""
    assert {bar.figure for bar in bars_of("shared")} == {
        f"softmax {shape} {kind}"
        for shape in shared_cores.SHAPES
        for kind in ("core taken", "after torch")
    }
    monkeypatch.setattr(shared_cores, "SHAPES", ("4x64",))
    monkeypatch.setattr(shared_cores, "_ROUNDS", 1)
    monkeypatch.setattr(shared_cores, "_SECONDS", 0.01)
    monkeypatch.setattr(shared_cores, "allowed_cpus", lambda: 2)
    found = shared_cores.figures()
    assert set(found) == {"softmax 4x64 core taken", "softmax 4x64 after torch"}
    assert min(found.values()) > 0
    monkeypatch.setattr(shared_cores, "allowed_cpus", lambda: 1)
    assert set(shared_cores.figures()) == {"softmax 4x64 after torch"}
    monkeypatch.setattr(ops, "softmax", lambda x, out: np.copyto(out, x))
    with pytest.raises(RuntimeError, match="softmax 4x64 is wrong"):
        shared_cores.figures()


def test_the_process_that_takes_a_core_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    popen = shared_cores.subprocess.Popen

    def noted(command: list[str]) -> object:
        started.append(popen(command))
        return started[-1]

    monkeypatch.setattr(shared_cores.subprocess, "Popen", noted)
    with shared_cores._one_core_taken():
        assert started[0].poll() is None
    assert started[0].returncode is not None


def test_calls_of_operations_that_read_their_arguments_are_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called = []
    monkeypatch.setattr(measures, "_least", lambda work: called.append(work.func) or len(called))
    assert measures._slowest_of_others(np.asarray) == 9
    assert ops.cross_entropy in called
    assert ops.embedding in called
    assert {f"overhead {name} others" for name in ("numpy", "torch")} <= {
        bar.figure for bar in bars_of("call") if bar.limit == 4.0
    }
