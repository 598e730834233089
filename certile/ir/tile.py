"""Tile IR: what a kernel means, before anything decides how it runs.

Structured SSA.  Values (`Tile`) are pure and interned, reached through operands; a body lists only
effects, in program order: loads (a load is a snapshot), stores and the regions that hold them.
A tile's type names the axes it spans; the coordinate of an enclosing loop is a scalar
(`LoopIndex`), the coordinate along an axis of the tile itself is an `Iota`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Literal

from certile.diagnostics import Diagnostic
from certile.ir.dtypes import DType, bool_, i64
from certile.ir.functions import FUNCTIONS
from certile.ir.laws import Law
from certile.ir.layouts import Layout
from certile.ir.node import Node, node, operand, operands_if_any
from certile.ir.types import Axis, Extent, TileType, join_axes
from certile.records import record
from certile.source import UNKNOWN_LOC, Loc

Policy = Literal["unordered_tree", "ordered_tree", "fold_left", "fold_right", "reproducible"]
POLICIES: tuple[Policy, ...] = (
    "unordered_tree",
    "ordered_tree",
    "fold_left",
    "fold_right",
    "reproducible",
)
# The reproducible tree: a block's leaves, its accumulators, the distances at which these merge.
REPRODUCIBLE_BLOCK = 4096
REPRODUCIBLE_ACCUMULATORS = 128
REPRODUCIBLE_DISTANCES = (16, 8, 4, 2, 1, 64, 32)
Scope = Literal["auto", "device", "group", "subgroup", "worker", "vector"]


@record
class View:
    """A view argument: typed memory of some rank, any strides, no alias among arguments."""

    name: str
    dtype: DType
    rank: int


@record
class Scalar:
    """A run-time scalar argument."""

    name: str
    dtype: DType


@record
class Memory:
    """Memory a kernel places on purpose: one array per program instance, indexed by its axes.

    `resource` is `worker` (private to the worker that owns the element), `group` or `auto`.
    `layout`, where the author chose one, places the elements; it never changes a value.
    """

    uid: int
    name: str
    dtype: DType
    axes: tuple[Axis, ...]
    resource: Scope
    layout: Layout | None = None

    @property
    def rank(self) -> int:
        return len(self.axes)


Buffer = View | Memory


class Tile(Node):
    """A value: every element exists once, whoever computes it."""

    type: TileType

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.type.axes

    @property
    def dtype(self) -> DType:
        return self.type.dtype


class Effect(Node):
    """Something that happens in order: it stands in a body."""


@node("tile.const")
class Const(Tile):
    """A constant of the type's dtype; the frontend has already rounded it to that type."""

    value: bool | int | float
    type: TileType
    loc: Loc = UNKNOWN_LOC


@node("tile.scalar")
class ScalarArg(Tile):
    """The value of a run-time scalar argument."""

    name: str
    type: TileType
    loc: Loc = UNKNOWN_LOC


@node("tile.extent")
class ExtentValue(Tile):
    """An extent as an i64 scalar.  A `Dim` is replaced by its integer when it is specialised."""

    extent: Extent
    type: TileType = TileType(i64)
    loc: Loc = UNKNOWN_LOC


@node("tile.index")
class LoopIndex(Tile):
    """The coordinate along `axis` of the enclosing `Parallel` or `Serial` region, an i64 scalar."""

    axis: Axis
    type: TileType = TileType(i64)
    loc: Loc = UNKNOWN_LOC


@node("tile.iota")
class Iota(Tile):
    """The coordinate along an axis of the tile itself: 0, 1, … as i64."""

    axis: Axis
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if self.type != TileType(i64, (self.axis,)):
            yield Diagnostic("V001", f"iota over {self.axis} has type {self.type}", self.loc)


@node("tile.map")
class Map(Tile):
    """An element-wise function of the table in `functions`; operands broadcast by axis identity.

    The frontend promotes, so operands have one dtype (`where`: operands 1 and 2; the first is
    bool).
    """

    fn: str
    args: tuple[Tile, ...] = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        function = FUNCTIONS.get(self.fn)
        if function is None or function.arity != len(self.args):
            yield Diagnostic("V002", f"{self.fn} with {len(self.args)} operands", self.loc)
            return
        dtypes = tuple(arg.dtype for arg in self.args)
        alike = dtypes[1:] if self.fn == "where" else dtypes
        stored = any(dtype.is_storage for dtype in alike)
        if len(set(alike)) > 1 or stored or (self.fn == "where" and dtypes[0] != bool_):
            yield Diagnostic("V003", f"{self.fn} of {', '.join(map(str, dtypes))}", self.loc)
        expected = TileType(function.result(dtypes), join_axes(*(arg.axes for arg in self.args)))
        if self.type != expected:
            yield Diagnostic("V001", f"{self.fn} is {expected}, declared {self.type}", self.loc)


