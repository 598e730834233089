"""Reductions, scans and sorts of random programs, under built-in laws and laws as a user writes.

In: a pool.  Out: more rows and scalars in it.  Decides laws and policies, and brings elements to
where the law's result means something.
"""

from __future__ import annotations

from certile.ir import laws
from certile.ir.build import dim
from certile.ir.dtypes import f32
from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app
from certile.ir.tile import Tile
from certile.reference.generate.pool import POLICIES, Pool

# Lines of a matrix: one, few, and more than lanes.
_HEIGHTS = (1, 2, 3, 7, 33)

# Laws as a user would write them: one that is not built in, one of two operands, one of two
# components, one whose order matters, one that is only a function to fold with.
LARGEST_SIZE = Law(
    name="largest_size",
    state=(Component("s"),),
    identity=(Lit(0),),
    lift=(app("abs", "x"),),
    merge=(app("maximum", "a.s", "b.s"),),
    finalize=(Var("s"),),
)
DOT = Law(
    name="dot",
    state=(Component("s"),),
    identity=(Lit(0),),
    lift=(app("mul", "x0", "x1"),),
    merge=(app("add", "a.s", "b.s"),),
    finalize=(Var("s"),),
    operands=2,
)
EXTREMES = Law(
    name="extremes",
    state=(Component("low"), Component("high")),
    identity=(Lit("highest"), Lit("lowest")),
    lift=(Var("x"), Var("x")),
    merge=(app("minimum", "a.low", "b.low"), app("maximum", "a.high", "b.high")),
    finalize=(Var("low"), Var("high")),
    results=("acc", "acc"),
)
# y = x0 * y + x1, one element after another: the composition of such maps.
RECURRENCE = Law(
    name="recurrence",
    state=(Component("k"), Component("y")),
    identity=(Lit(1), Lit(0)),
    lift=(Var("x0"), Var("x1")),
    merge=(app("mul", "a.k", "b.k"), app("add", app("mul", "b.k", "a.y"), "b.y")),
    finalize=(Var("y"),),
    operands=2,
    commutative=False,
)
MINUS = Law(
    name="minus",
    state=(Component("s"),),
    identity=None,
    lift=(Var("x"),),
    merge=(app("sub", "a.s", "b.s"),),
    finalize=(Var("s"),),
    commutative=False,
)

_OF_RANKS = (laws.TOP_VALUES, laws.BOTTOM_VALUES)
_OF_ALL = (
    *(laws.ADD, laws.ADD, laws.MAXIMUM, laws.MINIMUM, laws.ARGMAX, laws.ARGMIN, laws.ABSMAX),
    *(laws.ANY, laws.ALL, LARGEST_SIZE, DOT, EXTREMES),
    *_OF_RANKS,
)
_OF_FLOATS = (
    *(laws.ADD, laws.MEAN_VAR, laws.LOGSUMEXP, laws.MUL, laws.FMAX, laws.FMIN),
    *(laws.SOFTMAX_SUM, laws.SUM_VAR, laws.AFFINE, RECURRENCE),
)
_SCANNED = (laws.ADD, laws.ADD, laws.MAXIMUM, laws.MAXIMUM, laws.MINIMUM, LARGEST_SIZE)
_SCANNED_FLOATS = (laws.LOGSUMEXP, laws.MUL, RECURRENCE)


def reduction(pool: Pool) -> None:
    """Reduce a row; the last row then depends on every result, so that none is dead."""
    b = pool.b
    tile = pool.one([*pool.wide, pool.last])
    policy = pool.one(POLICIES)
    law = pool.one((*_OF_ALL, *_OF_FLOATS) if tile.dtype.is_float else _OF_ALL)
    if policy in ("fold_left", "fold_right") and pool.often(0.3):
        element = b.cast(tile, f32)
        start = b.const(0, element.dtype)
        found = b.reduce(element, pool.cols, MINUS, policy=policy, init=[start])
        law = MINUS
    else:
        if not law.commutative and policy in ("unordered_tree", "reproducible"):
            policy = "ordered_tree"
        found = b.reduce(_operands(pool, tile, law), pool.cols, law, policy=policy)
    for result in b.results(found) if len(law.results) > 1 else (found,):
        pool.join(_inside(pool, result) if law in _OF_RANKS else result)


