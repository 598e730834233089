"""How jitted functions are called, when they are traced again, and what they refuse."""

import mlx.core as mx
import numpy as np
import pytest
import torch

import certile as ct
from tests.threads import in_threads

FACTOR = 2


def ramp(*shape):
    return np.arange(np.prod(shape), dtype="f4").reshape(shape)


def refused(function, code, *args):
    """Call a function that is refused and return the error; it names a line of this file."""
    with pytest.raises(ct.KernelError) as caught:
        ct.jit(target="reference")(function)(*args)
    assert caught.value.code == code
    assert caught.value.loc.file == __file__
    assert "^" in str(caught.value)
    assert "hint" in str(caught.value)
    return str(caught.value)


def branches(x):
    if x.sum() > 0:
        return x
    return -x


def operates(x):
    return ct.ops.softmax(x)


def masks(x):
    return x[x > 0]


def chained(x):
    return np.where(0 < x < 1, x, 0)


def in_python(x):
    return max(x, 0)


def as_int(x):
    return x * int(x[0])


def as_float(x, alpha):
    return x * float(alpha)


def in_a_range(x, alpha):
    return sum(x * at for at in range(alpha))


def loops(x):
    return sum(row * 2 for row in x)


def fancy(x):
    return x[[0, 1]]


def picks(x):
    return x[x.argmax()]


def transforms(x):
    return np.fft.fft(x)


def norms(x):
    return np.linalg.norm(x)


def stacks(x):
    return np.stack([x, x])


def multiplies(x):
    return x @ x


def arcs(x):
    return np.arctan(x)


def lacks_method(x):
    return x.tolist()


def lacks_option(x):
    return np.sum(x, where=x > 0)


def flattens(x):
    return x.reshape(-1)


def bad_axis(x):
    return x.sum(axis=2)


def outside(x):
    return x[7]


def captured(x):
    return x + np.arange(3.0)


def lists(x):
    return [1.0, 2.0] * x


def returns_list(x):
    return [x]


def returns_number(x):
    return x.size


def returns_nothing(x):
    x + 1


def no_dtype(x):
    return x.astype("f128q")


def too_large(x):
    return x.astype(np.int8) + 300


@pytest.mark.parametrize(
    ("function", "code"),
    [
        *((branches, "K002"), (chained, "K002"), (in_python, "K002")),
        *((as_int, "K003"), (loops, "K003"), (masks, "K052"), (fancy, "K052"), (picks, "K052")),
        *((transforms, "K050"), (norms, "K050"), (stacks, "K050"), (multiplies, "K050")),
        *((arcs, "K050"), (lacks_method, "K050"), (lacks_option, "K050"), (no_dtype, "K030")),
        *((flattens, "K053"), (bad_axis, "K053"), (outside, "K053"), (too_large, "K012")),
        *((captured, "K010"), (lists, "K010"), (returns_list, "K051"), (returns_number, "K051")),
    ],
)
def test_what_cannot_be_computed_is_refused_at_its_line(function, code):
    text = refused(function, code, ramp(2, 3))
    assert f"in {function.__name__}" in text or code == "K051"


def test_floats_of_the_call_steer_nothing():
    refused(as_float, "K003", ramp(3), 2.0)
    refused(in_a_range, "K003", ramp(3), 2.0)


def test_a_function_that_does_nothing_is_refused():
    with pytest.raises(ct.KernelError, match="K051"):
        ct.jit(returns_nothing)(ramp(3))


def test_integers_are_constants_and_floats_are_not():
    runs = []

    @ct.jit(target="reference")
    def f(x, n, alpha, *, axis=0, name="sum"):
        runs.append(n)
        for _ in range(n):
            x = x * alpha
        return x.sum(axis=axis) if name == "sum" else x.max(axis=axis)

    x = ramp(2, 3)
    for n, alpha, axis in ((1, 2.0, 0), (1, 3.0, 0), (2, 3.0, 0), (2, 3.0, 1)):
        np.testing.assert_array_equal(f(x, n, alpha, axis=axis), (x * alpha**n).sum(axis))
    np.testing.assert_array_equal(f(x, 1, 1.0, name="max"), x.max(0))
    f(x[::-1], 1, 2.0)
    # `runs` itself is read, and has grown, so the function is not the same at any call.
    assert len(runs) == 6
    assert f.traces == 4


def test_a_function_is_run_once_a_signature():
    counted = CountedCalls()
    f = ct.jit(target="reference")(lambda x: counted.add(x))
    for x in (ramp(3), ramp(3) + 1, ramp(6)[::2], ramp(6)[:3]):
        np.testing.assert_array_equal(f(x), x + 1)
    assert f.traces == 1
    f(ramp(4))
    f(ramp(3).astype("f8"))
    assert f.traces == 3


class CountedCalls:
    def add(self, x):
        return x + 1


def test_globals_that_change_are_read_again(monkeypatch):
    @ct.jit(target="reference")
    def inner(x):
        return x * FACTOR

    @ct.jit(target="reference")
    def f(x):
        return inner(x) + 1

    x = ramp(3)
    np.testing.assert_array_equal(f(x), x * 2 + 1)
    monkeypatch.setitem(globals(), "FACTOR", 5)
    np.testing.assert_array_equal(f(x), x * 5 + 1)


