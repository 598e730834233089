"""Every command with every exit code that it has, in text and with `--json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from certile.cli.bench import command as bench
from certile.cli.bench import contest
from certile.cli.doctor import abilities
from certile.cli.main import app
from certile.cli.running import run as running
from tests.unit.cli.command_line import LAWS

KERNELS = (
    LAWS
    + """

@ct.tile_kernel
def steep(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r] = ct.reduce(ct.exp(v * ct.reduce(v, cols, ct.maximum)), cols, ct.add)
"""
)

GOOD, FAILED, USAGE, DECLINED, UNSUPPORTED, INTERNAL = 0, 1, 2, 3, 4, 70
COMMANDS = ("doctor", "cache", "ops", "plan", "explain", "why", "run", "bench", "prove")
SUBJECT = "softmax --shape 3x40"
# What stands in for the work of a command, to let it fail as nothing of a caller's does.
WORK: Mapping[str, str] = {
    "doctor": "certile.cli.doctor.findings.report",
    "cache": "certile.cli.cache_command.act",
    "ops": "certile.cli.catalogue.listing",
    "plan": "certile.cli.explain.stages.planned",
    "explain": "certile.cli.explain.stages.explained",
    "why": "certile.cli.explain.stages.planned",
    "run": "certile.cli.running.run.run_op",
    "bench": "certile.cli.bench.command.run_bench",
    "prove": "certile.cli.proving.laws.subject",
}
LINES: Mapping[str, str] = {
    "plan": f"plan {SUBJECT}",
    "explain": f"explain {SUBJECT}",
    "why": f"why {SUBJECT}",
    "run": f"run {SUBJECT}",
    "prove": "prove add",
}

CASES: tuple[tuple[str, int], ...] = (
    ("doctor", GOOD),
    ("cache", GOOD),
    ("cache verify", GOOD),
    ("cache burn", USAGE),
    ("ops", GOOD),
    (f"plan {SUBJECT}", GOOD),
    ("plan sofmax --shape 3x40", USAGE),
    (f"plan {SUBJECT} --target metal --threads 100", DECLINED),
    (f"plan {SUBJECT} --target metal --dtype f64", UNSUPPORTED),
    (f"explain {SUBJECT}", GOOD),
    ("explain K001", GOOD),
    ("explain K999", USAGE),
    ("explain softmax", USAGE),
    (f"explain {SUBJECT} --target metal --threads 100", DECLINED),
    (f"explain {SUBJECT} --target metal --dtype f64", UNSUPPORTED),
    (f"why {SUBJECT}", GOOD),
    # The reason is what was asked for.
    (f"why {SUBJECT} --target metal --threads 100", GOOD),
    ("why softmax --shape 3xfour", USAGE),
    (f"why {SUBJECT} --target metal --dtype f64", UNSUPPORTED),
    (f"run {SUBJECT} --check", GOOD),
    (f"run {SUBJECT} --target tpu", USAGE),
    (f"run {SUBJECT} --threads 100", DECLINED),
    (f"run {SUBJECT} --target metal-sim --dtype f64", UNSUPPORTED),
    ("bench --ops sum --shapes 8x64 --against numpy", GOOD),
    ("bench --ops sum --shapes 7", USAGE),
    ("bench --ops sum --shapes 1000000x1000000 --against numpy", UNSUPPORTED),
    ("prove add", GOOD),
    ("prove {kernels}:Wrong", FAILED),
    ("prove nonesuch", USAGE),
    ("prove {kernels}:steep", DECLINED),
    ("prove {kernels}:Plain", UNSUPPORTED),
    *((f"{command} --no-such-flag", USAGE) for command in COMMANDS),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a folder of its own, which holds the kernels and takes what a command writes."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(bench, "_SECONDS_A_CASE", 0.01)
    return tmp_path


def exits(line: str, code: int) -> None:
    """Check the code of a command line, and that with `--json` it prints one document."""
    given = line.replace("{kernels}", "kernels.py").split()
    done = CliRunner().invoke(app, given)
    assert done.exit_code == code, (line, done.stdout, done.stderr)
    done = CliRunner().invoke(app, [*given, "--json"])
    document = json.loads(done.stdout)
    assert done.exit_code == code
    # Some documents say themselves what was declined or failed; any other failure is an error.
    assert "error" not in document or document["error"]["exit"] == code
    assert "error" in document or code in (GOOD, FAILED, DECLINED)


@pytest.mark.parametrize(("line", "code"), CASES)
def test_exit_codes(line: str, code: int) -> None:
    exits(line, code)


def test_a_self_test_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_name: str) -> str:
        raise RuntimeError("softmax of zeros is wrong")

    monkeypatch.setattr(abilities, "_runs", broken)
    exits("doctor", FAILED)


def test_a_damaged_entry_of_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CERTILE_CACHE", "on")
    exits("run sum --shape 3x53 --unroll 2", GOOD)
    entry = next((folder / "cache").glob("*.entry"))
    damaged = entry.read_bytes()[:-1]
    for more in ([], ["--json"]):
        # Whatever is found damaged is removed.
        entry.write_bytes(damaged)
        assert CliRunner().invoke(app, ["cache", "verify", *more]).exit_code == FAILED


def test_a_wrong_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that stores nothing, and an oracle of another operation."""
    monkeypatch.setattr(running, "_runner", lambda *_: lambda _arguments: [])
    exits(f"run {SUBJECT} --check", FAILED)
    usual = contest.expected
    monkeypatch.setattr(contest, "expected", lambda *given: [1 + x for x in usual(*given)])
    exits("bench --ops sum --shapes 8x64 --against numpy", FAILED)


def test_a_missed_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    from certile.cli.budgets import bars as budgets

    monkeypatch.setattr(budgets, "_figures", lambda _name: {})
    exits("bench --budgets import", FAILED)


@pytest.mark.parametrize("backend", ["native", "tirx"])
def test_a_device_that_is_not_there(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    exits(f"run {SUBJECT} --target cuda --backend {backend}", UNSUPPORTED)
    # Metal text of TVM's runs in the simulator only, wherever the command is typed.
    code = UNSUPPORTED if backend == "native" else USAGE
    exits(f"run {SUBJECT} --target metal --backend {backend}", code)


def test_a_tool_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CERTILE_CLANG", "/nowhere/clang")
    exits(f"run {SUBJECT} --target metal-sim", UNSUPPORTED)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_fault_of_ours(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object, **_more: object) -> None:
        raise ZeroDivisionError("nobody's argument")

    monkeypatch.setattr(WORK[command], fails)
    exits(LINES.get(command, command), INTERNAL)
    assert [*Path().glob("certile-crash-*.zip")]


def test_what_runs_on_a_device_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arrays of a command reach a device bit for bit, and results come back the same way."""
    import ml_dtypes
    import torch

    from certile.cli.running import on_cuda

    made = torch.Tensor.to
    monkeypatch.setattr(
        torch.Tensor, "to", lambda self, _device, copy: made(self, "cpu", copy=copy)
    )
    for dtype, name in (
        (np.float32, "f32"),
        (ml_dtypes.bfloat16, "bf16"),
        (np.bool_, "bool"),
        (np.uint16, "u16"),
        (ml_dtypes.float8_e4m3fn, "f8e4m3"),
    ):
        x = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
        tensor = on_cuda._to_device(torch, x, name)
        assert tensor.shape == x.shape
        assert tensor.float().tolist() == x.astype(np.float32).tolist()
        y = np.zeros_like(x)
        on_cuda._from_device(torch, tensor, y)
        assert y.tobytes() == x.tobytes()
        assert tensor.data_ptr() != x.ctypes.data
