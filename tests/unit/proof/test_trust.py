"""What the trusted part imports, and how much of it there is to read."""

import pytest

from tests.house.sources import PACKAGE, imports, tree

_CHECK = PACKAGE / "proof" / "check"
_FILES = sorted(_CHECK.glob("*.py"))


def _lines(path):
    return sum(bool(line.strip()) for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_the_checker_imports_itself_the_laws_and_the_standard_library(path):
    own = [module for _, module in imports(tree(path)) if module.startswith("certile")]
    allowed = ("certile.proof.check", "certile.ir.laws", "certile.ir.meanings", "certile.ir.terms")
    assert all(module.startswith(allowed) for module in own)


def test_the_checker_is_small():
    assert _FILES
    assert max(map(_lines, _FILES)) <= 200
    assert sum(map(_lines, _FILES)) <= 1_365
