"""Python around a kernel: captured values, sources, containers, defaults, failed traces, loops."""

import code
import contextlib
import functools
import io
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import certile as ct
from certile.language import active
from tests.cases.everywhere import everywhere, refused

X = np.arange(3, dtype=np.float32)

V = 123.0
TABLE = {"v": 2.0}
ITEMS = [3.0]
KIND = ct.f32


def body(value):
    return value + 1


def result(kernel, *more, **named):
    y = np.zeros(3, np.float32)
    kernel(X, y, *more, **named)
    return y.tolist()


# Values from around the kernel


def test_globals_of_every_kind_are_followed(monkeypatch):
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = ct.cast(body(x[r]) + V + TABLE["v"] + ITEMS[0], KIND)

    here = sys.modules[__name__]
    assert result(kernel) == [129, 130, 131]
    monkeypatch.setattr(here, "V", 1234.0)
    assert result(kernel) == [1240, 1241, 1242]
    monkeypatch.setitem(TABLE, "v", 0.5)
    assert result(kernel) == [1238.5, 1239.5, 1240.5]
    ITEMS[0] = 4.0
    assert result(kernel) == [1239.5, 1240.5, 1241.5]
    monkeypatch.setattr(here, "KIND", ct.f16)
    assert result(kernel) == [1240, 1240, 1242]
    monkeypatch.setattr(here, "body", lambda value: value * 0)
    assert result(kernel) == [1238, 1238, 1238]
    ITEMS[0] = 3.0


def test_defaults_and_nonlocals_are_followed():
    factor = 2.0

    def kernel(x, y, shift: ct.constexpr = 1.0):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r] * factor + shift

    made = ct.tile_kernel(kernel)
    assert result(made) == [1, 3, 5]
    factor = 3.0
    assert result(made) == [1, 4, 7]


def test_a_closure_hides_a_global():
    def make(V):  # noqa: N803 - the name of the global that it hides
        @ct.tile_kernel
        def kernel(x, y):
            for r in ct.parallel(ct.axis("rows", x.shape[0])):
                y[r] = x[r] + V

        return kernel

    five, six = make(5), make(6)
    assert result(five) == [5, 6, 7]
    assert result(six) == [6, 7, 8]
    assert result(five) == [5, 6, 7]


def test_lambdas_of_a_loop_share_its_variable():
    kernels = []
    for n in range(3):

        @ct.tile_kernel
        def kernel(x, y):
            for r in ct.parallel(ct.axis("rows", x.shape[0])):
                y[r] = x[r] + n  # noqa: B023 - late binding is what is tested

        kernels.append(kernel)
    assert [result(kernel)[0] for kernel in kernels] == [2, 2, 2]


# Kernels without a source file

TEXT = """
import certile as ct
@ct.tile_kernel
def kernel(x, y):
    for r in ct.parallel(ct.axis("rows", x.shape[0])):
        y[r] = x[r] * 2
"""
RUN = """
import numpy as np
y = np.zeros(3, np.float32)
kernel(np.arange(3, dtype=np.float32), y)
print(y.tolist())
"""


def test_a_kernel_made_by_exec():
    namespace = {}
    exec(TEXT, namespace)
    assert result(namespace["kernel"]) == [0, 2, 4]
    wrong = {}
    exec(TEXT.replace("x[r] * 2", "x[r + 1]"), wrong)
    assert "<string>:6" in refused("K090", wrong["kernel"], X, X.copy())


