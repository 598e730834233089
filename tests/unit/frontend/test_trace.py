"""What a traced kernel says: both spellings, promotion, carried values, masks, laws."""

import functools
import inspect
import threading

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import KernelError
from certile.frontend.bind import IMPLEMENTATIONS
from certile.frontend.signature import KernelSignature
from certile.frontend.spec import KernelSpec
from certile.frontend.trace import trace
from certile.ir.dtypes import ALL, bool_, f32, f64, i32, i64, promote, weak
from certile.ir.fingerprint import fingerprint
from certile.ir.laws import literal_value
from certile.ir.printer import print_kernel
from certile.ir.terms import evaluate
from certile.ir.tile import (
    Const,
    Load,
    Map,
    Reduce,
    Result,
    Scalar,
    Scan,
    Serial,
    Store,
    effects,
)
from certile.ir.verify import verify
from certile.ir.walk import values
from certile.language import active
from tests.threads import in_threads


def traced(kernel, *described, shapes=None, **numbers):
    """Trace a kernel for views of these (dtype, rank), and numbers by name."""
    signature = KernelSignature(kernel)
    given = [numbers.get(name, object()) for name in signature.names]
    views = iter(described)
    specs = signature.specs(
        given, [None if name in numbers else next(views) for name in signature.names]
    )
    made = trace(kernel, KernelSpec(specs), shapes)
    assert verify(made.kernel) == []
    return made


def stored(kernel):
    return [step for step in effects(kernel.body) if isinstance(step, Store)]


def row(body, x=f32, y=f32):
    """Trace `y[r, cols] = body(x[r, cols], cols)` and return the stored value."""

    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = body(x[r, cols], cols)

    return stored(traced(kernel, (x, 2), (y, 2)).kernel)[0].value


def test_both_spellings_give_equal_ir():
    def short(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] * 2.0

    def long(a, b):
        one = ct.axis("one", 1)
        lines, width = ct.axis("lines", a.shape[0]), ct.axis("width", a.shape[1])
        for line in ct.parallel(lines):
            v = a.tile(ct.coord(line, 0), ct.shape(one, width)).load()
            b.tile(ct.coord(line, 0), ct.shape(1, width)).store(v * 2.0)

    first, second = (traced(k, (f32, 2), (f32, 2)).kernel for k in (short, long))
    assert fingerprint(first) == fingerprint(second)


def test_a_trace_is_the_same_each_time():
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = ct.exp(x[r, cols])

    texts = {print_kernel(traced(kernel, (f32, 2), (f32, 2)).kernel) for _ in range(3)}
    assert len(texts) == 1


@pytest.mark.parametrize("a", ALL)
@pytest.mark.parametrize("b", ALL)
def test_tiles_promote_by_the_table(a, b):
    def kernel(x, w, y):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = ct.cast(x[r] + w[r], ct.f32)

    made = traced(kernel, (a, 1), (b, 1), (f32, 1)).kernel
    total = next(at for at in values(made) if isinstance(at, Map) and at.fn == "add")
    # Two bools are counted, not or-ed.
    assert total.dtype == (i32 if a == b == bool_ else promote(a, b))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("number", [True, 1, 0.5])
def test_python_numbers_are_weak(dtype, number):
    value = row(lambda v, cols: ct.cast(v * number, ct.f32), dtype)
    product = value if isinstance(value, Map) else value.value
    expected = weak(dtype, number)
    assert product.dtype == (i32 if expected == bool_ else expected)
    assert {arg.dtype for arg in product.args} == {product.dtype}


def test_constants_are_rounded_to_the_dtype():
    value = row(lambda v, cols: v * 0.1, ct.bf16, ct.bf16)
    assert value.args[1].value == 0.10009765625
    assert row(lambda v, cols: v * 1e30, ct.f16, ct.f16).args[1].value == float("inf")
    assert row(lambda v, cols: v * 0.1).args[1].value == float(np.float32(0.1))
    # Just above the middle of two bf16 numbers; as f32 it would be the middle.
    above = 1 + 2.0**-8 + 2.0**-40
    assert row(lambda v, cols: v * above, ct.bf16, ct.bf16).args[1].value == 1 + 2.0**-7


