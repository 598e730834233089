"""Names, numbers and arguments that nobody should use: a result, or an error that names them."""

import mmap
import signal
from typing import ClassVar

import numpy as np
import pytest
import torch

import certile as ct
from certile import ops
from certile.metalsim import Library
from tests.cases.everywhere import everywhere, refused

X = np.arange(3, dtype=np.float32)


def named(kernel="kernel", x="x", y="y", s="s", axis="rows"):
    """A kernel y = x * s whose parts have these names."""
    text = (
        f"def {kernel}({x}, {y}, {s}):\n"
        f"    for r in ct.parallel(ct.axis({axis!r}, {x}.shape[0])):\n"
        f"        {y}[r] = {x}[r] * {s}\n"
    )
    namespace = {"ct": ct}
    exec(text, namespace)
    return ct.tile_kernel(namespace[kernel])


NAMES = ["double", "kernel", "π", "main", "float4", "__init", "device", "half", "abs", "_", "int"]


@pytest.mark.parametrize("name", [*NAMES, "template", "日本", "k" * 300])
def test_names_of_kernels(name):
    y = everywhere(named(name), X, np.zeros(3, np.float32), 2.0, out=1)
    assert y.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("x", "y", "s"),
    [
        ("double", "kernel", "device"),
        ("threadgroup", "constant", "half"),
        ("π", "ß", "名"),
        ("lane", "subgroup", "programs"),
        ("programs", "group", "tid"),
        ("x", "y", "x_stride0"),
        ("x", "x_", "x_stride0_"),
        ("a", "a_stride0", "a_extent0"),
        ("b0", "b1", "v1"),
        ("args", "first", "scratch"),
        ("x" * 400, "y" * 400, "x" * 399),
    ],
)
def test_names_of_parameters(x, y, s):
    wide = np.zeros((3, 2), np.float32)
    wide[:, 0] = X
    for target in ("cpu", "reference", "metal-sim"):
        result = np.zeros((3, 2), np.float32)
        with ct.target(target):
            named("k", x, y, s)(wide[:, 0], result[:, 0], 3.0)
        assert result.tolist() == [[0, 0], [3, 0], [6, 0]]


@pytest.mark.parametrize("axis", ["", "rows#1", "π\n", "%x", '"', "a" * 5000])
def test_names_of_axes(axis):
    kernel = named(axis=axis)
    assert everywhere(kernel, X, np.zeros(3, np.float32), 2.0, out=1).tolist() == [0, 2, 4]


SCALARS = [
    *(float("nan"), float("inf"), -float("inf"), -0.0, 5e-324, 1e300, True, False, 0, -1),
    *(2**31, 2**63 - 1, -(2**63), np.float32(2.5), np.float16(2.5), np.bool_(True), np.int8(-3)),
    *(np.int16(-300), np.uint8(200), np.int64(2**40), np.uint64(2**63 + 1), np.uint32(2**31)),
]


@pytest.mark.parametrize("value", SCALARS, ids=lambda value: f"{type(value).__name__} {value}")
def test_numbers_as_arguments(value):
    y = everywhere(named(), X, np.zeros(3, np.float32), value, out=1)
    with np.errstate(all="ignore"):
        expected = X * np.asarray(value).astype(np.float32)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        *((2**63, "A007"), (-(2**63) - 1, "A007"), (10**4000, "A007"), (None, "A002")),
        *(("2", "A002"), (2j, "A002"), ([2.0], "A002"), (np.complex64(1), "A002")),
        *((np.longdouble(2), "A002"), (np.array(2.0), "K010"), (np.ones(3), "K010")),
        *((object(), "A002"), (np.datetime64(1, "s"), "A002"), (lambda: 2, "A002")),
    ],
)
def test_things_that_are_no_numbers(value, code):
    y = np.zeros(3, np.float32)
    text = refused(code, named(), X, y, value)
    assert " s" in text
    assert len(text) < 600
    assert not y.any()


@pytest.mark.parametrize("value", [2**200, 10**4000, -(10**400)])
def test_constants_that_fit_nothing(value):
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = ct.cast(ct.cast(x[r], ct.i32) + value, ct.f32)

    assert "bits does not fit i32" in refused("K012", kernel, X, X.copy())


