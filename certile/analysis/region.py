"""A parallel region under examination: what several checks and analyses read of it.

In: a specialised kernel, one of its top-level regions and the kind of the target.  Out: effects,
accesses, loops and live values, each found once.  Decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from certile.analysis.effects import Access, Values, accesses, serial_loops
from certile.diagnostics import Refusal
from certile.ir.node import Node
from certile.ir.tile import Effect, Kernel, Memory, Parallel, View, effects
from certile.source import UNKNOWN_LOC, Loc

__all__ = ["Check", "Region", "refuse"]

Kind = TypeVar("Kind", bound=Node)


class Region:
    """A region under examination, with what several checks read."""

    def __init__(self, kernel: Kernel, parallel: Parallel, target_kind: str) -> None:
        self.kernel = kernel
        self.parallel = parallel
        self.target_kind = target_kind
        self.effects: tuple[Effect, ...] = tuple(effects(parallel.body))
        self.accesses = accesses(parallel)
        self.loops = serial_loops(parallel)
        self.values = Values(parallel)

    def nodes(self, kind: type[Kind]) -> Iterator[Kind]:
        """The live values of one kind, operands first."""
        return (node for node in self.values.nodes if isinstance(node, kind))

    def accesses_of(self, kind: type[View] | type[Memory]) -> Iterator[Access]:
        """The accesses of views, or of memories."""
        return (access for access in self.accesses if isinstance(access.buffer, kind))


# A requirement: None where the region is shown to meet it.
Check = Callable[[Region], Refusal | None]


def refuse(rule: str, claim: str, missing: str, loc: Loc = UNKNOWN_LOC) -> Refusal:
    """The refusal of a requirement of admission."""
    return Refusal("admission", rule, claim, missing, loc=loc)
