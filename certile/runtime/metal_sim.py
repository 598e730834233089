"""Run a Metal artifact on the CPU: the target `metal-sim`.

In: an artifact of format `msl`, arrays, scalars and the number of programs.  Out: the arrays,
changed in place, and what the run showed.  Decides how arguments become bound buffers, and that a
text is compiled once a process and mode.  Leaves checking and execution to `certile.metalsim`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from certile.codegen.artifact import Artifact
from certile.diagnostics import InternalError
from certile.ir.dtypes import BY_NAME
from certile.metalsim import Library, Report
from certile.metalsim.library import RunMode
from certile.runtime.launching import scalar_argument

if TYPE_CHECKING:
    # Whoever has such an artifact has imported its package, which costs time.
    from certile.tirx.artifact import Argument, DeviceArtifact

__all__ = ["run", "run_device"]


@lru_cache(maxsize=256)
def _library(text: str, mode: RunMode) -> Library:
    return Library(text, mode)


def run(
    artifact: Artifact,
    buffers: Sequence[npt.NDArray[Any]],
    scalars: Sequence[bool | int | float],
    programs: int,
    *,
    offsets: Sequence[int] = (),
    mode: RunMode = "checked",
    seed: int = 0,
) -> Report | None:
    """Launch ceil(programs / programs_per_group) threadgroups; None for no program.

    `buffers` are contiguous arrays in the order of `artifact.buffers` (bf16: ml_dtypes.bfloat16 or
    uint16), `offsets` the bytes of each before the view's first element, none by default, and
    `scalars` values in the order of `artifact.scalars`.  A `seed` other than 0 shuffles
    the order of threads.

    Raises:
        InternalError: M011, when arguments do not fit the artifact.
        KernelError: X…, when the text is not what a Metal compiler accepts: a fault of the emitter.
        UnsupportedError: X030, when there is no clang.
    """
    if len(buffers) != len(artifact.buffers) or len(scalars) != len(artifact.scalars):
        raise InternalError(
            "M011",
            f"{artifact.entry} takes {len(artifact.buffers)} buffers and {len(artifact.scalars)} "
            f"scalars, not {len(buffers)} and {len(scalars)}",
        )
    groups = -(-programs // artifact.programs_per_group)
    if groups == 0:
        return None
    values = [
        scalar_argument(value, parameter.dtype)
        for value, parameter in zip(scalars, artifact.scalars, strict=True)
    ]
    kernel = _library(artifact.text, mode).kernel(artifact.entry)
    bytes_ = [
        array.view(np.uint8) if buffer.dtype.size == 1 and buffer.dtype.kind != "int" else array
        for array, buffer in zip(buffers, artifact.buffers, strict=True)
    ]
    arguments = dict(enumerate([*bytes_, *values]))
    grid, block = (groups, 1, 1), (artifact.threads, 1, 1)
    return kernel.run(arguments, grid, block, offsets=dict(enumerate(offsets)), seed=seed)


def run_device(
    artifact: DeviceArtifact,
    arguments: Mapping[str, Any],
    *,
    mode: RunMode = "checked",
    seed: int = 0,
) -> Report | None:
    """Launch a text that TVM wrote, on arguments by name; raises as `run` does."""
    missing = [each.name for each in artifact.arguments if each.name not in arguments]
    if missing or artifact.format != "msl":
        names = ", ".join(missing)
        message = f"{artifact.entry} of format {artifact.format} is launched without {names}"
        raise InternalError("M011", message)
    bound = {each.index: _device_argument(each, arguments) for each in artifact.arguments}
    kernel = _library(artifact.source, mode).kernel(artifact.entry)
    return kernel.run(bound, artifact.grid, artifact.block, seed=seed)


def _device_argument(argument: Argument, arguments: Mapping[str, Any]) -> npt.NDArray[Any]:
    value = arguments[argument.name]
    dtype = BY_NAME[argument.dtype]
    if argument.kind == "scalar":
        return scalar_argument(value, dtype)
    held: npt.NDArray[Any] = value.view(np.uint8) if dtype.name == "bool" else value
    return held.view(np.uint16) if dtype.name == "bf16" else held
