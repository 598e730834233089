"""Kernels written to go wrong: gathers, loops, placed memory, element types, layouts."""

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import BY_NAME, bf16, bool_, f16, f32, f64, i8, i32, i64, u8, u32
from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app
from certile.ir.tile import Cast, Map
from certile.ir.types import TileType
from certile.reference.machine_numeric import storage
from tests import kernels
from tests.differential.checks import blank, check, judge, matrix_kernel, random
from tests.differential.harness import HOST_SHEET, REFERENCE, Case

# Gathers.


def test_nested_gathers():
    b, (x, first, second, y), rows, cols = matrix_kernel(
        "nested_gathers", ("x", f32, 2), ("first", i64, 2), ("second", i64, 1), ("y", f32, 1)
    )
    k = b.axis("k", dim(first, 1))
    with b.parallel(rows):
        picked = b.gather(b.load(x, rows, cols), b.load(first, rows, k), cols, fill=-1.0)
        b.store(y, rows, b.gather(picked, b.load(second, rows), k, fill=-2.0))
    rng = np.random.default_rng(1)
    first = rng.integers(-2, 42, (6, 9))
    second = np.array([0, 8, 9, -1, 4, 2**40])
    check(b.build(), {"x": random(6, 40), "first": first, "second": second, "y": blank(6)})


def test_a_permutation_by_a_gather():
    b, (x, order, y, z), rows, cols = matrix_kernel(
        "permuted", ("x", f32, 2), ("order", i32, 2), ("y", f32, 2), ("z", f32, 1)
    )
    k = b.axis("k", dim(order, 1))
    with b.parallel(rows):
        row = b.load(x, rows, cols)
        moved = b.gather(row, b.load(order, rows, k), cols, fill=0.0)
        b.store(y, (rows, k), moved)
        b.store(z, rows, b.reduce(moved, k, laws.ADD))
    order = np.random.default_rng(2).integers(-1, 34, (4, 70)).astype(np.int32)
    check(b.build(), {"x": random(4, 33), "order": order, "y": blank(4, 70), "z": blank(4)})


def test_a_gather_of_a_computed_row():
    b, (x, labels, y), rows, cols = matrix_kernel(
        "computed", ("x", f32, 2), ("labels", i64, 1), ("y", f32, 1)
    )
    with b.parallel(rows):
        row = b.load(x, rows, cols)
        e = b.map("exp", b.map("sub", row, b.reduce(row, cols, laws.MAXIMUM)))
        share = b.map("div", e, b.reduce(e, cols, laws.ADD))
        b.store(y, rows, b.gather(share, b.load(labels, rows), cols, fill=float("nan")))
    labels = np.array([0, 69, 70, -1])
    check(b.build(), {"x": random(4, 70), "labels": labels, "y": blank(4)})


# Loops.


@pytest.mark.parametrize("planes", [0, 1, 2, 5])
def test_serial_loops(planes):
    check(kernels.serial_tile(), {"x": random(planes, 4, 40), "y": blank(4, 40)})
    check(kernels.serial_reduction(), {"x": random(planes, 4, 70), "y": blank(4)}, admitted=True)
    check(kernels.serial_sum(step=2), {"x": random(4, planes), "y": blank(4)})


def test_a_loop_carries_tiles_and_scalars_that_read_each_other():
    b = Builder("carried")
    x, y, z = b.view("x", f32, 3), b.view("y", f32, 2), b.view("z", f32, 1)
    planes, rows, cols = (b.axis(n, dim(x, k)) for k, n in enumerate("prc"))
    with b.parallel(rows):
        zero = b.broadcast(b.const(0.0, f32), cols)
        one = b.broadcast(b.const(1.0, f32), cols)
        with b.serial(planes, carry=[zero, one, b.const(0.0, f32)]) as loop:
            old, other, count = loop.carried
            plane = b.load(x, planes, rows, cols)
            total = b.reduce(old, cols, laws.ADD)
            step = b.map("add", b.map("add", old, plane), b.cast(b.index(planes), f32))
            loop.yields(b.map("sub", other, plane), step, b.map("add", count, total))
        b.store(y, (rows, cols), b.map("sub", loop.results[0], loop.results[1]))
        b.store(z, rows, loop.results[2])
    check(b.build(), {"x": random(4, 3, 21), "y": blank(3, 21), "z": blank(3)}, admitted=True)


