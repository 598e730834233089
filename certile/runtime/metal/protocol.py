"""What the launch path needs of a Metal device, and nothing more.

In: nothing.  Out: protocols, the facts of a device, and `DeviceError`.  Decides which part of
Metal is used: libraries, compute pipelines, shared buffers, one queue, compute encoders of
concurrent dispatch with explicit barriers.  `pyobjc` implements it on macOS, `fake` everywhere.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol

from certile.records import record

__all__ = [
    "Buffer",
    "CommandBuffer",
    "CompileOptions",
    "Device",
    "DeviceError",
    "DeviceFacts",
    "Domain",
    "Encoder",
    "Extent",
    "Function",
    "Library",
    "Pipeline",
    "Queue",
]

Domain = Literal["library", "pipeline", "command"]
Extent = tuple[int, int, int]


@record
class DeviceFacts:
    """What a device says of itself; `family` is the greatest n of MTLGPUFamilyApple<n>, or 0."""

    name: str
    family: int
    max_threads: int
    shared_bytes: int
    max_buffer_bytes: int
    unified_memory: bool
    metal4: bool
    language: tuple[int, int]
    system: str


@record
class CompileOptions:
    """How a text is compiled: with or without fast math, and as which version of the language."""

    fast_math: bool
    language: tuple[int, int] = (3, 1)


class DeviceError(Exception):
    """An NSError of Metal: the enumeration it is of, its value there (None: of another), its text.

    Never leaves the launch path: `errors.translated` makes one of this package's errors of it.
    """

    def __init__(self, domain: Domain, value: int | None, text: str) -> None:
        super().__init__(text)
        self.domain: Domain = domain
        self.value = value
        self.text = text


class Function(Protocol):
    """A function of a library."""


class Library(Protocol):
    """Compiled text."""

    def function(self, name: str) -> Function:
        """Return a function; raises `DeviceError`, where there is none of this name."""


class Pipeline(Protocol):
    """A function as the device runs it."""

    @property
    def max_threads(self) -> int:
        """The most threads of a threadgroup, given the registers that the function needs."""

    @property
    def simd_width(self) -> int:
        """Threads of a SIMD group."""

    @property
    def shared_bytes(self) -> int:
        """Threadgroup memory that the function declares."""


class Buffer(Protocol):
    """Memory that device and host share."""

    @property
    def address(self) -> int:
        """Where it lies for the host."""


class Encoder(Protocol):
    """Writes dispatches into a command buffer; they may run at once between two barriers."""

    def set_pipeline(self, pipeline: Pipeline) -> None:
        """Use this pipeline from here on."""

    def set_buffer(self, buffer: Buffer, offset: int, index: int) -> None:
        """Bind a buffer from this byte on to an index."""

    def set_bytes(self, data: bytes, index: int) -> None:
        """Bind a copy of a few bytes to an index."""

    def barrier(self) -> None:
        """Let what follows see everything that dispatches before have stored."""

    def dispatch(self, groups: Extent, threads: Extent) -> None:
        """Launch so many threadgroups of so many threads, along three dimensions."""

    def end(self) -> None:
        """Close the encoder."""


class CommandBuffer(Protocol):
    """Work that the device does as one."""

    def encoder(self) -> Encoder | None:
        """Return an encoder of concurrent dispatch; None where Metal gives none."""

    def commit(self) -> None:
        """Hand the work to the device."""

    def wait(self) -> None:
        """Wait until the work is done; raises `DeviceError` if it failed."""

    @property
    def seconds(self) -> float:
        """How long the device took, once the work is done."""


class Queue(Protocol):
    """Command buffers in order."""

    def command_buffer(self) -> CommandBuffer | None:
        """Return a fresh command buffer; None where Metal gives none."""


class Device(Protocol):
    """A GPU.  What makes objects raises `DeviceError` as documented with Metal's error codes."""

    @property
    def facts(self) -> DeviceFacts:
        """What the device says of itself."""

    def scope(self) -> AbstractContextManager[object]:
        """Return what objects that Metal makes for a moment live in, an autorelease pool."""

    def compile(self, text: str, options: CompileOptions) -> Library:
        """Compile text at run time."""

    def load(self, path: Path) -> Library:
        """Load a library that the offline toolchain made."""

    def pipeline(self, function: Function) -> Pipeline:
        """Return the pipeline of a function."""

    def buffer(self, length: int) -> Buffer | None:
        """Return shared memory; None where there is not enough."""

    def wrap(self, address: int, length: int) -> Buffer | None:
        """Return a buffer over memory of the host, from a page's start on; None if Metal declines.

        The caller keeps the memory until no command buffer uses it any more.
        """

    def queue(self) -> Queue | None:
        """Return a queue; None where Metal gives none."""
