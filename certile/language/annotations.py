"""How a kernel declares its parameters: views, read-modify-write views and compile-time values.

In: annotations.  Out: immutable descriptions of them.  Decides how they are spelled.  Leaves
checking arguments against them to `certile.frontend.signature`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from certile.diagnostics import KernelError
from certile.language.integers import integer_or_none
from certile.language.values import Indexed
from certile.records import record
from certile.source import Loc


@record
class ViewAnnotation:
    """A view whose dtype is among `dtypes` (any when empty) and whose rank is `rank` (None: any).

    `inout` says that the kernel updates the view, so it must be writable and holds data.
    """

    dtypes: tuple[object, ...] = ()
    rank: int | None = None
    inout: bool = False
    optional: bool = False

    def __or__(self, other: object) -> ViewAnnotation:
        """Return the description that takes None as well: `View[f32, 1] | None`."""
        return replace(self, optional=True) if other is None else NotImplemented


def _described(item: object, *, inout: bool) -> ViewAnnotation:
    parts = item if isinstance(item, tuple) else (item,)
    rank = integer_or_none(parts[1]) if len(parts) == 2 else None
    if len(parts) > 2 or (len(parts) == 2 and (rank is None or rank < 0)):
        message = f"a view is described by dtypes and a rank, not by {parts!r}"
        raise KernelError("K026", message, loc=Loc.of_user())
    dtypes = parts[0] if isinstance(parts[0], frozenset) else (parts[0],)
    named = tuple(sorted(dtypes, key=str)) if parts[0] is not ... else ()
    return ViewAnnotation(named, rank, inout)


class View(Indexed):
    """An array argument: typed memory with any strides.

    `ct.View` takes any array, `ct.View[ct.f32 | ct.bf16, 2]` one of those dtypes and that rank,
    `ct.View[..., 1]` any dtype of that rank.  Views of one call do not overlap, except that an
    output may be the very view of an input.
    """

    __slots__ = ()

    def __class_getitem__(cls, item: object) -> ViewAnnotation:
        """Return the description `View[dtypes, rank]`; raises `KernelError` K026 for another."""
        return _described(item, inout=False)


class InOut(View):
    """A view that the kernel reads and writes: it must hold data and be writable."""

    __slots__ = ()

    def __class_getitem__(cls, item: object) -> ViewAnnotation:
        """Return the description `InOut[dtypes, rank]`; raises `KernelError` K026 for another."""
        return _described(item, inout=True)


class Constexpr:
    """The type of `ct.constexpr`: the parameter's value is part of the compiled kernel."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ct.constexpr"


if TYPE_CHECKING:
    # To a type checker a compile-time value has whatever type the kernel uses it as.
    constexpr: TypeAlias = Any
else:
    constexpr = Constexpr()
