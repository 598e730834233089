"""How far a plan's reductions may be from the exact results: a bound each, stated and evaluated.

In: a plan and one of its reductions.  Out: a `RoundingBound`: the depth of the tree that the plan
builds, the unit of the accumulation, a formula, and the bound for given data.  Decides how the
formula is written.  Where a bound holds is derived in `reference.states` and `reference.envelope`;
what depends on the tree comes from `plan.rounding.trees`.

With u the unit of the accumulation dtype, d the depth and g(k) = k u / (1 - k u), e(y) is what the
operations of an element's own term y round.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from certile.ir.dtypes import DType
from certile.ir.terms import Apply, Lit, Term, Var
from certile.ir.tile import Reduce
from certile.plan.record import GroupPlan
from certile.plan.rounding.depth import tree_of
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.bounding import Freedom
from certile.reference.envelope import closed_error, extremes_only
from certile.reference.laws import exact_results
from certile.reference.merges import Part, parts_of
from certile.reference.states import state_results
from certile.reference.trees import Tree
from certile.reference.values import UNIT, Value, wide

__all__ = ["MOST_LEAVES", "RoundingBound", "rounding_of"]

# The leaves up to which a tree is walked, which takes memory for each merge of a worker's chain.
MOST_LEAVES = 1 << 28

Array: TypeAlias = npt.NDArray[Any]

_INFIX: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


@record
class RoundingBound:
    """The bound of the results of one reduction under one plan.

    `constant` is what a merge rounds of an element's contribution to the results, in units u of
    `dtype`.  `formula` is the bound of each component of the state; results are read from the
    components by a few operations, each of which rounds once more.
    """

    depth: int
    dtype: DType
    constant: float
    formula: str
    node: Reduce
    tree: Tree

    def exact(self, *operands: Array) -> tuple[Array, ...]:
        """The results in float64, for operands with the leaves along the last axis."""
        return tuple(
            wide(value.data) for value in exact_results(self.node, _values(self, operands))
        )

    def bound(self, *operands: Array) -> tuple[Array, ...]:
        """How far each result may be from the exact one; infinite where an overflow decides.

        `operands` have the accumulation dtype, or a narrower one, and the leaves along the last
        axis.  The bound also has room for the rounding of a float64 reference.
        """
        return self._evaluated(operands, self.tree)

    def estimate(self, *operands: Array) -> tuple[Array, ...]:
        """The same with sqrt(d) for d: what independent roundings come to.  No bound."""
        depth, tree = max(1, self.depth), self.tree
        likely = replace(
            tree,
            depth=math.ceil(math.sqrt(depth)),
            drift=tree.drift / math.sqrt(depth),
            coupling=tree.coupling / depth,
        )
        return self._evaluated(operands, likely)

    def _evaluated(self, operands: tuple[Array, ...], tree: Tree) -> tuple[Array, ...]:
        args = _values(self, operands)
        with np.errstate(all="ignore"):
            made = state_results(self.node, args, Freedom(), tree)
            if made is not None:
                errors = [value.error for value in made.values]
            else:
                found = exact_results(self.node, args)
                free = Freedom(unit=self.dtype, always=True)
                errors = closed_error(self.node, args, (), found, free, tree.depth) or []
        lead = args[0].data.shape[:-1]
        return tuple(np.broadcast_to(0.0 if e is None else e, lead) for e in errors)

    def to_json(self) -> dict[str, object]:
        """The entry `rounding` of a plan's reduction."""
        return {
            "depth": self.depth,
            "dtype": str(self.dtype),
            "constant": self.constant,
            "formula": self.formula,
        }

    def __str__(self) -> str:
        return f"{self.formula}; depth {self.depth}, u of {self.dtype}"


def _values(bound: RoundingBound, operands: tuple[Array, ...]) -> list[Value]:
    return [Value(np.asarray(each).astype(numeric.carrier(bound.dtype))) for each in operands]


def rounding_of(plan: GroupPlan, node: Reduce) -> RoundingBound | None:
    """The bound of one reduction of a plan; None where none is stated.

    That is so for integers, which wrap, for reductions with a start value, for laws without closed
    forms, for those whose merges are not understood, and for more leaves than are walked.
    """
    if not node.accumulate.is_float or node.init or node.leaves > MOST_LEAVES:
        return None
    tree = tree_of(plan, node)
    if extremes_only(node.law):
        return RoundingBound(tree.depth, node.accumulate, 0.0, "exact", node, tree)
    if node.law.builtin == "mul":
        formula = f"g({node.leaves}) |product|, where nothing underflows"
        return RoundingBound(tree.depth, node.accumulate, 1.0, formula, node, tree)
    parts = parts_of(node.law)
    if parts is None:
        return None
    constant = max(part.steps for part in parts)
    lines = "; ".join(_line(part, tree, node) for part in parts if not _counts(part))
    return RoundingBound(tree.depth, node.accumulate, constant, lines, node, tree)


def _counts(part: Part) -> bool:
    """Whether a component counts elements, which is exact up to 1 / u of them."""
    return part.body == Lit(1.0) and part.kind == "sum"


def _line(part: Part, tree: Tree, node: Reduce) -> str:
    """The bound of a component as a formula, with numbers for what the plan decides."""
    term, depth = _text(part.body), tree.depth
    if part.kind == "mean":
        return f"{part.name}: g({tree.drift:.4g}) max|x|"
    if part.kind != "sum":
        return f"{part.name}: exact"
    if not part.centres:
        plain = isinstance(part.body, Var)
        own = "" if plain else f"e(y) + g({part.steps * depth:g}) |y|), y = {term}"
        return f"{part.name}: " + (f"g({depth}) sum |{term}|" if plain else f"sum ({own}")
    rounds = part.steps * (depth + 1)
    if part.squares:
        unit = UNIT[node.accumulate]
        return (
            f"{part.name}: g({rounds:g}) (M2 + D) + D, D = 2 u max|x| sqrt(V M2) + second order, "
            f"V = {tree.coupling:.4g}, W = {tree.weight:.4g}, u = {unit:.3g}"
        )
    return f"{part.name}: sum e(y) + g({rounds:g}) G + {depth + 1} E D, y = {term}"


def _text(term: Term) -> str:
    """A term in infix notation; a guard that gives 0 is left out, the state speaks by name."""
    match term:
        case Var(name):
            return name.removeprefix("state.")
        case Lit(value):
            return f"{value:g}" if isinstance(value, float) else str(value)
        case Apply("where", (_, Lit(0.0), other)) | Apply("where", (_, other, Lit(0.0))):
            return _text(other)
        case Apply(fn, (a, b)) if fn in _INFIX:
            return f"({_text(a)} {_INFIX[fn]} {_text(b)})"
        case Apply(fn, args):
            inner = ", ".join(map(_text, args))
            plain = inner[1:-1] if len(args) == 1 and _wrapped(inner) else inner
            return f"{fn}({plain})"


def _wrapped(text: str) -> bool:
    """Whether the parentheses at both ends of a text belong together."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at == len(text) - 1
    return False
