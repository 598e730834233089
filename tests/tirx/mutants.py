"""One-node changes of a function's records."""

from collections.abc import Iterator
from dataclasses import replace

from certile.tirx.recognition.nodes import (
    Allocate,
    Apply,
    Assign,
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
    parts,
    statements,
)

_OTHER = {
    "add": ("sub", "mul", "maximum"),
    "sub": ("add",),
    "mul": ("add",),
    "div": ("mul",),
    "maximum": ("minimum", "add"),
    "minimum": ("maximum",),
    "lt": ("le", "gt"),
    "le": ("lt", "ge"),
    "gt": ("ge", "lt"),
    "ge": ("gt",),
    "eq": ("ne", "le"),
    "and": ("or",),
    "exp": ("abs",),
}


class Mutator:
    """Changes of one function, each at one node."""

    def __init__(self, function: Function) -> None:
        self._function = function
        steps = list(statements(function.body))
        read = [part for step in steps for e in expressions(step) for part in parts(e)]
        held = {step.buffer: None for step in steps if isinstance(step, Allocate)}
        given = [each for each in function.parameters if isinstance(each, Buffer)]
        self._buffers = [*given, *held]
        self._variables = list(dict.fromkeys(e.variable for e in read if isinstance(e, Read)))

    def mutants(self) -> Iterator[Function]:
        """Every mutant, in a fixed order."""
        for body in self._bodies(self._function.body):
            yield replace(self._function, body=body)

    def _bodies(self, body: tuple[Stmt, ...]) -> Iterator[tuple[Stmt, ...]]:
        for at, step in enumerate(body):
            before, after = body[:at], body[at + 1 :]
            yield before + after
            yield (*before, step, step, *after)
            if after:
                yield (*before, after[0], step, *after[1:])
            for made in self._statements(step):
                yield (*before, made, *after)
            if isinstance(step, Loop):
                for moved, following in _moved(step, after):
                    yield (*before, *moved, *following)

    def _statements(self, step: Stmt) -> Iterator[Stmt]:
        match step:
            case Assign():
                yield from self._assigns(step)
            case Bind():
                for value in self._expressions(step.value):
                    yield replace(step, value=value)
            case Branch():
                for condition in self._expressions(step.condition):
                    yield replace(step, condition=condition)
                for yes in self._bodies(step.yes):
                    yield replace(step, yes=yes)
                yield replace(step, yes=step.no, no=step.yes)
            case Loop():
                yield from self._loops(step)
            case _:
                pass

    def _assigns(self, step: Assign) -> Iterator[Stmt]:
        for buffer in self._alike(step.buffer):
            yield replace(step, buffer=buffer)
        for indices in self._several(step.indices):
            yield replace(step, indices=indices)
        for value in self._expressions(step.value):
            yield replace(step, value=value)
        for variable in self._variables:
            if variable.dtype == "int32":
                test = Apply("lt", (Read(variable), Number(3, "int32")), "bool")
                yield Branch(test, (step,), ())

    def _loops(self, loop: Loop) -> Iterator[Stmt]:
        assert isinstance(loop.extent, Number)
        for count in (loop.extent.value - 1, loop.extent.value + 1, 1):
            yield replace(loop, extent=Number(count, loop.extent.dtype))
        for part in ("low", "step"):
            yield replace(loop, **{part: Number(2, "int32")})
        yield replace(loop, kind="parallel")
        for body in self._bodies(loop.body):
            yield replace(loop, body=body)

    def _several(self, exprs: tuple[Expr, ...]) -> Iterator[tuple[Expr, ...]]:
        for at, expr in enumerate(exprs):
            for made in self._expressions(expr):
                yield (*exprs[:at], made, *exprs[at + 1 :])

    def _alike(self, buffer: Buffer) -> Iterator[Buffer]:
        for other in self._buffers:
            same = len(other.shape) == len(buffer.shape) and other.dtype == buffer.dtype
            if other != buffer and same:
                yield other

    def _expressions(self, expr: Expr) -> Iterator[Expr]:
        match expr:
            case Number(value=value) if not isinstance(value, bool):
                yield replace(expr, value=value + 1)
                yield replace(expr, value=-value)
            case Read():
                yield from self._reads(expr)
            case Element():
                yield from self._elements(expr)
            case Apply():
                yield from self._applications(expr)
            case Choice():
                yield from self._choices(expr)
            case _:
                pass

    def _reads(self, expr: Read) -> Iterator[Expr]:
        for other in self._variables:
            if _swaps(expr.variable, other):
                yield Read(other)
        if expr.dtype == "int32":
            yield Apply("add", (expr, Number(1, "int32")), "int32")
            yield Number(0, "int32")

    def _elements(self, expr: Element) -> Iterator[Expr]:
        for buffer in self._alike(expr.buffer):
            yield replace(expr, buffer=buffer)
        for indices in self._several(expr.indices):
            yield replace(expr, indices=indices)
        if expr.dtype == "float32":
            yield Convert(Convert(expr, "float16"), "float32")
            yield Number(1.0, "float32")

    def _applications(self, expr: Apply) -> Iterator[Expr]:
        for fn in _OTHER.get(expr.fn, ()):
            yield replace(expr, fn=fn)
        if len(expr.args) == 2:
            yield replace(expr, args=expr.args[::-1])
        for arg in expr.args:
            if arg.dtype == expr.dtype:
                yield arg
        for args in self._several(expr.args):
            yield replace(expr, args=args)

    def _choices(self, expr: Choice) -> Iterator[Expr]:
        yield replace(expr, yes=expr.no, no=expr.yes)
        yield replace(expr, lazy=not expr.lazy)
        for part in ("condition", "yes", "no"):
            for made in self._expressions(getattr(expr, part)):
                yield replace(expr, **{part: made})


def _moved(loop: Loop, after: tuple[Stmt, ...]) -> Iterator[tuple[tuple[Stmt, ...], ...]]:
    """A statement across the start or the end of a loop, with what follows."""
    if len(loop.body) > 1:
        first, *others = loop.body
        yield (first, replace(loop, body=tuple(others))), after
        *others, last = loop.body
        yield (replace(loop, body=tuple(others)), last), after
    if after:
        yield (replace(loop, body=(*loop.body, after[0])),), after[1:]


def _swaps(one: Variable, other: Variable) -> bool:
    return one != other and one.dtype == other.dtype
