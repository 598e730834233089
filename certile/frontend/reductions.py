"""Reductions, scans, gathers and changes of axes.

In: tiles, axes and laws.  Out: `Reduce`, `Scan`, `Gather`, `Broadcast` and `Relabel` nodes.
Decides the accumulation dtype where none is asked for, and how a plain function becomes a law.
Leaves the order of a reduction to its policy and the planner.
"""

from __future__ import annotations

from typing import get_args

from certile.diagnostics import shown_number
from certile.frontend.access import axes_of, coordinates, require_axis
from certile.frontend.elementwise import (
    Operand,
    as_node,
    cast_node,
    common_dtype,
    convert,
    lift,
    named_dtype,
    spread,
)
from certile.frontend.fold import fold_law
from certile.frontend.handles import AxisHandle, TileHandle, length_of, whole_number
from certile.frontend.state import State
from certile.frontend.user_laws import user_law
from certile.ir.dtypes import DType, accumulator, f32, i64
from certile.ir.laws import (
    BUILTIN,
    MAXIMUM,
    MINIMUM,
    MOST_VALUES,
    SOFTMAX_SUM,
    Law,
    bottom_values,
    softmax_sums,
    top_values,
)
from certile.ir.tile import (
    ORDERED_POLICIES,
    POLICIES,
    Gather,
    Policy,
    Reduce,
    Relabel,
    Result,
    Scan,
    Scope,
)
from certile.ir.tile import Tile as IrTile
from certile.ir.types import Axis as IrAxis
from certile.ir.types import TileType, join_axes
from certile.language import math as elementwise_names
from certile.language.laws import LawName, UserLaw

# Laws that are told how many values they keep; the list of laws has each for two.
_FIRST_VALUES = ("top_values", "bottom_values")
_FUNCTION_LAWS = {
    getattr(elementwise_names, name): BUILTIN[name]
    for name in ("add", "mul", "maximum", "minimum", "fmax", "fmin")
}


def reduce(  # noqa: PLR0913 - the language's parameters and the state
    state: State,
    tile: object,
    axes: object,
    law: object,
    *,
    policy: str = "unordered_tree",
    init: object = None,
    dtype: object = None,
    scope: str = "auto",
) -> object:
    """Build a reduction; a tuple of results for a law that has several.

    Raises `KernelError` K029 for other than the tiles or start values that the law takes.
    """
    order, where = _policy(state, policy), _scope(state, scope)
    operands = tuple(lift(state, t) for t in (tile if isinstance(tile, tuple) else (tile,)))
    accumulate = _accumulate(state, operands, dtype, law)
    rule = _law(state, law, order, init, accumulate, len(operands))
    if len(operands) != rule.operands:
        message = f"{rule.name} reduces {rule.operands} tile(s) together, {len(operands)} are given"
        raise state.fault("K029", message)
    over = _reduced_axes(state, axes)
    args = spanning(state, tuple(convert(state, o, accumulate) for o in operands), over)
    kept = tuple(a for a in join_axes(*(arg.axes for arg in args)) if a not in over)
    made = Reduce(
        args=args,
        init=_start(state, init, rule, accumulate),
        over=over,
        law=rule,
        policy=order,
        accumulate=accumulate,
        scope=where,
        type=TileType(rule.result_dtypes(accumulate)[0], kept),
        loc=state.loc(),
    )
    types = made.result_types()
    if len(types) == 1:
        return state.tile(made)
    return tuple(
        state.tile(Result(of=made, index=i, type=each, loc=made.loc))
        for i, each in enumerate(types)
    )


def scan(
    state: State,
    tile: object,
    axis: object,
    law: object,
    *,
    inclusive: bool = True,
    reverse: bool = False,
    dtype: object = None,
) -> object:
    """Build a scan; a tuple of results for a law that has several.

    Raises `KernelError` K029 for other than the tiles that the law takes, K013 for several axes.
    """
    operands = tuple(lift(state, t) for t in (tile if isinstance(tile, tuple) else (tile,)))
    accumulate = _accumulate(state, operands, dtype, law)
    rule = _law(state, law, "ordered_tree", None, accumulate, len(operands))
    if len(operands) != rule.operands:
        message = f"{rule.name} scans {rule.operands} tile(s) together, {len(operands)} are given"
        raise state.fault("K029", message)
    over = _reduced_axes(state, axis)
    if len(over) != 1:
        raise state.fault("K013", "a scan runs along one axis")
    args = spanning(state, tuple(convert(state, o, accumulate) for o in operands), over)
    made = Scan(
        args=args,
        over=over[0],
        law=rule,
        inclusive=bool(inclusive),
        reverse=bool(reverse),
        accumulate=accumulate,
        type=TileType(rule.result_dtypes(accumulate)[0], join_axes(*(arg.axes for arg in args))),
        loc=state.loc(),
    )
    results = tuple(_only(state, each, over[0]) for each in _results(made))
    return results[0] if len(results) == 1 else results


def _results(made: Scan) -> tuple[IrTile, ...]:
    found = made.results()
    return (made,) if len(found) == 1 else found


