"""What a jitted function writes to its arguments is what NumPy writes."""

import numpy as np
import pytest

import certile as ct


def same_as_numpy(function, *arrays, **options):
    """Call a jitted function and NumPy on copies of the same memory; compare results and memory."""
    jitted = ct.jit(function)
    ours = [each.copy() for each in arrays]
    theirs = [each.copy() for each in arrays]
    found, wanted = jitted(*ours, **options), function(*theirs, **options)
    for left, right in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(left, right, strict=True)
    return found, wanted


def ramp(*shape):
    return np.arange(np.prod(shape), dtype="f4").reshape(shape)


def test_a_flip_into_itself():
    def f(a):
        a[:] = np.flip(a)

    assert same_as_numpy(f, ramp(3, 5)) == (None, None)


def test_augmented_assignment():
    def f(a, b, alpha):
        a += 1
        a *= alpha
        b[1:] -= b[:-1]
        b[...] = b[::-1] + a[0]

    same_as_numpy(f, ramp(3, 4), ramp(4), alpha=0.5)


def test_what_a_name_means_before_and_after_a_write():
    def f(a):
        before = a * 1
        view = a[1]
        a[1] = a[2] + a[0]
        return before, view.copy(), a.sum()

    found, wanted = same_as_numpy(f, ramp(4, 6))
    for left, right in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(left, right)


def test_slices_with_steps():
    def f(a):
        a[::2, 1:3] = a[1::2, -2:]
        a[:, ::-1][0] = 9
        a.T[0] += a.sum(axis=1)
        a[-1, -1] = 7

    same_as_numpy(f, ramp(6, 5))


@pytest.mark.parametrize("shape", [(1,), (1, 4), (3, 1), (0, 4)])
def test_slices_without_elements(shape):
    def f(a, b):
        a[1:] = 7
        a[:-1] -= a[1:]
        b.T[:0] = a.T[5:]
        a[None][:0] = 9
        np.swapaxes(a, 0, -1)[2:1] *= 2
        return a + b

    found, wanted = same_as_numpy(f, ramp(*shape) + 1, ramp(*shape))
    np.testing.assert_array_equal(found, wanted, strict=True)


def test_an_output_argument_of_a_function():
    def f(a, b):
        np.add(a[0], b, out=b)
        np.maximum(a[0], b, out=a[1])

    same_as_numpy(f, ramp(2, 3), ramp(3))


def test_the_argument_itself_is_returned():
    @ct.jit
    def f(a):
        a += 1
        return a, a[0]

    a = ramp(2, 2)
    whole, row = f(a)
    assert whole is a
    assert not np.shares_memory(row, a)


def test_a_scalar_is_not_written_to():
    def f(a):
        total = a.sum()
        kept = total
        total += 1
        alpha = a[0]
        a[0] = total + kept + alpha

    same_as_numpy(f, ramp(4))


def test_strided_arguments():
    @ct.jit
    def f(a):
        a += a[::-1]

    ours, theirs = ramp(8, 6), ramp(8, 6)
    for view in (lambda x: x[::2, ::-1], lambda x: x.T[1:], lambda x: x[:, 3]):
        f(view(ours))
        view(theirs)[...] += view(theirs)[::-1].copy()
        np.testing.assert_array_equal(ours, theirs)


def test_overlapping_arguments_that_are_read_first():
    @ct.jit
    def f(a, b):
        a[:] = b * 2

    ours, theirs = ramp(10), ramp(10)
    f(ours[2:], ours[:-2])
    f.function(theirs[2:], theirs[:-2])
    np.testing.assert_array_equal(ours, theirs)


def test_overlapping_arguments_that_are_read_later_are_refused():
    @ct.jit
    def f(a, b):
        a[:] = b * 2
        return b + 1

    a = ramp(10)
    with pytest.raises(ct.ArgumentError, match="A005"):
        f(a[2:], a[:-2])
    np.testing.assert_array_equal(a, ramp(10))
    np.testing.assert_array_equal(f(a[5:], a[:5]), ramp(5) + 1)
    with pytest.raises(ct.ArgumentError, match="A005"):
        f(a, a)


def test_two_written_arguments_that_overlap_are_refused():
    @ct.jit
    def f(a, b):
        a += 1
        b += 1

    a = ramp(6)
    with pytest.raises(ct.ArgumentError, match="A005"):
        f(a[1:], a[:-1])


def test_arguments_that_may_not_be_written():
    @ct.jit
    def f(a):
        a += 1

    a = ramp(3)
    a.setflags(write=False)
    with pytest.raises(ct.ArgumentError, match="A204"):
        f(a)
    with pytest.raises(ct.ArgumentError, match="A204"):
        f(np.broadcast_to(ramp(1), 3))


def test_what_numpy_refuses_to_write():
    @ct.jit
    def real(a):
        a += 0.5

    @ct.jit
    def repeated(a):
        np.broadcast_to(a, (2, 3))[0] = 1

    with pytest.raises(ct.KernelError, match="K011"):
        real(np.arange(3))
    with pytest.raises(ct.KernelError, match="K053"):
        repeated(ramp(3))


def test_overlapping_arguments_are_told_apart_at_each_call():
    @ct.jit
    def f(a, b):
        a += b

    ours, theirs = ramp(40), ramp(40)
    for start in (20, 3, 0, 20, 1):
        f(ours[start : start + 16], ours[:16])
        f.function(theirs[start : start + 16], theirs[:16])
        np.testing.assert_array_equal(ours, theirs)
    assert "2 launches" in f.explain(ours[1:], ours[:-1])
    assert "1 launch\n" in f.explain(ours[20:], ours[:20])
