"""Sorts and selections.

In: a tile, the axis to order and, for a selection, the axis that the chosen elements span.  Out:
`Sort` nodes, read through `Result`.  Decides what may be selected.  Leaves the order to the
reference interpreter, which defines it, and how it is reached to planner and lowering.
"""

from __future__ import annotations

from certile.frontend.access import require_axis
from certile.frontend.elementwise import as_node, cast_node, lift
from certile.frontend.handles import TileHandle, length_of
from certile.frontend.reductions import spanning
from certile.frontend.state import State
from certile.ir.dtypes import arithmetic
from certile.ir.tile import Result, Sort
from certile.ir.tile import Tile as IrTile
from certile.ir.types import Axis as IrAxis
from certile.ir.types import TileType

# What is selected is kept in registers, which a larger number would not fit.
MOST_SELECTED = 64


def sort(
    state: State, tile: object, axis: object, *, descending: bool = False, indices: bool = False
) -> TileHandle | tuple[TileHandle, ...]:
    """Build a sort of all elements along an axis."""
    value, over = _sorted(state, tile, axis)
    made = _results(state, value, (over, over), bool(descending), positions=bool(indices))
    return made if indices else made[0]


def topk(
    state: State, tile: object, into: object, axis: object, *, largest: bool = True
) -> tuple[TileHandle, ...]:
    """Build a selection of the first elements in an order.

    Raises `KernelError` K018 for an axis that the tile spans already, and K037 for a wrong count.
    """
    value, over = _sorted(state, tile, axis)
    kept = require_axis(state, into)
    if kept in value.axes:
        hint = "the elements selected span an axis of their own, made by ct.axis"
        raise state.fault("K018", f"the tile spans axis {kept.name} already", hint=hint)
    count = kept.extent
    if not isinstance(count, int) or not 1 <= count <= MOST_SELECTED:
        message = f"axis {kept.name} asks for {count} elements; 1 to {MOST_SELECTED} are selected"
        hint = "give ct.axis an integer in that range, or use ct.sort"
        raise state.fault("K037", message, hint=hint)
    given = length_of(over)
    if count > given:
        message = f"{count} elements are asked for and axis {over.name} has {given}"
        raise state.fault("K037", message, hint="select no more elements than the axis has")
    return _results(state, value, (over, kept), bool(largest), positions=True)


def _sorted(state: State, tile: object, axis: object) -> tuple[IrTile, IrAxis]:
    """Return the tile and the axis to order; one of a single coordinate is put back."""
    over = require_axis(state, axis)
    (value,) = spanning(state, (as_node(state, lift(state, tile)),), (over,))
    # Stored floats of 8 bits have no order of their own: their values have.
    return cast_node(state, value, arithmetic(value.dtype)), over


def _results(
    state: State, value: IrTile, axes: tuple[IrAxis, IrAxis], descending: bool, *, positions: bool
) -> tuple[TileHandle, ...]:
    over, into = axes
    swapped = tuple(into if axis == over else axis for axis in value.axes)
    made = Sort(
        value=value,
        over=over,
        into=into,
        descending=descending,
        positions=positions,
        # Tiles of the language do not span an axis of one coordinate.
        type=TileType(value.dtype, tuple(a for a in swapped if a != into or into.extent != 1)),
        loc=state.loc(),
    )
    return tuple(
        state.tile(Result(of=made, index=k, type=each, loc=made.loc))
        for k, each in enumerate(made.result_types())
    )
