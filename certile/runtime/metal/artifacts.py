"""Launch a kernel that another compiler generated from this package's export.

In: a `certile.tirx` device artifact and its arguments.  Out: effects on the arrays.  Decides that
arrays are exactly what the artifact's arguments say, since its text checks nothing.  Leaves
pipelines, buffers and completion to the modules beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from certile.codegen.artifact import Artifact
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.dtypes import BY_NAME
from certile.runtime import arrays
from certile.runtime.launching import scalar_argument
from certile.runtime.metal.batch import Dispatch, Placed
from certile.runtime.metal.context import Context, current
from certile.runtime.metal.memory import span_of
from certile.runtime.metal.protocol import Pipeline

if TYPE_CHECKING:
    from certile.tirx.artifact import Argument, DeviceArtifact

__all__ = ["launch"]

Number: TypeAlias = bool | int | float


def launch(artifact: DeviceArtifact, arguments: Sequence[object]) -> None:
    """Run an artifact of format `msl` on arrays and numbers, in the order of its arguments.

    Raises `ArgumentError` A001, A002, A006, A010 or A204 for arguments that it does not take,
    `UnsupportedError` U403 for another format or a Metal that the device lacks, and what a launch
    raises.
    """
    context = current()
    given = _in_order(artifact, arguments)
    buffers = tuple(_placed(each, value) for each, value in given if each.kind == "buffer")
    scalars = tuple(_bytes(each, value) for each, value in given if each.kind == "scalar")
    pipeline = _pipeline(artifact, context)
    made = Dispatch(artifact.entry, pipeline, buffers, scalars, artifact.grid, artifact.block)
    context.batch().launch([made])


def _in_order(
    artifact: DeviceArtifact, arguments: Sequence[object]
) -> list[tuple[Argument, object]]:
    """Return each argument with its value: buffers first, as their indices have to count."""
    if len(arguments) != len(artifact.arguments):
        message = f"{artifact.entry} takes {len(artifact.arguments)} arguments"
        raise ArgumentError("A001", message)
    pairs = list(zip(artifact.arguments, arguments, strict=True))
    pairs.sort(key=lambda pair: (pair[0].kind == "scalar", pair[0].index))
    if [argument.index for argument, _ in pairs] != list(range(len(pairs))):
        message = f"{artifact.entry} binds numbers before arrays, or leaves an index out"
        raise UnsupportedError("U403", message, hint="export it anew")
    return pairs


def _placed(argument: Argument, value: object) -> Placed:
    info = arrays.describe(value)
    if info.device != "cpu":
        message = f"{argument.name} lives on {info.device}; a launch here takes memory of the host"
        raise ArgumentError("A006", message)
    if argument.written:
        arrays.check_output(info, argument.name)
    if not info.c_ordered:
        raise ArgumentError("A010", f"{argument.name} is not C-ordered")
    if (info.dtype, info.size) != (argument.dtype, argument.count):
        message = (
            f"{argument.name} has {info.size} elements of {info.dtype}; the kernel was exported "
            f"for {argument.count} of {argument.dtype}"
        )
        raise ArgumentError("A010", message)
    if info.address % argument.alignment:
        message = f"{argument.name} is not aligned to {argument.alignment} bytes"
        raise ArgumentError("A010", message)
    return Placed(info, span_of(info, info.address, written=argument.written))


def _bytes(argument: Argument, value: object) -> bytes:
    if not isinstance(value, bool | int | float):
        raise ArgumentError("A002", f"{argument.name} is a number")
    return scalar_argument(value, BY_NAME[argument.dtype]).tobytes()


def _pipeline(artifact: DeviceArtifact, context: Context) -> Pipeline:
    if artifact.format != "msl":
        message = f"{artifact.entry} is {artifact.format}, no Metal text"
        raise UnsupportedError("U403", message, hint="export it for metal")
    if artifact.requires_metal4 and not context.device.facts.metal4:
        raise UnsupportedError("U403", f"{artifact.entry} needs Metal 4")
    return context.pipelines.of(
        Artifact(
            format="msl",
            entry=artifact.entry,
            text=artifact.source,
            threads=prod(artifact.block),
            programs_per_group=1,
            shared_bytes=0,
            buffers=(),
            scalars=(),
            requires_precise_math=artifact.requires_precise_math,
            fingerprint=artifact.fingerprint,
        )
    )