@node("tile.cast")
class Cast(Tile):
    """Conversion: float to integer truncates, saturates, NaN -> 0; narrowing rounds to even."""

    value: Tile = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if self.type.axes != self.value.axes:
            yield Diagnostic("V001", f"cast of {self.value.type} to {self.type}", self.loc)


@node("tile.bitcast")
class Bitcast(Tile):
    """The same bits read as another dtype of the same width."""

    value: Tile = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if self.type.axes != self.value.axes or self.type.dtype.bits != self.value.dtype.bits:
            yield Diagnostic("V001", f"bitcast of {self.value.type} to {self.type}", self.loc)


@node("tile.broadcast")
class Broadcast(Tile):
    """The same value along axes it did not span, in the order the type says."""

    value: Tile = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if not set(self.value.axes) <= set(self.axes) or self.dtype != self.value.dtype:
            yield Diagnostic("V001", f"broadcast of {self.value.type} to {self.type}", self.loc)


@node("tile.relabel")
class Relabel(Tile):
    """The same elements along `new` instead of `old`; the extents are equal."""

    value: Tile = operand()
    old: Axis
    new: Axis
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        swapped = tuple(self.new if axis == self.old else axis for axis in self.value.axes)
        if self.old.extent != self.new.extent or self.type != TileType(self.value.dtype, swapped):
            yield Diagnostic("V001", f"relabel of {self.value.type} to {self.type}", self.loc)


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
        if self.type != self.result_types()[0]:
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


@node("tile.gather")
class Gather(Tile):
    """`value` at `index` along `axis`; `fill` (a scalar) where the index is out of range.

    Lazy: an element that is not selected is not read.
    """

    value: Tile = operand()
    index: Tile = operand()
    fill: Tile = operand()
    axis: Axis
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        kept = tuple(axis for axis in self.value.axes if axis != self.axis)
        expected = TileType(self.value.dtype, join_axes(kept, self.index.axes))
        if self.axis not in self.value.axes or self.type != expected:
            yield Diagnostic("V001", f"gather declared {self.type}, is {expected}", self.loc)
        if not self.index.dtype.is_integer or self.fill.dtype != self.dtype:
            yield Diagnostic("V003", "gather index or fill of a wrong type", self.loc)


@node("tile.fallback")
class Fallback(Tile):
    """`values`, or `instead` of them where `when` holds: each is read through `Result`.

    The condition is one scalar: where it holds, all elements of all values are replaced.  What only
    `instead` reads is computed where `when` holds and nowhere else.  The type is that of the first
    value.
    """

    values: tuple[Tile, ...] = operand()
    instead: tuple[Tile, ...] = operand()
    when: Tile = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    @property
    def tried(self) -> tuple[Tile, ...]:
        """What is computed whether or not the condition holds: the values and the condition."""
        return (*self.values, self.when)

    def result_types(self) -> tuple[TileType, ...]:
        """The type of each value."""
        return tuple(value.type for value in self.values)

    def verify(self) -> Iterator[Diagnostic]:
        if not self.values or self.type != self.values[0].type:
            yield Diagnostic("V001", f"fallback declared {self.type}", self.loc)
        if self.result_types() != tuple(value.type for value in self.instead):
            yield Diagnostic(
                "V003", "a fallback's values differ in type from their stead", self.loc
            )
        if self.when.type != TileType(bool_):
            yield Diagnostic("V003", f"a fallback's condition is {self.when.type}", self.loc)


@node("tile.result")
class Result(Tile):
    """Result `index` of a `Reduce`, `Scan`, `Sort` or `Fallback`, or of a `Serial` loop."""

    of: Node = operand()
    index: int
    type: TileType
    loc: Loc = UNKNOWN_LOC


@node("tile.carried", pure=False)
class Carried(Tile):
    """A value a `Serial` loop carries, as its body sees it at the start of an iteration."""

    uid: int
    type: TileType
    loc: Loc = UNKNOWN_LOC


@node("tile.load", pure=False)
class Load(Tile, Effect):
    """The elements of a buffer at `indices`, one i64 tile a dimension: a snapshot in program order.

    With `mask`, an element whose mask is false is not read and is `fill`, or poison without one.
    `assume`: the author vouches that the indices stay inside, so their bounds are not checked.
    """

    buffer: Buffer
    indices: tuple[Tile, ...] = operand()
    mask: Tile | None = operand()
    fill: Tile | None = operand()
    assume: bool = False
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        yield from _access(self, self.buffer, self.indices, self.mask)
        if self.type.dtype != self.buffer.dtype:
            yield Diagnostic("V003", f"load of {self.buffer.dtype} as {self.dtype}", self.loc)


