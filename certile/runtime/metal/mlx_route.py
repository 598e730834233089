"""Kernels on arrays of MLX, through `mlx.core.fast.metal_kernel`.

In: a compiled program and arrays of MLX.  Out: a launcher.  Decides which programs and calls MLX's
contract has room for: outputs are fresh memory there, so each must be stored to as a whole, whole
arrays they must be, and none may be read by the launch that stores to it.  The text is generated
for that contract (`codegen.metal.mlx`).  Leaves everything else to the launcher of this process's
own device.

Nothing is copied: inputs go in with their strides as they are, and the array that the caller gave
for an output takes over the buffer of the result.  MLX runs it on its own stream, when somebody
needs the result.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

from certile.analysis.coverage import fills
from certile.codegen.metal.mlx import MlxText, emit_mlx
from certile.diagnostics import Refusal, UnsupportedError
from certile.ir.array_types import MLX_NAMES
from certile.ir.dtypes import DType
from certile.ir.host import RESIDUE_BYTES
from certile.ir.machine import Load, MachineKernel, operations
from certile.ir.tile import Kernel
from certile.ir.walk import parallel_regions
from certile.pipeline import CompiledLaunch, CompiledProgram
from certile.runtime.array_info import HeldAddress
from certile.runtime.bind import Arguments, Launcher, Words
from certile.runtime.buffers import from_buffer
from certile.runtime.launching import groups_of, scalar_argument, scalars_of
from certile.runtime.mlx_arrays import describe, is_mlx
from certile.targets import DEFAULTS

__all__ = ["MlxLauncher", "unsuited"]

# The package is optional, so its names cannot be imported for their types.
MlxArray: TypeAlias = Any

# MLX hands inputs of fewer elements over in constant memory, which our pointers do not reach.
_LEAST_ELEMENTS: Final = 8

# The extents of a grid are numbers of 32 bits to MLX.
_MOST_THREADS: Final = (1 << 31) - 1

# An array like any other that holds more than a few elements.
_FRESH_ELEMENTS: Final = 64


def unsuited(compiled: CompiledProgram, kernel: Kernel, arguments: Arguments) -> Refusal | None:
    """Return why MLX cannot run a program on these arguments, or None."""
    others = [name for name, info in arguments.arrays.items() if info.framework != "mlx"]
    if others:
        return _refusal("every argument is an array of MLX", f"{others[0]} is not")
    shapes = {name: info.shape for name, info in arguments.arrays.items()}
    views = {view.name: view for view in kernel.views}
    regions = parallel_regions(kernel)
    for launch, region in zip(compiled.launches, regions, strict=True):
        machine = launch.launch.kernel
        threads = _threads(launch, arguments)
        if threads > _MOST_THREADS:
            return _refusal(f"a grid has {_MOST_THREADS} threads at most", f"this has {threads}")
        names = dict(zip(machine.buffers, launch.launch.buffers, strict=True))
        for buffer in machine.buffers:
            name = names[buffer]
            if not buffer.written:
                continue
            if _reads(machine, buffer):
                return _refusal("outputs are only stored to", f"the launch reads {name} as well")
            if not fills(region, views[name], shapes):
                return _refusal("an output is stored to as a whole", f"{name} may keep elements")
            info = arguments.arrays[name]
            if not info.c_ordered or info.address % RESIDUE_BYTES != _fresh_residue():
                return _refusal("outputs lie as fresh arrays do", f"{name} does not")
    return None


def _refusal(claim: str, missing: str) -> Refusal:
    return Refusal("target", "mlx_kernel", claim, missing)


def _reads(machine: MachineKernel, buffer: object) -> bool:
    return any(
        isinstance(each, Load) and each.buffer == buffer for each in operations(machine.body)
    )


@functools.cache
def _fresh_residue() -> int:
    """Where MLX's fresh arrays start, as far as code may have been made for it."""
    mlx = sys.modules["mlx.core"]
    return describe(mlx.zeros(_FRESH_ELEMENTS)).address % RESIDUE_BYTES


