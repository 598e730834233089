"""What a jitted function computes: a graph of array expressions.

In: nodes and options that fit each other.  Out: nodes, each with a shape and a dtype.  Decides what
is the same as something simpler: a conversion to the dtype it has, a view of a view, a reduction
of nothing or of one element.  Leaves promotion to `certile.jitting.promotion`, and which nodes are
computed together to `certile.jitting.schedule`.

Nodes are compared by identity.  Dtypes of operands are settled: a function's operands have one
dtype, and conversions are nodes of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import count
from math import prod
from typing import Final, Literal

from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, bool_, f64, i64
from certile.ir.functions import FUNCTIONS
from certile.jitting.windows import Shape, Window
from certile.records import record

__all__ = [
    "Apply",
    "Constant",
    "Convert",
    "Kept",
    "Law",
    "Node",
    "Number",
    "Reduce",
    "Scan",
    "Source",
    "Update",
    "Value",
    "View",
    "apply",
    "broadcast_shapes",
    "convert",
    "double",
    "inner",
    "reachable",
    "reduce",
    "scan",
    "view",
    "with_inner",
]

Law = Literal["add", "mul", "maximum", "minimum", "argmax", "argmin"]
Value = bool | int | float

# A reduction of this many elements to fewer results than this goes through partial results.
_WORTH_TWO_LAUNCHES: Final = 1 << 17
_ROWS_ENOUGH: Final = 32

_order = count()

# What a sum or a product of no elements is.
_EMPTY: Final = {"add": 0, "mul": 1}


@record(eq=False, kw_only=True)
class Node:
    """An array: its shape and its dtype; `order` counts nodes as they are made."""

    shape: Shape
    dtype: DType
    order: int = field(default_factory=lambda: next(_order))


@record(eq=False, kw_only=True)
class Source(Node):
    """An argument of the call, as it was when the call began."""

    position: int


@record(eq=False, kw_only=True)
class Number(Node):
    """A Python float of the call, rounded once to the dtype."""

    argument: int


@record(eq=False, kw_only=True)
class Constant(Node):
    """One number."""

    value: Value


@record(eq=False, kw_only=True)
class Apply(Node):
    """A function of the table on every element; operands are repeated by NumPy's rule."""

    function: str
    operands: tuple[Node, ...]


@record(eq=False, kw_only=True)
class Convert(Node):
    """The same numbers in another dtype."""

    operand: Node


@record(eq=False, kw_only=True)
class View(Node):
    """The elements of `base` that a window shows."""

    base: Node
    window: Window


@record(eq=False, kw_only=True)
class Reduce(Node):
    """A reduction over `axes`, each of more than one element; they stay, with one element each."""

    law: Law
    operand: Node
    axes: tuple[int, ...]


@record(eq=False, kw_only=True)
class Scan(Node):
    """The running results of a law along one axis."""

    law: Law
    operand: Node
    axis: int


@record(eq=False, kw_only=True)
class Update(Node):
    """`base` with the elements that a window shows replaced by `value`."""

    base: Node
    window: Window
    value: Node


@record(eq=False, kw_only=True)
class Kept(Node):
    """The same array, computed once and kept in memory."""

    operand: Node


def apply(function: str, operands: Sequence[Node]) -> Node:
    """Return a function of operands of one dtype; `ValueError` for shapes that do not broadcast."""
    shape = broadcast_shapes([operand.shape for operand in operands])
    dtype = FUNCTIONS[function].result(tuple(operand.dtype for operand in operands))
    return Apply(shape=shape, dtype=dtype, function=function, operands=tuple(operands))


def convert(node: Node, dtype: DType) -> Node:
    """Return the node in a dtype; a truth value is whether a number is not 0."""
    if node.dtype == dtype:
        return node
    if dtype == bool_:
        zero = Constant(shape=(), dtype=node.dtype, value=0)
        return apply("ne", (node, zero))
    if isinstance(node, Number):
        return Number(shape=(), dtype=dtype, argument=node.argument)
    return Convert(shape=node.shape, dtype=dtype, operand=node)


def view(base: Node, window: Window) -> Node:
    """Return what a window shows of a node."""
    if window.is_whole(base.shape):
        return base
    if isinstance(base, View):
        return view(base.base, base.window.then(window))
    return View(shape=window.shape, dtype=base.dtype, base=base, window=window)