def _inside(pool: Pool, result: Tile) -> Tile:
    """A float between two small numbers; a row of one element has no second one."""
    if not result.dtype.is_float:
        return result
    return pool.b.map("minimum", pool.b.map("maximum", result, -8.0), 8.0)


def _operands(pool: Pool, tile: Tile, law: Law) -> list[Tile]:
    """What a law reduces when one of its operands is to be `tile`."""
    b = pool.b
    if law == laws.MUL:
        # Factors near 1, so that a product of many is a number and no infinity.
        return [b.map("add", b.map("mul", b.map("tanh", tile), 0.0625), 1.0)]
    if law == RECURRENCE:
        # Factors that are numbers, and whose products stay so: the identity is one for no others.
        held = b.map("fmin", b.map("fmax", b.map("tanh", tile), -1.0), 1.0)
        factor = b.map("add", b.map("mul", held, 0.125), 0.875)
        return [factor, pool.one(_floats(pool))]
    if law == laws.SOFTMAX_SUM:
        return [b.map("minimum", tile, 8.0), pool.one(_floats(pool))]
    return [tile, pool.one(pool.wide)] if law.operands == 2 else [tile]


def _floats(pool: Pool) -> list[Tile]:
    return [at for at in pool.wide if at.dtype.is_float]


def scan(pool: Pool) -> None:
    """Write the last row, each element with those before or after it."""
    tile = pool.last
    law = pool.one((*_SCANNED, *_SCANNED_FLOATS) if tile.dtype.is_float else _SCANNED)
    made = pool.b.scan(
        _operands(pool, tile, law),
        pool.cols,
        law,
        # The logarithm of an empty sum would make the row infinite.
        inclusive=law == laws.LOGSUMEXP or pool.often(0.7),
        reverse=pool.often(0.4),
    )
    pool.wide.append(made)


def sort(pool: Pool) -> None:
    """Write the last row in order, or add what its first positions hold to the last row."""
    b, descending = pool.b, pool.often(0.5)
    if pool.often(0.6):
        values, _ = b.sort(pool.last, pool.cols, descending=descending)
        pool.wide.append(values)
        return
    # Positions are those of an input, whose elements are exact.
    kept = pool.one([n for n in (1, 2, 5, 16) if n <= pool.extents[-1]])
    top = b.axis("top", kept)
    values, positions = b.sort(pool.wide[0], pool.cols, top, descending=descending)
    if not values.axes:
        pool.join(values)
        pool.join(positions)
        return
    pool.join(b.reduce(values, top, laws.ADD, policy=pool.one(POLICIES)))
    again = b.gather(pool.last, positions, pool.cols, 0)
    pool.join(b.reduce(again, top, laws.MAXIMUM, policy=pool.one(POLICIES)))


def matrix(pool: Pool) -> None:
    """Read a matrix a program, reduce rows or columns, and keep the results apart."""
    b = pool.b
    height = pool.one(_HEIGHTS)
    source = pool.view("matrix", f32, (*pool.extents[:-1], height, pool.extents[-1]))
    line = b.axis("line", dim(source, len(pool.extents) - 1))
    tile = b.load(source, *pool.rows, line, pool.cols)
    if pool.often(0.5):
        tile = b.map("mul", tile, b.map("tanh", pool.last))
    law = pool.one((laws.ADD, laws.MAXIMUM, LARGEST_SIZE))
    policy = pool.one(POLICIES)
    if pool.often(0.5):
        found = b.reduce(tile, line, law, policy=policy)
        pool.wide.append(b.map("add", b.cast(pool.last, f32), b.map("tanh", found)))
        return
    found = b.reduce(tile, pool.cols, law, policy=policy)
    if pool.often(0.5):
        # The results are read along the rows they come from.
        found = b.reduce(b.map("maximum", tile, found), pool.cols, laws.MINIMUM)
    total = b.reduce(b.map("tanh", found), line, laws.ADD, policy=pool.one(POLICIES))
    pool.join(total)
