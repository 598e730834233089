"""Programs that load the same place again and again, with stores between some of the loads.

The interpreter runs a program as it was traced, so it judges the program with merged loads as well
as what is compiled from that.  In the random programs a row of one view is read between stores to
it, to another view and to memory of the program's own, also inside loops.
"""

from collections import Counter
from random import Random

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import f16, f32, i32
from certile.ir.loads import merged_loads
from certile.ir.tile import Load, Store, effects
from certile.ir.verify import verify
from certile.ir.walk import parallel_regions, specialise, values
from certile.pipeline import plan_program
from certile.reference import run
from certile.reference.agrees import agrees
from certile.reference.generate import Generated, folds, parts, steps
from certile.reference.generate.pool import Pool
from tests.differential.harness import HOST_SHEET, SHEETS, Case
from tests.unit.ir import repeated_loads

COUNT = 60


def read(pool):
    """Load a row that may have been loaded before: of the first input, or of an output."""
    view = pool.one([pool.x, pool.x, *pool.outputs])
    pool.wide.append(pool.load(view, *pool.rows, pool.cols))


def read_masked(pool):
    """The same under one of two masks with one of two fills."""
    b = pool.b
    inside = b.map("lt", b.index(pool.cols), pool.one((2, pool.extents[-1])))
    made = b.load(pool.x, *pool.rows, pool.cols, mask=inside, fill=pool.one((0, 1)))
    pool.wide.append(b.cast(made, pool.computed))


def write(pool):
    """Store the last row, brought to a moderate size, where rows are read from."""
    view = pool.one([pool.x, *pool.outputs])
    pool.b.store(view, (*pool.rows, pool.cols), moderate(pool, pool.last))


def moderate(pool, tile):
    floats = tile.dtype.is_float
    return pool.b.map("tanh", tile) if floats else pool.b.map("bit_and", tile, 7)


def turns(pool):
    """A loop that reads, and perhaps stores and reads again, carrying a sum of the rows."""
    b = pool.b
    axis = b.axis("turn", 3)
    with b.serial(axis, carry=[b.const(0.0, f32)]) as loop:
        outer, pool.wide = pool.wide, list(pool.wide)
        acts(pool, pool.random.randint(1, 3), inside=True)
        total = b.reduce(b.cast(pool.last, f32), pool.cols, laws.MAXIMUM)
        loop.yields(b.map("add", b.map("mul", loop.carried[0], 0.5), total))
        pool.wide = outer
    pool.join(loop.results[0])


def acts(pool, count, *, inside=False):
    """Some reads and stores in a random order."""
    choices = [*(read,) * 4, read_masked, write, steps.step, *(() if inside else (turns,))]
    for _ in range(count):
        pool.one(choices)(pool)


class Written(Pool):
    """A pool with the outputs that are read as well."""

    outputs = ()


def program(random):
    """Reads, stores and folds of the rows of x, whose outputs are read too."""
    b = Builder(f"repeated_{random.getrandbits(16):04x}")
    pool = Written.start(random, b, random.choice((f32, f32, f16, i32)))
    pool.outputs = (pool.view("kept", pool.dtype, pool.extents),)
    with b.parallel(*pool.rows):
        read(pool)
        acts(pool, random.randint(2, 7))
        if pool.often(0.5):
            folds.reduction(pool)
            read(pool)
        if pool.often(0.2):
            parts.memory(pool)
        write(pool)
        parts.stores(pool, random.choice((1, 2)))
    return Generated(b.build(), pool.shapes, pool.ranges)


PROGRAMS = [program(Random(f"repeated/{number}")) for number in range(COUNT)]


def loads(kernel):
    return [step for step in effects(kernel.body) if isinstance(step, Load)]


def special(made):
    return specialise(made.kernel, made.shapes)


def copies(arguments):
    return {n: a.copy() if isinstance(a, np.ndarray) else a for n, a in arguments.items()}


