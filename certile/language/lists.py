"""What a law's `spec` and `closed` say of a list of elements: `ct.list`.

In: the elements that such a method is given, and functions of one element.  Out: tiles that stand
for the sum, the maximum and so on.  Decides names and signatures.  Leaves to
`certile.frontend.lists` what is recorded; nothing here is computed when a kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from certile.diagnostics import KernelError
from certile.language.values import Tile
from certile.source import Loc

Fold = Literal["sum", "prod", "max", "min", "all", "any", "argmax", "argmin", "len"]
Function = Callable[..., object]


class Elements:
    """The elements of a list, in a method of a law; the functions below take it apart."""

    __slots__ = ()

    def map(self, function: Function) -> Elements:
        """Return the values of a function of each element."""
        raise NotImplementedError

    def filter(self, function: Function) -> Elements:
        """Return the elements that fulfil a condition."""
        raise NotImplementedError

    def fold(self, name: Fold) -> Tile:
        """Return what `name` gives of all elements."""
        raise NotImplementedError

    def top(self, k: int) -> tuple[tuple[Tile, ...], tuple[Tile, ...]]:
        """Return the `k` greatest elements and where they stand."""
        raise NotImplementedError


def map(function: Function, xs: Elements) -> Elements:  # noqa: A001 - Python's name
    """Return the list of the values of `function` of each element of `xs`.

    `function` takes what `lift` takes: one value a tile of the reduction, and the element's place
    as a keyword-only `index`.
    """
    return _elements(xs, "map").map(function)


def filter(function: Function, xs: Elements) -> Elements:  # noqa: A001 - Python's name
    """Return the elements of `xs` for which `function`, which gives a condition, holds."""
    return _elements(xs, "filter").filter(function)


def sum(xs: Elements) -> Tile:  # noqa: A001 - Python's name
    """Return the sum of a list; that of a list of conditions counts those that hold."""
    return _elements(xs, "sum").fold("sum")


def prod(xs: Elements) -> Tile:
    """Return the product of a list."""
    return _elements(xs, "prod").fold("prod")


def max(xs: Elements) -> Tile:  # noqa: A001 - Python's name
    """Return the greatest element, NaN where there is one; -inf of no elements."""
    return _elements(xs, "max").fold("max")


def min(xs: Elements) -> Tile:  # noqa: A001 - Python's name
    """Return the least element, NaN where there is one; inf of no elements."""
    return _elements(xs, "min").fold("min")


def all(xs: Elements) -> Tile:  # noqa: A001 - Python's name
    """Return whether every condition of a list holds."""
    return _elements(xs, "all").fold("all")


def any(xs: Elements) -> Tile:  # noqa: A001 - Python's name
    """Return whether some condition of a list holds."""
    return _elements(xs, "any").fold("any")


def argmax(xs: Elements) -> Tile:
    """Return the least place of an element that is the maximum; `lift` has to take an `index`."""
    return _elements(xs, "argmax").fold("argmax")


def argmin(xs: Elements) -> Tile:
    """Return the least place of an element that is the minimum; `lift` has to take an `index`."""
    return _elements(xs, "argmin").fold("argmin")


def len(xs: Elements) -> Tile:  # noqa: A001 - Python's name
    """Return the number of elements."""
    return _elements(xs, "len").fold("len")


def top(k: int, xs: Elements) -> tuple[tuple[Tile, ...], tuple[Tile, ...]]:
    """Return the `k` greatest elements, the greatest first, and their places.

    A NaN is greater than every number, of equal elements the one at the lower place comes first,
    and where there are fewer than `k` the rest are -inf.  `lift` has to take an `index`.
    """
    return _elements(xs, "top").top(k)


def _elements(xs: object, name: str) -> Elements:
    if not isinstance(xs, Elements):
        message = f"ct.list.{name} is of the elements that spec or closed of a law is given"
        raise KernelError("K041", message, loc=Loc.of_user())
    return xs