def test_arrays_do_not_outlive_their_call():
    kept = []

    @ct.jit(target="reference")
    def f(x):
        if kept:
            return kept[0] + x
        kept.append(x)
        return x + 1

    f(ramp(3))
    with pytest.raises(ct.KernelError, match="K050"):
        f(ramp(3))
    with pytest.raises(ct.KernelError, match="K050"):
        kept[0] + 1


def test_a_kernel_does_not_call_a_jitted_function():
    f = ct.jit(lambda x: x + 1)

    @ct.tile_kernel
    def kernel(x: ct.View):
        f(x)

    with pytest.raises(ct.KernelError, match="K031"):
        kernel(ramp(3))


def test_wrong_arguments():
    f = ct.jit(lambda x, y: x + y)
    with pytest.raises(ct.ArgumentError, match="A001"):
        f(ramp(3))
    with pytest.raises(ct.ArgumentError, match="A201"):
        f(ramp(3), [1, 2, 3])
    with pytest.raises(ct.ArgumentError, match="A009"):
        ct.jit(math="careless")
    with pytest.raises(ct.ArgumentError, match="A009"):
        ct.jit(target="abacus")


def test_kernels_and_operations_are_not_called_inside():
    @ct.tile_kernel
    def doubled(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r] * 2

    for wrong in (lambda x: ct.ops.softmax(x), lambda x: doubled(x, x)):
        with pytest.raises(ct.KernelError) as error:
            ct.jit(wrong)(ramp(3))
        assert "K003" in str(error.value)
        assert "outside" in str(error.value)
        assert "test_calls.py" in str(error.value)


@pytest.mark.parametrize(
    ("wrong", "code", "words"),
    [
        (lambda x: x < 300, "K012", "300 does not fit u8"),
        (lambda x: x + -1, "K012", "-1 does not fit u8"),
        (lambda x: x**-1, "K011", "the power of -1"),
        (lambda x: x**x, "K011", "a power that is no number"),
        (lambda x: (x / 2) << 1, "K011", "bits of integers"),
    ],
)
def test_what_does_not_fit_is_told_with_its_cure(wrong, code, words):
    with pytest.raises(ct.KernelError) as error:
        ct.jit(wrong)(np.arange(3, dtype="u1"))
    assert error.value.code == code
    assert words in str(error.value)
    assert "shapes" not in str(error.value)


def test_scalars_without_axes_are_numpys():
    f = ct.jit(target="reference")(lambda x, y: (x + y, x.sum()))
    for each in f(np.float32(1), np.array(2, "f4")):
        assert type(each) is np.float32
        assert each in (3, 1)


def test_options():
    f = ct.jit(math="portable")(lambda x: np.exp(x))
    np.testing.assert_allclose(f(ramp(3)), np.exp(ramp(3)), rtol=1e-6)
    fast = ct.jit(math="fast")(lambda x: np.isnan(x))
    with pytest.raises(ct.KernelError, match="K035"):
        fast(ramp(3))


def test_threads_share_a_function():
    f = ct.jit(lambda x: (x - x.mean(axis=0), x.sum()))
    x, failures = ramp(4, 5), []

    def work(seed):
        for at in range(20):
            centred, total = f(x * (seed + at))
            if total != (x * (seed + at)).sum() or not np.allclose(centred.mean(0), 0, atol=1e-4):
                failures.append(seed)

    in_threads(work, range(4))
    assert not failures


def test_an_operation_inside_is_refused_at_the_line_that_calls_it():
    assert "return ct.ops.softmax(x)" in refused(operates, "K003", ramp(2, 3))


def test_a_mask_as_an_index_is_called_an_array():
    assert "an index that is an array" in refused(masks, "K052", ramp(2, 3))


def test_dtypes_of_frameworks_are_constants():
    @ct.jit
    def f(x, dtype):
        return x.astype(dtype)

    for dtype in (torch.float16, mx.float16, np.float16, ct.f16):
        assert f(ramp(3), dtype).dtype == np.float16
    assert f(torch.ones(3), torch.int8).dtype == torch.int8
    assert f(torch.ones(3), torch.int16).dtype == torch.int16


def test_an_argument_that_cannot_be_read_is_named():
    @ct.jit
    def f(x, *rest, scale=2.0, table=None):
        return x * scale

    x = ramp(3)
    for code, named, call in (
        ("A201", "x", lambda: f([1.0])),
        ("A201", "rest", lambda: f(x, 1, [2.0])),
        ("A201", "table", lambda: f(x, table=[3.0])),
        ("A202", "scale", lambda: f(x, scale=x.astype("c8"))),
    ):
        with pytest.raises(ct.ArgumentError) as caught:
            call()
        assert caught.value.code == code
        assert f"argument {named}" in str(caught.value)


def test_a_method_is_told_how_to_be_one():
    class Model:
        @ct.jit
        def jitted(self, x):
            return x

        @ct.tile_kernel
        def kernel(self, x: ct.View):
            """Never recorded."""

    for method in (Model().jitted, Model().kernel):
        with pytest.raises(ct.ArgumentError, match="@staticmethod") as caught:
            method(ramp(3))
        assert caught.value.code == "A001"
