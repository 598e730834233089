"""`certile bench OP` and `certile run FILE.py:kernel`: a kernel of a user, judged and measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from certile.cli.bench import command, kernels, places
from certile.cli.bench.plans import best_plans
from certile.cli.bench.turns import Figure
from certile.cli.operations.forms import Case
from certile.cli.options import FormFlags
from certile.cli.running.data import random_arguments
from certile.cli.subject import find
from certile.runtime.kernel import TileKernel
from tests.unit.cli.command_line import run

SUBJECTS = """
import numpy as np
import certile as ct


@ct.tile_kernel
def centred(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 2], scale: ct.f32 = 2.0):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = ct.exp(x[r, cols] * scale)
        y[r, cols] = v - ct.reduce(v, cols, ct.maximum) + ct.reduce(v, cols, ct.add)


@ct.tile_kernel
def doubled(x: ct.View[ct.f32, 1]):
    places = ct.axis("places", x.shape[0])
    for i in ct.parallel(places):
        x[i] = x[i] * 2.0


@ct.tile_kernel
def ends(x: ct.View[ct.f32, 2], low: ct.View[ct.f32, 1], high: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        low[r] = ct.reduce(x[r, cols], cols, ct.minimum)
        high[r] = ct.reduce(x[r, cols], cols, ct.maximum)


def centred_by_numpy(x):
    v = np.exp(2.0 * x.astype(np.float64))
    return v - v.max(axis=1, keepdims=True) + v.sum(axis=1, keepdims=True)


def twice(x):
    return x * 2


def ends_by_numpy(x):
    return x.min(axis=1), x.max(axis=1)


def only_low(x):
    return x.min(axis=1)


def kept(x):
    return x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)


def swapped(x):
    return x.max(axis=1), x.min(axis=1)


def fails(x):
    raise ValueError("no")
"""
TENSORS = """
import torch


def ends_by_torch(x):
    assert isinstance(x, torch.Tensor)
    return x.min(dim=1).values, x.max(dim=1).values
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a folder that holds the subjects, and measure for no longer than a round takes.

    PyTorch's copy is left out: its threads wait long for a core that others use.
    """
    (tmp_path / "mine.py").write_text(SUBJECTS)
    (tmp_path / "tensors.py").write_text(TENSORS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_SECONDS_A_CONTESTANT", 0.001)
    monkeypatch.setattr(places, "torch_or_none", lambda: None)
    monkeypatch.setattr("certile.cli.bench.turns._LEAST_SECONDS", 0.0)
    return tmp_path


def rows(*arguments: str) -> list[dict[str, Any]]:
    code, shown, complaint = run("bench", *arguments, "--json")
    assert code == 0, complaint
    found: list[dict[str, Any]] = json.loads(shown)["rows"]
    return found


def test_a_row_says_what_was_measured_and_under_which_plan() -> None:
    given = ("mine.py:centred", "--shape", "5x70", "--against", "mine.py:centred_by_numpy")
    ours, theirs = rows(*given)
    assert (ours["op"], ours["shape"], ours["dtype"]) == ("centred", "5x70", "f32")
    assert (ours["contestant"], theirs["contestant"]) == ("certile", "mine.py:centred_by_numpy")
    # Both are given credit for the same bytes, those of x and y.
    assert ours["bytes"] == theirs["bytes"] == 2 * 5 * 70 * 4
    assert ours["gb_s"] == pytest.approx(ours["bytes"] / ours["median_s"] / 1e9)
    assert ours["to_first"] == 1.0
    assert "S=1" in ours["plan"]
    assert theirs["plan"] is None
    assert "wrong" not in ours
    assert "wrong" not in theirs


@pytest.mark.parametrize(("theirs", "wanted"), [(None, 0.5), (100.0, 0.5), (400.0, 0.25)], ids=str)
def test_the_faster_copy_is_the_measure(theirs: float | None, wanted: float) -> None:
    """At 100 bytes a second, beside our own copy at 200 and PyTorch's."""
    ratio = None if theirs is None else 100 / theirs
    case = Case("doubled", (50,))
    figure = Figure(case, "certile", 2.0, 2.0, 0.0, 200, ratio, own_copy_speed=200.0, to_first=1.0)
    assert kernels.Row(figure).to_json()["of_copy"] == wanted


