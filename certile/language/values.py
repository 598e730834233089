"""The things a kernel handles: tiles, views, axes, extents and carried values.

In: nothing.  Out: the classes that a kernel author annotates with and calls methods of.  Decides
signatures and operators.  Leaves every meaning to the active trace: a method passes itself on.

A tile broadcasts by the identity of its axes.  A Python number is weak: it takes the tile's dtype
unless that cannot hold its kind (`i32 * 0.5` is f32).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Union

from certile.language.active import call

Number = bool | int | float
Element = Union["Tile", "Extent", Number]
Index = Union["Tile", "Axis", "Extent", int]
Bounds = Literal["zero", "assume"]


class Tile:
    """A value with one element for each point of its axes; without axes, a scalar.

    Arithmetic and comparisons are element-wise.  A tile has no truth value: use `ct.where`, `&`,
    `|` and `~`.  `//` and `%` floor as Python's do, `/` is true division.
    """

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: object, **options: object) -> Any:
        """Take over NumPy's operators, as in `np.float32(2) * tile`; others are refused by name."""
        return call("numpy_function", ufunc.__name__, method, inputs, options)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements, such as `ct.f32`."""
        return call("tile_dtype", self)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes the tile spans, outermost first."""
        axes: tuple[Axis, ...] = call("tile_axes", self)
        return axes

    def _map(self, function: str, *operands: object) -> Tile:
        made: Tile = call("elementwise", function, *operands)
        return made

    def __add__(self, other: Element) -> Tile:
        return self._map("add", self, other)

    def __radd__(self, other: Element) -> Tile:
        return self._map("add", other, self)

    def __sub__(self, other: Element) -> Tile:
        return self._map("sub", self, other)

    def __rsub__(self, other: Element) -> Tile:
        return self._map("sub", other, self)

    def __mul__(self, other: Element) -> Tile:
        return self._map("mul", self, other)

    def __rmul__(self, other: Element) -> Tile:
        return self._map("mul", other, self)

    def __truediv__(self, other: Element) -> Tile:
        return self._map("div", self, other)

    def __rtruediv__(self, other: Element) -> Tile:
        return self._map("div", other, self)

    def __floordiv__(self, other: Element) -> Tile:
        return self._map("floordiv", self, other)

    def __rfloordiv__(self, other: Element) -> Tile:
        return self._map("floordiv", other, self)

    def __mod__(self, other: Element) -> Tile:
        return self._map("mod", self, other)

    def __rmod__(self, other: Element) -> Tile:
        return self._map("mod", other, self)

    def __pow__(self, other: Element) -> Tile:
        return self._map("pow", self, other)

    def __rpow__(self, other: Element) -> Tile:
        return self._map("pow", other, self)

    def __and__(self, other: Element) -> Tile:
        return self._map("bit_and", self, other)

    def __rand__(self, other: Element) -> Tile:
        return self._map("bit_and", other, self)

    def __or__(self, other: Element) -> Tile:
        return self._map("bit_or", self, other)

    def __ror__(self, other: Element) -> Tile:
        return self._map("bit_or", other, self)

    def __xor__(self, other: Element) -> Tile:
        return self._map("bit_xor", self, other)

    def __rxor__(self, other: Element) -> Tile:
        return self._map("bit_xor", other, self)

    def __lshift__(self, other: Element) -> Tile:
        return self._map("shl", self, other)

    def __rlshift__(self, other: Element) -> Tile:
        return self._map("shl", other, self)

    def __rshift__(self, other: Element) -> Tile:
        return self._map("shr", self, other)

    def __rrshift__(self, other: Element) -> Tile:
        return self._map("shr", other, self)

    def __neg__(self) -> Tile:
        return self._map("neg", self)

    def __pos__(self) -> Tile:
        return self

    def __abs__(self) -> Tile:
        return self._map("abs", self)

    def __invert__(self) -> Tile:
        return self._map("bit_not", self)

    # A comparison of tiles is a tile, which `object` does not foresee.
    def __eq__(self, other: Element) -> Tile:  # type: ignore[override]
        return self._map("eq", self, other)

    def __ne__(self, other: Element) -> Tile:  # type: ignore[override]
        return self._map("ne", self, other)

    def __lt__(self, other: Element) -> Tile:
        return self._map("lt", self, other)

    def __le__(self, other: Element) -> Tile:
        return self._map("le", self, other)

    def __gt__(self, other: Element) -> Tile:
        return self._map("gt", self, other)

    def __ge__(self, other: Element) -> Tile:
        return self._map("ge", self, other)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return bool(call("refuse_truth", self))

    def __int__(self) -> int:
        return int(call("refuse_number", self, "an int"))

    def __index__(self) -> int:
        return int(call("refuse_number", self, "an index of a Python sequence"))

    def __float__(self) -> float:
        return float(call("refuse_number", self, "a float"))

    def __len__(self) -> int:
        return int(call("refuse_number", self, "a length"))

    def __iter__(self) -> Any:
        return call("refuse_number", self, "a sequence")

    def __getattr__(self, name: str) -> Any:
        # Libraries and Python itself ask for such names to see what they have before them.
        if name.startswith("_"):
            raise AttributeError(name)
        return call("refuse_attribute", self, name)

    def __getitem__(self, at: object) -> Any:
        return call("refuse_attribute", self, "element by number")

    def __setitem__(self, at: object, value: object) -> None:
        call("refuse_attribute", self, "element to assign to")

    def __matmul__(self, other: object) -> Any:
        return call("refuse_attribute", self, "product of matrices")

    __rmatmul__ = __matmul__

    @classmethod
    def __torch_function__(
        cls, function: Any, types: object, args: object = (), kwargs: object = None
    ) -> Any:
        """Refuse PyTorch's functions by name."""
        return call("refuse_function", f"torch.{function.__name__}")


