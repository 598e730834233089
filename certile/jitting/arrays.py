"""The arrays that a jitted function computes with: they have shapes and dtypes, and no values yet.

In: operators, methods and indices of the function's body.  Out: expressions of
`certile.jitting.graph`.  Decides what is a view and what writes in place, both as NumPy does.
Leaves carrying out NumPy's functions to those that the run brings
(`certile.jitting.functions`), which are made of these arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, SupportsIndex, cast

import numpy as np

from certile.diagnostics import KernelError, with_article
from certile.frontend.dtype_names import dtype_of
from certile.ir.array_types import numpy_dtype
from certile.ir.dtypes import DType
from certile.ir.functions import COMPARISONS
from certile.jitting import windows
from certile.jitting.graph import Constant, Node, Update, convert, view
from certile.jitting.promotion import Operand, as_dtype, computed
from certile.jitting.trace import Cell, Trace, current, fault
from certile.jitting.windows import Shape, Window

__all__ = [
    "PRODUCTS",
    "SymbolicArray",
    "apply",
    "checked",
    "converted",
    "named_dtype",
    "of_node",
    "operand_of",
    "require_same_kind",
]

_CONTROL = "use np.where, np.maximum or np.clip, or pass a number of the function as an int"
PRODUCTS = "compute matrix products outside, or as a sum over an axis: (x[:, :, None] * y).sum(1)"
_RANKS = {"bool": 0, "uint": 1, "int": 2, "float": 3}


class SymbolicArray:
    """An array of a jitted function: a window on a cell.

    `weak` marks a Python float of the call and what is computed of such floats alone; `fixed` a
    view that is not written through, as of an array that is repeated.
    """

    __slots__ = ("_cell", "_window", "fixed", "weak")
    __hash__ = object.__hash__

    def __init__(
        self,
        cell: Cell,
        window: Window | None = None,
        *,
        weak: bool = False,
        fixed: bool = False,
    ) -> None:
        self._cell = cell
        self._window = windows.whole(cell.shape) if window is None else window
        self.weak = weak
        self.fixed = fixed

    # ---- what it is

    @property
    def shape(self) -> Shape:
        """The extents, as integers."""
        return self._window.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements, as NumPy's."""
        return numpy_dtype(self._cell.dtype.name)

    @property
    def kind(self) -> DType:
        """The dtype of the elements, as the compiler's."""
        return self._cell.dtype

    @property
    def trace(self) -> Trace:
        """The run that it belongs to."""
        return self._cell.trace

    @property
    def parameter(self) -> int | None:
        """Which argument of the call this is, whole and as it came; None if it is none."""
        whole = self._window.is_whole(self._cell.shape)
        return self._cell.parameter if whole else None

    def node(self) -> Node:
        """Return what the array is now.

        Raises `KernelError` K050 after the call that the array belongs to.
        """
        if self.trace is not current():
            hint = "keep no arrays of a jitted function: return them"
            raise fault("K050", "an array outlived the call that it belongs to", hint=hint)
        self.trace.read(self._cell)
        return view(self._cell.value, self._window)

    def seen(self, window: Window) -> SymbolicArray:
        """Return a view, which shares this array's memory."""
        fixed = self.fixed or window.repeats
        return SymbolicArray(self._cell, self._window.then(window), weak=self.weak, fixed=fixed)

    def write(self, value: object) -> None:
        """Replace the elements, repeated and converted as NumPy's assignment does.

        Raises `KernelError` K053 for an array that is repeated.
        """
        if self.fixed:
            hint = "copy it first, or write to what it repeats"
            raise fault("K053", "a repeated array is written to", hint=hint)
        operand = operand_of(value)
        node = checked(as_dtype, operand, self.kind)
        trimmed = _trimmed(node.shape, self.shape)
        node = view(node, checked(windows.reshaped, node.shape, trimmed))
        node = view(node, checked(windows.repeated, trimmed, self.shape))
        cell = self._cell
        cell.trace.write(cell)
        backwards = self._window.inverse(cell.shape)
        if backwards is not None:
            cell.value = view(node, backwards)
            return
        cell.value = Update(
            shape=cell.shape,
            dtype=cell.dtype,
            base=cell.value,
            window=self._window,
            value=node,
        )

    # ---- indices and views

    def __getitem__(self, index: object) -> SymbolicArray:
        window = _index(self.shape, index)
        items = index if isinstance(index, tuple) else (index,)
        if not window.shape and Ellipsis not in items and self.shape:
            # A single element is a scalar of NumPy, which later writes do not change.
            return of_node(view(self.node(), window))
        return self.seen(window)

    def __setitem__(self, index: object, value: object) -> None:
        self.seen(_index(self.shape, index)).write(value)

    @property
    def T(self) -> SymbolicArray:  # noqa: N802 - NumPy's name
        """The array with its axes in reverse order, a view."""
        return self.transpose()

    def transpose(self, *axes: Any) -> SymbolicArray:  # noqa: ANN401 - as NumPy takes them
        """Return a view with its axes in another order."""
        turned: SymbolicArray
        method = self.trace.functions.METHODS["transpose"]
        turned = method(self, axes[0] if len(axes) == 1 else axes or None)
        return turned

    def __pos__(self) -> SymbolicArray:
        return of_node(self.node(), weak=self.weak)

    def __round__(self, decimals: int = 0) -> SymbolicArray:
        made: SymbolicArray = self.round(decimals)
        return made

    def __matmul__(self, other: object) -> NoReturn:
        raise fault("K050", "@ in a jitted function", hint=PRODUCTS)

    __rmatmul__ = __matmul__

    def __len__(self) -> int:
        if not self.shape:
            raise fault("K003", "an array without axes has no length", hint="use its value")
        return self.shape[0]

    # ---- what needs values, which there are none of

    def __bool__(self) -> bool:
        raise fault("K002", "the truth value of an array is not known yet", hint=_CONTROL)

    def __int__(self) -> int:
        raise self._no_number("an int")

    def __index__(self) -> int:
        raise self._no_number("an index or a count")

    def __float__(self) -> float:
        raise self._no_number("a float")

    def __complex__(self) -> complex:
        raise self._no_number("a complex number")

    def __iter__(self) -> NoReturn:
        raise fault(
            "K003",
            "a loop over the elements of an array",
            hint="write the loop's body for whole arrays, or loop over range(len(x))",
        )

    def __array__(self, *args: object, **options: object) -> NoReturn:
        """Refuse to be made into values by NumPy."""
        raise fault("K003", "NumPy asks for the values of an array", hint=_CONTROL)

    def __dlpack__(self, **options: object) -> NoReturn:
        """Refuse to be handed to kernels and to other libraries, which want memory."""
        hint = "call kernels and other libraries outside, or write this in NumPy's terms"
        raise fault("K003", "the memory of an array is asked for, which has none yet", hint=hint)

    __dlpack_device__ = __dlpack__

    def _no_number(self, what: str) -> KernelError:
        hint = "stay with arrays; x.astype(dtype) converts, x.shape and x.size are integers"
        return fault("K003", f"an array as {what}", hint=hint)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a method of NumPy's arrays
        """Find a method of NumPy's arrays; refuse one that jitted functions lack by its name."""
        if name.startswith("_"):
            raise AttributeError(name)
        functions = self.trace.functions
        method = functions.METHODS.get(name)
        if method is None:
            raise fault("K050", f"arrays of a jitted function have no {name}")
        return lambda *args, **options: functions.carry_out(
            f".{name}", method, (self, *args), options
        )

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> Any:  # noqa: ANN401 - an array, or a tuple
        """Carry out a function of NumPy's on single elements."""
        return self.trace.functions.ufunc(ufunc.__name__, method, inputs, options)

    def __array_function__(
        self,
        function: Any,  # noqa: ANN401 - any of NumPy's
        types: object,
        args: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:  # noqa: ANN401 - what the function gives
        """Carry out another function of NumPy's."""
        return self.trace.functions.function(function, args, options)

    @classmethod
    def __torch_function__(
        cls,
        function: Any,  # noqa: ANN401 - any of PyTorch's
        types: object,
        args: object = (),
        kwargs: object = None,
    ) -> NoReturn:
        """Refuse PyTorch's functions by name."""
        name = getattr(function, "__name__", "function")
        raise fault("K050", f"torch.{name} in a jitted function", hint="use NumPy's function")


def apply(function: str, *values: object) -> SymbolicArray:
    """Return a function of the table on arrays and numbers."""
    operands = [operand_of(value) for value in values]
    made = checked(computed, function, operands)
    assert isinstance(made.value, Node)
    return of_node(made.value, weak=made.weak)


def of_node(node: Node, *, weak: bool = False) -> SymbolicArray:
    """Return an array with memory of its own."""
    trace = current()
    assert trace is not None
    return SymbolicArray(Cell(trace, node), weak=weak)


def operand_of(value: object) -> Operand:
    """Return what may stand in an expression; raises `KernelError` K010 for anything else."""
    if isinstance(value, SymbolicArray):
        return Operand(value.node(), value.weak)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        # NumPy hands its own scalars on as arrays without axes.
        value = value[()]
    if isinstance(value, np.generic):
        dtype = dtype_of(value.dtype)
        if dtype is not None:
            return Operand(Constant(shape=(), dtype=dtype, value=value.item()))
    if isinstance(value, bool | int | float):
        return Operand(value)
    hint = "pass arrays as arguments of the function"
    raise fault("K010", f"{with_article(type(value).__name__)} beside an array", hint=hint)


def named_dtype(item: object) -> DType:
    """Return the dtype that a person named; what NumPy understands means what NumPy says.

    That is the case for "i8", 64 bits, and for Python's own types.
    """
    found = None
    if isinstance(item, str) or item in (bool, int, float):
        try:
            found = dtype_of(np.dtype(cast(Any, item)))
        except TypeError:
            found = dtype_of(item)
    else:
        found = dtype_of(item)
    if found is None:
        raise fault("K030", f"{item!r} is not a dtype", hint="use NumPy's, such as np.float32")
    return found


def converted(array: SymbolicArray, dtype: DType) -> SymbolicArray:
    """Return the elements in a dtype, with memory of their own."""
    return of_node(convert(array.node(), dtype))


def checked(make: Callable[..., Any], *args: object, **options: object) -> Any:  # noqa: ANN401 - what `make` gives
    """Return what `make` gives; its `ValueError` becomes an error at the function's line."""
    try:
        return make(*args, **options)
    except KernelError:
        raise
    except ValueError as error:
        raise fault("K053", str(error)) from None


def _index(shape: Shape, index: object) -> Window:
    for item in index if isinstance(index, tuple) else (index,):
        plain = item is None or item is Ellipsis or _is_slice(item) or _is_integer(item)
        if not plain:
            array = isinstance(item, SymbolicArray)
            shown = "an array" if array else with_article(type(item).__name__)
            hint = "use integers, slices, None and ...; np.where selects by a condition"
            raise fault("K052", f"an index that is {shown}", hint=hint)
    window: Window = checked(windows.indexed, shape, index)
    return window


def _is_integer(item: object) -> bool:
    known = isinstance(item, SupportsIndex) and not isinstance(item, bool | np.bool_)
    return known and not isinstance(item, SymbolicArray | np.ndarray)


def _is_slice(item: object) -> bool:
    if not isinstance(item, slice):
        return False
    bounds = (item.start, item.stop, item.step)
    return all(bound is None or _is_integer(bound) for bound in bounds)


def _trimmed(shape: Shape, wanted: Shape) -> Shape:
    """Return the shape of an assigned value less leading axes of one element, as NumPy allows."""
    extra = max(0, len(shape) - len(wanted))
    return shape[extra:] if all(n == 1 for n in shape[:extra]) else shape


def _binary(function: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def forward(self: SymbolicArray, other: object) -> Any:  # noqa: ANN401 - NotImplemented, too
        return self.trace.functions.operator(function, self, other)

    def backward(self: SymbolicArray, other: object) -> Any:  # noqa: ANN401 - NotImplemented, too
        return self.trace.functions.operator(function, other, self)

    return forward, backward


def _in_place(function: str) -> Callable[..., SymbolicArray]:
    def assigned(self: SymbolicArray, other: object) -> SymbolicArray:
        made: SymbolicArray = self.trace.functions.operator(function, self, other)
        if self.weak or (not self.shape and self.parameter is None):
            # Numbers of Python and NumPy are not changed; the name stands for another.
            return made
        require_same_kind(made, self.kind)
        self.write(made)
        return self

    return assigned


def require_same_kind(value: SymbolicArray, dtype: DType) -> None:
    """Refuse what NumPy refuses to write: a float into integers, an integer into truth values."""
    if not value.weak and _RANKS[value.kind.kind] <= _RANKS[dtype.kind]:
        return
    if value.weak and dtype.is_float:
        return
    message = f"{value.kind} results are written to an array of {dtype}"
    raise fault("K011", message, hint="convert them first, by .astype")


_OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floordiv",
    "mod": "mod",
    "pow": "pow",
    "and": "bit_and",
    "or": "bit_or",
    "xor": "bit_xor",
    "lshift": "shl",
    "rshift": "shr",
}
_UNARY = {"neg": "neg", "abs": "abs", "invert": "bit_not"}


def _unary(function: str) -> Callable[[SymbolicArray], Any]:
    return lambda self: self.trace.functions.operator(function, self)


for _name, _function in _OPERATORS.items():
    _forward, _backward = _binary(_function)
    setattr(SymbolicArray, f"__{_name}__", _forward)
    setattr(SymbolicArray, f"__r{_name}__", _backward)
    setattr(SymbolicArray, f"__i{_name}__", _in_place(_function))
for _name in sorted(COMPARISONS):
    setattr(SymbolicArray, f"__{_name}__", _binary(_name)[0])
for _name, _function in _UNARY.items():
    setattr(SymbolicArray, f"__{_name}__", _unary(_function))