def _only(state: State, tile: IrTile, axis: IrAxis) -> TileHandle:
    """Drop an axis of one coordinate again: tiles of the language do not span it."""
    handle = state.tile(tile)
    return handle if axis.extent != 1 else gather(state, handle, 0, AxisHandle(axis), fill=0)


def gather(state: State, tile: object, index: object, axis: object, *, fill: object) -> TileHandle:
    """Build a guarded selection along an axis.

    Raises `KernelError` K011 for an index that is no integer, and K023 for a fill of several
    values.
    """
    along = require_axis(state, axis)
    (value,) = spanning(state, (as_node(state, lift(state, tile)),), (along,))
    position = as_node(state, lift(state, index))
    if not position.dtype.is_integer:
        message = f"the index of a gather is an integer tile, not {position.type}"
        raise state.fault("K011", message)
    filling = convert(state, lift(state, fill), value.dtype)
    if filling.axes:
        raise state.fault("K023", f"a fill is one value, not a tile {filling.type}")
    kept = tuple(a for a in value.axes if a != along)
    return state.tile(
        Gather(
            value=value,
            index=cast_node(state, position, i64),
            fill=filling,
            axis=along,
            type=TileType(value.dtype, join_axes(kept, position.axes)),
            loc=state.loc(),
        )
    )


def at(state: State, tile: object, axis: object, position: object) -> TileHandle:
    """Select one position of an axis, checked against its extent.

    Raises `KernelError` K016 for a position that is not known, or outside the axis.
    """
    place = whole_number(position)
    if place is None:
        raise state.fault("K016", f"a position is an integer that is known, not {position!r}")
    along = require_axis(state, axis)
    (value,) = spanning(state, (as_node(state, lift(state, tile)),), (along,))
    extent = length_of(along)
    if not 0 <= place < extent:
        message = f"position {shown_number(place)} is not on axis {along.name} of extent {extent}"
        raise state.fault("K016", message)
    return gather(state, state.tile(value), place, axis, fill=0)


def full(state: State, axes: object, value: object, dtype: object = None) -> TileHandle:
    """Build a tile that is one value everywhere."""
    operand = lift(state, value)
    wanted = operand.natural if dtype is None else named_dtype(state, dtype)
    return state.tile(spread(state, convert(state, operand, wanted), _unique(state, axes)))


def iota(state: State, axis: object, dtype: object = None) -> TileHandle:
    """Build the coordinates along an axis."""
    along = require_axis(state, axis)
    wanted = i64 if dtype is None else named_dtype(state, dtype)
    return state.tile(cast_node(state, coordinates(state, along), wanted))


def relabel(state: State, tile: object, old: object, new: object) -> TileHandle:
    """Move a tile from one axis to another of the same extent.

    Raises `KernelError` K018 where extents differ, or the tile spans the axis already.
    """
    before, after = require_axis(state, old), require_axis(state, new)
    (value,) = spanning(state, (as_node(state, lift(state, tile)),), (before,))
    if after.extent != before.extent and length_of(after) != length_of(before):
        message = f"axis {before.name} has extent {before.extent}, axis {after.name} {after.extent}"
        raise state.fault("K018", message)
    if after in value.axes:
        raise state.fault("K018", f"the tile spans axis {after.name} already")
    swapped = tuple(after if a == before else a for a in value.axes)
    made = Relabel(
        value=value, old=before, new=after, type=TileType(value.dtype, swapped), loc=state.loc()
    )
    return _only(state, made, after)


def broadcast_to(state: State, tile: object, axes: object) -> TileHandle:
    """Repeat a tile along more axes; the result spans `axes` in that order.

    Raises `KernelError` K013 where `axes` leave out one that the tile spans.
    """
    value = as_node(state, lift(state, tile))
    target = _unique(state, axes)
    missing = [axis.name for axis in value.axes if axis not in target]
    if missing:
        message = f"the tile spans {', '.join(missing)}, which the axes asked for do not hold"
        raise state.fault("K013", message)
    return state.tile(spread(state, value, target))


def tile_axes(state: State, tile: TileHandle) -> tuple[AxisHandle, ...]:
    """Return the axes a tile spans."""
    return tuple(AxisHandle(axis) for axis in tile.node.axes)


def tile_dtype(state: State, tile: TileHandle) -> DType:
    """Return the dtype of a tile."""
    return tile.node.dtype


def _policy(state: State, policy: str) -> Policy:
    for known in POLICIES:
        if known == policy:
            return known
    raise state.fault("K022", f"{policy!r} is no policy", hint=f"use one of {', '.join(POLICIES)}")


def _scope(state: State, scope: str) -> Scope:
    scopes: tuple[Scope, ...] = get_args(Scope)
    for known in scopes:
        if known == scope:
            return known
    raise state.fault("K022", f"{scope!r} is no scope", hint=f"use one of {', '.join(scopes)}")


