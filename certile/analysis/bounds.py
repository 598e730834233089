"""Whether every index of a kernel stays inside its view, for the shapes of one call.

In: a specialised kernel and the shapes of its arguments.  Out: diagnostics K090, none when every
access is inside.  Decides exactly for indices that are sums of loop coordinates and constants, and
by intervals for division, remainder, minimum, maximum and selection; a mask counts where one of its
conditions bounds the index.  An index read from data has the range of its dtype.  Accesses under
`assume`, and those of loops that do not run, are not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from certile.analysis.affine import Affine
from certile.diagnostics import Diagnostic
from certile.ir import dtypes
from certile.ir.laws import ARGMAX, ARGMIN
from certile.ir.tile import (
    Broadcast,
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
    Reduce,
    Relabel,
    Result,
    Serial,
    Sort,
    Store,
    Tile,
)
from certile.ir.types import Axis, Dim
from certile.ir.walk import Shapes, extent_of
from certile.records import record

_INFINITE = float("inf")


@record
class Range:
    """All integers from `low` to `high`; an infinite end is no end."""

    low: float
    high: float

    def join(self, other: Range) -> Range:
        """The smallest range that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Range) -> Range:
        """What both say."""
        return Range(max(self.low, other.low), min(self.high, other.high))


_ANY = Range(-_INFINITE, _INFINITE)


def check_bounds(kernel: Kernel, shapes: Shapes) -> list[Diagnostic]:
    """One diagnostic for each index that may be outside, in program order."""
    return list(_Check(shapes).body(kernel.body, {}))