class MlxLauncher:
    """Runs a program as custom kernels of MLX; `otherwise` makes what runs a call it cannot."""

    def __init__(
        self,
        compiled: CompiledProgram,
        arguments: Arguments,
        otherwise: Callable[[], Launcher],
    ) -> None:
        self._arguments = arguments
        self._steps = [
            (launch, text, _kernel(text), _threads(launch, arguments))
            for launch in compiled.launches
            for text in [emit_mlx(launch.launch.kernel, DEFAULTS["metal"])]
        ]
        self._stored = {name for launch, text, *_ in self._steps for name in _outputs(launch, text)}
        self._otherwise = otherwise
        self._other: Launcher | None = None
        self._tried = False

    def __call__(self, words: Words) -> None:
        """Enqueue each launch in order; the outputs' arrays then have the results' buffers."""
        arrays = self._arrays(words)
        if arrays is None:
            self._elsewhere()(words)
            return
        given = dict(arrays)
        for launch, text, kernel, threads in self._steps:
            if threads:
                self._run(launch, text, partial(kernel, grid=(threads, 1, 1)), arrays, words)
        for name, array in given.items():
            if arrays[name] is not array:
                array[...] = arrays[name].reshape(array.shape)

    def frozen(self, words: Words) -> Callable[[], object]:
        """Return a call that enqueues the program again, on what the arrays hold then."""
        kept = tuple(words)
        arrays = self._arrays(kept)
        if arrays is None:
            return self._elsewhere().frozen(kept)
        laid_out = [(array, describe(array).strides) for array in arrays.values()]

        def run() -> None:
            if all(describe(array).strides == strides for array, strides in laid_out):
                self(kept)
            else:
                # An array that was assigned to may lie otherwise; its memory before is held.
                self._elsewhere().frozen(kept)()

        return run

    def _elsewhere(self) -> Launcher:
        if self._other is None:
            self._other = self._otherwise()
        return self._other

    def _arrays(self, words: Words) -> dict[str, MlxArray] | None:
        """Return the arrays behind the words; None where MLX cannot hand one over.

        Nor can it store to a part of an array, which an operation may see as a whole.
        """
        found: dict[str, MlxArray] = {}
        for name, info in self._arguments.arrays.items():
            word = words[self._arguments.positions[name]]
            if not isinstance(word, HeldAddress) or word.distance:
                return None
            array: MlxArray = word.owner
            if not _handed_over(array):
                return None
            if name in self._stored and array.size != info.size:
                return None
            found[name] = array
        return found

    def _run(
        self,
        launch: CompiledLaunch,
        text: MlxText,
        kernel: Callable[..., list[MlxArray]],
        arrays: dict[str, MlxArray],
        words: Words,
    ) -> None:
        mlx = sys.modules["mlx.core"]
        names = launch.launch.buffers
        values = scalars_of(launch, self._arguments, words)
        numbers = [
            _number(value, scalar.dtype)
            for value, scalar in zip(values, launch.artifact.scalars, strict=True)
        ]
        outputs = [arrays[name] for name in _outputs(launch, text)]
        try:
            made = kernel(
                inputs=[*(_in_memory(arrays[names[index]]) for index in text.inputs), *numbers],
                threadgroup=(text.threads, 1, 1),
                output_shapes=[array.shape for array in outputs],
                output_dtypes=[array.dtype for array in outputs],
                stream=mlx.gpu,
            )
            if not self._tried:
                # Compiled here, so that a refusal is heard in the call that it is of.
                mlx.eval(made)
                self._tried = True
        except (RuntimeError, ValueError) as error:
            raise _refused(text.name, error) from error
        arrays.update(zip(_outputs(launch, text), made, strict=True))


def _outputs(launch: CompiledLaunch, text: MlxText) -> list[str]:
    """The arguments that a launch stores to, as the text has them."""
    return [launch.launch.buffers[index] for index in text.outputs]


def _threads(launch: CompiledLaunch, arguments: Arguments) -> int:
    """The threads of a launch, the grid that MLX counts."""
    return groups_of(launch, arguments) * launch.artifact.threads


def _number(value: bool | int | float, dtype: DType) -> MlxArray:
    """Return a number as an array without dimensions, rounded as it is on every other route."""
    mlx = sys.modules["mlx.core"]
    made = mlx.array(scalar_argument(value, dtype)).reshape(())
    kind = getattr(mlx, MLX_NAMES[dtype.name])
    # NumPy has no bf16: its bits are those of an integer.
    return made if made.dtype == kind else made.view(kind)


def _kernel(text: MlxText) -> Callable[..., list[MlxArray]]:
    """Return MLX's kernel of a text."""
    mlx = sys.modules["mlx.core"]
    make = partial(
        mlx.fast.metal_kernel,
        name=text.name,
        input_names=list(text.input_names),
        output_names=list(text.output_names),
        source=text.body,
        header=text.header,
        ensure_row_contiguous=False,
    )
    math = "safe" if text.requires_precise_math else "fast"
    made: Callable[..., list[MlxArray]]
    try:
        made = make(compile_options={"math_mode": math})
    except TypeError:
        # Versions without the option compile every kernel without fast math.
        made = make()
    return made


def _handed_over(array: MlxArray) -> bool:
    """Whether MLX can be given an array as its memory is, or a copy that lies the same."""
    return is_mlx(array) and (array.size >= _LEAST_ELEMENTS or _c_ordered(array))


def _c_ordered(array: MlxArray) -> bool:
    try:
        from_buffer(array)
    except (TypeError, ValueError, BufferError):
        return False
    return True


def _in_memory(array: MlxArray) -> MlxArray:
    """Return an array that MLX hands over in device memory: itself, or a copy with some more."""
    missing = _LEAST_ELEMENTS - array.size
    if missing <= 0:
        return array
    mlx = sys.modules["mlx.core"]
    return mlx.concatenate([array.reshape(-1), mlx.zeros(missing, array.dtype)])


def _refused(name: str, error: Exception) -> UnsupportedError:
    notes = str(error).strip().splitlines()
    return UnsupportedError("U407", f"MLX does not run {name}", notes=notes)
