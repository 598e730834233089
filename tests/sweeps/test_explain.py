"""`certile explain` of every operation for every target, on a machine that has none of the GPUs."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from certile.cli.main import app
from certile.metalsim import check
from certile.ops.kernels import BARE_OPS

FILES = ("00-python.py", "10-tile.ir", "30-plan.txt", "30-plan.json", "40-machine.ir")
SUFFIXES = {"cpu": "ll", "metal": "metal", "cuda": "cu"}
# A word of each target's text that no other target has.
WORDS = {"cpu": "define void @", "metal": "[[buffer(0)]]", "cuda": "__global__"}


def explain(op, target, folder):
    shape = "3x1026" if op == "rope" else "3x1025"
    command = ["explain", op, "--shape", shape, "--target", target, "--out", str(folder)]
    done = CliRunner().invoke(app, [*command, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("target", SUFFIXES)
@pytest.mark.parametrize("op", BARE_OPS)
def test_every_stage_is_written(op, target, tmp_path):
    found = explain(op, target, tmp_path)
    kernel = f"90-kernel.{SUFFIXES[target]}"
    names = [Path(stage["file"]).name for stage in found["stages"]]
    assert names == [*FILES, kernel, "95-launch.json", "why.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    texts = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert all(text.strip() for text in texts.values())
    numbers = [stage["number"] for stage in found["stages"]]
    assert numbers == sorted(numbers)
    assert json.loads(texts["30-plan.json"]) == found["plan"]
    (launch,) = json.loads(texts["95-launch.json"])["launches"]
    assert launch["entry"] in texts[kernel]
    others = [word for name, word in WORDS.items() if name != target]
    assert WORDS[target] in texts[kernel]
    assert not any(word in texts[kernel] for word in others)


@pytest.mark.parametrize("op", BARE_OPS)
def test_the_metal_text_has_no_complaint(op, tmp_path):
    """What `explain` writes is what a Metal compiler takes, as far as the checker knows."""
    explain(op, "metal", tmp_path)
    assert check((tmp_path / "90-kernel.metal").read_text()) == []