def _accumulate(state: State, operands: tuple[Operand, ...], dtype: object, law: object) -> DType:
    """Return the dtype asked for, else the operands' own; laws of real numbers take floats."""
    real = isinstance(law, LawName) and BUILTIN[law.name].is_real
    if dtype is None:
        own = accumulator(common_dtype(operands))
        return own if own.is_float or not real else f32
    named = named_dtype(state, dtype)
    if named.is_storage:
        message = f"{named} is a format of memory, and nothing accumulates in it"
        raise state.fault("K011", message, hint="accumulate in ct.f32 and store the result")
    if real and not named.is_float:
        message = f"{law!r} is a law of real numbers, and {named} is none"
        raise state.fault("K011", message, hint="accumulate in ct.f32 or ct.f64")
    return named


def _law(
    state: State, law: object, policy: Policy, init: object, accumulate: DType, operands: int
) -> Law:
    known = law
    if isinstance(law, UserLaw):
        return user_law(state, law, policy, accumulate)
    if isinstance(law, LawName):
        known = _named_law(state, law, policy, operands)
    elif callable(law):
        known = _FUNCTION_LAWS.get(law, law)
    if isinstance(known, Law):
        return known
    if not callable(known):
        raise state.fault("K020", f"{law!r} is no reduction law")
    if policy not in ("fold_left", "fold_right") or init is None:
        name = getattr(known, "__name__", "the function")
        message = f"nothing says that {name} may be regrouped, nor what an empty axis gives"
        hint = f"say how many values are kept: ct.{name}(3)" if name in _FIRST_VALUES else None
        raise state.fault("K020", message, hint=hint)
    return fold_law(state, known, accumulate)


def _named_law(state: State, named: LawName, policy: Policy, operands: int) -> Law:
    """Return a built-in law for that many tiles; raises K020 for a policy that permutes them."""
    if named.name in _FIRST_VALUES:
        return _first_values(state, named)
    law = BUILTIN[named.name]
    if not law.commutative and policy not in ORDERED_POLICIES:
        message = f"{policy} permutes the elements, and law {law.name} is not commutative"
        raise state.fault("K020", message, hint='use policy="ordered_tree"')
    # One operand is what the weights are of, and each other is a column of values.
    return softmax_sums(operands - 1) if law == SOFTMAX_SUM and operands > 2 else law


def _first_values(state: State, named: LawName) -> Law:
    """Return the law of so many of the first values in an order; raises K037 for too many."""
    count = whole_number(named.count)
    if count is None or not 1 <= count <= MOST_VALUES:
        shown = repr(named.count) if count is None else shown_number(count)
        message = f"{named.name} asks for {shown} values; 1 to {MOST_VALUES} are kept"
        hint = "give an integer in that range; ct.topk selects up to 64"
        raise state.fault("K037", message, hint=hint)
    top = named.name == "top_values"
    if count == 1:
        return MAXIMUM if top else MINIMUM
    return top_values(count) if top else bottom_values(count)


def _reduced_axes(state: State, axes: object) -> tuple[IrAxis, ...]:
    """Return the reduced axes; an axis of extent 1 stays, since lift and finalize still apply."""
    listed = axes.items if hasattr(axes, "items") else axes
    if not isinstance(listed, tuple | list):
        listed = (listed,)
    over = tuple(require_axis(state, entry) for entry in listed)
    if not over or len(set(over)) != len(over):
        raise state.fault("K013", "at least one axis is named, and each once")
    return over


def spanning(
    state: State, args: tuple[IrTile, ...], over: tuple[IrAxis, ...]
) -> tuple[IrTile, ...]:
    """Check that the operands span the reduced axes; an axis of one coordinate is put back.

    Raises `KernelError` K013 for a longer axis that none of them spans.
    """
    spanned = join_axes(*(arg.axes for arg in args))
    for axis in over:
        if axis in spanned:
            continue
        if axis.extent == 1:
            args = (spread(state, args[0], (*args[0].axes, axis)), *args[1:])
            continue
        raise _not_spanned(state, spanned, axis)
    return args


def _not_spanned(state: State, spanned: tuple[IrAxis, ...], axis: IrAxis) -> Exception:
    shown = ", ".join(a.name for a in spanned) or "no axis"
    message = f"the tile does not span axis {axis.name}; it spans {shown}"
    hint = "name an axis of the tile, or ct.broadcast_to that axis first"
    return state.fault("K013", message, hint=hint)


def _start(state: State, init: object, law: Law, accumulate: DType) -> tuple[IrTile, ...]:
    if init is None:
        return ()
    given = init if isinstance(init, tuple) else (init,)
    kinds = [component.type for component in law.state]
    if "index" in kinds or len(given) != len(kinds):
        names = ", ".join(component.name for component in law.state)
        message = f"{len(given)} start value(s) for the state ({names}) of {law.name}"
        raise state.fault("K029", message)
    nodes = tuple(
        convert(state, lift(state, value), dtype)
        for value, dtype in zip(given, law.state_dtypes(accumulate, 0), strict=True)
    )
    if any(node.axes for node in nodes):
        raise state.fault("K029", "a start value is a scalar")
    return nodes


def _unique(state: State, axes: object) -> tuple[IrAxis, ...]:
    listed = tuple(axis for axis in axes_of(state, axes) if axis.extent != 1)
    if len(set(listed)) != len(listed):
        raise state.fault("K013", "an axis is named twice")
    return listed