@pytest.mark.parametrize("how", ["-", "-c"])
def test_a_kernel_from_standard_input(how):
    command, given = [sys.executable, "-"], TEXT + RUN
    if how == "-c":
        command, given = [sys.executable, "-c", TEXT + RUN], None
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    ran = subprocess.run(
        command, input=given, env=environment, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout == "[0.0, 2.0, 4.0]\n", ran.stderr


def test_a_kernel_typed_and_typed_again():
    console, output = code.InteractiveConsole(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        for text in (TEXT, TEXT.replace("* 2", "* 5")):
            lines = [*text.strip().splitlines(), "", *RUN.strip().splitlines()]
            for line in lines:
                console.push(line)
    assert output.getvalue().splitlines() == ["[0.0, 2.0, 4.0]", "[0.0, 5.0, 10.0]"]


def test_lambdas_classes_and_decorators():
    def plain(function):
        @functools.wraps(function)
        def inner(x, y):
            return function(x, y)

        return inner

    def rows(x, y, value):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = value(x[r])

    one, two = (ct.tile_kernel(lambda x, y: rows(x, y, lambda v: v + 1)), ct.tile_kernel(lambda x, y: rows(x, y, lambda v: v + 2)))  # fmt: skip  # noqa: E501

    class Kernels:
        @staticmethod
        @ct.tile_kernel
        def inside(x, y):
            rows(x, y, lambda v: v + 3)

    @ct.tile_kernel
    @plain
    def decorated(x, y):
        rows(x, y, lambda v: v + 4)

    for number, kernel in enumerate((one, two, Kernels.inside, decorated), start=1):
        assert result(kernel) == [number, number + 1, number + 2]


@pytest.mark.parametrize("thing", [print, 3, int, functools.partial(print), object()])
def test_things_that_are_no_kernels(thing):
    refused("K026", ct.tile_kernel, thing)


# Containers and branches


@pytest.mark.parametrize(
    "wrong",
    [
        lambda xs, v, i: xs.append(3.0) if i == 0 else None,
        lambda xs, v, i: {v > 0: 1}[True] if v > 0 else 0,
        lambda xs, v, i: v in xs,
        lambda xs, v, i: max(v, 1.0),
        lambda xs, v, i: sorted([v, 1.0]),
        lambda xs, v, i: 0 < v < 2,
        lambda xs, v, i: not v,
        lambda xs, v, i: v and v,
        lambda xs, v, i: v or v,
        lambda xs, v, i: 0 <= i < 2,
        lambda xs, v, i: not (v > 1.0),
        lambda xs, v, i: v < xs[0] < i,
    ],
)
def test_a_run_time_condition_never_decides_while_tracing(wrong):
    seen = []

    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            seen.append(1)
            y[r] = wrong([x[r], 1.0], x[r], r)

    for _ in range(2):
        assert "truth value" in refused("K002", kernel, X, X.copy())
    assert len(seen) == 2


def test_a_chain_of_constants_and_its_two_halves_of_tiles():
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            chosen = 10.0 if 1 < 5 < 3 else 20.0
            inside = (x[r] >= 1) & (x[r] < 2)
            y[r] = ct.where(inside, chosen, x[r])

    assert result(kernel) == [0, 20, 2]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda xs, i: xs[i],
        lambda xs, i: range(i),
        lambda xs, i: sum(i),
        lambda xs, i: f"{float(i)}",
    ],
)
def test_a_run_time_number_is_no_python_number(wrong):
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = wrong([1.0, 2.0, 3.0], r)

    refused("K003", kernel, X, X.copy())


def test_a_default_that_is_a_list_is_refused():
    @ct.tile_kernel
    def kernel(x, y, acc=[]):  # noqa: B006
        acc.append(x)

    for _ in range(2):
        refused("A002", kernel, X, X.copy())
    assert kernel.function.__defaults__ == ([],)


# Defaults


def test_calls_bind_as_python_binds():
    @ct.tile_kernel
    def kernel(x, y, z: ct.constexpr = 3, *, kind: ct.constexpr = ct.f32, s: float = 1.0):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = ct.cast(x[r], kind) * z * s

    y = np.zeros(3, np.float32)
    kernel(X, y)
    assert y.tolist() == [0, 3, 6]
    kernel(y=y, x=X, s=2.0, kind=ct.f16, z=5)
    assert y.tolist() == [0, 10, 20]
    for wrong in ((X,), (X, y, 1, 2), ()):
        with pytest.raises(TypeError, match="A001"):
            kernel(*wrong)
    with pytest.raises(TypeError, match="A001"):
        kernel(X, y, other=1)
    with pytest.raises(TypeError, match="A001"):
        kernel(X, y, x=X)


# Failures


class Custom(BaseException):
    pass


