"""Extremes whose NaN nobody misses, as all that reads them is NaN for another reason.

In: a row program.  Out: its reductions by maximum or minimum that may give any number where an
element is NaN.  Decides from strictness: a function is strict if it is NaN whenever an operand is.
A softmax subtracts the greatest element of its row; where an element is NaN, so is its exponential,
the sum of them, and every quotient, whatever was subtracted.  Leaves to lowering what it saves: on
processors whose maximum drops a NaN, two of three instructions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeGuard

from certile.ir.node import Node, reach
from certile.ir.rows import RowProgram
from certile.ir.tile import Cast, Map, Reduce

# Functions that are NaN where an operand is.  `pow`, `fmax` and `fmin` are not: pow(1, NaN) is 1.
STRICT: Final = frozenset(
    {"neg", "abs", "add", "sub", "mul", "div", "fma", "sqrt", "rsqrt", "recip"}
    | {"exp", "exp2", "expm1", "log", "log2", "log1p", "tanh", "sigmoid", "erf", "erfc"}
    | {"sin", "cos", "tan", "maximum", "minimum"}
)
_EXTREMES: Final = frozenset({"maximum", "minimum"})
# Folds that one element which is NaN makes a NaN.
_TOTALS: Final = frozenset({"add", "mul"})
# The steps of programs without loops; what a fallback computes again depends on its condition.
_PLAIN: Final = frozenset({"load", "gather", "materialize", "reduce", "store"})


def missed_by_none(rows: RowProgram) -> frozenset[Reduce]:
    """The extremes of a row program that may give any number where an element is NaN."""
    found = [node for node in rows.reductions if node.law.builtin in _EXTREMES]
    if not found or any(step.kind not in _PLAIN for step in rows.steps):
        return frozenset()
    nodes = list(reach(step.node for step in rows.steps))
    return frozenset(node for node in found if _is_missed_by_none(node, nodes))


def _is_missed_by_none(extreme: Reduce, nodes: Sequence[Node]) -> bool:
    (of,) = extreme.args
    if not of.dtype.is_float or extreme.init:
        return False
    # A fold along a kept axis would take the number to where no element is NaN.
    if any(axis.extent != 1 for axis in extreme.spanned):
        return False
    beside = _strict_in({of}, nodes)
    totals = {node for node in nodes if _is_total_beside(node, extreme) and node.args[0] in beside}
    missing = _strict_in(totals, nodes)
    # What may differ with the number that the extreme gives.
    differing: set[Node] = {extreme}
    for node in nodes:
        if node in missing or differing.isdisjoint(node.operands()):
            continue
        if not isinstance(node, Cast | Map | Reduce):
            # It is stored, decides a place, or is moved to where another row has no NaN.
            return False
        differing.add(node)
    return True


def _is_total_beside(node: Node, extreme: Reduce) -> TypeGuard[Reduce]:
    """Whether a node adds or multiplies elements, one beside each that an extreme compares."""
    return (
        isinstance(node, Reduce)
        and node.law.builtin in _TOTALS
        and set(node.over) == set(extreme.over)
        and set(node.args[0].axes) == set(extreme.args[0].axes)
    )


def _strict_in(seeds: Collection[Node], nodes: Iterable[Node]) -> set[Node]:
    """The seeds, and what is NaN at every element at which one of them is; operands come first."""
    found = set(seeds)
    for node in nodes:
        match node:
            case Map(fn="where", args=(_, a, b)):
                strict = a in found and b in found
            case Map(fn=fn, args=args):
                strict = fn in STRICT and not found.isdisjoint(args)
            case Cast(value=value):
                strict = value in found and node.dtype.is_float
            case _:
                strict = False
        if strict:
            found.add(node)
    return found
