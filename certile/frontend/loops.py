"""Loops and the values they carry.

In: axes, and the Python `for` statement that runs a body once.  Out: `Parallel` and `Serial`
regions, or reductions (`regrouped`) for a serial loop with a policy.  Decides when a region begins
and ends (at the iterator's first and second step) and which values a serial loop carries: those
whose `carry` its body touches.  Leaves the order of instances and the choice of workers to the
planner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from certile.diagnostics import shown_number
from certile.frontend.elementwise import as_node, convert, lift, named_dtype, spread
from certile.frontend.handles import (
    AxisHandle,
    CarryHandle,
    ExtentHandle,
    Region,
    Slot,
    TileHandle,
    whole_number,
)
from certile.frontend.regrouped import reduced
from certile.frontend.state import State
from certile.ir.dtypes import highest, i64, promote
from certile.ir.tile import POLICIES, Carried, LoopIndex, Parallel, Policy, Result, Scope, Serial
from certile.ir.tile import Tile as IrTile
from certile.ir.types import Axis as IrAxis
from certile.ir.types import Dim


def axis(state: State, name: object, extent: object) -> AxisHandle:
    """Make a fresh axis.

    Raises `KernelError` K028 for a name or an extent that is none.
    """
    if not isinstance(name, str):
        raise state.fault("K028", f"an axis is named by a string, not by {name!r}")
    size: int | Dim
    if isinstance(extent, ExtentHandle):
        size = extent.dim
    else:
        known = whole_number(extent)
        if known is None:
            message = f"the extent of axis {name} is an integer or x.shape[i], not {extent!r}"
            raise state.fault("K028", message)
        size = known
    if isinstance(size, int) and size < 0:
        raise state.fault("K028", f"axis {name} has the negative extent {shown_number(size)}")
    if isinstance(size, int) and size > highest(i64):
        message = f"the extent of axis {name} is {shown_number(size)}; coordinates are i64"
        raise state.fault("K028", message)
    return AxisHandle(IrAxis.fresh(name, size))


def parallel(state: State, *axes: object, scope: object = "auto") -> Loop:
    """Return the loop over independent instances."""
    return Loop(state, "parallel", _loop_axes(state, axes), 1, scope)


def serial(
    state: State,
    axis: object,
    step: object = 1,
    *,
    policy: object = "fold_left",
    scope: object = "auto",
) -> Loop:
    """Return the loop in order, or one whose turns its policy lets be regrouped.

    Raises `KernelError` K019 for a step below 1, K022 for what is no policy of a loop.
    """
    count = whole_number(step)
    if count is None:
        raise state.fault("K019", f"the step of a serial loop is an integer, not {step!r}")
    if count < 1:
        raise state.fault("K019", f"the step of a serial loop is {count}, not positive")
    if count >= 2**63:
        message = f"the step of a serial loop has {count.bit_length()} bits; it fits i64"
        raise state.fault("K019", message)
    return Loop(state, "serial", _loop_axes(state, (axis,)), count, scope, _policy(state, policy))


def _policy(state: State, policy: object) -> Policy:
    for known in POLICIES:
        # A loop begins with its first turn.
        if known == policy and known != "fold_right":
            return known
    names = ", ".join(known for known in POLICIES if known != "fold_right")
    raise state.fault("K022", f"{policy!r} is no policy of a loop", hint=f"use one of {names}")


class Loop:
    """What a `for` statement iterates over; each statement begins a region of its own."""

    def __init__(
        self,
        state: State,
        kind: str,
        axes: tuple[IrAxis, ...],
        step: int,
        scope: object,
        policy: Policy = "fold_left",
    ) -> None:
        if scope not in get_args(Scope):
            hint = f"use one of {', '.join(get_args(Scope))}"
            raise state.fault("K022", f"{scope!r} is no scope", hint=hint)
        self._state = state
        self._kind = kind
        self._axes = axes
        self._step = step
        self._scope = scope
        self._policy: Policy = policy
        self._loc = state.loc()

    def __iter__(self) -> _Pass:
        return _Pass(self._state, self._region)

    def _region(self) -> Region:
        state = self._state
        for looped in self._axes:
            if any(looped in region.axes for region in state.regions):
                message = f"a loop over axis {looped.name} is already running"
                raise state.fault("K017", message, loc=self._loc)
        is_serial = self._kind == "serial"
        if is_serial and not state.within_parallel():
            message = "a serial loop stands outside any ct.parallel"
            raise state.fault("K006", message, loc=self._loc)
        return Region(
            "serial" if is_serial else "parallel",
            self._axes,
            state.region,
            self._loc,
            self._step,
            next(name for name in get_args(Scope) if name == self._scope),
            # A loop counts along axes of its own, so that its body may use tiles over the author's.
            over=tuple(IrAxis.fresh(axis.name, axis.extent) for axis in self._axes),
            policy=self._policy,
        )


class _Pass:
    """One run of a loop's body."""

    def __init__(self, state: State, begin: Callable[[], Region]) -> None:
        self._state = state
        self._begin = begin
        self._region: Region | None = None

    def __iter__(self) -> _Pass:
        return self

    def __next__(self) -> object:
        if self._region is not None:
            close(self._state, self._region)
            raise StopIteration
        region = self._region = self._begin()
        self._state.regions.append(region)
        indices = tuple(
            self._state.tile(LoopIndex(axis=axis, loc=region.loc)) for axis in region.over
        )
        return indices[0] if len(indices) == 1 else indices


