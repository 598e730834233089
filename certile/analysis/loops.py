"""Which neighbouring steps of a row program share one loop over their elements.

In: steps in execution order.  Out: runs of them, and the scans and reductions whose results must
outlive their loop.  Decides by domain, by the direction in which scans walk it, and by results that
exist only after a loop.  Lowering makes one loop of each run; planners count what outlives one as
storage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from certile.analysis.layout import ORDERED_TREES
from certile.ir.node import Node, reach
from certile.ir.rows import Step
from certile.ir.tile import Reduce, Scan
from certile.ir.types import Axis

_FUSABLE = frozenset({"assign", "fold", "materialize", "reduce", "scan", "store"})


def _reductions_read(step: Step) -> set[Node]:
    """The reductions whose results the step's element expressions read."""
    read = step.node.operands() if step.value is None else (step.value,)
    return {node for node in reach(read) if isinstance(node, Reduce)}


def _walked(step: Step) -> tuple[Axis, ...]:
    """The axes that uniform loops walk around the sweep; a fold's own loop is inside."""
    return () if step.kind == "fold" else step.inner


def _joins(step: Step, group: Sequence[Step]) -> bool:
    head = group[0]
    if step.axes != head.axes or not step.axes or {step.kind, head.kind} - _FUSABLE:
        return False
    if _walked(step) != _walked(head):
        return False
    nodes = [s.node for s in (*group, step)]
    if any(isinstance(n, Reduce) and n.policy in ORDERED_TREES for n in nodes):
        return False
    if len({n.reverse for n in nodes if isinstance(n, Scan)}) > 1:
        return False
    made = {s.node for s in group if s.kind == "reduce"}
    return not made & _reductions_read(step)


def fused(steps: Sequence[Step]) -> list[list[Step]]:
    """Runs of steps over one element domain, none of which needs a result of another's reduction.

    A scan and its readers may meet in one: a scan makes its element when its turn comes.
    """
    groups: list[list[Step]] = []
    for step in steps:
        if groups and _joins(step, groups[-1]):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def outlasting(
    steps: Sequence[Step], reads: Callable[[Step], Collection[Node]]
) -> frozenset[Scan | Reduce]:
    """The scans and reductions that a loop other than their own reads.

    `reads` says what a step evaluates.
    """
    found: set[Scan | Reduce] = set()
    for group in _all_groups(steps):
        own = {step.node for step in group}
        for step in group:
            found.update(n for n in reads(step) if isinstance(n, Scan | Reduce) and n not in own)
    return frozenset(found)


def _all_groups(steps: Sequence[Step]) -> Iterator[list[Step]]:
    for group in fused(steps):
        yield group
        for step in group:
            yield from _all_groups(step.body)