@pytest.mark.parametrize(
    ("python", "function"),
    [
        (lambda v, c: v + v, "add"),
        (lambda v, c: 1.0 - v, "sub"),
        (lambda v, c: v / 3, "div"),
        (lambda v, c: v // 3, "floordiv"),
        (lambda v, c: v % 3, "mod"),
        (lambda v, c: -v, "neg"),
        (lambda v, c: abs(v), "abs"),
        (lambda v, c: v**2, "mul"),
        (lambda v, c: v**3.0, "pow"),
        (lambda v, c: np.float32(2) * v, "mul"),
    ],
)
def test_operators(python, function):
    assert row(python).fn == function


@pytest.mark.parametrize(
    ("python", "function"),
    [
        (lambda v, c: v & 3, "bit_and"),
        (lambda v, c: 3 | v, "bit_or"),
        (lambda v, c: v ^ v, "bit_xor"),
        (lambda v, c: ~v, "bit_not"),
        (lambda v, c: v << 2, "shl"),
        (lambda v, c: v >> 2, "shr"),
    ],
)
def test_operators_on_bits(python, function):
    assert row(python, i32, i32).fn == function


def test_functions_of_reals_take_integers_as_f32():
    value = row(lambda v, cols: ct.exp(v), i32)
    assert value.dtype == f32
    assert value.args[0].dtype == f32


def test_rounding_an_integer_changes_nothing():
    assert isinstance(row(lambda v, cols: ct.floor(v), i32, i32), Load)


def test_extents_stay_symbolic_beside_tiles():
    made = row(lambda v, cols: v * 2.0)
    assert made.fn == "mul"

    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] / x.shape[1]

    assert traced(kernel, (f32, 2), (f32, 2)).specialised == ()


