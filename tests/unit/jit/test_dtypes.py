"""Dtypes of jitted functions: the promotion table, and where NumPy's agrees with it."""

import itertools
import operator

import numpy as np
import pytest

import certile as ct

DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
PAIRS = list(itertools.product(DTYPES, DTYPES))


# The pairs that are compiled; all of them are computed by the interpreter.
COMPILED = list(zip(DTYPES, DTYPES[5:] + DTYPES[:5], strict=True))


def arithmetic(x, y):
    return x + y, x * y, np.maximum(x, y), np.where(x > y, x, y), x == y, x < y


def differs(a, b):
    """Whether NumPy gives a pair another dtype than the table: the documented differences."""
    a, b = np.dtype(a), np.dtype(b)
    kinds = {a.kind, b.kind}
    if kinds <= {"i", "u", "b"}:
        return "i" in kinds and np.dtype("u8") in (a, b)
    # Floats keep their width beside integers.
    wide = np.promote_types(a, b)
    return "f" in kinds and kinds & {"i", "u"} and wide not in (a, b)


JITTED = {target: ct.jit(target=target)(arithmetic) for target in ("reference", "cpu")}


@pytest.mark.parametrize(
    ("a", "b", "target"),
    [*((*pair, "reference") for pair in PAIRS), *((*pair, "cpu") for pair in COMPILED)],
)
def test_pairs_give_the_dtype_and_the_values_of_numpy(a, b, target):
    x, y = np.array([0, 1, 3, 100], a), np.array([1, 1, 0, 7], b)
    found = JITTED[target](x, y)
    with np.errstate(over="ignore"):
        wanted = arithmetic(x, y)
    for at, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        if a == b == "bool" and at < 3:
            # Arithmetic on truth values counts; NumPy's `+` and `*` are `|` and `&`.
            assert ours.dtype == ("bool" if at == 2 else "i4")
            continue
        if not differs(a, b):
            assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.astype("f8"), theirs.astype("f8"))


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_python_numbers_are_weak(dtype):
    @ct.jit
    def f(x, alpha):
        return x + 2, 2 * x - 1, x * alpha, x > 1

    x = np.array([1, 2, 3], dtype)
    is_float = np.dtype(dtype).kind == "f"
    found = f(x, 1.5)
    assert [each.dtype for each in found] == [x.dtype, x.dtype, x.dtype if is_float else "f4", "?"]
    for ours, theirs in zip(found, f.function(x, 1.5), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_have_the_dtypes_of_numpy(dtype):
    @ct.jit
    def f(x):
        return (
            *(x.sum(), x.prod(axis=0), x.max(1), x.min(), x.argmax(), x.argmin(axis=0)),
            *(x.any(), x.all(axis=1), x.cumsum(axis=1), np.count_nonzero(x, axis=1)),
        )

    x = np.array([[3, 0, 1], [2, 2, 5]], dtype)
    for ours, theirs in zip(f(x), f.function(x), strict=True):
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype
        assert np.shape(ours) == np.shape(theirs)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (1, 1), (1, 3), (3, 1)])