def test_a_number_too_long_for_python_to_print():
    y = np.zeros(3, np.float32)
    assert "16610 bits" in refused("A007", named(), X, y, 10**5000)


@pytest.mark.parametrize("extent", [2**63, 2**64, 10**4000, -1, 1.0, "3", None, True])
def test_extents_that_are_none(extent):
    @ct.tile_kernel
    def kernel(x, y):
        wide = ct.axis("wide", extent)
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = ct.reduce(ct.full(wide, 1.0), wide, ct.add)

    assert len(refused("K028", kernel, X, X.copy())) < 600


@pytest.mark.parametrize("count", [28, 29, 40, 200])
def test_many_arrays(count):
    names = [f"a{i}" for i in range(count)]
    text = (
        f"def kernel({', '.join(names)}, y):\n"
        "    for r in ct.parallel(ct.axis('rows', a0.shape[0])):\n"
        f"        y[r] = {' + '.join(f'{name}[r]' for name in names)}\n"
    )
    namespace = {"ct": ct}
    exec(text, namespace)
    kernel = ct.tile_kernel(namespace["kernel"])
    arrays = [np.full(3, i, np.float32) for i in range(count)]
    for target in ("cpu", "reference"):
        y = np.zeros(3, np.float32)
        with ct.target(target):
            kernel(*arrays, y)
        assert y.tolist() == [sum(range(count))] * 3
    y = np.zeros(3, np.float32)
    with ct.target("metal-sim"):
        if count + 2 <= 31:
            kernel(*arrays, y)
            assert y.tolist() == [sum(range(count))] * 3
        else:
            assert f"{count + 1} arrays" in refused("U312", kernel, *arrays, y)


@pytest.mark.parametrize(
    ("wrong", "code", "hint"),
    [
        (lambda x, r: x + 1, "K010", "load from it first"),
        (lambda x, r: 2.0 * x, "K010", "load from it first"),
        (lambda x, r: ct.where(x == 0, 1.0, 2.0), "K010", "load from it first"),
        (lambda x, r: ct.where(ct.axis("a", 2) == 1, 1.0, 2.0), "K010", "ct.iota"),
        (lambda x, r: ct.axis("a", 2) + r, "K010", "ct.iota"),
        (lambda x, r: ct.where(ct.carry(0.0) == 0, 1.0, 2.0), "K010", ".value"),
        (lambda x, r: np.exp(x[r]), "K010", "use ct.exp"),
        (lambda x, r: np.add.reduce(x[r]), "K010", "use ct.add"),
        (lambda x, r: np.hypot(x[r], 1.0), "K010", "functions of the language"),
        (lambda x, r: np.ones(2) * x[r], "K010", "as arguments"),
        (lambda x, r: x[r] + 1j, "K010", "Python numbers"),
        (lambda x, r: x[r, r], "K015", None),
        (lambda x, r: x[r] * x.shape[1], "K015", None),
        (lambda x, r: x[0:2], "K016", None),
        (lambda x, r: x[-1], "K016", "x.shape[0] - 1"),
        (lambda x, r: x[2.0], "K016", None),
        (lambda x, r: x[r + 1], "K090", "bounds="),
        (lambda x, r: x[ct.cast(x[r], ct.i64)], "K090", "bounds="),
        (lambda x, r: "text", "K010", None),
    ],
)
def test_mistakes_are_named_where_they_stand(wrong, code, hint):
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = wrong(x, r)

    y = np.zeros(3, np.float32)
    text = refused(code, kernel, X, y)
    assert "test_hostile.py:" in text
    assert hint is None or hint in text
    assert not y.any()


def test_numpy_scalars_before_a_tile():
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            v = np.float32(7) - np.float32(2) * x[r]
            y[r] = ct.where(np.float32(3) < v, v, np.float32(0) / x[r])

    np.testing.assert_array_equal(everywhere(kernel, X, np.zeros(3, np.float32)), [7, 5, 0])


