"""The values of Tile IR that many elements make together: reductions, scans and sorts.

In: values, the axes along which their elements meet, a law, a policy.  Out: nodes (`Tile`) of one
or several results; `verify` yields what is wrong with one.  Decides their types and which
reduction a scan gives the parts of.  Leaves what a law computes to `laws`, and the trees that a
policy allows to lowering.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Literal

from certile.diagnostics import Diagnostic
from certile.ir.dtypes import DType, i64
from certile.ir.laws import Law
from certile.ir.node import node, operand, operands_if_any
from certile.ir.tile.values import Result, Scope, Tile
from certile.ir.types import Axis, TileType, join_axes
from certile.source import UNKNOWN_LOC, Loc

Policy = Literal["unordered_tree", "ordered_tree", "fold_left", "fold_right", "reproducible"]
POLICIES: tuple[Policy, ...] = (
    "unordered_tree",
    "ordered_tree",
    "fold_left",
    "fold_right",
    "reproducible",
)
# What takes one element after another, and what keeps elements in their order.
FOLD_POLICIES: tuple[Policy, ...] = ("fold_left", "fold_right")
ORDERED_POLICIES: tuple[Policy, ...] = ("ordered_tree", *FOLD_POLICIES)
# The reproducible tree: a block's leaves, its accumulators, the distances at which these merge.
REPRODUCIBLE_BLOCK = 4096
REPRODUCIBLE_ACCUMULATORS = 128
REPRODUCIBLE_DISTANCES = (16, 8, 4, 2, 1, 64, 32)


@node("tile.reduce")
class Reduce(Tile):
    """`finalize` of the law's fold of the operands' elements over `axes`, under a policy.

    `over` lists the reduced axes outermost first: that is leaf order.  Several operands are the
    arguments of the law's lift.  `init`, if there is one, is one scalar a state component, merged
    on the left (on the right for fold_right).  `given` are the parameters of the law, one scalar
    each.  With one result the node is the value; with several it is read through `Result` and its
    type is that of the first.
    """

    args: tuple[Tile, ...] = operand()
    init: tuple[Tile, ...] = operand()
    given: tuple[Tile, ...] = operands_if_any(default=())
    over: tuple[Axis, ...]
    law: Law
    policy: Policy
    accumulate: DType
    scope: Scope = "auto"
    type: TileType
    loc: Loc = UNKNOWN_LOC

    @property
    def spanned(self) -> tuple[Axis, ...]:
        """The axes of the operands that are kept, in order."""
        joined = join_axes(*(arg.axes for arg in self.args))
        return tuple(axis for axis in joined if axis not in self.over)

    @property
    def leaves(self) -> int:
        """How many elements one result folds; the reduced axes were specialised."""
        return prod(axis.static for axis in self.over)

    def result_types(self) -> tuple[TileType, ...]:
        """The type of each result of finalize."""
        return tuple(TileType(d, self.spanned) for d in self.law.result_dtypes(self.accumulate))

    def verify(self) -> Iterator[Diagnostic]:
        if self.result_types()[:1] != (self.type,):
            yield Diagnostic("V001", f"reduce declared {self.type}", self.loc)
        if len(self.args) != self.law.operands:
            yield Diagnostic("V002", f"{self.law.name} of {len(self.args)} operands", self.loc)
        if self.init and len(self.init) != len(self.law.state):
            yield Diagnostic(
                "V002", f"{self.law.name} with {len(self.init)} start values", self.loc
            )
        if len(set(self.over)) != len(self.over):
            yield Diagnostic("V004", "an axis is reduced twice", self.loc)


@node("tile.scan")
class Scan(Tile):
    """At each position of `over`, `finalize` of the law's fold of the elements up to there.

    The fold at position k takes the leaves 0 .. k, or 0 .. k - 1 when not `inclusive`; with
    `reverse` the leaves k .. n - 1, or k + 1 .. n - 1.  Earlier leaves stay on the left of a merge,
    regrouping is allowed.  Results span all axes of the operands; several are read through
    `Result`, and the node's type is that of the first.
    """

    args: tuple[Tile, ...] = operand()
    over: Axis
    law: Law
    inclusive: bool
    reverse: bool
    accumulate: DType
    type: TileType
    loc: Loc = UNKNOWN_LOC

    @property
    def total(self) -> Reduce:
        """The reduction of all leaves in order, whose parts this node gives."""
        kept = tuple(axis for axis in self.axes if axis != self.over)
        return Reduce(
            args=self.args,
            init=(),
            over=(self.over,),
            law=self.law,
            policy="ordered_tree",
            accumulate=self.accumulate,
            type=TileType(self.law.result_dtypes(self.accumulate)[0], kept),
            loc=self.loc,
        )

    def result_types(self) -> tuple[TileType, ...]:
        """The type of each result of finalize."""
        spanned = join_axes(*(arg.axes for arg in self.args))
        return tuple(TileType(d, spanned) for d in self.law.result_dtypes(self.accumulate))

    def results(self) -> tuple[Result, ...]:
        """Each result as a node that reads it."""
        types = enumerate(self.result_types())
        return tuple(Result(of=self, index=k, type=each, loc=self.loc) for k, each in types)

    def verify(self) -> Iterator[Diagnostic]:
        if self.type != self.result_types()[0]:
            yield Diagnostic("V001", f"scan declared {self.type}", self.loc)
        if len(self.args) != self.law.operands:
            yield Diagnostic("V002", f"{self.law.name} of {len(self.args)} operands", self.loc)
        if self.over not in self.result_types()[0].axes:
            yield Diagnostic("V004", f"the scanned tiles do not span {self.over}", self.loc)


@node("tile.sort")
class Sort(Tile):
    """The elements of `value` in order along `over`; the first of them span `into` instead.

    The order is total and stable: a NaN is greater than every number and equal to every NaN, zeros
    of both signs are equal, and of equal elements the one at the lower position comes first, in a
    descending order too.  Result 0 holds the elements (each zero as +0, each NaN as the quiet one),
    result 1, where there are `positions`, the i64 coordinate each had.  `into` is `over` where all
    elements are kept.  An `into` of extent 1 may be left out of the type.
    """

    value: Tile = operand()
    over: Axis
    into: Axis
    descending: bool
    positions: bool
    type: TileType
    loc: Loc = UNKNOWN_LOC

    @property
    def spanned(self) -> tuple[Axis, ...]:
        """The axes along which nothing is sorted: each of their points is an order of its own."""
        return tuple(axis for axis in self.value.axes if axis != self.over)

    def result_types(self) -> tuple[TileType, ...]:
        """The type of the elements, and that of their positions where there are any."""
        positions = (TileType(i64, self.axes),) if self.positions else ()
        return (self.type, *positions)

    def verify(self) -> Iterator[Diagnostic]:
        swapped = tuple(self.into if axis == self.over else axis for axis in self.value.axes)
        allowed = [swapped]
        if self.into.extent == 1:
            allowed.append(tuple(axis for axis in swapped if axis != self.into))
        if self.axes not in allowed or self.dtype != self.value.dtype:
            yield Diagnostic("V001", f"sort of {self.value.type} declared {self.type}", self.loc)
        if self.over not in self.value.axes or len(set(swapped)) != len(swapped):
            yield Diagnostic("V004", "a sort's axis is not spanned, or is spanned twice", self.loc)
        kept, given = self.into.extent, self.over.extent
        if isinstance(kept, int) and isinstance(given, int) and kept > given:
            yield Diagnostic("V005", f"{kept} of {given} elements are kept", self.loc)
