"""The Python in the documentation runs, its commands print what it says, and no name is left out.

The blocks of a page run in order and share their names, as a reader would type them.  In the
tutorial a block belongs to the file that its first line names, or to that of the block before it.
"""

import ast
import linecache
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import certile as ct
from tests.house.sources import ROOT

TUTORIAL = "docs/tutorial.md"
# Pages of reference: together they have an entry and an example for every public name.
REFERENCE = ("docs/language.md", "docs/arrays.md", "docs/jit.md", "docs/tirx.md")
PAGES = (
    "README.md",
    *REFERENCE,
    "docs/ops.md",
    "docs/jit.md",
    "docs/proofs.md",
    "docs/limitations.md",
    "docs/metal.md",
)

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\w+\.py)\n")


def blocks(page):
    """Give (number of the first line, language, code) of each block of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        yield text.count("\n", 0, found.start(2)) + 1, found[1], found[2]


def run(page, line, block, names):
    """Run a block so that line numbers and carets point into the page."""
    code = "\n" * (line - 1) + block
    file = f"<{page}:{line}>"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    exec(compile(code, file, "exec"), names)


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs(page):
    names = {"__name__": "page"}
    python = [(line, block) for line, language, block in blocks(page) if language == "python"]
    assert python
    for line, block in python:
        run(page, line, block, names)


def shown(command):
    """Give what a line of a shell block prints: a command of certile, or `cat`."""
    program, *arguments = shlex.split(command)
    if program == "cat":
        return "".join(Path(name).read_text(encoding="utf-8") for name in arguments)
    assert program == "certile"
    from certile.cli.main import app

    return CliRunner().invoke(app, arguments).output


def matches(expected, text):
    """Say whether a text is as expected; "…" stands for anything, alone on a line for lines."""
    parts = re.split(r"(^…\n|…)", expected, flags=re.MULTILINE)
    wild = {"…\n": r"(?:.*\n)*?", "…": ".*"}
    return re.fullmatch("".join(wild.get(part, re.escape(part)) for part in parts), text)


def test_the_tutorial_runs_and_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    programs, current, printed, compared = {}, "", "", 0
    for line, language, block in blocks(TUTORIAL):
        if language == "python":
            if named := _FILE.match(block):
                current = named[1]
            names = programs.setdefault(current, {"__name__": "program"})
            run(TUTORIAL, line, block, names)
            with Path(current).open("a", encoding="utf-8") as file:
                file.write(block + "\n\n")
        elif language == "text":
            assert matches(block, printed), f"line {line} does not show what is printed:\n{printed}"
            compared += 1
        else:
            # What is measured differs from run to run.
            lines = [each for each in block.splitlines() if not each.startswith("certile bench")]
            printed = [shown(each) for each in lines][-1] if lines else ""
    assert compared


@pytest.mark.parametrize(
    ("expected", "text", "fits"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("…\nc\n", "a\nb\nc\n", True),
        ("…\nc\n", "a\nbc\n", False),
        ("a … c\n", "a b c\n", True),
        ("a … c\n", "a b\n c\n", False),
    ],
)
def test_the_comparison_itself(expected, text, fits):
    assert bool(matches(expected, text)) is fits


def test_every_public_name_has_an_entry():
    assert set(ct.__all__) - _names_in_prose() == set()


def _names_in_prose():
    """Give every word between backticks, outside blocks, on the pages of reference."""
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in REFERENCE)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", prose))))


def test_every_public_name_has_an_example():
    used = set()
    for page in REFERENCE:
        for _, language, block in blocks(page):
            if language == "python":
                used |= _attributes_of(ast.parse(block), "ct", "certile")
    assert set(ct.__all__) - used == set()


def test_every_operation_has_an_example():
    page = [block for _, language, block in blocks("docs/ops.md") if language == "python"]
    used = set().union(*(_attributes_of(ast.parse(block), "ops") for block in page))
    assert {name for name in ct.ops.__all__ if callable(getattr(ct.ops, name))} - used == set()


def _attributes_of(module, *modules):
    """Give every x that a program uses as `ct.x`, if `ct` is among the modules."""
    return {
        node.attr
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in modules
    }


_CLASSES = (
    *(ct.View, ct.InOut, ct.Axis, ct.Tile, ct.Extent, ct.Carry),
    *(ct.TileKernel, ct.Prepared, ct.JitFunction),
)


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_every_public_attribute_has_an_entry(kind):
    named = _names_in_prose()
    assert {name for name in vars(kind) if not name.startswith("_")} - named == set()
