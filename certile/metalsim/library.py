"""Compile MSL text and launch its kernels on the CPU.

In: text, a mode, NumPy arrays and a launch shape.  Out: the arrays, changed in place, and a
`Report`.  Decides how arguments are checked and bound.  Leaves compilation to
`certile.metalsim.building` and execution to the runtime in `shim/`.
"""

import ctypes
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from certile.diagnostics import ArgumentError, KernelError
from certile.metalsim import abi
from certile.metalsim.binding import Binding, bind
from certile.metalsim.building import Build, built, known
from certile.metalsim.findings import Report, merged
from certile.metalsim.lines import LineTable
from certile.metalsim.rewrite import SOURCE_NAME
from certile.metalsim.rules import MAX_THREADGROUP_BYTES, MAX_THREADS
from certile.metalsim.signature import Entry, Signature
from certile.metalsim.syntax import base_scalar

__all__ = ["Argument", "Library", "LoadedKernel", "RunMode"]

RunMode = Literal["fast", "checked", "bounds"]
Argument = npt.NDArray[np.generic] | np.generic | int | float | bool
Extent = Sequence[int]

_FLAGS: dict[str, int] = {
    "fast": 0,
    "bounds": abi.CHECK_BOUNDS,
    "checked": abi.CHECK_BOUNDS | abi.CHECK_RACES,
}
# The stacks are shared by all libraries, and signal handlers belong to the process.
_ONE_AT_A_TIME = threading.Lock()
if hasattr(os, "register_at_fork"):
    # No child begins its life in the middle of a launch.
    os.register_at_fork(
        before=_ONE_AT_A_TIME.acquire,
        after_in_parent=_ONE_AT_A_TIME.release,
        after_in_child=_ONE_AT_A_TIME.release,
    )
_STACKS: list[int] = []


class Library:
    """The kernels of one MSL text, compiled once.

    `mode="checked"` finds races, uninitialised and out-of-bounds accesses, `"bounds"` only the
    last; `"fast"` watches no memory.  Divergent barriers and collectives are found in every mode.

    Raises:
        KernelError: if `check(text)` finds anything; the error carries its first code.
        ArgumentError: for an unknown mode.
        UnsupportedError: if no clang of version 16 or later is there.
    """

    def __init__(self, text: str, mode: RunMode = "checked") -> None:
        if mode not in _FLAGS:
            raise ArgumentError("X020", f"no mode {mode!r}; one of {', '.join(_FLAGS)}")
        self._text = text
        self._mode = mode
        self._build: Build = "fast" if mode == "fast" else "checked"
        self._image = ctypes.CDLL(str(_compiled(text, self._build)))
        self._image.msl_constant_memory.restype = ctypes.c_void_p
        self._signature = _signature(self._image)
        self._lines: LineTable | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the kernels in order."""
        return tuple(kernel.name for kernel in self._signature.kernels)

    def kernel(self, name: str) -> "LoadedKernel":
        """Return a kernel by name.

        Raises:
            ArgumentError: if the text has no such kernel.
        """
        for kernel in self._signature.kernels:
            if kernel.name == name:
                return LoadedKernel(self, kernel)
        raise ArgumentError("X020", f"no kernel {name!r}; the text has {', '.join(self.names)}")

    def _element_sizes(self, kernel: Entry) -> list[int]:
        count = len(kernel.buffers)
        return list((ctypes.c_uint32 * count).in_dll(self._image, f"msl_sizes_{kernel.name}"))

    def _launch(self, kernel: Entry, launch: abi.Launch) -> abi.Outcome:
        entry = getattr(self._image, f"msl_entry_{kernel.name}")
        launch.entry = ctypes.cast(entry, ctypes.c_void_p).value
        launch.stacks = _stacks(self._image)
        launch.flags = _FLAGS[self._mode]
        if not kernel.synchronises:
            launch.flags |= abi.PLAIN_LOOP
        outcome = abi.Outcome()
        if self._image.msl_run(ctypes.byref(launch), ctypes.byref(outcome)):
            raise MemoryError("no address space for the guarded buffers of a launch")
        return outcome

    def _set_constants(self, values: Mapping[int, bool | int | float]) -> None:
        declared = sorted(constant.index for constant in self._signature.constants)
        if sorted(values) != declared:
            raise ArgumentError(
                "X020", f"function constants {declared} are needed, {sorted(values)} given"
            )
        base = self._image.msl_constant_memory()
        for constant in self._signature.constants:
            value = np.asarray(values[constant.index], dtype=Binding.dtype_of(constant.type))
            ctypes.memmove(base + constant.place, value.tobytes(), value.nbytes)

    def _line(self, place: int) -> int:
        if self._lines is None:
            # The file that was loaded may have been dropped from the cache meanwhile.
            path = _compiled(self._text, self._build)
            self._lines = LineTable(path, SOURCE_NAME)
        return self._lines.line(place)

    def _report(self, outcome: abi.Outcome, threadgroups: int) -> Report:
        raw = outcome.findings[: outcome.finding_count]
        return Report(
            findings=merged(abi.to_finding(finding, self._line) for finding in raw),
            simd_ops=outcome.simd_ops,
            barriers=outcome.barriers,
            simd_barriers=outcome.simd_barriers,
            threadgroup_bytes=outcome.threadgroup_bytes,
            threadgroups=threadgroups,
            stopped=bool(outcome.stopped),
            dropped=outcome.dropped,
        )


class LoadedKernel:
    """One kernel of a `Library`."""

    def __init__(self, library: Library, kernel: Entry) -> None:
        self._library = library
        self._kernel = kernel

    @property
    def signature(self) -> Entry:
        """Its name, buffers, threadgroup parameters and thread limit."""
        return self._kernel

    @property
    def dtypes(self) -> dict[int, str]:
        """The NumPy dtype of an element of each buffer, by index; uint8 for a struct's bytes."""
        scalars = {slot.index: base_scalar(slot.type) for slot in self._kernel.buffers}
        return {i: Binding.dtype_of(name) if name else "uint8" for i, name in scalars.items()}

    def run(
        self,
        buffers: Mapping[int, Argument],
        grid: Extent,
        threads: Extent,
        *,
        offsets: Mapping[int, int] | None = None,
        constants: Mapping[int, bool | int | float] | None = None,
        threadgroup_bytes: int | Mapping[int, int] = 0,
        seed: int = 0,
    ) -> Report:
        """Launch `grid` threadgroups of `threads` threads; arrays change in place.

        `buffers` maps buffer indices to C-contiguous arrays of the declared scalar (bfloat:
        `ml_dtypes.bfloat16` or uint16; a struct: its bytes); a reference parameter also takes a
        Python or NumPy scalar.  `offsets` says where in a buffer, in bytes, the kernel's pointer
        begins; it may go back from there to the buffer's start.  `constants` gives function
        constants, `threadgroup_bytes` the length of `[[threadgroup(n)]]` parameters (a number: of
        index 0).  A `seed` other than 0 shuffles the order of threads, SIMD lanes and threadgroups.

        Raises:
            ArgumentError: X020, for buffers, offsets, extents, constants or a seed that do not fit.
        """
        library, kernel = self._library, self._kernel
        launch = abi.Launch(seed=_seed(seed))
        launch.groups[:] = _extent(grid, "grid")
        launch.threads[:] = _extent(threads, "threads")
        _check_threads(kernel, launch)
        _set_dynamic(kernel, launch, threadgroup_bytes)
        with _ONE_AT_A_TIME:
            # The binding keeps the arrays of converted scalars alive until the run has ended.
            binding = bind(kernel, library._element_sizes(kernel), buffers, launch, offsets or {})
            library._set_constants(constants or {})
            outcome = library._launch(kernel, launch)
            del binding
        groups = launch.groups[0] * launch.groups[1] * launch.groups[2]
        return library._report(outcome, groups)


