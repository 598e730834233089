"""Chosen plans do what the program means: row programs run under many maps, bit for bit.

Inputs are small integers, so that every legal order of a reduction gives the same bits.
"""

import dataclasses
import zlib
from math import prod

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.dtypes import f32, i64
from certile.ir.host import ViewFacts
from certile.ir.machine import Barrier, operations
from certile.ir.machine.verify import check_machine
from certile.ir.tile import View
from certile.ir.walk import parallel_regions
from certile.lower import lower_parallel
from certile.plan.choose import choose
from certile.plan.record import Options
from certile.reference.machine import run_machine
from certile.reference.tile import run
from certile.targets import SHEETS
from tests.unit.analysis.programs import SUBTRACT, Row

PROGRAMS, WIDTH = 5, 77


def row():
    return Row(PROGRAMS, WIDTH)


def in_place():
    b = row()
    with b.parallel(b.rows):
        v = b.row(b.y)
        b.store(b.y, (b.rows, b.cols), b.map("sub", v, b.reduce(v, b.cols, laws.MAXIMUM)))
    return b.build()


def overtaken():
    b = row()
    with b.parallel(b.rows):
        v = b.row(b.y)
        b.store(b.y, (b.rows, b.cols), b.map("neg", v))
        b.store(b.s, b.rows, b.reduce(v, b.cols, laws.ADD))
    return b.build()


def shared_tiles():
    b = row()
    with b.parallel(b.rows):
        v = b.row()
        off = b.map("sub", v, b.reduce(v, b.cols, laws.MINIMUM))
        twice = b.map("mul", off, 2.0)
        total = b.reduce(b.map("add", twice, off), b.cols, laws.ADD)
        b.store(b.y, (b.rows, b.cols), b.map("add", b.map("mul", off, twice), total))
        b.store(b.s, b.rows, total)
    return b.build()


def labels():
    b = row()
    label = b.view("label", i64, 1)
    with b.parallel(b.rows):
        v = b.row()
        chosen = b.gather(v, b.load(label, b.rows), b.cols, -7.0)
        b.store(b.s, b.rows, b.map("sub", b.reduce(v, b.cols, laws.ADD), chosen))
    return b.build()


def looped():
    b = row()
    planes, z = b.axis("planes", 3), b.view("z", rank=3)
    with b.parallel(b.rows):
        fixed = b.reduce(b.row(), b.cols, laws.ADD)
        with b.serial(planes, carry=[b.const(0, f32)]) as loop:
            plane = b.load(z, b.rows, planes, b.cols)
            top = b.reduce(b.map("add", plane, fixed), b.cols, laws.MAXIMUM)
            loop.yields(b.map("add", loop.carried[0], top))
        b.store(b.s, b.rows, loop.results[0])
    return b.build()


def placed():
    b = row()
    held = b.memory("held", f32, (b.cols,))
    with b.parallel(b.rows):
        b.store(held, b.cols, b.row())
        old = b.load(held, b.cols)
        b.store(held, b.cols, b.map("neg", old))
        b.store(b.y, (b.rows, b.cols), b.load(held, b.cols))
        b.store(b.s, b.rows, b.reduce(old, b.cols, laws.ADD))
    return b.build()


def outer():
    b = row()
    other, z = b.axis("other", 3), b.view("z", rank=3)
    with b.parallel(b.rows):
        v = b.map("abs", b.row())
        scale = b.load(b.y, b.rows, other)
        b.store(z, (b.rows, other, b.cols), b.map("mul", scale, v))
        b.store(b.s, b.rows, b.reduce(v, b.cols, laws.ADD))
    return b.build()


def looped_twice():
    """Two reductions in a loop, the second in a loop of its own: who fences whom?"""
    b = row()
    planes, again, z = b.axis("planes", 3), b.axis("again", 2), b.view("z", rank=3)
    with b.parallel(b.rows):
        with b.serial(planes, carry=[b.const(0, f32)]) as loop:
            plane = b.load(z, b.rows, planes, b.cols)
            low = b.reduce(b.map("add", plane, loop.carried[0]), b.cols, laws.MINIMUM)
            with b.serial(again, carry=[low]) as inner:
                top = b.reduce(b.map("sub", plane, inner.carried[0]), b.cols, laws.MAXIMUM)
                inner.yields(b.map("add", inner.carried[0], top))
            loop.yields(inner.results[0])
        b.store(b.s, b.rows, loop.results[0])
    return b.build()


KERNELS = {
    made.__name__: made
    for made in (
        in_place,
        overtaken,
        shared_tiles,
        labels,
        looped,
        looped_twice,
        placed,
        outer,
    )
}
# What these keep is read in the loop that makes it, where it is at hand.
UNREAD = ("overtaken", "placed")
PLANS = {
    "automatic": {},
    "one subgroup": {"threads": 32},
    "three subgroups": {"threads": 96},
    "V=4": {"threads": 64, "lane_elements": 4},
    "packed": {"threads": 128, "programs_per_group": 4},
    "packed and cooperating": {"threads": 128, "programs_per_group": 2},
    "expensive only": {"threads": 64, "materialization": "expensive-only"},
    "cached": {"threads": 64, "cache_inputs": True},
    "reference": {"subgroup_reductions": "off"},
}


