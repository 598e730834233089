"""Machine IR: a kernel as one subgroup runs it, with ownership, storage and order decided.

A value is `uniform` (one for the subgroup) or `varying` (one a lane).  `lane` is the varying
constant 0..L-1, `subgroup` the subgroup's number in its group, `group` the group's number in the
launch.  Collectives turn varying into uniform.  `If` and `For` take uniform operands; what differs
between lanes is a mask or a `where`.  `Barrier` stands only in group-uniform control flow.  So a
collective or a barrier under divergence cannot be written; the verifier checks uniformity.

GPU emitters print a varying value as one scalar a thread (L = 32); the CPU emitter prints a vector.
Operations stand in blocks in order; a `Value` is defined once, by the operation that lists it among
its results, and read only where it is in scope.
"""

from __future__ import annotations

from certile.ir.machine.definitions import (
    Address,
    ArrayLoad,
    ArrayStore,
    Ask,
    Barrier,
    Block,
    Buffer,
    Collective,
    Compute,
    Constant,
    Convert,
    For,
    If,
    Load,
    MachineKernel,
    MType,
    Operation,
    Parameter,
    PrivateArray,
    ReadLane,
    Reinterpret,
    ScalarParameter,
    SharedArray,
    SharedLoad,
    SharedStore,
    Shuffle,
    ShuffleUp,
    Special,
    Store,
    Value,
    operations,
)

__all__ = [
    "Address",
    "ArrayLoad",
    "ArrayStore",
    "Ask",
    "Barrier",
    "Block",
    "Buffer",
    "Collective",
    "Compute",
    "Constant",
    "Convert",
    "For",
    "If",
    "Load",
    "MType",
    "MachineKernel",
    "Operation",
    "Parameter",
    "PrivateArray",
    "ReadLane",
    "Reinterpret",
    "ScalarParameter",
    "SharedArray",
    "SharedLoad",
    "SharedStore",
    "Shuffle",
    "ShuffleUp",
    "Special",
    "Store",
    "Value",
    "operations",
]
