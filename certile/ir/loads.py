"""Loads that read the same: a load is a snapshot, so equal ones with no store between are one.

In: a kernel in which no two views are the same memory, as it is once a call's arguments are known:
a call with one array for two parameters has one view for both (`walk.replace_view`), and memory
that views share in another way is stored through none of them.  Out: the kernel in which each load
that says what an earlier one says, with nothing stored to its buffer since, is that earlier one,
which keeps the locations of all.  Decides which loads are equal: buffer, indices, mask, fill and
the author's word are.  Indices that read merged loads are equal too.
"""

from __future__ import annotations

from certile.ir.node import Node
from certile.ir.tile import Buffer, Effect, Kernel, Load, Parallel, Serial, Store, effects
from certile.ir.walk import substitute

__all__ = ["merged_loads"]

# What a load says, and the load that says it first.
_Known = dict[tuple[object, ...], Load]


def merged_loads(kernel: Kernel) -> Kernel:
    """The kernel with equal loads merged; the same object where there are none."""
    # Merged loads make indices equal that were not, so other loads may be equal then.
    while repeated := _repeated(kernel):
        kernel = substitute(kernel, _by_one(repeated))
    return kernel


def _repeated(kernel: Kernel) -> dict[Load, list[Load]]:
    """The loads that are equal to an earlier one, listed by it."""
    found: dict[Load, list[Load]] = {}
    _walk(kernel.body, {}, found)
    return found


def _walk(body: tuple[Effect, ...], known: _Known, found: dict[Load, list[Load]]) -> None:
    """Find the repeated loads of a body; `known` are those that hold where it begins."""
    for step in body:
        match step:
            case Load():
                first = known.setdefault(_said(step), step)
                if first is not step:
                    found.setdefault(first, []).append(step)
            case Store():
                _forget(known, {step.buffer})
            case Parallel() | Serial():
                # A later store of the region comes before its loads, in another iteration.
                stored = (at.buffer for at in effects(step.body) if isinstance(at, Store))
                _forget(known, set(stored))
                # What is loaded in a region is none of the values after it.
                _walk(step.body, dict(known), found)
            case _:
                raise NotImplementedError(step.mnemonic)


def _said(load: Load) -> tuple[object, ...]:
    return tuple(getattr(load, name) for name in load.compared())


def _forget(known: _Known, stored: set[Buffer]) -> None:
    for said, load in list(known.items()):
        if load.buffer in stored:
            del known[said]


def _by_one(repeated: dict[Load, list[Load]]) -> dict[Node, Node]:
    """One load for each list of equal ones.  The kernel that was given keeps its own."""
    by: dict[Node, Node] = {}
    for first, others in repeated.items():
        one = first.with_()
        for load in (first, *others):
            by[load] = one
            for loc in load.locations:
                one.add_location(loc)
    return by
