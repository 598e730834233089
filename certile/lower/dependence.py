"""What a step needs before its loop starts, and what a kernel must compute without fast math.

In: what a loop is about to evaluate, or one launch of a kernel.  Out: the values that do not depend
on the loop, or whether fast math would change a meaning.  Decides how large such a value is: as
large as it can be.  Leaves evaluating them, and the loop, to the execution maps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from certile.ir.functions import FLOAT_TESTS
from certile.ir.laws import Law
from certile.ir.node import Node
from certile.ir.tile import Const, Fallback, Kernel, Map, Parallel, Reduce, Scan, Sort, Tile
from certile.ir.types import Axis
from certile.ir.walk import evaluated


def never(_: Node) -> bool:
    """Stop nowhere."""
    return False


def independent_of(
    nodes: Iterable[Node],
    axes: Collection[Axis],
    bound: Collection[Axis],
    stops: Callable[[Node], bool] = never,
) -> list[Tile]:
    """The largest values the nodes read that do not span `axes`: evaluated before a loop over them.

    `bound` are the axes whose coordinates are known outside; a value that spans another one (the
    row behind a gather) cannot be evaluated there, but its parts may.  Inside a value that is
    evaluated, a sort, which has been done, or a node that `stops`, nothing more is looked at.
    """
    return largest(nodes, lambda at: all(a in bound and a not in axes for a in at.axes), stops)


def largest(
    nodes: Iterable[Node], wanted: Callable[[Tile], bool], stops: Callable[[Node], bool] = never
) -> list[Tile]:
    """The largest values below the nodes that are `wanted`; constants and sorts never are.

    Nor is a fallback of tiles: each of its results is a value, and they may differ in their axes.
    """
    found: dict[Tile, None] = {}
    seen: set[Node] = set()
    stack = [below for node in nodes for below in node.operands()]
    while stack:
        at = stack.pop()
        if at in seen or isinstance(at, Const | Sort):
            continue
        seen.add(at)
        if isinstance(at, Tile) and wanted(at) and not (isinstance(at, Fallback) and at.axes):
            found[at] = None
        elif not stops(at):
            stack.extend(at.tried if isinstance(at, Fallback) else at.operands())
    return list(found)


def _tests_nan(fn: str, args: Sequence[object]) -> bool:
    return fn in FLOAT_TESTS or (fn == "ne" and args[0] == args[1])


def _law_tests_nan(law: Law) -> bool:
    """Whether a law's own terms tell NaN or infinity apart (argmax and the merges of pairs do)."""
    return any(_tests_nan(at.fn, at.args) for at in law.applications())


def _is_precise(at: Node) -> bool:
    match at:
        case Reduce():
            return at.policy != "unordered_tree" or _law_tests_nan(at.law)
        case Scan():
            return _law_tests_nan(at.law)
        case Map():
            return _tests_nan(at.fn, at.args)
        case _:
            return False


def needs_precise_math(kernel: Kernel, parallel: Parallel) -> bool:
    """Whether fast math would change the kernel's meaning: an ordered reduction, a NaN test."""
    return kernel.math == "portable" or any(map(_is_precise, evaluated(parallel)))
