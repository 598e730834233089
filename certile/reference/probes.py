"""Arguments that show what tolerances hide: results whose bits cannot depend on an order.

In: a kernel and shapes.  Out: arguments.  Decides two families: *exact* probes hold integers small
enough that sums and products are exact in every legal order; *one-hot* probes have one element set
in each row, at the places where a plan changes what it does (first, last, tail, pack, block).
Leaves judging to `agrees`, which asks for equal bits wherever its bound is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from certile.ir.laws import MUL
from certile.ir.node import Node, reach
from certile.ir.tile import (
    Gather,
    Kernel,
    Load,
    LoopIndex,
    Memory,
    Reduce,
    Scalar,
    Scan,
    Store,
    View,
)
from certile.ir.walk import Shapes, extent_of, parallel_regions, values
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.evaluate import Arguments
from certile.reference.machine_numeric import Array


@record
class Probe:
    """Arguments and what they are meant to show."""

    name: str
    arguments: Arguments


def exact_probes(kernel: Kernel, shapes: Shapes, *, count: int = 2, seed: int = 0) -> list[Probe]:
    """Small integers everywhere; labels and other indices stay inside what they index."""
    ranges = index_ranges(kernel, shapes)
    # A product of many factors is exact only when they are units.
    units = any(isinstance(at, Reduce | Scan) and at.law == MUL for at in values(kernel))
    limit = 1 if units else 4
    probes = []
    for number in range(count):
        rng = np.random.default_rng((seed, number))
        arguments: dict[str, Array | bool | int | float] = {}
        for param in kernel.params:
            if isinstance(param, Scalar):
                arguments[param.name] = 1 if units else 2
            else:
                arguments[param.name] = _integers(
                    rng, param, tuple(shapes[param.name]), ranges.get(param.name), limit
                )
        probes.append(Probe(f"exact {number}", arguments))
    return probes


def _integers(
    rng: np.random.Generator, view: View, shape: tuple[int, ...], inside: int | None, limit: int
) -> Array:
    storage = numeric.storage(view.dtype)
    if view.dtype.kind == "bool":
        return rng.random(shape) < 0.5
    if inside is not None:
        return rng.integers(0, max(inside, 1), shape).astype(storage)
    low = -limit if view.dtype.is_signed else 0
    return rng.integers(low, limit, shape, endpoint=True).astype(storage)


def one_hot_probes(
    kernel: Kernel, shapes: Shapes, thresholds: Sequence[int], *, value: float = 1.0
) -> Iterator[Probe]:
    """One element of every row of one input set to `value` at a time, the rest 0.

    A threshold is a place in the row, counted over the dimensions that no parallel coordinate
    indexes; a negative one counts from the end; those outside the row are left out.
    """
    ranges = index_ranges(kernel, shapes)
    for view in kernel.inputs:
        if view.name in ranges or view.dtype.kind == "bool":
            continue
        dims = row_dimensions(kernel, view)
        lengths = tuple(int(shapes[view.name][dim]) for dim in dims)
        size = prod(lengths)
        for place in sorted({t % size for t in thresholds if -size <= t < size} if size else ()):
            arguments = _blank(kernel, shapes)
            array = arguments[view.name]
            assert isinstance(array, np.ndarray)
            at: list[slice | int] = [slice(None)] * view.rank
            for dim, index in zip(dims, np.unravel_index(place, lengths), strict=True):
                at[dim] = int(index)
            array[tuple(at)] = value
            yield Probe(f"one-hot {view.name}[{place}]", arguments)


def _blank(kernel: Kernel, shapes: Shapes) -> dict[str, Array | bool | int | float]:
    found: dict[str, Array | bool | int | float] = {}
    for param in kernel.params:
        if isinstance(param, Scalar):
            found[param.name] = 1
        else:
            found[param.name] = np.zeros(tuple(shapes[param.name]), numeric.storage(param.dtype))
    return found


def thresholds(extent: int, *sizes: int) -> list[int]:
    """The places of a row where a plan with chunks, packs or blocks of these sizes changes.

    The first and the last element, and both sides of the first and the last edge of every size.
    """
    found = {0, extent - 1}
    for size in sizes:
        last = (extent - 1) // size * size
        found |= {size - 1, size, last - 1, last}
    return sorted(place for place in found if 0 <= place < extent)


def row_dimensions(kernel: Kernel, view: View) -> tuple[int, ...]:
    """The dimensions of a view that no coordinate of a launch indexes alone."""
    axes = {axis for region in parallel_regions(kernel) for axis in region.over}
    found: set[int] = set()
    for at in values(kernel):
        if isinstance(at, Load) and at.buffer == view:
            found |= {
                dim
                for dim, index in enumerate(at.indices)
                if not (isinstance(index, LoopIndex) and index.axis in axes)
            }
    return tuple(sorted(found))


def index_ranges(kernel: Kernel, shapes: Shapes) -> dict[str, int]:
    """For each integer view whose elements are used as indices: the least length they index."""
    found: dict[str, int] = {}

    def note(index: Node, length: int) -> None:
        for below in reach([index]):
            if isinstance(below, Load) and isinstance(below.buffer, View):
                name = below.buffer.name
                found[name] = min(found.get(name, length), length)

    for at in values(kernel):
        if isinstance(at, Gather):
            note(at.index, extent_of(at.axis, shapes))
        elif isinstance(at, Load | Store):
            lengths: Sequence[int] = (
                [extent_of(axis, shapes) for axis in at.buffer.axes]
                if isinstance(at.buffer, Memory)
                else shapes[at.buffer.name]
            )
            for index, length in zip(at.indices, lengths, strict=True):
                note(index, int(length))
    return found
