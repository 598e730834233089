"""A function of symbolic shapes at the shapes that a caller gives.

In: a function whose buffers may have names in their shapes, a shape for each of some parameters.
Out: the same function with numbers for these names, and integer arithmetic of numbers done.
Decides that the shapes are possible: each name has one value, each extent that follows from the
names is the one that is given.  Whoever runs the kernel passes arrays of these shapes, which is
checked there.  Raises `ArgumentError` A320 for shapes that are not possible, `NotShownError` for a
function whose names the shapes do not say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from certile.diagnostics import ArgumentError
from certile.ir.functions import COMPARISONS
from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import (
    Allocate,
    Apply,
    Assign,
    Attribute,
    Bind,
    Branch,
    Buffer,
    Choice,
    Convert,
    Element,
    Expr,
    Function,
    Loop,
    Number,
    Read,
    Stmt,
    Variable,
    expressions,
    replaced,
)

Shapes = Mapping[str, Sequence[int]]

_RANGES = {"int32": 1 << 31, "int64": 1 << 63}
_FOLDED = ("add", "sub", "mul", "floordiv", "mod", "maximum", "minimum")


def specialised(function: Function, shapes: Shapes) -> Function:
    """The function at some shapes, by the names of its parameters.

    Raises ArgumentError A320 for shapes that the function does not take.
    """
    if not shapes:
        return function
    buffers = {each.name: each for each in function.parameters if isinstance(each, Buffer)}
    for name in shapes:
        if name not in buffers:
            known = ", ".join(buffers) or "none"
            message = f"{function.name} has no buffer {name}"
            raise ArgumentError("A320", message, hint=f"its buffers are {known}")
    names: dict[Variable, int] = {}
    for name, shape in shapes.items():
        _name(buffers[name], _extents(name, shape), names)
    _no_arguments(function, names)
    values = {v: Number(value, v.dtype) for v, value in names.items()}
    at = _At(values)
    made = replace(
        function,
        parameters=tuple(at.buffer(p) if isinstance(p, Buffer) else p for p in function.parameters),
        body=at.body(function.body),
    )
    for name, shape in shapes.items():
        found = at.buffer(buffers[name])
        if not found.extents and found.shape != tuple(shape):
            message = f"{name} of {function.name} has the shape {found.shape}, not {tuple(shape)}"
            raise ArgumentError("A320", message, hint="give shapes that the function allows")
    return made


def _extents(name: str, shape: object) -> tuple[int, ...]:
    if not isinstance(shape, tuple | list) or not all(
        type(extent) is int and 0 < extent < 1 << 31 for extent in shape
    ):
        hint = "pass positive extents, as in (3, 4096)"
        raise ArgumentError("A320", f"{shape!r} is no shape of {name}", hint=hint)
    return tuple(shape)


def _name(buffer: Buffer, shape: tuple[int, ...], names: dict[Variable, int]) -> None:
    """Note what a shape says of the names that are extents by themselves."""
    extents = buffer.extents or tuple(Number(length, "int64") for length in buffer.shape)
    if len(extents) != len(shape):
        message = f"{buffer.name} has {len(extents)} dimensions, not {len(shape)}"
        raise ArgumentError("A320", message, hint="give an extent for each dimension")
    for extent, length in zip(extents, shape, strict=True):
        if isinstance(extent, Read) and names.setdefault(extent.variable, length) != length:
            first = names[extent.variable]
            message = f"{extent.variable.name} is {first} and, by {buffer.name}, {length}"
            hint = "give shapes in which a name stands for one number"
            raise ArgumentError("A320", message, hint=hint)


def _no_arguments(function: Function, names: Mapping[Variable, int]) -> None:
    for parameter in function.parameters:
        if parameter in names:
            missing = f"{parameter.name} is an argument beside the arrays"
            raise NotShownError("kernel_abi", "the shapes say what a name in them is", missing)


class _At:
    """A function's parts with numbers for names."""

    def __init__(self, values: Mapping[Variable, Number]) -> None:
        self._values = values

    def buffer(self, buffer: Buffer) -> Buffer:
        """A buffer whose shape is known, or as it was."""
        extents = tuple(map(self.expr, buffer.extents))
        lengths = [int(extent.value) for extent in extents if isinstance(extent, Number)]
        if not extents or len(lengths) != len(extents):
            return replace(buffer, extents=extents)
        return replace(buffer, shape=tuple(lengths), extents=())

    def body(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Statements, with what they declare and evaluate."""
        return tuple(map(self._step, body))

    def _step(self, step: Stmt) -> Stmt:
        match step:
            case Allocate():
                return Allocate(self.buffer(step.buffer))
            case Assign():
                indices = tuple(map(self.expr, step.indices))
                return Assign(self.buffer(step.buffer), indices, self.expr(step.value))
            case Bind():
                return Bind(step.variable, self.expr(step.value))
            case Branch():
                yes, no = self.body(step.yes), self.body(step.no)
                return Branch(self.expr(step.condition), yes, no)
            case Loop():
                low, extent, stride = map(self.expr, expressions(step))
                body = self.body(step.body)
                return replace(step, low=low, extent=extent, step=stride, body=body)
            case Attribute():
                return replace(step, body=self.body(step.body))
            case _:
                return step

    def expr(self, expr: Expr) -> Expr:
        """An expression with numbers, and what follows of them alone as a number."""
        match expr:
            case Read():
                return replaced(expr, self._values)
            case Element():
                return Element(self.buffer(expr.buffer), tuple(map(self.expr, expr.indices)))
            case Apply():
                return folded(replace(expr, args=tuple(map(self.expr, expr.args))))
            case Convert():
                return folded(replace(expr, value=self.expr(expr.value)))
            case Choice():
                condition, yes, no = map(self.expr, (expr.condition, expr.yes, expr.no))
                return replace(expr, condition=condition, yes=yes, no=no)
            case _:
                return expr


def folded(expr: Apply | Convert) -> Expr:
    """An operation on integers that are numbers, done where its type holds the result."""
    args = expr.args if isinstance(expr, Apply) else (expr.value,)
    values = [int(arg.value) for arg in args if isinstance(arg, Number) and arg.dtype in _RANGES]
    if len(values) != len(args):
        return expr
    made = values[0] if isinstance(expr, Convert) else _result(expr.fn, values)
    if isinstance(made, bool):
        return Number(made, "bool")
    limit = _RANGES.get(expr.dtype, 0)
    return expr if made is None or not -limit <= made < limit else Number(made, expr.dtype)


def _result(fn: str, values: Sequence[int]) -> bool | int | None:
    if len(values) != 2 or fn not in COMPARISONS.union(_FOLDED):
        return None
    a, b = values
    if fn in ("floordiv", "mod"):
        return None if b == 0 else (a // b if fn == "floordiv" else a % b)
    made: dict[str, bool | int] = {
        "add": a + b,
        "sub": a - b,
        "mul": a * b,
        "maximum": max(a, b),
        "minimum": min(a, b),
        "eq": a == b,
        "ne": a != b,
        "lt": a < b,
        "le": a <= b,
        "gt": a > b,
        "ge": a >= b,
    }
    return made[fn]
