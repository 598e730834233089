"""`certile bench FILE.py:kernel --target cuda` on a GPU: judged, and timed by the device."""

import json

import pytest

from certile.cli.bench import on_device
from certile.cli.bench.on_device import captured
from tests.unit.cli.command_line import run

pytestmark = pytest.mark.gpu

SUBJECTS = """
import torch
import certile as ct


@ct.tile_kernel
def softmax(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = ct.cast(x[r, cols], ct.f32)
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = ct.cast(e / ct.reduce(e, cols, ct.add), y.dtype)


def by_torch(x):
    return torch.softmax(x, -1)


def halved(x):
    return torch.softmax(x, -1) / 2


def waits(x):
    x.sum().item()
    return torch.softmax(x, -1)
"""


@pytest.fixture(autouse=True)
def folder(torch, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(SUBJECTS)
    monkeypatch.chdir(tmp_path)


def rows(*arguments):
    code, shown, complaint = run("bench", *arguments, "--target", "cuda", "--json")
    assert code == 0, complaint
    return json.loads(shown)["rows"]


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_plans_and_functions_are_judged_and_timed(dtype):
    rivals = "mine.py:by_torch,mine.py:halved,mine.py:waits"
    shape = ("--shape", "2048x4096", "--dtype", dtype)
    found = rows("mine.py:softmax", *shape, "--plans", "3", "--against", rivals)
    assert [row["contestant"] for row in found] == [
        "certile",
        "certile plan 2",
        "certile plan 3",
        *rivals.split(","),
    ]
    by_name = {row["contestant"]: row for row in found}
    assert {name for name, row in by_name.items() if "wrong" in row} == {"mine.py:halved"}
    assert {name for name, row in by_name.items() if "note" in row} == {"mine.py:waits"}
    assert len({row["plan"] for row in found[:3]}) == 3
    assert {row["target"] for row in found} == {"cuda"}
    # The bytes of x and y; of the copy in the same run no kernel gets much more than all.
    assert found[0]["bytes"] == 2 * 2048 * 4096 * (4 if dtype == "f32" else 2)
    assert 0.2 < found[0]["of_copy"] < 1.3
    assert found[0]["median_s"] < by_name["mine.py:waits"]["median_s"]


def test_an_operation_is_a_kernel_too(torch):
    ours, theirs = rows("sum", "--shape", "4096x4096", "--against", "torch:sum")
    assert "wrong" not in ours
    assert "has shape ()" in theirs["wrong"]


def test_buffers_take_several_times_the_cache(torch):
    cache = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
    size = 2 * 2048 * 4096 * 4
    assert on_device.Device().buffer_sets(size, 0, "a kernel") * size >= 4 * cache


def test_a_graph_replays_what_was_enqueued(torch):
    x = torch.zeros(4, device="cuda")
    replay = captured(torch, lambda: x.add_(1))
    assert replay is not None
    replay()
    replay()
    torch.cuda.synchronize()
    assert x.tolist() == [2.0] * 4


def test_a_call_that_waits_is_in_no_graph_and_does_no_harm(torch):
    x = torch.ones(4, device="cuda")
    assert captured(torch, lambda: x.sum().item()) is None
    assert x.mul(2).sum().item() == 8.0
    assert torch.rand(4, device="cuda").max().item() < 1
