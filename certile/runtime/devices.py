"""Launchers of the targets that are no CPU: CUDA, and Metal as it runs without a Mac.

In: a compiled program and described arguments.  Out: launchers.  Decides how addresses become what
each runtime takes, and the stream of a CUDA launch.  Leaves compiling and launching one artifact to
`certile.runtime.cuda` and `certile.runtime.metal_sim`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from certile.codegen.artifact import Artifact
from certile.diagnostics import InternalError
from certile.ir.host import RESIDUE_BYTES
from certile.ir.tile import Kernel
from certile.pipeline import CompiledProgram
from certile.runtime import arrays, metal_sim
from certile.runtime.bind import Arguments, Interpreted, Words, as_numpy
from certile.runtime.cache import default_cache, key
from certile.runtime.cuda import device, toolchain
from certile.runtime.launching import scalars_of

__all__ = ["CudaLauncher", "SimulatedLauncher"]


class SimulatedLauncher:
    """Runs the Metal text of a program on the CPU, with every check.

    A run may show a race, an access outside a buffer, a read of memory without a value or a
    divergent barrier.  The interpreter is then asked on the same arguments: what it raises is the
    kernel's own fault (`KernelError` K090 to K093).  Where it finds none the generated code is at
    fault: `InternalError` M022.
    """

    def __init__(self, compiled: CompiledProgram, kernel: Kernel, arguments: Arguments) -> None:
        self._compiled = compiled
        self._kernel = kernel
        self._arguments = arguments
        self._stored = {
            name
            for launch in compiled.launches
            for name, buffer in zip(launch.launch.buffers, launch.artifact.buffers, strict=True)
            if buffer.written
        }

    def __call__(self, words: Words) -> None:
        """Run each launch in order."""
        memory = {name: self._flat(name, words) for name in self._arguments.arrays}
        apart = _interleaved(memory)
        memory |= apart
        before = {name: memory[name].copy() for name in self._stored}
        for launch in self._compiled.launches:
            programs = self._arguments.evaluate(launch.launch.programs)
            report = metal_sim.run(
                launch.artifact,
                [memory[name] for name in launch.launch.buffers],
                scalars_of(launch, self._arguments, words),
                programs,
                offsets=[self._before(name) for name in launch.launch.buffers],
            )
            if report is not None and not report.ok:
                for name, elements in before.items():
                    memory[name][...] = elements
                Interpreted(self._kernel, self._arguments)(words)
                notes = tuple(str(finding) for finding in report.findings)
                raise InternalError("M022", "a simulated launch is not clean", notes=notes)
        for name in apart.keys() & self._stored:
            self._give_back(name, words, apart[name])

    def _give_back(self, name: str, words: Words, copied: np.ndarray[Any, Any]) -> None:
        """Store the elements of a view that was run on a copy; what lies between stays."""
        info = self._arguments.arrays[name]
        steps = tuple(stride * info.itemsize for stride in info.strides)
        first = copied[self._before(name) // info.itemsize :]
        elements = np.lib.stride_tricks.as_strided(first, info.shape, steps)
        as_numpy(info._replace(address=words[self._arguments.positions[name]]))[...] = elements

    def frozen(self, words: Words) -> Callable[[], object]:
        """Return a call that simulates the program again."""
        return functools.partial(self, tuple(words))

    def _flat(self, name: str, words: Words) -> np.ndarray[Any, Any]:
        """Return the memory from the lowest element to the highest, as one dimension."""
        info = self._arguments.arrays[name]
        low, high = arrays.extent(info)
        address = words[self._arguments.positions[name]] + low
        count = (high - low) // info.itemsize
        return as_numpy(info._replace(address=address, shape=(count,), strides=(1,)))

    def _before(self, name: str) -> int:
        """Return the bytes of that memory before the first element: a stride may be negative."""
        return -arrays.extent(self._arguments.arrays[name])[0]


def _interleaved(memory: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """Return copies of the arrays whose memory meets that of another without being the same.

    No element belongs to two of them, which was refused, but a simulated buffer is one run of bytes
    that nobody else may hold.  Arrays of the same memory share a copy.
    """
    spans = {
        name: (flat.ctypes.data, flat.ctypes.data + flat.nbytes) for name, flat in memory.items()
    }
    copies = {
        (low, high): _copied(memory[name])
        for name, (low, high) in spans.items()
        if any((low, high) != (a, b) and low < b and a < high for a, b in spans.values())
    }
    return {name: copies[span] for name, span in spans.items() if span in copies}


def _copied(flat: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a copy that begins as far behind an aligned place: code may rely on where it lies."""
    raw = np.empty(flat.nbytes + 2 * RESIDUE_BYTES, np.uint8)
    begin = (flat.ctypes.data - raw.ctypes.data) % RESIDUE_BYTES
    made: np.ndarray[Any, Any] = raw[begin : begin + flat.nbytes].view(flat.dtype)
    made[...] = flat
    return made


class CudaLauncher:
    """Enqueues a program on the stream that PyTorch uses, or on the default one without it."""

    def __init__(self, compiled: CompiledProgram, arguments: Arguments) -> None:
        self._arguments = arguments
        self._launches = [
            (launch, _cuda_kernel(launch.artifact), arguments.evaluate(launch.launch.programs))
            for launch in compiled.launches
        ]
        self._device = next(iter(arguments.arrays.values())).device

    def __call__(self, words: Words) -> None:
        """Enqueue each launch in order; they run after what the stream holds already."""
        stream = _stream(self._device)
        for launch, kernel, programs in self._launches:
            addresses = [words[self._arguments.positions[name]] for name in launch.launch.buffers]
            kernel.launch(addresses, scalars_of(launch, self._arguments, words), programs, stream)

    def frozen(self, words: Words) -> Callable[[], object]:
        """Return a call that enqueues the program again."""
        return functools.partial(self, tuple(words))


_cuda_kernels: dict[str, device.CudaKernel] = {}


def _cuda_kernel(artifact: Artifact) -> device.CudaKernel:
    known = _cuda_kernels.get(artifact.fingerprint)
    if known is None:
        architecture = device.architecture()
        entry = key("cuda", toolchain.toolchain_version(), architecture, artifact.text)
        cubin = default_cache().get(entry)
        if cubin is None:
            cubin = toolchain.compile_cuda(artifact, architecture)
            default_cache().put(entry, cubin)
        known = _cuda_kernels[artifact.fingerprint] = device.CudaKernel(artifact, cubin)
    return known


def _stream(name: str) -> int:
    """Return the handle of PyTorch's current stream on a device; its context is then current."""
    torch = sys.modules.get("torch")
    if torch is None:
        return 0
    return int(torch.cuda.current_stream(name).cuda_stream)