# Between the opening of a file and the `with` that holds it nothing but the collector can close it.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_an_interrupt_at_any_moment_of_a_first_call():
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    interrupted = 0
    try:
        for attempt in range(12):

            @ct.tile_kernel
            def kernel(x, y, n: ct.constexpr):
                for r in ct.parallel(ct.axis("rows", x.shape[0])):
                    y[r] = ct.floor(x[r]) + n

            y = np.zeros(3, np.float32)
            signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.002 * attempt)
            try:
                kernel(X, y, 1000 + attempt)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
            kernel(X, y, 1000 + attempt)
            assert y.tolist() == [1000 + attempt, 1001 + attempt, 1002 + attempt]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 0


OVERFLOW = """
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* x [[buffer(0)]], uint tid [[thread_position_in_grid]]) {
    float big[60000];
    for (int i = 0; i < 60000; ++i) big[i] = x[i % 4];
    for (int i = 0; i < 60000; i += 7) x[i % 4] += big[59999 - i];
}
"""
FAR = """
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* x [[buffer(0)]], uint tid [[thread_position_in_grid]]) {
    int own[4];
    for (int i = 0; i < 4; ++i) own[i] = i;
    own[x[0]] = 5;
    x[1] = own[x[1]];
}
"""


def guards(count, size):
    """Anonymous mappings, which the system places one below the other."""
    found = [mmap.mmap(-1, size) for _ in range(count)]
    for each in found:
        each.write(b"\x5a" * size)
    return found


@pytest.mark.parametrize("mode", ["checked", "bounds", "fast"])
def test_a_frame_larger_than_a_thread_s_stack_stops_the_run(mode):
    kernel = Library(OVERFLOW, mode).kernel("k")
    around = guards(40, 1 << 16)
    report = kernel.run({0: np.ones(4, np.float32)}, (1, 1, 1), (1, 1, 1))
    assert report.stopped
    assert report.out_of_bounds
    assert all(each[:] == b"\x5a" * (1 << 16) for each in around)


@pytest.mark.parametrize("index", [2**20, -(2**20), 2**30])
@pytest.mark.parametrize("threads", [1, 1024])
def test_an_index_far_outside_an_own_array_stops_the_run(index, threads):
    kernel = Library(FAR).kernel("k")
    report = kernel.run({0: np.array([index, 0], np.int32)}, (1, 1, 1), (threads, 1, 1))
    assert report.stopped
    assert report.out_of_bounds


def test_memory_that_a_thread_of_a_gpu_does_not_have():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            kept = ct.memory(cols, ct.f32, "worker")
            for k in ct.serial(cols):
                kept[k] = x[r, k]
            for k in ct.serial(cols):
                y[r, k] = kept[k] + 1.0

    x = np.ones((1, 30000), np.float32)
    np.testing.assert_array_equal(everywhere(kernel, x, np.zeros_like(x), targets=("cpu",)), x + 1)
    with ct.target("metal-sim"):
        refused("U313", kernel, x, np.zeros_like(x))


def test_the_address_space_is_given_back():
    def mappings():
        with open("/proc/self/maps") as maps:
            return sum(1 for _ in maps)

    kernel = named("mapped")
    with ct.target("metal-sim"):
        kernel(X, np.zeros(3, np.float32), 1.0)
        before = mappings()
        for _ in range(20):
            kernel(X, np.zeros(3, np.float32), 1.0)
    assert mappings() <= before + 2


def test_a_race_that_depends_on_data_is_told_from_a_fault_of_the_compiler():
    @ct.tile_kernel
    def kernel(x, places, y):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y.tile((places[r],), bounds="assume").store(x[r])

    x, places = np.arange(8, dtype=np.float32), np.arange(8) // 2
    for target in ("metal-sim", "reference"):
        with ct.target(target):
            message = refused("K091", kernel, x, places, np.zeros(4, np.float32))
            assert "y.tile" in message
            apart = np.zeros(8, np.float32)
            kernel(x, np.arange(8)[::-1].copy(), apart)
            np.testing.assert_array_equal(apart, x[::-1])


@pytest.mark.parametrize("wrong", [["a"], np.zeros(2), np.array(1.0), {0}, np.ones((0, 4))])
@pytest.mark.parametrize("option", ["dtype", "keepdims", "axis", "guard"])
def test_options_that_no_dictionary_holds(option, wrong):
    x = np.ones((3, 4), np.float32)
    ops.sum(x, axis=0)
    with pytest.raises(ct.CertileError) as caught:
        ops.sum(x, **{option: wrong})
    assert caught.value.code in ("A301", "A305", "U502")


