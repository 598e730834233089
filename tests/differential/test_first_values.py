"""The first k values of rows in an order, on every target, against sorting."""

import numpy as np
import pytest

import certile as ct
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f16, f32, i8, i32, u8
from certile.plan.mapping import Mapping
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from certile.targets.cpu import CPU_AVX2
from tests.cases.everywhere import everywhere, refused
from tests.differential.harness import HOST_SHEET, REFERENCE, SHEETS, Case

LENGTHS = (0, 1, 3, 33, 1000)
COUNTS = (1, 2, 4, 8)
ORDERS = {"top_values": (ct.top_values, 1), "bottom_values": (ct.bottom_values, -1)}
MAPPINGS = (Mapping("subgroup", 1), Mapping("subgroup", 3, 2, 2), Mapping("subgroup", 2, 1, 4))


def kernel_of(law, policy="unordered_tree"):
    @ct.tile_kernel
    def first(x: ct.View, y: ct.View) -> None:
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            made = ct.reduce(x[r, cols], cols, law, policy=policy)
            for place, value in enumerate(made if isinstance(made, tuple) else (made,)):
                y[place, r] = value

    return first


def rows_of(length, dtype=np.float32):
    """Rows with ties; the last ones hold NaN and infinities at the ends and in the middle."""
    rng = np.random.default_rng(length)
    x = rng.integers(-9, 9, (9, length)).astype(dtype)
    if np.dtype(dtype).kind == "f" and length:
        ends = [0, length // 2, length - 1]
        x[3, ends], x[4, ends], x[5, ends] = np.nan, np.inf, -np.inf
        x[6], x[7] = np.nan, -np.inf
        x[8, : length // 2], x[8, length // 2 :] = np.inf, -np.inf
    return x


def wanted(x, count, sign):
    """The first values, a NaN before every number, and what stands for none, in x's dtype."""
    if x.dtype.kind == "f":
        none = -np.inf
    else:
        bounds = np.iinfo(x.dtype)
        none = int(bounds.min) if sign > 0 else -int(bounds.max)
    wide = x.astype(np.float64)
    held = np.concatenate([sign * wide, np.full((len(x), count), none)], axis=1)
    return (sign * np.sort(held, axis=1)[:, ::-1][:, :count].T).astype(x.dtype)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("count", COUNTS)
def test_rows_on_a_cpu_and_in_the_reference(name, count, length):
    make, sign = ORDERS[name]
    x = rows_of(length)
    y = np.full((count, len(x)), 7, np.float32)
    found = everywhere(kernel_of(make(count)), x, y, targets=("cpu", "reference"))
    np.testing.assert_array_equal(found, wanted(x, count, sign))


@pytest.mark.parametrize(("name", "count"), [("top_values", 2), ("bottom_values", 4)])
def test_rows_as_metal_text(name, count):
    make, sign = ORDERS[name]
    for length in (1, 33, 1000):
        x = rows_of(length)
        y = np.full((count, len(x)), 7, np.float32)
        found = everywhere(kernel_of(make(count)), x, y, targets=("metal-sim",))
        np.testing.assert_array_equal(found, wanted(x, count, sign))


def built(law, dtype=f32, policy="unordered_tree", leading=False, mapped=None):
    """Each result of a law over rows, or over columns, in the dtype of its accumulation."""
    b = Builder("first")
    x = b.view("x", dtype, 2)
    rows, cols = (b.axis(name, dim(x, at ^ leading)) for at, name in enumerate(("rows", "cols")))
    with b.parallel(rows):
        leaf = b.load(x, *((cols, rows) if leading else (rows, cols)))
        made = b.reduce(b.map(mapped, leaf) if mapped else leaf, cols, law, policy=policy)
        for place, one in enumerate(b.results(made)):
            b.store(b.view(f"y{place}", one.dtype, 1), rows, one)
    return b.build()


def case_of(kernel, x):
    outputs = {view.name: np.zeros(len(x), storage(view.dtype)) for view in kernel.outputs}
    return Case(kernel, {"x": x, **outputs})


def ran(case, sheet, mapping):
    made = case.copy()
    lowered = made.lower(sheet, mapping)
    assert lowered is not None
    if sheet.kind == "cpu":
        made.run_cpu(lowered)
    else:
        for report in made.run_machine(lowered):
            assert report.ok, report
    return np.stack(list(made.outputs().values()))


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("policy", ["unordered_tree", "ordered_tree", "reproducible", "fold_left"])
def test_every_order_gives_the_same(count, policy):
    x = rows_of(133)
    case = case_of(built(laws.top_values(count), policy=policy), x)
    want = wanted(x, count, 1)
    mappings = (*MAPPINGS, REFERENCE) if policy.endswith("ed_tree") else (REFERENCE,)
    for mapping in mappings:
        np.testing.assert_array_equal(ran(case, SHEETS["metal"], mapping), want)
    np.testing.assert_array_equal(ran(case, SHEETS["cuda"], None), want)
    np.testing.assert_array_equal(ran(case, HOST_SHEET, None), want)


@pytest.mark.parametrize("dtype", [i8, u8, i32, f16, bf16], ids=str)
@pytest.mark.parametrize("name", ORDERS)
def test_other_dtypes(name, dtype):
    sign = ORDERS[name][1]
    law = (laws.top_values if sign > 0 else laws.bottom_values)(4)
    for length in (2, 70):
        if dtype.is_float:
            x = rows_of(length).astype(storage(dtype))
            want = wanted(x.astype(np.float32), 4, sign)
        else:
            full = np.iinfo(storage(dtype))
            rng = np.random.default_rng(length)
            x = rng.integers(full.min, full.max, (9, length), storage(dtype), endpoint=True)
            # They accumulate in 32 bits.
            want = wanted(x.astype(np.uint32 if dtype == u8 else np.int32), 4, sign)
        case = case_of(built(law, dtype), x)
        for sheet in SHEETS.values():
            found = ran(case, sheet, None)
            np.testing.assert_array_equal(found.astype(np.float64), want.astype(np.float64))


def test_columns_of_neighbouring_programs():
    x = rows_of(70)
    turned = np.ascontiguousarray(x.T)
    kernel = built(laws.top_values(3), leading=True)
    outputs = {view.name: np.zeros(len(x), np.float32) for view in kernel.outputs}
    case = Case(kernel, {"x": turned, **outputs})
    np.testing.assert_array_equal(ran(case, CPU_AVX2, None), wanted(x, 3, 1))


def test_running_values():
    @ct.tile_kernel
    def running(x: ct.View, y: ct.View) -> None:
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[0, r, cols], y[1, r, cols] = ct.scan(x[r, cols], cols, ct.top_values(2))

    x = rows_of(40)
    found = everywhere(
        running, x, np.zeros((2, *x.shape), np.float32), targets=("cpu", "reference")
    )
    for end in range(40):
        np.testing.assert_array_equal(found[:, :, end], wanted(x[:, : end + 1], 2, 1))


@pytest.mark.parametrize("name", ORDERS)
def test_what_is_near_agrees_and_what_is_far_does_not(name):
    """Elements that are inexact make the results as inexact as the ends of the elements say."""
    make = laws.top_values if name == "top_values" else laws.bottom_values
    kernel = built(make(3), mapped="exp")
    x = np.random.default_rng(0).standard_normal((3, 40)).astype(np.float32)
    x[1, 7] = np.nan
    case = case_of(kernel, x)
    results = {key: value.copy() for key, value in case.arguments.items()}
    exact = np.exp(x.astype(np.float64))
    for place in range(3):
        results[f"y{place}"] = wanted(exact, 3, ORDERS[name][1])[place].astype(np.float32)
    assert agrees(results, case.specialised, case.arguments).ok
    near = {**results, "y2": np.nextafter(results["y2"], np.float32(9))}
    assert agrees(near, case.specialised, case.arguments).ok
    far = {**results, "y2": results["y2"] * np.float32(1.001)}
    assert not agrees(far, case.specialised, case.arguments).ok
    swapped = {**results, "y1": results["y2"], "y2": results["y1"]}
    assert not agrees(swapped, case.specialised, case.arguments).ok


@pytest.mark.parametrize("count", [0, 17, -1, True, 2.0, None])
def test_a_number_of_values_that_is_refused(count):
    x, y = np.zeros((2, 3), np.float32), np.zeros((2, 2), np.float32)
    said = refused("K037", kernel_of(ct.top_values(count)), x, y)
    assert f"top_values asks for {count!r} values; 1 to 16 are kept" in said


@pytest.mark.parametrize("name", ORDERS)
def test_a_law_without_its_number_of_values_is_refused(name):
    x, y = np.zeros((2, 3), np.float32), np.zeros((2, 2), np.float32)
    said = refused("K020", kernel_of(ORDERS[name][0]), x, y)
    assert f"say how many values are kept: ct.{name}(3)" in said
