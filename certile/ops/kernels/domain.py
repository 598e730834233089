"""What every kernel of this package begins with: its rows, its columns and its arithmetic type.

In: a view whose first `kept` dimensions count rows; the others are reduced or normalised.  Out:
axes, coordinates and widened tiles.  Decides that real numbers are computed in f32, or in f64 where
the input or a result is f64.
Leaves the arrangement of a caller's array as such a view to `certile.ops.layout`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import certile as ct
from certile.language.values import Axis, Extent, Indexed, Tile

Axes = tuple[Axis, ...]


def rows_and_columns(x: Indexed, kept: int) -> tuple[Axes, Axes]:
    """Return the row axes of `x`, its first `kept` dimensions, and the axes of the others."""
    axes = tuple(ct.axis(f"{_kind(i, kept)}", extent) for i, extent in enumerate(x.shape))
    return axes[:kept], axes[kept:]


def _kind(dimension: int, kept: int) -> str:
    name, at = ("rows", dimension) if dimension < kept else ("cols", dimension - kept)
    return name if at == 0 else f"{name}{at}"


def each(rows: Axes) -> Iterator[tuple[Tile, ...]]:
    """Run the loop's body for every row; the coordinates are a tuple, also of one."""
    for row in ct.parallel(*rows):
        yield row if isinstance(row, tuple) else (row,)


def wide(tile: Tile, *results: Indexed) -> Tile:
    """Return the tile in the type that real arithmetic uses for it and the results."""
    dtypes = (tile.dtype, *(view.dtype for view in results))
    return ct.cast(tile, computed_in(*map(str, dtypes)))


def computed_in(*dtypes: str) -> str:
    """Return the type that real arithmetic uses: f64 if one of the types is, else f32."""
    return "f64" if "f64" in dtypes else "f32"


def element(tile: Tile, y: Indexed) -> Tile:
    """Return a reduced element as `y` holds it: a truth value was reduced as an integer."""
    return tile != 0 if y.dtype == ct.bool_ else tile


def count(cols: Axes) -> Extent | int:
    """Return the number of elements a row has; a single extent stays symbolic."""
    return cols[0].extent if len(cols) == 1 else prod(int(axis.extent) for axis in cols)
