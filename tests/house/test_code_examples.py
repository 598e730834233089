"""The example of a code gives that code.

A line of a shell is given to the command line, a text of Metal to the checker, and Python stands in
a kernel or beside it.  What this cannot run is left out by name: sentences, and what depends on
which packages a machine has.
"""

import linecache
import re
import shlex
import textwrap

import numpy as np
import pytest
from typer.testing import CliRunner

import certile as ct
from certile import metalsim
from certile.codes import CATALOGUE

_SHELL = re.compile(r"(?:[A-Z_]+=\S+ )*certile ")
_SETTING = re.compile(r"([A-Z_]+)=(\S+)")

# A313 is printed before a command is known.
_NOT_RUN = {"A313", "U504", "U505", "X030", "X033"}


# What the examples of the command line find in a file.
_KERNELS = """
import certile as ct


@ct.law
class Running:
    state = {"total": "acc"}
    identity = staticmethod(lambda: 0.0)
    lift = staticmethod(lambda x: x)
    merge = staticmethod(lambda a, b: a.total + b.total)
    finalize = staticmethod(lambda s: s.total)


@ct.tile_kernel
def uses_an_extent_as_a_number(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols], cols, ct.add) * int(x.shape[1])
"""


def shell_examples():
    return [
        c for c, entry in CATALOGUE.items() if _SHELL.match(entry.example) and c not in _NOT_RUN
    ]


@pytest.mark.parametrize("code", shell_examples())
def test_a_command_gives_its_code(code, monkeypatch, tmp_path):
    from certile.cli.main import app

    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.py").write_text(_KERNELS)
    words = shlex.split(CATALOGUE[code].example, comments=True)
    while found := _SETTING.fullmatch(words[0]):
        monkeypatch.setenv(found[1], found[2])
        words = words[1:]
    shown = CliRunner().invoke(app, words[1:])
    assert shown.exit_code
    assert f"error[{code}]" in shown.output


# A fragment of a text, and a text of two parts.
_NOT_CHECKED = {"X004", "X007"}
_HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"


def metal_examples():
    found = ((c, re.match(r'metalsim\.check\("(.*)"\)$', e.example)) for c, e in CATALOGUE.items())
    return [(code, text[1]) for code, text in found if text and code not in _NOT_CHECKED]


@pytest.mark.parametrize(("code", "text"), metal_examples())
def test_a_metal_text_gives_its_code(code, text):
    assert code in {finding.code for finding in metalsim.check(_HEADER + text)}


# Where an example stands: `{a}` before the loop, `{b}` in it, `{c}` after it.
_KERNEL = """
@ct.tile_kernel
def kernel(x: ct.View, y: ct.View, labels: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
{a}
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r, cols] = v
{b}
{c}
"""
_OF_A_LIST = """
@ct.tile_kernel
def kernel(x: ct.View, y: ct.View, labels: ct.View):
    rows = ct.axis("rows", x.shape[0])
{a}
"""
_LISTS = {"K008", "K090", "K091"}
_BESIDE_THE_LOOP = {"K006", "K017"}
_AFTER_THE_LOOP = {"K005", "K027"}
_ROWS_ALONE = {"K004", "K014", "K036"}
# Fragments of classes and of kernels that are shown whole nowhere; their tests are beside the code.
_NOT_A_STATEMENT = {"K001", "K018", "K029", "K031", "K032", "K034", "K035", "K041", "K042", "K043"}


def python_examples():
    # K050 and those after it are of functions, not of kernels.
    codes = {c for c in CATALOGUE if re.fullmatch(r"K0(?!5)\d\d", c)} - _NOT_RUN - _NOT_A_STATEMENT
    codes -= set(shell_examples())
    return [(code, CATALOGUE[code].example.strip()) for code in sorted(codes)]


def kernel_of(code, example):
    """Give the program that an example is a part of."""
    outer, inner = (textwrap.indent(example, " " * depth) for depth in (4, 8))
    if code in _LISTS:
        looped = f"    for r in ct.parallel(rows):\n{inner}"
        return _OF_A_LIST.format(a=outer if "parallel" in example else looped)
    if code in _BESIDE_THE_LOOP:
        return _KERNEL.format(a=outer, b="", c="")
    if code in _AFTER_THE_LOOP:
        return _KERNEL.format(a="", b="", c=outer)
    text = _KERNEL.format(a="", b=inner, c="")
    return text.replace("y[r, cols] = v", "pass") if code in _ROWS_ALONE else text


def run(text, file, *arguments):
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"ct": ct, "np": np}
    exec(compile(text, file, "exec"), names)
    names["kernel"](*arguments)


@pytest.mark.parametrize(("code", "example"), python_examples())
def test_a_kernel_gives_its_code(code, example):
    x = np.ones((4, 8), np.float32)
    y = np.empty(4, np.float32) if code in _ROWS_ALONE else np.empty_like(x)
    if code in _LISTS:
        x, y = x[0], y[0]
    labels = np.zeros(4, np.int32)
    # The interpreter finds what compiled code does not look for.
    with pytest.raises(ct.CertileError) as found, ct.target("reference"):
        run(kernel_of(code, example), f"<example of {code}>", x, y, labels)
    assert found.value.code == code
