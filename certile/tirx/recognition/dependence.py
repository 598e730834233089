"""Where statements may change places: within an element loop, and between programs.

In: an element loop in normal form, or the parallel region that a root loop became.  Out: nothing,
or `NotShownError`.  An element loop is translated statement by statement, each for all elements:
that is the program as written when no iteration reads or overwrites what another stores.  A root
loop becomes parallel programs under the same condition.
"""

from __future__ import annotations

from certile.analysis.affine import affine, instance_spans, spans, undetermined
from certile.analysis.effects import Access, accesses
from certile.analysis.instances import is_coordinate
from certile.ir.tile import Buffer as TileBuffer
from certile.ir.tile import Iota, LoopIndex, Parallel, Store
from certile.ir.types import Axis
from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import (
    Allocate,
    Assign,
    Buffer,
    Element,
    Expr,
    Loop,
    Read,
    expressions,
    parts,
    statements,
)


def independent_iterations(loop: Loop) -> None:
    """Decline an element loop in which a buffer is stored and touched at another index.

    One-element buffers are values here: a loop that carries one is no element loop.
    """
    _no_carried_element(loop)
    inside = {step.buffer for step in statements(loop.body) if isinstance(step, Allocate)}
    stored = {step.buffer for step in statements(loop.body) if isinstance(step, Assign)}
    places: dict[Buffer, tuple[Expr, ...]] = {}
    for step in statements(loop.body):
        if not isinstance(step, Assign) or step.buffer in inside or step.buffer.is_scalar:
            continue
        if places.setdefault(step.buffer, step.indices) != step.indices:
            _clash(loop, step.buffer, "it is stored at two places of one iteration")
        if any(
            isinstance(p, Element) and p.buffer in stored for e in step.indices for p in parts(e)
        ):
            _clash(loop, step.buffer, "its index reads what the loop stores")
    for step in statements(loop.body):
        for expr in expressions(step):
            for part in parts(expr):
                if isinstance(part, Element) and places.get(part.buffer, part.indices) != (
                    part.indices
                ):
                    _clash(loop, part.buffer, "an iteration reads what another may store")


def _no_carried_element(loop: Loop) -> None:
    """Decline `B[i] = B[i] + …` in a loop over j by its name: here a carry is a scalar.

    An element that `promotion` could show to be the only one touched is a scalar.
    """
    for step in statements(loop.body):
        if not isinstance(step, Assign) or _reads(step.indices, loop) or step.buffer.is_scalar:
            continue
        if Element(step.buffer, step.indices) in parts(step.value):
            claim = (
                f"what the loop over {loop.variable.name} carries is started right before it and "
                "touched at one index alone"
            )
            missing = f"it carries an element of {step.buffer.name}, which is not"
            raise NotShownError("global_effects", claim, missing)


def _reads(exprs: tuple[Expr, ...], loop: Loop) -> bool:
    return any(
        isinstance(part, Read) and part.variable == loop.variable
        for expr in exprs
        for part in parts(expr)
    )


def _clash(loop: Loop, buffer: Buffer, missing: str) -> None:
    claim = f"iterations of the loop over {loop.variable.name} touch {buffer.name} apart"
    raise NotShownError("global_effects", claim, missing)


def independent_programs(parallel: Parallel) -> None:
    """Decline a region whose programs, run in any order, may meet in memory."""
    by_view: dict[TileBuffer, list[Access]] = {}
    for access in accesses(parallel):
        by_view.setdefault(access.buffer, []).append(access)
    for view, touching in by_view.items():
        stores = [access for access in touching if isinstance(access.effect, Store)]
        for store in stores:
            _injective(parallel, store)
        if stores and not _alike(touching):
            _separated(parallel, view, touching)


def _injective(parallel: Parallel, store: Access) -> None:
    """Decline a store whose place does not tell programs and elements apart.

    Iterations of a loop of the program may share places: they stay in order.
    """
    forms = [affine(index) for index in store.effect.indices]
    elements = {**instance_spans(parallel.over), **spans(store.effect.axes)}
    # The first that is undetermined is given, and repeated loops come last.
    shared = undetermined(forms, {**elements, **spans((), store.loops)})
    if shared in elements:
        assert isinstance(shared, Iota | LoopIndex)
        missing = f"iterations over {shared.axis.name} may store the same place"
        claim = f"stores to {store.buffer.name} write distinct elements"
        raise NotShownError("global_effects", claim, missing)


def _alike(touching: list[Access]) -> bool:
    """Whether all accesses are at the very same indices."""
    first = touching[0].effect.indices
    return all(
        all(a is b for a, b in zip(first, access.effect.indices, strict=True))
        for access in touching
    )


def _separated(parallel: Parallel, view: TileBuffer, touching: list[Access]) -> None:
    for axis in parallel.over:
        if axis.static > 1 and not _by_coordinate(axis, touching):
            claim = f"programs touch {view.name} at elements of their own"
            missing = f"what one over {axis.name} stores another may touch"
            raise NotShownError("global_effects", claim, missing)


def _by_coordinate(axis: Axis, touching: list[Access]) -> bool:
    ranks = range(len(touching[0].effect.indices))
    return any(
        all(is_coordinate(access.effect.indices[dim], axis) for access in touching) for dim in ranks
    )
