"""The commands: what they print, where, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import certile
from certile import ops
from certile.cli.bench import command as bench
from certile.cli.doctor import abilities
from certile.diagnostics import ArgumentError
from tests.unit.cli.command_line import run

KERNELS = """
import certile as ct


@ct.tile_kernel
def scale(x: ct.View, y: ct.View, factor: float):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * factor


@ct.tile_kernel
def wrong(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        if x[r, cols] > 0:
            y[r, cols] = 1.0


@ct.tile_kernel
def fold(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        total = ct.carry(0.0, ct.f32)
        for c in ct.serial(cols):
            total.value = total.value + x[r, c]
        y[r] = total.value


@ct.tile_kernel
def labelled(x: ct.View, labels: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.gather(x[r, cols], labels[r], cols, fill=0.0)
"""

SUMMED = """
@ct.tile_kernel
def summed(x: ct.View, y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols], cols, ct.add)
"""


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path


def test_ops_lists_every_operation() -> None:
    code, shown, _ = run("ops", "--json")
    assert code == 0
    found = {each["name"]: each for each in json.loads(shown)["ops"]}
    assert list(found) == list(ops.__all__)
    assert found["softmax"]["dtypes"] == ["f16", "bf16", "f32", "f64"]
    assert found["argmax"]["dtypes"][:3] == ["bool", "i8", "i16"]
    assert found["softmax"]["targets"]["metal"] == ["f16", "bf16", "f32"]
    assert found["softmax"]["targets"]["cuda"] == found["softmax"]["dtypes"]
    shown = run("ops")[1]
    assert "softmax(x, axis=-1" in shown
    assert "on cpu, metal (not f64), cuda" in shown


def test_doctor_runs_a_kernel() -> None:
    code, shown, _ = run("doctor", "--json")
    found = json.loads(shown)
    assert code == 0
    assert found["ok"]
    assert found["checks"][0]["name"] == "CPU"
    assert found["settings"]["CERTILE_CACHE"]
    tried = {each["target"]: each for each in found["targets"]}
    assert tried["cpu"]["can"] == tried["reference"]["can"] == "runs"
    assert tried["metal"]["can"] == "text"
    assert {each["state"] for each in found["targets"]} <= {"good", "absent"}
    assert {part["name"] for part in found["caches"]} == {"kernels", "simulated Metal", "proofs"}


def test_doctor_tells_what_is_absent_from_what_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CERTILE_CLANG", "/nowhere/clang")
    code, shown, _ = run("doctor")
    assert code == 0
    assert "absent   clang" in shown
    assert "CERTILE_CLANG=/nowhere/clang" in shown
    assert shown.splitlines()[-1] == "nothing is wrong"

    def broken(_name: str) -> str:
        raise RuntimeError("softmax of zeros is wrong")

    monkeypatch.setattr(abilities, "_runs", broken)
    code, shown, _ = run("doctor")
    assert code == 1
    assert "fault    cpu: softmax of zeros is wrong" in shown


@pytest.mark.parametrize(("target", "suffix"), [("cpu", "ll"), ("metal", "metal"), ("cuda", "cu")])
def test_explain_writes_every_stage(target: str, suffix: str, tmp_path: Path) -> None:
    arguments = ("softmax", "--shape", "3x4096", "--target", target, "--out", str(tmp_path))
    code, shown, _ = run("explain", *arguments, "--json")
    found = json.loads(shown)
    assert code == 0
    names = [Path(stage["file"]).name for stage in found["stages"]]
    assert names == [
        "00-python.py",
        "10-tile.ir",
        "30-plan.txt",
        "30-plan.json",
        "40-machine.ir",
        f"90-kernel.{suffix}",
        "95-launch.json",
        "why.txt",
    ]
    assert all(Path(stage["file"]).read_text().strip() for stage in found["stages"])
    assert json.loads((tmp_path / "30-plan.json").read_text()) == found["plan"]
    assert "def softmax_kernel" in (tmp_path / "00-python.py").read_text()
    launches = json.loads((tmp_path / "95-launch.json").read_text())["launches"]
    assert launches[0]["buffers"] == ["x", "y"]
    assert launches[0]["entry"] in (tmp_path / f"90-kernel.{suffix}").read_text()


def test_explain_a_kernel_of_a_file(kernels: Path, tmp_path: Path) -> None:
    arguments = ("--shape", "x=3x64,y=3x64", "--target", "cuda", "--out", str(tmp_path / "out"))
    assert run("explain", f"{kernels}:scale", *arguments)[0] == 0
    assert "def scale" in (tmp_path / "out/00-python.py").read_text()
    code, _, complaint = run("explain", f"{kernels}:scale", "--shape", "x=3x64")
    assert (code, "shape of y" in complaint) == (2, True)
    code, _, complaint = run("explain", f"{kernels}:other", "--shape", "3x64")
    assert (code, "no kernel called other" in complaint) == (2, True)


def test_each_view_of_a_kernel_may_have_its_own_dtype(kernels: Path) -> None:
    subject = (f"{kernels}:labelled", "--shape", "x=3x64,labels=3,y=3", "--target", "metal")
    assert run("plan", *subject, "--dtype", "bf16,labels=i64")[0] == 0
    assert run("plan", *subject, "--dtype", "labels=i32")[0] == 0
    assert "K011" in run("plan", *subject)[2]
    code, _, complaint = run("plan", *subject, "--dtype", "labels=i65")
    assert (code, "labels=i65" in complaint, "i64" in complaint) == (2, True, True)


def test_a_wrong_kernel_is_shown_with_its_line(kernels: Path) -> None:
    code, shown, complaint = run("plan", f"{kernels}:wrong", "--shape", "3x5", "--target", "metal")
    assert code == 2
    assert not shown
    assert "if x[r, cols] > 0:" in complaint
    assert "K002" in complaint


def test_explain_a_code() -> None:
    code, shown, _ = run("explain", "A307")
    assert code == 0
    assert "label that is no class" in shown
    assert json.loads(run("explain", "A307", "--json")[1])["code"] == "A307"
    assert run("explain", "a307") == run("explain", "A307")


def test_a_code_that_is_none_is_wrong_usage() -> None:
    code, shown, complaint = run("explain", "K999")
    assert (code, shown) == (2, "")
    assert "K999 is no code of the catalogue" in complaint
    code, shown, _ = run("explain", "K999", "--json")
    assert (code, json.loads(shown)["error"]["code"]) == (2, "A308")


def test_explain_of_a_declined_plan_writes_the_reason(tmp_path: Path) -> None:
    arguments = ("--shape", "64x4096", "--target", "metal", "--threads", "100")
    code, shown, _ = run("explain", "softmax", *arguments, "--out", str(tmp_path), "--json")
    assert code == 3
    assert json.loads(shown)["plan"]["declined"]["code"] == "threads"
    assert "100 threads" in (tmp_path / "why.txt").read_text()


def test_a_demand_that_cannot_be_had_is_shown_by_its_code() -> None:
    arguments = ("--shape", "64x4096", "--target", "metal", "--threads", "100")
    code, shown, _ = run("plan", "softmax", *arguments)
    assert code == 3
    assert "declined (P004, threads): " in shown
    # What the reference map may serve is no error.
    arguments = ("--shape", "64x4096", "--target", "metal", "--subgroup-reductions", "off")
    assert "declined (off): " in run("plan", "softmax", *arguments)[1]


def test_plan_of_a_file_lists_its_kernels(kernels: Path) -> None:
    code, _, complaint = run("plan", str(kernels), "--shape", "3x8")
    assert (code, "error[A309]" in complaint) == (2, True)
    names = "NAME one of scale, wrong, fold, labelled"
    assert names in " ".join(complaint.split())


def test_why_names_what_was_rejected() -> None:
    command = ("why", "softmax", "--shape", "3x4096", "--target", "metal", "--policy", "analytic")
    code, shown, _ = run(*command)
    assert code == 0
    assert _rejected(shown) == [
        "  rejected     S=1 Q=1 by stripe: a worker of 32 would keep 128 words; 64 allowed"
    ]
    assert sum(" S=" in line for line in shown.splitlines()) == 31 + 2
    assert "because      no candidate costs less" in shown
    found = json.loads(run(*command, "--json")[1])
    assert set(found) == {"refusals", "plans"}


SPECIALISED = """
import certile as ct


@ct.tile_kernel
def scaled(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    scale = 1.0 / int(x.shape[0])
    for r in ct.parallel(rows):
        v = x[r, cols] * scale
        if x.shape[1] > 100:
            v = v + 1.0
        y[r, cols] = v
"""


def test_why_names_the_extents_that_became_numbers(tmp_path: Path, kernels: Path) -> None:
    path = tmp_path / "specialised.py"
    path.write_text(SPECIALISED)
    command = ("why", f"{path}:scaled", "--shape", "4x64")
    code, shown, _ = run(*command)
    assert code == 0
    lines = SPECIALISED.splitlines()
    places = [next(n for n, line in enumerate(lines, 1) if text in line) for text in ("int", "if ")]
    told = ["x.shape[0] was taken as the number 4", "x.shape[1] was taken as the number 64"]
    for text, line in zip(told, places, strict=True):
        assert f"{text} ({path}:{line})" in shown
    notes = json.loads(run(*command, "--json")[1])["notes"]
    assert [(each["dim"], each["value"]) for each in notes] == [
        ("x.shape[0]", 4),
        ("x.shape[1]", 64),
    ]
    assert [each["loc"]["line"] for each in notes] == places
    assert run("explain", *command[1:], "--out", str(tmp_path / "out"))[0] == 0
    assert told[0] in (tmp_path / "out" / "why.txt").read_text()
    assert "was taken as" not in run("why", f"{kernels}:fold", "--shape", "x=3x64,y=3")[1]


def test_what_cannot_be_had_is_declined_by_every_command() -> None:
    asked = ("softmax", "--shape", "4x64", "--threads", "100")
    for command in (
        ("plan", *asked, "--target", "metal"),
        ("run", *asked, "--target", "metal-sim", "--check"),
        ("run", *asked, "--target", "cpu", "--json"),
    ):
        assert run(*command)[0] == 3


@pytest.mark.parametrize("target", ["cpu", "metal", "cuda"])
@pytest.mark.parametrize("op", ["sum", "softmax"])
def test_rows_beyond_any_memory_have_a_plan(op: str, target: str) -> None:
    most = (1 << 63) - 1
    code, shown, _ = run(*("plan", op, "--shape", f"{most}x{most}", "--target", target, "--json"))
    found = json.loads(shown)
    assert (code, found["declined"], found["programs"]) == (0, None, most)
    assert found["reductions"][0]["rounding"] is None


def test_a_real_operation_of_integers_is_refused_as_its_call_is() -> None:
    code, _, complaint = run("run", "softmax", "--shape", "4x64", "--dtype", "i32")
    assert code == 2
    assert "error[A302]: softmax takes real numbers; x is i32" in complaint
    with pytest.raises(ArgumentError, match="softmax takes real numbers; x is i32"):
        ops.softmax(np.ones((4, 64), np.int32))
    assert run("run", "sum", "--shape", "4x64", "--dtype", "i32", "--check")[0] == 0


def test_why_gives_the_reason_for_the_reference_map(kernels: Path) -> None:
    fold = (f"{kernels}:fold", "--shape", "x=3x64,y=3", "--target", "metal")
    code, shown, _ = run("why", *fold)
    assert code == 0
    assert "because      a program has no axis of elements" in shown
    assert "1 group of 32 threads" in shown
    asked = ("softmax", "--shape", "1x65537", "--target", "metal", "--policy", "analytic")
    code, shown, _ = run("why", *asked)
    assert code == 0
    assert "plan for 1 program on" in shown
    assert "because      lanes cannot share a program here: a worker of 1024" in shown
    assert len(_rejected(shown)) == len({*_rejected(shown)}) == 32
    shown = run("plan", *asked)[1]
    assert len(_rejected(shown)) == 12
    assert "and 20 more; `certile why` lists all" in shown


def test_why_names_the_width_of_what_was_rejected_for_it() -> None:
    asked = "softmax --shape 64x16128 --target metal --threads 256 --max-stripe 63"
    code, shown, _ = run("why", *asked.split(), "--policy", "analytic", "--lane-elements", "8")
    assert code == 0
    assert _rejected(shown) == [
        "  rejected     S=8 Q=1 V=8 by stripe: a worker of 256 would keep 64 words; 63 allowed"
    ]


def _rejected(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if line.startswith("  rejected ")]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("plan", "sofmax", "--shape", "3x4"), 2),
        (("plan", "softmax", "--shape", "3xfour"), 2),
        (("plan", "softmax"), 2),
        (("plan", "softmax", "--shape", "3x4", "--bias"), 2),
        (("plan", "softmax", "--shape", "3x4", "--target", "metal", "--policy", "fastest"), 2),
        (("plan", "softmax", "--shape", "3x4", "--sheet", "m7"), 2),
        (("plan", "softmax", "--shape", "²x4"), 2),
        (("run", "kernels.py:scale", "--shape", "3x4"), 2),
        (("explain", "softmax"), 2),
        (("explain", "softmax", "--shape", "3x4", "--out", __file__), 2),
        (("bench", "--ops", "sum", "--shapes", "0x4"), 2),
        (("bench", "--ops", "sum", "--shapes", "7"), 2),
        (("bench", "--budgets", "speed"), 2),
        (("bench", "--ops", "sort", "--shapes", "3x4"), 2),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], code: int) -> None:
    assert run(*arguments)[0] == code
    found, shown, _ = run(*arguments, "--json")
    assert found == code
    assert not shown or "error" in json.loads(shown)


def test_a_near_name_is_suggested() -> None:
    assert "use softmax" in run("plan", "sofmax", "--shape", "3x4")[2]


@pytest.mark.parametrize("command", [("plan", "zzz", "--shape", "3x4"), ("bench", "--ops", "zzz")])
def test_names_beyond_the_listed_operations_are_called_forms(command: tuple[str, ...]) -> None:
    listed, _, forms = run(*command)[2].partition("; or ")
    assert {"softmax", "argmax"} <= {*listed.replace(",", "").split()} & {*ops.__all__}
    assert "residual_rms_norm" in forms
    assert "only commands take" in forms
    assert not {*forms.partition(", forms of")[0].split(", ")} & {*ops.__all__}


@pytest.mark.parametrize("op", ["softmax", "layer_norm", "cross_entropy", "argmax", "gelu"])
@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_run_checks_the_result(op: str, target: str) -> None:
    code, shown, _ = run("run", op, "--shape", "5x129", "--target", target, "--check", "--json")
    found = json.loads(shown)
    assert (code, found["ok"]) == (0, True)
    assert found["nan_mask_equal"]
    assert found["probes_equal"]
    assert found["reports"] == []


@pytest.mark.parametrize("shape", ["0x5", "5x0"])
def test_run_without_elements(shape: str) -> None:
    code, shown, _ = run("run", "softmax", "--shape", shape, "--check", "--json")
    assert (code, json.loads(shown)["ok"]) == (0, True)


def test_the_version() -> None:
    assert run("--version")[:2] == (0, f"certile {certile.__version__}\n")


def test_a_folder_that_cannot_be_written_is_no_good_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cache() -> dict[str, str]:
        checks = {each["name"]: each for each in json.loads(run("doctor", "--json")[1])["checks"]}
        return checks["disk cache"]

    monkeypatch.setenv("CERTILE_CACHE", "on")
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(tmp_path / "new"))
    assert cache()["state"] == "good"
    (tmp_path / "file").touch()
    # Whoever may write anywhere still makes no files in a folder of processes.
    for folder in (tmp_path / "file" / "folder", Path("/proc/self/folder")):
        monkeypatch.setenv("CERTILE_CACHE_DIR", str(folder))
        assert cache()["state"] == "absent"
        assert "CERTILE_CACHE_DIR" in cache()["fix"]


def test_a_reader_may_leave_early() -> None:
    command = [sys.executable, "-m", "certile", "ops"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_run_on_simulated_metal() -> None:
    arguments = ("--shape", "3x257", "--target", "metal-sim", "--check", "--json")
    code, shown, _ = run("run", "softmax", *arguments)
    assert (code, json.loads(shown)["ok"]) == (0, True)


def test_run_follows_a_plan() -> None:
    arguments = ("--shape", "33x100", "--subgroup-reductions", "off", "--check", "--json")
    code, shown, _ = run("run", "sum", *arguments)
    assert (code, json.loads(shown)["ok"]) == (0, True)


def test_bench_gives_one_row_a_contestant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_SECONDS_A_CASE", 0.02)
    arguments = ("--ops", "sum", "--shapes", "8x64", "--against", "numpy", "--json")
    code, shown, _ = run("bench", *arguments)
    rows = json.loads(shown)["rows"]
    assert code == 0
    names = [row["contestant"] for row in rows]
    assert names == ["certile out=", "certile", "numpy out=", "numpy"]
    for row in rows:
        assert 0 < row["min_s"] <= row["median_s"]
        assert row["bytes"] == 8 * 64 * 4 + 8 * 4
        assert "wrong" not in row


def test_a_fresh_process_answers_on_standard_output() -> None:
    command = [sys.executable, "-m", "certile", "plan", "softmax", "--shape", "3x4096"]
    done = subprocess.run(
        [*command, "--target", "metal", "--policy", "analytic", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["score"] == 108
    assert not done.stderr


@pytest.mark.parametrize("command", ["plan", "why", "explain"])
def test_an_element_type_that_the_target_lacks_is_unsupported_everywhere(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("softmax", "--shape", "3x4096", "--dtype", "f64")
    code, shown, complaint = run(command, *asked, "--target", "metal")
    assert (code, shown) == (4, "")
    assert "error[U310]: metal has no f64" in complaint
    assert json.loads(run(command, *asked, "--target", "metal", "--json")[1])["error"]["code"] == (
        "U310"
    )
    assert run(command, *asked, "--target", "cuda")[0] == 0


def test_a_shape_for_all_is_for_views_of_its_rank(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS + SUMMED)
    code, _, complaint = run("plan", f"{path}:summed", "--shape", "3x4096")
    assert (code, "error[A309]: the shape of y is not given" in complaint) == (2, True)
    shape = " ".join(complaint.split()).partition("as in --shape ")[2]
    assert shape == "x=3x4096,y=3"
    assert run("plan", f"{path}:summed", "--shape", shape)[0] == 0


def test_a_single_element_of_a_row_is_told_from_its_sweeps() -> None:
    text = run("plan", "cross_entropy", "--shape", "4x1048576", "--target", "metal")[1]
    assert ", logits is swept once" in text
    assert "  reads        logits once and a single element once more, labels once" in text
