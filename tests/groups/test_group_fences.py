"""Fences of a group: each is needed, none is missing, and a loop has them in front where it can."""

from dataclasses import replace

import pytest

from certile.analysis.fences import FENCE, Event, unfenced
from certile.analysis.group_fences import barriers
from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import f32
from certile.ir.machine import Barrier, Block, For, If, operations
from certile.ir.machine.verify import check_machine
from certile.plan.mapping import Mapping
from certile.reference.generate import corpus
from tests import kernels
from tests.differential.harness import SHEETS, Case
from tests.groups import programs
from tests.groups.programs import grid, pairs_of, random_array
from tests.groups.test_group_programs import CASES, lowered

# Threads at which neighbours of a row lie in several subgroups.
THREADS = 64
READ_ONCE = (
    "rows",
    "rows_ragged",
    "columns",
    "iterated",
    "blocks",
    "nested",
    "transposed",
    "memory",
)


def without(block, number):
    """A block without one of its barriers, counted in order, and how many it had."""
    made, seen = [], 0
    for operation in block.operations:
        if isinstance(operation, Barrier):
            seen += 1
            if seen - 1 == number:
                continue
        if isinstance(operation, For):
            body, found = without(operation.body, number - seen)
            operation, seen = replace(operation, body=body), seen + found
        elif isinstance(operation, If):
            then, found = without(operation.then, number - seen)
            operation, seen = replace(operation, then=then), seen + found
        made.append(operation)
    return Block(tuple(made)), seen


def findings_without_each(case, plan, launch):
    """What the interpreter finds when one barrier is left out, for each of them."""
    count = sum(isinstance(op, Barrier) for op in operations(launch.kernel.body))
    for number in range(count):
        body, _ = without(launch.kernel.body, number)
        faulty = replace(launch, kernel=check_machine(replace(launch.kernel, body=body)))
        (report,) = case.copy().run_machine([(plan, faulty)])
        yield report


@pytest.mark.parametrize("name", READ_ONCE)
def test_every_fence_is_needed(name):
    plan, launch = lowered(CASES[name], SHEETS["metal"], threads=THREADS)
    reports = list(findings_without_each(CASES[name], plan, launch))
    assert len(reports) == plan.barriers > 0
    assert all(report.races or report.uninitialised for report in reports)


def test_every_barrier_of_a_program_that_subgroups_share_is_needed():
    """The plans of whole rows have the fences of the same analysis, one a reduction."""
    rng = programs.np.random.default_rng(0)
    x = random_array(rng, f32, (3, 300), (0, 1))
    case = Case(kernels.softmax(), {"x": x, "y": x.copy()})
    ((plan, launch),) = case.lower(SHEETS["metal"], Mapping("subgroup", 3))
    reports = list(findings_without_each(case, plan, launch))
    assert len(reports) == plan.barriers == 2
    assert all(report.races or report.uninitialised for report in reports)


def test_no_barrier_of_random_programs_that_subgroups_share_is_superfluous():
    found = 0
    for number, made in enumerate(corpus(40)):
        if max(map(max, made.shapes.values())) > 300:
            continue
        case = Case(made.kernel, made.arguments(number))
        lowered_ = case.lower(SHEETS["metal"], Mapping("subgroup", 3))
        for plan, launch in lowered_ or ():
            reports = list(findings_without_each(case, plan, launch))
            assert all(report.races or report.uninitialised for report in reports)
            found += len(reports)
    assert found >= 10


def program(write, shape=(2, 8, 8)):
    """A case of a program whose body `write` writes, with x, y and z over the same axes."""
    b = Builder("fences")
    x, n, i, j = grid(b)
    views = [b.view(name, f32, 3) for name in ("y", "z")]
    with b.parallel(n, scope="group"):
        write(b, x, *views, n, i, j)
    return pairs_of(b.build(), dict.fromkeys(("x", "y", "z"), shape))


