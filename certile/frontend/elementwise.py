"""Element-wise functions on traced values: promotion, constants and conversions.

In: tiles, extents and numbers.  Out: `Map`, `Cast`, `Bitcast` and `Const` nodes whose operands have
one dtype.  Decides how weak numbers take a dtype and which functions are the identity on integers.
Leaves what a function computes to `certile.ir.functions`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from certile.diagnostics import shown_number, with_article
from certile.frontend.dtype_names import NAMES, dtype_of
from certile.frontend.handles import AxisHandle, CarryHandle, ExtentHandle, TileHandle
from certile.frontend.spec import Weak
from certile.frontend.state import State
from certile.ir.build import rounded
from certile.ir.dtypes import (
    DType,
    arithmetic,
    bool_,
    f16,
    f32,
    f64,
    highest,
    i32,
    lowest,
    of_scalar,
    promote,
    weak,
)
from certile.ir.functions import (
    COUNTS_BOOLS,
    FUNCTIONS,
    IDENTITY_ON_INTEGERS,
    TESTS_OF_INTEGERS,
)
from certile.ir.tile import Bitcast, Broadcast, Cast, Const, ExtentValue, Map
from certile.ir.tile import Tile as IrTile
from certile.ir.types import Axis as IrAxis
from certile.ir.types import TileType, join_axes
from certile.language.values import Indexed
from certile.records import record

Number = bool | int | float

# A number of each kind that is weak.
EXEMPLARS: dict[Weak, Number] = {"bool": True, "int": 0, "float": 0.0}

_WITHOUT_NAN = {"fmax": "maximum", "fmin": "minimum"}

# The functions behind NumPy's operators, by their names in the table of functions.
NUMPY_OPERATORS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "bitwise_and": "bit_and",
    "bitwise_or": "bit_or",
    "bitwise_xor": "bit_xor",
    "left_shift": "shl",
    "right_shift": "shr",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
}


@record
class Operand:
    """A value on its way into a node: a node, or a number without a dtype yet."""

    node: IrTile | None
    number: Number | None
    weak: Weak | None

    @property
    def natural(self) -> DType:
        """The dtype it has, or takes when only weak values meet."""
        if self.node is not None:
            return self.node.dtype
        assert self.number is not None
        return of_scalar(self.number)


def elementwise(state: State, function: str, *operands: object) -> TileHandle:
    """Build the function of the table named `function`."""
    if function == "pow" and len(operands) == 2 and type(operands[1]) is int and operands[1] == 2:
        return elementwise(state, "mul", operands[0], operands[0])
    lifted = tuple(lift(state, operand) for operand in operands)
    settled = _settle_where(state, lifted) if function == "where" else None
    args = settled or _settle_all(state, function, lifted)
    result_weak = _common_weakness(lifted) if FUNCTIONS[function].rule != "bool" else None
    return state.tile(_build(state, function, args), result_weak)


def numpy_function(
    state: State, name: str, method: str, inputs: Sequence[object], options: object
) -> TileHandle:
    """Carry out an operator that NumPy was asked for; raises `KernelError` K010 for a function."""
    function = NUMPY_OPERATORS.get(name)
    if function is not None and method == "__call__" and not options:
        # NumPy hands its own scalars on as arrays of rank 0.
        items = [x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs]
        return elementwise(state, function, *items)
    hint = f"use ct.{name}" if name in FUNCTIONS else "use the functions of the language"
    raise state.fault("K010", f"np.{name} does not compute with tiles", hint=hint)


def cast(state: State, x: object, dtype: object) -> TileHandle:
    """Convert to the dtype that `dtype` names; a number becomes a constant of it."""
    return state.tile(convert(state, lift(state, x), named_dtype(state, dtype)))


def bitcast(state: State, x: object, dtype: object) -> TileHandle:
    """Read the bits as another dtype of the same width.

    Raises `KernelError` K011 where the widths differ.
    """
    target = named_dtype(state, dtype)
    node = as_node(state, lift(state, x))
    if node.dtype.bits != target.bits:
        message = f"the bits of {node.dtype} do not fill {target}"
        raise state.fault("K011", message, hint="bitcast keeps the width; use ct.cast to convert")
    if node.dtype == target:
        return state.tile(node)
    return state.tile(Bitcast(value=node, type=TileType(target, node.axes), loc=state.loc()))


def lift(state: State, value: object) -> Operand:
    """Take any value that may stand in an expression; raises `KernelError` K010 for another."""
    if isinstance(value, TileHandle):
        return Operand(state.use(value), None, value.weak)
    if isinstance(value, bool):
        return Operand(None, value, "bool")
    if isinstance(value, np.generic):
        return _lift_numpy(state, value)
    if isinstance(value, int):
        return Operand(None, value, "int")
    if isinstance(value, float):
        return Operand(None, value, "float")
    if isinstance(value, ExtentHandle):
        return Operand(ExtentValue(extent=value.dim, loc=state.loc()), None, "int")
    raise _not_a_value(state, value)


def as_node(state: State, operand: Operand) -> IrTile:
    """Return the operand as a node of its natural dtype."""
    return convert(state, operand, operand.natural)


def convert(state: State, operand: Operand, dtype: DType) -> IrTile:
    """Return the operand as a node of `dtype`."""
    if operand.node is None:
        assert operand.number is not None
        return constant(state, operand.number, dtype)
    return cast_node(state, operand.node, dtype)


def cast_node(state: State, node: IrTile, dtype: DType) -> IrTile:
    """Return the value as `dtype`; itself when it has it."""
    if node.dtype == dtype:
        return node
    return Cast(value=node, type=TileType(dtype, node.axes), loc=state.loc())


def constant(state: State, number: Number, dtype: DType) -> IrTile:
    """Return a constant rounded to `dtype`; raises `KernelError` K012 when it does not fit."""
    return Const(value=_rounded(state, number, dtype), type=TileType(dtype), loc=state.loc())


def spread(state: State, node: IrTile, axes: tuple[IrAxis, ...]) -> IrTile:
    """Return the value over exactly `axes`, in that order; it spans some of them."""
    if node.axes == axes:
        return node
    return Broadcast(value=node, type=TileType(node.dtype, axes), loc=state.loc())


def named_dtype(state: State, item: object) -> DType:
    """Return the dtype a person named; raises `KernelError` K030 for anything else."""
    found = dtype_of(item)
    if found is None:
        raise state.fault("K030", f"{item!r} is not a dtype", hint=f"use one of {NAMES}")
    return found


def common_dtype(operands: Sequence[Operand]) -> DType:
    """Return the dtype in which operands meet: the strong ones promote, the weak ones yield."""
    strong = [o.natural for o in operands if o.weak is None]
    if not strong:
        return functools.reduce(promote, (o.natural for o in operands))
    dtype = arithmetic(functools.reduce(promote, strong))
    for operand in operands:
        if operand.weak is not None:
            dtype = weak(dtype, EXEMPLARS[operand.weak])
    return dtype


def _build(state: State, function: str, args: tuple[IrTile, ...]) -> IrTile:
    """Build the node, or a simpler one that says the same for the operands' dtype."""
    dtype = args[0].dtype
    if not dtype.is_float:
        if function in TESTS_OF_INTEGERS:
            answer = constant(state, TESTS_OF_INTEGERS[function], bool_)
            return spread(state, answer, args[0].axes)
        unchanged = function == "abs" and not dtype.is_signed
        if function in IDENTITY_ON_INTEGERS or unchanged:
            return args[0]
        function = _WITHOUT_NAN.get(function, function)
    result = FUNCTIONS[function].result(tuple(arg.dtype for arg in args))
    axes = join_axes(*(arg.axes for arg in args))
    return Map(fn=function, args=args, type=TileType(result, axes), loc=state.loc())