def test_the_programs_have_what_they_are_for():
    found = Counter()
    for made in PROGRAMS:
        kernel = special(made)
        left = loads(merged_loads(kernel))
        found["merged"] += len(left) < len(loads(kernel))
        places = Counter((at.buffer, at.indices, at.mask, at.fill) for at in left)
        found["kept apart"] += max(places.values()) > 1
        found["loops"] += any(at.mnemonic == "tile.serial" for at in values(kernel))
        found["stores to x"] += any(
            isinstance(step, Store) and step.buffer.name == "x" for step in effects(kernel.body)
        )
    wanted = ("merged", "kept apart", "loops", "stores to x")
    assert min(found[each] for each in wanted) >= COUNT // 4, found


@pytest.mark.parametrize("number", range(COUNT))
def test_merged_loads_mean_what_was_written(number):
    """The interpreter computes alike from equal values, so the bits are equal."""
    made = PROGRAMS[number]
    kernel = special(made)
    merged = merged_loads(kernel)
    assert verify(merged) == []
    given = made.arguments(number)
    expected, found = copies(given), copies(given)
    run(made.kernel, expected)
    run(merged, found)
    for view in made.kernel.views:
        assert expected[view.name].tobytes() == found[view.name].tobytes(), view.name


@pytest.mark.parametrize("number", range(0, COUNT, 3))
def test_what_is_compiled_of_merged_loads_gives_what_was_written(number):
    made = PROGRAMS[number]
    given = made.arguments(number)
    written = Case(made.kernel, given)
    ran = Case(merged_loads(written.specialised), given).copy()
    ran.run_cpu(ran.lower(HOST_SHEET))
    found = agrees(ran.outputs(), written.specialised, written.arguments)
    assert found, found.worst
    if max(map(max, made.shapes.values())) <= 65:
        ran = Case(merged_loads(written.specialised), given).copy()
        for report in ran.run_machine(ran.lower(SHEETS["metal"])):
            assert report.ok, report
        assert agrees(ran.outputs(), written.specialised, written.arguments)


def test_no_program_loses_its_lanes():
    """Where lanes share what was written they share it with merged loads, too."""
    lost = []
    for number, made in enumerate(PROGRAMS):
        kernel = special(made)
        programs = [Case(made.kernel, made.arguments(0)).programs(parallel_regions(kernel)[0])]
        for sheet in (SHEETS["cuda"], HOST_SHEET):
            (read_once,) = plan_program(kernel, programs, sheet)
            written = Case(kernel, made.arguments(0)).plan(parallel_regions(kernel)[0], sheet)
            families = [plan.mapping.family for plan in (written, read_once)]
            if families[0] != "reference" and families[1] == "reference":
                lost.append((number, sheet.name))
    assert not lost


# Calls: what is one array is one view.


CALLS = (
    (repeated_loads.shifted, False),
    (repeated_loads.with_maximum, False),
    (repeated_loads.halved, False),
    (repeated_loads.copied, False),
    (repeated_loads.copied, True),
)


def called(monkeypatch, target, kernel, arrays):
    monkeypatch.setenv("CERTILE_TARGET", target)
    kernel(**arrays)
    monkeypatch.delenv("CERTILE_TARGET")
    return arrays


@pytest.mark.parametrize(("kernel", "one_array"), CALLS)
def test_a_call_gives_what_the_interpreter_gives(kernel, one_array, monkeypatch):
    names = kernel.signature.names

    def arrays():
        x = np.random.default_rng(7).normal(size=(5, 300)).astype(np.float32)
        made = {name: np.zeros(5, np.float32) for name in names}
        made["x"] = x
        if "z" in names:
            made["z"] = x if one_array else np.zeros_like(x)
        return made

    expected = called(monkeypatch, "reference", kernel, arrays())
    found = called(monkeypatch, "cpu", kernel, arrays())
    for name in names:
        np.testing.assert_allclose(found[name], expected[name], rtol=2e-5, err_msg=name)


def test_one_array_for_two_parameters_is_not_read_as_before_its_store(monkeypatch):
    x = np.random.default_rng(8).normal(size=(4, 100)).astype(np.float32)
    before, y = x.astype(np.float64), np.zeros(4, np.float32)
    called(monkeypatch, "cpu", repeated_loads.copied, {"x": x, "z": x, "y": y})
    exact = np.exp(2.0 * before - before.max(axis=1, keepdims=True)).sum(axis=1)
    np.testing.assert_allclose(y, exact, rtol=1e-5)