def test_nested_loops_with_reductions_and_stores():
    b = Builder("nested_loops")
    x, y, z = b.view("x", f32, 4), b.view("y", f32, 3), b.view("z", f32, 1)
    i, j, rows, cols = (b.axis(n, dim(x, k)) for k, n in enumerate("ijrc"))
    with b.parallel(rows):
        with b.serial(i, carry=[b.const(0.0, f32)]) as outer:
            with b.serial(j, carry=[outer.carried[0]], step=2) as inner:
                total = b.reduce(b.load(x, i, j, rows, cols), cols, laws.ADD)
                b.store(y, (i, j, rows), total)
                inner.yields(b.map("add", b.map("mul", inner.carried[0], 0.5), total))
            outer.yields(b.map("maximum", inner.results[0], -1.0))
        b.store(z, rows, outer.results[0])
    check(b.build(), {"x": random(3, 4, 5, 70), "y": blank(3, 4, 5), "z": blank(5)})


def test_a_store_in_a_loop_that_a_later_round_reads():
    b = Builder("prefix")
    x, y = b.view("x", f32, 2), b.view("y", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows), b.serial(cols):
        before = b.map("sub", b.index(cols), 1)
        some = b.map("ge", before, 0)
        last = b.load(y, rows, before, mask=some, fill=0.0)
        b.store(y, (rows, cols), b.map("add", last, b.load(x, rows, cols)))
    check(b.build(), {"x": random(4, 19), "y": blank(4, 19)})


def test_a_value_of_an_outer_loop_is_used_in_an_inner_one():
    b = Builder("outer_value")
    x, y = b.view("x", f32, 3), b.view("y", f32, 2)
    i, rows, cols = (b.axis(n, dim(x, k)) for k, n in enumerate("irc"))
    with b.parallel(rows), b.serial(i):
        row = b.load(x, i, rows, cols)
        top = b.reduce(row, cols, laws.MAXIMUM)
        e = b.map("exp", b.map("sub", row, top))
        b.store(y, (i, rows), b.map("add", top, b.map("log", b.reduce(e, cols, laws.ADD))))
    check(b.build(), {"x": random(3, 4, 50), "y": blank(3, 4)}, admitted=True)


# Placed memory.


def test_memory_of_a_worker():
    b, (x, y), rows, cols = matrix_kernel("placed", ("x", f32, 2), ("y", f32, 2))
    kept = b.memory("kept", f32, (cols,), "worker")
    with b.parallel(rows):
        b.store(kept, cols, b.map("exp", b.load(x, rows, cols)))
        held = b.load(kept, cols)
        total = b.reduce(held, cols, laws.ADD)
        b.store(kept, cols, b.map("div", held, total))
        b.store(y, (rows, cols), b.map("add", b.load(kept, cols), held))
    check(b.build(), {"x": random(4, 70), "y": blank(4, 70)})


def test_memory_that_is_read_in_another_order():
    b, (x, y), rows, cols = matrix_kernel("other_order", ("x", f32, 2), ("y", f32, 2))
    kept = b.memory("kept", f32, (cols,), "auto")
    with b.parallel(rows):
        b.store(kept, cols, b.load(x, rows, cols))
        last = b.map("sub", b.map("sub", b.extent(cols.extent), 1), b.index(cols))
        b.store(y, (rows, cols), b.load(kept, last))
    check(b.build(), {"x": random(4, 23), "y": blank(4, 23)}, admitted=False)


# Types.


@pytest.mark.parametrize("dtype", [i64, bool_, u8, f64, f16, bf16], ids=str)
def test_kept_tiles_of_every_width(dtype):
    """A tile that two later loops read is kept in a stripe or recomputed, with the same bits."""
    b, (x, y, z), rows, cols = matrix_kernel(
        "kept", ("x", dtype, 2), ("y", dtype, 2), ("z", dtype, 1)
    )
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        v = b.map("bit_xor", v, True) if dtype.kind == "bool" else b.map("maximum", v, 3)
        top = b.cast(b.reduce(v, cols, laws.MAXIMUM), dtype)
        b.store(y, (rows, cols), b.map("where", b.map("eq", v, top), v, b.const(0, dtype)))
        b.store(z, rows, top)
    check(b.build(), {
        "x": random(4, 70, dtype=dtype), "y": blank(4, 70, dtype=dtype),
        "z": blank(4, dtype=dtype),
    })  # fmt: skip


