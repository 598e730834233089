"""Serial loops whose policy lets their turns be regrouped: each carried value is a reduction.

In: the recorded body of such a loop.  Out: the loads of its body, each for all turns at once, and
what every carried value holds after the loop: its start merged with a `Reduce` over the loop's
axis.  Decides which loops mean that: those that only load, and merge into each carried value, by
one law, what depends on no carried value.  Leaves what a loop means that has no such policy, and
the order of a reduction, to others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from certile.diagnostics import KernelError
from certile.frontend.elementwise import cast_node, constant, spread
from certile.frontend.handles import CarryHandle, Region, Slot, length_of
from certile.frontend.state import State
from certile.ir.along import NotAlongError, along, touched
from certile.ir.dtypes import accumulator, bool_, i64
from certile.ir.laws import BUILTIN, Law, literal_value
from certile.ir.node import Node, reach
from certile.ir.terms import Lit
from certile.ir.tile import (
    Broadcast,
    Carried,
    Const,
    Effect,
    Iota,
    Load,
    LoopIndex,
    Map,
    Parallel,
    Reduce,
    Serial,
)
from certile.ir.tile import Tile as IrTile
from certile.ir.types import Axis as IrAxis
from certile.ir.types import TileType, join_axes
from certile.ir.walk import axes_of
from certile.records import record
from certile.source import Loc

# By which function a turn merges that ends with a function: a difference adds what is negated.
_MERGED_BY = {name: name for name in ("add", "mul", "maximum", "minimum", "fmax", "fmin")}
_MERGED_BY["sub"] = "add"
_LAWS_OF_TRUTHS = {"bit_or": "any", "bit_and": "all"}
_A_TURN = (
    "a turn is c.value = c.value + f, -, *, ct.maximum, ct.minimum, ct.fmax or ct.fmin, or | or & "
    "of bool, where f reads no carried value"
)
_HINTS = {
    "where": (
        "what depends on a condition is merged: c.value + ct.where(condition, f, 0); an extreme is "
        "ct.maximum, its place ct.reduce(…, ct.argmax)"
    ),
    "div": "multiply by the reciprocal, or divide after the loop",
    "cast": "begin with the dtype that the turns compute in: ct.carry(…, dtype=…)",
}
_WITHOUT = "leave policy= out to run the turns in order"


@record
class _Fold:
    """What a loop does to one carried value: each turn merges `element` by `function`."""

    function: str
    law: Law
    element: IrTile
    loc: Loc


@record
class _Turns:
    """The axis that the turns of a loop lie along, and what each value is over all of them."""

    axis: IrAxis
    made: Mapping[Node, Node]

    def tile(self, state: State, value: IrTile) -> IrTile:
        """A value of one turn as a tile that spans the axis."""
        made = self.made[value]
        assert isinstance(made, IrTile)
        spanned = join_axes(made.axes, (self.axis,))
        return spread(state, made, spanned)


def reduced(state: State, region: Region) -> dict[CarryHandle, IrTile]:
    """Emit the loads of a loop that was closed, and return what each value holds after it.

    Raises `KernelError` K038, at the loop, for one that is no reduction.
    """
    loads = [_load(state, region, step) for step in region.body]
    changed = {carry: slot for carry, slot in region.carried.items() if slot.now is not slot.param}
    folds = {carry: _fold(state, region, slot) for carry, slot in changed.items()}
    elements = [fold.element for fold in folds.values()]
    _require_apart(state, region, changed, [*loads, *elements])
    turns = _turns(state, region, loads, elements)
    for load in loads:
        emitted = turns.made[load]
        assert isinstance(emitted, Load)
        state.emit(emitted)
    return {
        carry: _after(state, region, folds[carry], slot.init, turns)
        for carry, slot in changed.items()
    }


def _load(state: State, region: Region, step: Effect) -> Load:
    """Return a step of the body that is a load; no other can be regrouped."""
    if isinstance(step, Load):
        return step
    if isinstance(step, Serial):
        what, hint = "a loop inside it keeps its order", f"give the inner loop a policy; {_WITHOUT}"
    elif isinstance(step, Parallel):
        what, hint = "it holds a parallel loop", _WITHOUT
    else:
        what, hint = "it stores", f"store what was carried after the loop; {_WITHOUT}"
    raise _fault(state, region, what, step.loc, hint)


def _fold(state: State, region: Region, slot: Slot) -> _Fold:
    """Read what a turn makes of a carried value as merges by one law, each with an element."""
    whole: IrTile | None = None
    function: str | None = None
    for merge, element in _merges(state, region, slot):
        here = _MERGED_BY.get(merge.fn, merge.fn)
        if function not in (None, here):
            what = f"a turn merges into one carried value by {here} and by {function}"
            raise _fault(state, region, what, merge.loc, f"one law a carried value; {_WITHOUT}")
        function = here
        if merge.fn == "sub":
            element = Map(fn="neg", args=(element,), type=element.type, loc=merge.loc)
        whole = element if whole is None else _merge(function, element, whole, merge.loc)
    assert function is not None
    assert whole is not None
    law = BUILTIN[_LAWS_OF_TRUTHS.get(function, function)]
    return _Fold(function, law, whole, slot.now.loc)


def _merges(state: State, region: Region, slot: Slot) -> Iterator[tuple[Map, IrTile]]:
    """Each merge of a turn, the last one first, with the operand that is not what was carried."""
    at = slot.now
    while at is not slot.param:
        if isinstance(at, Broadcast):
            at = at.value
            continue
        merges = _LAWS_OF_TRUTHS if at.dtype == bool_ else _MERGED_BY
        if not isinstance(at, Map) or at.fn not in merges:
            name = at.fn if isinstance(at, Map) else type(at).__name__.lower()
            what = f"a turn ends with {name}, by which no law merges"
            raise _fault(state, region, what, at.loc, _HINTS.get(name, _A_TURN))
        left, right = at.args
        in_left, in_right = (slot.param in reach((arg,)) for arg in at.args)
        if in_left and in_right:
            what = "what a turn merges reads the carried value that it is merged into"
            raise _fault(state, region, what, at.loc, _A_TURN)
        if not in_left and (at.fn == "sub" or not in_right):
            what = "a turn does not merge into the carried value"
            raise _fault(state, region, what, at.loc, _A_TURN)
        yield at, right if in_left else left
        at = left if in_left else right


def _require_apart(
    state: State, region: Region, changed: Mapping[CarryHandle, Slot], read: Sequence[IrTile]
) -> None:
    """Refuse a loop whose loads or elements depend on what it carries from turn to turn."""
    carries = {slot.param: carry for carry, slot in changed.items()}
    for at in reach(read):
        if isinstance(at, Carried) and at in carries:
            what = "what a turn loads or merges depends on a carried value"
            hint = f"a running result is ct.scan, or fold it in a loop of its own; {_WITHOUT}"
            raise _fault(state, region, what, carries[at].loc, hint)


def _turns(
    state: State, region: Region, loads: Sequence[Load], elements: Sequence[IrTile]
) -> _Turns:
    """Put the coordinates of all turns in place of the one of a turn."""
    index = LoopIndex(axis=region.over[0], loc=region.loc)
    # What the body reads and leaves as it is holds its start in every turn.
    by: dict[Node, Node] = {
        slot.param: slot.init for slot in region.carried.values() if slot.now is slot.param
    }
    body = [*loads, *elements]
    named = {
        axis for at in (*touched(body, {**by, index: index}), *elements) for axis in axes_of(at)
    }
    axis = _axis(state, region, named)
    by[index] = _coordinates(state, region, axis)
    try:
        return _Turns(axis, along(body, by))
    except NotAlongError as found:
        what = f"{found.what} differs from turn to turn"
        raise _fault(state, region, what, found.at.loc, _WITHOUT) from None


def _axis(state: State, region: Region, named: set[IrAxis]) -> IrAxis:
    """Return the axis that the turns lie along.

    It is the author's own, so that loops over one axis are reductions over one axis; where tiles of
    the body span that, the turns have an axis to themselves.
    """
    (looped,) = region.axes
    if region.step > 1:
        return state.strided(looped, region.step, -(-length_of(looped) // region.step))
    return region.over[0] if looped in named else looped


def _coordinates(state: State, region: Region, axis: IrAxis) -> IrTile:
    """Return the loop's coordinate in every turn."""
    if axis.extent == 1:
        return constant(state, 0, i64)
    turns = Iota(axis=axis, type=TileType(i64, (axis,)), loc=region.loc)
    if region.step == 1:
        return turns
    return _merge("mul", turns, constant(state, region.step, i64), region.loc)


