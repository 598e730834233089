"""What a trace depends on besides the function: the kinds of its arguments and its options.

In: dtypes, ranks, compile-time values.  Out: hashable values.  Decides when two calls may share a
trace.  Leaves to `certile.frontend.captures` what the function reads from around it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from certile.ir.dtypes import DType
from certile.records import record

Weak = Literal["bool", "int", "float"]
MathMode = Literal["precise", "fast", "portable"]
RewriteMode = Literal["proved", "off"]


@record
class ViewSpec:
    """An array argument."""

    dtype: DType
    rank: int


@record
class Shaped:
    """An array that need not exist: its dtype and shape are all a trace looks at."""

    dtype: DType
    shape: tuple[int, ...]


@record
class ScalarSpec:
    """A run-time scalar; `weak` is the kind of a plain Python number, None for a declared dtype."""

    dtype: DType
    weak: Weak | None = None


class ConstantSpec:
    """A compile-time value, equal only to a value of the same type: True, 1 and 1.0 differ."""

    __slots__ = ("_key", "value")

    def __init__(self, value: object) -> None:
        self.value = value
        self._key = typed_key(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstantSpec) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"ConstantSpec({self.value!r})"


ArgumentSpec = ViewSpec | ScalarSpec | ConstantSpec


@record
class KernelSpec:
    """One specialisation of a kernel: an argument spec for each parameter, in order."""

    arguments: tuple[tuple[str, ArgumentSpec], ...]
    math: MathMode = "precise"
    rewrites: RewriteMode = "proved"


def typed_key(value: object) -> Hashable:
    """Return a key under which only values of one type and content are equal.

    Raises `TypeError` for a value that cannot be hashed.
    """
    if isinstance(value, float):
        # -0.0 equals 0.0, and NaN does not equal itself.
        return (type(value), value.hex())
    if isinstance(value, tuple):
        return (type(value), tuple(typed_key(item) for item in value))
    if isinstance(value, frozenset):
        return (type(value), frozenset(typed_key(item) for item in value))
    hash(value)
    return (type(value), value)
