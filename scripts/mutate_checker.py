"""Change the proof checker in one place at a time, and see whether its tests notice.

    python scripts/mutate_checker.py                  every file of certile/proof/check
    python scripts/mutate_checker.py rules terms      these files
    python scripts/mutate_checker.py --thorough       run survivors through tests/proof as well

A mutant takes a premise away (`require` of something, one part of an `and` or `or`, a `not`), turns
a comparison round, or takes one set of kinds for another.  It is killed when a test fails, and
also when a test does not end.  Nothing on disk is changed: each mutant lives in a process of its
own.  Survivors that cannot be told from the checker are listed, each with the reason, in
`checker_equivalents.json`; the exit status is 1 if there are others.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import copy
import importlib
import importlib.abc
import importlib.util
import io
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CHECK = ROOT / "certile" / "proof" / "check"
EQUIVALENTS = Path(__file__).with_name("checker_equivalents.json")
# What is quick and most likely to notice comes first: a run ends with the first failure.
FAST = (
    *(
        f"tests/unit/proof/test_{name}.py"
        for name in (
            *("limits", "sizes", "shown", "exponents", "divisors", "rules", "replay", "kinds"),
            *("field", "terms", "elaborate", "certificate"),
        )
    ),
    "tests/proof/test_axioms.py",
    "tests/proof/test_attacks.py",
    *(
        f"tests/unit/proof/test_{name}.py"
        for name in (
            *("finite", "reader", "ranks", "columns"),
            *("regions", "region_terms", "region_types", "region_columns"),
        )
    ),
    *(f"tests/unit/search/test_{name}.py" for name in ("evaluate", "prover", "fusion")),
)
THOROUGH = ("tests/proof", "tests/unit/search", "tests/rewrites")
# Of processor time, so that a busy machine does not count as a test that does not end.
SECONDS = 60
SECONDS_THOROUGH = 600

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_MASKS = ("NINF", "NEG", "ZERO", "POS", "PINF", "NAN", "FINITE")
_ANY = 63


class Mutant(NamedTuple):
    """One changed file: its module, the changed source, and what was changed."""

    module: str
    source: str
    change: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of the text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for place, (node, inside) in enumerate(_nodes(tree)):
        for changed in _changes(node):
            whole = copy.deepcopy(tree)
            target = list(_nodes(whole))[place][0]
            _become(target, changed)
            change = f"{path.stem}.{inside}: {ast.unparse(node)} -> {ast.unparse(changed)}"
            yield Mutant(f"certile.proof.check.{path.stem}", ast.unparse(whole), change)


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Each expression with the name of the function around it; not those of annotations."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "module")]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inside = node.name
        if isinstance(node, ast.expr):
            yield node, inside
        skipped = {"annotation", "returns", "decorator_list", "bases"}
        below = [
            each
            for name, value in ast.iter_fields(node)
            if name not in skipped
            for each in (value if isinstance(value, list) else [value])
            if isinstance(each, ast.AST)
        ]
        waiting += ((each, inside) for each in reversed(below))


def _changes(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Call(ast.Name("require"), [premise, *rest]):
            if not isinstance(premise, ast.Constant):
                yield ast.Call(node.func, [ast.Constant(value=True), *rest], [])
        case ast.BoolOp(op, values):
            for place in range(len(values)):
                left = values[:place] + values[place + 1 :]
                yield left[0] if len(left) == 1 else ast.BoolOp(op, left)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Compare(left, [op], others):
            yield ast.Compare(left, [_COMPARISONS[type(op)]()], others)
        case ast.BinOp(left, ast.BitAnd(), right):
            yield ast.BinOp(left, ast.BitOr(), right)
        case ast.BinOp(left, ast.BitOr(), right) if not (_is_type(left) or _is_type(right)):
            yield from (left, right)
        case ast.Attribute(ast.Name("kinds"), name) | ast.Name(name, ast.Load()) if name in _MASKS:
            yield ast.Constant(value=_ANY)
        case ast.Call(ast.Name("all" | "any" as name), args):
            yield ast.Call(ast.Name("any" if name == "all" else "all", ast.Load()), args, [])
        case _:
            pass


def _is_type(node: ast.expr) -> bool:
    """Whether an operand of | belongs to a union of types."""
    if isinstance(node, ast.BinOp):
        return _is_type(node.right)
    if isinstance(node, ast.Name):
        return isinstance(getattr(builtins, node.id, None), type)
    return isinstance(node, ast.Subscript) or ast.unparse(node) == "None"


def _become(node: ast.expr, other: ast.expr) -> None:
    """Make a node another one, wherever it stands."""
    other = copy.deepcopy(other)
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a changed source."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        code = compile(self._mutant.source, self._mutant.module, "exec")
        exec(code, module.__dict__)  # noqa: S102 - the source is that of the package, changed


def survives(mutant: Mutant | None, tests: Sequence[str]) -> bool:
    """Whether the tests pass with the mutant, or with nothing changed."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os._exit(_tested(mutant, tests))
    _, status = os.waitpid(child, 0)
    return status == 0


def _tested(mutant: Mutant | None, tests: Sequence[str]) -> int:
    """In a process of its own: the exit status of the tests, or an end by the timer."""
    import pytest

    signal.setitimer(signal.ITIMER_PROF, SECONDS_THOROUGH if tests is THOROUGH else SECONDS)
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not full and not fuzz and not gpu"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return int(pytest.main([*options, *tests]) != 0)
        except BaseException:  # noqa: BLE001 - a mutant may break whatever runs it
            return 1


def main() -> int:
    """Run mutants and report; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="stems of files; every file by default")
    parser.add_argument("--thorough", action="store_true", help="run survivors through tests/proof")
    parser.add_argument("--only", default="", help="run only mutants whose change has this text")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    importlib.import_module("numpy")
    importlib.import_module("pytest")
    tests = (FAST, THOROUGH) if arguments.thorough else (FAST,)
    for suite in tests:
        if not survives(None, suite):
            sys.exit(f"{' '.join(suite)} fails before anything is changed")
    known = json.loads(EQUIVALENTS.read_text(encoding="utf-8"))
    files = arguments.files or sorted(path.stem for path in CHECK.glob("[a-z]*.py"))
    every = [each for stem in files for each in mutants(CHECK / f"{stem}.py")]
    chosen = [mutant for mutant in every if arguments.only in mutant.change]
    total, found, unexpected = len(chosen), 0, 0
    for number, mutant in enumerate(chosen, start=1):
        # A run that is cut short has said how far it came.
        print(f"{number} of {total}: {mutant.change}", file=sys.stderr, flush=True)
        if all(survives(mutant, suite) for suite in tests):
            reason = known.get(mutant.change)
            found += 1
            unexpected += reason is None
            print(f"{'equivalent' if reason else 'SURVIVES'}  {mutant.change}", flush=True)
    print(f"{total} mutants, {total - found} killed, {found - unexpected} equivalent")
    print(f"{unexpected} survive")
    return int(unexpected > 0)


if __name__ == "__main__":
    sys.exit(main())
