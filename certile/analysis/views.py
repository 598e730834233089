"""Reading memory late: which nodes are evaluated where, and which loads may be re-read there.

A load is a snapshot.  The subgroup map does not take it when the program does: each consumer reads
the view again at its own element.  That is the same value while nothing has stored the element, or
while only the worker that owns it has.  In: the evaluations of a row program in execution order.
Out: the loads that have to be kept in a stripe, or a refusal.  Leaves which tiles are kept for the
sake of speed to `sharing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal

from certile.analysis.effects import Access, depends_on_memory
from certile.analysis.layout import wide
from certile.diagnostics import Refusal
from certile.ir.node import Node
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Cast,
    Effect,
    Gather,
    Load,
    Map,
    Reduce,
    Relabel,
    Serial,
    Store,
    Tile,
)
from certile.ir.types import Axis
from certile.records import record

# How the element read differs from the element evaluated: not at all, by the names of its axes, or
# by an index that may be anything.
Moved = Literal["no", "relabel", "gather"]


def same_domain(a: Sequence[Axis], b: Sequence[Axis]) -> bool:
    """Whether two domains number their elements alike; an axis of extent 1 counts for nothing."""
    return wide(a) == wide(b)


def visit(
    roots: Iterable[Node], stops: Callable[[Node], bool], enter: Node | None = None
) -> Iterator[tuple[Node, Moved]]:
    """Every node that is evaluated with the roots, each once a way of reaching it.

    A node that `stops` is reported and not entered, except `enter`, the node whose own evaluation
    this is.  Loops are not entered: their results are known.
    """
    done: set[tuple[Node, Moved]] = set()
    stack: list[tuple[Node, Moved]] = [(root, "no") for root in roots]
    while stack:
        node, moved = stack.pop()
        if (node, moved) in done:
            continue
        done.add((node, moved))
        yield node, moved
        if isinstance(node, Serial) or (node is not enter and stops(node)):
            continue
        match node:
            case Gather(value=value, index=index, fill=fill):
                stack += [(fill, moved), (index, moved), (value, "gather")]
            case Relabel(value=value):
                stack.append((value, "relabel" if moved == "no" else moved))
            case _:
                stack += [(operand, moved) for operand in node.operands()]


def index_loads(nodes: Iterable[Node], stores: Iterable[Store]) -> tuple[Load, ...]:
    """The loads whose value, element by element, becomes an index."""
    found: dict[Load, None] = {}
    for node in (*nodes, *stores):
        match node:
            case Gather(index=index):
                wanted: tuple[Tile, ...] = (index,)
            case Load(indices=indices) | Store(indices=indices):
                wanted = indices
            case _:
                continue
        found.update(dict.fromkeys(_element_wise_loads(wanted)))
    return tuple(found)


def _element_wise_loads(roots: Iterable[Tile]) -> Iterator[Load]:
    stack: list[Node] = list(roots)
    while stack:
        node = stack.pop()
        if isinstance(node, Load):
            yield node
        elif isinstance(node, Map | Cast | Bitcast | Broadcast | Relabel):
            stack.extend(node.operands())


def unguarded(nodes: Iterable[Node]) -> Refusal | None:
    """Refuse a load at an index that comes from memory and that nothing bounds.

    Affine indices are checked against the views' extents when arguments are bound; for an assumed
    access the author vouches.
    """
    for node in nodes:
        if isinstance(node, Load) and node.mask is None and not node.assume:
            for index in node.indices:
                if depends_on_memory(index):
                    return Refusal(
                        "admission",
                        "guarded_views",
                        f"every index into {node.buffer.name} is in bounds",
                        "an index comes from memory and the load has no guard; "
                        'use gather, or .tile(…, bounds="zero" or "assume")',
                        loc=node.loc,
                    )
    return None


@record(slots=False)
class Evaluation:
    """One place in execution order where an element domain is evaluated.

    `alike`: all lanes evaluate every element, so none of them owns one.
    """

    order: int
    anchor: Tile | Effect
    axes: tuple[Axis, ...]
    loops: tuple[Serial, ...]
    reads: Mapping[Node, frozenset[Moved]] = field(hash=False)
    alike: bool = False


def snapshots(
    timeline: Sequence[Evaluation], accesses: Sequence[Access], kept: frozenset[Tile]
) -> Refusal | frozenset[Load]:
    """The loads that must be kept because a store overtakes a later reading, or a refusal."""
    forced: set[Load] = set()
    stores = [access for access in accesses if isinstance(access.effect, Store)]
    for access in accesses:
        load = access.effect
        if not isinstance(load, Load):
            continue
        # A kept load touches memory once, where its stripe is filled.
        places = [e for e in timeline if load in e.reads and (load not in kept or e.anchor is load)]
        for store in stores:
            if store.buffer != load.buffer:
                continue
            at_store = next(e for e in timeline if e.anchor is store.effect)
            late, refusal = _against(places, access, store, at_store.order)
            if refusal is not None:
                return refusal
            if late and load not in kept:
                forced.add(load)
            elif late:
                return _overtaken(load, "its stripe is filled after the element is stored")
    return frozenset(forced)


def _against(
    places: Sequence[Evaluation], access: Access, store: Access, stored_at: int
) -> tuple[bool, Refusal | None]:
    """Whether the load is read too late for this store; or why their elements may be mixed up."""
    load, written = access.effect, store.effect
    assert isinstance(load, Load)
    assert isinstance(written, Store)
    # A loop around the store alone brings the store before every reading inside that loop.
    around = [loop for loop in store.loops if loop not in access.loops]
    late = False
    for evaluation in places:
        if access.position < store.position and (
            evaluation.order > stored_at or any(loop in evaluation.loops for loop in around)
        ):
            late = True
        elif evaluation.reads[load] != {"no"} or not _same_element(load, evaluation, written):
            return False, _mixed(load, evaluation, access.position > store.position)
    return late, None


def _same_element(load: Load, evaluation: Evaluation, store: Store) -> bool:
    """Whether element e of the evaluation reads what element e of the store writes."""
    alike = all(a is b for a, b in zip(load.indices, store.indices, strict=True))
    return alike and not evaluation.alike and same_domain(evaluation.axes, store.axes)


def _mixed(load: Load, evaluation: Evaluation, stored_before: bool) -> Refusal:
    if stored_before and isinstance(evaluation.anchor, Reduce):
        return Refusal(
            "admission",
            "contribution",
            "a contribution reads only what this instance has not stored",
            f"{load.buffer.name} is stored before, at elements that other workers own",
            loc=load.loc,
        )
    return _overtaken(
        load, "the instance also stores the view, at other elements or in other order"
    )


def _overtaken(load: Load, missing: str) -> Refusal:
    return Refusal(
        "admission",
        "guarded_views",
        f"a delayed read of {load.buffer.name} sees the value it had",
        missing,
        loc=load.loc,
    )