def test_an_extent_as_a_number_specialises():
    def kernel(x, y):
        rows = ct.axis("rows", x.shape[0])
        half = ct.axis("half", x.shape[1] // 2)
        scale = 2.0 if x.shape[0] > 100 else 1.0
        for r in ct.parallel(rows):
            y[r, half] = x[r, half] * scale

    made = traced(kernel, (f32, 2), (f32, 2), shapes={"x": (7, 12), "y": (7, 6)})
    assert [(str(s.dim), s.value) for s in made.specialised] == [
        ("x.shape[1]", 12),
        ("x.shape[0]", 7),
    ]
    assert made.holds_for({"x": (7, 12)})
    assert not made.holds_for({"x": (8, 12)})
    assert stored(made.kernel)[0].value.axes[0].extent == 6


def test_a_carried_value():
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            total, last = ct.carry(0.0), ct.carry(ct.full((), 1.0))
            for k in ct.serial(cols, step=2):
                total.value = total.value + x[r, k] * last.value
                last.value = x[r, k]
            y[r, 0] = total.value

    made = traced(kernel, (f32, 2), (f32, 2)).kernel
    loop = next(step for step in effects(made.body) if isinstance(step, Serial))
    assert loop.step == 2
    assert [init.value for init in loop.inits] == [0.0, 1.0]
    value = stored(made)[0].value
    assert isinstance(value, Result)
    assert (value.of, value.index) == (loop, 0)


def test_nested_loops_carry_through_both():
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        three = ct.axis("three", 3)
        for r in ct.parallel(rows):
            total = ct.carry(0.0)
            for _ in ct.serial(three):
                for k in ct.serial(cols):
                    total.value = total.value + x[r, k]
            y[r, 0] = total.value

    made = traced(kernel, (f32, 2), (f32, 2)).kernel
    outer, inner = [step for step in effects(made.body) if isinstance(step, Serial)]
    assert inner.inits == outer.params
    assert outer.yields[0].of is inner
    assert stored(made)[0].value.of is outer


def test_masks_leave_out_what_holds_by_construction():
    def kernel(x, index, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            safe = x.tile((r, cols), bounds="zero").load()
            shifted = x.tile((r, ct.iota(cols) + 1), bounds="zero", fill=7.0).load()
            free = x.tile((index[r], cols), bounds="zero").load()
            vouched = x.tile((index[r], cols), bounds="assume").load()
            y[r, cols] = safe + shifted + free + vouched

    made = traced(kernel, (f32, 2), (i32, 1), (f32, 2)).kernel
    safe, shifted, free, vouched = [
        step for step in effects(made.body) if isinstance(step, Load) and step.buffer.name == "x"
    ]
    assert safe.mask is None
    assert shifted.mask.fn == "lt"
    assert shifted.fill.value == 7.0
    assert free.mask.fn == "bit_and"
    assert vouched.mask is None
    assert vouched.assume
    assert not safe.assume


def test_a_store_converts_and_refuses_what_loses_the_kind():
    assert row(lambda v, cols: v, f64, f32).dtype == f32
    assert row(lambda v, cols: v, bool_, ct.u8).dtype == ct.u8
    with pytest.raises(KernelError, match="K024"):
        row(lambda v, cols: v, f32, bool_)


@pytest.mark.parametrize(
    ("dtype", "accumulate"),
    [(ct.bf16, f32), (ct.f16, f32), (f64, f64), (bool_, i32), (ct.u8, ct.u32), (i64, i64)],
)
def test_what_a_sum_accumulates_in(dtype, accumulate):
    value = row(lambda v, cols: ct.cast(ct.reduce(v, cols, ct.add), f32), dtype)
    total = value if isinstance(value, Reduce) else value.value
    assert total.accumulate == accumulate
    assert total.args[0].dtype == accumulate


def test_a_law_with_two_results():
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            mean, var = ct.reduce(x[r, cols], cols, ct.mean_var)
            y[r, cols] = (x[r, cols] - mean) * ct.rsqrt(var + 1e-5)

    made = traced(kernel, (f32, 2), (f32, 2)).kernel
    results = {at.index for at in values(made) if isinstance(at, Result)}
    assert results == {0, 1}


def test_argmax_is_an_i64_index():
    assert row(lambda v, cols: ct.reduce(v, cols, ct.argmax), f32, i64).dtype == i64


def test_a_function_as_the_law_of_a_fold():
    total = row(
        lambda v, cols: ct.reduce(v, cols, lambda a, b: a - b * 2.0, policy="fold_left", init=1.0)
    )
    law = total.law
    assert law.identity is None
    assert not law.commutative
    assert total.init[0].value == 1.0
    arithmetic = {"sub": lambda a, b: a - b, "mul": lambda a, b: a * b}
    merged = evaluate(
        law.merge[0],
        {"a.s": 10.0, "b.s": 3.0},
        lambda literal, beside: literal_value(literal.value, f32),
        lambda fn, args: arithmetic[fn](*args),
    )
    assert merged == 4.0


def test_laws_that_differ_in_the_sign_of_a_zero_are_two():
    def law_of(zero):
        times_zero = functools.partial(lambda zero, a, b: (a + b) * zero, zero)
        return row(lambda v, cols: ct.reduce(v, cols, times_zero, policy="fold_left", init=1.0)).law

    plus, minus = law_of(0.0), law_of(-0.0)
    assert plus != minus
    literals = [law.merge[0].args[1] for law in (plus, minus)]
    assert [str(literal_value(literal.value, f32)) for literal in literals] == ["0.0", "-0.0"]


def test_an_axis_of_one_coordinate_is_dropped_and_still_reduced():
    def kernel(x, y):
        rows, one = ct.axis("rows", x.shape[0]), ct.axis("one", 1)
        for r in ct.parallel(rows):
            v = x[r, one]
            assert v.axes == ()
            y[r, one] = ct.reduce(v, one, ct.argmax)

    value = stored(traced(kernel, (f32, 2), (i64, 2)).kernel)[0].value
    assert value.axes == ()
    assert value.over[0].extent == 1


def test_constructors():
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        other = ct.axis("other", x.shape[1])
        for r in ct.parallel(rows):
            v = ct.relabel(x[r, cols], cols, other)
            w = ct.gather(v, ct.iota(cols) // 2, other, fill=0.0)
            y[r, cols] = w + ct.zeros(cols, f32) + ct.broadcast_to(1.0, cols)

    made = traced(kernel, (f32, 2), (f32, 2)).kernel
    names = {type(at).__name__ for at in values(made)}
    assert {"Relabel", "Gather", "Broadcast", "Iota"} <= names


def test_at_checks_its_position():
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, 0] = ct.at(x[r, cols], cols, 4)

    traced(kernel, (f32, 2), (f32, 2), shapes={"x": (2, 5), "y": (2, 5)})
    with pytest.raises(KernelError, match="K016"):
        traced(kernel, (f32, 2), (f32, 2), shapes={"x": (2, 4), "y": (2, 4)})


def test_placed_memory():
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            kept = ct.memory(cols, ct.f32, "worker")
            kept[cols] = x[r, cols]
            y[r, cols] = kept[cols]

    made = traced(kernel, (f32, 2), (f32, 2)).kernel
    (memory,) = made.memories
    assert memory.resource == "worker"
    assert stored(made)[1].value.buffer == memory


def test_run_time_scalars():
    def kernel(x: ct.View, y: ct.View, scale: float, shift: ct.f32, count: int):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = x[r] * scale + shift + count

    described = (ct.bf16, 1), (ct.f32, 1)
    made = traced(kernel, *described, scale=0.5, shift=1.0, count=3).kernel
    scalars = [p for p in made.params if isinstance(p, Scalar)]
    assert [(p.name, p.dtype) for p in scalars] == [("scale", f32), ("shift", f32), ("count", i32)]
    product = next(at for at in values(made) if isinstance(at, Map) and at.fn == "mul")
    # The plain number yields to bf16, the declared one does not.
    assert product.dtype == ct.bf16
    assert stored(made)[0].value.dtype == f32


def test_a_float_is_as_exact_as_the_views_it_meets():
    def kernel(x, y, scale):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = x[r] * scale

    made = traced(kernel, (f64, 1), (f64, 1), scale=0.1).kernel
    assert made.params[-1].dtype == f64


def test_ceiling_division():
    assert [ct.cdiv(-36, 5), ct.cdiv(0, 5), ct.cdiv(36, 5)] == [-7, 0, 8]


@pytest.mark.parametrize("error", [NameError, KeyboardInterrupt])
def test_a_failed_trace_leaves_nothing(error):
    def broken(x, y):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = x[r]
            raise error

    def fine(x, y):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = x[r]

    for _ in range(2):
        with pytest.raises(error):
            traced(broken, (f32, 1), (f32, 1))
        assert active.current() is None
    assert stored(traced(fine, (f32, 1), (f32, 1)).kernel)


def test_threads_trace_apart():
    barrier = threading.Barrier(4)
    made = {}

    def work(number):
        def kernel(x, y):
            rows = ct.axis("rows", x.shape[0])
            barrier.wait()
            for r in ct.parallel(rows):
                y[r] = x[r] + number

        made[number] = stored(traced(kernel, (f32, 1), (f32, 1)).kernel)[0].value.args[1].value

    in_threads(work, range(4))
    assert made == {n: float(n) for n in range(4)}


def test_source_is_not_needed():
    namespace = {"ct": ct, "__name__": "nowhere"}
    exec(
        "def kernel(x, y):\n"
        "    rows = ct.axis('rows', x.shape[0])\n"
        "    for r in ct.parallel(rows): y[r] = ct.exp(x[r])\n",
        namespace,
    )
    assert stored(traced(namespace["kernel"], (f32, 1), (f32, 1)).kernel)
    one_line = lambda x, y: [y.tile(r).store(x[r]) for r in ct.parallel(ct.axis("r", 3))] and None  # noqa: E731
    assert traced(one_line, (f32, 1), (f32, 1)).kernel.name == "lambda"


def test_positional_only_parameters_and_names_of_any_script():
    def größe(x, /, y):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = x[r]

    assert traced(größe, (f32, 1), (f32, 1)).kernel.name == "gr_e"


def test_the_language_and_its_implementation_agree_on_parameters():
    from certile.language import control

    for name in ("axis", "serial", "carry", "reduce", "gather", "at", "memory", "full", "iota"):
        language = list(inspect.signature(getattr(control, name)).parameters)
        implementation = list(inspect.signature(IMPLEMENTATIONS[name]).parameters)
        assert implementation == ["state", *language], name


def test_const_true_and_one_differ():
    flag = row(lambda v, cols: ct.where(True, v, 0.0))
    assert isinstance(flag.args[0], Const)
    assert flag.args[0].value is True


def test_a_scan_says_its_direction_and_accumulates_wide():
    def body(v, cols):
        return ct.scan(v, cols, ct.add, inclusive=False, reverse=True)

    made = row(body, ct.bf16)
    assert isinstance(made, Scan)
    assert (made.inclusive, made.reverse, made.accumulate) == (False, True, f32)
    assert made.axes == made.args[0].axes
    assert made.law.name == "add"
    plain = row(lambda v, cols: ct.scan(v, cols, ct.maximum, dtype=ct.f64), y=f64)
    assert (plain.inclusive, plain.reverse, plain.accumulate) == (True, False, f64)


def test_a_scan_with_several_results_is_a_tuple():
    value = row(lambda v, cols: ct.scan(v, cols, ct.mean_var)[1])
    assert isinstance(value, Result)
    assert (value.index, value.of.mnemonic) == (1, "tile.scan")


def test_a_scan_along_an_axis_of_one_coordinate_spans_it_no_more():
    def kernel(x, y):
        rows, one = ct.axis("rows", x.shape[0]), ct.axis("one", 1)
        for r in ct.parallel(rows):
            y[r, one] = ct.scan(x[r, one], one, ct.add)

    (store,) = stored(traced(kernel, (f32, 2), (f32, 2)).kernel)
    assert store.value.axes == ()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (lambda v, cols: ct.scan(v, ct.axis("other", 4), ct.add), "K013"),
        (lambda v, cols: ct.scan(v, (cols, ct.axis("other", 1)), ct.add), "K013"),
        (lambda v, cols: ct.scan(v, cols, lambda a, b: a - b), "K020"),
        (lambda v, cols: ct.scan((v, v), cols, ct.add), "K029"),
        (lambda v, cols: ct.scan(v, 1, ct.add), "K028"),
    ],
)
def test_scans_that_mean_nothing_are_refused(wrong, code):
    with pytest.raises(KernelError) as caught:
        row(wrong)
    assert caught.value.code == code
