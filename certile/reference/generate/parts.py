"""The larger parts of random programs: inputs, loops, chosen elements, memories, later launches.

In: a pool.  Out: more rows and scalars in it, or, at the end, stores.  Decides shapes and indices;
every index stays inside, by its range or by a mask.
"""

from __future__ import annotations

from certile.ir import laws
from certile.ir.build import dim
from certile.ir.dtypes import DType, bool_, f8e4m3, f8e5m2, f16, f32, i64
from certile.ir.layouts import BitLinear, Layout, row_major, strided
from certile.ir.tile import Tile, View
from certile.reference.generate.folds import reduction
from certile.reference.generate.pool import POLICIES, Pool
from certile.reference.generate.steps import step

_PLACED = (4, 8)
LAYOUTS: tuple[Layout | None, ...] = (
    None,
    row_major(_PLACED),
    strided(_PLACED, (1, 4)),
    strided(_PLACED, (9, 1)),
    BitLinear(_PLACED, ((8 + 1, 16 + 2), (1, 2, 4)), 32),
)


def inputs(pool: Pool) -> None:
    """Read the first input, and perhaps a weight, a residual, a mask, a bias and a number."""
    b = pool.b
    pool.wide.append(pool.load(pool.x, *pool.rows, pool.cols))
    if pool.often(0.5):
        weight = pool.view("weight", pool.one((pool.dtype, f32)), pool.extents[-1:])
        pool.wide.append(pool.load(weight, pool.cols))
    if pool.often(0.3):
        residual = pool.view("residual", pool.dtype, pool.extents)
        pool.wide.append(pool.load(residual, *pool.rows, pool.cols))
    if pool.often(0.3):
        keep = pool.view("keep", bool_, pool.extents[-1:])
        kept = b.load(keep, pool.cols)
        pool.wide.append(b.map("where", kept, pool.wide[0], False if _is_bool(pool) else 0))
    if pool.often(0.3):
        bias = pool.view("bias", f32, pool.extents[:-1])
        pool.scalars.append(b.load(bias, *pool.rows))
    if pool.often(0.2):
        pool.scalars.append(b.scalar("factor", f32))


def _is_bool(pool: Pool) -> bool:
    return pool.wide[0].dtype == bool_


def loop(pool: Pool) -> None:
    """A serial loop over planes of a further input, carrying a scalar, a row, or both."""
    b = pool.b
    source = pool.view("planes", f32, (pool.random.randint(0, 4), *pool.extents))
    axis = b.axis("plane", dim(source, 0))
    row = pool.often(0.6)
    starts = [b.cast(pool.last, f32)] if row else []
    if not row or pool.often(0.4):
        starts.append(b.const(1.0, f32))
    with b.serial(axis, carry=starts, step=pool.one((1, 1, 2))) as made:
        plane = b.load(source, axis, *pool.rows, pool.cols)
        after = []
        for before in made.carried:
            part = plane
            if not before.axes:
                part = b.reduce(plane, pool.cols, laws.ADD, policy="reproducible")
            after.append(b.map("sub", b.map("mul", before, 0.5), part))
        made.yields(*after)
    for result in made.results:
        if result.axes:
            pool.wide.append(result)
        else:
            pool.join(result)


def gather(pool: Pool) -> None:
    """An element of a row that another input chooses; outside the row there is a fill."""
    b = pool.b
    labels = pool.view("labels", i64, pool.extents[:-1])
    pool.ranges["labels"] = (-1, pool.extents[-1])
    tile = pool.one(pool.wide)
    fill = True if tile.dtype == bool_ else 3
    pool.join(b.gather(tile, b.load(labels, *pool.rows), pool.cols, fill))


def shuffled(pool: Pool) -> None:
    """A row of the first input in an order that another input gives, zero where that is outside."""
    b = pool.b
    order = pool.view("order", i64, pool.extents[-1:])
    pool.ranges["order"] = (-1, pool.extents[-1])
    place = b.load(order, pool.cols)
    inside = b.map("bit_and", b.map("ge", place, 0), b.map("lt", place, b.extent(pool.cols.extent)))
    pool.wide.append(b.load(pool.x, *pool.rows, place, mask=inside, fill=0))


