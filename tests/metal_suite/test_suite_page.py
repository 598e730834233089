"""docs/metal-reduction-suite.md names tests that exist, and every test of this folder's points."""

import ast
import re

import pytest

from tests.house.sources import ROOT

PAGE = (ROOT / "docs" / "metal-reduction-suite.md").read_text(encoding="utf-8")
FOLDER = "tests/metal_suite/"


def rows():
    """(point, what the second cell says) of every row."""
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "point" and set(row[0]) != {"-"}]


def named_in(cell):
    """(file, function) of every test that a cell names."""
    found = re.findall(r"`([\w/.]+\.py)::(\w+)`", cell)
    return [(file if "/" in file else FOLDER + file, name) for file, name in found]


def functions(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:40])
def test_a_point_has_tests_that_exist(row):
    point, cell = row
    if cell.startswith("open: "):
        assert "replay" in point
        return
    assert named_in(cell)
    for file, name in named_in(cell):
        assert (ROOT / file).exists(), file
        assert name in functions(file), f"{file}::{name}"
    assert not re.sub(r"`[^`]+`", "", cell).strip()


def test_every_point_of_the_document_is_there():
    """Fourteen points and the open one, and what is held beyond them."""
    first, _, beyond = PAGE.partition("Beyond the list:")
    assert first.count("\n| ") - 1 == 16 - 1
    assert beyond.count("\n| ") - 1 == 5
    assert [cell.startswith("open: ") for _, cell in rows()].count(True) == 1
