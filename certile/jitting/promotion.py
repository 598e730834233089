"""Dtypes in jitted functions: the promotion table of the language, applied to array expressions.

In: operands, each a node or a Python number.  Out: nodes of one dtype, ready for a function.
Decides that numbers are weak, as in the language: a number takes the dtype of the array beside it
unless that cannot hold its kind.  Python floats of the call are numbers too; among themselves they
are computed in f64, as Python does.  Leaves the table to `certile.ir.dtypes`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from certile.diagnostics import KernelError, shown_number
from certile.ir.dtypes import DType, arithmetic, bool_, f32, f64, highest, i32, lowest, of_scalar
from certile.ir.dtypes import promote as promoted
from certile.ir.dtypes import weak as weakened
from certile.ir.functions import (
    COUNTS_BOOLS,
    FUNCTIONS,
    IDENTITY_ON_INTEGERS,
    TESTS_OF_INTEGERS,
)
from certile.jitting.graph import Constant, Node, Value, apply, convert
from certile.jitting.trace import fault
from certile.records import record

__all__ = ["Operand", "as_dtype", "common", "computed"]


@record
class Operand:
    """A node, weak if it is made of Python numbers only; or a number."""

    value: Node | Value
    weak: bool = False

    @property
    def yields(self) -> bool:
        """Whether it takes the dtype of what it meets."""
        return self.weak or not isinstance(self.value, Node)

    @property
    def dtype(self) -> DType:
        """The dtype that it has on its own."""
        return self.value.dtype if isinstance(self.value, Node) else of_scalar(self.value)


def computed(function: str, operands: Sequence[Operand]) -> Operand:
    """Return a function of the table; `ValueError` for operands that it does not take."""
    if function == "where":
        condition, *rest = operands
        dtype = common(rest)
        if all(operand.yields for operand in rest) and not condition.yields and dtype.is_float:
            # Numbers that meet nothing else take the dtype that they have in the language.
            dtype = f32
        chosen = (as_dtype(operand, dtype) for operand in rest)
        made = apply(function, (as_dtype(condition, bool_), *chosen))
    else:
        args = _settled(function, operands)
        made = _simplest(function, args)
    weak = all(operand.yields for operand in operands) and FUNCTIONS[function].rule != "bool"
    return Operand(made, weak)


def _settled(function: str, operands: Sequence[Operand]) -> list[Node]:
    """Return the operands in the dtype in which a function takes them."""
    dtype = common(operands)
    rule = FUNCTIONS[function].rule
    if function == "fmod" and not dtype.is_float:
        hint = "% floors, or convert to a float"
        raise fault("K011", f"fmod of {dtype} elements", hint=hint)
    if rule == "float" and not dtype.is_float:
        dtype = f32
    if dtype == bool_ and function in COUNTS_BOOLS:
        dtype = i32
    if rule == "integer" and dtype.is_float:
        hint = "convert them to integers first"
        raise fault("K011", f"{function} works on the bits of integers, not on {dtype}", hint=hint)
    return [as_dtype(operand, dtype) for operand in operands]


def common(operands: Sequence[Operand]) -> DType:
    """Return the dtype in which operands meet."""
    strong = [operand.dtype for operand in operands if not operand.yields]
    if not strong:
        nodes = [operand for operand in operands if isinstance(operand.value, Node)]
        return f64 if nodes else functools.reduce(promoted, (o.dtype for o in operands))
    dtype = arithmetic(functools.reduce(promoted, strong))
    for operand in operands:
        if operand.yields:
            number = 0.0 if isinstance(operand.value, Node) else operand.value
            dtype = weakened(dtype, number)
    return dtype


def as_dtype(operand: Operand, dtype: DType) -> Node:
    """Return an operand as a node of a dtype; `KernelError` K012 for a number that does not fit."""
    value = operand.value
    if isinstance(value, Node):
        return convert(value, dtype)
    if dtype == bool_:
        value = bool(value)
    elif not dtype.is_float:
        whole = not isinstance(value, float) or (math.isfinite(value) and value == int(value))
        if not whole or not lowest(dtype) <= value <= highest(dtype):
            raise _unfit(value, dtype)
        value = int(value)
    else:
        value = _as_float(value, dtype)
    return Constant(shape=(), dtype=dtype, value=value)


def _as_float(value: Value, dtype: DType) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _unfit(value, dtype) from None


def _unfit(value: Value, dtype: DType) -> KernelError:
    hint = "use a number in range, or convert the array to a wider dtype by .astype"
    return fault("K012", f"{shown_number(value)} does not fit {dtype}", hint=hint)


def _simplest(function: str, args: Sequence[Node]) -> Node:
    """Return a function of operands of one dtype, or what is the same for that dtype."""
    dtype = args[0].dtype
    if not dtype.is_float:
        if function in TESTS_OF_INTEGERS:
            answer = Constant(shape=(), dtype=bool_, value=TESTS_OF_INTEGERS[function])
            # Of the shape of the operand: neither branch shows, only the shape does.
            return apply("where", (apply("eq", (args[0], args[0])), answer, answer))
        if function in IDENTITY_ON_INTEGERS:
            return args[0]
    return apply(function, args)
