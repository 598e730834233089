"""Launchers of the target `metal`, and which of them a call gets.

In: a compiled program, the kernel it is of, described arguments.  Out: a launcher.  Decides that
arrays of PyTorch on `mps` run through PyTorch, arrays of MLX through MLX where its contract has
room for what the kernel does, and everything else through this process's own device.  Leaves
compiling, buffers and errors to the modules beside it.
"""

from __future__ import annotations

import sys

from certile.diagnostics import UnsupportedError
from certile.ir.tile import Kernel
from certile.pipeline import CompiledLaunch, CompiledProgram
from certile.runtime.bind import Arguments, Launcher, Words
from certile.runtime.launching import groups_of, scalar_argument, scalars_of
from certile.runtime.metal import frameworks
from certile.runtime.metal.batch import Batch, Dispatch, Placed
from certile.runtime.metal.context import Context, current
from certile.runtime.metal.memory import span_of
from certile.runtime.metal.mlx_route import MlxLauncher, unsuited
from certile.runtime.metal.protocol import Pipeline
from certile.runtime.metal.torch_route import TorchLauncher
from certile.runtime.mlx_arrays import address_now

__all__ = ["DeviceLauncher", "FrozenLaunch", "launcher_for"]

# Threadgroups along one dimension of a grid, which Metal counts in 32 bits.
_MOST_GROUPS = (1 << 32) - 1


def launcher_for(compiled: CompiledProgram, kernel: Kernel, arguments: Arguments) -> Launcher:
    """Return what launches a program on arguments of one layout.

    `kernel` is the specialised kernel that was compiled.  Raises `UnsupportedError` U402 where
    nothing drives a device, U403 where it cannot run the program, U407 where a framework cannot.
    """
    devices = {info.device.partition(":")[0] for info in arguments.arrays.values()}
    if devices == {"mps"}:
        return TorchLauncher(compiled, arguments)

    def on_device() -> Launcher:
        return DeviceLauncher(compiled, arguments)

    if not frameworks.mlx_drives_metal():
        return on_device()
    refusal = unsuited(compiled, kernel, arguments)
    if refusal is None:
        return MlxLauncher(compiled, arguments, on_device)
    try:
        return on_device()
    except UnsupportedError as error:
        found = error.diagnostic
        notes = (*found.notes, f"MLX does not run it either: {refusal}")
        raise UnsupportedError(found.code, found.message, notes=notes, hint=found.hint) from error


def _groups(launch: CompiledLaunch, arguments: Arguments) -> int:
    """The number of threadgroups; raises `UnsupportedError` U403 for more than a grid has."""
    groups = groups_of(launch, arguments)
    if groups > _MOST_GROUPS:
        message = f"{groups} threadgroups; a grid of Metal has {_MOST_GROUPS}"
        raise UnsupportedError("U403", message, hint="pass the array in parts")
    return groups


class DeviceLauncher:
    """Runs a program on this process's device, one command buffer a call."""

    def __init__(self, compiled: CompiledProgram, arguments: Arguments) -> None:
        self._arguments = arguments
        self._of_mlx = any(info.framework == "mlx" for info in arguments.arrays.values())
        self._launches = [(launch, _groups(launch, arguments)) for launch in compiled.launches]
        # Compiled here, so that the first call hears of what is wrong before it binds anything.
        self._pipelines(current())

    def __call__(self, words: Words) -> None:
        """Run each launch in order, and wait."""
        if self._of_mlx:
            # A launch before may have given an array of MLX another buffer.
            words = [address_now(word) for word in words]
        self.run(words)

    def run(self, words: Words) -> None:
        """Run each launch at these very addresses, and wait."""
        current().batch().launch(self.dispatches(words))

    def frozen(self, words: Words) -> FrozenLaunch:
        """Return a call that runs the program again on these words."""
        return FrozenLaunch(self, tuple(words))

    def dispatches(self, words: Words) -> list[Dispatch]:
        """Return the launches that have groups, on these addresses and numbers."""
        made = []
        if self._of_mlx:
            # What MLX has not finished may still read memory that is stored to here.
            sys.modules["mlx.core"].synchronize()
        pipelines = self._pipelines(current())
        for (launch, groups), pipeline in zip(self._launches, pipelines, strict=True):
            if groups == 0:
                continue
            artifact = launch.artifact
            values = scalars_of(launch, self._arguments, words)
            pairs = zip(values, artifact.scalars, strict=True)
            made.append(
                Dispatch(
                    artifact.entry,
                    pipeline,
                    tuple(
                        self._placed(name, words, written=buffer.written)
                        for name, buffer in zip(
                            launch.launch.buffers, artifact.buffers, strict=True
                        )
                    ),
                    tuple(scalar_argument(value, s.dtype).tobytes() for value, s in pairs),
                    (groups, 1, 1),
                    (artifact.threads, 1, 1),
                )
            )
        return made

    def _pipelines(self, context: Context) -> list[Pipeline]:
        """The pipelines of the launches, which a context makes once."""
        return [context.pipelines.of(launch.artifact) for launch, _ in self._launches]

    def _placed(self, name: str, words: Words, *, written: bool) -> Placed:
        address = int(words[self._arguments.positions[name]])
        info = self._arguments.arrays[name]._replace(address=address)
        return Placed(info, span_of(info, address, written=written))


class FrozenLaunch:
    """A program on the words of one call: runs at once, or as a part of a batch."""

    def __init__(self, launcher: DeviceLauncher, words: Words) -> None:
        self._launcher = launcher
        self._words = words

    def __call__(self) -> None:
        """Run it, and wait."""
        self._launcher.run(self._words)

    def encode(self, batch: Batch, held: object) -> None:
        """Add it to a batch, which holds `held` until the device is done."""
        batch.run(self._launcher.dispatches(self._words), held)
