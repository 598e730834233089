"""Codes, settings and the documentation say the same thing."""

import dataclasses
import re
import subprocess
import sys

import pytest

from certile.codes import CATALOGUE, LETTERS
from certile.settings import PREFIX, VARIABLES, Settings
from tests.house.sources import ROOT, name, part, python_files, strings, tree

_CODE = re.compile(rf"[{''.join(LETTERS)}]\d{{3}}")


def _codes_in_use():
    return {
        text: f"{name(path)}:{line}"
        for path in python_files("certile")
        if part(path) != "codes"
        for line, text in strings(tree(path))
        if _CODE.fullmatch(text)
    }


def test_every_code_in_use_is_catalogued():
    unknown = {code: place for code, place in _codes_in_use().items() if code not in CATALOGUE}
    assert not unknown


def test_every_catalogued_code_is_in_use():
    assert not set(CATALOGUE) - set(_codes_in_use())


@pytest.mark.parametrize("code", CATALOGUE)
def test_an_entry_is_complete(code):
    entry = CATALOGUE[code]
    assert entry.title
    assert not entry.title.endswith(".")
    assert entry.paragraph.endswith(".")
    assert entry.fix
    assert not entry.fix.endswith(".")
    assert entry.example or entry.code[0] in "VM"


def test_a_variable_and_a_field_for_each_setting():
    names = [variable.name for variable in VARIABLES]
    fields = [PREFIX + field.name.upper() for field in dataclasses.fields(Settings)]
    assert names == fields
    assert all(variable.sentence.endswith(".") for variable in VARIABLES)


def test_texts_name_only_settings_that_exist():
    known = {variable.name for variable in VARIABLES}
    texts = [*python_files("certile", "scripts"), *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    named = {
        (found, name(path))
        for path in [*texts, ROOT / "Makefile"]
        for found in re.findall(r"\bCERTILE_[A-Z][A-Z_]*", path.read_text(encoding="utf-8"))
    }
    assert named
    assert not {(found, place) for found, place in named if found not in known}


def test_generated_pages_are_current():
    shown = subprocess.run(
        [sys.executable, "scripts/gen_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stdout + shown.stderr
