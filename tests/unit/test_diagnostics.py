"""Diagnostics, the exceptions that carry them, refusals and crash files."""

import json
import pickle
import zipfile

import pytest

from certile.codes import CATALOGUE
from certile.diagnostics import (
    ArgumentError,
    CertileError,
    Diagnostic,
    InternalError,
    KernelError,
    Refusal,
    UnsupportedError,
    with_article,
)
from certile.source import Loc


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "attention.py"
    path.write_text("\n" * 40 + "    acc = tile.mma(q, k, acc)\n")
    return Loc(str(path), 41, 11, 41, 30, "scores", Loc(str(path), 58))


def test_render(place, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    diagnostic = Diagnostic(
        "K999", "inner sizes differ: 64 and 32", place, ("q is (64, 64)",), "transpose one operand"
    )
    assert diagnostic.render() == (
        "error[K999]: inner sizes differ: 64 and 32\n"
        "  --> attention.py:41:11, in scores, called from attention.py:58\n"
        "   41 |     acc = tile.mma(q, k, acc)\n"
        "      |           ^^^^^^^^^^^^^^^^^^^\n"
        "      = q is (64, 64)\n"
        "      = hint: transpose one operand"
    )


def test_without_a_hint_the_catalogue_gives_one():
    assert f"hint: {CATALOGUE['S001'].fix}" in Diagnostic("S001", "wrong").render()
    assert "hint" not in Diagnostic("K999", "wrong").render()


@pytest.mark.parametrize(
    ("error", "bases"),
    [
        (KernelError, (CertileError, ValueError)),
        (ArgumentError, (KernelError, ValueError, TypeError)),
        (UnsupportedError, (CertileError, NotImplementedError)),
        (InternalError, (CertileError, RuntimeError)),
    ],
)
def test_families(error, bases):
    raised = error("K999", "wrong", notes=["a note"], hint="a hint")
    assert all(isinstance(raised, base) for base in bases)
    assert raised.code == "K999"
    assert str(raised) == raised.diagnostic.render()
    assert "a note" in str(raised)
    copy = pickle.loads(pickle.dumps(raised))
    assert type(copy) is error
    assert copy.diagnostic == raised.diagnostic


def test_an_error_from_a_diagnostic(place):
    diagnostic = Diagnostic("K999", "wrong", place)
    assert KernelError(diagnostic).diagnostic is diagnostic
    assert KernelError(diagnostic).loc is place


def test_refusal_is_plain_data(place):
    refusal = Refusal("rewrite", "drop_mask", "i < n", "i may reach 4097", "bounds", place)
    assert json.loads(json.dumps(refusal.to_json())) == {
        "kind": "rewrite",
        "rule": "drop_mask",
        "claim": "i < n",
        "missing": "i may reach 4097",
        "obligation": "bounds",
        "loc": {"file": place.file, "line": 41, "column": 11},
        "text": "drop_mask: cannot show that i < n: i may reach 4097",
    }
    assert Refusal("plan", "stripe", "fits", "no", text="too long").text == "too long"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        *((name, f"an {name}") for name in ("i32", "f32", "int", "object", "ndarray", "Axis")),
        *((name, f"a {name}") for name in ("u32", "bf16", "bool_", "float", "uint8", "Tensor")),
    ],
)
def test_an_article_follows_the_sound(name, shown):
    assert with_article(name) == shown


def test_crash_file(tmp_path):
    error = InternalError("V999", "a value is used before it is defined")
    stages = {"trace.ir": "first\n", "lower.ir": "second\n"}
    path = error.write_crash(stages, tmp_path / "crashes", {"CERTILE_MATH": "precise"})
    assert path.name.startswith("certile-crash-")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert "stages/00-trace.ir" in names
        assert archive.read("stages/01-lower.ir") == b"second\n"
        assert json.loads(archive.read("settings.json")) == {"CERTILE_MATH": "precise"}
        assert "python" in json.loads(archive.read("versions.json"))
        assert b"V999" in archive.read("error.txt")


def test_equal_crashes_are_equal_files(tmp_path):
    error = InternalError("V999", "wrong")
    first = error.write_crash({"a": "1"}, tmp_path / "one")
    second = error.write_crash({"a": "1"}, tmp_path / "two")
    other = error.write_crash({"a": "2"}, tmp_path / "two")
    assert first.name == second.name != other.name
    assert first.read_bytes() == second.read_bytes()
