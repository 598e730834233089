"""Reductions inside a group whose lanes are already bound: one subgroup an output.

In: the outputs of a closed reduction tile and the threads of the group.  Out: how many batches the
group needs and how many threads have work.  Decides nothing: whether lanes may make an output
together is `certile.analysis.groups`' to say, and fences are `certile.analysis.group_fences`'.
"""

from __future__ import annotations

__all__ = ["composed_batches", "composed_work"]


def composed_batches(outputs: int, threads: int, lanes: int = 32) -> int | None:
    """The rounds in which a group's subgroups make all outputs.

    None when the group is no whole number of subgroups: its lanes reduce in order instead.
    """
    if threads < lanes or threads % lanes:
        return None
    return -(-outputs // (threads // lanes))


def composed_work(outputs: int, threads: int, lanes: int) -> int:
    """The threads that outputs can use, `lanes` each, of the `threads` that a group may have."""
    return min(outputs * lanes, threads)