def _after(state: State, region: Region, fold: _Fold, start: IrTile, turns: _Turns) -> IrTile:
    """Return what a carried value holds after the loop."""
    dtype = start.dtype
    accumulate = accumulator(dtype) if dtype == bool_ else dtype
    operand = cast_node(state, turns.tile(state, fold.element), accumulate)
    kept = tuple(axis for axis in operand.axes if axis != turns.axis)
    total = Reduce(
        args=(operand,),
        init=(),
        over=(turns.axis,),
        law=fold.law,
        policy=region.policy,
        accumulate=accumulate,
        scope=region.scope,
        type=TileType(dtype, kept),
        loc=fold.loc,
    )
    if _is_identity(start, fold.law):
        return spread(state, total, start.axes)
    return _merge(fold.function, start, total, fold.loc)


def _is_identity(start: IrTile, law: Law) -> bool:
    """Whether merging a start value changes nothing."""
    value = start.value if isinstance(start, Broadcast) else start
    assert law.identity is not None
    (identity,) = law.identity
    assert isinstance(identity, Lit)
    return isinstance(value, Const) and value.value == literal_value(identity.value, value.dtype)


def _merge(function: str, left: IrTile, right: IrTile, loc: Loc) -> IrTile:
    """Return a function of two tiles of one dtype whose result has that dtype."""
    joined = TileType(left.dtype, join_axes(left.axes, right.axes))
    return Map(fn=function, args=(left, right), type=joined, loc=loc)


def _fault(state: State, region: Region, what: str, where: Loc, hint: str) -> KernelError:
    (looped,) = region.axes
    message = f"the turns of the loop over {looped.name} cannot be regrouped: {what}"
    return state.fault("K038", message, loc=region.loc, notes=(f"at {where}",), hint=hint)
