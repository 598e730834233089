"""Affine forms of index tiles, and what follows from them: distinct elements, separate ranges.

In: index tiles of accesses.  Out: `Affine` forms over coordinates and opaque scalars; two proofs:
`undetermined` (is a map from coordinates to elements one-to-one?) and `apart` (do two accesses
never meet?).  Decides only what it can prove; everything else is "not shown".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from certile.analysis.effects import coordinates, depends_on_memory, trips
from certile.ir.dtypes import i64
from certile.ir.node import reach
from certile.ir.tile import (
    Broadcast,
    Carried,
    Cast,
    Const,
    ExtentValue,
    Iota,
    Load,
    LoopIndex,
    Map,
    Memory,
    Relabel,
    Serial,
    Tile,
)
from certile.ir.types import Axis, TileType
from certile.records import record


@record
class Affine:
    """constant + sum of coefficient * symbol.

    A symbol is a coordinate (`LoopIndex`, `Iota`) or an opaque scalar value of the instance.
    """

    constant: int = 0
    terms: Mapping[Tile, int] = field(default_factory=dict)

    def plus(self, other: Affine, times: int = 1) -> Affine:
        """self + times * other."""
        terms = dict(self.terms)
        for symbol, coefficient in other.terms.items():
            terms[symbol] = terms.get(symbol, 0) + times * coefficient
        kept = {symbol: c for symbol, c in terms.items() if c != 0}
        return Affine(self.constant + times * other.constant, kept)

    def scaled(self, factor: int) -> Affine:
        """factor * self."""
        return Affine().plus(self, factor)


def axis_of(index: Tile) -> Axis | None:
    """The axis whose plain coordinate an index is, of a loop or of a tile."""
    return index.axis if isinstance(index, LoopIndex | Iota) else None


def iota(axis: Axis) -> Iota:
    """The coordinate along an axis of a tile."""
    return Iota(axis=axis, type=TileType(i64, (axis,)))


def affine(tile: Tile) -> Affine | None:
    """The affine form of an i64 index, or None when it has none.

    A scalar that is not affine becomes an opaque symbol: its value is unknown but one.
    """
    found = _structural(tile)
    if found is None and tile.type.is_scalar and not _changes_in_loops(tile):
        return Affine(0, {tile: 1})
    return found


def _changes_in_loops(scalar: Tile) -> bool:
    """Whether iterations may see different values without any coordinate telling them apart."""
    return any(
        isinstance(node, Carried | Serial)
        or (isinstance(node, Load) and isinstance(node.buffer, Memory))
        for node in reach([scalar])
    )


def _structural(tile: Tile) -> Affine | None:
    match tile:
        case Const(value=int(value)):
            return Affine(int(value))
        case ExtentValue(extent=int(extent)):
            return Affine(extent)
        case Iota() | LoopIndex():
            return Affine(0, {tile: 1})
        case Broadcast(value=value):
            return affine(value)
        case Cast(value=value) if value.dtype.kind in ("int", "bool") and tile.dtype == i64:
            # The value itself may have wrapped in its own type: only exact forms pass through.
            return affine(value) if isinstance(value, Const | Iota | LoopIndex) else None
        case Relabel(value=value, old=old, new=new):
            return _renamed(affine(value), old, new)
        case Map() if tile.dtype == i64:
            return _arithmetic(tile)
        case _:
            return None


def _renamed(form: Affine | None, old: Axis, new: Axis) -> Affine | None:
    if form is None:
        return None
    before, after = iota(old), iota(new)
    terms = {(after if symbol is before else symbol): c for symbol, c in form.terms.items()}
    return Affine(form.constant, terms)


def _arithmetic(tile: Map) -> Affine | None:
    forms = [affine(arg) for arg in tile.args]
    if any(form is None for form in forms):
        return None
    known = [form for form in forms if form is not None]
    match tile.fn, known:
        case "add", [a, b]:
            return a.plus(b)
        case "sub", [a, b]:
            return a.plus(b, -1)
        case "neg", [a]:
            return a.scaled(-1)
        case "mul", [a, b] if not a.terms or not b.terms:
            return b.scaled(a.constant) if not a.terms else a.scaled(b.constant)
        case _:
            return None


@record
class Span:
    """The values a coordinate takes: 0, step, … (count of them; None when known only at launch)."""

    count: int | None
    step: int = 1


def spans(axes: Iterable[Axis], loops: Iterable[Serial] = ()) -> dict[Tile, Span]:
    """The coordinates that differ between the elements and iterations of one instance."""
    found: dict[Tile, Span] = {iota(axis): Span(axis.static) for axis in axes}
    for loop in loops:
        found[LoopIndex(axis=loop.axis)] = Span(trips(loop), loop.step)
    return found


def instance_spans(over: Iterable[Axis]) -> dict[Tile, Span]:
    """The coordinates that differ between the instances of a parallel region."""
    return {
        LoopIndex(axis=axis): Span(axis.extent if isinstance(axis.extent, int) else None)
        for axis in over
    }


def undetermined(indices: Sequence[Affine | None], of: Mapping[Tile, Span]) -> Tile | None:
    """A coordinate that the element address does not determine, or None when all are determined.

    Determining every coordinate means: two different points address two different elements.  A
    dimension determines its coordinates when they form a mixed radix; what other dimensions have
    determined is taken out first.
    """
    open_ = {symbol for symbol, span in of.items() if span.count != 1}
    progress = True
    while open_ and progress:
        progress = False
        for form in indices:
            found = _determined(form, of, open_)
            if found:
                open_ -= found
                progress = True
    return next((symbol for symbol in of if symbol in open_), None)


def _determined(form: Affine | None, of: Mapping[Tile, Span], open_: set[Tile]) -> set[Tile] | None:
    """The open coordinates this dimension determines, or None."""
    if form is None:
        return None
    inside = [symbol for symbol in form.terms if symbol in open_]
    opaque = [symbol for symbol in form.terms if symbol not in of]
    # An opaque value that moves with an open coordinate could undo any difference.
    if any(coordinate in open_ for symbol in opaque for coordinate in coordinates(symbol)):
        return None
    farthest: int | None = 0
    for symbol in sorted(inside, key=lambda s: abs(form.terms[s]) * of[s].step):
        span, step = of[symbol], abs(form.terms[symbol]) * of[symbol].step
        if farthest is None or step <= farthest:
            return None
        farthest = None if span.count is None else farthest + step * (span.count - 1)
    return set(inside)


def moves_with_instance(indices: Iterable[Affine | None], over: Iterable[Axis]) -> bool:
    """Whether an unknown value that the instance decides takes part in an address."""
    own = {LoopIndex(axis=axis) for axis in over}
    symbols = [symbol for form in indices if form is not None for symbol in form.terms]
    opaque = [symbol for symbol in symbols if not isinstance(symbol, LoopIndex | Iota)]
    return any(
        depends_on_memory(symbol) or not own.isdisjoint(coordinates(symbol)) for symbol in opaque
    )


def interval(form: Affine, of: Mapping[Tile, Span]) -> tuple[int, int] | None:
    """The least and greatest value of a form, or None when a symbol is not bounded."""
    low = high = form.constant
    for symbol, coefficient in form.terms.items():
        span = of.get(symbol)
        if span is None or span.count is None or span.count < 1:
            return None
        end = coefficient * span.step * (span.count - 1)
        low, high = low + min(0, end), high + max(0, end)
    return low, high


def apart(
    a: Sequence[Affine | None],
    of_a: Mapping[Tile, Span],
    b: Sequence[Affine | None],
    of_b: Mapping[Tile, Span],
) -> bool:
    """Whether two accesses of one instance never address one element.

    Coordinates of elements and iterations are independent on the two sides; what the instance fixes
    is the same on both and cancels.
    """
    return any(
        x is not None and y is not None and _apart(x, of_a, y, of_b)
        for x, y in zip(a, b, strict=True)
    )


def _apart(x: Affine, of_x: Mapping[Tile, Span], y: Affine, of_y: Mapping[Tile, Span]) -> bool:
    own_x = Affine(x.constant, {s: c for s, c in x.terms.items() if s in of_x})
    own_y = Affine(y.constant, {s: c for s, c in y.terms.items() if s in of_y})
    shared_x = {s: c for s, c in x.terms.items() if s not in of_x}
    shared_y = {s: c for s, c in y.terms.items() if s not in of_y}
    # An opaque value that moves with an element or an iteration does not cancel.
    moving = of_x.keys() | of_y.keys()
    if any(not moving.isdisjoint(coordinates(symbol)) for symbol in shared_x):
        return False
    bounds_x, bounds_y = interval(own_x, of_x), interval(own_y, of_y)
    if shared_x != shared_y or bounds_x is None or bounds_y is None:
        return False
    return bounds_x[1] < bounds_y[0] or bounds_y[1] < bounds_x[0]
