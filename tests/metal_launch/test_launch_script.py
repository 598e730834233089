"""`scripts/mac_first_run.py` on a device that is a CPU: every step is served, failures are told.

The script is what somebody with a Mac runs once, so that it works may not depend on a Mac.
"""

import importlib.util
import json
import sys

import pytest

from certile.diagnostics import UnsupportedError
from tests.house.sources import ROOT


@pytest.fixture
def script(monkeypatch, tmp_path):
    path = ROOT / "scripts" / "mac_first_run.py"
    spec = importlib.util.spec_from_file_location("mac_first_run", path)
    module = importlib.util.module_from_spec(spec)
    # Classes of a module are looked up by its name while they are made.
    monkeypatch.setitem(sys.modules, "mac_first_run", module)
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    return module


def test_every_step_is_served_and_reported(script, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(script, "TIMED", ("sum",))
    # Its own tests run it; it tries every target.
    monkeypatch.setattr(script.doctor, "report", lambda: {"ok": True})
    monkeypatch.setattr(script.doctor, "report_text", lambda found: "all is well")
    assert script.main(["--fake", "--ops", "sum", "--dtypes", "f32", "i64x"]) == 0
    report = json.loads((tmp_path / "certile-mac-report.json").read_text())
    assert report["faked"] is True
    rows = report["rows"]
    steps = {row["step"] for row in rows}
    assert steps == {
        *("machine", "operations", "compiling", "precise math", "batches"),
        *("lent memory", "races", "frameworks", "memory", "times"),
    }
    states = {(row["step"], row["name"]): row["state"] for row in rows}
    assert states["operations", "sum 5x70 f32"] == "ok"
    assert states["operations", "sum 5x70 i64x"] == "absent"
    assert states["compiling", "sum"] == "ok"
    assert [state for (step, _), state in states.items() if step == "races"] == ["ok"] * 6
    assert "failed" not in states.values()
    shown = capsys.readouterr().out
    assert "0 failed" in shown
    assert "20 calls in a chain" in (tmp_path / "certile-mac-report.txt").read_text()


def test_every_operation_runs_or_has_no_form(script):
    for op in script.BARE_OPS:
        assert script._refused(op, "5x70", "f32") is None
        assert callable(script.ours(op))
        assert script.made_up(script.Case(op, (5, 8, 16) if op == "group_norm" else (5, 70)))
    assert "i32" in script._refused("mean", "5x70", "i32")


def test_an_operation_that_fails_stops_no_other(script, monkeypatch):
    def run_op(op, *_, **__):
        if op == "sum":
            raise RuntimeError("of one")
        raise UnsupportedError("U403", "of another")

    monkeypatch.setattr(script, "run_op", run_op)
    setting = script.Setting(("sum", "mean", "max"), ("f32",), ("5x70",), (16, 256), 2, faked=True)
    rows = list(script._operations(setting))
    assert [row.state for row in rows] == ["failed"] * 3
    assert "of one" in rows[0].found
    assert "U403" in rows[1].found


def fails(setting):
    yield from ()
    raise RuntimeError("of the step")


def refuses(setting):
    yield from ()
    raise UnsupportedError("U403", "of the device")


def test_a_step_that_fails_stops_no_other(script, monkeypatch, tmp_path):
    monkeypatch.setattr(script, "STEPS", (fails, refuses, script._lent_memory))
    assert script.main(["--fake", "--out", "report"]) == 1
    rows = json.loads((tmp_path / "report.json").read_text())["rows"]
    assert [row["state"] for row in rows[:2]] == ["failed", "failed"]
    assert "of the step" in rows[0]["found"]
    assert "U403" in rows[1]["found"]
    assert rows[-1]["state"] == "ok"
