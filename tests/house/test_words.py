"""Words that may stand only in some places.

The compiler knows no operation by name: softmax and its kind are programs like any other, and a
string or identifier that names one below `ops` would be a special case.  Docstrings are prose and
may name them.
"""

import re

import pytest

from tests.house.sources import (
    PACKAGE,
    ROOT,
    identifiers,
    name,
    part,
    python_files,
    strings,
    tree,
)

_OPERATIONS = (
    *("softmax", "log_softmax", "rms_norm", "layer_norm", "group_norm", "cross_entropy"),
    *("gelu", "silu", "swiglu", "geglu", "quantize_rows"),
)
_MAY_NAME_OPERATIONS = {"ops", "cli", "integrations", "torch", "mlx"}

_PRIMITIVES = re.compile(r"\bsimd_(?:sum|max|min|product|shuffle\w*)\b|__shfl\w*|\b__?redux\w*")
_MAY_NAME_PRIMITIVES = ("codegen/metal/", "codegen/cuda/", "codegen/cpu/", "tirx/", "metalsim/")

_WORKPLACE = re.compile(r"\b(?:assistant|sandbox|workplace|co-authored-by)\b", re.IGNORECASE)
_OPEN_NOTE = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
_ONE_MACHINE = re.compile(r"(?:^|[\s\"'`(=])/(?:work|home|root|Users)/")


def _named(pattern, path):
    module = tree(path)
    for line, text in [*identifiers(module), *strings(module)]:
        if found := pattern.search(text):
            yield f"{name(path)}:{line}: {found[0]}"


def test_operations_have_no_name_below_ops():
    pattern = re.compile(rf"\b(?:{'|'.join(_OPERATIONS)})\b")
    below = [p for p in python_files("certile") if part(p) not in _MAY_NAME_OPERATIONS]
    assert below
    assert not [found for path in below for found in _named(pattern, path)]


def test_target_primitives_stay_with_their_target():
    others = [
        path
        for path in python_files("certile")
        if not path.relative_to(PACKAGE).as_posix().startswith(_MAY_NAME_PRIMITIVES)
    ]
    assert others
    assert not [found for path in others for found in _named(_PRIMITIVES, path)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = softmax(y)", True),
        ("x = 'softmax'", True),
        ("law = softmax_sum", False),
        ("'''About softmax.'''", False),
        ("def f(softmax): pass", True),
        ("from a import softmax", True),
    ],
)
def test_the_search_itself(tmp_path, monkeypatch, text, found):
    monkeypatch.setattr("tests.house.sources.ROOT", tmp_path)
    path = tmp_path / "sample.py"
    path.write_text(text)
    assert bool(list(_named(re.compile(r"\bsoftmax\b"), path))) is found


def _texts():
    """Give every line of every text file, with its place; this file names what it looks for."""
    paths = [*python_files("certile", "scripts", "tests", "examples", "benchmarks")]
    paths += [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "Makefile"]
    paths.remove(ROOT / "tests/house/test_words.py")
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{name(path)}:{number}: {line.strip()}", line


def test_texts_speak_of_the_project_only():
    assert not [place for place, line in _texts() if _WORKPLACE.search(line)]


def test_no_open_notes():
    assert not [place for place, line in _texts() if _OPEN_NOTE.search(line)]


def test_no_path_of_one_machine():
    assert not [place for place, line in _texts() if _ONE_MACHINE.search(line)]
