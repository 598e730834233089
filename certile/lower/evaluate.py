"""Evaluate Tile IR expressions at one element: what all execution maps share.

In: a node and the scopes that say where the element is.  Out: a Machine IR value.  A scope binds
axes to coordinates, remembers what was evaluated there, and carries the mask under which memory may
be read.  What a map owns (reductions, stripes, carried values) it puts into a scope's `memo` or the
evaluator's `results`, or answers through the `special` it passes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce

from certile.analysis.affine import axis_of
from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, bf16, bool_, f16, f32, f64, i32, i64, machine, promote
from certile.ir.functions import FLOAT_TESTS, FUNCTIONS, LOGICAL
from certile.ir.machine import Address, Value
from certile.ir.node import Node
from certile.ir.tile import (
    ELEMENT_WISE,
    Bitcast,
    Broadcast,
    Cast,
    Const,
    ExtentValue,
    Gather,
    Iota,
    Load,
    LoopIndex,
    Map,
    Relabel,
    Result,
    ScalarArg,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis
from certile.lower import float8
from certile.lower.ahead import Asked
from certile.lower.coordinates import Coordinate, IndexReader, range_of, value_of
from certile.lower.dependence import independent_of, never
from certile.lower.interface import Interface
from certile.lower.math import EXPANSIONS
from certile.lower.math_adapter import MachineArith
from certile.lower.phases import EdgePack, Packed, packed
from certile.lower.spans import Reach, known_extent, span_of
from certile.targets.sheet import Sheet

NARROW = (f16, bf16)
# Selections move bits; everything else on a narrow float is computed in f32 and rounded once.
_MOVES = frozenset({"where"})
# What bools have of their own; the rest is arithmetic of the integers 0 and 1.


def _native_functions(sheet: Sheet, math: str) -> frozenset[str] | None:
    """The functions a kernel may leave to its target (None: all); none under portable math."""
    if math == "portable":
        return frozenset()
    if math == "fast" and sheet.native_functions is not None:
        return sheet.native_functions | sheet.fast_functions
    return sheet.native_functions


def _computed_in(fn: str, dtype: DType) -> DType:
    """The type a function of `dtype` operands is computed in."""
    if dtype in NARROW:
        return dtype if fn in _MOVES else f32
    if not dtype.is_float and (FUNCTIONS[fn].rule == "float" or fn in FLOAT_TESTS):
        return f32
    return i32 if dtype.kind == "bool" and fn not in LOGICAL else dtype


@dataclass
class Scope:
    """Where evaluation stands.

    `bound` are the axes this scope binds anew; a node that spans one of them has another value
    outside.  `mask` is under what memory may be read.  `domain` and `slot` name the owned element
    when the scope is one element of a worker's stripe, and `edge` its pack and its place in that
    where the pack may not exist as a whole.
    """

    coordinates: Mapping[Axis, Coordinate]
    bound: frozenset[Axis] = frozenset()
    mask: Value | None = None
    domain: tuple[Axis, ...] | None = None
    slot: Value | None = None
    edge: tuple[EdgePack, int] | None = None
    memo: dict[Node, Value] = field(default_factory=dict)


class Evaluator:
    """Evaluates nodes with the builder of an interface.

    `special(node)` answers for nodes a map keeps elsewhere (a stripe, a reduction made on demand)
    and returns None for the rest.  Functions that the target of the sheet does not have itself
    become expansions, the same on every target.
    """

    def __init__(
        self, interface: Interface, sheet: Sheet, special: Callable[[Tile], Value | None]
    ) -> None:
        self.interface = interface
        self.builder = builder = interface.builder
        self.results: dict[tuple[Node, int], Value] = {}
        # What the loads of the element in scope ask for.
        self.ahead: Mapping[Load, Asked] = {}
        self._scopes = [Scope({})]
        self.sheet = sheet
        self._math = interface.kernel.math
        self._native = _native_functions(sheet, self._math)
        self._special = special
        self._arith = {
            dtype: MachineArith(
                builder,
                dtype,
                keeps_nan=sheet.nan_extremes and dtype == f32,
                scales_widely=sheet.scales_widely and dtype == f32,
            )
            for dtype in (f32, f64)
        }
        self._reader = IndexReader(builder, self.value)

    @property
    def at(self) -> Scope:
        """The innermost scope."""
        return self._scopes[-1]

    @contextmanager
    def scope(
        self,
        coordinates: Mapping[Axis, Coordinate],
        mask: Value | None = None,
        domain: tuple[Axis, ...] | None = None,
        slot: Value | None = None,
        edge: tuple[EdgePack, int] | None = None,
    ) -> Iterator[Scope]:
        """Evaluate inside with these axes bound too; `mask` narrows the one outside.

        The owned element stays the one outside while none of its axes is bound anew.
        """
        outer = self.at
        edge = edge or outer.edge
        if domain is None and outer.domain is not None and not {*outer.domain} & {*coordinates}:
            domain, slot = outer.domain, outer.slot
        # An axis of one element has one coordinate, so what is known of it outside holds inside.
        anew = (a for a in coordinates if a.extent != 1 or a not in outer.coordinates)
        made = Scope(
            {**outer.coordinates, **coordinates},
            frozenset(anew),
            self.builder.and_(outer.mask, mask),
            domain,
            slot,
            edge,
        )
        self._scopes.append(made)
        try:
            yield made
        finally:
            self._scopes.pop()

    @contextmanager
    def within(self, scope: Scope) -> Iterator[Scope]:
        """Evaluate inside a scope that was made before, under the scopes that stand now."""
        self._scopes.append(scope)
        try:
            yield scope
        finally:
            self._scopes.pop()

    def is_open(self, scope: Scope) -> bool:
        """Whether evaluation stands inside a scope."""
        return any(known is scope for known in self._scopes)

    # Values.

    def value(self, node: Tile) -> Value:
        """The value of `node` at the element the scopes name, evaluated at most once there.

        Chains of element-wise nodes may be long, so they are walked with a stack of their own.
        """
        stack, opened = [node], set[Tile]()
        while stack:
            at = stack[-1]
            made = self._known(at)
            if made is None and at not in opened:
                opened.add(at)
                made = self._special(at)
                if made is None and isinstance(at, ELEMENT_WISE):
                    stack.extend(below for below in at.operands() if isinstance(below, Tile))
                    continue
            self.at.memo[at] = self.compute(at) if made is None else made
            stack.pop()
        return self.at.memo[node]

    def hoist(
        self,
        nodes: Iterable[Node],
        axes: Collection[Axis],
        stops: Callable[[Node], bool] = never,
    ) -> None:
        """Evaluate, before a loop over `axes`, what the nodes read that does not depend on them."""
        for node in independent_of(nodes, axes, self.at.coordinates, stops):
            self.value(node)

    def remembers(self, node: Node) -> bool:
        """Whether a scope remembers a node, whatever axes were bound since."""
        return any(node in scope.memo for scope in self._scopes)

    def taken(self, of: Tile) -> tuple[Value, ...]:
        """The results of a node, which are known no longer."""
        numbers = sorted(k for node, k in self.results if node is of)
        return tuple(self.results.pop((of, k)) for k in numbers)

    def _known(self, node: Tile) -> Value | None:
        """What a scope remembers of a node, if it is the same at the element in scope."""
        spanned = set(node.axes)
        for scope in reversed(self._scopes):
            if node in scope.memo:
                return scope.memo[node]
            if spanned & scope.bound:
                break
        return None

    def compute(self, node: Tile) -> Value:
        """The value of `node` from its operands, whatever is kept of it elsewhere."""
        builder = self.builder
        match node:
            case Const(value=value):
                if node.dtype.is_storage:
                    return builder.const(float8.code(float(value), node.dtype), machine(node.dtype))
                return builder.const(value, node.dtype)
            case ScalarArg(name=name):
                return self.interface.argument(name)
            case ExtentValue(extent=extent):
                return self.interface.extent(extent)
            case LoopIndex(axis=axis) | Iota(axis=axis):
                return value_of(builder, self.at.coordinates[axis])
            case _:
                return self._compound(node)

    def _compound(self, node: Tile) -> Value:
        match node:
            case Map(fn=fn, args=args):
                return self._map(fn, tuple(self.value(arg) for arg in args), node.dtype)
            case Cast(value=inner):
                return float8.convert(self.builder, self.value(inner), inner.dtype, node.dtype)
            case Bitcast(value=inner) if bool_ in (inner.dtype, node.dtype):
                # A bool is a byte of 0 or 1 in memory only.
                return self.builder.convert(self.value(inner), node.dtype)
            case Bitcast(value=inner):
                return self.builder.reinterpret(self.value(inner), machine(node.dtype))
            case Broadcast(value=inner):
                return self.value(inner)
            case Relabel(value=inner, old=old, new=new):
                with self.scope({old: self.at.coordinates[new]}):
                    return self.value(inner)
            case Result(of=of, index=index):
                return self._result(of, index)
            case Gather():
                return self._gather(node)
            case Load():
                return self.load(node)
            case _:
                raise InternalError("M020", f"no lowering for {node.mnemonic}", loc=node.loc)

    def _result(self, of: Node, index: int) -> Value:
        if (of, index) not in self.results and isinstance(of, Tile):
            self.value(of)
        return self.results[of, index]

    def _map(self, fn: str, args: tuple[Value, ...], dtype: DType) -> Value:
        wide = _computed_in(fn, args[-1].dtype)
        if wide == args[-1].dtype:
            return self.function(fn, args)
        made = self.function(fn, tuple(self.builder.convert(arg, wide) for arg in args))
        return self.builder.convert(made, dtype)

    def promoted(self, fn: str, args: tuple[Value, ...]) -> Value:
        """A function of values of any dtypes, which meet in the one they promote to."""
        first = 1 if fn == "where" else 0
        dtype = reduce(promote, (arg.dtype for arg in args[first:]))
        if fn in FLOAT_TESTS and not dtype.is_float:
            return self.builder.const(fn == "isfinite", bool_)
        alike = tuple(self.builder.convert(arg, dtype) for arg in args[first:])
        made = (*args[:first], *alike)
        return self._map(fn, made, FUNCTIONS[fn].result(tuple(arg.dtype for arg in made)))

    def function(self, fn: str, args: tuple[Value, ...]) -> Value:
        """An element-wise function, as the target's own or as its expansion."""
        if fn == "logaddexp":
            return self._logaddexp(*args)
        own = self._native is None or fn in self._native
        if fn in EXPANSIONS and not own:
            return self._expanded(fn, args)
        return self.builder.compute(fn, *args)

    def _expanded(self, fn: str, args: tuple[Value, ...]) -> Value:
        expanded: Value = EXPANSIONS[fn](self._arith[args[0].dtype], *args)
        return expanded

    def _logaddexp(self, a: Value, b: Value) -> Value:
        """max + log1p(exp(-|a - b|)); an infinite or NaN maximum is the answer itself.

        Its bound is measured of the two expansions together: a target's own functions, each within
        its bound, may exceed it.  So they serve fast math alone.
        """
        part = self.function if self._math == "fast" else self._expanded
        most = self.builder.compute("maximum", a, b)
        apart = self.builder.compute("abs", self.builder.compute("sub", a, b))
        decayed = part("exp", (self.builder.compute("neg", apart),))
        sum_ = self.builder.compute("add", most, part("log1p", (decayed,)))
        return self.builder.select(self.builder.compute("isfinite", most), sum_, most)

    # Memory.

    def index(self, index: Tile) -> Coordinate:
        """An index tile as a coordinate at this element."""
        return self._reader.read(index, self.at.coordinates)

    def first_place(self, node: Load) -> Value:
        """The element of its view that the first lane reads."""
        return self._place(node)[0].base

    def _place(self, node: Load | Store) -> tuple[Address, Packed | None]:
        """The element index of an access, and how it is packed where ownership has a phase."""
        view = node.buffer
        assert isinstance(view, View)
        strides = [self.interface.stride(view, dim) for dim in range(view.rank)]
        at = [self.index(index) for index in node.indices]
        reach = self._reach(node, at, strides)
        shift = next((one.shift for one in at if one.shift is not None), None)
        pack = None if shift is None else packed(shift, self.interface.congruence(node))
        row = None
        if shift is not None and pack is not None:
            row = partial(pack.row, self.builder, phase=shift.value)
        raw = self._reader.address(at, strides, row, reach)
        address = self.builder.address(raw.base, raw.lane_stride, raw.offset)
        if row is None and reach is not None:
            self.interface.reaches(address, reach.furthest)
        return address, pack

    def _reach(
        self, node: Load | Store, at: list[Coordinate], strides: Sequence[int | Value]
    ) -> Reach | None:
        """What follows how far an access to a near view reaches, and None for any other view.

        A coordinate that lanes behind the end of an axis have, too, stops at the end here, where it
        is multiplied by a stride that is no constant: they need no address, but one that fits.
        """
        most = self.interface.most(node.buffer.name)
        if most is None:
            return None
        builder = self.builder
        for dim, (one, stride) in enumerate(zip(at, strides, strict=True)):
            extent = known_extent(node, dim)
            if extent is None or isinstance(stride, int) or one.shift is not None:
                continue
            low, high = range_of(builder, one)
            if low >= 0 and high >= extent and not one.uniform:
                stopped = builder.minimum(value_of(builder, one), extent - 1)
                at[dim] = Coordinate(builder.const(0, i64), offset=stopped)
        ranges = [range_of(builder, one) for one in at]
        return Reach(builder, span_of(node, most, ranges, self._exists))

    def _exists(self, axis: Axis) -> bool:
        """Whether all lanes have a coordinate of an axis that exists."""
        at = self.at.coordinates.get(axis)
        return at is not None and at.exists

    def _edge(self, node: Load | Store, pack: Packed | None) -> tuple[EdgePack, int] | None:
        """The pack in scope and the element's place in it, where it may not exist as a whole."""
        at = self.at
        if pack is None or at.edge is None or node.mask is not None:
            return None
        edge, v = at.edge
        return at.edge if self.builder.and_(edge.inside[v]) is at.mask else None

    def load(self, node: Load) -> Value:
        """Read a view; outside the mask of the scope or the load nothing is read."""
        if not isinstance(node.buffer, View):
            raise InternalError("M020", "a memory is read outside its map", loc=node.loc)
        own = None if node.mask is None else self.value(node.mask)
        fill = None if node.fill is None else self.value(node.fill)
        mask = self.builder.and_(self.at.mask, own)
        if mask is not None and fill is None:
            fill = self.builder.const(0, machine(node.dtype))
        address, pack = self._place(node)
        buffer, edge = self.interface.buffer(node.buffer), self._edge(node, pack)
        if edge is not None and edge[0].may_load(buffer):
            return edge[0].load(node, buffer, address, edge[1])
        if self.at.edge is not None:
            self.at.edge[0].read_apart(buffer)
        asked = self.ahead.get(node) if mask is None else None
        if asked is not None and address.lane_stride == 1 and address.offset is None:
            self.builder.ask(
                buffer, self.builder.add(address.base, asked.distance), near=asked.near
            )
        return self.builder.load(buffer, address, mask, fill)

    def store(
        self,
        node: Store,
        mask: Value | None = None,
        *,
        streaming: bool = False,
        divided: Axis | None = None,
    ) -> None:
        """Write a view where the scope's mask, the store's and `mask` hold.

        Whole vectors may be `streaming`; `divided` is the axis of the launch that is cut into
        vectors from its first program on, where one is.
        """
        if not isinstance(node.buffer, View):
            raise InternalError("M020", "a memory is written outside its map", loc=node.loc)
        own = None if node.mask is None else self.value(node.mask)
        value = self.value(node.value)
        guard = self.builder.and_(self.at.mask, mask, own)
        address, pack = self._place(node)
        buffer, edge = self.interface.buffer(node.buffer), self._edge(node, pack)
        if edge is not None:
            edge[0].store(buffer, address, value, edge[1], mask)
            return
        if self.at.edge is not None:
            self.at.edge[0].pass_by(buffer)
        if not address.varying and any(v is not None and v.varying for v in (value, guard)):
            # One lane of several stores here: every lane has the address, its mask decides.
            address = Address(address.base, 0)
        contiguous = guard is None and address.lane_stride == 1
        streaming = streaming and contiguous and self._starts_rows(node, divided)
        self.builder.store(buffer, address, value, guard, streaming=streaming)

    def _starts_rows(self, node: Store, divided: Axis | None) -> bool:
        """Whether lane 0 of a chunk is as aligned as the first element of a row.

        Only then may the vector be stored past the cache: strides other than 1 keep the alignment,
        so every index of a unit stride must be the coordinate that chunks divide.
        """
        assert isinstance(node.buffer, View)
        strides = [self.interface.stride(node.buffer, dim) for dim in range(node.buffer.rank)]
        unit = [i for i, stride in zip(node.indices, strides, strict=True) if stride == 1]
        if len(unit) != 1:
            return False
        return isinstance(unit[0], Iota) or (divided is not None and axis_of(unit[0]) == divided)

    def _gather(self, node: Gather) -> Value:
        """Read the selected element under its guard; the rest of the row is not touched."""
        builder = self.builder
        at = builder.convert(self.value(node.index), i64)
        extent = self.interface.extent(node.axis.extent)
        low, high = builder.ge(at, 0), builder.lt(at, extent)
        guard = builder.compute("bit_and", low, high)
        with self.scope({node.axis: self._reader.plain(at)}, guard):
            selected = self.value(node.value)
        return builder.select(guard, selected, self.value(node.fill))
