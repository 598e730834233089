"""What precise and portable kernels may rely on of element-wise functions, from table to target."""

import numpy as np
import pytest

import certile as ct
from certile import reference
from certile.codegen import emitter_for
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f16, f32, f64
from certile.ir.functions import FUNCTIONS
from certile.lower.math import BOUNDS, EXPANSIONS
from certile.lower.math.portable import PORTABLE
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from certile.targets import SHEETS
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from tests.differential import checks
from tests.differential.harness import HOST_SHEET, Case, flat
from tests.metal_units import Unit
from tests.sweeps.trees import CPUS, same_bits

UNARY = [name for name, function in FUNCTIONS.items() if name in EXPANSIONS and function.arity == 1]
BINARY = ["pow", "fmod", "logaddexp"]


def test_expansions_keep_what_the_table_promises():
    assert all(bound <= FUNCTIONS[name].ulp for (name, _), bound in BOUNDS.items())
    inexact = {name for name, function in FUNCTIONS.items() if function.ulp}
    assert inexact == EXPANSIONS.keys() | {"logaddexp"}


def test_a_target_calls_its_own_function_only_where_it_keeps_the_promise():
    # The specification of MSL allows its other functions more; a sheet says why CUDA lacks these,
    # of which erf would keep it, too.
    assert METAL.native_functions == {"fmod"}
    lacking = {"erf", "erfc", "exp2", "pow", "sigmoid", "tan"}
    assert EXPANSIONS.keys() - CUDA_SM90.native_functions == lacking
    assert CUDA_SM90.native_functions <= EXPANSIONS.keys()
    assert all(not SHEETS[name].native_functions for name in SHEETS if name.startswith("cpu"))


@pytest.mark.parametrize("name", sorted(SHEETS))
def test_a_sheet_leaves_no_function_without_code(name):
    """What a precise kernel may contain is native or expanded."""
    sheet = SHEETS[name]
    inexact = {n for n, function in FUNCTIONS.items() if function.ulp is not None}
    if sheet.native_functions is not None:
        assert inexact - {"logaddexp"} <= sheet.native_functions | EXPANSIONS.keys()


def unary(fn, dtype=f32, math="precise"):
    b = Builder(f"one_{fn}", math=math)
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        b.store(y, (rows, cols), b.map(fn, b.load(x, rows, cols)))
    return b.build()


def binary(fn, dtype=f32, math="precise"):
    b = Builder(f"two_{fn}", math=math)
    x, z, y = (b.view(name, dtype, 2) for name in "xzy")
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        both = (b.load(x, rows, cols), b.load(z, rows, cols))
        b.store(y, (rows, cols), b.map(fn, *both))
    return b.build()


def metal_text(fn, math):
    x = np.zeros((3, 70), np.float32)
    if fn in BINARY:
        case = Case(binary(fn, math=math), {"x": x, "z": x.copy(), "y": x.copy()})
    else:
        case = Case(unary(fn, math=math), {"x": x, "y": x.copy()})
    ((plan, launch),) = case.lower(METAL)
    return emitter_for(plan.sheet)(launch.kernel, plan.sheet).text


@pytest.mark.parametrize("fn", sorted(METAL.fast_functions))
def test_only_fast_math_takes_the_fast_functions_of_metal(fn):
    assert f"fast::{fn}(" in metal_text(fn, "fast")
    for math in ("precise", "portable"):
        text = metal_text(fn, math)
        assert f"::{fn}(" not in text


@pytest.mark.parametrize("math", ["precise", "portable", "fast"])
def test_logaddexp_is_made_of_expansions_but_under_fast_math(math):
    """CUDA has an exp and a log1p within 2 ulp each, of which the sum may be further off."""
    x = np.zeros((3, 70), np.float32)
    case = Case(logaddexp(math), {"x": x, "z": x.copy(), "y": x.copy()})
    ((plan, launch),) = case.lower(CUDA_SM90)
    text = emitter_for(plan.sheet)(launch.kernel, plan.sheet).text
    assert ("log1pf(" in text) == (math == "fast")


@pytest.mark.parametrize("fn", ["exp", "tan", "pow", "erfc"])
def test_cpu_code_calls_no_library(fn):
    """A vector of f64 would go through it lane by lane."""
    x = np.zeros((3, 70))
    kernel = binary(fn, f64) if fn in BINARY else unary(fn, f64)
    views = {"x": x, "z": x.copy(), "y": x.copy()}
    case = Case(kernel, views if fn in BINARY else {"x": views["x"], "y": views["y"]})
    ((plan, launch),) = case.lower(HOST_SHEET)
    text = emitter_for(plan.sheet)(launch.kernel, plan.sheet).text
    assert f"@{fn}(" not in text


def values(dtype):
    """Every magnitude, and special values."""
    rng = np.random.default_rng(7)
    most = 1000 if dtype == f64 else 120
    near = rng.uniform(-6, 6, (4, 300))
    wide = rng.standard_normal((4, 300)) * np.exp2(rng.integers(-most - 20, most, (4, 300)))
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45])
    with np.errstate(over="ignore"):
        x = np.concatenate([near, wide, np.tile(special, (4, 1))], axis=1)
        return x.astype(storage(f64 if dtype == f64 else f32)).astype(storage(dtype))