@pytest.mark.parametrize("name", ["bool", "i8", "u8", "i32", "u32", "i64", "u64", "f16", "bf16"])
@pytest.mark.parametrize("law", ["add", "mul", "maximum", "minimum", "argmin"])
def test_accumulators(name, law):
    dtype = BY_NAME[name]
    kernel = kernels.sum_rows(dtype, law=laws.BUILTIN[law], out=None)
    out = kernel.views[1].dtype
    if law in ("add", "mul") and not dtype.is_float:
        out = i64 if dtype.bits == 64 else (u32 if dtype.kind == "uint" else i32)
        kernel = kernels.sum_rows(dtype, law=laws.BUILTIN[law], out=out)
    x = random(4, 70, dtype=dtype)
    if law == "mul" and dtype.is_float:
        x = (1 + x / 32).astype(x.dtype)
    check(kernel, {"x": x, "y": blank(4, dtype=out)})


def test_integer_functions_of_rows():
    b, (x, d, y), rows, cols = matrix_kernel(
        "integers", ("x", i32, 2), ("d", i32, 2), ("y", i32, 2)
    )
    with b.parallel(rows):
        v, w = b.load(x, rows, cols), b.load(d, rows, cols)
        parts = [b.map(fn, v, w) for fn in ("floordiv", "mod", "shl", "shr", "fmax", "fmin", "mul")]
        parts += [b.map(fn, v) for fn in ("neg", "abs", "sign", "bit_not", "popcount", "ctz")]
        made = parts[0]
        for part in parts[1:]:
            made = b.map("bit_xor", b.map("mul", made, 31), part)
        b.store(y, (rows, cols), made)
    x, d = random(3, 70, dtype=i32), random(3, 70, dtype=i32, seed=1)
    d[0] = np.random.default_rng(2).integers(-40, 40, 70)
    x[:, 0], d[:, 0] = -(2**31), -1
    d[:, 1] = 0
    check(b.build(), {"x": x, "d": d, "y": blank(3, 70, dtype=i32)})


def test_arithmetic_of_booleans_and_float_functions_of_integers():
    """Maps that promotion does not produce but Tile IR allows."""
    b, (x, f, y, z), rows, cols = matrix_kernel(
        "odd_maps", ("x", i32, 2), ("f", bool_, 2), ("y", f32, 2), ("z", bool_, 2)
    )
    with b.parallel(rows):
        v, flag = b.load(x, rows, cols), b.load(f, rows, cols)
        small = b.map("mod", v, 5)

        def odd(fn, *args, dtype):
            return Map(fn=fn, args=args, type=TileType(dtype, args[0].axes))

        total = odd("exp", small, dtype=f32)
        total = b.map("add", total, odd("div", small, b.map("add", small, 1), dtype=f32))
        total = b.map("add", total, odd("sqrt", small, dtype=f32))
        finite = odd("isfinite", v, dtype=bool_)
        b.store(y, (rows, cols), b.map("where", finite, total, -1.0))
        flags = odd("add", flag, finite, dtype=bool_)
        flags = odd("mul", flags, odd("sub", flags, flag, dtype=bool_), dtype=bool_)
        b.store(z, (rows, cols), odd("maximum", flags, odd("isnan", v, dtype=bool_), dtype=bool_))
    check(b.build(), {
        "x": random(3, 50, dtype=i32), "f": random(3, 50, dtype=bool_), "y": blank(3, 50),
        "z": blank(3, 50, dtype=bool_),
    })  # fmt: skip


@pytest.mark.parametrize("dtype", [f16, bf16], ids=str)
def test_narrow_floats_round_at_each_step(dtype):
    b, (x, w, y), rows, cols = matrix_kernel(
        "narrow", ("x", dtype, 2), ("w", dtype, 1), ("y", dtype, 2)
    )
    with b.parallel(rows):
        v, s = b.load(x, rows, cols), b.load(w, cols)
        made = b.map("add", b.map("mul", v, s), b.map("div", s, b.map("abs", v)))
        made = b.map("maximum", b.map("sub", made, 1.25), b.map("sqrt", b.map("abs", s)))
        b.store(y, (rows, cols), b.map("where", b.map("lt", made, v), made, b.map("floor", v)))
    check(b.build(), {"x": random(3, 70, dtype=dtype), "w": random(70, dtype=dtype),
                      "y": blank(3, 70, dtype=dtype)})  # fmt: skip


