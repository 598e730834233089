"""Reductions inside a group whose lanes are already bound: one subgroup an output.

In: the outputs of a closed reduction tile and the threads of the group.  Out: how many batches the
group needs and how many lanes of work there are.  Decides by the matcher that single reductions
pass, so that work is counted only where lanes may work together.  Leaves the fence that publishes
the results to the mapper of the enclosing group.
"""

from __future__ import annotations

from certile.analysis.groups import collective_refusal
from certile.ir.tile import Reduce

__all__ = ["collective_refusal", "composed_batches", "composed_output", "composed_work"]


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
    """The lanes a reduction can use: a subgroup an output where lanes may work together, else one.

    Capped by the threads a group may have.
    """
    lanes = 1 if collective_refusal(reduction, target_kind) is not None else 32
    return min(outputs * lanes, max_threads)
