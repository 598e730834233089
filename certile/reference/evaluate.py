"""Values of Tile IR for all instances at once: from a node to an array.

In: nodes, with what loads and loops have bound.  Out: `Value`s.  Decides where a value is made
(once, in the outermost region that knows all it reads) and how tiles of different axes meet.
Leaves effects to `tile`, arithmetic to `functions`, reductions to `laws`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from certile.ir.node import Node
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Cast,
    Const,
    ExtentValue,
    Fallback,
    Gather,
    Iota,
    LoopIndex,
    Map,
    Reduce,
    Relabel,
    Result,
    ScalarArg,
    Scan,
    Sort,
    Tile,
)
from certile.ir.types import Axis, Dim
from certile.reference import laws, scans, sorting
from certile.reference import machine_numeric as numeric
from certile.reference.access import is_never_negative
from certile.reference.bounding import Freedom, bound, bound_conversion
from certile.reference.functions import apply
from certile.reference.machine_numeric import Array
from certile.reference.memory import poison_fault
from certile.reference.trees import Fused
from certile.reference.values import Value, either

Arguments = Mapping[str, Array | bool | int | float]
# Functions of two operands that only their difference decides.
_OF_DIFFERENCE = frozenset(("sub", "eq", "ne", "lt", "le", "gt", "ge"))

# Levels of trees; a reduction that is computed as a result of another says so.
Depth = int | Mapping[Reduce | Scan, int | Fused] | None


@dataclass(slots=True)
class _Frame:
    """The values of one open region; `levels` counts the parallel regions around it."""

    levels: int
    memo: dict[Node, tuple[Value, ...]] = field(default_factory=dict)


class Evaluator:
    """The open regions and the values they have made."""

    def __init__(self, arguments: Arguments, how: Freedom | None, depth: Depth) -> None:
        self._arguments = arguments
        self._how, self._depth = how, depth
        self._frames = [_Frame(0)]
        self._places: dict[Node, int] = {}
        self._rules: dict[type[Node], Callable[[Node], tuple[Value, ...]]] = {
            Const: self._const,
            ScalarArg: self._scalar,
            ExtentValue: self._extent_value,
            Iota: self._iota,
            Map: self._map,
            Cast: self._cast,
            Bitcast: self._bitcast,
            Broadcast: self._broadcast,
            Relabel: self._relabel,
            Gather: self._gather,
            Reduce: self._reduce,
            Scan: self._scan,
            Result: self._result,
            Fallback: self._fallback,
            Sort: self._sort,
        }

    def _open(self, levels: int, coordinates: Mapping[Axis, Value]) -> None:
        self._frames.append(_Frame(levels))
        for axis, value in coordinates.items():
            self._frames[-1].memo[LoopIndex(axis=axis)] = (value,)

    def _close(self) -> None:
        self._frames.pop()
        # A value may be made at another depth in another region.
        self._places.clear()

    def _bind(self, at: Node, values: tuple[Value, ...]) -> None:
        self._frames[-1].memo[at] = values

    def extent(self, axis: Axis) -> int:
        """The length of an axis in this call."""
        if isinstance(axis.extent, Dim):
            return self._length(axis.extent)
        return axis.extent

    def _length(self, dim: Dim) -> int:
        array = self._arguments[dim.view]
        assert isinstance(array, np.ndarray)
        return int(array.shape[dim.dim])

    def _known(self, at: Node) -> tuple[Value, ...] | None:
        for frame in reversed(self._frames):
            if at in frame.memo:
                return frame.memo[at]
        return None

    def _value(self, root: Node) -> Value:
        """The value of a node; made once in the outermost region that knows all it reads."""
        return self._values(root)[0]

    def _values(self, root: Node) -> tuple[Value, ...]:
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            at, ready = stack.pop()
            if self._known(at) is not None:
                continue
            if ready:
                self._frames[self._home(at)].memo[at] = self._rules[type(at)](at)
                continue
            stack.append((at, True))
            stack.extend((below, False) for below in at.operands())
        found = self._known(root)
        assert found is not None
        return found

    def _home(self, at: Node) -> int:
        """The number of the innermost frame that a value depends on."""
        known = self._places.get(at)
        if known is None:
            known = next((n for n in range(len(self._frames)) if at in self._frames[n].memo), None)
        if known is None:
            known = max((self._home(below) for below in at.operands()), default=0)
        self._places[at] = known
        return known

    def _levels(self, at: Node) -> int:
        return self._frames[self._home(at)].levels

    def _aligned(self, tile: Tile, axes: Sequence[Axis], levels: int) -> Value:
        """A value with `levels` leading dimensions and one for each of `axes`, which it repeats."""
        value = self._value(tile)
        own = tile.axes
        order = [*range(value.levels), *(value.levels + own.index(a) for a in axes if a in own)]

        def arrange(array: Array) -> Array:
            moved = array.transpose(order)
            lead, rest = moved.shape[: value.levels], list(moved.shape[value.levels :])
            dims = [rest.pop(0) if axis in own else 1 for axis in axes]
            return moved.reshape((*lead, *(1,) * (levels - value.levels), *dims))

        return value.each(arrange, levels)

    def _whole(self, tile: Tile, axes: Sequence[Axis]) -> Value:
        """A value as the innermost region sees it, with every axis at its full length."""
        value = self._aligned(tile, axes, self._frames[-1].levels)
        extents = tuple(map(self.extent, axes))
        return value.each(
            lambda array: np.broadcast_to(array, (*array.shape[: value.levels], *extents))
        )

    def _const(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Const)
        return (Value(np.array(at.value).astype(numeric.carrier(at.dtype))),)

    def _scalar(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, ScalarArg)
        given = np.asarray(self._arguments[at.name]).astype(numeric.storage(at.dtype))
        return (Value(given.astype(numeric.carrier(at.dtype))),)

    def _extent_value(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, ExtentValue)
        length = self._length(at.extent) if isinstance(at.extent, Dim) else at.extent
        return (Value(np.array(length, np.int64)),)

    def _iota(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Iota)
        return (Value(np.arange(self.extent(at.axis))),)

    def _map(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Map)
        args = [self._aligned(arg, at.axes, self._levels(at)) for arg in at.args]
        dtype = at.args[-1].dtype
        data = apply(
            at.fn, [a.data for a in args], dtype, None if self._how is None else self._how.overrides
        )
        poison = (
            self._select_poison(at, args)
            if at.fn == "where"
            else either(*(arg.poison for arg in args))
        )
        error = None if self._how is None else self._bound(at, args, data)
        return (self._made(at, data, poison, error),)

    def _bound(self, at: Map, args: Sequence[Value], data: Array) -> Array | None:
        """The error bound of an element-wise function; a value differs from itself by nothing."""
        assert self._how is not None
        if at.fn in _OF_DIFFERENCE and at.args[0] is at.args[1]:
            return None
        never_negative = at.fn == "sqrt" and is_never_negative(at.args[0])
        return bound(
            at.fn, args, at.args[-1].dtype, data, at.dtype, self._how, never_negative=never_negative
        )

    def _made(self, at: Node, data: Array, poison: Array | None, error: Array | None) -> Value:
        if poison is not None:
            poison = np.broadcast_to(poison, data.shape) if poison.any() else None
        return Value(data, self._levels(at), poison, error)

    def _select_poison(self, at: Map, args: Sequence[Value]) -> Array | None:
        condition, yes, no = args
        if condition.poison is not None and condition.poison.any():
            raise poison_fault("a condition", at.loc)
        if yes.poison is None and no.poison is None:
            return None
        none = np.zeros((1,) * condition.data.ndim, np.bool_)
        return np.where(
            condition.data,
            none if yes.poison is None else yes.poison,
            none if no.poison is None else no.poison,
        )

    def _cast(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Cast)
        value = self._value(at.value)
        source = at.value.dtype
        data = numeric.convert(value.data, source, at.dtype)
        error = (
            None
            if self._how is None
            else bound_conversion(value, source, at.dtype, data, self._how)
        )
        return (replace(value, data=data, error=error),)

    def _bitcast(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Bitcast)
        value = self._value(at.value)
        data = numeric.reinterpret(value.data, at.value.dtype, at.dtype)
        error = None if value.error is None else np.where(value.error > 0, np.inf, 0.0)
        return (replace(value, data=data, error=error),)

    def _broadcast(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Broadcast)
        return (self._aligned(at.value, at.axes, self._levels(at)),)

    def _relabel(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Relabel)
        return (self._value(at.value),)

    def _result(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Result)
        return (self._values(at.of)[at.index],)

    def _fallback(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Fallback)
        pairs = zip(at.instead, at.values, strict=True)
        chosen = (Map(fn="where", args=(at.when, a, b), type=b.type) for a, b in pairs)
        return tuple(self._value(each) for each in chosen)

    def _gather(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Gather)
        levels = self._levels(at)
        kept = [axis for axis in at.value.axes if axis != at.axis]
        source = self._aligned(at.value, [*kept, at.axis], levels)
        extent = self.extent(at.axis)
        source = source.each(lambda a: np.broadcast_to(a, (*a.shape[:-1], extent)))
        index = self._aligned(at.index, at.axes, levels)
        fill = self._aligned(at.fill, at.axes, levels)
        if index.poison is not None and index.poison.any():
            raise poison_fault("an index", at.loc)
        inside = (index.data >= 0) & (index.data < extent)
        if extent == 0:
            return (self._made(at, np.broadcast_to(fill.data, inside.shape), None, fill.error),)
        places = self._gather_places(at, source, np.where(inside, index.data, 0), levels)
        picked = source.full().each(lambda array: array[places])
        data = np.where(inside, picked.data, fill.data)
        poison = None if picked.poison is None else picked.poison & inside
        error = picked.error
        if error is not None:
            error = np.where(inside, error, 0.0)
        if index.error is not None:
            error = np.where(index.error > 0, np.inf, 0.0 if error is None else error)
        if error is not None:
            error = np.broadcast_to(error, data.shape)
        return (self._made(at, data, poison, error),)

    def _gather_places(
        self, at: Gather, source: Value, index: Array, levels: int
    ) -> tuple[Array, ...]:
        """One index array a dimension of the source, open along the others."""
        rank = levels + len(at.axes)
        kept = [axis for axis in at.value.axes if axis != at.axis]
        positions = [*range(levels), *(levels + at.axes.index(axis) for axis in kept)]
        places = []
        for dim, position in enumerate(positions):
            shape = [1] * rank
            shape[position] = source.data.shape[dim]
            places.append(np.arange(source.data.shape[dim]).reshape(shape))
        return (*places, index)

    def _sort(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Sort)
        levels = self._levels(at)
        extent, wanted = self.extent(at.over), self.extent(at.into)
        source = self._aligned(at.value, [*at.spanned, at.over], levels)
        source = source.each(lambda a: np.broadcast_to(a, (*a.shape[:-1], extent)))
        if source.poison is not None and source.poison.any():
            raise poison_fault("a sort", at.loc)
        place = levels + at.value.axes.index(at.over)

        def put(array: Array) -> Array:
            if at.into not in at.axes:
                return np.asarray(array[..., 0])
            return np.moveaxis(array[..., :wanted], -1, place)

        values, positions = sorting.order(source, descending=at.descending)
        made = (values.each(put), positions.each(put))
        return made if at.positions else made[:1]

    def _reduce(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Reduce)
        levels = self._levels(at)
        args = self._leaves(at, levels)
        lead, count = args[0].data.shape[:-1], args[0].data.shape[-1]
        init = [
            self._aligned(start, at.spanned, levels).each(lambda a: np.broadcast_to(a, lead))
            for start in at.init
        ]
        depth = self._depth_of(at, count)
        written = depth.written if isinstance(depth, Fused) else depth
        found = laws.reduce(at, args, init, self._how, written)
        if isinstance(depth, Fused) and self._how is not None:
            inner, kept = max(levels, self._levels(depth.node)), depth.node.spanned
            leaves = self._leaves(depth.node, inner)
            beyond = [inner + k for k, axis in enumerate(kept) if axis not in at.spanned]
            found = laws.made_by(depth, leaves, found, self._how, (*range(levels, inner), *beyond))
        return tuple(Value(value.data, levels, None, value.error) for value in found)

    def _depth_of(self, at: Reduce | Scan, count: int) -> int | Fused:
        """What is known of a tree; as many levels as leaves where nothing is."""
        depth = self._depth.get(at) if isinstance(self._depth, Mapping) else self._depth
        return count if depth is None else depth

    def _leaves(self, at: Reduce, levels: int) -> list[Value]:
        """The operands of a reduction, with its leaves in order along the last dimension.

        Behind them are the parameters of its law, which have one element there.
        """
        kept, extents = at.spanned, tuple(map(self.extent, at.over))
        given = [self._aligned(shared, (*kept, *at.over), levels) for shared in at.given]
        args = [self._aligned(arg, (*kept, *at.over), levels) for arg in at.args]
        lead = np.broadcast_shapes(*(arg.data.shape[: levels + len(kept)] for arg in args))
        for arg in (*args, *given):
            if arg.poison is not None and arg.poison.any():
                raise poison_fault("a reduction", at.loc)
        flat = (*lead, prod(extents))
        leaves = [
            arg.each(lambda a: np.broadcast_to(a, (*lead, *extents)).reshape(flat)) for arg in args
        ]
        outer = len(lead)
        return leaves + [value.each(lambda a: a.reshape((*a.shape[:outer], 1))) for value in given]

    def _scan(self, at: Node) -> tuple[Value, ...]:
        assert isinstance(at, Scan)
        levels = self._levels(at)
        kept = [axis for axis in at.axes if axis != at.over]
        order = [*kept, at.over]
        args = [self._aligned(arg, order, levels) for arg in at.args]
        count = self.extent(at.over)
        lead = np.broadcast_shapes(*(arg.data.shape[:-1] for arg in args))
        args = [arg.each(lambda a: np.broadcast_to(a, (*lead, count))) for arg in args]
        for arg in args:
            if arg.poison is not None and arg.poison.any():
                raise poison_fault("a scan", at.loc)
        depth = self._depth_of(at, count)
        assert isinstance(depth, int)
        found = scans.scan(at, args, self._how, depth)
        back = [*range(levels), *(levels + order.index(axis) for axis in at.axes)]
        return tuple(
            Value(value.data, levels, None, value.error).each(lambda a: a.transpose(back))
            for value in found
        )