class _Valueless:
    """What a kernel handles but cannot compute with: every operator on it raises and says why."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None

    __hash__ = object.__hash__

    def _refuse(self, other: object = None, /) -> Any:
        return call("elementwise", "add", self, 0)

    # Identity would be an answer that nobody asked for: `view == 0` is meant element-wise.
    def __eq__(self, other: object, /) -> Any:
        return self._refuse()

    def __ne__(self, other: object, /) -> Any:
        return self._refuse()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __pow__ = __rpow__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refuse
    __neg__ = __abs__ = __invert__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


class Axis(_Valueless):
    """A dimension with an identity of its own: two axes of one extent are still two."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name given to `ct.axis`, for people only."""
        raise NotImplementedError

    @property
    def extent(self) -> Extent | int:
        """The number of coordinates along the axis."""
        raise NotImplementedError

    def __iter__(self) -> Any:
        return call("refuse_iteration", self)


class Extent:
    """The length of one dimension of a view, `x.shape[i]`; its value is known at launch.

    As the extent of an axis, or with tiles, it stays symbolic.  Python arithmetic with it, a
    comparison, `int()`, `range()` or a branch takes the value of the call and specialises the
    kernel to it.
    """

    __slots__ = ()

    def _with(self, function: str, left: object, right: object) -> Any:
        return call("extent_arithmetic", function, left, right)

    def __add__(self, other: Element) -> Any:
        return self._with("add", self, other)

    def __radd__(self, other: Element) -> Any:
        return self._with("add", other, self)

    def __sub__(self, other: Element) -> Any:
        return self._with("sub", self, other)

    def __rsub__(self, other: Element) -> Any:
        return self._with("sub", other, self)

    def __mul__(self, other: Element) -> Any:
        return self._with("mul", self, other)

    def __rmul__(self, other: Element) -> Any:
        return self._with("mul", other, self)

    def __truediv__(self, other: Element) -> Any:
        return self._with("div", self, other)

    def __rtruediv__(self, other: Element) -> Any:
        return self._with("div", other, self)

    def __floordiv__(self, other: Element) -> Any:
        return self._with("floordiv", self, other)

    def __rfloordiv__(self, other: Element) -> Any:
        return self._with("floordiv", other, self)

    def __mod__(self, other: Element) -> Any:
        return self._with("mod", self, other)

    def __rmod__(self, other: Element) -> Any:
        return self._with("mod", other, self)

    def __eq__(self, other: object) -> Any:
        return self._with("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return self._with("ne", self, other)

    def __lt__(self, other: Element) -> Any:
        return self._with("lt", self, other)

    def __le__(self, other: Element) -> Any:
        return self._with("le", self, other)

    def __gt__(self, other: Element) -> Any:
        return self._with("gt", self, other)

    def __ge__(self, other: Element) -> Any:
        return self._with("ge", self, other)

    def __hash__(self) -> int:
        return hash(int(self))

    def __neg__(self) -> int:
        return -int(self)

    def __bool__(self) -> bool:
        return int(self) != 0

    def __int__(self) -> int:
        return int(call("extent_value", self))

    def __index__(self) -> int:
        return int(self)

    def __float__(self) -> float:
        return float(int(self))


class Coord:
    """Where a rectangle of a view begins: one index a dimension.  Made by `ct.coord`."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Index, ...]) -> None:
        self.items = items


class Shape:
    """What a rectangle spans: an axis a dimension, or 1.  Made by `ct.shape`."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Axis | Extent | int, ...]) -> None:
        self.items = items


class Place:
    """A rectangle of a view or of placed memory, to load from or to store to."""

    __slots__ = ()

    def load(self) -> Tile:
        """Read the elements now: later stores do not change the tile."""
        loaded: Tile = call("load", self)
        return loaded

    def store(self, value: Element) -> None:
        """Write the tile, converted to the memory's dtype."""
        call("store", self, value)


class Indexed(_Valueless):
    """Memory that is read and written by index."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[Extent | int, ...]:
        """The extents, one a dimension."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def __getitem__(self, index: Index | tuple[Index, ...]) -> Tile:
        return self.tile(index).load()

    def __setitem__(self, index: Index | tuple[Index, ...], value: Element) -> None:
        call("store", self.tile(index), value)

    def tile(
        self,
        coord: Coord | Index | tuple[Index, ...],
        shape: Shape | tuple[Axis | int, ...] | None = None,
        *,
        bounds: Bounds | None = None,
        fill: Element | None = None,
    ) -> Place:
        """Return the rectangle that begins at `coord` and spans `shape`.

        Without `shape` each dimension is just what its index spans: an axis spans itself.  An
        index that may leave the memory is an error, unless `bounds="zero"` masks it (loads give
        `fill`, 0 by default, and stores write nothing there) or `bounds="assume"` vouches for it.
        """
        place: Place = call("place", self, coord, shape, bounds=bounds, fill=fill)
        return place

    def __iter__(self) -> Any:
        return call("refuse_number", self, "a sequence")

    def __len__(self) -> int:
        return int(call("refuse_number", self, "a length"))

    def __bool__(self) -> bool:
        return bool(call("refuse_truth", self))


class Memory(Indexed):
    """Memory placed by `ct.memory`, one array for each instance of the enclosing `parallel`."""

    __slots__ = ()


class Carry(_Valueless):
    """A value that a `serial` loop hands from one iteration to the next.  Made by `ct.carry`."""

    __slots__ = ()

    @property
    def value(self) -> Tile:
        """The value here: in a loop, what the previous iteration left."""
        held: Tile = call("carry_read", self)
        return held

    @value.setter
    def value(self, value: Element) -> None:
        call("carry_write", self, value)