@pytest.mark.parametrize(
    "error", [NameError, KeyboardInterrupt, SystemExit, Custom, RecursionError]
)
@pytest.mark.parametrize("deep", [False, True])
def test_a_failed_trace_leaves_nothing(error, deep):
    def helper():
        raise error

    @ct.tile_kernel
    def broken(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = 1.0
            if deep:
                helper()
            raise error

    y = np.zeros(3, np.float32)
    for _ in range(3):
        with pytest.raises(error):
            broken(X, y)
        assert active.current() is None
    assert y.tolist() == [0, 0, 0]
    assert broken.compilations == 0
    assert result(ct.tile_kernel(lambda x, y: rows_of(x, y))) == [1, 2, 3]


def rows_of(x, y):
    for r in ct.parallel(ct.axis("rows", x.shape[0])):
        y[r] = x[r] + 1


def test_a_trace_that_forks():
    @ct.tile_kernel
    def kernel(x, y):
        child = os.fork()
        if child == 0:
            os._exit(7 if active.current() is not None else 3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        rows_of(x, y)

    assert result(kernel) == [1, 2, 3]


def test_children_forked_while_another_thread_compiles():
    # Python itself has a lock for each module that is being imported, and no child can release it.
    assert result(ct.tile_kernel(rows_of)) == [1, 2, 3]
    compiling = threading.Thread(
        target=lambda: [result(ct.tile_kernel(rows_of)) for _ in range(40)]
    )
    compiling.start()
    for _ in range(3):
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if result(ct.tile_kernel(rows_of)) == [1, 2, 3] else 4)
            finally:
                os._exit(5)
        deadline = time.monotonic() + 20
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            assert time.monotonic() < deadline, "the child hangs"
            time.sleep(0.01)
        assert os.waitstatus_to_exitcode(ended[1]) == 0
    compiling.join()


# Loops and tiles over one axis


def test_a_tile_and_a_loop_over_one_axis():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            v = x[r, cols]
            greatest = ct.reduce(v, cols, ct.maximum)
            total = ct.carry(0.0)
            for k in ct.serial(cols):
                total.value = total.value + x[r, k] * greatest + ct.reduce(v, cols, ct.minimum)
            for k in ct.parallel(cols):
                y[r, k] = total.value + ct.gather(v, k, cols, fill=0.0)

    x = np.array([[1, 2, 4], [8, 16, 32]], np.float32)
    y = everywhere(kernel, x, np.zeros_like(x))
    np.testing.assert_array_equal(y, [[32, 33, 35], [1824, 1832, 1848]])


def test_a_memory_filled_by_a_loop_over_its_axis():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            kept = ct.memory(cols, ct.f32)
            for k in ct.serial(cols):
                kept[k] = x[r, k] * 2.0
            for k in ct.serial(cols):
                y[r, k] = kept[(x.shape[1] - 1) - k]

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = everywhere(kernel, x, np.zeros_like(x))
    np.testing.assert_array_equal(y, 2 * x[:, ::-1])


@pytest.mark.parametrize("place", ["never", "later", "another launch"])
def test_a_memory_without_values(place):
    @ct.tile_kernel
    def kernel(x, y):
        rows, kept = ct.axis("rows", x.shape[0]), ct.memory(ct.axis("four", 4), ct.f32)
        if place == "another launch":
            for r in ct.parallel(rows):
                kept[0] = x[r]
        for r in ct.parallel(rows):
            y[r] = kept[0]
            if place == "later":
                kept[0] = x[r]

    for target in ("cpu", "reference", "metal-sim"):
        with ct.target(target):
            refused("K092", kernel, X, X.copy())


def test_a_memory_that_a_loop_fills_for_its_next_turn():
    @ct.tile_kernel
    def kernel(x, y):
        cols = ct.axis("cols", x.shape[0])
        for one in ct.parallel(ct.axis("one", 1)):
            kept = ct.memory(ct.axis("two", 2), ct.f32)
            for k in ct.serial(cols):
                before = ct.where(k == 0, 0.0, kept[1])
                kept[1] = before + x[k]
                y[one + k] = before

    assert everywhere(kernel, X, np.zeros(3, np.float32), targets=("cpu", "reference")).tolist() == [0, 0, 1]  # fmt: skip  # noqa: E501


# Sizes of programs


@pytest.mark.parametrize(
    "grow",
    [
        lambda v, x, r, y: functools.reduce(lambda a, _: a * 1.0001 + 1.0, range(4000), v),
        lambda v, x, r, y: functools.reduce(lambda a, _: a + a, range(200), v),
        lambda v, x, r, y: functools.reduce(lambda a, _: ct.sin(a), range(200), v),
        lambda v, x, r, y: functools.reduce(lambda a, i: ct.where(v > i, a, a - 1), range(64), v),
        lambda v, x, r, y: sum((x[r, i % 8] for i in range(1000)), v),
    ],
    ids=["chain", "doubling", "functions", "selects", "loads"],
)
def test_long_programs_give_code_in_proportion(grow, tmp_path, monkeypatch):
    monkeypatch.setenv("CERTILE_DUMP", "kernel")
    monkeypatch.setenv("CERTILE_DUMP_DIR", str(tmp_path))
    monkeypatch.setenv("CERTILE_CACHE", "off")

    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = grow(x[r, cols], x, r, y)

    x, y = np.full((2, 8), 0.5, np.float32), np.zeros((2, 8), np.float32)
    kernel(x, y)
    (text,) = tmp_path.rglob("*kernel.ll")
    # At most 4000 operations were written, and a sine is 280 lines; a recomputed value would make
    # it millions of lines.
    assert 100 < len(text.read_text().splitlines()) < 80_000


def test_thousands_of_stores():
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            for i in range(1000):
                y[r, i] = x[r] + i

    y = np.zeros((3, 1000), np.float32)
    kernel(X, y)
    np.testing.assert_array_equal(y, X[:, None] + np.arange(1000, dtype=np.float32))


def test_stores_that_cannot_all_be_compared_still_run():
    @ct.tile_kernel
    def kernel(x, y):
        cols = ct.axis("cols", 4)
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            for i in range(200):
                y[r, ct.iota(cols) + 4 * i] = x[r] + i

    y = np.zeros((3, 800), np.float32)
    kernel(X, y)
    np.testing.assert_array_equal(y, X[:, None] + np.repeat(np.arange(200.0), 4))


def test_a_row_of_a_million():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", 10**6)
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, ct.add)

    y = everywhere(kernel, np.ones((2, 10**6), np.int32), np.zeros(2, np.int32), targets=("cpu", "reference"))  # fmt: skip  # noqa: E501
    assert y.tolist() == [10**6] * 2


