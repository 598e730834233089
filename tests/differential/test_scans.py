"""Scans: the interpreter, the machine interpreter, CPU code and Metal text against NumPy.

A case is a law, a direction, a length and a dtype.  NumPy folds each prefix itself, in float64.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest

from certile.codegen import emitter_for
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f32, f64, i32
from certile.ir.laws import Component, Law
from certile.ir.terms import Var, app
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.rounding.depth import depths
from certile.plan.text import plan_text
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from certile.runtime.cuda.toolchain import compile_cuda
from tests.differential.harness import HOST_SHEET, REFERENCE, SHEETS, Case
from tests.metal_units import Unit
from tests.platforms import nvrtc

ROWS = 3
LANES = HOST_SHEET.lanes
LENGTHS = (1, 2, LANES - 1, LANES, LANES + 1, 3 * LANES + 5, 1000)
DIRECTIONS = tuple(product((True, False), (False, True)))
UNIT = {f32: 2.0**-24, bf16: 2.0**-24, f64: 2.0**-53}

# x0 * before + x1, written as a law of pairs: not commutative.
AFFINE = Law(
    name="affine",
    state=(Component("m"), Component("b")),
    identity=(laws.MUL.identity[0], laws.ADD.identity[0]),
    lift=(Var("x0"), Var("x1")),
    merge=(app("mul", "a.m", "b.m"), app("add", app("mul", "b.m", "a.b"), "b.b")),
    finalize=(Var("b"),),
    operands=2,
    commutative=False,
)


def kernel_of(law, dtype=f32, *, inclusive=True, reverse=False):
    """Every result of a scan of x, each to a view of its own."""
    b = Builder(f"scan_{law.name}")
    x = b.view("x", dtype, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        tile = b.load(x, rows, cols)
        operands = tile if law.operands == 1 else [b.map("mul", b.cast(tile, f32), 0.25), tile]
        made = b.scan(operands, cols, law, inclusive=inclusive, reverse=reverse)
        for k, result in enumerate(b.results(made)):
            b.store(b.view(f"y{k}", result.dtype, 2), (rows, cols), result)
    return b.build()


def data(dtype, length, law, *, special=False):
    """Rows of random data; `special` puts a NaN or infinities into two of them."""
    rng = np.random.default_rng(length)
    if not dtype.is_float:
        return rng.integers(-3, 4, (ROWS, length)).astype(storage(dtype))
    x = rng.normal(0, 2, (ROWS, length))
    if law is laws.MUL:
        x = 1 + x / 64
    x = x.astype(storage(dtype))
    if special:
        x[0, length // 2] = np.nan
        x[1, length // 3], x[1, -1] = np.inf, -np.inf
    return x


def case_of(kernel, x):
    outputs = {
        view.name: np.full(x.shape, 77).astype(storage(view.dtype)) for view in kernel.outputs
    }
    return Case(kernel, {"x": x, **outputs})


# The oracle: each prefix, or suffix, by itself.


def folded(law, leaves, accumulate):
    """The results of one list of leaves in float64, or exactly for integers."""
    with np.errstate(all="ignore"):
        match law.name:
            case "add" | "mul":
                fold = np.add if law.name == "add" else np.multiply
                kind = np.int32 if accumulate == i32 else np.float64
                return (fold.reduce(leaves.astype(kind), dtype=kind),)
            case "maximum" | "minimum":
                fold = np.maximum if law.name == "maximum" else np.minimum
                return (fold.reduce(leaves) if leaves.size else nothing(law, accumulate),)
            case "argmax":
                return (np.argmax(leaves) if leaves.size else 2**31 - 1,)
            case "logsumexp":
                return (np.logaddexp.reduce(leaves.astype(np.float64), initial=-np.inf),)
            case "mean_var":
                wide = leaves.astype(np.float64)
                return (wide.mean(), wide.var()) if leaves.size else (np.nan, np.nan)
            case "affine":
                found = 0.0
                for value in leaves.astype(np.float64):
                    found = 0.25 * value * found + value
                return (found,)
    raise ValueError(law.name)


def nothing(law, accumulate):
    """What an extremum of no elements is."""
    sign = -1 if law.name == "maximum" else 1
    return sign * np.inf if accumulate.is_float else np.iinfo(np.int32).min


def oracle(law, x, accumulate, *, inclusive, reverse):
    """One array a result, with the sum of the magnitudes that went into each element."""
    rows, length = x.shape
    found = [np.zeros(x.shape, np.float64) for _ in law.results]
    size = np.zeros(x.shape)
    for row, at in np.ndindex(rows, length):
        start, stop = (at, length) if reverse else (0, at + 1)
        if not inclusive:
            start, stop = (start + 1, stop) if reverse else (start, stop - 1)
        leaves = x[row, start:stop]
        size[row, at] = np.abs(leaves.astype(np.float64)).sum()
        for k, value in enumerate(folded(law, leaves, accumulate)):
            empty_index = law.results[k] == "index" and not leaves.size
            found[k][row, at] = value + (start if law.results[k] == "index" else 0)
            found[k][row, at] -= start if empty_index else 0
    return found, size


def close(law, result, wanted, size, depth, unit):
    """Within `depth` roundings of the sum of magnitudes; exact for extrema, indices, integers."""
    if result.dtype.kind in "iu" or law.builtin in ("maximum", "minimum"):
        return np.array_equal(result.astype(np.float64), wanted, equal_nan=True)
    bound = {
        "mul": 1.01 * result.shape[1] * unit * np.abs(wanted),
        "logsumexp": (9 * depth + 40) * unit * (1 + np.abs(wanted)),
        "mean_var": 16 * depth * unit * np.maximum(np.abs(wanted), 100),
        "affine": 8 * depth * unit * (1 + size),
    }.get(law.name, 1.01 * depth * unit * size)
    same = (result == wanted) | (np.isnan(result) & np.isnan(wanted))
    with np.errstate(invalid="ignore"):
        return bool((same | (np.abs(result.astype(np.float64) - wanted) <= bound)).all())


def assert_right(case, law, how, depth, dtype):
    accumulate = f32 if dtype == bf16 else dtype
    wanted, size = oracle(law, case.arguments["x"], accumulate, **how)
    for k, each in enumerate(wanted):
        result = case.arguments[f"y{k}"]
        assert close(law, result, each, size, depth, UNIT.get(accumulate, 0.0)), (law.name, how, k)


def run(case, sheet, mapping, law, how, dtype, cpu):
    """One plan of a case: lowered, run, judged by both judges; returns the plan."""
    made = case.lower(SHEETS[sheet], mapping)
    ((plan, _),) = made
    ran = case.copy()
    if cpu:
        ran.run_cpu(made)
    else:
        assert all(report.ok for report in ran.run_machine(made))
    found = depths(plan)
    judged = agrees(ran.outputs(), case.kernel, case.arguments, found)
    assert judged.ok, (sheet, judged.worst)
    length = case.arguments["x"].shape[1]
    assert_right(ran, law, how, max(found.values(), default=length), dtype)
    return plan


LAWS = (
    laws.ADD,
    laws.MUL,
    laws.MAXIMUM,
    laws.MINIMUM,
    laws.ARGMAX,
    laws.LOGSUMEXP,
    laws.MEAN_VAR,
    AFFINE,
)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("direction", DIRECTIONS, ids=str)
def test_every_length(law, direction):
    how = dict(zip(("inclusive", "reverse"), direction, strict=True))
    turn = LAWS.index(law) + DIRECTIONS.index(direction)
    for number, length in enumerate(LENGTHS[:6]):
        kernel = kernel_of(law, **how)
        case = case_of(kernel, data(f32, length, law))
        cpu = (number + turn) % 3 == 0
        sheet = "cpu" if cpu else ("metal", "cuda", "cpu")[(number + turn) % 3]
        plan = run(case, sheet, None, law, how, f32, cpu)
        assert plan.mapping.family == ("subgroup" if length > 1 else "reference")


@pytest.mark.parametrize("direction", DIRECTIONS, ids=str)
def test_the_reference_map(direction):
    how = dict(zip(("inclusive", "reverse"), direction, strict=True))
    for number, law in enumerate(LAWS):
        case = case_of(kernel_of(law, **how), data(f32, 5 + number, law))
        run(case, "cpu", REFERENCE, law, how, f32, number % 4 == 0)


@pytest.mark.parametrize("dtype", [bf16, i32, f64], ids=str)
def test_other_dtypes(dtype):
    for number, (law, direction) in enumerate(
        product((laws.ADD, laws.MAXIMUM, laws.ARGMAX), DIRECTIONS)
    ):
        how = dict(zip(("inclusive", "reverse"), direction, strict=True))
        case = case_of(kernel_of(law, dtype, **how), data(dtype, LANES + 3, law))
        run(case, ("cpu", "cuda")[number % 2], None, law, how, dtype, number % 4 == 0)


@pytest.mark.parametrize(
    "law", [laws.ADD, laws.MAXIMUM, laws.ARGMAX, laws.LOGSUMEXP], ids=lambda law: law.name
)
def test_nan_and_infinity(law):
    """One NaN, and infinities of both signs, spoil what comes after them and nothing before."""
    for number, direction in enumerate(DIRECTIONS):
        how = dict(zip(("inclusive", "reverse"), direction, strict=True))
        x = data(f32, 2 * LANES + 3, law, special=True)
        run(case_of(kernel_of(law, **how), x), "cpu", None, law, how, f32, number == 0)


@pytest.mark.parametrize("law", [laws.ADD, laws.ARGMAX], ids=lambda law: law.name)
def test_long_rows(law):
    for reverse in (False, True):
        how = {"inclusive": True, "reverse": reverse}
        case = case_of(kernel_of(law, **how), data(f32, 1000, law))
        run(case, "cpu", None, law, how, f32, cpu=True)
        run(case, "metal", None, law, how, f32, cpu=False)


def test_small_integers_are_exact():
    """Where every sum is exact, no grouping shows: the bits are those of a left fold."""
    x = np.random.default_rng(1).integers(-8, 9, (ROWS, 777)).astype(np.float32)
    case = case_of(kernel_of(laws.ADD), x)
    for sheet, cpu in (("cpu", True), ("metal", False)):
        made = case.lower(SHEETS[sheet])
        ran = case.copy()
        ran.run_cpu(made) if cpu else ran.run_machine(made)
        assert np.array_equal(ran.arguments["y0"], np.cumsum(x, axis=1, dtype=np.float64))


def test_one_hot_rows_show_where_a_scan_begins():
    """A single 1 at every place of a row: zeros before it and ones from it on."""
    length = 2 * LANES + 3
    x = np.eye(length, dtype=np.float32)
    case = case_of(kernel_of(laws.ADD), x)
    ran = case.copy()
    ran.run_cpu(case.lower(SHEETS["cpu"]))
    assert np.array_equal(ran.arguments["y0"], np.triu(np.ones_like(x)))


@pytest.mark.parametrize("reverse", [False, True])
def test_in_place_and_packed(reverse):
    """Seven programs, four a group: the last group is not full; each row is read, then replaced."""
    b = Builder("in_place")
    x = b.view("x", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        b.store(x, (rows, cols), b.scan(b.load(x, rows, cols), cols, laws.ADD, reverse=reverse))
    values = np.random.default_rng(0).integers(-9, 10, (7, 75)).astype(np.float32)
    case = Case(b.build(), {"x": values})
    turned = np.flip(values, 1) if reverse else values
    wanted = np.cumsum(turned, axis=1)
    for sheet, mapping, cpu in (("cpu", None, True), ("metal", Mapping("subgroup", 1, 4), False)):
        made = case.lower(SHEETS[sheet], mapping)
        assert made[0][0].mapping.family == "subgroup"
        ran = case.copy()
        ran.run_cpu(made) if cpu else ran.run_machine(made)
        assert np.array_equal(ran.arguments["x"], np.flip(wanted, 1) if reverse else wanted)


# Programs in which a scan meets other steps.


def chained(reverse=(False, False)):
    """A scan of a scan, their difference from a sum, and a scan that another loop reads."""
    b = Builder("chained")
    x = b.view("x", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    y, z, w = (b.view(name, f32, 2) for name in "yzw")
    with b.parallel(rows):
        tile = b.load(x, rows, cols)
        once = b.scan(tile, cols, laws.ADD, reverse=reverse[0])
        twice = b.scan(once, cols, laws.MAXIMUM, reverse=reverse[1])
        b.store(y, (rows, cols), twice)
        total = b.reduce(b.map("abs", once), cols, laws.MAXIMUM)
        b.store(z, (rows, cols), b.map("div", once, b.map("add", total, 1.0)))
        b.store(w, (rows, cols), b.map("mul", tile, 2.0))
    return b.build()


@pytest.mark.parametrize("reverse", list(product((False, True), repeat=2)), ids=str)
def test_scans_meet_other_steps(reverse):
    length = 2 * LANES + 7
    x = np.random.default_rng(0).integers(-9, 10, (ROWS, length)).astype(np.float32)
    outputs = {name: np.zeros_like(x) for name in "yzw"}
    case = Case(chained(reverse), {"x": x, **outputs})

    def along(function, values, backwards):
        return (
            np.flip(function.accumulate(np.flip(values, 1), 1), 1)
            if backwards
            else (function.accumulate(values, 1))
        )

    once = along(np.add, x.astype(np.float64), reverse[0])
    wanted = {
        "y": along(np.maximum, once, reverse[1]),
        "z": once.astype(np.float32) / (np.abs(once).max(1, keepdims=True) + 1).astype(np.float32),
        "w": 2 * x,
    }
    for sheet, mapping, cpu in (
        ("cpu", None, True),
        ("metal", None, False),
        ("cpu", REFERENCE, False),
    ):
        made = case.lower(SHEETS[sheet], mapping)
        ran = case.copy()
        ran.run_cpu(made) if cpu else ran.run_machine(made)
        for name, each in wanted.items():
            assert np.array_equal(ran.arguments[name], each), (sheet, name)


def test_a_scan_along_a_kept_axis_goes_to_the_reference_map():
    """x[r, a, c] over a: lanes cannot share a row of programs, and the results are still right."""
    b = Builder("planes")
    x = b.view("x", f32, 3)
    rows, first, last = (b.axis(name, dim(x, k)) for k, name in enumerate("rac"))
    y = b.view("y", f32, 3)
    with b.parallel(rows):
        tile = b.load(x, rows, first, last)
        b.store(y, (rows, first, last), b.scan(tile, first, laws.ADD, inclusive=False))
    values = np.random.default_rng(0).integers(-9, 10, (2, 5, 7)).astype(np.float32)
    case = Case(b.build(), {"x": values, "y": np.zeros_like(values)})
    for sheet, cpu in (("cpu", True), ("metal", False)):
        made = case.lower(SHEETS[sheet])
        assert made[0][0].mapping.family == "reference"
        assert "scan" in made[0][0].declined.reason
        ran = case.copy()
        ran.run_cpu(made) if cpu else ran.run_machine(made)
        wanted = np.cumsum(values, axis=1) - values
        assert np.array_equal(ran.arguments["y"], wanted)


def test_a_scan_in_a_loop_and_a_gathered_one():
    """A plane of each iteration is scanned; elements of a scanned row are selected."""
    b = Builder("loop")
    x = b.view("x", f32, 3)
    labels = b.view("labels", i32, 1)
    planes, rows, cols = (b.axis(name, dim(x, k)) for k, name in enumerate("prc"))
    y, z = b.view("y", f32, 3), b.view("z", f32, 1)
    with b.parallel(rows):
        with b.serial(planes, carry=[b.const(0.0, f32)]) as loop:
            scanned = b.scan(b.load(x, planes, rows, cols), cols, laws.ADD, reverse=True)
            b.store(y, (planes, rows, cols), scanned)
            picked = b.gather(scanned, b.load(labels, rows), cols, fill=0)
            loop.yields(b.map("add", loop.carried[0], picked))
        b.store(z, rows, loop.results[0])
    rng = np.random.default_rng(0)
    values = rng.integers(-9, 10, (3, 4, 19)).astype(np.float32)
    chosen = rng.integers(0, 19, 4).astype(np.int32)
    given = {
        "x": values,
        "labels": chosen,
        "y": np.zeros_like(values),
        "z": np.zeros(4, np.float32),
    }
    case = Case(b.build(), given)
    wanted = np.flip(np.cumsum(np.flip(values, 2), axis=2), 2)
    for sheet, cpu in (("cpu", True), ("metal", False)):
        made = case.lower(SHEETS[sheet])
        ran = case.copy()
        ran.run_cpu(made) if cpu else ran.run_machine(made)
        assert np.array_equal(ran.arguments["y"], wanted)
        assert np.array_equal(ran.arguments["z"], wanted[:, np.arange(4), chosen].sum(0))


def test_a_scan_made_under_a_guard_is_made_again():
    """Some programs select nothing from a scanned row, and store the whole row afterwards."""
    b = Builder("guarded")
    x, y, z = b.view("x", f32, 2), b.view("y", f32, 2), b.view("z", f32, 1)
    labels = b.view("labels", i32, 1)
    rows, cols, times = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1)), b.axis("times", 2)
    with b.parallel(rows):
        scanned = b.scan(b.load(x, rows, cols), cols, laws.ADD)
        label = b.load(labels, rows)
        with b.serial(times, carry=[b.const(0.0, f32)]) as loop:
            picked = b.gather(scanned, label, cols, fill=100)
            loop.yields(b.map("add", loop.carried[0], picked))
        b.store(z, rows, loop.results[0])
        b.store(y, (rows, cols), scanned)
    values = np.random.default_rng(0).integers(-9, 10, (3, 8)).astype(np.float32)
    given = {"x": values, "labels": np.array([2, 8, -1], np.int32)}
    outputs = {"y": np.zeros_like(values), "z": np.zeros(3, np.float32)}
    case = Case(b.build(), given | outputs)
    made = case.lower(SHEETS["cpu"])
    assert made[0][0].mapping.family == "reference"
    ran = case.copy()
    ran.run_cpu(made)
    wanted = np.cumsum(values, axis=1)
    assert np.array_equal(ran.arguments["y"], wanted)
    assert ran.arguments["z"].tolist() == [2 * wanted[0, 2], 200, 200]


# Metal text and CUDA text.


@dataclass(frozen=True)
class Made:
    law: object
    how: dict
    dtype: object
    case: Case
    plan: object
    launch: object


@pytest.fixture(scope="module")
def metal():
    """Kernels of every law and direction, some with masked tails, in one unit of Metal text."""
    made = []
    for number, (law, direction) in enumerate(product(LAWS, DIRECTIONS)):
        how = dict(zip(("inclusive", "reverse"), direction, strict=True))
        dtype = (f32, f32, bf16, i32)[number % 4] if law in LAWS[:3] else f32
        length = (1, 31, 32, 33, 101)[number % 5]
        case = case_of(kernel_of(law, dtype, **how), data(dtype, length, law))
        mapping = REFERENCE if number % 11 == 0 else None
        ((plan, launch),) = case.lower(SHEETS["metal"], mapping)
        launch = replace(launch, kernel=replace(launch.kernel, name=f"scan_{number}"))
        made.append(Made(law, how, dtype, case, plan, launch))
    return Unit([each.launch.kernel for each in made]), made


@pytest.mark.parametrize("number", range(len(LAWS) * len(DIRECTIONS)))
def test_metal_text(metal, number):
    unit, made = metal
    each = made[number]
    ran = each.case.copy()
    buffers = {name: ran.arguments[name].reshape(-1) for name in each.launch.buffers}
    names = [parameter.name for parameter in each.launch.kernel.scalars]
    scalars = dict(zip(names, each.case.scalars(each.launch), strict=True))
    report = unit.run(each.launch.kernel.name, buffers, scalars, each.plan.programs, number % 3)
    assert report.ok, report
    length = ran.arguments["x"].shape[1]
    found = depths(each.plan)
    assert agrees(ran.outputs(), each.case.kernel, each.case.arguments, found).ok
    assert_right(ran, each.law, each.how, max(found.values(), default=length), each.dtype)


@nvrtc
@pytest.mark.parametrize("law", [laws.ADD, laws.ARGMAX, laws.LOGSUMEXP], ids=lambda law: law.name)
def test_cuda_text_compiles(law):
    case = case_of(kernel_of(law, reverse=True, inclusive=False), data(f32, 77, law))
    ((plan, launch),) = case.lower(SHEETS["cuda"])
    artifact = emitter_for(plan.sheet)(launch.kernel, plan.sheet)
    assert "__shfl_up_sync" in artifact.text
    assert artifact.entry in compile_cuda(artifact, form="ptx").decode()


def test_wide_programs_are_rejected_with_a_reason():
    case = case_of(kernel_of(laws.ADD), data(f32, 4096, laws.ADD))
    (region,) = case.regions
    plan = case.plan(region, SHEETS["metal"])
    assert plan.mapping.subgroups_per_program == 1
    wide = [no for no in plan.rejected if no.subgroups_per_program > 1]
    assert wide
    assert {no.rule for no in wide} == {"width"}
    assert all("scan" in no.reason for no in wide)
    assert "scan         add over 4096, inclusive; read as it is made" in plan_text(plan)
    asked = case.plan(region, SHEETS["metal"], options=Options(threads=64, programs_per_group=1))
    assert asked.mapping is None
