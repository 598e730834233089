"""Tile IR: what a kernel means, before anything decides how it runs.

Structured SSA.  Values (`Tile`) are pure and interned, reached through operands; a body lists only
effects, in program order: loads (a load is a snapshot), stores and the regions that hold them.
A tile's type names the axes it spans; the coordinate of an enclosing loop is a scalar
(`LoopIndex`), the coordinate along an axis of the tile itself is an `Iota`.
"""

from __future__ import annotations

from certile.ir.tile.aggregates import (
    FOLD_POLICIES,
    ORDERED_POLICIES,
    POLICIES,
    REPRODUCIBLE_ACCUMULATORS,
    REPRODUCIBLE_BLOCK,
    REPRODUCIBLE_DISTANCES,
    Policy,
    Reduce,
    Scan,
    Sort,
)
from certile.ir.tile.effects import (
    Buffer,
    Effect,
    Kernel,
    Load,
    Memory,
    Parallel,
    Scalar,
    Serial,
    Store,
    View,
    effects,
    roots,
)
from certile.ir.tile.values import (
    ELEMENT_WISE,
    Bitcast,
    Broadcast,
    Carried,
    Cast,
    Const,
    ExtentValue,
    Fallback,
    Gather,
    Iota,
    LoopIndex,
    Map,
    Relabel,
    Result,
    ScalarArg,
    Scope,
    Tile,
)

__all__ = [
    "ELEMENT_WISE",
    "FOLD_POLICIES",
    "ORDERED_POLICIES",
    "POLICIES",
    "REPRODUCIBLE_ACCUMULATORS",
    "REPRODUCIBLE_BLOCK",
    "REPRODUCIBLE_DISTANCES",
    "Bitcast",
    "Broadcast",
    "Buffer",
    "Carried",
    "Cast",
    "Const",
    "Effect",
    "ExtentValue",
    "Fallback",
    "Gather",
    "Iota",
    "Kernel",
    "Load",
    "LoopIndex",
    "Map",
    "Memory",
    "Parallel",
    "Policy",
    "Reduce",
    "Relabel",
    "Result",
    "Scalar",
    "ScalarArg",
    "Scan",
    "Scope",
    "Serial",
    "Sort",
    "Store",
    "Tile",
    "View",
    "effects",
    "roots",
]