# Names and branches, as Python resolves them


def test_a_loop_variable_may_be_given_another_value():
    @ct.tile_kernel
    def kernel(y, counted):
        turns = ct.axis("turns", 10)
        for one in ct.parallel(ct.axis("one", 1)):
            trips = ct.carry(0, dtype=ct.i64)
            for index in ct.serial(turns, step=3):
                index = index + 100
                y.tile((trips.value,), bounds="zero").store(index)
                trips.value = trips.value + 1
            counted[one] = trips.value

    y, counted = np.zeros(4, np.int64), np.zeros(1, np.int64)
    kernel(y, counted)
    assert y.tolist() == [100, 103, 106, 109]
    assert counted[0] == 4


def test_names_that_hide_others():
    @ct.tile_kernel
    def kernel(x, y):
        max, range, kernel = 2.0, 3.0, ct.abs  # noqa: A001
        for sum in ct.parallel(ct.axis("rows", x.shape[0])):  # noqa: A001
            x_, x = x, 5.0
            y[sum] = kernel(x_[sum]) * max + range + x
            x = x_

    with np.errstate(all="raise"):
        assert result(kernel) == [8, 10, 12]


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("after", [False, True])
def test_a_branch_that_is_not_taken_is_not_traced(before, after):
    never = False

    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            value = ct.where(x[r] > 1, x[r], 0.0)
            if before:
                value = value + 0.0
            if never:
                raise AssertionError
            if after:
                value = value * 1.0
            y[r] = value

    assert result(kernel) == [0, 0, 2]


@pytest.mark.parametrize("stride", [1, 2])
def test_a_number_that_is_one_keeps_its_type_in_a_loop(stride):
    @ct.tile_kernel
    def kernel(a, b, y, s: ct.i64, t: ct.i64):
        turns = ct.axis("turns", 8)
        for _ in ct.parallel(ct.axis("one", 1)):
            step, second = ct.carry(s), ct.carry(False, dtype=ct.bool_)
            for i in ct.serial(turns, step=2):
                place = (i * step.value,)
                first = a.tile(place, (1,), bounds="zero").load()
                other = b.tile(place, (1,), bounds="zero").load()
                y[i] = ct.where(second.value, other, first)
                step.value, second.value = t, True

    a = np.arange(16, dtype=np.float32)
    y = np.zeros(8, np.float32)
    kernel(a, a + 10, y, stride, stride)
    assert y[::2].tolist() == [0, *(10 + stride * i for i in (2, 4, 6))]


@pytest.mark.parametrize("factor", [5, -5, 0, -0.0])
def test_a_sum_of_products_does_not_depend_on_the_sign_of_a_factor(factor):
    @ct.tile_kernel
    def kernel(x, y):
        cols = ct.axis("cols", x.shape[0])
        for one in ct.parallel(ct.axis("one", 1)):
            y[one] = ct.reduce(x[cols] * factor, cols, ct.add)
            y[1] = ct.reduce(0.0 - x[cols] * -factor, cols, ct.add)

    y = np.full(2, np.nan, np.float32)
    kernel(np.array([1, 2, 3], np.float32), y)
    assert y.tolist() == [6 * factor, 6 * factor]