def test_an_operation_is_a_kernel_too() -> None:
    ours, theirs = rows("sum", "--shape", "5x70", "--against", "torch:sum")
    assert ours["bytes"] == (5 * 70 + 5) * 4
    # The sum of all is another function.
    assert "has shape ()" in theirs["wrong"]


def test_more_plans_differ_and_are_all_judged() -> None:
    found = rows("mine.py:centred", "--shape", "5x700", "--plans", "4")
    assert [row["contestant"] for row in found] == [
        "certile",
        *(f"certile plan {number}" for number in (2, 3, 4)),
    ]
    assert len({row["plan"] for row in found}) == 4
    assert not any("wrong" in row for row in found)


def test_the_plan_of_a_call_comes_first_and_the_others_by_their_estimates() -> None:
    subject = find("mine.py:centred", "5x700", FormFlags())
    given = {**subject.arguments, **random_arguments(subject, seed=0)}
    found = best_plans(subject.function, given, 100)
    (usual,) = subject.function.prepare(**given).plans
    assert found[0].plans[0].mapping == usual.mapping
    assert len({each.identity for each in found}) == len(found) > 4
    estimates = [each.estimate for each in found[1:]]
    assert estimates == sorted(estimates)
    # No vectors is a plan as well, of which there is no estimate.
    assert found[-1].plans[0].mapping is not None
    assert found[-1].plans[0].mapping.family == "reference"
    assert best_plans(subject.function, given, 2)[1].identity == found[1].identity


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        ("mine.py:ends_by_numpy", ""),
        ("tensors.py:ends_by_torch", ""),
        ("mine.py:only_low", "returns 1 results, not 2"),
        ("mine.py:kept", "low has shape (5, 1), not (5,)"),
        ("mine.py:swapped", "low["),
    ],
)
def test_functions_are_judged_as_the_kernel_is(function: str, complaint: str) -> None:
    """A function that is wrong is said to be, and fails nothing: it is not ours."""
    _, theirs = rows("mine.py:ends", "--shape", "x=5x70,low=5,high=5", "--against", function)
    assert theirs.get("wrong", "").startswith(complaint)
    assert bool(theirs.get("wrong")) is bool(complaint)


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f64", "i32"])
def test_a_function_of_pytorch_is_given_the_same_elements(dtype: str) -> None:
    found = rows("max", "--shape", "5x70", "--dtype", dtype, "--against", "tensors.py:highest")
    assert not any("wrong" in row for row in found)


@pytest.fixture(autouse=True)
def highest(folder: Path) -> None:
    with (folder / "tensors.py").open("a") as file:
        file.write("\n\ndef highest(x):\n    return x.amax(dim=1)\n")


def test_what_is_changed_in_place_is_judged_from_what_it_was() -> None:
    ours, theirs = rows("mine.py:doubled", "--shape", "300", "--against", "mine.py:twice")
    assert ours["bytes"] == 2 * 300 * 4
    assert "wrong" not in ours
    assert "wrong" not in theirs


def test_the_table_names_plans_and_what_was_wrong() -> None:
    given = ("mine.py:ends", "--shape", "x=5x70,low=5,high=5", "--plans", "2")
    code, shown, _ = run("bench", *given, "--against", "mine.py:swapped,mine.py:ends_by_numpy")
    assert code == 0
    lines = shown.splitlines()
    assert lines[0].split() == [
        "contestant",
        "median",
        "min",
        "spread",
        "GB/s",
        "of",
        "copy",
        "ratio",
    ]
    assert [line.split("  ")[0] for line in lines[2:6]] == [
        "certile",
        "certile plan 2",
        "mine.py:swapped",
        "mine.py:ends_by_numpy",
    ]
    assert sum(line.startswith(("certile: S=1", "certile plan 2: ")) for line in lines) == 2
    assert any(line.startswith("mine.py:swapped is wrong: low[") for line in lines)
    assert "ends 5x70 f32, 1440 bytes touched." in shown


