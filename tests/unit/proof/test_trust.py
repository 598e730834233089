"""What the trusted part imports."""

import pytest

from tests.house.sources import PACKAGE, imports, tree

_FILES = sorted((PACKAGE / "proof" / "check").glob("*.py"))
# What reads programs; nothing else of the checker sees more of the IR than laws.
_OF_PROGRAMS = ("regions", "region_terms", "divided")
_LAWS = ("certile.ir.laws", "certile.ir.meanings", "certile.ir.terms")


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_the_checker_imports_itself_the_ir_and_the_standard_library(path):
    own = [module for _, module in imports(tree(path)) if module.startswith("certile")]
    assert all(module.startswith(("certile.proof.check", "certile.ir.")) for module in own)


@pytest.mark.parametrize(
    "path", [each for each in _FILES if each.stem not in _OF_PROGRAMS], ids=lambda path: path.stem
)
def test_the_logic_sees_laws_and_no_programs(path):
    own = [module for _, module in imports(tree(path)) if module.startswith("certile.ir")]
    assert all(module.startswith(_LAWS) for module in own)
