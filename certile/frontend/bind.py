"""Which function of this package carries out which call of the language.

In: a call by name.  Out: what the implementation returns.  Decides the table; the parameter names
of both sides agree, which a test checks.  Leaves the work to the modules beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from certile.frontend import access, elementwise, loops, packed, reductions, reshape, sorts
from certile.frontend.handles import AxisHandle
from certile.frontend.state import State
from certile.ir.functions import FUNCTIONS
from certile.language.habits import INSTEAD
from certile.language.values import Indexed

# What does the work of an operator that arrays have and tiles lack.
_INSTEAD_OF_OPERATORS = {
    "element by number": "ct.at(tile, axis, position) or ct.gather(tile, index, axis)",
    "element to assign to": "ct.where(ct.iota(axis) == position, value, tile)",
    "product of matrices": INSTEAD["dot"],
}


def refuse_truth(state: State, value: object) -> NoReturn:
    """Raise: a condition on a tile cannot be decided while the kernel is compiled."""
    if isinstance(value, Indexed):
        raise state.fault("K002", f"{value!r} has no truth value")
    raise state.fault("K002", "a tile has no truth value: it differs from element to element")


def refuse_number(state: State, value: object, wanted: str) -> NoReturn:
    """Raise: a tile's elements are not known while the kernel is compiled."""
    shown = repr(value) if isinstance(value, Indexed) else "a tile"
    raise state.fault("K003", f"{shown} cannot become {wanted} while the kernel is compiled")


def refuse_attribute(state: State, tile: object, name: str) -> NoReturn:
    """Raise: what arrays do by methods, a kernel does by functions."""
    by_name = f"ct.{name}(tile)" if name in FUNCTIONS else "the functions of the language"
    hint = f"use {(_INSTEAD_OF_OPERATORS | INSTEAD).get(name, by_name)}"
    raise state.fault("K036", f"a tile has no {name}", hint=hint)


def refuse_function(state: State, shown: str) -> NoReturn:
    """Raise: the functions of another library compute with its own arrays."""
    name = shown.rpartition(".")[2]
    hint = f"use ct.{name}" if name in FUNCTIONS else "use the functions of the language"
    raise state.fault("K010", f"{shown} does not compute with tiles", hint=hint)


def refuse_iteration(state: State, axis: AxisHandle) -> NoReturn:
    """Raise: whether the coordinates of an axis are independent or in order has to be said."""
    hint = "loop over ct.parallel(axis) or ct.serial(axis)"
    raise state.fault("K019", f"axis {axis.name} is looped over as it is", hint=hint)


IMPLEMENTATIONS: dict[str, Callable[..., Any]] = {
    "at": reductions.at,
    "axis": loops.axis,
    "bitcast": elementwise.bitcast,
    "broadcast_to": reductions.broadcast_to,
    "carry": loops.carry,
    "carry_read": loops.carry_read,
    "carry_write": loops.carry_write,
    "cast": elementwise.cast,
    "elementwise": elementwise.elementwise,
    "extent_arithmetic": access.extent_arithmetic,
    "extent_value": access.extent_value,
    "full": reductions.full,
    "gather": reductions.gather,
    "iota": reductions.iota,
    "load": access.load,
    "memory": access.memory,
    "numpy_function": elementwise.numpy_function,
    "pack": packed.pack,
    "parallel": loops.parallel,
    "place": access.place,
    "reduce": reductions.reduce,
    "refuse_attribute": refuse_attribute,
    "refuse_function": refuse_function,
    "refuse_iteration": refuse_iteration,
    "refuse_number": refuse_number,
    "refuse_truth": refuse_truth,
    "relabel": reductions.relabel,
    "reshape": reshape.reshape,
    "scan": reductions.scan,
    "serial": loops.serial,
    "sort": sorts.sort,
    "store": access.store,
    "tile_axes": reductions.tile_axes,
    "tile_dtype": reductions.tile_dtype,
    "topk": sorts.topk,
    "unpack": packed.unpack,
}
