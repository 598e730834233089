"""A builder that writes Tile IR by hand: for tests, generated programs and passes.

In: views, axes and calls in program order.  Out: a `Kernel`.  Decides what the frontend decides as
well: promotion, the accumulation dtype, and whether an axis that is named as an index is a loop's
coordinate or one of the tile's own.  Leaves checking to `certile.ir.verify`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from certile.ir import dtypes
from certile.ir.dtypes import DType, f32, i64
from certile.ir.functions import FUNCTIONS
from certile.ir.laws import Law
from certile.ir.layouts import Layout
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Buffer,
    Carried,
    Cast,
    Const,
    Effect,
    ExtentValue,
    Fallback,
    Gather,
    Iota,
    Kernel,
    Load,
    LoopIndex,
    Map,
    Memory,
    Parallel,
    Policy,
    Reduce,
    Relabel,
    Result,
    Scalar,
    ScalarArg,
    Scan,
    Scope,
    Serial,
    Sort,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis, Dim, Extent, TileType, join_axes

Operand = Tile | bool | int | float
Index = Axis | Tile | int
_uids = itertools.count(1)

# Digits of the significand, and the exponent of the least subnormal, of each narrower format.
_FORMATS = {
    dtypes.f32: (24, -149),
    dtypes.f16: (11, -24),
    dtypes.bf16: (8, -133),
    dtypes.f8e4m3: (4, -9),
    dtypes.f8e5m2: (3, -16),
}
_LARGEST = {
    dtypes.f32: (2 - 2**-23) * 2.0**127,
    dtypes.f16: 65504.0,
    dtypes.bf16: (2 - 2**-7) * 2.0**127,
    dtypes.f8e4m3: 448.0,
    dtypes.f8e5m2: 57344.0,
}


@dataclass(slots=True)
class Loop:
    """An open `serial` loop: what its body sees, what it yields, and, once closed, its results."""

    carried: tuple[Carried, ...]
    yielded: tuple[Tile, ...] = ()
    results: tuple[Tile, ...] = ()

    def yields(self, *after: Tile) -> None:
        """Say what the next iteration sees, one tile a carried value."""
        self.yielded = after


@dataclass(slots=True)
class _Frame:
    """A region that is being written."""

    body: list[Effect] = field(default_factory=list)
    axes: tuple[Axis, ...] = ()


class Builder:
    """Collects the parameters, memories and effects of one kernel, in program order."""

    def __init__(
        self,
        name: str,
        *,
        math: Literal["precise", "fast", "portable"] = "precise",
        rewrites: Literal["proved", "off"] = "proved",
    ) -> None:
        self._name, self._math, self._rewrites = name, math, rewrites
        self._params: list[View | Scalar] = []
        self._memories: list[Memory] = []
        self._frames = [_Frame()]

    def build(self) -> Kernel:
        """Return the kernel; every region is closed."""
        (outermost,) = self._frames
        return Kernel(
            self._name,
            tuple(self._params),
            tuple(self._memories),
            tuple(outermost.body),
            self._math,
            self._rewrites,
        )

    def view(self, name: str, dtype: DType = f32, rank: int = 1) -> View:
        """Add a view parameter."""
        self._params.append(View(name, dtype, rank))
        return View(name, dtype, rank)

    def scalar(self, name: str, dtype: DType = f32) -> Tile:
        """Add a scalar parameter and return its value."""
        self._params.append(Scalar(name, dtype))
        return ScalarArg(name=name, type=TileType(dtype))

    def memory(
        self,
        name: str,
        dtype: DType,
        axes: Sequence[Axis],
        resource: Scope = "auto",
        layout: Layout | None = None,
    ) -> Memory:
        """Add memory that every program instance has to itself."""
        self._memories.append(Memory(next(_uids), name, dtype, tuple(axes), resource, layout))
        return self._memories[-1]

    def axis(self, name: str, extent: Extent) -> Axis:
        """Make a fresh axis."""
        return Axis.fresh(name, extent)

    @contextmanager
    def parallel(self, *over: Axis, scope: Scope = "auto") -> Iterator[None]:
        """Write a parallel region."""
        with self._region(*over) as frame:
            yield
        self._append(Parallel(over=over, body=tuple(frame.body), scope=scope))

    @contextmanager
    def serial(
        self, axis: Axis, *, step: int = 1, carry: Sequence[Tile] = (), scope: Scope = "auto"
    ) -> Iterator[Loop]:
        """Write a serial loop that carries values; `Loop.yields` must be called when it does."""
        params = tuple(Carried(uid=next(_uids), type=init.type) for init in carry)
        loop = Loop(params)
        with self._region(axis) as frame:
            yield loop
        made = Serial(
            axis=axis,
            step=step,
            inits=tuple(carry),
            params=params,
            body=tuple(frame.body),
            yields=loop.yielded,
            scope=scope,
        )
        self._append(made)
        loop.results = tuple(
            Result(of=made, index=k, type=param.type) for k, param in enumerate(params)
        )

    @contextmanager
    def _region(self, *axes: Axis) -> Iterator[_Frame]:
        frame = _Frame(axes=axes)
        self._frames.append(frame)
        yield frame
        self._frames.pop()

    def _append(self, step: Effect) -> None:
        self._frames[-1].body.append(step)

    def index(self, place: Index) -> Tile:
        """Return an i64 coordinate: of an enclosing loop, of the tile's own axis, or as given."""
        if isinstance(place, Tile):
            return self.cast(place, i64)
        if isinstance(place, int):
            return self.const(place, i64)
        if any(place in frame.axes for frame in self._frames):
            return LoopIndex(axis=place)
        if place.extent == 1:
            return self.const(0, i64)
        return Iota(axis=place, type=TileType(i64, (place,)))

    def load(
        self,
        buffer: Buffer,
        *indices: Index,
        mask: Tile | None = None,
        fill: Operand | None = None,
        assume: bool = False,
    ) -> Tile:
        """Load a tile in program order; without `mask` every index must be inside."""
        places = tuple(map(self.index, indices))
        axes = join_axes(*(place.axes for place in places), mask.axes if mask is not None else ())
        value = None if fill is None else self.as_tile(fill, buffer.dtype)
        made = Load(
            buffer=buffer,
            indices=places,
            mask=mask,
            fill=value,
            assume=assume,
            type=TileType(buffer.dtype, axes),
        )
        self._append(made)
        return made

    def store(
        self,
        buffer: Buffer,
        indices: Index | Sequence[Index],
        value: Operand,
        *,
        mask: Tile | None = None,
    ) -> None:
        """Store a value, converted to the buffer's dtype."""
        listed = indices if isinstance(indices, Sequence) else (indices,)
        places = tuple(map(self.index, listed))
        stored = self.as_tile(value, buffer.dtype)
        self._append(Store(buffer=buffer, indices=places, value=stored, mask=mask))

    def const(self, value: bool | int | float, dtype: DType) -> Tile:
        """Make a constant, rounded to its dtype; integers become floats where the dtype is one."""
        if dtype.is_float:
            value = rounded(float(value), dtype)
        elif dtype.kind == "bool":
            value = bool(value)
        return Const(value=value, type=TileType(dtype))

    def extent(self, extent: Extent) -> Tile:
        """Return an extent as an i64 value."""
        return ExtentValue(extent=extent)

    def cast(self, value: Tile, dtype: DType) -> Tile:
        """Convert; the same tile when it has the dtype."""
        if value.dtype == dtype:
            return value
        if isinstance(value, Const) and value.dtype.is_integer and dtype.is_integer:
            return self.const(value.value, dtype)
        return Cast(value=value, type=TileType(dtype, value.axes))

    def bitcast(self, value: Tile, dtype: DType) -> Tile:
        """Read the same bits as another dtype."""
        return Bitcast(value=value, type=TileType(dtype, value.axes))

    def as_tile(self, value: Operand, dtype: DType) -> Tile:
        """Return a tile or a Python scalar as a tile of a dtype."""
        return self.cast(value, dtype) if isinstance(value, Tile) else self.const(value, dtype)

    def map(self, fn: str, *operands: Operand) -> Tile:
        """Apply an element-wise function after promotion; Python scalars are weak."""
        function = FUNCTIONS[fn]
        alike = operands[1:] if fn == "where" else operands
        dtype = _common(alike)
        if function.rule == "float" and not dtype.is_float:
            dtype = f32
        args = tuple(self.as_tile(operand, dtype) for operand in alike)
        if fn == "where":
            args = (self.as_tile(operands[0], dtypes.bool_), *args)
        result = function.result(tuple(arg.dtype for arg in args))
        axes = join_axes(*(arg.axes for arg in args))
        return Map(fn=fn, args=args, type=TileType(result, axes))

    def broadcast(self, value: Tile, *axes: Axis) -> Tile:
        """Repeat a value along further axes; `axes` is the whole order of the result."""
        return Broadcast(value=value, type=TileType(value.dtype, axes))

    def relabel(self, value: Tile, old: Axis, new: Axis) -> Tile:
        """Read the elements along `old` as along `new`."""
        axes = tuple(new if axis == old else axis for axis in value.axes)
        return Relabel(value=value, old=old, new=new, type=TileType(value.dtype, axes))

    def gather(self, value: Tile, index: Tile, axis: Axis, fill: Operand) -> Tile:
        """Select along an axis; `fill` where the index is out of range."""
        kept = tuple(other for other in value.axes if other != axis)
        return Gather(
            value=value,
            index=index,
            fill=self.as_tile(fill, value.dtype),
            axis=axis,
            type=TileType(value.dtype, join_axes(kept, index.axes)),
        )

    def reduce(
        self,
        operands: Tile | Sequence[Tile],
        over: Axis | Sequence[Axis],
        law: Law,
        *,
        policy: Policy = "unordered_tree",
        init: Sequence[Operand] = (),
        accumulate: DType | None = None,
    ) -> Tile:
        """Reduce and return the first result; `results` gives the others."""
        args = (operands,) if isinstance(operands, Tile) else tuple(operands)
        dtype = accumulate or dtypes.accumulator(_common(args))
        reduced = (over,) if isinstance(over, Axis) else tuple(over)
        args = tuple(self.cast(arg, dtype) for arg in args)
        components = law.state_dtypes(dtype, 0)
        start = tuple(self.as_tile(s, d) for s, d in zip(init, components, strict=False))
        kept = tuple(a for a in join_axes(*(arg.axes for arg in args)) if a not in reduced)
        return Reduce(
            args=args,
            init=start,
            over=reduced,
            law=law,
            policy=policy,
            accumulate=dtype,
            type=TileType(law.result_dtypes(dtype)[0], kept),
        )

    def scan(
        self,
        operands: Tile | Sequence[Tile],
        over: Axis,
        law: Law,
        *,
        inclusive: bool = True,
        reverse: bool = False,
        accumulate: DType | None = None,
    ) -> Tile:
        """Scan and return the first result; `results` gives the others."""
        args = (operands,) if isinstance(operands, Tile) else tuple(operands)
        dtype = accumulate or dtypes.accumulator(_common(args))
        args = tuple(self.cast(arg, dtype) for arg in args)
        spanned = join_axes(*(arg.axes for arg in args))
        return Scan(
            args=args,
            over=over,
            law=law,
            inclusive=inclusive,
            reverse=reverse,
            accumulate=dtype,
            type=TileType(law.result_dtypes(dtype)[0], spanned),
        )

    def results(self, reduction: Tile) -> tuple[Tile, ...]:
        """Return every result of a sort, a fallback, or a reduction or scan with several."""
        assert isinstance(reduction, Reduce | Scan | Sort | Fallback)
        return tuple(
            Result(of=reduction, index=k, type=type_)
            for k, type_ in enumerate(reduction.result_types())
        )

    def fallback(
        self, values: Sequence[Tile], instead: Sequence[Tile], when: Tile
    ) -> tuple[Tile, ...]:
        """Return the values, scalars, or what is to be computed `instead` of them where it holds.

        What stands instead is converted to the dtype of its value.
        """
        pairs = zip(instead, values, strict=True)
        made = Fallback(
            values=tuple(values),
            instead=tuple(self.cast(other, value.dtype) for other, value in pairs),
            when=when,
            type=values[0].type,
        )
        return self.results(made)

    def sort(
        self, value: Tile, over: Axis, into: Axis | None = None, *, descending: bool = False
    ) -> tuple[Tile, ...]:
        """Return the elements in order along `over` and their positions: all, or those `into`."""
        kept = over if into is None else into
        swapped = (kept if axis == over else axis for axis in value.axes)
        # An axis of one coordinate is no axis of a place to store to.
        axes = tuple(axis for axis in swapped if axis != kept or axis.extent != 1)
        made = Sort(
            value=value,
            over=over,
            into=kept,
            descending=descending,
            positions=True,
            type=TileType(value.dtype, axes),
        )
        return self.results(made)


