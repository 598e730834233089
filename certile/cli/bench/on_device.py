"""A CUDA device as a place to measure: tensors of PyTorch, graphs of launches, the device's clock.

In: the arguments of a subject.  Out: tensors on the device, and turns over them.  Decides that what
counts is what the device takes: launches lie in a graph, so that it does not wait for the host
between them, and times are those between two of its events.  A function that no graph can hold is
called instead, and its row says so.  Leaves loading and launching to `certile.runtime`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from certile.cli.bench.arrays import bits_of, largest_bits, tensor_of
from certile.cli.bench.plans import Asked, best_device_plans
from certile.cli.bench.rivals import Rival
from certile.cli.bench.turns import Contestant, Turns
from certile.cli.memory import require_memory, too_large
from certile.cli.running.data import Arguments
from certile.cli.running.on_cuda import torch_with_device
from certile.cli.subject import Subject
from certile.diagnostics import ArgumentError
from certile.records import record
from certile.settings import Target
from certile.targets import DEFAULTS

__all__ = ["Device", "DeviceTurns"]

Array = np.ndarray[Any, Any]

# Where tensors lie.
DEVICE = "cuda"
# Buffers of a case together take so many times the device's last cache, in so many sets at most.
_CACHES = 4
_MOST_SETS = 32
# A batch takes about so long: events tell half a microsecond apart.
_BATCH_SECONDS = 2e-3
_MOST_LAUNCHES = 2000
# Beside the buffer sets lie the arrays that are judged, the copies' targets, and rivals' results.
_DEVICE_COPIES = 4
_HOST_COPIES = 3
_NOT_CAPTURED = "no graph holds it, so that its time has the host's calls in it"


@record(slots=False)
class _Batch:
    """Launches that are timed as one."""

    enqueue: Callable[[], object]
    launches: int


class DeviceTurns(Turns):
    """Turns on a device: each measures a batch that goes through all buffer sets."""

    def prepare(self, racers: Sequence[Contestant]) -> None:
        """Make a batch of each."""
        self._batches = {id(racer): self._batch(racer) for racer in racers}

    def round(self, racers: Sequence[Contestant]) -> None:
        """Enqueue a batch of each, and wait for all of them.

        The first batch is enqueued once more before, and counts for nothing: the device is idle
        then, and would wait for the host between events.
        """
        cuda, taken = self._torch.cuda, list[tuple[Contestant, Any, Any]]()
        self._batches[id(racers[0])].enqueue()
        for racer in racers:
            begin, end = (cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            self._batches[id(racer)].enqueue()
            end.record()
            taken.append((racer, begin, end))
        cuda.synchronize()
        for racer, begin, end in taken:
            launches = self._batches[id(racer)].launches
            racer.seconds.append(begin.elapsed_time(end) / 1e3 / launches)

    def _batch(self, racer: Contestant) -> _Batch:
        """Return whole walks through the sets, so that each begins with the least lately used."""
        walk = self._walk(racer)
        walk()
        cuda = self._torch.cuda
        begin, end = (cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        walk()
        end.record()
        cuda.synchronize()
        once = max(begin.elapsed_time(end) / 1e3, 1e-7)
        most = max(1, _MOST_LAUNCHES // self._sets)
        walks = max(1, min(most, math.ceil(_BATCH_SECONDS / once)))

        def enqueue() -> None:
            for _ in range(walks):
                walk()

        graph = captured(self._torch, enqueue)
        if graph is None:
            racer.note = _NOT_CAPTURED
        return _Batch(graph or enqueue, walks * self._sets)

    def _walk(self, racer: Contestant) -> Callable[[], None]:
        """Return a call for each buffer set, which keeps what calls make until the next walk.

        What is made anew would otherwise lie in one block, and that in the cache.
        """
        held: deque[Any] = deque(maxlen=self._sets)

        def walk() -> None:
            for at in range(self._sets):
                held.append(racer.run(at))

        return walk


def captured(torch: Any, enqueue: Callable[[], object]) -> Callable[[], object] | None:  # noqa: ANN401 - a module
    """Return what replays the launches that a call enqueues; None where a graph holds none.

    Whatever waits for the device, or reads a number from it, cannot lie in a graph.
    """
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            enqueue()
    except RuntimeError:
        torch.cuda.synchronize()
        # PyTorch's random numbers stay those of the capture that failed; a copy of their state is
        # not part of one.
        random = torch.cuda.default_generators[torch.cuda.current_device()]
        random.graphsafe_set_state(random.clone_state())
        return None
    replay: Callable[[], object] = graph.replay
    return replay


class Device:
    """The CUDA device that PyTorch uses; raises UnsupportedError U303 where there is none."""

    target: Target = "cuda"

    def __init__(self) -> None:
        self._torch = torch_with_device()

    def buffer_sets(self, size: int, working: int, what: str) -> int:
        """Return as many sets as the device's last cache asks for."""
        require_memory(_HOST_COPIES * size + working, what)
        cuda = self._torch.cuda
        cache = cuda.get_device_properties(cuda.current_device()).L2_cache_size
        count: int = max(2, min(_MOST_SETS, math.ceil(_CACHES * cache / size)))
        needed, (free, _) = (2 * count + _DEVICE_COPIES) * size, cuda.mem_get_info()
        if needed > free:
            raise too_large(
                f"{what} takes about {needed / 1e9:.3g} GB of the device; {free / 1e9:.3g} are free"
            )
        return count

    def fresh(self, values: Arguments) -> Arguments:
        """Return tensors of the same bits on the device."""
        torch, named = self._torch, values.items()
        return {
            name: tensor_of(at, torch).to(DEVICE, copy=True) if isinstance(at, np.ndarray) else at
            for name, at in named
        }

    def results(self, arguments: Arguments, like: Arguments) -> Mapping[str, Array]:
        """Return the tensors as arrays of NumPy, bit for bit."""
        arrays = {name: at for name, at in like.items() if isinstance(at, np.ndarray)}
        return {
            name: np.asarray(bits_of(arguments[name].cpu())).view(at.dtype)
            for name, at in arrays.items()
        }

    def require(self, rival: Rival) -> None:
        """Refuse what takes arrays of NumPy, which are not on a device."""
        if rival.torch is None:
            message = f"{rival.name} takes arrays of NumPy, and here they are on a CUDA device"
            hint = "name a function of PyTorch, or of a module that imports torch"
            raise ArgumentError("A309", message, hint=hint)

    def best_plans(self, subject: Subject, arguments: Arguments, count: int) -> list[Asked]:
        """Return plans of a GPU."""
        return best_device_plans(subject, arguments, count, DEFAULTS["cuda"])

    def turns(self, sets: Sequence[Arguments]) -> Turns:
        """Return turns by the device's clock."""
        return DeviceTurns([largest_bits(each, self._torch) for each in sets], self._torch)
