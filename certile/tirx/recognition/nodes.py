"""What the recogniser reads: TIRx as small immutable records.

In: nothing; `certile.tirx.tvm_reading` makes these from a function's nodes.  A node
class that is not on its list becomes `Foreign` or `Alien` with the class's name, so what refuses it
is the prover, by that name.  Variables and buffers are identities.  A body is a flat tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Literal

from certile.records import record

# The annotation by which a loop claims to be a reduction; its value is "add", "max" or "min".
MARK = "certile.reduction"

# An expression that replaces a name is as many nodes as the name has readers times this, at most.
_MOST_INLINED = 64

LoopKind = Literal["serial", "unrolled", "parallel", "vectorized", "thread"]


@record
class Variable:
    """A loop variable, a bound value or a scalar parameter."""

    uid: int
    name: str = field(compare=False)
    dtype: str = field(compare=False)


@record
class Buffer:
    """A parameter or an allocation; `problem` says why its layout is not a compact one.

    A shape that is not constant is written in `extents`, which else is empty.
    """

    uid: int
    name: str = field(compare=False)
    dtype: str = field(compare=False)
    shape: tuple[int, ...] = field(compare=False)
    scope: str = field(compare=False, default="global")
    problem: str | None = field(compare=False, default=None)
    extents: tuple[Expr, ...] = field(compare=False, default=())

    @property
    def is_scalar(self) -> bool:
        """Whether it has one element."""
        return all(length == 1 for length in self.shape)


@record
class Number:
    """A literal."""

    value: bool | int | float
    dtype: str


@record
class Read:
    """The value of a variable."""

    variable: Variable

    @property
    def dtype(self) -> str:
        return self.variable.dtype


@record
class Element:
    """The element of a buffer at some indices."""

    buffer: Buffer
    indices: tuple[Expr, ...]

    @property
    def dtype(self) -> str:
        return self.buffer.dtype


@record
class Apply:
    """An element-wise function, by its name in `certile.ir.functions`, or `and`, `or`, `not`."""

    fn: str
    args: tuple[Expr, ...]
    dtype: str


@record
class Convert:
    """A conversion to another type."""

    value: Expr
    dtype: str


@record
class Choice:
    """One of two values; when `lazy`, only the chosen one is evaluated."""

    condition: Expr
    yes: Expr
    no: Expr
    lazy: bool
    dtype: str


@record
class Foreign:
    """An expression that is not on the list, by the name of its class or operation."""

    what: str
    dtype: str = ""


Expr = Number | Read | Element | Apply | Convert | Choice | Foreign


@record
class Loop:
    """`body` for low, low + step, … below low + extent."""

    variable: Variable
    low: Expr
    extent: Expr
    step: Expr
    kind: LoopKind
    body: tuple[Stmt, ...]
    marks: tuple[tuple[str, str], ...] = ()

    @property
    def count(self) -> int:
        """The number of iterations of a loop that `normal` has accepted."""
        assert isinstance(self.extent, Number)
        return int(self.extent.value)

    @property
    def claim(self) -> str | None:
        """The reduction that its mark claims it is."""
        return dict(self.marks).get(MARK)


@record
class Allocate:
    """A buffer that exists from here to the end of the body."""

    buffer: Buffer


@record
class Assign:
    """A store of one element."""

    buffer: Buffer
    indices: tuple[Expr, ...]
    value: Expr


@record
class Bind:
    """A value with a name, for the rest of the body."""

    variable: Variable
    value: Expr


@record
class Branch:
    """A conditional."""

    condition: Expr
    yes: tuple[Stmt, ...]
    no: tuple[Stmt, ...]


@record
class Attribute:
    """A statement under an attribute; an attribute is a claim and proves nothing."""

    key: str
    value: str
    body: tuple[Stmt, ...]


@record
class Alien:
    """A statement that is not on the list, by the name of its class."""

    what: str


Stmt = Loop | Allocate | Assign | Bind | Branch | Attribute | Alien


@record(slots=False)
class Function:
    """A function: its parameters in order, its body, and the attributes that it carries."""

    name: str
    parameters: tuple[Buffer | Variable, ...]
    body: tuple[Stmt, ...]
    attributes: tuple[str, ...] = ()


def children(expr: Expr) -> tuple[Expr, ...]:
    """The operands of an expression."""
    match expr:
        case Element(indices=operands) | Apply(args=operands):
            return operands
        case Convert(value=value):
            return (value,)
        case Choice():
            return expr.condition, expr.yes, expr.no
        case _:
            return ()


def parts(expr: Expr) -> Iterator[Expr]:
    """An expression and everything in it; one that stands twice is yielded twice."""
    stack = [expr]
    while stack:
        at = stack.pop()
        yield at
        stack.extend(children(at))


def is_small(expr: Expr) -> bool:
    """Whether an expression may stand in the place of a name, however often that is read."""
    return all(count < _MOST_INLINED for count, _ in enumerate(parts(expr)))


def statements(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Every statement of a body, nested ones after the one that holds them."""
    for step in body:
        yield step
        match step:
            case Loop(body=inner) | Attribute(body=inner):
                yield from statements(inner)
            case Branch(yes=yes, no=no):
                yield from statements(yes)
                yield from statements(no)
            case _:
                pass