def same_everywhere(case, dtype):
    """Bits of the CPU and of Machine IR; the interpreter is told what portable means."""
    wanted, ran, native = case.copy(), case.copy(), case.copy()
    reference.run(wanted.kernel, wanted.arguments, functions=PORTABLE)
    for report in ran.run_machine(ran.lower(HOST_SHEET if dtype == f64 else METAL)):
        assert report.ok
    native.run_cpu(native.lower(HOST_SHEET))
    for name, found in (("machine", ran), ("cpu", native)):
        same_bits(found.outputs(), wanted.outputs(), name)


@pytest.mark.parametrize("dtype", [f32, f16, bf16, f64], ids=str)
@pytest.mark.parametrize("fn", UNARY)
def test_a_portable_function_is_the_interpreters(fn, dtype):
    x = values(dtype)
    same_everywhere(Case(unary(fn, dtype, "portable"), {"x": x, "y": np.zeros_like(x)}), dtype)


@pytest.mark.parametrize("dtype", [f32, bf16, f64], ids=str)
@pytest.mark.parametrize("fn", BINARY)
def test_a_portable_function_of_two_arguments_is_the_interpreters(fn, dtype):
    x = values(dtype)
    z = np.random.default_rng(8).permutation(x.ravel()).reshape(x.shape)
    case = Case(binary(fn, dtype, "portable"), {"x": x, "z": z, "y": np.zeros_like(x)})
    same_everywhere(case, dtype)


@pytest.mark.parametrize("fn", ["erf", "erfc"])
def test_a_maximum_that_keeps_nan_gives_the_same_bits(fn):
    """CUDA has it as one instruction; where there is none, a comparison and a select serve."""
    x = values(f32)
    case = Case(unary(fn, f32, "portable"), {"x": x, "y": np.zeros_like(x)})
    wanted, ran = case.copy(), case.copy()
    reference.run(wanted.kernel, wanted.arguments, functions=PORTABLE)
    assert all(report.ok for report in ran.run_machine(ran.lower(CUDA_SM90)))
    same_bits(ran.outputs(), wanted.outputs(), fn)
    ((plan, launch),) = case.lower(CUDA_SM90)
    text = emitter_for(plan.sheet)(launch.kernel, plan.sheet).text
    assert ("max_nan(" in text) == (fn == "erf")
    assert "erff(" not in text


@pytest.mark.parametrize("sheet", CPUS, ids=lambda sheet: sheet.name)
def test_every_vector_width_gives_the_same_bits(sheet):
    """Also where powers of two are products, and whichever lanes share the rounds of another."""
    for fn, dtype in (("sin", f32), ("sigmoid", f64), ("exp", f32), ("exp2", f64)):
        x = values(dtype)
        case = Case(unary(fn, dtype, "portable"), {"x": x, "y": np.zeros_like(x)})
        wanted, ran = case.copy(), case.copy()
        reference.run(wanted.kernel, wanted.arguments, functions=PORTABLE)
        ran.run_cpu(ran.lower(sheet))
        same_bits(ran.outputs(), wanted.outputs(), f"{fn} {dtype}")


@pytest.mark.parametrize("fn", ["sin", "pow", "fmod"])
def test_the_metal_text_gives_the_bits_of_the_interpreter(fn):
    """Normal numbers: Metal may flush the others."""
    rng = np.random.default_rng(9)
    x, z = (rng.standard_normal((3, 130)) * np.exp2(rng.integers(-8, 8, (3, 130))) for _ in "xz")
    x[:, ::9] *= 2.0**60
    x, z = x.astype(np.float32), np.abs(z).astype(np.float32)
    if fn == "pow":
        x = np.abs(x)
    if fn in BINARY:
        case = Case(binary(fn, math="portable"), {"x": x, "z": z, "y": np.zeros_like(x)})
    else:
        case = Case(unary(fn, math="portable"), {"x": x, "y": np.zeros_like(x)})
    wanted, ran = case.copy(), case.copy()
    reference.run(wanted.kernel, wanted.arguments, functions=PORTABLE)
    ((plan, launch),) = ran.lower(METAL)
    scalars = dict(zip((s.name for s in launch.kernel.scalars), ran.scalars(launch), strict=True))
    buffers = {name: flat(ran.arguments[name]) for name in launch.buffers}
    report = Unit([launch.kernel]).run(launch.kernel.name, buffers, scalars, plan.programs)
    assert report.ok, report
    same_bits(ran.outputs(), wanted.outputs(), fn)


@ct.tile_kernel(math="portable")
def every_function(x, z, y):
    cols = ct.axis("cols", x.shape[0])
    for c in ct.parallel(cols):
        for place, fn in enumerate(UNARY):
            y[place, c] = getattr(ct, fn)(x[c])
        for place, fn in enumerate(BINARY, len(UNARY)):
            y[place, c] = getattr(ct, fn)(x[c], z[c])


@pytest.mark.parametrize("dtype", [f32, bf16], ids=str)
def test_a_portable_kernel_gives_the_same_bits_on_the_cpu_and_as_metal_text(dtype):
    x = values(dtype).ravel()
    z = np.random.default_rng(8).permutation(x)
    found = {}
    for target in ("cpu", "metal-sim"):
        found[target] = np.zeros((len(UNARY) + len(BINARY), len(x)), x.dtype)
        with ct.target(target):
            every_function(x, z, found[target])
    for place, fn in enumerate((*UNARY, *BINARY)):
        same_bits({fn: found["metal-sim"][place]}, {fn: found["cpu"][place]}, fn)


def logaddexp(math, dtype=f32):
    return binary("logaddexp", dtype, math)


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
