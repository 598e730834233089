"""The repository's files as the house tests see them: paths, trees, identifiers and strings."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "certile"

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(*folders: str) -> list[Path]:
    """List the Python files below folders of the repository, in a stable order."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    """Parse a file once."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name(path: Path) -> str:
    """Return a path as it is shown in a failure."""
    return path.relative_to(ROOT).as_posix()


def part(path: Path) -> str:
    """Return the layer a file of the package belongs to: `ir`, `settings`, ..."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def documentation(module: ast.Module) -> set[ast.Constant]:
    """Find the docstrings, which are prose and not text that the program handles."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | FUNCTIONS) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                found.add(first.value)
    return found


def strings(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Give every string that is no docstring, with its line."""
    prose = documentation(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
            yield node.lineno, node.value


def identifiers(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Give every name that the file defines or uses, with its line."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=found) | ast.Attribute(attr=found) | ast.arg(arg=found):
                yield node.lineno, found
            case ast.FunctionDef(name=found) | ast.ClassDef(name=found):
                yield node.lineno, found
            case ast.keyword(arg=str(found)):
                yield node.lineno, found
            case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
                yield from ((node.lineno, alias.asname or alias.name) for alias in aliases)


def imports(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Give the full name of every module or member imported anywhere, functions included."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