@pytest.mark.parametrize("op", [ops.sum, ops.max, ops.argmax, ops.var, ops.logsumexp, ops.rms_norm])
def test_no_axis_at_all(op):
    assert "over no axis" in refused("A301", op, np.ones((3, 4), np.float32), axis=())


NO_NUMBERS = [None, "x", 10**400, 10**5000, float("nan"), np.ones(3), [1]]


@pytest.mark.parametrize("wrong", NO_NUMBERS, ids=lambda value: type(value).__name__)
def test_options_that_are_no_numbers(wrong):
    x = np.ones((3, 4), np.float32)
    for op in (ops.layer_norm, ops.rms_norm, ops.l2_norm):
        if wrong is not None:
            refused("A305", op, x, eps=wrong)
    refused("A305", ops.group_norm, x, 2, eps=wrong)
    refused("A305", ops.group_norm, x, wrong)
    refused("A305", ops.topk, x, wrong)
    refused("A305", ops.cross_entropy, x, np.zeros(3, np.int64), ignore_index=wrong)
    if wrong is not None:
        refused("A305", ops.var, x, correction=wrong)


def test_axes_too_long_to_print():
    refused("A301", ops.sum, np.ones((3, 4), np.float32), axis=10**5000)


@pytest.mark.parametrize("dtype", ["f4", "c16", "U3", "M8[s]", "V4", "u8"])
def test_labels_and_indices_that_count_nothing(dtype):
    x, wrong = np.ones((3, 4), np.float32), np.zeros(3, dtype)
    for op in (ops.cross_entropy, ops.embedding):
        with pytest.raises(ct.CertileError) as caught:
            op(x, wrong)
        assert caught.value.code in ("U501", "A202")


def test_one_array_for_two_results():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y = np.full_like(x, 7)
    assert "the same array" in refused("A005", ops.layer_norm, x, residual=x, out=(y, y))
    refused("A005", ops.min_max, x, axis=0, out=(y[0], y[0]))
    assert (y == 7).all()


def indexed(finalize):
    """A law that counts with the places of elements."""

    class Places:
        state: ClassVar = {"total": ct.i64, "last": "index"}

        @staticmethod
        def identity():
            return 0, -1

        @staticmethod
        def lift(x, *, index):
            return index * index * ct.cast(x, ct.i64), index

        @staticmethod
        def merge(a, b):
            return a.total + b.total, ct.maximum(a.last, b.last)

    Places.finalize = staticmethod(finalize)
    return ct.law(Places)


def test_places_are_computed_with_in_64_bits():
    law = indexed(lambda s: (s.total, s.last * s.last))

    @ct.tile_kernel
    def kernel(x, total, square):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            total[r], square[r] = ct.reduce(x[r, cols], cols, law)

    length = 70_000
    for target in ("cpu", "reference", "metal-sim"):
        total, square = np.zeros(1, np.int64), np.zeros(1, np.int64)
        with ct.target(target):
            kernel(np.ones((1, length), np.int32), total, square)
        assert total[0] == (length - 1) * length * (2 * length - 1) // 6
        assert square[0] == (length - 1) ** 2


def test_a_law_that_reads_places_and_keeps_none():
    @ct.law
    class Weighted:
        state: ClassVar = {"total": "acc"}

        @staticmethod
        def identity():
            return 0.0

        @staticmethod
        def lift(x, *, index):
            return x * index

        @staticmethod
        def merge(a, b):
            return a.total + b.total

        @staticmethod
        def finalize(s):
            return s.total

    @ct.tile_kernel
    def kernel(x, y, each):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, Weighted)
            each[r, cols] = ct.scan(x[r, cols], cols, Weighted)

    x = np.arange(80, dtype=np.float32).reshape(2, 40) % 7
    for target in ("cpu", "reference", "metal-sim"):
        y, each = np.zeros(2, np.float32), np.zeros_like(x)
        with ct.target(target):
            kernel(x, y, each)
        np.testing.assert_array_equal(each, np.cumsum(x * np.arange(40), axis=1))
        np.testing.assert_array_equal(y, each[:, -1])


