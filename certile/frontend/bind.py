"""Which function of this package carries out which call of the language.

In: a call by name.  Out: what the implementation returns.  Decides the table; the parameter names
of both sides agree, which a test checks.  Leaves the work to the modules beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from certile.frontend import access, elementwise, loops, reductions
from certile.frontend.state import State
from certile.language.values import Indexed


def refuse_truth(state: State, value: object) -> NoReturn:
    """Raise: a condition on a tile cannot be decided while the kernel is compiled."""
    if isinstance(value, Indexed):
        raise state.fault("K002", f"{value!r} has no truth value")
    raise state.fault("K002", "a tile has no truth value: it differs from element to element")


def refuse_number(state: State, value: object, wanted: str) -> NoReturn:
    """Raise: a tile's elements are not known while the kernel is compiled."""
    shown = repr(value) if isinstance(value, Indexed) else "a tile"
    raise state.fault("K003", f"{shown} cannot become {wanted} while the kernel is compiled")


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
    "parallel": loops.parallel,
    "place": access.place,
    "reduce": reductions.reduce,
    "refuse_number": refuse_number,
    "refuse_truth": refuse_truth,
    "relabel": reductions.relabel,
    "serial": loops.serial,
    "store": access.store,
    "tile_axes": reductions.tile_axes,
    "tile_dtype": reductions.tile_dtype,
}
