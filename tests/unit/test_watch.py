"""Watchers: what they write, and that the compile does not notice them."""

from pathlib import Path

import pytest

from certile.diagnostics import Refusal
from certile.settings import Settings
from certile.source import Loc
from certile.watch import (
    SILENT,
    DumpWatcher,
    RecordWatcher,
    TeeWatcher,
    TimeWatcher,
    TraceWatcher,
    Watcher,
    watcher_for,
)

_REFUSAL = Refusal("plan", "stripe", "it fits", "60 scalars, 32 allowed")


class _Printed:
    dump_suffix = "ir"

    def __str__(self):
        return "tile ir"


def _play(watcher):
    value = object()
    assert watcher.stage("trace", value) is value
    watcher.on_rule("fold", "a", "b", "a proof", Loc("k.py", 3))
    watcher.on_refusal(_REFUSAL)
    watcher.on_choice("plan", "S=2", ["S=1", "S=2"], "lower score")
    return value


@pytest.mark.parametrize(
    "watcher",
    [SILENT, RecordWatcher(), TraceWatcher(len), TimeWatcher(), TeeWatcher(SILENT, Watcher())],
    ids=lambda watcher: type(watcher).__name__,
)
def test_a_stage_gets_its_value_back(watcher):
    _play(watcher)


def test_record():
    watcher = RecordWatcher()
    value = _play(watcher)
    assert watcher.stages == [("trace", value)]
    assert watcher.rules == [("fold", "a", "b", "a proof", Loc("k.py", 3))]
    assert watcher.refusals == [_REFUSAL]
    assert watcher.choices == [("plan", "S=2", ("S=1", "S=2"), "lower score")]


def test_trace():
    lines = []
    _play(TraceWatcher(lines.append))
    assert lines == [
        "rule fold at k.py:3: a -> b, because a proof\n",
        "refused (plan) stripe: cannot show that it fits: 60 scalars, 32 allowed\n",
        "chose plan: S=2 out of 2, lower score\n",
    ]


def test_dump_numbers_files_and_keeps_reasons(tmp_path):
    watcher = DumpWatcher(tmp_path / "dump")
    watcher.stage("trace", _Printed())
    watcher.on_refusal(_REFUSAL)
    watcher.stage("emit", "kernel\n")
    files = {path.name: path.read_text() for path in (tmp_path / "dump").iterdir()}
    assert files == {
        "00-trace.ir": "tile ir\n",
        "01-emit.txt": "kernel\n",
        "why.txt": f"refused (plan) {_REFUSAL}\n",
    }
    assert [number for number, _, _ in watcher.files] == [0, 1]


def test_dump_of_some_stages_keeps_the_numbers(tmp_path):
    watcher = DumpWatcher(tmp_path, ["emit"])
    watcher.stage("trace", "a")
    watcher.stage("emit", "b")
    assert [path.name for path in tmp_path.iterdir()] == ["01-emit.txt"]


def test_times_are_booked_to_the_stage_that_ended():
    ticks = iter([0.0, 1.0, 10.0, 12.0, 20.0])
    lines = []
    watcher = TimeWatcher(lines.append, clock=lambda: next(ticks))
    watcher.stage("trace", 1)
    watcher.stage("plan", 2)
    assert watcher.seconds == [("trace", 1.0), ("plan", 2.0)]
    assert lines[0].split() == ["trace", "1000.000", "ms"]


def test_settings_choose_the_watcher(tmp_path):
    assert watcher_for(Settings.read({}), "k") is SILENT
    assert isinstance(watcher_for(Settings.read({"CERTILE_TIME": "1"}), "k"), TimeWatcher)
    both = {"CERTILE_DUMP": "all", "CERTILE_DUMP_DIR": str(tmp_path), "CERTILE_TRACE": "rules"}
    watcher = watcher_for(Settings.read(both), "softmax-1234")
    assert isinstance(watcher, TeeWatcher)
    dump = next(inner for inner in watcher.watchers if isinstance(inner, DumpWatcher))
    assert dump.directory == Path(tmp_path) / "softmax-1234"