def fences(case, **options):
    plan, _ = lowered(case, SHEETS["metal"], **options)
    return plan.group.steps, plan.barriers


def test_reductions_that_do_not_read_each_other_share_a_step_and_a_fence():
    def write(b, x, y, z, n, i, j):
        v = b.load(x, n, i, j)
        b.store(y, (n, i, j), b.map("sub", v, b.reduce(v, j, laws.MINIMUM)))
        b.store(z, (n, i, j), b.map("sub", v, b.reduce(v, j, laws.MAXIMUM)))

    steps, count = fences(program(write))
    assert [step.kind for step in steps] == ["reduce", "store", "store"]
    assert [step.fence for step in steps] == [False, True, False]
    assert count == 1


def test_reductions_over_different_axes_share_a_fence():
    def write(b, x, y, z, n, i, j):
        v = b.load(x, n, i, j)
        b.store(y, (n, i, j), b.map("sub", v, b.reduce(v, i, laws.ADD)))
        b.store(z, (n, i, j), b.map("sub", v, b.reduce(v, j, laws.ADD)))

    steps, count = fences(program(write))
    assert [step.kind for step in steps] == ["reduce", "reduce", "store", "store"]
    assert count == 1


def test_element_steps_that_each_thread_does_for_itself_have_no_fence():
    def write(b, x, y, z, n, i, j):
        v = b.load(z, n, i, j)
        b.store(y, (n, i, j), b.map("mul", v, 2.0))
        b.store(z, (n, i, j), b.map("add", v, b.load(x, n, i, j)))

    assert fences(program(write))[1] == 0


def test_other_traffic_between_a_write_and_a_read_proves_nothing():
    """Write A, work on B, read A: only a fence orders A."""

    def write(b, x, y, z, n, i, j):
        first = b.reduce(b.load(x, n, i, j), j, laws.ADD)
        other = b.memory("other", f32, [i, j], "group")
        b.store(other, (i, j), b.load(x, n, i, j))
        b.store(z, (n, i, j), b.load(other, i, j))
        b.store(y, (n, i, j), b.relabel(b.broadcast(first, i), i, j))

    steps, count = fences(program(write))
    assert count == 1
    assert steps[-1].fence
    assert unfenced([Event("write", "A"), Event("write", "B"), Event("read", "A")]) is not None
    assert unfenced([Event("write", "A"), FENCE, Event("read", "A")]) is None


def test_owners_and_stores_that_never_meet_need_no_fence():
    own = [Event("write", "A", "thread"), Event("read", "A", "thread")]
    assert unfenced(own) is None
    assert unfenced([own[0], Event("read", "A", "subgroup")]) is not None
    assert unfenced([Event("store", "V", 1), Event("store", "V", 2)]) is None
    assert unfenced([Event("store", "V", 1), Event("read", "V", 2)]) is not None


def test_what_no_round_changes_is_fenced_before_the_loop():
    steps, _ = fences(CASES["halved"])
    assert [(step.kind, step.fence) for step in steps] == [
        ("reduce", False),
        ("assign", False),
        ("serial", True),
        ("store", False),
    ]
    assert barriers(steps[2].body) == 0


def test_a_carried_tile_that_others_read_is_staged_and_fenced_both_ways():
    def write(b, x, y, z, n, i, j):
        row = b.reduce(b.load(x, n, i, j), j, laws.ADD)
        with b.serial(b.axis("t", 3), carry=[row]) as loop:
            (held,) = loop.carried
            turned = b.map("sub", b.const(7, programs.i64), b.index(i))
            loop.yields(b.map("add", held, b.gather(held, turned, i, 0.0)))
        b.store(y, (n, i, j), b.broadcast(loop.results[0], i, j))

    case = program(write)
    steps, _ = fences(case)
    (loop,) = [step for step in steps if step.kind == "serial"]
    assert [(step.kind, step.fence) for step in loop.body] == [
        ("assign", True),
        ("advance", True),
    ]
