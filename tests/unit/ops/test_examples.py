"""The examples run, check their own results, and print something."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
KERNELS = sorted((EXAMPLES / "kernels").glob("*.py"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


def test_the_examples_are_listed() -> None:
    listed = (EXAMPLES / "README.md").read_text()
    assert KERNELS
    assert not [path.name for path in KERNELS if f"kernels/{path.name}" not in listed]


def test_the_demo_agrees_with_its_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.syspath_prepend(str(EXAMPLES))
    for name in ("minilm", "row_ops", "sentences"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import minilm
    import row_ops
    import sentences

    model = minilm.load()
    batch = minilm.tokenize(model, sentences.SENTENCES[:3])
    with torch.no_grad():
        found = minilm.Encoder(model, row_ops.CertileOps())(batch).numpy()
    exact = minilm.reference(model, batch)
    assert np.abs(found - exact).max() < 1e-5
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-6)
