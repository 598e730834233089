"""What a step needs before its loop starts, and which neighbouring steps may share a loop."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from certile.ir.functions import FLOAT_TESTS
from certile.ir.laws import Law
from certile.ir.node import Node
from certile.ir.rows import Step
from certile.ir.terms import Apply, Term
from certile.ir.tile import Const, Kernel, Map, Parallel, Reduce, Tile, effects, roots
from certile.ir.types import Axis

_FUSABLE = frozenset({"materialize", "reduce", "store"})


def independent_of(
    nodes: Iterable[Node], axes: Collection[Axis], bound: Collection[Axis]
) -> list[Tile]:
    """The largest values the nodes read that do not span `axes`: evaluated before a loop over them.

    `bound` are the axes whose coordinates are known outside; a value that spans another one (the
    row behind a gather) cannot be evaluated there, but its parts may.  Inside a value that is
    evaluated nothing more is looked at.
    """
    found: dict[Tile, None] = {}
    seen: set[Node] = set()
    stack = [below for node in nodes for below in node.operands()]
    while stack:
        at = stack.pop()
        if at in seen or isinstance(at, Const):
            continue
        seen.add(at)
        outside = isinstance(at, Tile) and all(a in bound and a not in axes for a in at.axes)
        if outside and isinstance(at, Tile):
            found[at] = None
        else:
            stack.extend(at.operands())
    return list(found)


def _reductions_read(step: Step) -> set[Node]:
    """The reductions whose results the step's element expressions read."""
    found: set[Node] = set()
    seen: set[Node] = set()
    stack = list(step.node.operands())
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        if isinstance(at, Reduce):
            found.add(at)
        stack.extend(at.operands())
    return found


def _joins(step: Step, group: Sequence[Step]) -> bool:
    head = group[0]
    if step.axes != head.axes or not step.axes or {step.kind, head.kind} - _FUSABLE:
        return False
    alone = [s.node for s in (*group, step) if isinstance(s.node, Reduce)]
    if any(node.policy in ("ordered_tree", "reproducible") for node in alone):
        return False
    made = {s.node for s in group if s.kind == "reduce"}
    return not made & _reductions_read(step)


def fused(steps: Sequence[Step]) -> list[list[Step]]:
    """Runs of steps over one element domain of which none needs a result of another's reduction."""
    groups: list[list[Step]] = []
    for step in steps:
        if groups and _joins(step, groups[-1]):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _tests_nan(fn: str, args: Sequence[object]) -> bool:
    return fn in FLOAT_TESTS or (fn == "ne" and args[0] == args[1])


def _law_tests_nan(law: Law) -> bool:
    """Whether a law's own terms tell NaN or infinity apart (argmax and the merges of pairs do)."""
    stack: list[Term] = [*law.lift, *law.merge, *law.finalize]
    while stack:
        term = stack.pop()
        if isinstance(term, Apply):
            if _tests_nan(term.fn, term.args):
                return True
            stack.extend(term.args)
    return False


def needs_precise_math(kernel: Kernel, parallel: Parallel) -> bool:
    """Whether fast math would change the kernel's meaning: an ordered reduction, a NaN test."""
    seen: set[Node] = set()
    stack: list[Node] = []
    for step in effects((parallel,)):
        stack.extend(roots(step))
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        if isinstance(at, Reduce) and (at.policy != "unordered_tree" or _law_tests_nan(at.law)):
            return True
        if isinstance(at, Map) and _tests_nan(at.fn, at.args):
            return True
        stack.extend(at.operands())
    return kernel.math == "portable"