def test_a_plan_with_a_wrong_result_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second plan stores nothing."""
    usual = kernels._Race._ours

    def ours(self: Any, number: int, asked: Any) -> Any:
        if number == 1:
            return usual(self, number, asked)
        with monkeypatch.context() as patch:
            patch.setattr(TileKernel, "prepare", lambda *_, **__: _nothing)
            return usual(self, number, asked)

    monkeypatch.setattr(kernels._Race, "_ours", ours)
    code, shown, _ = run(
        *("bench", "mine.py:centred", "--shape", "5x700", "--plans", "2", "--json")
    )
    first, second = json.loads(shown)["rows"]
    assert code == 1
    assert "wrong" not in first
    assert second["wrong"].startswith("y[")


def _nothing() -> None:
    pass


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (
            "mine.py:ends --shape x=5x7,low=5,high=5 --against mine.py:fails",
            "A309",
            "raises ValueE",
        ),
        ("mine.py:ends --shape x=5x7,low=5,high=5 --against mine.py:other", "A309", "called other"),
        (
            "mine.py:ends --shape x=5x7,low=5,high=5 --against mine.py",
            "A309",
            "no function of mine",
        ),
        ("mine.py:ends --shape x=5x7,low=5,high=5 --against numpy", "A309", "names no function"),
        (
            "mine.py:ends --shape x=5x7,low=5,high=5 --against no.such:f",
            "A309",
            "cannot be imported",
        ),
        ("mine.py:ends --shape x=0x7,low=0,high=0", "A305", "nothing is measured"),
        ("mine.py:ends --shape x=5x7,low=5", "A309", "the shape of high is not given"),
        ("mine.py:none --shape 5x7", "A309", "has no kernel called none"),
        ("mine.py:ends", "A311", "--shape is needed"),
        ("mine.py:doubled --shape 7 --plans 0", "A311", "it is 1 or more"),
        ("mine.py:doubled --shape 7 --plot x.png", "A311", "--plot is of operations in a list"),
        ("mine.py:doubled --shape 7 --ops sum", "A311", "--ops is of operations in a list"),
        ("mine.py:doubled --shape 7 --budgets call", "A311", "--budgets is of operations"),
        ("mine.py:doubled --shape 7 --backend tirx", "A311", "--backend is of operations"),
        ("--ops sum --shape 3x4", "A311", "--shape is of one kernel"),
        ("--ops sum --plans 2", "A311", "--plans is of one kernel"),
        ("sofmax --shape 3x4", "A308", "use softmax"),
    ],
)
def test_wrong_usage(arguments: str, code: str, complaint: str) -> None:
    found, shown, said = run("bench", *arguments.split())
    assert (found, shown) == (2, "")
    assert complaint in said
    found, shown, _ = run("bench", *arguments.split(), "--json")
    assert (found, json.loads(shown)["error"]["code"]) == (2, code)


@pytest.mark.parametrize(
    ("subject", "shape"),
    [
        ("mine.py:centred", "5x70"),
        ("mine.py:ends", "x=5x70,low=5,high=5"),
        ("mine.py:doubled", "70"),
    ],
)
@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_run_takes_a_kernel_of_a_file(subject: str, shape: str, target: str) -> None:
    given = ("run", subject, "--shape", shape, "--target", target, "--check", "--json")
    code, shown, complaint = run(*given)
    assert code == 0, complaint
    found = json.loads(shown)
    assert (found["op"], found["ok"], found["probes_equal"]) == (subject, True, True)


def test_run_judges_every_row_of_a_kernel_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an operation's rows the ends would be judged; here the middle is wrong."""
    monkeypatch.setattr("certile.cli.running.run._MOST_JUDGED", 140)
    given = ("run", "mine.py:centred", "--shape", "50x70", "--check", "--json")
    assert run(*given)[0] == 0
    usual = TileKernel.__call__

    def spoilt(self: TileKernel, *args: object, **arguments: Any) -> None:
        usual(self, *args, **arguments)
        arguments["y"][25] += 1

    monkeypatch.setattr(TileKernel, "__call__", spoilt)
    code, shown, _ = run(*given)
    assert code == 1
    assert "y[25, " in json.loads(shown)["reports"][0]
