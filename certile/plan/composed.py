"""Reductions inside a group whose lanes are already bound: one subgroup an output.

In: the outputs of a closed reduction tile and the threads of the group.  Out: how many batches the
group needs and how many lanes of work there are.  Decides by the matcher that single reductions
pass, so that work is counted only where a collective can be emitted.  Leaves the fence that
publishes the results to the mapper of the enclosing group.
"""

from __future__ import annotations

from certile.analysis.admission import start_refusal, type_refusal
from certile.diagnostics import Refusal
from certile.ir.tile import Reduce


def collective_refusal(reduction: Reduce, target_kind: str) -> Refusal | None:
    """Why a reduction may not be one collective of a subgroup, or None.

    A collective combines lanes in an order the target chooses, so the policy must be
    `unordered_tree` and the law one the hardware has.
    """
    refusal = type_refusal(reduction, target_kind) or start_refusal(reduction)
    if refusal is not None:
        return refusal
    if reduction.policy != "unordered_tree" or reduction.law.builtin is None:
        return Refusal(
            "admission",
            "reduction_type",
            f"{reduction.law.name} may be a collective",
            f"its policy is {reduction.policy}"
            if reduction.policy != "unordered_tree"
            else "no collective computes it",
            loc=reduction.loc,
        )
    return None


def composed_batches(outputs: int, threads: int, lanes: int = 32) -> int | None:
    """The rounds in which a group's subgroups make all outputs.

    None when the group is no whole number of subgroups: its lanes reduce in order instead.
    """
    if threads < lanes or threads % lanes:
        return None
    return -(-outputs // (threads // lanes))


def composed_output(batch: int, thread: int, threads: int, lanes: int = 32) -> tuple[int, int]:
    """The output a thread works on in a batch, and its lane among those who make it."""
    subgroup, lane = divmod(thread, lanes)
    return batch * (threads // lanes) + subgroup, lane


def composed_work(reduction: Reduce, outputs: int, max_threads: int, target_kind: str) -> int:
    """The lanes a reduction can use: a subgroup an output where a collective serves, else one each.

    Capped by the threads a group may have.
    """
    lanes = 1 if collective_refusal(reduction, target_kind) is not None else 32
    return min(outputs * lanes, max_threads)
