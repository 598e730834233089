"""Sizes: a file has one job, a function fits on a screen, a skipped test says why."""

import ast

from tests.house.sources import FUNCTIONS, name, python_files, tree

_LINES_OF_A_FILE = 600
_LINES_OF_A_FUNCTION = 60
_CODE = ("certile", "scripts", "tests", "examples", "benchmarks")
_SHIPPED = ("certile", "scripts")


def test_files_stay_small():
    sizes = {name(path): len(path.read_text().splitlines()) for path in python_files(*_CODE)}
    assert not {path: size for path, size in sizes.items() if size > _LINES_OF_A_FILE}


def test_functions_stay_small():
    long = [
        f"{name(path)}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for path in python_files(*_CODE)
        for node in ast.walk(tree(path))
        if isinstance(node, FUNCTIONS) and node.end_lineno - node.lineno + 1 > _LINES_OF_A_FUNCTION
    ]
    assert not long


def test_public_definitions_have_docstrings():
    silent = []
    for path in python_files(*_SHIPPED):
        module = tree(path)
        if module.body and not ast.get_docstring(module):
            silent.append(name(path))
        silent += [
            f"{name(path)}:{node.lineno} {node.name}"
            for node in module.body
            if isinstance(node, ast.ClassDef | FUNCTIONS)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ]
    assert not silent


def test_skips_and_expected_failures_say_why():
    silent = [
        f"{name(path)}:{node.lineno}"
        for path in python_files("tests")
        for node in ast.walk(tree(path))
        if _skips(node) and not _gives_a_reason(node)
    ]
    assert not silent


def test_a_package_that_is_missing_is_no_skip():
    """Set-up installs every package that a test imports."""
    skipped = [
        f"{name(path)}:{node.lineno}"
        for path in python_files("tests")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr == "importorskip"
    ]
    assert not skipped


def _skips(node):
    """Tell whether a node is a skip: a call of one, or a bare `pytest.mark.skip`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in {
            "skip",
            "skipif",
            "xfail",
        }
    return any(
        isinstance(mark, ast.Attribute) and mark.attr in {"skip", "xfail"}
        for mark in getattr(node, "decorator_list", [])
    )


def _gives_a_reason(node):
    if not isinstance(node, ast.Call):
        return False
    given = [keyword.value for keyword in node.keywords if keyword.arg == "reason"]
    given += node.args if node.func.attr in {"skip", "xfail"} else []
    # A reason may be built at run time; only a missing or an empty one is an offence.
    return any(not isinstance(value, ast.Constant) or value.value for value in given)