def dim(view: View, number: int) -> Dim:
    """Return the run-time length of one dimension of a view."""
    return Dim(view.name, number)


def rounded(value: float, dtype: DType) -> float:
    """Return the value of a float dtype nearest to `value`, ties to even.

    Beyond the greatest finite value is infinity, or NaN in f8e4m3, which has none.
    """
    beyond = math.nan if dtype == dtypes.f8e4m3 else math.inf
    if math.isinf(value):
        return math.copysign(beyond, value)
    if dtype.bits == 64 or not math.isfinite(value):
        return value
    precision, least = _FORMATS[dtype]
    exponent = max(math.frexp(value)[1] - precision, least)
    # Both scalings are exact, so `round` (half to even) is the only rounding.
    made = math.ldexp(round(math.ldexp(value, -exponent)), exponent)
    return math.copysign(made if abs(made) <= _LARGEST[dtype] else beyond, value)


def _common(operands: Sequence[Operand]) -> DType:
    """The promoted dtype; Python scalars are weak and alone take their own."""
    tiles = [operand.dtype for operand in operands if isinstance(operand, Tile)]
    scalars = [operand for operand in operands if not isinstance(operand, Tile)]
    if not tiles:
        tiles, scalars = [dtypes.of_scalar(scalars[0])], scalars[1:]
    found = tiles[0]
    for dtype in tiles[1:]:
        found = dtypes.promote(found, dtype)
    for scalar in scalars:
        found = dtypes.weak(found, scalar)
    return found