class _Check:
    """A walk with the coordinates of the open loops."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._loops: dict[Axis, Range] = {}
        self._ranges: dict[Tile, Range] = {}
        self._forms: dict[Tile, Affine] = {}

    def body(self, body: tuple[Effect, ...], loops: dict[Axis, Range]) -> Iterator[Diagnostic]:
        """Check a body under loops whose coordinates have these ranges."""
        for step in body:
            match step:
                case Load() | Store():
                    self._loops = loops
                    yield from self._access(step)
                case Parallel():
                    inner = {axis: Range(0, self._length(axis) - 1) for axis in step.over}
                    if all(self._length(axis) > 0 for axis in step.over):
                        yield from self.body(step.body, {**loops, **inner})
                case Serial():
                    length = self._length(step.axis)
                    if length > 0:
                        last = (length - 1) // step.step * step.step
                        yield from self.body(step.body, {**loops, step.axis: Range(0, last)})
                case _:
                    pass

    def _length(self, axis: Axis) -> int:
        return extent_of(axis, self._shapes)

    def _extents(self, at: Load | Store) -> tuple[int, ...]:
        if isinstance(at.buffer, Memory):
            return tuple(map(self._length, at.buffer.axes))
        return tuple(self._shapes[at.buffer.name])

    def _access(self, at: Load | Store) -> Iterator[Diagnostic]:
        if at.assume or any(self._length(axis) == 0 for axis in at.axes):
            return
        # Ranges depend on the open loops, which may be others than at the access before.
        self._ranges.clear()
        conditions = list(_conditions(at.mask))
        for dim, (index, extent) in enumerate(zip(at.indices, self._extents(at), strict=True)):
            found = self._range(index).meet(self._guarded(index, conditions))
            if found.low < 0 or found.high >= extent:
                yield self._outside(at, dim, found, extent)

    def _outside(self, at: Load | Store, dim: int, found: Range, extent: int) -> Diagnostic:
        end = found.low if found.low < 0 else found.high
        # No array is so long: the range is that of the index's type.
        what = "has no known range" if abs(end) >= 2.0**62 else f"may reach {end:.0f}"
        verb = "load" if isinstance(at, Load) else "store"
        return Diagnostic(
            "K090",
            f"the index of this {verb} into dimension {dim} of {at.buffer.name} {what}; "
            f"the length there is {extent}",
            at.loc,
            hint='keep the index inside, or use .tile(…, bounds="zero") to mask what is outside',
        )

    def _guarded(self, index: Tile, conditions: list[Map]) -> Range:
        """What the conditions of a mask say about an index, or about it plus a constant."""
        found = _ANY
        form = self._form(index)
        for condition in conditions:
            left, right = condition.args
            for fn, small, large in _orders(condition.fn, left, right):
                # small < large (or <=): an upper end for small and a lower one for large.
                slack = 1 if fn == "lt" else 0
                above = _offset(form, self._form(small))
                if above is not None:
                    found = found.meet(Range(-_INFINITE, self._range(large).high - slack + above))
                below = _offset(form, self._form(large))
                if below is not None:
                    found = found.meet(Range(self._range(small).low + slack + below, _INFINITE))
        return found

    def _form(self, tile: Tile) -> Affine:
        known = self._forms.get(tile)
        if known is None:
            known = self._forms[tile] = self._make_form(tile)
        return known

    def _make_form(self, tile: Tile) -> Affine:
        match tile:
            case Const() if not isinstance(tile.value, float):
                return Affine(int(tile.value))
            case ExtentValue():
                return Affine(self._extent(tile))
            case Broadcast():
                return self._form(tile.value)
            case Cast() if tile.value.dtype.is_integer and tile.dtype == dtypes.i64:
                return self._form(tile.value)
            case Map(fn="add" | "sub") if tile.dtype == dtypes.i64:
                left, right = map(self._form, tile.args)
                return left.plus(right, 1 if tile.fn == "add" else -1)
            case Map(fn="neg") if tile.dtype == dtypes.i64:
                return self._form(tile.args[0]).scaled(-1)
            case Map(fn="mul") if tile.dtype == dtypes.i64:
                return self._product(tile)
            case _:
                return Affine(0, {tile: 1})

    def _extent(self, tile: ExtentValue) -> int:
        if isinstance(tile.extent, Dim):
            return int(self._shapes[tile.extent.view][tile.extent.dim])
        return tile.extent

    def _product(self, tile: Map) -> Affine:
        left, right = map(self._form, tile.args)
        if left.terms and right.terms:
            return Affine(0, {tile: 1})
        form, factor = (right, left.constant) if not left.terms else (left, right.constant)
        return form.scaled(factor)

    def _range(self, tile: Tile) -> Range:
        """The range of a value, from its sum: exact when its atoms are coordinates."""
        known = self._ranges.get(tile)
        if known is None:
            form = self._form(tile)
            low = high = float(form.constant)
            for atom, times in form.terms.items():
                part = self._atom(atom)
                ends = part.low * times, part.high * times
                low, high = low + min(ends), high + max(ends)
            known = self._ranges[tile] = Range(low, high)
        return known

    def _atom(self, tile: Tile) -> Range:
        match tile:
            case LoopIndex():
                return self._loops.get(tile.axis, _ANY)
            case Iota():
                return Range(0, self._length(tile.axis) - 1)
            case Relabel():
                return self._range(tile.value)
            case Gather():
                return self._range(tile.value).join(self._range(tile.fill))
            case Cast() if not tile.value.dtype.is_float:
                return _within(self._range(tile.value), tile.dtype)
            case Result(index=0) if isinstance(tile.of, Sort):
                return self._range(tile.of.value)
            case Result(index=1) if isinstance(tile.of, Sort):
                return Range(0, max(0, self._length(tile.of.over) - 1))
            case Result(index=0) if isinstance(tile.of, Reduce):
                return self._range(tile.of)
            case Result(index=index) if isinstance(tile.of, Fallback):
                chosen = tile.of.values[index], tile.of.instead[index]
                return self._range(chosen[0]).join(self._range(chosen[1]))
            case Reduce() if tile.law in (ARGMAX, ARGMIN):
                return self._winner(tile)
            case Map() if tile.fn in _RULES:
                parts = [self._range(arg) for arg in tile.args]
                return _within(_RULES[tile.fn](*parts), tile.dtype)
            case _:
                return _of_dtype(tile.dtype)

    def _winner(self, tile: Reduce) -> Range:
        """An index of an element; that of an empty axis is no index."""
        count = 1
        for axis in tile.over:
            count *= self._length(axis)
        return Range(0, count - 1) if count else _ANY


def _offset(form: Affine, other: Affine) -> int | None:
    """The constant by which one form exceeds another, if it is one."""
    difference = form.plus(other, -1)
    return None if difference.terms else difference.constant


def _of_dtype(dtype: dtypes.DType) -> Range:
    if dtype.is_float:
        return _ANY
    if dtype.kind == "bool":
        return Range(0, 1)
    return Range(float(dtypes.lowest(dtype)), float(dtypes.highest(dtype)))


def _within(found: Range, dtype: dtypes.DType) -> Range:
    """A range that wraps is that of the dtype."""
    limits = _of_dtype(dtype)
    inside = limits.low <= found.low and found.high <= limits.high
    return found if inside else limits


def _conditions(mask: Tile | None) -> Iterator[Map]:
    """The comparisons that all hold where a mask is true."""
    match mask:
        case Broadcast():
            yield from _conditions(mask.value)
        case Map(fn="bit_and") if mask.dtype == dtypes.bool_:
            for arg in mask.args:
                yield from _conditions(arg)
        case Map(fn="lt" | "le" | "gt" | "ge" | "eq"):
            yield mask
        case _:
            pass


def _orders(fn: str, left: Tile, right: Tile) -> Iterator[tuple[str, Tile, Tile]]:
    """A comparison as `small < large` or `small <= large`."""
    match fn:
        case "lt" | "le":
            yield fn, left, right
        case "gt" | "ge":
            yield ("lt" if fn == "gt" else "le"), right, left
        case _:
            yield "le", left, right
            yield "le", right, left


# Ranges of functions that are no sums.


def _floordiv(a: Range, b: Range) -> Range:
    if b.low < 1 or a == _ANY:
        return _ANY
    ends = [_floor(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Range(min(ends), max(ends))


def _floor(x: float, y: float) -> float:
    if abs(x) == _INFINITE:
        return x
    return (-1.0 if x < 0 else 0.0) if y == _INFINITE else float(int(x) // int(y))


def _mod(a: Range, b: Range) -> Range:
    if b.low < 1:
        return _ANY
    if a.low >= 0 and a.high < b.low:
        return a
    return Range(0, b.high - 1)


def _and(a: Range, b: Range) -> Range:
    """An intersection of bits is at most either of two numbers that are not negative."""
    highs = [part.high for part in (a, b) if part.low >= 0]
    return Range(0, min(highs)) if highs else _ANY


def _shr(a: Range, b: Range) -> Range:
    """Any shift moves a number towards 0, or -1; a count outside the width does so at once."""
    return Range(min(a.low, 0), max(a.high, 0))


_RULES: dict[str, Callable[..., Range]] = {
    "minimum": lambda a, b: Range(min(a.low, b.low), min(a.high, b.high)),
    "maximum": lambda a, b: Range(max(a.low, b.low), max(a.high, b.high)),
    "where": lambda c, a, b: a.join(b),
    "abs": lambda a: Range(max(0, a.low, -a.high), max(-a.low, a.high)),
    "floordiv": _floordiv,
    "mod": _mod,
    "bit_and": _and,
    "shr": _shr,
    "add": lambda a, b: Range(a.low + b.low, a.high + b.high),
    "sub": lambda a, b: Range(a.low - b.high, a.high - b.low),
}
