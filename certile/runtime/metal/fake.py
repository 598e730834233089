"""A Metal device that is none: it runs the text on a CPU, and fails where it is told to.

In: faults to inject, figures of the device it plays.  Out: a `protocol.Device`.  Decides as little
of what a device does as the launch path can rely on, and that in the least friendly way: memory
that is lent is known by its address alone, so an array that nobody holds is gone; nothing runs
before it is waited for; dispatches between two barriers run in reverse order, so a barrier that is
missing shows.  Leaves compiling and running text to `certile.metalsim`.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from certile import metalsim
from certile.diagnostics import CertileError
from certile.metalsim.library import LoadedKernel, RunMode
from certile.records import record
from certile.runtime.buffers import address_of, from_buffer
from certile.runtime.metal.errors import LibraryError
from certile.runtime.metal.protocol import CompileOptions, DeviceError, DeviceFacts, Domain, Extent
from certile.runtime.metal.toolchain import Offline

__all__ = ["FACTS", "FakeDevice", "Fault", "Stage", "offline"]

Bytes = npt.NDArray[np.uint8]

Stage = Literal[
    "compile",
    "load",
    "function",
    "pipeline",
    "buffer",
    "wrap",
    "queue",
    "command_buffer",
    "encoder",
    "commit",
    "complete",
]

FACTS = DeviceFacts(
    name="a CPU that plays an Apple GPU",
    family=7,
    max_threads=1024,
    shared_bytes=32768,
    max_buffer_bytes=1 << 32,
    unified_memory=True,
    metal4=False,
    language=(3, 1),
    system="no macOS",
)

# Marks what the stand-in of the offline compiler makes.
_LIBRARY_MAGIC = b"MTLB certile stand-in\n"
_ALIGNMENT = 256


@record
class Fault:
    """The next time `stage` is reached, fail with this value of its enumeration.

    Stages that give None instead of an error (buffers, encoders) do that.
    """

    stage: Stage
    value: int | None = None


class FakeDevice:
    """A device whose kernels run in `certile.metalsim`, in `mode`.

    `max_threads`, `simd_width` and `shared_bytes` are those of every pipeline.  `wraps` says
    whether it lends memory of the host.  What was done is counted in `done`.
    """

    def __init__(
        self,
        faults: Iterable[Fault] = (),
        *,
        facts: DeviceFacts = FACTS,
        mode: RunMode = "checked",
        max_threads: int = 1024,
        simd_width: int = 32,
        shared_bytes: int = 0,
        wraps: bool = True,
    ) -> None:
        self.facts = facts
        self.mode: RunMode = mode
        self.max_threads = max_threads
        self.simd_width = simd_width
        self.shared_bytes = shared_bytes
        self.done: dict[str, int] = {}
        self.compiled: list[CompileOptions] = []
        self._wraps = wraps
        self._faults = list(faults)

    def reached(self, stage: Stage) -> Fault | None:
        """Count a stage, and return the fault that waits for it."""
        self.done[stage] = self.done.get(stage, 0) + 1
        found = next((fault for fault in self._faults if fault.stage == stage), None)
        if found is not None:
            self._faults.remove(found)
        return found

    def _raise(self, stage: Stage, domain: Domain) -> None:
        fault = self.reached(stage)
        # A warning comes beside a library, which is there.
        if fault is not None and (domain, fault.value) != ("library", LibraryError.COMPILE_WARNING):
            raise DeviceError(domain, fault.value, f"injected at {stage}")

    def scope(self) -> AbstractContextManager[object]:
        """Return nothing to close: objects of Python need no pool."""
        return nullcontext()

    def compile(self, text: str, options: CompileOptions) -> _Library:
        """Compile text for the CPU."""
        self._raise("compile", "library")
        self.compiled.append(options)
        return _Library(self, text)

    def load(self, path: Path) -> _Library:
        """Load what the stand-in of the offline compiler made."""
        self._raise("load", "library")
        data = path.read_bytes()
        if not data.startswith(_LIBRARY_MAGIC):
            raise DeviceError("library", LibraryError.FILE_NOT_FOUND, f"{path} is no library")
        return _Library(self, data.removeprefix(_LIBRARY_MAGIC).decode())

    def pipeline(self, function: object) -> _Pipeline:
        """Return the pipeline of a function."""
        self._raise("pipeline", "pipeline")
        assert isinstance(function, _Function)
        return _Pipeline(self, function.kernel)

    def buffer(self, length: int) -> _Buffer | None:
        """Return memory of its own, filled with what no kernel should ever show."""
        if self.reached("buffer") is not None:
            return None
        memory = np.full(length + _ALIGNMENT, 0xA5, np.uint8)
        return _Buffer(_aligned(memory), length, memory)

    def wrap(self, address: int, length: int) -> _Buffer | None:
        """Return a buffer over the host's memory, which nothing here keeps alive."""
        if self.reached("wrap") is not None or not self._wraps or address % mmap.PAGESIZE:
            return None
        return _Buffer(address, length, None)

    def queue(self) -> _Queue | None:
        """Return a queue."""
        return None if self.reached("queue") is not None else _Queue(self)


