"""One reduction in place of several: what stands for each of them, and where none may stand.

In: a `Reduce` by a law with a result for each of the reductions and, last, whether its state is
finite.  Out: the tiles that stand for them, and the condition under which they are computed as
written.  Reductions that keep fewer axes than the one in their place have equal results along the
others, so the greatest of these is any of them.  Decides nothing: that they are equal is proved in
`proof.check.regions`, which reads the same tiles.
"""

from __future__ import annotations

from collections.abc import Collection

from certile.ir.dtypes import bool_, i32
from certile.ir.laws import ANY, MAXIMUM, Law
from certile.ir.terms import variables
from certile.ir.tile import Cast, Fallback, Map, Reduce, Result, Tile
from certile.ir.types import Axis, TileType

__all__ = [
    "alike_components",
    "alike_variables",
    "deciding",
    "fold_of",
    "tiles_of",
    "unproved",
    "value_of_fold",
]


def value_of_fold(fold: Reduce, index: int, kept: tuple[Axis, ...]) -> Tile:
    """Result `index` of a fold, for a reduction that keeps no axes but `kept`."""
    result = Result(of=fold, index=index, type=fold.result_types()[index], loc=fold.loc)
    apart = tuple(axis for axis in fold.spanned if axis not in kept)
    return _reduced(result, MAXIMUM, apart) if apart else result


def unproved(fold: Reduce) -> Tile:
    """Whether some state of a fold is not finite, as its last result says."""
    last = len(fold.law.results) - 1
    finite = Result(of=fold, index=last, type=fold.result_types()[last], loc=fold.loc)
    lost = Map(fn="bit_not", args=(finite,), type=TileType(bool_, fold.spanned), loc=fold.loc)
    if not fold.spanned:
        return lost
    number = Cast(value=lost, type=TileType(i32, fold.spanned), loc=fold.loc)
    return _reduced(number, ANY, fold.spanned)


def deciding(when: Tile) -> tuple[Reduce, int] | None:
    """The fold that a condition like `unproved` asks, and which of its results."""
    lost = when
    if isinstance(lost, Reduce):
        (lost, *_) = lost.args
    if isinstance(lost, Cast):
        lost = lost.value
    match lost:
        case Map(fn="bit_not", args=(Result(of=Reduce() as fold, index=index),)):
            return fold, index
        case _:
            return None


def fold_of(fallback: Fallback) -> Reduce | None:
    """The fold whose `unproved` state is the condition of a fallback, if there is one."""
    found = deciding(fallback.when)
    # The last result is asked for only where there is one.
    last = found is not None and 0 <= found[1] == len(found[0].law.results) - 1
    return found[0] if found and last and unproved(found[0]) is fallback.when else None


def alike_components(fold: Reduce, axes: Collection[Axis]) -> frozenset[str]:
    """The components of a fold's state that do not differ along some of the axes that it keeps.

    No operand that their terms read spans one of these; that of a start value may differ.
    """
    law = fold.law
    differ = {
        name
        for name, arg in zip(law.lift_variables(), fold.args, strict=True)
        if not set(axes).isdisjoint(arg.axes)
    }
    found = set[str]() if not fold.init else {part.name for part in law.state}
    while True:
        read = differ | {f"{side}.{name}" for name in found for side in "ab"}
        parts = zip(law.state, law.lift, law.merge, strict=True)
        more = {part.name for part, *terms in parts if not read.isdisjoint(variables(terms))}
        if more <= found:
            return frozenset(part.name for part in law.state if part.name not in found)
        found |= more


def alike_variables(fold: Reduce, axes: Collection[Axis]) -> frozenset[str]:
    """What the terms of a fold's law read that does not differ along some of the axes it keeps."""
    law, alike = fold.law, alike_components(fold, axes)
    operands = zip(law.lift_variables(), fold.args, strict=True)
    fields = {name for name, arg in operands if set(axes).isdisjoint(arg.axes)}
    states = {f"{side}.{name}" for name in alike for side in ("a", "b", "state")}
    return frozenset({*fields, *states, *law.parameters, "i"})


def tiles_of(fallback: Fallback) -> tuple[Result, ...]:
    """The results of a fallback that span axes: what holds them takes them element by element."""
    types = enumerate(fallback.result_types())
    return tuple(Result(of=fallback, index=k, type=each) for k, each in types if each.axes)


def _reduced(tile: Tile, law: Law, axes: tuple[Axis, ...]) -> Tile:
    """The reduction of a tile along some of its axes."""
    kept = tuple(axis for axis in tile.axes if axis not in axes)
    (result,) = law.result_dtypes(tile.dtype)
    return Reduce(
        args=(tile,),
        init=(),
        over=axes,
        law=law,
        policy="unordered_tree",
        accumulate=tile.dtype,
        type=TileType(result, kept),
        loc=tile.loc,
    )