def _stacks(image: ctypes.CDLL) -> int:
    """Return the threads' stacks; the first library that runs reserves them for all."""
    if not _STACKS:
        image.msl_reserve_stacks.restype = ctypes.c_void_p
        stacks = image.msl_reserve_stacks()
        if not stacks:
            raise MemoryError("no address space for the stacks of 1024 threads")
        _STACKS.append(stacks)
    return _STACKS[0]


def _signature(image: ctypes.CDLL) -> Signature:
    """Return the signature that lies in a library."""
    at = ctypes.addressof(ctypes.c_char.in_dll(image, "msl_signature"))
    return Signature.read(ctypes.string_at(at))


def _compiled(text: str, kind: Build) -> Path:
    """Return the library of clean text; complaints raise, and leave nothing in the cache."""
    made = known(text, kind) or built(text, kind)
    if isinstance(made, Path):
        return made
    first = made[0]
    raise KernelError(
        first.code,
        f"{first.message} (line {first.line}, column {first.column} of the MSL text)",
        notes=[str(d) for d in made[1:]],
    )


def _whole(value: object) -> int | None:
    """An integer of Python or NumPy; None for what is none."""
    return int(value) if isinstance(value, int | np.integer) else None


def _seed(seed: object) -> int:
    value = _whole(seed)
    if value is None or not 0 <= value < 1 << 64:
        raise ArgumentError("X020", f"a seed is a whole number from 0 to 2**64 - 1, not {seed!r}")
    return value


def _extent(extent: object, what: str) -> tuple[int, int, int]:
    found = [_whole(each) for each in extent] if isinstance(extent, Iterable) else []
    values = [value for value in found if value is not None and 1 <= value < 1 << 32]
    if len(found) != 3 or len(values) != 3:
        raise ArgumentError("X020", f"{what} is three positive numbers, not {extent!r}")
    return values[0], values[1], values[2]


def _check_threads(kernel: Entry, launch: abi.Launch) -> None:
    count = launch.threads[0] * launch.threads[1] * launch.threads[2]
    limit = kernel.max_threads or MAX_THREADS
    if count > limit:
        raise ArgumentError(
            "X020", f"{count} threads in a threadgroup; {kernel.name!r} allows {limit}"
        )
    groups = launch.groups[0] * launch.groups[1] * launch.groups[2]
    if groups >= 1 << 32:
        raise ArgumentError("X020", f"{groups} threadgroups; fewer than 2**32 can be run")


def _set_dynamic(kernel: Entry, launch: abi.Launch, given: int | Mapping[int, int]) -> None:
    lengths = dict(given) if isinstance(given, Mapping) else ({0: given} if given else {})
    needed = set(kernel.dynamic)
    if set(lengths) != needed:
        raise ArgumentError(
            "X020", f"[[threadgroup]] lengths {sorted(needed)} needed, {sorted(lengths)} given"
        )
    odd = [length for length in lengths.values() if _whole(length) is None]
    if odd:
        raise ArgumentError("X020", f"a [[threadgroup]] length is a whole number, not {odd[0]!r}")
    if sum(lengths.values()) > MAX_THREADGROUP_BYTES or min(lengths.values(), default=0) < 0:
        raise ArgumentError(
            "X020", f"{sum(lengths.values())} bytes; a device has {MAX_THREADGROUP_BYTES}"
        )
    for index, length in lengths.items():
        launch.dynamic_bytes[index] = length
