"""`--backend tirx` of run, explain and bench."""

import json

import pytest
from typer.testing import CliRunner

from certile.cli.main import app


def command(*arguments):
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


@pytest.mark.parametrize("target", ["cpu", "metal-sim"])
def test_run_checks_what_tvm_compiled(target):
    code, output = command(
        *("run", "rms_norm", "--shape", "3x200", "--target", target, "--backend", "tirx"),
        *("--check", "--json"),
    )
    found = json.loads(output)
    assert code == 0
    assert found["ok"]
    assert found["backend"] == "tirx"
    assert found["probes_equal"]


def test_run_has_no_reference_through_tvm():
    code, output = command(
        "run", "sum", "--shape", "3x20", "--target", "reference", "--backend", "tirx"
    )
    assert code == 2
    assert "A311" in output


@pytest.mark.parametrize(
    ("target", "suffix", "said"),
    [("cpu", "ll", "define"), ("metal", "metal", "kernel void"), ("cuda", "cu", "__global__")],
)
def test_explain_adds_the_functions_and_the_text(tmp_path, target, suffix, said):
    code, output = command(
        *("explain", "softmax", "--shape", "3x200", "--target", target, "--backend", "tirx"),
        *("--out", str(tmp_path)),
    )
    assert code == 0, output
    assert "@T.prim_func" in (tmp_path / "96-tirx.py").read_text()
    assert said in (tmp_path / f"96-tirx.{suffix}").read_text()


def test_explain_without_it_has_no_such_stage(tmp_path):
    code, _ = command("explain", "softmax", "--shape", "3x200", "--out", str(tmp_path))
    assert code == 0
    assert not list(tmp_path.glob("96-*"))


def test_bench_has_one_more_contestant():
    code, output = command(
        *("bench", "--ops", "argmax", "--shapes", "8x64", "--against", "numpy"),
        *("--backend", "tirx", "--json"),
    )
    assert code == 0
    names = [row["contestant"] for row in json.loads(output)["rows"]]
    assert "certile-tirx" in names