def test_conversions_of_rows():
    b, (x, y, z), rows, cols = matrix_kernel("casts", ("x", f32, 2), ("y", i8, 2), ("z", bf16, 2))
    with b.parallel(rows):
        v = b.map("mul", b.load(x, rows, cols), 100.0)
        b.store(y, (rows, cols), Cast(value=v, type=TileType(i8, v.axes)))
        wide = b.cast(b.map("mul", v, 1e6), i32)
        b.store(z, (rows, cols), Cast(value=wide, type=TileType(bf16, v.axes)))
    x = random(3, 70)
    x[0, :4] = np.nan, np.inf, -np.inf, 1e30
    check(b.build(), {"x": x, "y": blank(3, 70, dtype=i8), "z": blank(3, 70, dtype=bf16)})


@pytest.mark.parametrize("name", ["i8", "u8", "i32", "i64", "u64", "f16", "bf16", "f32", "f64"])
def test_scalar_arguments(name):
    dtype = BY_NAME[name]
    b, (x, y), rows, cols = matrix_kernel("scaled", ("x", dtype, 2), ("y", dtype, 2))
    s = b.scalar("s", dtype)
    with b.parallel(rows):
        b.store(y, (rows, cols), b.map("mul", b.load(x, rows, cols), s))
    value = storage(dtype).type(3)
    check(b.build(), {"x": random(3, 40, dtype=dtype), "y": blank(3, 40, dtype=dtype), "s": value})


# Layouts (CPU text: the base is the address of element 0, wherever it lies).


LAYOUTS = {
    "transposed": lambda x: np.asfortranarray(x),
    "sliced": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "odd": lambda x: _odd(x),
    "offset_rows": lambda x: np.pad(x, ((0, 0), (1, 2)))[:, 1:-2],
}