def close(state: State, region: Region) -> None:
    """End a region and append its node to the one around it.

    A serial loop that may be regrouped leaves loads and reductions in its place.  Raises
    `KernelError` K007 when a loop inside it was left before its end, K038 for a loop that a policy
    is given to and that is no reduction.
    """
    inner = state.region
    if inner is not region:
        raise left_early(state, inner)
    state.regions.pop()
    region.open = False
    if region.kind == "parallel":
        state.emit(
            Parallel(over=region.over, body=tuple(region.body), scope=region.scope, loc=region.loc)
        )
        return
    if region.policy != "fold_left":
        for carry_handle, value in reduced(state, region).items():
            _put(state, carry_handle, state.region, value)
        return
    slots = list(region.carried.values())
    loop = Serial(
        axis=region.over[0],
        step=region.step,
        inits=tuple(slot.init for slot in slots),
        params=tuple(slot.param for slot in slots),
        body=tuple(region.body),
        yields=tuple(slot.now for slot in slots),
        scope=region.scope,
        loc=region.loc,
    )
    state.emit(loop)
    for position, (carry_handle, slot) in enumerate(region.carried.items()):
        after = Result(of=loop, index=position, type=slot.init.type, loc=region.loc)
        _put(state, carry_handle, state.region, after)


def left_early(state: State, region: Region) -> Exception:
    """Return the error about a loop whose body was left by `break` or `return`."""
    names = ", ".join(axis.name for axis in region.axes)
    message = f"the {region.kind} loop over {names} was left before its end"
    return state.fault("K007", message, loc=region.loc)


def carry(state: State, initial: object, dtype: object = None) -> CarryHandle:
    """Begin a carried value."""
    operand = lift(state, initial)
    if dtype is None:
        node = as_node(state, operand)
    else:
        node = convert(state, operand, named_dtype(state, dtype))
    return CarryHandle(node, state.region, state.loc())


def carry_read(state: State, carry: CarryHandle) -> TileHandle:
    """Return what the carried value holds here."""
    _require_reach(state, carry)
    return state.tile(_get(state, carry, state.region))


def carry_write(state: State, carry: CarryHandle, value: object) -> None:
    """Set the carried value.

    Raises `KernelError` K008 across a parallel loop, K009 for another type than it began with.
    """
    _require_reach(state, carry)
    for region in state.region.outwards():
        if region is carry.region:
            break
        if region.kind == "parallel":
            names = ", ".join(axis.name for axis in region.axes)
            message = f"instances of the parallel loop over {names} would share a carried value"
            made = f"made at {carry.loc}"
            hint = "make the carry inside the parallel loop"
            raise state.fault("K008", message, notes=(made,), hint=hint)
    before = _get(state, carry, state.region)
    _put(state, carry, state.region, _as_before(state, value, before))


def _as_before(state: State, value: object, before: IrTile) -> IrTile:
    """Widen a value to the type the loop carries; another type cannot be carried."""
    operand = lift(state, value)
    have, want = operand.natural, before.dtype
    if operand.weak is None and have != want and promote(have, want) != want:
        message = f"the loop carries {want}, but {have} is assigned"
        hint = f"begin with ct.carry(…, dtype=ct.{have}), or cast what is assigned"
        raise state.fault("K009", message, hint=hint)
    node = convert(state, operand, want)
    if not set(node.axes) <= set(before.axes):
        message = f"the loop carries {before.type}, but {node.type} is assigned"
        hint = "begin with a tile over the same axes, for example ct.carry(ct.zeros(cols, ct.f32))"
        raise state.fault("K009", message, hint=hint)
    return spread(state, node, before.axes)


def _require_reach(state: State, carry: CarryHandle) -> None:
    if carry.region not in state.region.outwards():
        state.require_open(carry.region, f"a carried value made at {carry.loc}")


def _get(state: State, carry: CarryHandle, region: Region) -> IrTile:
    """Return the value in a region; a serial loop that is asked for it carries it from then on."""
    if region is carry.region:
        return carry.held
    assert region.parent is not None
    if region.kind == "parallel":
        return _get(state, carry, region.parent)
    slot = region.carried.get(carry)
    if slot is None:
        init = _get(state, carry, region.parent)
        state.carried_values += 1
        param = Carried(uid=state.carried_values, type=init.type, loc=carry.loc)
        slot = region.carried[carry] = Slot(init, param, param)
    return slot.now


def _put(state: State, carry: CarryHandle, region: Region, value: IrTile) -> None:
    if region is carry.region:
        carry.held = value
        return
    _get(state, carry, region)
    region.carried[carry].now = value


def _loop_axes(state: State, axes: tuple[object, ...]) -> tuple[IrAxis, ...]:
    if not axes:
        raise state.fault("K019", "a parallel loop needs at least one axis")
    for entry in axes:
        if not isinstance(entry, AxisHandle):
            message = f"a loop runs over axes, not over {entry!r}"
            raise state.fault("K019", message, hint="make one with ct.axis(name, extent)")
    handles = [entry for entry in axes if isinstance(entry, AxisHandle)]
    if len(set(handles)) != len(handles):
        names = ", ".join(str(handle.axis.name) for handle in handles)
        raise state.fault("K017", f"a parallel loop names an axis twice: {names}")
    return tuple(handle.axis for handle in handles)
