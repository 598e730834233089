"""What a random program is drawn from: its builder, its axes, and the tiles written so far.

In: a source of random choices and a dtype.  Out: a `Pool` that the parts of the generator add rows
and scalars to.  Decides extents, names, and how a row comes to depend on a scalar.  Leaves to the
parts what is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from certile.ir.build import Builder, dim
from certile.ir.dtypes import DType, arithmetic, bool_, f32, i64
from certile.ir.tile import Policy, Tile, View
from certile.ir.types import Axis

Choice = TypeVar("Choice")

EXTENTS = (1, 2, 3, 5, 7, 15, 17, 31, 33, 63, 65, 97, 129, 255, 257)
POLICIES: tuple[Policy, ...] = (
    *("unordered_tree",) * 5,
    *("ordered_tree", "reproducible", "fold_left", "fold_right"),
)


@dataclass(slots=True)
class Pool:
    """Rows and scalars in the order they were written; the last row is the one that is stored.

    `dtype` is what the first input holds and `computed` what its values are computed in; `extents`
    are its lengths, rows first.  `ranges` limits integer inputs by name.
    """

    random: Random
    b: Builder
    dtype: DType
    extents: tuple[int, ...]
    x: View
    rows: tuple[Axis, ...]
    cols: Axis
    wide: list[Tile] = field(default_factory=list)
    scalars: list[Tile] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def start(cls, random: Random, b: Builder, dtype: DType) -> Pool:
        """Draw the shape of the first input and make the axes that read it."""
        lead = [random.randint(1, 6) for _ in range(random.choice((1, 1, 2)))]
        extents = (*lead, random.choice(EXTENTS))
        x = b.view("x", dtype, len(extents))
        rows = tuple(b.axis(f"row{k}", dim(x, k)) for k in range(len(lead)))
        cols = b.axis("cols", dim(x, len(lead)))
        return cls(random, b, dtype, extents, x, rows, cols, shapes={"x": extents})

    @property
    def computed(self) -> DType:
        """The dtype of the first input's values in arithmetic."""
        return arithmetic(self.dtype)

    @property
    def last(self) -> Tile:
        """The row written last."""
        return self.wide[-1]

    def often(self, share: float) -> bool:
        """True for that share of the draws."""
        return self.random.random() < share

    def one(self, choices: Sequence[Choice]) -> Choice:
        """One of the choices."""
        return self.random.choice(choices)

    def view(self, name: str, dtype: DType, shape: tuple[int, ...]) -> View:
        """Add an input or output of a shape."""
        self.shapes[name] = shape
        return self.b.view(name, dtype, len(shape))

    def load(self, view: View, *places: Axis) -> Tile:
        """Read a view, its elements in the dtype that they are computed in."""
        return self.b.cast(self.b.load(view, *places), arithmetic(view.dtype))

    def join(self, scalar: Tile) -> None:
        """Write a row that depends on the last one and on a scalar, which is kept too."""
        made = self.b.cast(scalar, f32) if scalar.dtype in (i64, bool_) else scalar
        self.scalars.append(made)
        self.wide.append(self._joined(self.last, made))

    def _joined(self, tile: Tile, scalar: Tile) -> Tile:
        b = self.b
        match self.random.randrange(5):
            case 0:
                return b.map("mul", tile, b.map("tanh", scalar))
            case 1:
                return b.map("div", tile, b.map("add", b.map("abs", scalar), 1.0))
            case 2:
                return b.map("maximum", tile, scalar)
            case _:
                return b.map("sub", tile, scalar)
