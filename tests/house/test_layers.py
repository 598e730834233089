"""Imports go down only, and heavy packages stay where they belong."""

import ast
import copy
import graphlib
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from tests.house.sources import PACKAGE, ROOT, identifiers, imports, name, part, python_files, tree

# Each package, and the parts of certile that may import it.
_HOMES = {
    "llvmlite": {"codegen", "runtime", "lower"},
    "torch": {"cli", "torch", "integrations", "ops", "guard", "tuning", "runtime"},
    "mlx": {"cli", "mlx", "integrations", "ops", "guard", "tuning", "runtime"},
    "cuda": {"runtime"},
    "Metal": {"runtime"},
    "objc": {"runtime"},
    "tvm": {"tirx"},
    "typer": {"cli"},
    "rich": {"cli"},
    "matplotlib": {"cli"},
    "ctypes": {"runtime", "metalsim", "integrations"},
}

# Parts that see less than their layer would allow, and all that they may import of certile.
_NARROW = {
    "proof": {"proof", "ir"},
    "metalsim": {"metalsim", "settings", "store", "diagnostics", "records"},
    "store": {"records"},
    "source": {"records"},
    "codes": {"codes", "records"},
    "records": set(),
}

_ENVIRONMENT = {"environ", "getenv", "putenv", "environb"}


def test_layer_contract(monkeypatch, capsys):
    if not (PACKAGE / "__init__.py").exists():
        pytest.fail("certile/__init__.py is missing, so nothing can check the layers")
    monkeypatch.chdir(ROOT)
    status = lint_imports(str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True)
    # It configures logging for a process of its own, and disables the loggers that exist.
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.disabled = False
    assert status == 0, capsys.readouterr().out


def test_heavy_packages_stay_home():
    strays = [
        f"{name(path)}:{line} imports {module}"
        for path in python_files("certile")
        for line, module in imports(tree(path))
        if (home := _HOMES.get(module.partition(".")[0])) and part(path) not in home
    ]
    assert not strays


def test_narrow_parts_import_only_what_they_may():
    strays = [
        f"{name(path)}:{line} imports {module}"
        for path in python_files("certile")
        if (allowed := _NARROW.get(part(path))) is not None
        for line, module in imports(tree(path))
        if module.startswith("certile.") and module.split(".")[1] not in allowed
    ]
    assert not strays


def test_the_checker_imports_nothing_of_the_search():
    strays = [
        f"{name(path)}:{line} imports {module}"
        for path in python_files("certile/proof/check")
        for line, module in imports(tree(path))
        if module.startswith("certile.") and not module.startswith(("certile.proof.", "certile.ir"))
    ]
    assert not strays


def test_only_settings_reads_the_environment():
    strays = [
        f"{name(path)}:{line} uses {found}"
        for path in python_files("certile")
        if part(path) != "settings"
        for line, found in identifiers(tree(path))
        if found in _ENVIRONMENT
    ]
    assert not strays


_IMPORTED = """
import json, sys
before = {m.partition(".")[0] for m in sys.modules}
import certile
after = {m.partition(".")[0] for m in sys.modules} - before - sys.stdlib_module_names
print(json.dumps(sorted(after)))
"""


def test_importing_certile_loads_numpy_only():
    shown = subprocess.run(
        [sys.executable, "-c", _IMPORTED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {module for module in json.loads(shown.stdout) if not module.startswith("_")}
    assert loaded <= {"certile", "numpy"}


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _runs(module: ast.Module) -> ast.Module:
    """Return a file without what only type checkers read."""

    class Dropped(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | None:
            return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)

    made = Dropped().visit(copy.deepcopy(module))
    assert isinstance(made, ast.Module)
    return made


def test_no_module_imports_itself_through_others():
    """An import inside a function counts: it hides a circle and breaks none."""
    paths = {_dotted(path): path for path in python_files("certile")}
    graph = graphlib.TopologicalSorter[str]()
    for module, path in paths.items():
        for _, found in imports(_runs(tree(path))):
            # What is no module is a member of one.
            used = found if found in paths else found.rpartition(".")[0]
            if used in paths and used != module:
                graph.add(module, used)
    # Raises `graphlib.CycleError`, which names a circle.
    graph.prepare()