def with_bodies(step: Stmt, change: Callable[[tuple[Stmt, ...]], tuple[Stmt, ...]]) -> Stmt:
    """A statement of a function in normal form, with what `change` makes of each body it holds."""
    match step:
        case Loop():
            return replace(step, body=change(step.body))
        case Branch():
            return replace(step, yes=change(step.yes), no=change(step.no))
        case _:
            return step


def expressions(step: Stmt) -> tuple[Expr, ...]:
    """The expressions a statement evaluates itself."""
    match step:
        case Loop(low=low, extent=extent, step=stride):
            return low, extent, stride
        case Assign(indices=indices, value=value):
            return *indices, value
        case Bind(value=value):
            return (value,)
        case Branch(condition=condition):
            return (condition,)
        case _:
            return ()


Substitution = Mapping[Variable, "Expr"]


def replaced(expr: Expr, by: Substitution) -> Expr:
    """The expression with variables replaced by expressions."""
    match expr:
        case Read(variable=variable):
            return by.get(variable, expr)
        case Element():
            return Element(expr.buffer, tuple(replaced(index, by) for index in expr.indices))
        case Apply():
            return Apply(expr.fn, tuple(replaced(arg, by) for arg in expr.args), expr.dtype)
        case Convert():
            return Convert(replaced(expr.value, by), expr.dtype)
        case Choice():
            condition, yes, no = (replaced(part, by) for part in children(expr))
            return Choice(condition, yes, no, expr.lazy, expr.dtype)
        case _:
            return expr


def rewritten(body: tuple[Stmt, ...], by: Substitution) -> tuple[Stmt, ...]:
    """A body with variables replaced by expressions."""
    return tuple(_rewritten(step, by) for step in body)


def _rewritten(step: Stmt, by: Substitution) -> Stmt:
    match step:
        case Loop():
            low, extent, stride = (replaced(part, by) for part in expressions(step))
            inner = rewritten(step.body, by)
            return Loop(step.variable, low, extent, stride, step.kind, inner, step.marks)
        case Assign():
            indices = tuple(replaced(index, by) for index in step.indices)
            return Assign(step.buffer, indices, replaced(step.value, by))
        case Bind():
            return Bind(step.variable, replaced(step.value, by))
        case Branch():
            condition = replaced(step.condition, by)
            return Branch(condition, rewritten(step.yes, by), rewritten(step.no, by))
        case Attribute():
            return Attribute(step.key, step.value, rewritten(step.body, by))
        case _:
            return step
