"""Which reductions workers may share: the law, the policy, the types and the start value.

In: a region, or a reduction and the kind of the target.  Out: None, or the refusal of what is not
shown.  Decides by the flags and terms of the law, the policy, and what targets accumulate.  Leaves
where elements are read to other checks, and the order of a tree to lowering.
"""

from __future__ import annotations

import struct

from certile.analysis.layout import ORDERED_TREES, keeps
from certile.analysis.region import Region, refuse
from certile.diagnostics import Refusal
from certile.ir import dtypes
from certile.ir.dtypes import DType
from certile.ir.laws import literal_value
from certile.ir.terms import Lit
from certile.ir.tile import FOLD_POLICIES, Const, Reduce, Scan

__all__ = ["canonical_state", "reduction_type", "start_refusal", "type_refusal"]

# Metal has no double; every other target computes all of these.
ACCUMULATORS = (dtypes.f32, dtypes.f64, dtypes.i32, dtypes.i64, dtypes.u32, dtypes.u64)
TREES = ("unordered_tree", *ORDERED_TREES)


def reduction_type(region: Region) -> Refusal | None:
    """Reductions and scans have a law with an identity, a tree policy and a type of the target."""
    folded = (*region.nodes(Reduce), *(scan.total for scan in region.nodes(Scan)))
    # Beside results over an axis a lane may fold a result alone, in the order written.
    alone = any(map(keeps, region.nodes(Reduce)))
    refusals = (type_refusal(reduction, region.target_kind, alone=alone) for reduction in folded)
    return next((refusal for refusal in refusals if refusal is not None), None)


def type_refusal(reduction: Reduce, target_kind: str, *, alone: bool = False) -> Refusal | None:
    """Refuse a reduction that may not be split, or that the target has no arithmetic for.

    A fold need not be split where a lane may make it `alone`.
    """
    missing = None if alone and reduction.policy in FOLD_POLICIES else _order_problem(reduction)
    missing = missing or _type_problem(reduction, target_kind)
    if missing is None:
        return None
    claim = f"{reduction.law.name} may be split over workers"
    return refuse("reduction_type", claim, missing, reduction.loc)


def _order_problem(reduction: Reduce) -> str | None:
    law = reduction.law
    if reduction.policy not in TREES:
        return f"its policy is {reduction.policy}"
    if law.identity is None:
        return "it has no identity"
    if not law.commutative and reduction.policy != "ordered_tree":
        return f"its merge does not commute and its policy is {reduction.policy}"
    return None


def _type_problem(reduction: Reduce, target_kind: str) -> str | None:
    dtype = reduction.accumulate
    if dtype not in ACCUMULATORS or (dtype == dtypes.f64 and target_kind == "metal"):
        return f"{target_kind} does not accumulate {dtype}"
    if any(arg.dtype != dtype for arg in reduction.args):
        return "an operand is not of the accumulation type"
    if not all(isinstance(axis.extent, int) and axis.extent > 0 for axis in reduction.over):
        return "its extent is not a positive integer"
    return None


def canonical_state(region: Region) -> Refusal | None:
    """A reduction that workers share starts as the exact identity."""
    shared = (r for r in region.nodes(Reduce) if r.policy not in FOLD_POLICIES)
    refusals = (start_refusal(reduction) for reduction in shared)
    return next((refusal for refusal in refusals if refusal is not None), None)


def start_refusal(reduction: Reduce) -> Refusal | None:
    """Refuse a start value other than the exact identity: each worker would merge it once more."""
    if not reduction.init or _starts_as_identity(reduction):
        return None
    return refuse(
        "canonical_state",
        f"{reduction.law.name} starts as its exact identity",
        "its start value is another one, or not a constant",
        reduction.loc,
    )


def _starts_as_identity(reduction: Reduce) -> bool:
    law = reduction.law
    terms = law.identity or ()
    kinds = law.state_dtypes(reduction.accumulate, reduction.leaves)
    return len(terms) == len(reduction.init) and all(
        isinstance(start, Const)
        and isinstance(term, Lit)
        and _same_bits(start.value, literal_value(term.value, dtype), dtype)
        for start, term, dtype in zip(reduction.init, terms, kinds, strict=True)
    )


def _same_bits(a: bool | int | float, b: bool | int | float, dtype: DType) -> bool:
    if dtype.is_float:
        return struct.pack("<d", float(a)) == struct.pack("<d", float(b))
    return int(a) == int(b)
