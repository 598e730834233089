"""A kernel where it is not alone: beside a process that takes a core, and in turn with PyTorch.

In: nothing.  Out: figures by name.  `core taken` is the time of a call, while another process keeps
one core busy, over that of one thread with nobody beside it; `after torch` is PyTorch's time over
certile's where each call follows an operation of PyTorch, whose threads still look for work then.
Every result is checked against float64 first.  Decides the cases.  That a child of a fork ends is
no figure; tests hold it.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from certile.settings import allowed_cpus

SHAPES = ("4096x4096", "64x4096")
_ROUNDS = 3
_SECONDS = 0.25
_LEAST_CALLS = 9

_BUSY = "while True: pass"
_CALLS = """
import os, sys
os.environ["CERTILE_THREADS"] = sys.argv[1]
from certile.cli.budgets.shared_cores import seconds_a_call
print(seconds_a_call(sys.argv[2]))
"""


def figures() -> dict[str, float]:
    """Measure both shapes; without a second core nothing can be taken, and that figure is left out.

    Raises RuntimeError where a result is wrong.
    """
    found: dict[str, float] = {}
    for shape in SHAPES:
        if allowed_cpus() > 1:
            found[f"softmax {shape} core taken"] = _beside_a_busy_process(shape)
        found[f"softmax {shape} after torch"] = _in_turn_with_torch(shape)
    return found


def seconds_a_call(shape: str) -> float:
    """Return the median time of a softmax of f32 rows with `out=` in this process."""
    work, _, _ = _softmax_of(shape)
    return statistics.median(_times(work))


def _beside_a_busy_process(shape: str) -> float:
    """Return the time of all threads with one core taken over that of one thread, in turns."""
    alone, beside = [], []
    for _ in range(_ROUNDS):
        alone.append(_in_a_process(1, shape))
        with _one_core_taken():
            beside.append(_in_a_process(allowed_cpus(), shape))
    return statistics.median(beside) / statistics.median(alone)


def _in_a_process(threads: int, shape: str) -> float:
    command = [sys.executable, "-c", _CALLS, str(threads), shape]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@contextlib.contextmanager
def _one_core_taken() -> Iterator[None]:
    """Keep the last core that this process may use busy; where none can be named, any."""
    with subprocess.Popen([sys.executable, "-c", _BUSY]) as busy:
        try:
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(busy.pid, {max(os.sched_getaffinity(0))})
            yield
        finally:
            busy.kill()


def _in_turn_with_torch(shape: str) -> float:
    """Return the time of PyTorch's softmax over certile's, each called after a sum of PyTorch's."""
    import torch

    ours, x, y = _softmax_of(shape)
    rows, result = torch.from_numpy(x), torch.from_numpy(y)
    more = torch.empty_like(rows)

    def theirs() -> object:
        return torch.softmax(rows, -1, out=result)

    times: dict[Callable[[], object], list[float]] = {ours: [], theirs: []}
    until = time.perf_counter() + _ROUNDS * _SECONDS
    while time.perf_counter() < until:
        for contestant, taken in times.items():
            torch.add(rows, rows, out=more)
            taken.append(_seconds(contestant))
    return statistics.median(times[theirs]) / statistics.median(times[ours])


def _softmax_of(shape: str) -> tuple[Callable[[], object], Any, Any]:
    """Return a call that was made and checked once, its input and its output.

    The input is f32 of a normal distribution, so that 2e-6 is some ten times what rounding makes.
    """
    from certile import ops
    from certile.cli.options import parse_shape

    x = np.random.default_rng(1).standard_normal(parse_shape(shape), np.float32)
    y = np.empty_like(x)

    def work() -> object:
        return ops.softmax(x, out=y)

    work()
    e = np.exp(x, dtype=np.float64)
    if not np.allclose(y, e / e.sum(axis=-1, keepdims=True), rtol=2e-6, atol=0):
        raise RuntimeError(f"softmax {shape} is wrong")
    return work, x, y


def _times(work: Callable[[], object]) -> list[float]:
    """Return what calls took in a short while."""
    until = time.perf_counter() + _SECONDS
    times = [_seconds(work) for _ in range(_LEAST_CALLS)]
    while time.perf_counter() < until:
        times.append(_seconds(work))
    return times


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
