"""What precise and portable kernels may rely on of element-wise functions, from table to target."""

import numpy as np
import pytest

from certile import reference
from certile.codegen import emitter_for
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f16, f32
from certile.ir.functions import FUNCTIONS
from certile.lower.math import BOUNDS, EXPANSIONS, PORTABLE
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from certile.targets import SHEETS
from certile.targets.metal import METAL
from tests.differential import checks
from tests.differential.harness import HOST_SHEET, Case
from tests.sweeps.trees import same_bits

# The specification of MSL allows these more than the table promises, and nothing expands them.
NOT_KEPT_ON_METAL = {"sin", "cos", "tan", "pow"}


def test_expansions_keep_what_the_table_promises():
    assert all(BOUNDS[name] <= FUNCTIONS[name].ulp for name in EXPANSIONS)
    assert {name for name, function in FUNCTIONS.items() if function.ulp} >= EXPANSIONS.keys()


def test_metal_calls_its_own_function_only_where_nothing_expands_it():
    assert not METAL.native_functions & EXPANSIONS.keys()
    assert METAL.native_functions == {"fmod"} | NOT_KEPT_ON_METAL
    assert "sin, cos" in METAL.provenance["native_functions"]


@pytest.mark.parametrize("name", sorted(SHEETS))
def test_a_sheet_leaves_no_function_without_code(name):
    """What a precise kernel may contain is native or expanded (a CPU calls libm for the rest)."""
    sheet = SHEETS[name]
    inexact = {n for n, function in FUNCTIONS.items() if function.ulp is not None}
    if sheet.kind != "cpu" and sheet.native_functions is not None:
        assert inexact - {"logaddexp"} <= sheet.native_functions | EXPANSIONS.keys()


def unary(fn, dtype=f32, math="precise"):
    b = Builder(f"one_{fn}", math=math)
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        b.store(y, (rows, cols), b.map(fn, b.load(x, rows, cols)))
    return b.build()


def metal_text(fn, math):
    x = np.zeros((3, 70), np.float32)
    case = Case(unary(fn, math=math), {"x": x, "y": x.copy()})
    ((plan, launch),) = case.lower(METAL)
    return emitter_for(plan.sheet)(launch.kernel, plan.sheet).text


@pytest.mark.parametrize("fn", sorted(METAL.fast_functions))
def test_only_fast_math_takes_the_fast_functions_of_metal(fn):
    assert f"fast::{fn}(" in metal_text(fn, "fast")
    for math in ("precise", "portable"):
        text = metal_text(fn, math)
        assert f"::{fn}(" not in text


def values(dtype):
    """Every magnitude, and special values."""
    rng = np.random.default_rng(7)
    near = rng.uniform(-6, 6, (4, 300))
    wide = rng.standard_normal((4, 300)) * np.exp2(rng.integers(-140, 120, (4, 300)))
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45])
    with np.errstate(over="ignore"):
        x = np.concatenate([near, wide, np.tile(special, (4, 1))], axis=1)
        return x.astype(np.float32).astype(storage(dtype))


@pytest.mark.parametrize("dtype", [f32, f16, bf16], ids=str)
@pytest.mark.parametrize("fn", [*EXPANSIONS])
def test_a_portable_function_is_the_interpreters(fn, dtype):
    """Bits of the CPU and of Machine IR; the interpreter is told what portable means."""
    x = values(dtype)
    case = Case(unary(fn, dtype, "portable"), {"x": x, "y": np.zeros_like(x)})
    wanted, ran, native = case.copy(), case.copy(), case.copy()
    reference.run(wanted.kernel, wanted.arguments, functions=PORTABLE)
    for report in ran.run_machine(ran.lower(METAL)):
        assert report.ok
    native.run_cpu(native.lower(HOST_SHEET))
    for name, found in (("machine", ran), ("cpu", native)):
        same_bits(found.outputs(), wanted.outputs(), name)


def logaddexp(math, dtype=f32):
    b = Builder("sums", math=math)
    x, z, y = (b.view(name, dtype, 2) for name in "xzy")
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        both = (b.load(x, rows, cols), b.load(z, rows, cols))
        b.store(y, (rows, cols), b.map("logaddexp", *both))
    return b.build()


def cancelling():
    """Pairs whose exponentials add up to almost 1."""
    x = -np.random.default_rng(3).uniform(0.01, 3, (4, 500))
    z = np.log(-np.expm1(x))
    x[0, :4], z[0, :4] = (np.inf, -np.inf, np.nan, -np.inf), (1.0, -np.inf, 0.0, 2.0)
    return x.astype(np.float32), z.astype(np.float32)


@pytest.mark.parametrize("math", ["precise", "portable"])
def test_logaddexp_where_it_cancels(math):
    x, z = cancelling()
    case = Case(logaddexp(math), {"x": x, "z": z, "y": np.zeros_like(x)})
    for sheet in (HOST_SHEET, METAL):
        ran = case.copy()
        if sheet is HOST_SHEET:
            ran.run_cpu(ran.lower(sheet))
        else:
            assert all(report.ok for report in ran.run_machine(ran.lower(sheet)))
        checks.judge(case, ran, sheet.name)
        if math == "portable":
            exact = agrees(ran.outputs(), case.specialised, case.arguments, functions=PORTABLE)
            assert exact, exact.worst
            assert exact.max_abs == 0


def test_the_bound_of_logaddexp_is_no_licence():
    x, z = cancelling()
    case = Case(logaddexp("precise"), {"x": x, "z": z, "y": np.zeros_like(x)})
    with np.errstate(invalid="ignore"):
        y = np.logaddexp(x.astype(np.float64), z.astype(np.float64)).astype(np.float32)
    assert agrees({"y": y}, case.specialised, case.arguments)
    y[2, 7] += np.float32(2**-20)
    assert not agrees({"y": y}, case.specialised, case.arguments)