def reduce(law: Law, operand: Node, axes: Sequence[int]) -> Node:
    """Return a reduction in the operand's dtype, or of positions in i64, axes kept.

    Raises `ValueError` where the greatest or least of no elements is asked for.
    """
    dtype = i64 if law in ("argmax", "argmin") else operand.dtype
    shape = tuple(1 if dim in axes else n for dim, n in enumerate(operand.shape))
    if 0 in (operand.shape[dim] for dim in axes) and 0 not in shape:
        if law not in _EMPTY:
            raise ValueError(f"{law} over an axis without elements has no answer")
        return _full(shape, dtype, _EMPTY[law])
    reduced = tuple(dim for dim in axes if operand.shape[dim] > 1)
    if not reduced or 0 in operand.shape:
        # The only position is 0, and a reduction of one element to a value is that element.
        known = law in ("argmax", "argmin") or 0 in shape
        return _full(shape, dtype, 0) if known else operand
    outer = _outer(law, operand.shape, reduced)
    if outer is not None:
        parts = reduce(law, operand, [dim for dim in reduced if dim != outer])
        return reduce(law, parts, [outer])
    return Reduce(shape=shape, dtype=dtype, law=law, operand=operand, axes=reduced)


def _outer(law: Law, shape: Shape, axes: Sequence[int]) -> int | None:
    """Return the axis whose places are reduced on their own first, so that all cores have rows.

    None where there are rows enough, little to do, or one axis only.  Positions count over all
    axes, so they are not found in parts.
    """
    kept = prod(n for dim, n in enumerate(shape) if dim not in axes)
    few = kept < _ROWS_ENOUGH and prod(shape) >= _WORTH_TWO_LAUNCHES
    if not few or len(axes) < 2 or law in ("argmax", "argmin"):
        return None
    return next((dim for dim in axes if shape[dim] >= _ROWS_ENOUGH), None)


def scan(law: Law, operand: Node, axis: int) -> Node:
    """Return running results in the operand's dtype."""
    if operand.shape[axis] < 2:
        return operand
    return Scan(shape=operand.shape, dtype=operand.dtype, law=law, operand=operand, axis=axis)


def double(argument: int) -> Number:
    """Return a Python float of the call as Python computes with it."""
    return Number(shape=(), dtype=f64, argument=argument)


def inner(node: Node) -> tuple[Node, ...]:
    """Return the nodes that a node is made of."""
    match node:
        case Apply():
            return node.operands
        case Convert() | Reduce() | Scan() | Kept():
            return (node.operand,)
        case View():
            return (node.base,)
        case Update():
            return (node.base, node.value)
        case _:
            return ()


def with_inner(node: Node, made_of: Sequence[Node]) -> Node:
    """Return a node like this one, made later, of other nodes of the same shapes and dtypes."""
    order = next(_order)
    match node:
        case Apply():
            return replace(node, operands=tuple(made_of), order=order)
        case Convert() | Reduce() | Scan():
            return replace(node, operand=made_of[0], order=order)
        case View():
            return replace(node, base=made_of[0], order=order)
        case Update():
            return replace(node, base=made_of[0], value=made_of[1], order=order)
        case _:
            raise InternalError("M020", f"{type(node).__name__} is made of nothing here")


def reachable(roots: Sequence[Node]) -> Iterator[Node]:
    """Give each node that the roots are made of, and the roots, once."""
    waiting, seen = list(roots), set(roots)
    while waiting:
        node = waiting.pop()
        yield node
        found = [each for each in inner(node) if each not in seen]
        seen.update(found)
        waiting.extend(dict.fromkeys(found))


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape:
    """Return the shape that arrays of these shapes have together, by NumPy's rule.

    Raises ValueError where they have none.
    """
    rank = max(map(len, shapes))
    found = [1] * rank
    for shape in shapes:
        for at, n in enumerate(shape, rank - len(shape)):
            if n != found[at] and 1 not in (n, found[at]):
                shown = " and ".join(map(str, dict.fromkeys(shapes)))
                raise ValueError(f"shapes {shown} do not broadcast together")
            if found[at] == 1:
                found[at] = n
    return tuple(found)


def _full(shape: Shape, dtype: DType, value: Value) -> Node:
    rank = len(shape)
    constant = Constant(shape=(), dtype=dtype, value=value)
    return view(constant, Window(shape, (None,) * rank, (), ()))
