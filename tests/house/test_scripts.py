"""The scripts decide what they say they decide: set-up and the generated pages."""

import importlib.util
import json

import pytest

from tests.house.sources import ROOT


def _load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def setup():
    return _load("setup")


@pytest.fixture(scope="module")
def pages():
    return _load("gen_docs")


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Give a function that puts a clang of some version on an otherwise empty PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CERTILE_CLANG", raising=False)

    def add(name, version):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\necho 'Debian clang version {version}.1.7'\n")
        path.chmod(0o755)
        return str(path)

    return add


def test_clang_that_is_too_old_is_passed_over(setup, programs):
    programs("clang", 15)
    assert setup.find_clang() is None
    programs("clang-17", 17)
    programs("clang-19", 19)
    assert setup.find_clang() == "clang-19"


def test_the_chosen_clang_comes_first(setup, programs, monkeypatch):
    programs("clang", 19)
    chosen = programs("my-clang", 16)
    monkeypatch.setenv("CERTILE_CLANG", chosen)
    assert setup.find_clang() == chosen


def test_without_clang_ci_fails_and_a_person_is_told(setup, programs, monkeypatch, capsys):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(setup.SetupError, match="clang-19"):
        setup.ensure_clang()
    monkeypatch.delenv("CI")
    setup.ensure_clang()
    assert "clang-19" in capsys.readouterr().out


def test_someone_who_is_not_root_gets_the_one_command(setup, programs, monkeypatch):
    programs("apt-get", 0)
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    with pytest.raises(setup.SetupError, match="sudo apt-get install clang-19"):
        setup.install_system_packages(["clang-19"], "to compile")


def test_the_stamp_follows_the_lock(setup, tmp_path, monkeypatch):
    before = setup.wanted_stamp()
    assert setup.wanted_stamp() == before
    lock = tmp_path / "requirements.lock"
    lock.write_text(setup.LOCK.read_text() + "another==1\n")
    monkeypatch.setattr(setup, "LOCK", lock)
    assert setup.wanted_stamp() != before


def test_a_generated_part_replaces_only_itself(pages):
    text = "a\n<!-- ops -->\nold\n<!-- /ops -->\nb\n"
    assert pages.between(text, "ops", "row\n") == "a\n<!-- ops -->\nrow\n<!-- /ops -->\nb\n"


def test_a_bar_does_not_end_a_cell(pages):
    assert pages.table(("a", "b"), [("x|y", "z")]) == "| a | b |\n| --- | --- |\n| x\\|y | z |\n"


def test_first_sentence(pages):
    assert pages.first_sentence("One thing\nand more.  Another.\n\nLast.") == "One thing and more."
    assert pages.first_sentence(None) == ""


@pytest.fixture(scope="module")
def mutation():
    return _load("mutate_checker")


def test_a_mutant_changes_one_place(mutation, tmp_path):
    path = tmp_path / "sample.py"
    path.write_text(
        "def rule(a: int | None, b):\n"
        "    require(a < b and not b, 'no')\n"
        "    return kinds.NEG | kinds.POS if a in b else all(b)\n"
    )
    changes = [each.change.removeprefix("sample.rule: ") for each in mutation.mutants(path)]
    assert changes == [
        "require(a < b and (not b), 'no') -> require(True, 'no')",
        "a < b and (not b) -> not b",
        "a < b and (not b) -> a < b",
        "a < b -> a <= b",
        "not b -> b",
        "a in b -> a not in b",
        "kinds.NEG | kinds.POS -> kinds.NEG",
        "kinds.NEG | kinds.POS -> kinds.POS",
        "kinds.NEG -> 63",
        "kinds.POS -> 63",
        "all(b) -> any(b)",
    ]
    first = next(iter(mutation.mutants(path)))
    assert first.source.splitlines()[1] == "    require(True, 'no')"
    assert first.source.count("a in b") == 1


def test_equivalents_are_mutants_with_a_reason(mutation):
    known = json.loads(mutation.EQUIVALENTS.read_text())
    files = {mutation.CHECK / f"{change.partition('.')[0]}.py" for change in known}
    made = {mutant.change for path in files for mutant in mutation.mutants(path)}
    assert set(known) <= made
    assert all(len(reason) > 20 for reason in known.values())