def _aligned(memory: Bytes) -> int:
    start = address_of(from_buffer(memory))
    return start + -start % _ALIGNMENT


class _Function:
    def __init__(self, kernel: LoadedKernel) -> None:
        self.kernel = kernel


class _Library:
    def __init__(self, device: FakeDevice, text: str) -> None:
        self._device = device
        try:
            self._library = metalsim.Library(text, device.mode)
        except CertileError as error:
            raise DeviceError("library", LibraryError.COMPILE_FAILURE, str(error)) from error

    def function(self, name: str) -> _Function:
        fault = self._device.reached("function")
        if fault is not None or name not in self._library.names:
            raise DeviceError("library", LibraryError.FUNCTION_NOT_FOUND, f"no function {name}")
        return _Function(self._library.kernel(name))


class _Pipeline:
    def __init__(self, device: FakeDevice, kernel: LoadedKernel) -> None:
        self.kernel = kernel
        self.max_threads = device.max_threads
        self.simd_width = device.simd_width
        self.shared_bytes = device.shared_bytes


class _Buffer:
    def __init__(self, address: int, length: int, memory: Bytes | None) -> None:
        self.address = address
        self.length = length
        self._memory = memory


@record
class _Run:
    """One dispatch: bytes or (buffer, offset) an index, and the launch's shape."""

    pipeline: _Pipeline
    bound: dict[int, bytes | tuple[_Buffer, int]]
    groups: Extent
    threads: Extent

    def __call__(self) -> None:
        kernel = self.pipeline.kernel
        arguments: dict[int, npt.NDArray[Any]] = {}
        copies: list[tuple[Bytes, Bytes, Bytes]] = []
        bound = {index: where for index, where in self.bound.items() if type(where) is tuple}
        sizes = {index: np.dtype(name).itemsize for index, name in kernel.dtypes.items()}
        memory = {index: _memory(buffer, sizes[index]) for index, (buffer, _) in bound.items()}
        for index, name in kernel.dtypes.items():
            dtype, found = np.dtype(name), self.bound[index]
            if isinstance(found, bytes):
                arguments[index] = np.frombuffer(found, dtype)
                continue
            seen = memory[index]
            if any(_meet(seen, other) for at, other in memory.items() if at != index):
                # Simulated buffers are apart; what a run stored is told by what changed.
                copies.append((seen, seen.copy(), seen.copy()))
                seen = copies[-1][2]
            arguments[index] = seen.view(dtype)
        offsets = {index: bound[index][1] for index in arguments.keys() & bound.keys()}
        report = kernel.run(arguments, self.groups, self.threads, offsets=offsets)
        if not report.ok:
            raise DeviceError("command", 3, "\n".join(map(str, report.findings)))
        for seen, before, after in copies:
            changed = before != after
            seen[changed] = after[changed]


