"""The kernels of jitted functions: one kernel function that carries out a small program.

In: a `Program` as a compile-time value, and views.  Out: a tile kernel in the language, so that
everything behind it (planning, bounds, caches, targets) is that of a kernel written by hand.
Decides how steps are said in the language.  Leaves which steps there are to
`certile.jitting.schedule`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence

import certile as ct
from certile.frontend.spec import MathMode
from certile.ir.dtypes import BY_NAME
from certile.jitting.graph import Law
from certile.language import active
from certile.language.values import Axis, Extent, Indexed, Tile
from certile.records import record
from certile.runtime.kernel import TileKernel

__all__ = [
    "Call",
    "Cast",
    "ExtentOf",
    "Load",
    "Program",
    "Reduce",
    "Scan",
    "Step",
    "Write",
    "kernel",
    "name",
]

# The extent of an axis: that of a dimension of an argument, or a number.
ExtentOf = tuple[int, int] | int


@record
class Load:
    """An argument's elements along the axes that it spans."""

    argument: int


@record
class Write:
    """A number as text, since -0.0 and 0.0 or 1 and True are equal as Python values."""

    text: str
    dtype: str


@record
class Call:
    """A function of the table on the values of earlier steps."""

    function: str
    steps: tuple[int, ...]


@record
class Cast:
    """An earlier step's value in a dtype."""

    step: int
    dtype: str


@record
class Reduce:
    """An earlier step's value reduced over axes, in its own dtype."""

    law: Law
    step: int
    axes: tuple[int, ...]


@record
class Scan:
    """The running results of an earlier step's value along an axis, in its own dtype."""

    law: Law
    step: int
    axis: int


Step = Load | Write | Call | Cast | Reduce | Scan


@record
class Program:
    """What one launch computes.

    The first `rows` of the axes count instances; `spans` says which axes each argument has, in the
    order of its dimensions, and `stores` which step's value goes to which argument.
    """

    rows: int
    extents: tuple[ExtentOf, ...]
    spans: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]
    stores: tuple[tuple[int, int], ...]


def name(argument: int) -> str:
    """Return the name of an argument of the kernel."""
    return f"a{argument}"


@functools.lru_cache(maxsize=1024)
def kernel(arguments: int, math: MathMode | None) -> TileKernel:
    """Return the kernel of `arguments` views and a program."""

    def jitted(**given: object) -> None:
        _carry_out(given)

    names = [*map(name, range(arguments)), "program"]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    # A kernel has a fixed list of parameters; how many there are depends on the program.
    signature = inspect.Signature([inspect.Parameter(each, kind) for each in names])
    jitted.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect
    jitted.__annotations__ = {
        **dict.fromkeys(names[:-1], ct.View),
        "program": ct.constexpr,
    }
    return TileKernel(jitted, math, None)


def _carry_out(given: Mapping[str, object]) -> None:
    """Say a program in the language; runs under a kernel's trace."""
    program = given["program"]
    assert isinstance(program, Program)
    views: list[Indexed] = []
    for at in range(len(program.spans)):
        view = given[name(at)]
        assert isinstance(view, Indexed)
        views.append(view)
    axes = _axes(program, views)
    for row in ct.parallel(*axes[: program.rows]):
        coordinates = row if isinstance(row, tuple) else (row,)
        _Body(program, views, axes, (*coordinates, *axes[program.rows :])).run()


def _axes(program: Program, views: Sequence[Indexed]) -> list[Axis]:
    made = []
    for at, source in enumerate(program.extents):
        extent: Extent | int
        extent = source if isinstance(source, int) else views[source[0]].shape[source[1]]
        made.append(ct.axis(f"{'rows' if at < program.rows else 'cols'}{at}", extent))
    return made


class _Body:
    """One instance: the values of the steps so far, and where along each axis it stands."""

    def __init__(
        self,
        program: Program,
        views: Sequence[Indexed],
        axes: Sequence[Axis],
        index: Sequence[Tile | Axis],
    ) -> None:
        self._program = program
        self._views = views
        self._axes = axes
        self._index = index
        self._values: list[Tile] = []

    def run(self) -> None:
        """Carry out the steps and store the results."""
        for step in self._program.steps:
            self._values.append(self._value(step))
        for argument, at in self._program.stores:
            self._views[argument][self._place(argument)] = self._values[at]

    def _value(self, step: Step) -> Tile:
        match step:
            case Load():
                return self._views[step.argument][self._place(step.argument)]
            case Write():
                is_float = BY_NAME[step.dtype].is_float
                number = float.fromhex(step.text) if is_float else int(step.text)
                return ct.cast(bool(number) if step.dtype == "bool" else number, step.dtype)
            case Call():
                operands = (self._values[at] for at in step.steps)
                made: Tile = active.call("elementwise", step.function, *operands)
                return made
            case Cast():
                return ct.cast(self._values[step.step], step.dtype)
            case Reduce():
                return self._reduced(step)
            case Scan():
                tile = self._spread(step.step, (step.axis,))
                scanned: Tile
                scanned = ct.scan(tile, self._axes[step.axis], _LAWS[step.law], dtype=tile.dtype)
                return scanned

    def _reduced(self, step: Reduce) -> Tile:
        tile = self._spread(step.step, step.axes)
        axes = tuple(self._axes[at] for at in step.axes)
        reduced: Tile = ct.reduce(tile, axes, _LAWS[step.law], dtype=tile.dtype)
        return reduced

    def _spread(self, step: int, axes: Sequence[int]) -> Tile:
        """Return a value that spans axes; one that is the same along an axis is repeated."""
        tile = self._values[step]
        spanned = tile.axes
        missing = [self._axes[at] for at in axes if self._axes[at] not in spanned]
        return ct.broadcast_to(tile, (*spanned, *missing)) if missing else tile

    def _place(self, argument: int) -> tuple[Tile | Axis | int, ...]:
        spans = self._program.spans[argument]
        return tuple(self._index[axis] for axis in spans) or (0,)


_LAWS: Mapping[Law, object] = {
    "add": ct.add,
    "mul": ct.mul,
    "maximum": ct.maximum,
    "minimum": ct.minimum,
    "argmax": ct.argmax,
    "argmin": ct.argmin,
}
