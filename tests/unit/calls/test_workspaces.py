"""Programs of several launches that pass values on: their memory, on disk and between threads."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest

import certile as ct
from certile import pipeline
from certile.ir.host import ALIGNMENT_BYTES
from certile.runtime import bind, dispatch, programs
from certile.runtime.cache import default_cache
from certile.runtime.cpu.device import machine_sheet
from tests.threads import in_threads
from tests.unit.calls.calling import numbers

ROWS, COLUMNS = 5003, 40


def spread(x: ct.View, y: ct.View, place: ct.View, scale: ct.f32):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for c in ct.parallel(cols):
        v = x[rows, c]
        y[c] = (ct.reduce(v, rows, ct.maximum) - ct.reduce(v, rows, ct.minimum)) * scale
        place[c] = ct.reduce(v, rows, ct.argmax)


def wanted(x, scale):
    return (x.max(0) - x.min(0)) * np.float32(scale), x.argmax(0)


@pytest.fixture(autouse=True)
def little_caches(cache_folder, monkeypatch):
    """The arrays of these tests come from memory, as far as the planner knows."""
    sheet = replace(machine_sheet(), cache_bytes=(1 << 12, 1 << 14, 1 << 16))
    monkeypatch.setattr(dispatch, "_sheet", lambda target: sheet)
    monkeypatch.setattr(programs, "_code", {})


def arrays():
    return numbers(ROWS, COLUMNS), np.zeros(COLUMNS, np.float32), np.zeros(COLUMNS, np.int64)


def launched(kernel, x, y, place):
    (plan,) = kernel.prepare(x, y, place, 2.0).plans
    return plan.launched_groups


def check(kernel, x, y, place, scale):
    kernel(x, y, place, scale)
    for found, right in zip((y, place), wanted(x, scale), strict=True):
        np.testing.assert_array_equal(found, right)


def test_two_launches_make_a_call():
    kernel, (x, y, place) = ct.tile_kernel(spread), arrays()
    check(kernel, x, y, place, 2.0)
    assert kernel.compilations == 2
    parts, last = launched(kernel, x, y, place)
    assert parts > last


def test_the_workspace_is_known_on_disk(monkeypatch):
    check(ct.tile_kernel(spread), *arrays(), 2.0)
    monkeypatch.setattr(programs, "_code", {})
    monkeypatch.setattr(pipeline, "compile_program", lambda *args: pytest.fail("compiled again"))
    check(ct.tile_kernel(spread), *arrays(), 0.5)


def test_an_entry_without_its_workspace_is_compiled_anew(monkeypatch):
    keys, keep = [], programs.keep
    monkeypatch.setattr(programs, "keep", lambda key, made: keys.append(key) or keep(key, made))
    check(ct.tile_kernel(spread), *arrays(), 2.0)
    document = json.loads(default_cache().get(keys[0]))
    assert document.pop("workspace")
    default_cache().put(keys[0], json.dumps(document).encode())
    check(ct.tile_kernel(spread), *arrays(), 2.0)
    assert len(keys) == 2


def test_calls_at_once_share_no_workspace(monkeypatch):
    """Each call waits for the other with its block filled, so both launch with their own."""
    kernel, (x, *outputs) = ct.tile_kernel(spread), arrays()
    check(kernel, x, *outputs, 1.0)
    meeting, given = threading.Barrier(2, timeout=60), []
    fill = bind.CpuLauncher._fill_all

    def met(self, block, words):
        fill(self, block, words)
        given.append(block.passed)
        meeting.wait()

    monkeypatch.setattr(bind.CpuLauncher, "_fill_all", met)
    made = []

    def work(seed):
        own = numbers(ROWS, COLUMNS, seed=seed)
        results = [np.zeros_like(each) for each in outputs]
        kernel(own, *results, 3.0)
        made.append((own, results))

    in_threads(work, (5, 6))
    assert len(made) == 2
    assert not set(given[0]) & set(given[1])
    assert all(address % ALIGNMENT_BYTES == 0 for address in (*given[0], *given[1]))
    for own, results in made:
        for found, right in zip(results, wanted(own, 3.0), strict=True):
            np.testing.assert_array_equal(found, right)


def test_a_prepared_call_may_be_repeated_and_given_other_arrays():
    kernel, (x, y, place) = ct.tile_kernel(spread), arrays()
    prepared = kernel.prepare(x, y, place, 2.0)
    for seed in (1, 2):
        x[...] = numbers(ROWS, COLUMNS, seed=seed)
        prepared()
        np.testing.assert_array_equal(y, wanted(x, 2.0)[0])
    other, y2, place2 = numbers(ROWS, COLUMNS, seed=9), np.zeros_like(y), np.zeros_like(place)
    prepared(other, y2, place2, 2.0)
    np.testing.assert_array_equal(place2, wanted(other, 2.0)[1])