def _memory(buffer: _Buffer, itemsize: int) -> Bytes:
    """Return a buffer as the bytes of whole elements; a pointer into it may go back as well."""
    held = (ctypes.c_uint8 * (buffer.length // itemsize * itemsize)).from_address(buffer.address)
    seen: Bytes = np.ctypeslib.as_array(held)
    return seen


def _meet(one: Bytes, other: Bytes) -> bool:
    """Whether two runs of bytes overlap without being the same."""
    a, b = one.ctypes.data, other.ctypes.data
    same = (a, one.size) == (b, other.size)
    return not same and a < b + other.size and b < a + one.size


class _Encoder:
    def __init__(self, stretches: list[list[_Run]]) -> None:
        # Not the command buffer, which holds this: buffers would stay until cycles are looked for.
        self._stretches = stretches
        self._pipeline: _Pipeline | None = None
        self._bound: dict[int, bytes | tuple[_Buffer, int]] = {}
        self.ended = False

    def set_pipeline(self, pipeline: object) -> None:
        assert isinstance(pipeline, _Pipeline)
        self._pipeline = pipeline

    def set_buffer(self, buffer: object, offset: int, index: int) -> None:
        assert isinstance(buffer, _Buffer)
        assert 0 <= offset < buffer.length, "Metal binds a buffer at a byte that it has"
        self._bound[index] = (buffer, offset)

    def set_bytes(self, data: bytes, index: int) -> None:
        self._bound[index] = data

    def barrier(self) -> None:
        self._stretches.append([])

    def dispatch(self, groups: Extent, threads: Extent) -> None:
        assert self._pipeline is not None
        made = _Run(self._pipeline, dict(self._bound), groups, threads)
        self._stretches[-1].append(made)

    def end(self) -> None:
        self.ended = True


class _CommandBuffer:
    def __init__(self, device: FakeDevice) -> None:
        self._device = device
        self._encoder: _Encoder | None = None
        self._failed: DeviceError | None = None
        self._committed = False
        self.stretches: list[list[_Run]] = [[]]
        self.seconds = 0.0

    def encoder(self) -> _Encoder | None:
        if self._device.reached("encoder") is not None:
            return None
        self._encoder = _Encoder(self.stretches)
        return self._encoder

    def commit(self) -> None:
        assert self._encoder is not None
        assert self._encoder.ended, "Metal aborts a process that commits an open encoder"
        fault = self._device.reached("commit")
        if fault is not None:
            self._failed = DeviceError("command", fault.value, "injected at commit")
        self._committed = True

    def wait(self) -> None:
        assert self._committed, "who waits for what was not committed waits for ever"
        fault = self._device.reached("complete")
        if fault is not None:
            self._failed = DeviceError("command", fault.value, "injected at complete")
        if self._failed is not None:
            raise self._failed
        for stretch in self.stretches:
            _in_any_order(stretch)


def _in_any_order(stretch: Sequence[_Run]) -> None:
    """Run dispatches that no barrier parts: from the last, as a device may."""
    for run in reversed(stretch):
        run()


class _Queue:
    def __init__(self, device: FakeDevice) -> None:
        self._device = device

    def command_buffer(self) -> _CommandBuffer | None:
        if self._device.reached("command_buffer") is not None:
            return None
        return _CommandBuffer(self._device)


def offline(version: str = "a stand-in") -> Offline:
    """Return an offline compiler whose libraries `FakeDevice` loads: they hold the text."""

    def run(command: Sequence[str]) -> tuple[int, str]:
        made, source = Path(command[command.index("-o") + 1]), Path(command[-1])
        made.write_bytes(_LIBRARY_MAGIC + source.read_bytes())
        return 0, ""

    return Offline(version, run)
