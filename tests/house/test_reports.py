"""Every public report that the project learned from has a test, or says what it waits for."""

import ast
import re
import tomllib

import pytest

from tests.house.sources import FUNCTIONS, ROOT, tree

REPORTS = tomllib.loads((ROOT / "tests/cases/reports.toml").read_text(encoding="utf-8"))
COUNT = 103

# What they are about: numerics, attention, layouts and shapes, language, running, caches,
# integration, proofs.
_ID = re.compile(r"[NAPLRCIF]\d\d")
_SOURCE = re.compile(r"[\w.-]+/[\w.-]+(#| PR | )[\w. ]+")


def _functions(path):
    return {node.name for node in ast.walk(tree(path)) if isinstance(node, FUNCTIONS)}


def test_the_list_is_whole():
    assert len(REPORTS) == COUNT
    assert all(_ID.fullmatch(name) for name in REPORTS)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_has_a_test_or_waits_for_something(name):
    report = REPORTS[name]
    assert report["title"]
    assert _SOURCE.fullmatch(report["source"])
    assert bool(report.get("tests")) != bool(report.get("waits"))
    for place in report.get("tests", ()):
        file, function = place.split("::")
        path = ROOT / "tests" / file
        assert path.is_file(), place
        assert function in _functions(path), place
