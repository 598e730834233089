"""A row program: one top-level `parallel` seen as steps over element domains.

`analysis.rows` builds it from Tile IR, planners count it, lowering follows it.  Nothing
here depends on a target or on a plan: the same steps serve every legal (S, Q, V, U).
"""

from __future__ import annotations

from math import prod
from typing import Literal

from certile.ir.dtypes import DType
from certile.ir.tile import (
    Effect,
    Fallback,
    Kernel,
    Memory,
    Parallel,
    Reduce,
    Result,
    Scan,
    Sort,
    Tile,
)
from certile.ir.types import Axis
from certile.records import record

StepKind = Literal[
    "load",
    "gather",
    "materialize",
    "reduce",
    "scan",
    "sort",
    "store",
    "serial",
    "nest",
    "fold",
    "assign",
    "fallback",
]


@record
class Step:
    """One thing a row program does, in an order that respects data and effects.

    `load`: a load without distributed axes that feeds an index (a label).  `gather`: a gather.
    `materialize`: a tile kept in a stripe.  `reduce`: a reduction.  `scan`: a scan,
    whose elements are made in order.  `sort`: an order, the elements
    of which are kept by the owners of their new places.  `store`: a store to a view.
    `serial`: a loop with `body` steps inside, its scalar carries held uniformly.  `assign`: the
    stripe of a carried tile (`node`) takes the elements of `value`.
    `nest`: `body` once for each element of a kept axis (`node` is a `Parallel` over it), the
    coordinate the same in all lanes.  `fold`: a reduction along `inner` that each lane makes alone,
    for its own element of `axes`.  `fallback`: `body` holds what is computed where the condition of
    the node holds and nowhere else; nothing outside reads what it makes.
    `axes` is the element domain in source order; empty means one element.  For a reduction it is
    the kept axes followed by the reduced ones, for a sort that of what is sorted.
    """

    kind: StepKind
    node: Tile | Effect
    axes: tuple[Axis, ...]
    body: tuple[Step, ...] = ()
    inner: tuple[Axis, ...] = ()
    value: Tile | None = None

    @property
    def elements(self) -> int:
        """The number of elements of the domain (1 for a scalar step)."""
        return prod(axis.static for axis in self.axes)

    @property
    def repeats(self) -> int:
        """How often the domain is swept for one round of the loops around it."""
        return prod(axis.static for axis in self.inner)


@record
class Stripe:
    """Private storage of one value: each worker keeps its own elements of `axes`.

    `key` is a kept tile, a carried tile, a placed memory, or a reduction whose results outlive the
    place where they are made.  `outer` are axes walked by uniform loops, the outermost first: the
    stripe holds the worker's elements once for each of their coordinates.  Without `axes` every
    worker holds every value.  One entry of `dtypes` is one array.
    """

    key: Tile | Memory
    dtypes: tuple[DType, ...]
    outer: tuple[Axis, ...]
    axes: tuple[Axis, ...]

    @property
    def copies(self) -> int:
        """How many coordinates of the outer axes there are."""
        return prod(axis.static for axis in self.outer)

    @property
    def elements(self) -> int:
        """The elements that the workers share."""
        return prod(axis.static for axis in self.axes)


@record
class Traffic:
    """Memory one place of a program touches: `elements` of `size` bytes, `trips` times.

    `step` numbers the step in execution order.  What `elements` workers share is counted once.
    """

    step: int
    elements: int
    size: int
    written: bool
    trips: int = 1


@record
class RowProgram:
    """What planners and lowering know about one launch.

    `domains` are the element counts of the independent element domains D (one entry a materialised
    tile, store, gather and index-feeding load; a domain that holds a reduction is not counted),
    `reductions` the reduced counts R, `materialized` the stripes M, all in step order.  A gather or
    an index-feeding load is a step only when it has no distributed axes; otherwise it is evaluated
    inside the domains that use it, and counted.  `domain_trips` and `reduction_trips` say how often
    one program runs each entry.  `kept_inputs` are loads held in stripes (inputs that are cached,
    snapshots that a store overtakes); they are in `materialized` too.  `memories` are the placed
    memories: each is one more private stripe of its axes.  `sorts` are the orders, in step order:
    each keeps a stripe of its own.  `scans` are the scans, in step order; `kept_scans` are their
    results that another loop reads, each one more stripe.  `traffic` is what the steps read and
    write; `traffic_known` is false when masks or gathers make it an upper bound.  `stripes` are
    what a worker keeps, in the order of first use.
    In a program that keeps axes of a reduction, `lanes` are the axes spread over workers; all
    others are walked by uniform loops (`units`, of extent one, by none), and the `axes` of a step
    are those of its domain that are lanes.  `folds` are the reductions that lanes make alone:
    they are counted as domains.  `inline` are reductions without a step of their own: each is made,
    by every lane alone, wherever an element of it is read.  Elsewhere `lanes` is None: every domain
    is spread as a whole.
    `fallbacks` are the values that may be computed again.  What is done then is counted apart from
    all above: `apart` are its reductions, of `apart_extents` elements, and `apart_traffic` is what
    it reads.  Its storage counts: partial results need their group memory beside the others.
    """

    kernel: Kernel
    parallel: Parallel
    steps: tuple[Step, ...]
    materialized: tuple[Tile, ...]
    domains: tuple[int, ...]
    reductions: tuple[Reduce, ...]
    reduction_extents: tuple[int, ...]
    read_and_written: bool
    kept_inputs: tuple[Tile, ...] = ()
    memories: tuple[Memory, ...] = ()
    sorts: tuple[Sort, ...] = ()
    scans: tuple[Scan, ...] = ()
    kept_scans: tuple[Result, ...] = ()
    domain_trips: tuple[int, ...] = ()
    reduction_trips: tuple[int, ...] = ()
    traffic: tuple[Traffic, ...] = ()
    traffic_known: bool = True
    stripes: tuple[Stripe, ...] = ()
    lanes: frozenset[Axis] | None = None
    units: tuple[Axis, ...] = ()
    folds: tuple[Reduce, ...] = ()
    inline: frozenset[Reduce] = frozenset()
    fallbacks: tuple[Fallback, ...] = ()
    apart: tuple[Reduce, ...] = ()
    apart_extents: tuple[int, ...] = ()
    apart_traffic: tuple[Traffic, ...] = ()