def test_the_only_position_along_an_axis_is_zero(dtype, shape):
    @ct.jit
    def f(x):
        return x.argmax(), x.argmin(axis=0), np.argmax(x, axis=-1, keepdims=True)

    x = np.full(shape, 1, dtype)
    for ours, theirs in zip(f(x), f.function(x), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_means_have_the_dtypes_of_numpy(dtype):
    @ct.jit
    def f(x):
        return x.mean(), x.var(axis=1, ddof=1), np.std(x, axis=0, keepdims=True)

    x = np.array([[3, 0, 1], [2, 2, 5]], dtype)
    for ours, theirs in zip(f(x), f.function(x), strict=True):
        theirs = np.asarray(theirs)
        assert np.asarray(ours).dtype == theirs.dtype
        tolerance = 4 * np.finfo(theirs.dtype).eps
        np.testing.assert_allclose(ours, theirs, tolerance)


def test_scalars_of_numpy_are_strong():
    @ct.jit
    def f(x):
        return x * np.float64(0.1), np.float32(2) * x, x + np.sqrt(2.0)

    x = np.array([1, 2], "f4")
    for ours, theirs in zip(f(x), f.function(x), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_floats_of_the_call_are_computed_as_python_does():
    @ct.jit
    def f(x, alpha, beta):
        return x * (alpha / 3 + beta), x.astype("f8") * (alpha - beta) ** 2

    x = np.array([1, 2, 3], "f4")
    for alpha, beta in ((0.1, 7.0), (1e30, 1e22), (-3.5, 0.2)):
        for ours, theirs in zip(f(x, alpha, beta), f.function(x, alpha, beta), strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)
    assert f.traces == 1


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7])
def test_powers_of_integers_wrap_as_numpys_do(exponent):
    @ct.jit
    def f(x):
        return x**exponent

    for dtype in ("i1", "u1", "i4", "i8"):
        x = np.array([0, 1, 3, 100], dtype)
        with np.errstate(over="ignore"):
            wanted = x**exponent
        np.testing.assert_array_equal(f(x), wanted, strict=True)


@pytest.mark.parametrize("function", [operator.floordiv, operator.mod])
def test_division_floors(function):
    @ct.jit
    def f(x, y):
        return function(x, y)

    for dtype in ("i4", "f4", "f8"):
        x, y = np.array([7, -7, 7, -7], dtype), np.array([2, 2, -2, -2], dtype)
        np.testing.assert_array_equal(f(x, y), function(x, y), strict=True)


def test_truth_values():
    @ct.jit
    def f(x, y):
        return (
            np.logical_and(x, y),
            np.logical_or(x > 1, y),
            ~(x > 0),
            np.logical_not(y),
            x.astype(bool),
        )

    x, y = np.array([0, 1, 2, np.nan], "f4"), np.array([1, 0, 0, 1], "i4")
    for ours, theirs in zip(f(x, y), f.function(x, y), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def test_a_choice_between_numbers_has_their_dtype_in_the_language():
    @ct.jit(target="reference")
    def f(x, alpha):
        return np.where(x > 1, 1.0, 0.0), np.where(x > 1, alpha, 0.0), np.where(x > 1, 1, 0)

    found = f(np.arange(3.0), 2.5)
    assert [each.dtype.name for each in found] == ["float32", "float32", "int32"]
    assert [each.tolist() for each in found] == [[0, 0, 1], [0, 0, 2.5], [0, 0, 1]]


def test_rounding_of_integers():
    f = ct.jit(target="reference")(lambda x: (np.rint(x), round(x), np.floor(x)))
    found = f(np.arange(3, dtype="i4"))
    assert [each.dtype.name for each in found] == ["float32", "int32", "int32"]
    with pytest.raises(ct.KernelError, match="K011"):
        ct.jit(lambda x: np.fmod(x, 2))(np.arange(3))


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name[0] in "iu"])
def test_the_least_integer_has_an_absolute_value_as_a_float(dtype):
    @ct.jit
    def f(x):
        return np.fabs(x), np.abs(x)

    x = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 3], dtype)
    as_float, wrapped = f(x)
    assert as_float.dtype == "f4"
    np.testing.assert_array_equal(as_float, np.abs(x.astype("f4")))
    np.testing.assert_array_equal(wrapped, np.abs(x), strict=True)


@pytest.mark.skipif(not hasattr(np, "bitwise_count"), reason="NumPy 1 has no such function")
@pytest.mark.parametrize("dtype", [name for name in DTYPES if name[0] != "f"])
def test_a_count_of_bits_is_a_byte(dtype):
    @ct.jit
    def f(x):
        return np.bitwise_count(x), np.bitwise_count(x) - 9

    x = np.array([0, 1, 100], dtype)
    for ours, theirs in zip(f(x), f.function(x), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)