def _settle_all(state: State, function: str, operands: tuple[Operand, ...]) -> tuple[IrTile, ...]:
    dtype = common_dtype(operands)
    rule = FUNCTIONS[function].rule
    if rule == "float" and not dtype.is_float:
        dtype = f32
    if dtype == bool_ and function in COUNTS_BOOLS:
        dtype = i32
    if rule == "integer" and dtype.is_float:
        shown = ", ".join(str(o.natural) for o in operands)
        message = f"ct.{function} works on bits, not on {shown}"
        raise state.fault("K011", message, hint="cast to an integer dtype first")
    return tuple(convert(state, operand, dtype) for operand in operands)


def _settle_where(state: State, operands: tuple[Operand, ...]) -> tuple[IrTile, ...]:
    condition = as_node(state, operands[0])
    if condition.dtype != bool_:
        message = f"the condition of ct.where is {condition.dtype}, not bool"
        raise state.fault("K011", message, hint="compare first, for example x != 0")
    dtype = common_dtype(operands[1:])
    return (condition, *(convert(state, operand, dtype) for operand in operands[1:]))


def _common_weakness(operands: Sequence[Operand]) -> Weak | None:
    kinds = [operand.weak for operand in operands]
    if None in kinds:
        return None
    ordered: tuple[Weak, ...] = ("float", "int", "bool")
    return next(kind for kind in ordered if kind in kinds)


def _lift_numpy(state: State, value: np.generic) -> Operand:
    dtype = dtype_of(value.dtype)
    if dtype is None:
        raise _not_a_value(state, value)
    return Operand(constant(state, value.item(), dtype), None, None)


def _rounded(state: State, number: Number, dtype: DType) -> Number:
    if dtype.is_float:
        try:
            return _nearest(float(number), dtype)
        except OverflowError as error:
            raise _unfit(state, number, dtype) from error
    if isinstance(number, float) and (not math.isfinite(number) or number != int(number)):
        raise _unfit(state, number, dtype)
    if not lowest(dtype) <= number <= highest(dtype):
        raise _unfit(state, number, dtype)
    return bool(number) if dtype == bool_ else int(number)


def _nearest(number: float, dtype: DType) -> float:
    """Round once, to nearest even; beyond the greatest finite value is what memory would hold."""
    if dtype == f64:
        return number
    with np.errstate(over="ignore", under="ignore"):
        if dtype == f32:
            return float(np.float32(number))
        if dtype == f16:
            return float(np.float16(number))
    return rounded(number, dtype)


def _unfit(state: State, number: Number, dtype: DType) -> Exception:
    message = f"{shown_number(number)} does not fit {dtype}"
    return state.fault("K012", message, hint="cast the tile to a wider dtype first")


def _not_a_value(state: State, value: object) -> Exception:
    if isinstance(value, Indexed):
        hint = "load from it first, for example x[r, cols]"
    elif isinstance(value, AxisHandle):
        hint = "use ct.iota(axis) for the coordinates along an axis"
    elif isinstance(value, CarryHandle):
        hint = "read its .value"
    else:
        hint = "use tiles, extents and Python numbers; pass arrays as arguments of the kernel"
    named = isinstance(value, Indexed | AxisHandle)
    shown = value if named else with_article(type(value).__name__)
    return state.fault("K010", f"{shown} is no value to compute with", hint=hint)
