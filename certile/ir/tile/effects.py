"""The effects of Tile IR: loads, stores, the regions that hold them, and the kernel around these.

In: values.  Out: arguments, memories, effects and kernels; `verify` yields what is wrong with an
effect.  Leaves values to `values` and `aggregates`, and what spans a whole kernel to
`certile.ir.verify`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from certile.diagnostics import Diagnostic
from certile.ir.dtypes import DType, bool_, i64
from certile.ir.layouts import Layout
from certile.ir.node import Node, node, operand
from certile.ir.tile.values import Carried, Scope, Tile
from certile.ir.types import Axis, TileType, join_axes
from certile.records import record
from certile.source import UNKNOWN_LOC, Loc


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


class Effect(Node):
    """Something that happens in order: it stands in a body."""


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
