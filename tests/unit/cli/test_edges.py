"""Command lines that cannot be read, places that cannot be written, memory that is not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from certile.cli import memory
from certile.cli.bench import contest
from certile.cli.bench.command import opponents
from certile.cli.memory import available_bytes, require_memory
from certile.cli.options import FormFlags, dtype_name, parse_shape
from certile.cli.running import run as running
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.search import kept
from tests.unit.cli.command_line import run


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plan",), "Missing argument 'OP'"),
        (("plan", "softmax"), "Missing option '--shape'"),
        (("plan", "softmax", "--shape", "3x4", "--unroll", "two"), "--unroll"),
        (("plan", "softmax", "--shape", "3x4", "--target", "tpu"), "--target"),
        (("plan", "softmax", "--shape", "3x4", "--no-such"), "--no-such"),
        (("plann",), "plann"),
        (("cache", "burn"), "burn"),
    ],
)
def test_a_command_line_that_cannot_be_read(arguments: tuple[str, ...], words: str) -> None:
    code, shown, complaint = run(*arguments)
    assert (code, shown) == (2, "")
    assert words in complaint
    code, shown, complaint = run(*arguments, "--json")
    error = json.loads(shown)["error"]
    assert (code, complaint) == (2, "")
    assert (error["code"], error["exit"]) == ("A313", 2)
    assert words in error["text"]


def test_help_and_success_keep_their_codes_with_json() -> None:
    assert run("plan", "--help", "--json")[0] == 0
    assert run("plan", "softmax", "--shape", "3x4096", "--target", "metal", "--json")[0] == 0
    assert (
        run("plan", "softmax", "--shape", "1x4096", "--threads", "7", "--target", "metal", "--json")
    )[0] == 3


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("float32", "f32"),
        ("torch.float16", "f16"),
        ("torch.bfloat16", "bf16"),
        ("mlx.core.float32", "f32"),
        ("np.uint8", "u8"),
        ("bool_", "bool"),
        ("f64", "f64"),
        ("float31", "float31"),
    ],
)
def test_dtypes_of_frameworks_are_understood(written: str, ours: str) -> None:
    assert dtype_name(written) == ours


def test_a_dtype_is_shown_under_our_name() -> None:
    assert FormFlags(dtype="float16,labels=torch.int64").dtype == "f16,labels=i64"
    arguments = ("plan", "sum", "--shape", "3x64", "--target", "metal", "--json")
    found = json.loads(run(*arguments, "--dtype", "torch.bfloat16")[1])
    assert found["dtype"] == "bf16"
    code, _, complaint = run(*arguments[:-1], "--dtype", "float31")
    assert (code, "float31" in complaint) == (2, True)


@pytest.mark.parametrize("extent", [str(2**63), "1" + "0" * 19, "9" * 5000])
def test_an_extent_of_more_than_64_bits_is_no_shape(extent: str) -> None:
    with pytest.raises(ArgumentError, match="A311"):
        parse_shape(f"{extent}x4")
    assert parse_shape(f"{2**63 - 1}x4") == (2**63 - 1, 4)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "softmax", "--shape", "1000000x1000000"),
        ("run", "sum", "--shape", "1000000x1000000", "--target", "reference", "--check"),
        ("bench", "--ops", "softmax", "--shapes", "1000000x1000000", "--against", "numpy"),
    ],
)
def test_a_shape_that_does_not_fit_memory(arguments: tuple[str, ...]) -> None:
    code, shown, complaint = run(*arguments)
    assert (code, shown) == (4, "")
    assert "U506" in complaint
    assert "1000000x1000000" in complaint
    assert json.loads(run(*arguments, "--json")[1])["error"]["exit"] == 4


def test_an_allocation_that_fails_is_no_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise MemoryError("cannot allocate 5 GiB")

    monkeypatch.setattr(running, "_runner", fail)
    code, _, complaint = run("run", "sum", "--shape", "3x4")
    assert (code, "U506" in complaint, "5 GiB" in complaint) == (4, True, True)


def test_memory_is_what_is_free_and_what_a_group_may_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "meminfo").write_text("MemTotal:  9000 kB\nMemAvailable:    4096 kB\n")
    (tmp_path / "max").write_text("3000000\n")
    (tmp_path / "current").write_text("1000000\n")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_GROUPS", ())
    assert available_bytes() == 4096 << 10
    monkeypatch.setattr(memory, "_GROUPS", ((tmp_path / "max", tmp_path / "current"),))
    assert available_bytes() == 2_000_000
    require_memory(2_000_000, "a little")
    with pytest.raises(UnsupportedError, match=r"a lot takes about 0\.002 GB"):
        require_memory(2_000_001, "a lot")
    (tmp_path / "max").write_text("max\n")
    assert available_bytes() == 4096 << 10


def test_an_opponent_that_is_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_op: str, framework: str) -> None:
        raise ImportError(framework)

    monkeypatch.setattr(contest, "native", absent)
    code, _, complaint = run("bench", "--ops", "sum", "--shapes", "3x4", "--against", "mlx")
    assert (code, "U504" in complaint, "certile[mlx]" in complaint) == (4, True, True)


def test_opponents() -> None:
    assert opponents("numpy, mlx") == ("numpy", "mlx")
    assert "numpy" in opponents("")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is full")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_full_standard_output_is_no_fault_of_ours(more: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "certile", "explain", "K001", *more]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_dump_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CERTILE_DUMP", "plan")
    monkeypatch.setenv("CERTILE_DUMP_DIR", str(tmp_path / "file"))
    monkeypatch.setenv("CERTILE_CACHE", "off")
    code, _, complaint = run(
        "run", "sum", "--shape", "3x43", "--lane-elements", "1", "--unroll", "2"
    )
    assert (code, "S002" in complaint) == (2, True)


def test_the_cache_is_shown_verified_and_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CERTILE_CACHE", "on")
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(tmp_path / "cache"))

    def entries() -> list[Path]:
        return [*(tmp_path / "cache").glob("*.entry")]

    assert run("run", "sum", "--shape", "3x47", "--unroll", "2")[0] == 0
    found = json.loads(run("cache", "--json")[1])
    assert (found["action"], found["ok"], found["mode"]) == ("info", True, "on")
    kernels, simulated, proofs = found["parts"]
    assert kernels["entries"] > 0
    assert kernels["bytes"] == sum(path.stat().st_size for path in entries())
    assert (simulated["entries"], simulated["bytes"]) == (0, 0)
    assert proofs["entries"] == 0
    kept.keep("a law", {"certificate": None})
    assert json.loads(run("cache", "--json")[1])["parts"][2]["entries"] == 1
    assert run("cache", "verify")[0] == 0
    entry = entries()[0]
    entry.write_bytes(entry.read_bytes()[:-1])
    code, shown, _ = run("cache", "verify")
    assert (code, f"damaged: {entry.name}" in shown) == (1, True)
    assert run("cache", "clear")[0] == 0
    cleared = json.loads(run("cache", "--json")[1])["parts"]
    assert [part["entries"] for part in cleared] == [0, 0, 0]
    assert entries() == []


SELECTS = """
import certile as ct