def reversed_row(pool: Pool) -> None:
    """The first input read backwards, beside the last row."""
    b = pool.b
    last = b.map("sub", b.extent(pool.cols.extent), 1)
    place = b.map("sub", last, b.index(pool.cols))
    found = b.cast(b.load(pool.x, *pool.rows, place), pool.computed)
    pool.wide.append(b.map("maximum", found, pool.last))


def share(pool: Pool) -> None:
    """A computed row that two later ones read."""
    b = pool.b
    shared = b.map("add", pool.one(pool.wide), 1)
    total = b.reduce(shared, pool.cols, laws.ADD)
    pool.wide.append(b.map("mul", shared, b.map("sub", shared, total)))


def memory(pool: Pool) -> None:
    """A small matrix placed in memory by rows under some layout and read by columns."""
    b = pool.b
    source = pool.view("placed", f32, (*pool.extents[:-1], *_PLACED))
    rows, cols = (b.axis(name, size) for name, size in zip("pq", _PLACED, strict=True))
    held = b.memory("held", f32, (rows, cols), "worker", pool.one(LAYOUTS))
    b.store(held, (rows, cols), b.map("mul", b.load(source, *pool.rows, rows, cols), 0.5))
    turn = b.axis("turn", _PLACED[1])
    with b.serial(turn, carry=[b.const(0.0, f32)]) as made:
        column = b.reduce(b.load(held, rows, turn), rows, laws.MAXIMUM)
        made.yields(b.map("sub", b.map("mul", made.carried[0], 0.5), column))
    pool.join(made.results[0])


def stores(pool: Pool, count: int) -> View:
    """Store the last row, into which what was written first flows, then the last scalars."""
    b = pool.b
    tiles = [pool.last, *pool.scalars[:-3:-1]]
    made = []
    for number, tile in enumerate(tiles[:count]):
        shape = pool.extents if tile.axes else pool.extents[:-1]
        where = (*pool.rows, pool.cols) if tile.axes else pool.rows
        made.append(pool.view(f"y{number}", _stored(pool, tile), shape))
        b.store(made[-1], where, tile)
    return made[0]


def _stored(pool: Pool, tile: Tile) -> DType:
    """The dtype of an output: the tile's, or for some floats one that rounds."""
    if tile.dtype.is_float and pool.often(0.3):
        return pool.one((f32, f32, f16, f8e4m3, f8e5m2))
    return tile.dtype


def later_launch(pool: Pool, before: View) -> None:
    """A second launch, which reads what the first one stored."""
    b = pool.b
    rows = tuple(b.axis(f"again{k}", dim(before, k)) for k in range(before.rank - 1))
    cols = b.axis("along", dim(before, before.rank - 1))
    later = Pool(
        *(pool.random, b, before.dtype, pool.extents, before, rows, cols),
        shapes=pool.shapes,
        ranges=pool.ranges,
    )
    with b.parallel(*rows):
        later.wide.append(later.load(before, *rows, cols))
        step(later)
        reduction(later)
        b.store(pool.view("z", later.last.dtype, pool.extents), (*rows, cols), later.last)
        if later.scalars and pool.often(0.5):
            total = later.scalars[-1]
            b.store(pool.view("total", total.dtype, pool.extents[:-1]), rows, total)


def column_sums(pool: Pool, before: View) -> None:
    """A second launch with one program a column of what the first one stored."""
    b = pool.b
    axes = tuple(b.axis(f"over{k}", dim(before, k)) for k in range(before.rank))
    with b.parallel(axes[-1]):
        tile = b.cast(b.load(before, *axes), f32)
        total = b.reduce(tile, axes[:-1], laws.MAXIMUM, policy=pool.one(POLICIES))
        b.store(pool.view("columns", f32, pool.extents[-1:]), axes[-1], total)
