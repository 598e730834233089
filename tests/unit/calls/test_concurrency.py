"""Calls from many threads, from inside each other, and beside other owners of threads."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

import certile as ct
from certile.diagnostics import ArgumentError
from certile.runtime import memory


@ct.tile_kernel
def doubled(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2.0


@ct.tile_kernel
def total(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols], cols, ct.add)


twice = ct.op(doubled, outputs={"y": ct.like("x")})


def test_eight_threads_with_large_results():
    """Each result is a block of the pool; a block in use never has two owners."""
    shape = (512, 2048)
    assert 4 * np.prod(shape) >= memory.POOLED_BYTES

    def work(seed):
        x = np.full(shape, seed, np.float32)
        kept = None
        for _ in range(6):
            y = twice(x)
            z = twice(y)
            assert (y == 2 * seed).all()
            assert (z == 4 * seed).all()
            assert kept is None or (kept == 4 * seed).all()
            kept = z
        return seed

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(work, range(1, 9))) == list(range(1, 9))
    memory.clear()


def test_a_kernel_waits_for_another_in_a_thread_that_it_started():
    """The inner calls find the pool of workers busy at times, and run all the same."""
    x = np.arange(4096 * 64, dtype=np.float32).reshape(4096, 64)
    sums = x.astype(np.float64).sum(1)

    def inner(scale):
        y = np.empty(4096, np.float32)
        total(x * np.float32(scale), y)
        np.testing.assert_allclose(y, sums * scale, rtol=1e-6)
        return scale

    def outer(scale):
        with ThreadPoolExecutor(2) as threads:
            found = threads.submit(inner, scale)
            y = twice(x)
            np.testing.assert_array_equal(y, x * 2)
            return found.result()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(outer, range(1, 9))) == list(range(1, 9))


def test_beside_the_threads_of_torch():
    x = torch.arange(512.0 * 512).reshape(512, 512)

    def work(k):
        for _ in range(5):
            y = twice(x + k)
            assert torch.equal(y, (x + k) * 2)
        return k

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(work, range(4))) == list(range(4))


_SCRIPT = """
import numpy as np
import certile as ct
from certile.runtime.cpu.pool import pool

@ct.tile_kernel
def total(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols] * x[r, cols], cols, ct.add)

x = np.random.default_rng(1).standard_normal((3001, 257)).astype(np.float32)
y = np.zeros(3001, np.float32)
total(x, y)
np.testing.assert_allclose(y, (x.astype(np.float64) ** 2).sum(1), rtol=1e-5)
print(pool().threads, y.tobytes().hex())
"""


def test_the_number_of_threads_changes_no_bit():
    shown = {}
    for threads in ("1", "8"):
        made = subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            cwd=Path(__file__).parents[3],
            env={**os.environ, "CERTILE_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        count, shown[threads] = made.stdout.split()
        assert count == threads
    assert shown["1"] == shown["8"]


@pytest.mark.parametrize("threads", ["0", "-1", "many", "1.5"])
def test_a_number_of_threads_that_is_none(monkeypatch, threads):
    monkeypatch.setenv("CERTILE_THREADS", threads)
    y = np.zeros((2, 3), np.float32)
    with pytest.raises(ArgumentError, match="CERTILE_THREADS"):
        doubled(np.ones((2, 3), np.float32), y)
    assert not y.any()
    monkeypatch.delenv("CERTILE_THREADS")
    doubled(np.ones((2, 3), np.float32), y)
    assert (y == 2).all()
