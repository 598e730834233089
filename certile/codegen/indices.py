"""Which integers only place or bound memory accesses.

In: a block.  Out: values.  Decides where a target may compute in plain signed arithmetic: an index
that overflows would name memory that cannot exist, so its wrapping need not be kept.  Leaves every
integer that comes from memory or reaches it, another lane or a float as data.
"""

from collections.abc import Iterable, Iterator

from certile.ir.dtypes import i64
from certile.ir.functions import COMPARISONS
from certile.ir.machine import (
    ArrayLoad,
    ArrayStore,
    Block,
    Compute,
    Constant,
    Convert,
    For,
    Load,
    Operation,
    Parameter,
    SharedLoad,
    SharedStore,
    Special,
    Store,
    Value,
    operations,
)

__all__ = ["index_only"]

_PASSES_ON = frozenset({"add", "sub", "mul", "floordiv", "mod", "minimum", "maximum"})


def index_only(block: Block) -> frozenset[Value]:
    """The integer results of a block, nested ones included, that are used as indices alone."""
    everything = list(operations(block))
    data: set[Value] = set()
    size = -1
    while size != len(data):
        size = len(data)
        # Users before what they use: one pass settles all but what loops carry.
        for operation in reversed(everything):
            data.update(_data(operation, data))
    data |= _computed_from_data(everything)
    made = (value for operation in everything for value in operation.results_())
    return frozenset(value for value in made if value.dtype.is_integer and value not in data)


def _computed_from_data(everything: Iterable[Operation]) -> set[Value]:
    """What memory, lanes, floats and arguments reach: a comparison of it may ask how it wraps."""
    reached: set[Value] = set()
    for operation in everything:
        match operation:
            case Constant() | Special():
                continue
            case Parameter() if operation.result.dtype == i64:
                continue
            case Compute() | Convert() if not any(map(reached.__contains__, operation.reads())):
                if not any(value.dtype.is_float for value in operation.reads()):
                    continue
            case For():
                reached.update(operation.params)
            case _:
                pass
        reached.update(operation.results_())
    return reached


def _data(operation: Operation, data: set[Value]) -> Iterator[Value]:
    """The operands an operation uses as data, given which results are data."""
    match operation:
        case Compute() if operation.fn in COMPARISONS:
            return
        case Compute() if operation.fn in _PASSES_ON and operation.result not in data:
            return
        case Convert() if operation.result.dtype.is_integer and operation.result not in data:
            return
        case Load() | SharedLoad():
            yield from (v for v in (operation.mask, operation.fill) if v is not None)
        case Store() | SharedStore():
            yield operation.value
        case ArrayLoad():
            return
        case ArrayStore():
            yield operation.value
        case For():
            yield from (*operation.inits, *operation.yields)
        case _:
            yield from operation.reads()
