"""Memory layouts: where each element of a placed memory lives, and what can be shown of that.

In: extents of axes and a rule.  Out: offsets, and a `LayoutProof`: for each of *total* (every
coordinate has an offset), *in bounds* (0 <= offset < cosize) and *injective* (no two coordinates
share one) the answer proved, disproved or unknown.  Decides nothing by sampling: an answer other
than unknown follows from an exact argument or from looking at every coordinate.  Leaves to others
what is refused; unknown is never proved.

Three kinds of rule: `MixedRadix` splits each coordinate into digits with strides (Cris Cecka's
shape:stride layouts are these), `BitLinear` maps bits of coordinates to bits of the offset by a
matrix over GF(2) (swizzles), `Table` lists offsets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np

from certile.language.integers import integer_or_none
from certile.records import record

Array: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Answer = Literal["proved", "disproved", "unknown"]
Coordinate = tuple[int, ...]

# Layouts of at most this many elements are looked at element by element where algebra is silent.
MOST_ENUMERATED = 1 << 20


@record
class Verdict:
    """One answer, why, and the coordinates that disprove (one, or two that share an offset)."""

    answer: Answer
    reason: str
    witness: tuple[Coordinate, ...] = ()

    def __bool__(self) -> bool:
        """Whether it is proved."""
        return self.answer == "proved"

    def __str__(self) -> str:
        shown = " and ".join(str(at) for at in self.witness)
        return f"{self.answer}: {self.reason}" + (f", at {shown}" if shown else "")


@record
class LayoutProof:
    """What is known of a layout."""

    total: Verdict
    in_bounds: Verdict
    injective: Verdict

    def __bool__(self) -> bool:
        """Whether a memory may use the layout: all three are proved."""
        return bool(self.total and self.in_bounds and self.injective)

    def failures(self) -> Iterator[tuple[str, Verdict]]:
        """The properties that are not proved, by name."""
        for name in ("total", "in_bounds", "injective"):
            verdict: Verdict = getattr(self, name)
            if not verdict:
                yield name, verdict


@record
class Digit:
    """`extent` values of one digit of a coordinate, `stride` elements apart."""

    extent: int
    stride: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "extent", _integer(self.extent))
        object.__setattr__(self, "stride", _integer(self.stride))

    @property
    def reach(self) -> int:
        """How far the digit moves the offset at most."""
        return (self.extent - 1) * abs(self.stride)


@record
class MixedRadix:
    """offset = sum of digit * stride, the coordinate along each axis written in mixed radix.

    `digits[a]` are the digits of axis a, the most significant first; (Digit(2, 1), Digit(4, 8))
    takes coordinate 5 = 1 * 4 + 1 to 1 * 1 + 1 * 8.  `cosize` is the elements of storage.
    """

    extents: tuple[int, ...]
    digits: tuple[tuple[Digit, ...], ...]
    cosize: int

    def __post_init__(self) -> None:
        _check_shape(self, self.digits)
        if any(digit.extent < 1 for axis in self.digits for digit in axis):
            raise ValueError("a digit has at least one value")

    def offset(self, coordinates: Sequence[Array | int]) -> Array:
        """The offsets of coordinates, one array (or number) an axis; they broadcast."""
        total = np.zeros((), np.int64)
        for digits, at in zip(self.digits, coordinates, strict=True):
            rest = np.asarray(at, np.int64)
            for number, digit in enumerate(reversed(digits)):
                outermost = number == len(digits) - 1
                value = rest if outermost else rest % digit.extent
                total = total + value * digit.stride
                rest = rest // digit.extent
        return total

    def prove(self) -> LayoutProof:
        """What holds, by the reach of the digits, else by looking at every coordinate."""
        short = next(self._uncovered(), None)
        if short is not None:
            undefined = Verdict(
                "disproved", "the digits of an axis end before its extent", (short,)
            )
            return _partial(undefined)
        total = Verdict("proved", "the digits of every axis reach its extent")
        if prod(self.extents) == 0:
            return LayoutProof(total, *[Verdict("proved", "there is no element")] * 2)
        return LayoutProof(total, self._bounds(), self._injective())

    def _uncovered(self) -> Iterator[Coordinate]:
        """Coordinates that the digits cannot write."""
        for axis, (extent, digits) in enumerate(zip(self.extents, self.digits, strict=True)):
            reached = prod(digit.extent for digit in digits)
            if reached < extent:
                yield tuple(reached if a == axis else 0 for a in range(len(self.extents)))

    @property
    def _flat(self) -> tuple[Digit, ...]:
        """The digits that take more than one value, the shortest stride first."""
        digits = (d for axis in self.digits for d in axis if d.extent > 1)
        return tuple(sorted(digits, key=lambda digit: abs(digit.stride)))

    @property
    def _exact(self) -> bool:
        """Whether every combination of digits is a coordinate."""
        reached = (prod(digit.extent for digit in axis) for axis in self.digits)
        return all(n == extent for n, extent in zip(reached, self.extents, strict=True))

    def _span(self) -> tuple[int, int]:
        low = sum(-d.reach for d in self._flat if d.stride < 0)
        high = sum(d.reach for d in self._flat if d.stride > 0)
        return low, high

    def _bounds(self) -> Verdict:
        low, high = self._span()
        if low >= 0 and high < self.cosize:
            return Verdict("proved", f"offsets lie in {low} to {high}, below {self.cosize}")
        if self._exact and self._size > MOST_ENUMERATED:
            return Verdict("disproved", f"offsets reach {low} to {high} of {self.cosize} elements")
        return _bounds_by_enumeration(self)

    @property
    def _size(self) -> int:
        return prod(self.extents)

    def _injective(self) -> Verdict:
        digits = self._flat
        below = 0
        for digit in digits:
            if abs(digit.stride) <= below:
                break
            below += digit.reach
        else:
            return Verdict("proved", "every stride is longer than all shorter ones reach together")
        low, high = self._span()
        if self._size > MOST_ENUMERATED and self._exact and self._size > high - low + 1:
            more = f"{self._size} elements meet in {high - low + 1} offsets"
            return Verdict("disproved", more)
        return _injective_by_enumeration(self)


@record
class BitLinear:
    """offset = xor of `columns[a][k]` over the set bits k of the coordinate along each axis a.

    Extents are powers of two.  `columns[a][k]` is the column of the matrix over GF(2) for bit k of
    axis a, least significant first, as the integer whose bits are the bits of the offset.
    """

    extents: tuple[int, ...]
    columns: tuple[tuple[int, ...], ...]
    cosize: int

    def __post_init__(self) -> None:
        _check_shape(self, self.columns)
        columns = tuple(tuple(map(_integer, axis)) for axis in self.columns)
        object.__setattr__(self, "columns", columns)
        if any(extent < 1 or extent & (extent - 1) for extent in self.extents):
            raise ValueError(f"a layout by bits has extents that are powers of two: {self.extents}")
        if any(column < 0 for axis in self.columns for column in axis):
            raise ValueError("a column is an integer without sign")

    def offset(self, coordinates: Sequence[Array | int]) -> Array:
        """The offsets of coordinates, one array (or number) an axis; they broadcast."""
        total = np.zeros((), np.int64)
        for columns, at in zip(self.columns, coordinates, strict=True):
            for bit, column in enumerate(columns):
                total = total ^ (((np.asarray(at, np.int64) >> bit) & 1) * column)
        return total

    def prove(self) -> LayoutProof:
        """What holds, by elimination over GF(2)."""
        for axis, (extent, columns) in enumerate(zip(self.extents, self.columns, strict=True)):
            if 1 << len(columns) < extent:
                at = tuple(1 << len(columns) if a == axis else 0 for a in range(len(self.extents)))
                return _partial(Verdict("disproved", "a bit of an axis has no column", (at,)))
        total = Verdict("proved", "every bit of every coordinate has a column")
        basis, dependent = self._eliminated()
        # The greatest offset takes every basis vector that raises it, from the highest bit down.
        most, chosen = 0, 0
        for pivot in sorted(basis, reverse=True):
            vector, made_of = basis[pivot]
            if most ^ vector > most:
                most, chosen = most ^ vector, chosen ^ made_of
        if most < self.cosize:
            bounds = Verdict("proved", f"the greatest offset is {most}, below {self.cosize}")
        else:
            at = self._coordinate(chosen)
            bounds = Verdict("disproved", f"offset {most} of {self.cosize} elements", (at,))
        if dependent is None:
            injective = Verdict("proved", "the columns are independent")
        else:
            pair = (self._coordinate(0), self._coordinate(dependent))
            injective = Verdict("disproved", "a sum of columns is zero", pair)
        return LayoutProof(total, bounds, injective)

    def _eliminated(self) -> tuple[dict[int, tuple[int, int]], int | None]:
        """A basis by pivot bit, each vector with the input bits it is made of; a dependent set."""
        basis: dict[int, tuple[int, int]] = {}
        dependent = None
        for number, column in enumerate(self._used()):
            vector, made_of = column, 1 << number
            while vector and vector.bit_length() - 1 in basis:
                other, other_bits = basis[vector.bit_length() - 1]
                vector, made_of = vector ^ other, made_of ^ other_bits
            if vector:
                basis[vector.bit_length() - 1] = (vector, made_of)
            elif dependent is None:
                dependent = made_of
        return basis, dependent

    def _used(self) -> list[int]:
        """The columns of bits that a coordinate can set, all axes in order."""
        bits = (extent.bit_length() - 1 for extent in self.extents)
        return [c for n, columns in zip(bits, self.columns, strict=True) for c in columns[:n]]

    def _coordinate(self, bits: int) -> Coordinate:
        """The coordinate whose used bits are these."""
        found = []
        for extent in self.extents:
            found.append(bits % extent)
            bits //= extent
        return tuple(found)


@record
class Table:
    """The offset of every element, in row-major order of the coordinates; None where undefined."""

    extents: tuple[int, ...]
    offsets: tuple[int | None, ...]
    cosize: int

    def __post_init__(self) -> None:
        _check_shape(self, self.extents)
        offsets = tuple(None if at is None else _integer(at) for at in self.offsets)
        object.__setattr__(self, "offsets", offsets)
        if len(self.offsets) != prod(self.extents):
            raise ValueError(f"{len(self.offsets)} offsets for {prod(self.extents)} elements")

    def offset(self, coordinates: Sequence[Array | int]) -> Array:
        """The offsets of coordinates, -1 where undefined."""
        flat = np.array([-1 if at is None else at for at in self.offsets], np.int64)
        shape = self.extents or (1,)
        return np.asarray(flat.reshape(shape)[tuple(np.asarray(at) for at in coordinates)])

    def prove(self) -> LayoutProof:
        """What holds, by looking at every entry."""
        missing = next((k for k, at in enumerate(self.offsets) if at is None), None)
        if missing is not None:
            at = _unravelled(missing, self.extents)
            return _partial(Verdict("disproved", "an element has no offset", (at,)))
        total = Verdict("proved", "every element has an entry")
        return LayoutProof(total, _bounds_by_enumeration(self), _injective_by_enumeration(self))


Layout: TypeAlias = MixedRadix | BitLinear | Table


def row_major(extents: Sequence[int]) -> MixedRadix:
    """The usual layout: the last axis is contiguous."""
    known = [_integer(extent) for extent in extents]
    strides = [prod(known[axis + 1 :]) for axis in range(len(known))]
    return strided(known, strides)


def strided(
    extents: Sequence[int], strides: Sequence[int], cosize: int | None = None
) -> MixedRadix:
    """One digit an axis.  `cosize` is by default one more than the greatest offset."""
    known = [_integer(extent) for extent in extents]
    digits = tuple((Digit(max(1, n), s),) for n, s in zip(known, strides, strict=True))
    reached = sum(digit.reach for (digit,) in digits if digit.stride > 0)
    return MixedRadix(tuple(known), digits, reached + 1 if cosize is None else cosize)


def to_json(layout: Layout) -> list[object]:
    """The layout as nested lists: its kind, extents, rule and cosize."""
    rule: object
    match layout:
        case MixedRadix(digits=digits):
            kind, rule = "digits", [[[d.extent, d.stride] for d in axis] for axis in digits]
        case BitLinear(columns=columns):
            kind, rule = "bits", [list(axis) for axis in columns]
        case Table(offsets=offsets):
            kind, rule = "table", list(offsets)
    return [kind, list(layout.extents), rule, layout.cosize]


def from_json(data: Sequence[Any]) -> Layout:
    """The layout that `to_json` wrote; ValueError for anything else."""
    kind, listed, rule, cosize = data
    extents = tuple(listed)
    match kind:
        case "digits":
            digits = tuple(tuple(Digit(n, step) for n, step in axis) for axis in rule)
            return MixedRadix(extents, digits, cosize)
        case "bits":
            return BitLinear(extents, tuple(tuple(axis) for axis in rule), cosize)
        case "table":
            return Table(extents, tuple(rule), cosize)
        case _:
            raise ValueError(f"{kind!r} is no kind of layout")


def _check_shape(layout: Layout, rules: Sequence[object]) -> None:
    """Let extents and cosize be Python's integers; ValueError where they are none."""
    object.__setattr__(layout, "extents", tuple(map(_integer, layout.extents)))
    object.__setattr__(layout, "cosize", _integer(layout.cosize))
    if len(layout.extents) != len(rules):
        raise ValueError(f"{len(rules)} rules for {len(layout.extents)} axes")
    if any(extent < 0 for extent in layout.extents) or layout.cosize < 0:
        raise ValueError("extents and cosize are not negative")


