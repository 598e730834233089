"""Whether the stores of a launch write distinct elements.

In: a region.  Out: None, or the refusal of the first store that is not shown to.  Decides by the
affine forms of indices: of one store over its domain, its loops and the instances, and of each two
stores to one view.  What data chooses is the program's own promise.  Leaves arguments that overlap
to those who bind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from certile.analysis.affine import (
    Affine,
    affine,
    apart,
    instance_spans,
    moves_with_instance,
    spans,
    undetermined,
)
from certile.analysis.effects import Access
from certile.analysis.region import Region, refuse
from certile.analysis.views import same_domain
from certile.diagnostics import Refusal
from certile.ir.tile import Buffer, Load, Store, Tile, View

__all__ = ["global_effects"]

# Stores to one view that no constant index tells apart; each pair of them is compared.
_MOST_RIVALS = 128


def global_effects(region: Region) -> Refusal | None:
    """Stores write distinct elements: of one instance, and of different ones."""
    stores = [access for access in region.accesses_of(View) if isinstance(access.effect, Store)]
    loaded = {access.buffer for access in region.accesses if isinstance(access.effect, Load)}
    for access in stores:
        missing = _overlap(region, access)
        if access.loops and access.buffer in loaded:
            missing = "a loop stores it and the program also reads it"
        if missing is not None:
            return _clash(access, missing)
    for rivals in _rivals(stores):
        if len(rivals) > _MOST_RIVALS:
            missing = f"more than {_MOST_RIVALS} stores would have to be compared with each other"
            return _clash(rivals[-1], missing)
        for number, one in enumerate(rivals):
            for other in rivals[number + 1 :]:
                if not _apart_or_same(one, other):
                    return _clash(other, "another store may write the same element")
    return None


def _rivals(stores: Sequence[Access]) -> Iterator[list[Access]]:
    """Group the stores to one view that no constant index tells apart.

    An unrolled loop has thousands, each at a constant of its own: all pairs would take minutes.
    """
    by_view: dict[Buffer, list[Access]] = {}
    for access in stores:
        by_view.setdefault(access.buffer, []).append(access)
    for group in by_view.values():
        constants = [tuple(map(_constant, access.effect.indices)) for access in group]
        fixed = [d for d, column in enumerate(zip(*constants, strict=True)) if None not in column]
        apart_by: dict[tuple[int | None, ...], list[Access]] = {}
        for access, at in zip(group, constants, strict=True):
            apart_by.setdefault(tuple(at[d] for d in fixed), []).append(access)
        yield from apart_by.values()


def _constant(index: Tile) -> int | None:
    form = affine(index)
    return form.constant if form is not None and not form.terms else None


def _clash(access: Access, missing: str) -> Refusal:
    claim = f"stores to {access.buffer.name} write distinct elements"
    return refuse("global_effects", claim, missing, access.effect.loc)


def _forms(access: Access) -> list[Affine | None]:
    return [affine(index) for index in access.effect.indices]


def _overlap(region: Region, access: Access) -> str | None:
    """How two points of a store's domain may meet, or None when they are shown not to."""
    forms, over = _forms(access), region.parallel.over
    own = spans(access.effect.axes, access.loops)
    if undetermined(forms, own) is not None:
        return "two elements or iterations of one instance may store the same place"
    # Where an instance chooses its place from data, distinct places are the program's own promise:
    # instances that meet there are an error of the kernel under every map.
    instances = undetermined(forms, {**own, **instance_spans(over)})
    if instances is not None and not moves_with_instance(forms, over):
        return "two instances may store the same place"
    return None


def _apart_or_same(one: Access, other: Access) -> bool:
    pairs = zip(one.effect.indices, other.effect.indices, strict=True)
    if all(a is b for a, b in pairs) and same_domain(one.effect.axes, other.effect.axes):
        return True
    return apart(
        _forms(one),
        spans(one.effect.axes, one.loops),
        _forms(other),
        spans(other.effect.axes, other.loops),
    )