def arguments(kernel):
    """Small integers for every view, by its name: shapes follow the rank."""
    shapes = {1: (PROGRAMS,), 2: (PROGRAMS, WIDTH), 3: (PROGRAMS, 3, WIDTH)}
    made = {}
    for view in kernel.views:
        random = np.random.default_rng(zlib.crc32(view.name.encode()))
        low, high = (-1, WIDTH + 1) if view.dtype == i64 else (-9, 10)
        values = random.integers(low, high, shapes[view.rank])
        made[view.name] = values.astype(np.int64 if view.dtype == i64 else np.float32)
    return made


def facts_of(view: View, shape):
    strides = [prod(shape[k + 1 :]) for k in range(view.rank)]
    return ViewFacts(tuple(1 if stride == 1 else None for stride in strides), near=True)


def execute(kernel, arrays, sheet, options, programs=PROGRAMS, *, unread=False):
    """Run a kernel's only launch as Machine IR; None when the plan was declined.

    Every value that a worker keeps has its place, unless some are `unread` outside their own loop.
    """
    (parallel,) = parallel_regions(kernel)
    plan = choose(kernel, parallel, programs, sheet, options)
    if plan.mapping is None:
        return None
    facts = {view.name: facts_of(view, arrays[view.name].shape) for view in kernel.views}
    launch = lower_parallel("kernel", kernel, parallel, plan, facts).launches[0]
    check_machine(launch.kernel)

    def stride(name, dim):
        return prod(arrays[name].shape[dim + 1 :])

    scalars = {
        parameter.name: source.evaluate(lambda name, dim: arrays[name].shape[dim], stride, None)
        for parameter, source in zip(launch.kernel.scalars, launch.scalars, strict=True)
    }
    flat = {name: array.reshape(-1) for name, array in arrays.items()}
    report = run_machine(launch.kernel, flat, scalars, programs)
    assert report.ok, report
    if plan.mapping.family == "subgroup":
        assert launch.kernel.shared_bytes == plan.shared_bytes
        sites = [op for op in operations(launch.kernel.body) if isinstance(op, Barrier)]
        assert len(sites) == plan.barriers
        kept = sum(array.slots * max(1, array.dtype.size // 4) for array in launch.kernel.arrays)
        assert kept == plan.stripe_scalars if not unread else kept < plan.stripe_scalars
    return plan


@pytest.mark.parametrize("how", PLANS)
@pytest.mark.parametrize("name", KERNELS)
def test_a_plan_means_what_the_program_means(name, how):
    kernel = KERNELS[name]()
    expected, got = arguments(kernel), arguments(kernel)
    run(kernel, expected)
    plan = execute(kernel, got, SHEETS["metal"], Options(**PLANS[how]), unread=name in UNREAD)
    if plan is None:
        # Cooperating packs replay a row: not where it is overwritten or barriers repeat.
        assert how == "packed and cooperating"
        assert name in ("in_place", "overtaken", "looped", "looped_twice")
        return
    for view, array in expected.items():
        np.testing.assert_array_equal(got[view], array, err_msg=view)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("sheet", ["cpu-avx512", "cpu-avx2", "cpu-neon"])
def test_a_vector_means_it_too(name, sheet):
    kernel = KERNELS[name]()
    expected, got = arguments(kernel), arguments(kernel)
    run(kernel, expected)
    execute(kernel, got, SHEETS[sheet], Options(), unread=name in UNREAD)
    for view, array in expected.items():
        np.testing.assert_array_equal(got[view], array, err_msg=view)


@pytest.mark.parametrize(("policy", "expected"), [("fold_left", -6.0), ("fold_right", 2.0)])
@pytest.mark.parametrize("sheet", ["metal", "cpu-avx2"])
def test_a_fold_by_subtraction_keeps_its_side(policy, expected, sheet):
    b = Row(1, 3)
    with b.parallel(b.rows):
        folded = b.reduce(b.row(), b.cols, SUBTRACT, policy=policy, init=[0.0])
        b.store(b.s, b.rows, folded)
    kernel = b.build()
    arrays = {
        "x": np.array([[1, 2, 3]], np.float32),
        "y": np.zeros((1, 3), np.float32),
        "s": np.zeros(1, np.float32),
    }
    plan = execute(kernel, arrays, SHEETS[sheet], Options(), programs=1)
    assert plan.mapping.family == "reference"
    assert arrays["s"].tolist() == [expected]


@pytest.mark.parametrize("policy", ["ordered_tree", "reproducible"])
@pytest.mark.parametrize("threads", [32, 64, 128])
def test_ordered_families_run_at_every_width(policy, threads):
    b = row()
    with b.parallel(b.rows):
        b.store(b.s, b.rows, b.reduce(b.row(), b.cols, laws.ADD, policy=policy))
    kernel = b.build()
    expected, got = arguments(kernel), arguments(kernel)
    run(kernel, expected)
    plan = execute(kernel, got, SHEETS["metal"], Options(threads=threads))
    assert plan.declined is None
    np.testing.assert_array_equal(got["s"], expected["s"])


def test_dataclasses_of_a_plan_are_immutable():
    kernel = shared_tiles()
    plan = execute(kernel, arguments(kernel), SHEETS["metal"], Options())
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.rounds = 0