@node("tile.store", pure=False)
class Store(Effect):
    """Write `value` to a buffer at `indices`, where `mask` (if any) is true.

    `assume` is as for a load.
    """

    buffer: Buffer
    indices: tuple[Tile, ...] = operand()
    value: Tile = operand()
    mask: Tile | None = operand()
    assume: bool = False
    loc: Loc = UNKNOWN_LOC

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The element domain: what the indices and the value span together."""
        return join_axes(*(index.axes for index in self.indices), self.value.axes)

    def verify(self) -> Iterator[Diagnostic]:
        yield from _access(self, self.buffer, self.indices, self.mask)
        if self.value.dtype != self.buffer.dtype:
            yield Diagnostic(
                "V003", f"store of {self.value.dtype} to {self.buffer.dtype}", self.loc
            )
        spanned = join_axes(*(index.axes for index in self.indices))
        if not set(self.value.axes) <= set(spanned):
            yield Diagnostic("V004", "the stored value spans an axis its place does not", self.loc)
        if self.mask is not None and not set(self.mask.axes) <= set(spanned):
            yield Diagnostic("V004", "a store's mask spans an axis its place does not", self.loc)


@node("tile.parallel", pure=False)
class Parallel(Effect):
    """Independent instances of `body`, one a point of `over`.  At top level: one launch."""

    over: tuple[Axis, ...]
    body: tuple[Effect, ...]
    scope: Scope = "auto"
    loc: Loc = UNKNOWN_LOC


@node("tile.serial", pure=False)
class Serial(Effect):
    """`body` for 0, step, 2·step, … below the extent of `axis`, in order, carrying values.

    `params[i]` is what the body sees, `inits[i]` its first value, `yields[i]` the next; after the
    loop it is `Result(loop, i)`.
    """

    axis: Axis
    step: int
    inits: tuple[Tile, ...] = operand()
    params: tuple[Carried, ...]
    body: tuple[Effect, ...]
    yields: tuple[Tile, ...]
    scope: Scope = "auto"
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if self.step < 1:
            yield Diagnostic("V005", f"serial step {self.step}", self.loc)
        for init, param, after in zip(self.inits, self.params, self.yields, strict=True):
            if not init.type == param.type == after.type:
                yield Diagnostic(
                    "V003", f"carried {init.type}, {param.type}, {after.type}", self.loc
                )


@record(slots=False)
class Kernel:
    """A traced kernel: its arguments, its memories, and its top-level effects in order.

    `math` says what functions may approximate, `rewrites` whether proved ones may be applied.
    """

    name: str
    params: tuple[View | Scalar, ...]
    memories: tuple[Memory, ...]
    body: tuple[Effect, ...]
    math: Literal["precise", "fast", "portable"] = "precise"
    rewrites: Literal["proved", "off"] = "proved"

    @property
    def views(self) -> tuple[View, ...]:
        return tuple(p for p in self.params if isinstance(p, View))

    @property
    def outputs(self) -> tuple[View, ...]:
        """The views that are stored to, in argument order."""
        stored = {e.buffer for e in effects(self.body) if isinstance(e, Store)}
        return tuple(view for view in self.views if view in stored)

    @property
    def inputs(self) -> tuple[View, ...]:
        """The views that are loaded from, in argument order (a view may be both)."""
        loaded = {e.buffer for e in effects(self.body) if isinstance(e, Load)}
        return tuple(view for view in self.views if view in loaded)


def _access(
    at: Load | Store, buffer: Buffer, indices: tuple[Tile, ...], mask: Tile | None
) -> Iterator[Diagnostic]:
    if len(indices) != buffer.rank:
        yield Diagnostic("V002", f"{len(indices)} indices into rank {buffer.rank}", at.loc)
    if any(index.dtype != i64 for index in indices):
        yield Diagnostic("V003", "an index is not i64", at.loc)
    if mask is not None and mask.dtype != bool_:
        yield Diagnostic("V003", "a mask is not bool", at.loc)


def effects(body: tuple[Effect, ...]) -> Iterator[Effect]:
    """Every effect of a body, nested ones after the region that holds them, in program order."""
    for step in body:
        yield step
        if isinstance(step, Parallel | Serial):
            yield from effects(step.body)


def roots(step: Effect) -> Iterator[Node]:
    """The values an effect reads directly, a loop's yields included."""
    yield from step.operands()
    if isinstance(step, Serial):
        yield from step.yields