@pytest.mark.parametrize("method", ["lift", "merge", "identity", "finalize"])
def test_a_law_whose_method_wants_a_keyword_that_nobody_gives(method):
    parts = {
        "state": {"total": "acc"},
        "identity": lambda: 0.0,
        "lift": lambda x: x,
        "merge": lambda a, b: a.total + b.total,
        "finalize": lambda s: s.total,
    }
    wrong = {
        "lift": lambda x, *, place: x,
        "merge": lambda a, b, *, index: a.total,
        "identity": lambda *, index: 0.0,
        "finalize": lambda s, *, index: s.total,
    }
    methods = {**parts, method: wrong[method]}
    held = {name: staticmethod(it) if callable(it) else it for name, it in methods.items()}
    assert "keyword" in refused("K040", ct.law, type("Law", (), held))


@pytest.mark.parametrize("step", [2**63, 10**30])
def test_a_step_that_no_index_takes(step):
    @ct.tile_kernel
    def kernel(x, y):
        cols = ct.axis("cols", x.shape[0])
        for _ in ct.parallel(ct.axis("one", 1)):
            for c in ct.serial(cols, step=step):
                y[c] = x[c]

    refused("K019", kernel, X, X.copy())


@pytest.mark.parametrize("stride", [2**48, 2**60, 2**62, 2**63, 2**70])
def test_layouts_that_no_memory_holds(stride):
    layout = ct.layouts.strided((3,), (stride,))

    @ct.tile_kernel
    def kernel(x, y):
        for _ in ct.parallel(ct.axis("one", 1)):
            cols = ct.axis("cols", x.shape[0])
            kept = ct.memory(cols, ct.f32, layout=layout)
            kept[cols] = x[cols]
            y[cols] = kept[cols]

    y = np.zeros(3, np.float32)
    for target in ("cpu", "reference", "metal-sim"):
        with ct.target(target):
            refused("K033", kernel, X, y)
    assert not y.any()


def test_arrays_of_a_thread_that_no_memory_holds():
    @ct.tile_kernel
    def kernel(x, y):
        for _ in ct.parallel(ct.axis("one", 1)):
            many = ct.axis("many", 2**44)
            kept = ct.memory(many, ct.f32)
            kept[many] = ct.cast(ct.iota(many), ct.f32) + x[0]
            y[0] = kept[2**44 - 1]

    refused("U313", kernel, X, X.copy())


def test_a_tensor_whose_storage_was_given_back():
    x = torch.ones(50, 60)
    assert ops.sum(x) == 3000
    x.untyped_storage().resize_(0)
    refused("U201", ops.sum, x)
    refused("U201", ops.softmax, torch.ones(50, 60), out=x)
    assert ops.sum(torch.ones(0, 60)) == 0


@pytest.mark.parametrize("device", ["cpu", None, (1,), (1, "a"), 1])
def test_devices_that_are_none(device):
    class Lender:
        def __dlpack__(self, **options):
            return X.__dlpack__(**options)

        def __dlpack_device__(self):
            return device

    refused("A201", ops.sum, Lender())


@pytest.mark.parametrize(
    "outputs",
    [
        *(None, {}, 3, {"y": 3}, {"y": ct.like("y")}, {"z": ct.like("x")}),
        *({"y": ct.like("x", shape=(("z", 0),))},),
    ],
    ids=str,
)
def test_outputs_that_are_none(outputs):
    refused("A011", ct.op, named(), outputs=outputs)


@pytest.mark.parametrize("shape", [5, (-1,), (2**63,), (True,), (1.0,), (("x",),), (("x", "y"),)])
def test_shapes_of_outputs_that_are_none(shape):
    refused("A011", lambda: ct.like("x", shape=shape))


def test_a_dimension_that_an_input_does_not_have():
    operation = ct.op(named(), outputs={"y": ct.like("x", shape=(("x", 7),))})
    refused("A011", operation, X, s=2.0)
    refused("A011", ct.op, len, outputs={"y": ct.like("x")})