@ct.tile_kernel
def kth(x: ct.View, y: ct.View, k: ct.constexpr):
    rows, cols, top = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1]), ct.axis("top", k)
    for r in ct.parallel(rows):
        y[r] = ct.at(ct.topk(x[r, cols], top, cols)[0], top, k - 1)

@ct.tile_kernel
def attention(q: ct.View, k: ct.View, v: ct.View, o: ct.View):
    n, m, d = ct.axis("n", q.shape[0]), ct.axis("m", k.shape[0]), ct.axis("d", q.shape[1])
    e = ct.axis("e", v.shape[1])
    for i in ct.parallel(n):
        s = ct.reduce(q[i, d] * k[m, d], d, ct.add)
        p = ct.exp(s - ct.reduce(s, m, ct.maximum))
        o[i, e] = ct.reduce(p * v[m, e], m, ct.add) / ct.reduce(p, m, ct.add)
"""


@pytest.fixture
def selects(tmp_path: Path) -> Path:
    path = tmp_path / "selects.py"
    path.write_text(SELECTS)
    return path


@pytest.mark.parametrize("command", ["plan", "why", "prove"])
def test_a_compile_time_value_that_a_command_cannot_know(selects: Path, command: str) -> None:
    code, _, complaint = run(command, f"{selects}:kth", "--shape", "x=64x512,y=64")
    assert code == 2
    assert "A309" in complaint
    assert "the compile-time value k has no default" in complaint
    assert "give k a default" in complaint


def test_a_plan_names_the_folds_that_became_one(selects: Path) -> None:
    shapes = "q=64x64,k=128x64,v=128x64,o=64x64"
    code, shown, _ = run("plan", f"{selects}:attention", "--shape", shapes, "--target", "metal")
    assert code == 0
    assert "  derived      maximum and add and add as one reduction, law" in shown


@pytest.mark.parametrize("command", ["plan", "explain", "run", "bench", "prove", "why"])
@pytest.mark.parametrize("what", ["pipe", "folder"])
def test_a_file_that_is_none_is_refused_at_once(command: str, what: str, tmp_path: Path) -> None:
    """Nobody ever writes to this pipe: to open it would wait for ever."""
    path = tmp_path / "kernel.py"
    if what == "folder":
        path.mkdir()
    elif hasattr(os, "mkfifo"):
        os.mkfifo(path)
    else:
        pytest.skip("the system has no named pipes")
    shape = () if command == "prove" else ("--shape", "3x4")
    # In a process of its own, which can be given up.
    done = subprocess.run(
        [sys.executable, "-m", "certile", command, f"{path}:kernel", *shape],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert f"{path} is no regular file" in done.stderr
    assert "hint: write the text to a file" in done.stderr


def test_closed_streams_are_not_written_to() -> None:
    command = f"{sys.executable} -m certile ops >&- 2>&-"
    assert subprocess.run(["/bin/sh", "-c", command], check=False).returncode == 0
    command = f"{sys.executable} -m certile plan no_such --shape 3x4 >&- 2>&-"
    assert subprocess.run(["/bin/sh", "-c", command], check=False).returncode == 2
