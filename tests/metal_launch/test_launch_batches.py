"""Batches: barriers exactly where data flows, arrays held until the end, errors that undo."""

import gc
import itertools
import weakref

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import CertileError, UnsupportedError
from certile.runtime.metal import batch as batches
from certile.runtime.metal import batching, context, fake
from tests.metal_launch.kernels import at_page, numbers, on_fake, plus


def results(*counts):
    return [np.zeros(count, np.float32) for count in counts]


def test_independent_calls_share_an_encoder_without_barriers():
    x = numbers(40)
    y, z, w = results(40, 40, 40)
    with on_fake() as device, batching.batch() as calls:
        calls.call(plus, x, y, 1.0)
        calls.call(plus, x, z, 2.0)
        calls.call(plus, x, w, 3.0)
        assert calls.barriers == 0
        assert not y.any()
    for number, made in ((1, y), (2, z), (3, w)):
        np.testing.assert_array_equal(made, x + np.float32(number))
    assert device.done["commit"] == 1
    assert calls.seconds == 0


def chain(calls, *arrays):
    for before, after in itertools.pairwise(arrays):
        calls.call(plus, before, after, 1.0)


def test_a_barrier_where_a_call_reads_what_another_stored():
    x = numbers(40)
    y, z, w = results(40, 40, 40)
    with on_fake(), batching.batch() as calls:
        chain(calls, x, y, z, w)
    assert calls.barriers == 2
    np.testing.assert_array_equal(w, x + np.float32(1) + np.float32(1) + np.float32(1))


def test_a_barrier_where_a_call_stores_to_what_another_reads():
    x, y, z = numbers(40), *results(40, 40)
    before = x.copy()
    with on_fake(), batching.batch() as calls:
        calls.call(plus, x, y, 1.0)
        calls.call(plus, z, x, 5.0)
        calls.call(plus, z, x, 6.0)
    assert calls.barriers == 2
    np.testing.assert_array_equal(y, before + np.float32(1))
    assert (x == 6).all()


def test_a_missing_barrier_would_show(monkeypatch):
    monkeypatch.setattr(batches, "_conflict", lambda one, other: False)
    x, y, z = numbers(40), *results(40, 40)
    with on_fake(), batching.batch() as calls:
        chain(calls, x, y, z)
    assert not np.array_equal(z, x + np.float32(2))


def test_arrays_live_until_the_device_is_done():
    kept = at_page(64)
    kept[:] = 1
    y = np.zeros(64, np.float32)
    with on_fake(), batching.batch() as calls:
        middle = at_page(64)
        calls.call(plus, kept, middle, 1.0)
        calls.call(plus, middle, y, 1.0)
        alive = weakref.ref(middle)
        del middle
        gc.collect()
        assert alive() is not None
    gc.collect()
    assert alive() is None
    assert (y == 3).all()


def test_buffers_are_given_back_at_once():
    made = []

    class Lists(fake.FakeDevice):
        def buffer(self, length):
            buffer = super().buffer(length)
            made.append(weakref.ref(buffer))
            return buffer

    x, y = numbers(8), np.zeros(8, np.float32)
    gc.disable()
    try:
        with context.use(Lists()), ct.target("metal"):
            plus(x, y, 1.0)
            with batching.batch() as calls:
                calls.call(plus, x, y, 1.0)
            assert [alive() for alive in made] == [None] * 4
    finally:
        gc.enable()


def test_a_part_of_what_a_buffer_has_completes_the_batch_first():
    x, y = numbers(64), np.zeros(64, np.float32)
    z = np.zeros(32, np.float32)
    with on_fake() as device, batching.batch() as calls:
        calls.call(plus, x[:32], y[:32], 1.0)
        calls.call(plus, y[16:48], z, 1.0)
    assert device.done["commit"] == 2
    np.testing.assert_array_equal(z[:16], y[16:32] + np.float32(1))
    assert (z[16:] == 1).all()


def test_a_part_of_a_buffer_that_is_there_needs_no_other():
    x, y, z = numbers(64), *results(64, 32)
    with on_fake() as device, batching.batch() as calls:
        calls.call(plus, x, y, 1.0)
        calls.call(plus, y[16:48], z, 1.0)
    assert device.done["commit"] == 1
    np.testing.assert_array_equal(z, x[16:48] + np.float32(1) + np.float32(1))


def test_a_long_batch_goes_in_parts(monkeypatch):
    monkeypatch.setattr(batches, "_MOST_DISPATCHES", 2)
    x, y, z, w = numbers(8), *results(8, 8, 8)
    with on_fake() as device, batching.batch() as calls:
        chain(calls, x, y, z, w)
    assert device.done["commit"] == 2
    np.testing.assert_array_equal(w, x + np.float32(1) + np.float32(1) + np.float32(1))


def call_and_raise(x, y):
    with batching.batch() as calls:
        calls.call(plus, x, y, 1.0)
        raise RuntimeError("mine")


def test_an_error_in_the_block_runs_nothing():
    x, y = numbers(8), np.zeros(8, np.float32)
    with on_fake() as device:
        with pytest.raises(RuntimeError, match="mine"):
            call_and_raise(x, y)
        with pytest.raises(RuntimeError, match="at once"), batching.batch():
            raise RuntimeError("at once")
    assert "commit" not in device.done
    assert not y.any()


def test_a_failed_batch_changes_no_array_that_was_copied():
    x, y, z = numbers(8), *results(8, 8)
    with on_fake(fake.Fault("complete", 2)):
        with pytest.raises(UnsupportedError) as caught, batching.batch() as calls:
            chain(calls, x, y, z)
        assert caught.value.code == "U405"
        assert not y.any()
        assert not z.any()
        plus(x, y, 1.0)
    np.testing.assert_array_equal(y, x + np.float32(1))


def test_a_call_without_instances_is_a_part_of_a_batch():
    nothing, x, y = np.zeros(0, np.float32), numbers(8), np.zeros(8, np.float32)
    with on_fake() as device, batching.batch() as calls:
        calls.call(plus, nothing, nothing.copy(), 1.0)
        calls.call(plus, x, y, 1.0)
    assert device.done["commit"] == 1
    np.testing.assert_array_equal(y, x + np.float32(1))


def test_a_batch_that_has_ended_takes_no_calls():
    x, y = numbers(8), np.zeros(8, np.float32)
    with on_fake():
        with batching.batch() as ended:
            pass
        with pytest.raises(RuntimeError), batching.batch() as failed:
            raise RuntimeError("mine")
        for calls in (ended, failed):
            with pytest.raises(CertileError) as caught:
                calls.call(plus, x, y, 1.0)
            assert caught.value.code == "A012"


def test_an_empty_batch_commits_nothing():
    with on_fake() as device, batching.batch():
        pass
    assert "commit" not in device.done


def test_a_call_of_another_target_is_no_part_of_a_batch():
    x, y = numbers(8), np.zeros(8, np.float32)
    with on_fake(), batching.batch() as calls:
        with ct.target("reference"):
            elsewhere = plus.prepare(x, y, 1.0)
        with pytest.raises(CertileError) as caught:
            calls.add(elsewhere)
    assert caught.value.code == "U407"
