"""Expressions of a program as tiles.

In: expressions in normal form, what their variables and buffers mean at that point, the conditions
under which they are evaluated.  Out: tiles; loads become effects at the place where they stand.
Decides the type of every operation and that every index is inside its buffer, by the loops around
it or by a condition that it is evaluated under.  Integers are i64 here: TIRx gives no meaning to
an i32 that overflows.  Raises `NotShownError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from certile.analysis.bounds import check_bounds
from certile.ir import dtypes
from certile.ir.array_types import FULL_NAMES
from certile.ir.build import Builder
from certile.ir.dtypes import DType
from certile.ir.functions import COMPARISONS
from certile.ir.tile import Effect, Kernel, Load, Parallel, Serial, Tile, View
from certile.ir.types import Axis, TileType, join_axes
from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import (
    Apply,
    Buffer,
    Choice,
    Convert,
    Element,
    Expr,
    Number,
    Read,
    Variable,
)
from certile.tirx.recognition.storage import Storage

STORED: dict[str, DType] = {
    FULL_NAMES[dtype.name]: dtype
    for dtype in (dtypes.f32, dtypes.f16, dtypes.bf16, dtypes.i32, dtypes.i64, dtypes.bool_)
}
_INTEGERS = ("int32", "int64")
# An operation of 16 bits is rounded to them, here as there.
_FLOATS = ("float32", "float16", "bfloat16")
_LOGIC = {"and": "bit_and", "or": "bit_or", "not": "bit_not"}
_ON_INTEGERS = ("add", "sub", "mul", "floordiv", "mod", "maximum", "minimum", *COMPARISONS)
_NOT_ON_FLOATS = ("floordiv", "mod")

Guard = tuple[Tile, ...]


@dataclass
class Surroundings:
    """The loops around a statement: of the launch, of repetition, of elements, outermost first."""

    programs: tuple[Axis, ...]
    repeated: list[Axis] = field(default_factory=list)
    elements: list[tuple[int, Axis]] = field(default_factory=list)

    @property
    def axes(self) -> tuple[Axis, ...]:
        return tuple(axis for _, axis in self.elements)

    @property
    def loops(self) -> frozenset[int]:
        """The element loops that are open, each by its number."""
        return frozenset(number for number, _ in self.elements)


class Values:
    """Translates expressions where the statements have come to."""

    def __init__(
        self,
        builder: Builder,
        views: Mapping[Buffer, View],
        storage: Storage,
        variables: dict[Variable, Tile],
        around: Surroundings,
    ) -> None:
        self._b = builder
        self._views = views
        self._storage = storage
        self._variables = variables
        self._around = around
        self.loads: dict[tuple[object, ...], Tile] = {}

    def value(self, expr: Expr, guard: Guard = ()) -> Tile:
        """The tile that an expression is."""
        match expr:
            case Number(value=number):
                return self._b.const(number, meant(expr.dtype))
            case Read(variable=variable) if variable in self._variables:
                return self._variables[variable]
            case Read(variable=variable):
                raise NotShownError("control", f"{variable.name} has a value", "it is not in scope")
            case Element():
                return self._element(expr, guard)
            case Apply():
                return self._apply(expr, guard)
            case Convert():
                return self._convert(expr, guard)
            case Choice():
                return self._choice(expr, guard)
            case _:
                raise NotShownError(
                    "contribution", "every node is one the recogniser knows", expr.what
                )

    def indices(self, indices: Sequence[Expr], guard: Guard) -> tuple[Tile, ...]:
        """The places an access names, as i64."""
        for index in indices:
            if index.dtype not in _INTEGERS:
                raise NotShownError(
                    "contribution", "an index is an integer", f"one is {index.dtype}"
                )
        return tuple(self.value(index, guard) for index in indices)

    def every(self, guard: Guard) -> Tile | None:
        """The conjunction of conditions, or None without any."""
        made: Tile | None = None
        for condition in guard:
            made = condition if made is None else self._b.map("bit_and", made, condition)
        return made

    def forget(self, view: View) -> None:
        """A store to a view: what is loaded from it after is another snapshot."""
        self.loads = {key: load for key, load in self.loads.items() if key[0] != view.name}

    def _element(self, expr: Element, guard: Guard) -> Tile:
        buffer = expr.buffer
        if len(expr.indices) != len(buffer.shape):
            missing = f"{len(expr.indices)} indices into {len(buffer.shape)} dimensions"
            raise NotShownError("contribution", f"{buffer.name} has an index a dimension", missing)
        indices = self.indices(expr.indices, guard)
        if buffer in self._storage:
            self._mask(buffer, indices, guard)
            if buffer.is_scalar:
                return self._storage.scalar(buffer)
            return self._storage.element(buffer, indices, self._around.loops)
        view = self._views.get(buffer)
        if view is None:
            missing = "it belongs to no program"
            raise NotShownError("private_storage", f"{buffer.name} is in scope", missing)
        mask = self._mask(buffer, indices, guard)
        key = (view.name, indices, mask)
        if key not in self.loads:
            loaded = self._b.load(view, *indices, mask=mask, fill=None if mask is None else 0)
            self.loads[key] = loaded
        return self._as_meant(self.loads[key])

    def _as_meant(self, tile: Tile) -> Tile:
        return self._b.cast(tile, dtypes.i64) if tile.dtype == dtypes.i32 else tile

    def _mask(self, buffer: Buffer, indices: tuple[Tile, ...], guard: Guard) -> Tile | None:
        """None where the loops keep the indices inside, else the conditions that do."""
        if self._inside(buffer, indices, None):
            return None
        mask = self.every(guard)
        if mask is None or not self._inside(buffer, indices, mask):
            missing = "neither the loops around it nor a lazy condition bounds an index"
            raise NotShownError("guarded_views", f"a read of {buffer.name} is inside", missing)
        return mask

    def _inside(self, buffer: Buffer, indices: tuple[Tile, ...], mask: Tile | None) -> bool:
        """Whether an access is inside, judged as the checker judges a whole kernel."""
        view = View("buffer", dtypes.f32, len(indices))
        axes = join_axes(*(index.axes for index in indices), () if mask is None else mask.axes)
        step: Effect = Load(
            buffer=view, indices=indices, mask=mask, fill=None, type=TileType(dtypes.f32, axes)
        )
        for axis in reversed(self._around.repeated):
            step = Serial(axis=axis, step=1, inits=(), params=(), body=(step,), yields=())
        region = Parallel(over=self._around.programs, body=(step,))
        return not check_bounds(Kernel("inside", (view,), (), (region,)), {"buffer": buffer.shape})

    def _apply(self, expr: Apply, guard: Guard) -> Tile:
        found = {arg.dtype for arg in expr.args}
        if expr.fn in _LOGIC:
            if found != {"bool"}:
                raise _typed(expr.fn, found)
            return self._b.map(_LOGIC[expr.fn], *(self.value(arg, guard) for arg in expr.args))
        integers = found <= set(_INTEGERS) and expr.fn in _ON_INTEGERS
        floats = len(found) == 1 and found <= set(_FLOATS) and expr.fn not in _NOT_ON_FLOATS
        if not integers and not floats:
            raise _typed(expr.fn, found)
        if expr.fn in _NOT_ON_FLOATS and not _divides(expr.args[1]):
            claim = "an integer is divided by a constant that is not 0"
            raise NotShownError("contribution", claim, f"{expr.fn} by another value")
        return self._b.map(expr.fn, *(self.value(arg, guard) for arg in expr.args))

    def _convert(self, expr: Convert, guard: Guard) -> Tile:
        before, after = expr.value.dtype, expr.dtype
        value = self.value(expr.value, guard)
        if before == after or (before == "int32" and after == "int64"):
            return value
        if before == "int64" and after == "int32":
            return self._b.cast(self._b.cast(value, dtypes.i32), dtypes.i64)
        whole = before in _INTEGERS or before == "bool"
        real = before in _FLOATS
        if whole and after == "float32":
            return self._b.cast(value, dtypes.f32)
        if before == "bool" and after in _INTEGERS:
            return self._b.cast(value, dtypes.i64)
        if real and after in _FLOATS and "float32" in (before, after):
            return self._b.cast(value, STORED[after])
        raise _typed(f"conversion to {after}", {before})

    def _choice(self, expr: Choice, guard: Guard) -> Tile:
        if expr.condition.dtype != "bool" or expr.yes.dtype != expr.no.dtype:
            raise _typed("choice", {expr.condition.dtype, expr.yes.dtype, expr.no.dtype})
        condition = self.value(expr.condition, guard)
        # Without laziness both are evaluated, whatever the condition says.
        taken = (*guard, condition) if expr.lazy else guard
        other = (*guard, self._b.map("bit_not", condition)) if expr.lazy else guard
        yes, no = self.value(expr.yes, taken), self.value(expr.no, other)
        return self._b.map("where", condition, yes, no)


def meant(dtype: str) -> DType:
    """The type of a value that TIRx holds as `dtype`."""
    if dtype in _INTEGERS:
        return dtypes.i64
    if dtype not in STORED:
        raise NotShownError(
            "reduction_type", "every value has a type that is read", f"one is {dtype}"
        )
    return STORED[dtype]


def stored(buffer: Buffer) -> DType:
    """The type of a buffer's elements."""
    if buffer.dtype not in STORED:
        missing = f"{buffer.name} is {buffer.dtype}"
        raise NotShownError("reduction_type", "every buffer has a type that is read", missing)
    return STORED[buffer.dtype]


def _divides(expr: Expr) -> bool:
    return isinstance(expr, Number) and expr.value != 0


def _typed(what: str, found: set[str]) -> NotShownError:
    missing = f"{what} of {', '.join(sorted(found))}"
    return NotShownError(
        "reduction_type", "operations have operands of one type that is read", missing
    )