def _odd(x):
    """Elements that are aligned to nothing but themselves."""
    raw = np.zeros(x.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64 + x.itemsize
    made = raw[start : start + x.nbytes].view(x.dtype).reshape(x.shape)
    made[:] = x
    return made


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mapping", [None, REFERENCE], ids=["planned", "reference"])
def test_layouts(layout, mapping):
    place = LAYOUTS[layout]
    for columns in (1, 33, 100):
        x = random(5, columns)
        for make in (kernels.softmax, kernels.gelu):
            given = {"x": place(x), "y": place(np.zeros_like(x))}
            case = Case(make(), given)
            ran = Case(make(), {"x": given["x"], "y": place(np.zeros_like(x))})
            ran.run_cpu(ran.lower(HOST_SHEET, mapping))
            judge(case, ran, layout)


def test_a_row_that_is_the_same_for_all():
    """Stride 0 along rows and along columns."""
    for x in (
        np.broadcast_to(random(1, 50), (4, 50)),
        np.broadcast_to(random(4, 1), (4, 50)),
    ):
        given = {"x": x, "y": blank(4, 50)}
        case = Case(kernels.softmax(), given)
        ran = Case(kernels.softmax(), {"x": x, "y": blank(4, 50)})
        ran.run_cpu(ran.lower(HOST_SHEET))
        judge(case, ran, "broadcast")


def test_regions_with_extents_that_are_numbers():
    b = Builder("numbers")
    y = b.view("y", i64, 2)
    rows, cols = b.axis("rows", 7), b.axis("cols", 5)
    with b.parallel(rows):
        b.store(y, (rows, cols), b.map("sub", b.index(rows), b.index(cols)))
    check(b.build(), {"y": blank(7, 5, dtype=i64)})


def test_a_region_inside_another():
    b, (x, y), rows, cols = matrix_kernel("inner", ("x", f32, 2), ("y", f32, 2))
    with b.parallel(rows):
        total = b.reduce(b.load(x, rows, 0), (), laws.ADD)
        with b.parallel(cols):
            b.store(y, (rows, cols), b.map("sub", b.load(x, rows, cols), total))
    check(b.build(), {"x": random(4, 9), "y": blank(4, 9)}, admitted=False)


ANY = Law(
    name="any_positive",
    state=(Component("found", "bool"), Component("count", "index")),
    identity=(Lit(False), Lit(0)),
    lift=(app("gt", "x", 0.0), Lit(1)),
    merge=(app("bit_or", "a.found", "b.found"), app("add", "a.count", "b.count")),
    finalize=(Var("found"), Var("count")),
    results=("bool", "index"),
)


@pytest.mark.parametrize("policy", ["unordered_tree", "ordered_tree", "reproducible", "fold_left"])
def test_states_of_bools_and_counts(policy):
    b, (x, y, z), rows, cols = matrix_kernel("any", ("x", f32, 2), ("y", bool_, 1), ("z", i64, 1))
    with b.parallel(rows):
        found, count = b.results(b.reduce(b.load(x, rows, cols), cols, ANY, policy=policy))
        b.store(y, rows, found)
        b.store(z, rows, count)
    length = 300 if policy == "fold_left" else 5000
    x = -np.abs(random(5, length))
    x[1, -1], x[2, 0], x[3, length * 4 // 5] = 1, 1, 1
    check(b.build(), {"x": x, "y": blank(5, dtype=bool_), "z": blank(5, dtype=i64)})


def test_bits_of_bools():
    b, (x, y), rows, cols = matrix_kernel("bits", ("x", bool_, 2), ("y", u8, 2))
    with b.parallel(rows):
        b.store(y, (rows, cols), b.bitcast(b.load(x, rows, cols), u8))
    check(b.build(), {"x": random(3, 40, dtype=bool_), "y": blank(3, 40, dtype=u8)})


def test_functions_of_doubles():
    b, (x, y), rows, cols = matrix_kernel("doubles", ("x", f64, 2), ("y", f64, 2))
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        e = b.map("exp", b.map("sub", v, b.reduce(v, cols, laws.MAXIMUM)))
        made = b.map("div", e, b.reduce(e, cols, laws.ADD))
        for fn in ("tanh", "sigmoid", "log1p", "rsqrt", "recip", "erf", "sin", "expm1"):
            made = b.map("add", b.map("abs", b.map(fn, b.map("add", made, 0.5))), 0.25)
        b.store(y, (rows, cols), made)
    case = Case(b.build(), {"x": random(4, 70, dtype=f64), "y": blank(4, 70, dtype=f64)})
    for mapping in (None, REFERENCE):
        ran = case.copy()
        ran.run_cpu(ran.lower(HOST_SHEET, mapping))
        judge(case, ran, "cpu text")


@pytest.mark.parametrize("fn", ["exp", "rsqrt", "sin"])
@pytest.mark.parametrize("dtype", [f32, f64], ids=str)
def test_portable_functions_under_both_maps(fn, dtype):
    b = Builder("portable", math="portable")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        b.store(y, (rows, cols), b.map(fn, b.load(x, rows, cols)))
    # Some lanes need the full reduction of large angles, some none.
    x = (np.abs(random(3, 40, dtype=dtype)) + 1) * np.where(np.arange(40) % 7, 1, 1e9).astype(
        storage(dtype)
    )
    case = Case(b.build(), {"x": x, "y": blank(3, 40, dtype=dtype)})
    for mapping in (None, REFERENCE):
        ran = case.copy()
        ran.run_cpu(ran.lower(HOST_SHEET, mapping))
        judge(case, ran, fn)


@pytest.mark.parametrize("length", [5, 33, 70])
@pytest.mark.parametrize("dtype", [f32, f64], ids=str)
def test_rounds_that_some_lanes_need(length, dtype):
    """A kept tile of angles and remainders: lanes past the end ask for nothing."""
    b, (x, y), rows, cols = matrix_kernel("rounds", ("x", dtype, 2), ("y", dtype, 2))
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        wave = b.map("tan", b.map("fmod", v, b.reduce(v, cols, laws.MAXIMUM)))
        total = b.reduce(b.map("abs", b.map("cos", v)), cols, laws.ADD)
        b.store(y, (rows, cols), b.map("div", b.map("sin", wave), total))
    x = random(4, length, dtype=dtype) * np.where(np.arange(length) % 5, 1, 1e8)
    x = np.abs(x.astype(storage(dtype)))
    check(b.build(), {"x": x, "y": blank(4, length, dtype=dtype)})


def test_a_row_of_one_number():
    b, (x,), rows, cols = matrix_kernel("filled", ("x", f32, 2))
    with b.parallel(rows):
        b.store(x, (rows, cols), 2.5)
    check(b.build(), {"x": random(4, 70)})


def test_a_reduction_of_a_value_without_the_axis():
    """A number summed over an axis is the number times the extent."""
    b, (x, y), rows, cols = matrix_kernel("counted", ("x", f32, 2), ("y", f32, 1))
    with b.parallel(rows):
        first = b.load(x, rows, 0)
        b.store(y, rows, b.reduce(b.broadcast(first, cols), cols, laws.ADD))
    check(b.build(), {"x": np.round(random(4, 70) * 8), "y": blank(4)})


def test_a_column_per_program():
    b = Builder("columns")
    x, y, z = b.view("x", f32, 2), b.view("y", f32, 2), b.view("z", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(cols):
        v = b.load(x, rows, cols)
        top = b.reduce(v, rows, laws.MAXIMUM)
        e = b.map("exp", b.map("sub", v, top))
        b.store(y, (rows, cols), b.map("div", e, b.reduce(e, rows, laws.ADD)))
        b.store(z, cols, top)
    check(b.build(), {"x": random(70, 9), "y": blank(70, 9), "z": blank(9)}, admitted=True)


@pytest.mark.parametrize("columns", [16, 33, 300])
def test_a_shared_tile_of_two_sums_and_two_stores(columns):
    b, (x, w, y, z), rows, cols = matrix_kernel(
        "shared", ("x", bf16, 2), ("w", f16, 1), ("y", bf16, 2), ("z", i64, 2)
    )
    with b.parallel(rows):
        v = b.cast(b.load(x, rows, cols), f32)
        s = b.map("mul", b.map("tanh", v), b.cast(b.load(w, cols), f32))
        total = b.reduce(s, cols, laws.ADD)
        place = b.reduce(s, cols, laws.ARGMIN)
        off = b.map("sub", s, b.map("mul", total, 0.001))
        b.store(y, (rows, cols), off)
        b.store(z, (rows, cols), b.map("sub", b.index(cols), place))
    x = random(4, columns, dtype=bf16)
    x[:, 5] = -30
    w = np.abs(random(columns, dtype=f16)) + np.float16(0.5)
    w[5] = 9
    check(b.build(), {
        "x": x, "w": w, "y": blank(4, columns, dtype=bf16), "z": blank(4, columns, dtype=i64),
    })  # fmt: skip


def test_a_long_chain_of_operations():
    """Unrolled Python loops make chains far deeper than Python's own stack."""
    b, (x, y), rows, cols = matrix_kernel("chain", ("x", f32, 2), ("y", f32, 2))
    with b.parallel(rows):
        made = b.load(x, rows, cols)
        for k in range(1500):
            made = b.map("add" if k % 3 else "mul", made, 0.5)
        b.store(y, (rows, cols), made)
    case = Case(b.build(), {"x": random(2, 9), "y": blank(2, 9)})
    for mapping in (None, REFERENCE):
        ran = case.copy()
        ran.run_cpu(ran.lower(HOST_SHEET, mapping))
        want = case.arguments["x"].copy()
        for k in range(1500):
            want = want + np.float32(0.5) if k % 3 else want * np.float32(0.5)
        np.testing.assert_array_equal(ran.arguments["y"], want)


def test_recurrences_with_factors_that_are_not_finite():
    """Times the 0 of no elements these are NaN, on the maps that start from it."""
    b, (k, c, y), rows, cols = matrix_kernel(
        "recurrence", ("k", f32, 2), ("c", f32, 2), ("y", f32, 1)
    )
    with b.parallel(rows):
        pair = (b.load(k, rows, cols), b.load(c, rows, cols))
        b.store(y, rows, b.reduce(pair, cols, laws.AFFINE, policy="ordered_tree"))
    factors = random(8, 37) / 4
    factors[0, 0], factors[1, 0], factors[2, 20], factors[3, -1] = -np.inf, np.nan, np.inf, np.inf
    kernel = b.build()
    check(kernel, {"k": factors, "c": random(8, 37, seed=1), "y": blank(8)})
