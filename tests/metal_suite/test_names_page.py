"""docs/names.md: every name of ours resolves, and every row says something."""

import dataclasses
import importlib
import re
import shlex
from functools import cache

import pytest
import typer

from certile.plan.document import plan_json
from certile.plan.options import Options
from tests.house.sources import ROOT

PAGE = (ROOT / "docs" / "names.md").read_text(encoding="utf-8")
NOT_OURS = "not ours: "


def tables():
    """The cells of every row of every table, heads left out."""
    found = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0] != "there" and set(cells[0]) != {"-"}:
            found.append(cells)
    return found


ROWS = tables()


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


@cache
def commands():
    from typer.main import get_command

    from certile.cli.main import app

    return get_command(app).commands


def flags_of(command):
    return {name for option in commands()[command].params for name in option.opts}


def flags():
    return set().union(*map(flags_of, commands()))


def parse(line):
    """Read a quoted command as the program does; one that only names flags may lack arguments."""
    _, command, *arguments = shlex.split(line)
    try:
        commands()[command].make_context(command, arguments)
    except typer.BadParameter as error:
        flags_alone = all(each.startswith("--") for each in arguments)
        if type(error).__name__ != "MissingParameter" or not flags_alone:
            raise


@cache
def keys():
    """The keys of the plan's document."""
    from tests import kernels
    from tests.metal_suite.suite import Request, blank, normal

    plan = Request(kernels.sum_rows(), {"x": normal(2, 8), "y": blank(2)}).plan()
    return set(plan_json(plan, op="sum", target="metal", dtype="f32", shape=(2, 8)))


def resolve(path):
    """The object of a dotted name; a field of a record need have no default."""
    parts = path.split(".")
    found = importlib.import_module(parts[0])
    for number, part in enumerate(parts[1:], start=1):
        if dataclasses.is_dataclass(found) and part in {f.name for f in dataclasses.fields(found)}:
            assert number == len(parts) - 1, path
            return part
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[: number + 1]))
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row(row):
    there, here, _ = row
    assert there
    if here.startswith(NOT_OURS):
        assert len(here) > len(NOT_OURS) + 10
        return
    assert names(here)
    assert not re.sub(r"`[^`]+`|[, ]", "", here), "only names stand in the second column"
    for name in names(here):
        if name.startswith("--"):
            assert name in flags()
        elif name.startswith('"'):
            assert name.strip('"') in keys()
        else:
            assert name.startswith("certile.")
            assert resolve(name) is not None


def test_quoted_commands_are_commands():
    quoted = [name for name in names(PAGE) if name.startswith("certile ")]
    assert len(quoted) > 5
    for line in quoted:
        parse(line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("certile plan softmax --shapes 64x4096", "No such option: --shapes"),
        ("certile bench --lanes 32", "No such option: --lanes"),
        ("certile run softmax --shape 3x4 --target nowhere", "nowhere"),
        ("certile bench --ops", "requires an argument"),
        ("certile explain softmax --out", "requires an argument"),
        ("certile measure", "measure"),
    ],
)
def test_a_command_that_is_none_is_seen(line, said):
    with pytest.raises(Exception, match=said):
        parse(line)


def test_flags_of_the_benchmark_are_of_the_commands_beside_them():
    part = PAGE.partition("### Benchmark and tuning flags")[2].partition("\n## ")[0]
    for there, here, remark in ROWS:
        if f"| {there} | {here} |" not in part or here.startswith(NOT_OURS):
            continue
        named = {line.split()[1] for line in names(remark) if line.startswith("certile ")}
        assert set(names(here)) <= set().union(*map(flags_of, named)), there


def test_flags_in_reasons_exist():
    reasons = [here for _, here, _ in ROWS if here.startswith(NOT_OURS)]
    named = {name for reason in reasons for name in names(reason) if name.startswith("--")}
    assert named
    assert named <= flags()


def test_no_name_is_mapped_twice():
    there = [row[0] for row in ROWS]
    assert len(there) == len(set(there)) > 100


def test_every_option_of_the_planner_is_somebodys():
    ours = {name for _, here, _ in ROWS for name in names(here)}
    fields = {f"certile.plan.options.Options.{f.name}" for f in dataclasses.fields(Options)}
    # The policy stands there as its two values, and rows that begin anywhere have no counterpart.
    alone = {f"certile.plan.options.Options.{name}" for name in ("policy", "phase")}
    assert fields - ours <= alone


def test_a_name_that_is_none_is_seen():
    with pytest.raises((ImportError, AttributeError)):
        resolve("certile.plan.options.Options.lanes")
    with pytest.raises((ImportError, AttributeError)):
        resolve("certile.nothing")
    assert resolve("certile.plan.options.Options.unroll") == "unroll"
