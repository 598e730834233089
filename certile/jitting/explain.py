"""The launches of a jitted function, as a person reads them.

In: launches whose kernels carry out a `Program`.  Out: text, one block a launch.  Decides nothing.
Leaves plans and generated code to `certile explain`.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.jitting.program import (
    Call,
    Cast,
    ExtentOf,
    Load,
    Program,
    Reduce,
    Scan,
    Step,
    Write,
)
from certile.ops.launch import Launch, Seen

__all__ = ["text"]


def text(name: str, launches: Sequence[Launch]) -> str:
    """Return the launches in order: their axes, their steps, what they store where.

    Arrays are named by position: the arguments first, then the results, then memory that launches
    hand on.
    """
    if not launches:
        return f"{name}: nothing to launch"
    blocks = [_launch(at, each) for at, each in enumerate(launches, 1)]
    return "\n".join([f"{name}: {len(launches)} launch{'es' * (len(launches) > 1)}", *blocks])


def _launch(number: int, launch: Launch) -> str:
    program = launch.arguments["program"]
    assert isinstance(program, Program)
    seen = [value for value in launch.arguments.values() if isinstance(value, Seen)]
    extents = [_extent(each, seen) for each in program.extents]
    rows, columns = extents[: program.rows], extents[program.rows :]
    lines = [f"launch {number}: rows {_joined(rows)}, columns {_joined(columns)}"]
    lines += [f"  %{at} = {_step(step, program, seen)}" for at, step in enumerate(program.steps)]
    lines += [f"  {_place(at, program, seen)} = %{value}" for at, value in program.stores]
    return "\n".join(lines)


def _extent(source: ExtentOf, seen: Sequence[Seen]) -> int:
    return source if isinstance(source, int) else seen[source[0]].layout.shape[source[1]]


def _joined(extents: Sequence[int]) -> str:
    return "x".join(map(str, extents)) or "none"


def _place(argument: int, program: Program, seen: Sequence[Seen]) -> str:
    axes = ", ".join(_axis(axis, program) for axis in program.spans[argument])
    return f"array{seen[argument].position}[{axes}]"


def _axis(axis: int, program: Program) -> str:
    return f"r{axis}" if axis < program.rows else f"c{axis - program.rows}"


def _step(step: Step, program: Program, seen: Sequence[Seen]) -> str:
    match step:
        case Load():
            return _place(step.argument, program, seen)
        case Write():
            number = float.fromhex(step.text) if "0x" in step.text else step.text
            return f"{number} as {step.dtype}"
        case Call():
            return f"{step.function}({', '.join(f'%{at}' for at in step.steps)})"
        case Cast():
            return f"%{step.step} as {step.dtype}"
        case Reduce():
            axes = ", ".join(_axis(axis, program) for axis in step.axes)
            return f"{step.law} of %{step.step} over {axes}"
        case Scan():
            return f"running {step.law} of %{step.step} along {_axis(step.axis, program)}"