def _integer(value: object) -> int:
    number = integer_or_none(value)
    if number is None:
        raise ValueError(f"a layout is of integers, not {value!r}")
    return number


def _partial(undefined: Verdict) -> LayoutProof:
    """The proof of a layout that is not total: nothing is said of what is undefined."""
    unknown = Verdict("unknown", "some coordinate has no offset")
    return LayoutProof(undefined, unknown, unknown)


def _unravelled(number: int, extents: Sequence[int]) -> Coordinate:
    return tuple(int(at) for at in np.unravel_index(number, tuple(extents) or (1,)))[: len(extents)]


def _all_offsets(layout: Layout) -> Array:
    """The offset of every element, in row-major order."""
    axes = [np.arange(extent, dtype=np.int64) for extent in layout.extents]
    grid = np.meshgrid(*axes, indexing="ij", sparse=True) if axes else []
    offsets = np.broadcast_to(layout.offset(grid), layout.extents)
    return np.asarray(offsets).reshape(-1)


def _bounds_by_enumeration(layout: Layout) -> Verdict:
    if prod(layout.extents) > MOST_ENUMERATED:
        return Verdict("unknown", f"more than {MOST_ENUMERATED} elements, and no bound on offsets")
    offsets = _all_offsets(layout)
    outside = np.flatnonzero((offsets < 0) | (offsets >= layout.cosize))
    if not outside.size:
        return Verdict("proved", "every offset was looked at")
    at = int(outside[0])
    reason = f"offset {offsets[at]} of {layout.cosize} elements"
    return Verdict("disproved", reason, (_unravelled(at, layout.extents),))


def _injective_by_enumeration(layout: Layout) -> Verdict:
    if prod(layout.extents) > MOST_ENUMERATED:
        return Verdict("unknown", f"more than {MOST_ENUMERATED} elements, and strides that overlap")
    offsets = _all_offsets(layout)
    order = np.argsort(offsets, kind="stable")
    shared = ((a, b) for a, b in pairwise(order.tolist()) if offsets[a] == offsets[b])
    pair = next(shared, None)
    if pair is None:
        return Verdict("proved", "every pair of offsets differs")
    reason = f"two elements share offset {offsets[pair[0]]}"
    first, second = (_unravelled(at, layout.extents) for at in pair)
    return Verdict("disproved", reason, (first, second))
