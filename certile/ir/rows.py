"""A row program: one top-level `parallel` seen as steps over element domains.

Admission (`analysis.rows`) builds it from Tile IR, planners count it, lowering follows it.  Nothing
here depends on a target or on a plan: the same steps serve every legal (S, Q, V, U).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from certile.ir.tile import Effect, Kernel, Memory, Parallel, Reduce, Tile
from certile.ir.types import Axis

StepKind = Literal["load", "gather", "materialize", "reduce", "store", "serial"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing a row program does, in an order that respects data and effects.

    `load`: a load without distributed axes that feeds an index (a label).  `gather`: a gather.
    `materialize`: a tile kept in a stripe.  `reduce`: a reduction.  `store`: a store to a view.
    `serial`: a loop with `body` steps inside, its scalar carries held uniformly.
    `axes` is the element domain in source order; empty means one element.  For a reduction it is
    the kept axes followed by the reduced ones.
    """

    kind: StepKind
    node: Tile | Effect
    axes: tuple[Axis, ...]
    body: tuple[Step, ...] = ()

    @property
    def elements(self) -> int:
        """The number of elements of the domain (1 for a scalar step)."""
        count = 1
        for axis in self.axes:
            count *= axis.static
        return count


@dataclass(frozen=True, slots=True)
class Traffic:
    """Memory one place of a program touches: `elements` of `size` bytes, `trips` times.

    `step` numbers the step in execution order.  What `elements` workers share is counted once.
    """

    step: int
    elements: int
    size: int
    written: bool
    trips: int = 1


@dataclass(frozen=True, slots=True)
class RowProgram:
    """What planners and lowering know about one launch.

    `domains` are the element counts of the independent element domains D (one entry a materialised
    tile, store, gather and index-feeding load; a domain that holds a reduction is not counted),
    `reductions` the reduced counts R, `materialized` the stripes M, all in step order.  A gather or
    an index-feeding load is a step only when it has no distributed axes; otherwise it is evaluated
    inside the domains that use it, and counted.  `domain_trips` and `reduction_trips` say how often
    one program runs each entry.  `kept_inputs` are loads held in stripes (inputs that are cached,
    snapshots that a store overtakes); they are in `materialized` too.  `memories` are the placed
    memories: each is one more private stripe of its axes.  `traffic` is what the steps read and
    write; `traffic_known` is false when masks or gathers make it an upper bound.
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
    domain_trips: tuple[int, ...] = ()
    reduction_trips: tuple[int, ...] = ()
    traffic: tuple[Traffic, ...] = ()
    traffic_known: bool = True
