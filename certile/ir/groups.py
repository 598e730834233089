"""A program that one group runs, as steps: what its planner counts and its lowering follows.

A step spreads the elements of one domain over the threads of a group, or gives each result of a
reduction to one subgroup of it.  What one step makes and another reads lies in group memory, at
the row-major position of the element, so any thread may read any element; a fence stands before a
step that another thread's access has to come before.  Neither this record nor what makes it
depends on a target's text; how many threads there are is the planner's to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Literal, TypeAlias

from certile.ir.dtypes import DType, bool_, i32, machine
from certile.ir.node import Node
from certile.ir.tile import Carried, Kernel, Memory, Parallel, Reduce, Result, Serial, Tile
from certile.ir.types import Axis
from certile.records import record

Kind = Literal["advance", "assign", "evaluate", "reduce", "serial", "store"]


@record
class Staged:
    """The next elements of a carried tile, while threads still read those of this round."""

    param: Carried


Key: TypeAlias = Node | Memory | Staged


@record
class Place:
    """Arrays of group memory: one a component of what is kept, `elements` long."""

    key: Key
    dtypes: tuple[DType, ...]
    elements: int

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(held(dtype).size for dtype in self.dtypes) * max(1, self.elements)


def held(dtype: DType) -> DType:
    """The type in which group memory keeps values of a type; a condition is a word."""
    return i32 if dtype == bool_ else machine(dtype)


def place_of(node: Node) -> tuple[Key, int] | None:
    """Where a node is kept if it is kept at all, and which of the arrays there.

    Any tile may be kept; reductions and what loops carry are.
    """
    match node:
        case Reduce():
            return node, 0
        case Result(of=Reduce() as reduction, index=index):
            return reduction, index
        case Result(of=Serial(params=params), index=index) if node.axes:
            return params[index], 0
        case Tile() if node.axes:
            return node, 0
        case _:
            return None


@record(eq=False)
class GroupStep:
    """One step; two are equal only when they are one.

    `assign` gives each of `targets` the elements of `values` over `axes`, and `evaluate` computes
    the scalars `values` in every subgroup; `effect` is the load whose snapshot they take, if they
    do.  A tile that is its own target is computed from its operands (`makes`).  `advance` gives
    carried tiles, its `targets`, what was staged for them.  `reduce` makes the reductions `values`,
    whose results span `axes`, from elements over `inner`; with `collective` a subgroup makes a
    result together, else one thread does, in the order of the policy.  `store` writes a buffer and
    `serial` is a loop around `body`, from the scalars `values`: `effect` is that effect.  With
    `fence` all threads wait before the step.
    """

    kind: Kind
    axes: tuple[Axis, ...] = ()
    values: tuple[Tile, ...] = ()
    targets: tuple[Key, ...] = ()
    inner: tuple[Axis, ...] = ()
    effect: Node | None = None
    body: tuple[GroupStep, ...] = ()
    collective: bool = False
    fence: bool = False

    @property
    def elements(self) -> int:
        """The elements, or results, that are spread."""
        return prod(axis.static for axis in self.axes)

    @property
    def reductions(self) -> tuple[Reduce, ...]:
        """What a `reduce` step makes."""
        return tuple(value for value in self.values if isinstance(value, Reduce))

    def makes(self, value: Node) -> bool:
        """Whether a value is made here, of its operands, to be kept.

        What a loop carries is read, also where it or another carried tile becomes it.
        """
        return value in self.targets and not isinstance(value, Carried)


def all_steps(steps: Iterable[GroupStep]) -> Iterator[GroupStep]:
    """Every step, those of a loop after it."""
    for step in steps:
        yield step
        yield from all_steps(step.body)


@record
class GroupProgram:
    """The steps of one program in order, and the group memory they need."""

    kernel: Kernel
    parallel: Parallel
    steps: tuple[GroupStep, ...]
    places: tuple[Place, ...]

    @property
    def shared_bytes(self) -> int:
        """The group memory of one program."""
        return sum(place.size for place in self.places)
