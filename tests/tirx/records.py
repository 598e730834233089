"""What a TIRx function does, executed on its records one scalar at a time: an oracle.

It shares nothing with the recogniser but the records.  Arithmetic is float64 on purpose: results
that agree with those of float32 code agree up to rounding.  A read outside a buffer, or of a
private element that was never stored, is an `UndefinedError`, for TIRx gives it no meaning.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np

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
)

Value = bool | int | float


class UndefinedError(Exception):
    """The function has no meaning on these arguments."""


class UnspecifiedError(Exception):
    """What the function gives depends on the target."""


def _divided(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def _quiet(fn: Callable[[np.float64], np.float64]) -> Callable[[float], float]:
    def called(x: float) -> float:
        with np.errstate(all="ignore"):
            return float(fn(np.float64(x)))

    return called


def _extreme(choose: Callable[..., Value]) -> Callable[[Value, Value], Value]:
    def called(a: Value, b: Value) -> Value:
        if math.isnan(a) or math.isnan(b):
            raise UnspecifiedError("the greater of a NaN and a number")
        return choose(a, b)

    return called


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _divided,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "maximum": _extreme(max),
    "minimum": _extreme(min),
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "exp": _quiet(np.exp),
    "log": _quiet(np.log),
    "log2": _quiet(np.log2),
    "ceil": np.ceil,
    "sqrt": _quiet(np.sqrt),
    "abs": abs,
}


def execute(function: Function, arguments: Iterable[np.ndarray], *, single: bool = False) -> None:
    """Run a function in place on one array a parameter; raises `UndefinedError`.

    With `single` every operation is rounded to float32, which shows how much rounding matters.
    """
    held = dict(zip(function.parameters, arguments, strict=True))
    memory = {each: array for each, array in held.items() if isinstance(each, Buffer)}
    _Machine(memory, single).body(function.body)


class _Machine:
    def __init__(self, memory: dict[Buffer, np.ndarray], single: bool) -> None:
        self._memory, self._single = memory, single
        self._values: dict[Variable, Value] = {}

    def body(self, body: tuple[Stmt, ...]) -> None:
        for step in body:
            self._step(step)
        for step in body:
            if isinstance(step, Bind):
                self._values.pop(step.variable, None)
            elif isinstance(step, Allocate):
                self._memory.pop(step.buffer, None)

    def _step(self, step: Stmt) -> None:
        match step:
            case Allocate(buffer=buffer):
                self._memory[buffer] = np.full(buffer.shape, None, dtype=object)
            case Bind(variable=variable, value=value):
                self._values[variable] = self._value(value)
            case Assign():
                place = self._place(step.buffer, step.indices)
                self._memory[step.buffer][place] = self._value(step.value)
            case Branch():
                self.body(step.yes if self._value(step.condition) else step.no)
            case Attribute():
                self.body(step.body)
            case Loop():
                low, extent, stride = map(self._value, (step.low, step.extent, step.step))
                for at in range(int(low), int(low) + int(extent), int(stride)):
                    self._values[step.variable] = at
                    self.body(step.body)
                self._values.pop(step.variable, None)
            case _:
                raise AssertionError(step)

    def _place(self, buffer: Buffer, indices: tuple[Expr, ...]) -> tuple[int, ...]:
        if buffer not in self._memory:
            raise UndefinedError(f"{buffer.name} is not in scope")
        place = tuple(int(self._value(index)) for index in indices)
        if not all(0 <= at < length for at, length in zip(place, buffer.shape, strict=True)):
            raise UndefinedError(f"{buffer.name} at {place}")
        return place

    def _value(self, expr: Expr) -> Value:
        match expr:
            case Number(value=value):
                return value
            case Read(variable=variable):
                if variable not in self._values:
                    raise UndefinedError(f"{variable.name} is not in scope")
                return self._values[variable]
            case Element():
                place = self._place(expr.buffer, expr.indices)
                found = self._memory[expr.buffer][place]
                if found is None:
                    raise UndefinedError(f"{expr.buffer.name} before it is stored")
                return found.item() if isinstance(found, np.generic) else found
            case Choice():
                if expr.lazy:
                    return self._value(expr.yes if self._value(expr.condition) else expr.no)
                condition = self._value(expr.condition)
                yes, no = self._value(expr.yes), self._value(expr.no)
                return yes if condition else no
            case Convert():
                return self._converted(self._value(expr.value), expr.dtype)
            case Apply():
                args = [self._value(arg) for arg in expr.args]
                if expr.fn in ("floordiv", "mod") and args[1] == 0:
                    raise UndefinedError("a division by 0")
                made = _FUNCTIONS[expr.fn](*args)
                return float(np.float32(made)) if self._single and isinstance(made, float) else made
            case _:
                raise AssertionError(expr)

    def _converted(self, value: Value, dtype: str) -> Value:
        if dtype == "float16":
            return float(np.float16(value))
        if dtype.startswith("float"):
            return float(value)
        return math.floor(value) if isinstance(value, float) else int(value)
