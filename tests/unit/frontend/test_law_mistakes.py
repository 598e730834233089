"""What an author may do wrong in the methods of a law is told at the line that does it."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import certile as ct
from certile.cli.main import app
from certile.diagnostics import KernelError

GOOD = {
    "identity": "return 0.0",
    "lift": "return x",
    "merge": "return a.total + b.total",
    "finalize": "return s.total",
}
# The method, what it returns, and what of it the caret stands under.
WRONG = [
    *(
        ("merge", f"return {what}", what)
        for what in (
            "a - b",
            "a + 1",
            "2 * a",
            "a < b",
            "a == b",
            "-a",
            "abs(a)",
            "float(a)",
            "len(a)",
            "sum(a)",
            "a[0]",
            "a.nothing",
        )
    ),
    ("merge", "return ct.where(a == b, a.total, b.total)", "a == b"),
    ("merge", "return b.total if a else a.total", None),
    ("merge", "return a", "return a"),
    ("merge", "return 'a'", None),
    ("merge", "return a.total, b.total", "return a.total, b.total"),
    ("lift", "return None", None),
    ("lift", "pass", None),
    ("lift", "return [x, x]", "return [x, x]"),
    ("identity", "return (0.0, 0.0)", None),
    ("finalize", "return s", "return s"),
    ("finalize", "return ()", None),
    ("finalize", "return s.total ** s", "s.total ** s"),
]


def source(method, body):
    parts = {**GOOD, method: body}
    return f"""\
import certile as ct


@ct.law
class Total:
    state = {{"total": "acc"}}

    @staticmethod
    def identity():
        {parts["identity"]}

    @staticmethod
    def lift(x):
        {parts["lift"]}

    @staticmethod
    def merge(a, b):
        {parts["merge"]}

    @staticmethod
    def finalize(s):
        {parts["finalize"]}


@ct.tile_kernel
def total(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols], cols, Total)
"""


@pytest.fixture
def written(tmp_path):
    def write(method, body):
        path = tmp_path / "laws.py"
        path.write_text(source(method, body), encoding="utf-8")
        return path

    return write


def underlined(text):
    """What the carets of a rendered error stand under."""
    line, carets = re.search(r"^ *\d+ \| (.*)\n *\| ( *\^+)$", text, re.MULTILINE).groups()
    return line[carets.index("^") : len(carets)]


def test_the_law_without_a_mistake(written):
    path = written("lift", GOOD["lift"])
    names = {"__name__": "laws"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    y = np.zeros(2, np.float32)
    names["total"](np.ones((2, 9), np.float32), y)
    assert y.tolist() == [9, 9]


@pytest.mark.parametrize(("method", "body", "place"), WRONG)
def test_a_mistake_is_told_at_its_line(method, body, place, written):
    path = written(method, body)
    number = source(method, body).splitlines().index(f"        {body}") + 1
    names = {"__name__": "laws"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises(KernelError) as raised:
        names["total"](np.ones((2, 9), np.float32), np.zeros(2, np.float32))
    proved = CliRunner().invoke(app, ["prove", f"{path}:Total"])
    assert proved.exit_code == 2
    for text in (str(raised.value), proved.stderr):
        assert text.startswith(("error[K041]", "error[K010]"))
        assert f"laws.py:{number}" in text
        if place is not None:
            assert underlined(text) == place


def test_what_a_method_raises_is_its_own(written):
    path = written("merge", 'raise ValueError("mine")')
    result = CliRunner().invoke(app, ["prove", f"{path}:Total"])
    assert result.exit_code == 2
    assert "laws raises ValueError: mine" in result.stderr
    assert underlined(result.stderr) == 'raise ValueError("mine")'


def test_a_state_is_read_by_name_in_two_ways():
    @ct.law
    class Total:
        state = {"total": "acc"}  # noqa: RUF012 - as an author writes it
        identity = staticmethod(lambda: 0.0)
        lift = staticmethod(lambda x: x)
        merge = staticmethod(lambda a, b: {"total": a["total"] + b.total})
        finalize = staticmethod(lambda s: s["total"])

    @ct.tile_kernel
    def total(x: ct.View, y: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, Total)

    y = np.zeros(2, np.float32)
    total(np.ones((2, 9), np.float32), y)
    assert y.tolist() == [9, 9]
