"""Random row programs: kernels that are no operation anybody named, for tests of every stage.

In: a source of random choices.  Out: a kernel, shapes and arguments for it.  Decides a structure
(loads, element-wise chains, up to four reductions of several laws and policies, shared tiles,
chosen elements, scans, sorts, matrices, serial loops, memories, several outputs and launches, one
or two parallel axes, odd extents) and keeps values in a range where results mean something.  Equal
choices give equal programs in every process.  `pool` holds what is drawn from; `steps`, `folds` and
`parts` write the pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field
from random import Random
from typing import Literal

import numpy as np

from certile.ir import dtypes
from certile.ir.build import Builder
from certile.ir.dtypes import DType, f32, highest, lowest
from certile.ir.node import Node
from certile.ir.tile import Carried, Kernel, Map, Reduce, View
from certile.ir.walk import parallel_regions, uses, values
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.generate import folds, parts, steps
from certile.reference.generate.pool import Pool
from certile.reference.machine_numeric import Array

# f32 as often as all others together.
_DTYPES = (
    *(f32,) * 10,
    *(dtypes.f16, dtypes.bf16, dtypes.f64, dtypes.i32, dtypes.i64, dtypes.i8, dtypes.u8),
    *(dtypes.i16, dtypes.u16, dtypes.u32, dtypes.u64, dtypes.bool_),
    *(dtypes.f8e4m3, dtypes.f8e5m2),
)

# What may stand between the reductions and the stores, and how often it does.
_PARTS: tuple[tuple[float, Callable[[Pool], None]], ...] = (
    (0.2, parts.loop),
    (0.2, folds.matrix),
    (0.2, parts.gather),
    (0.15, folds.scan),
    (0.12, folds.sort),
    (0.1, parts.memory),
    (0.08, parts.shuffled),
    (0.08, parts.reversed_row),
)


@record
class Generated:
    """A program, the shapes to call it with, and the range of its integer inputs by name."""

    kernel: Kernel
    shapes: dict[str, tuple[int, ...]]
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)

    def arguments(
        self, seed: int = 0, *, unusual: bool = False
    ) -> dict[str, Array | bool | int | float]:
        """Random arguments; outputs start with random contents too.

        `unusual` puts NaN, infinities, -0, subnormal and huge numbers among floats, and the ends of
        their type among integers that are no indices.
        """
        rng = np.random.default_rng(seed)
        found: dict[str, Array | bool | int | float] = {}
        for param in self.kernel.params:
            if isinstance(param, View):
                limits = self.ranges.get(param.name, (-50, 50))
                array = random_array(rng, param.dtype, self.shapes[param.name], limits)
                if unusual and param.name not in self.ranges:
                    _mix_in(rng, array, param.dtype)
                found[param.name] = array
            else:
                found[param.name] = float(np.float32(rng.normal()))
        return found

    def features(self) -> dict[str, int]:
        """How much of each construct the program has.

        `kept` are the reductions with several results, `carried` the rows that loops carry.
        """
        counted = Counter(at.mnemonic for at in values(self.kernel))
        shared = [at for at, readers in uses(self.kernel).items() if _is_shared(at, readers)]
        return {
            "reductions": counted["tile.reduce"],
            "shared": len(shared),
            "gathers": counted["tile.gather"],
            "outputs": len(self.kernel.outputs),
            "loops": counted["tile.serial"],
            "kept": sum(isinstance(at, Reduce) and bool(at.spanned) for at in values(self.kernel)),
            "carried": sum(isinstance(at, Carried) and bool(at.axes) for at in values(self.kernel)),
            "scans": counted["tile.scan"],
            "sorts": counted["tile.sort"],
            "memories": len(self.kernel.memories),
            "launches": len(parallel_regions(self.kernel)),
        }


def _is_shared(at: Node, readers: tuple[Node, ...]) -> bool:
    return isinstance(at, Map) and bool(at.axes) and len(readers) > 1


def random_array(
    rng: np.random.Generator, dtype: DType, shape: tuple[int, ...], limits: tuple[int, int]
) -> Array:
    """Random elements of a dtype: normal floats, integers within limits."""
    storage = numeric.storage(dtype)
    if dtype.is_float:
        return np.asarray(rng.normal(0.0, 2.0, shape)).astype(storage)
    if dtype.kind == "bool":
        return rng.random(shape) < 0.5
    low = 0 if dtype.kind == "uint" else limits[0]
    return rng.integers(low, limits[1], shape, endpoint=True).astype(storage)


def _mix_in(rng: np.random.Generator, array: Array, dtype: DType) -> None:
    """Replace some elements by special values of their dtype; every other time without NaN."""
    if dtype.kind == "bool":
        return
    if dtype.is_float:
        numbers = [np.inf, -np.inf, -0.0, 1e-40, 1e30, *([np.nan] if rng.random() < 0.5 else [])]
        # What a narrow type cannot hold becomes infinite, or NaN.
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.array(numbers).astype(array.dtype)
    else:
        values = np.array([highest(dtype), lowest(dtype), 0, 1], array.dtype)
    places = rng.random(array.shape) < 0.08
    array[places] = rng.choice(values, np.count_nonzero(places))


def generate(random: Random, *, reductions: int | None = None, rich: bool = False) -> Generated:
    """One program; `rich` asks for a shared tile, a gather or several outputs."""
    math: Literal["portable", "precise"] = "portable" if random.random() < 0.15 else "precise"
    b = Builder(f"generated_{random.getrandbits(16):04x}", math=math)
    pool = Pool.start(random, b, random.choice(_DTYPES))
    wanted = random.choice(("shared", "gather", "outputs")) if rich else ""
    with b.parallel(*pool.rows):
        parts.inputs(pool)
        _rows(pool, reductions or random.randint(1, 4), wanted)
        stored = parts.stores(pool, 2 if wanted == "outputs" else random.choice((1, 1, 2)))
    if pool.often(0.12):
        pool.one((parts.later_launch, parts.later_launch, parts.column_sums))(pool, stored)
    return Generated(b.build(), pool.shapes, pool.ranges)


def _rows(pool: Pool, reductions: int, wanted: str) -> None:
    """What is computed: element-wise chains and reductions in turn, then the larger parts."""
    for _ in range(pool.random.randint(0, 2)):
        steps.step(pool)
    for _ in range(reductions):
        folds.reduction(pool)
        steps.step(pool)
    if pool.wide[0].dtype == f32 and pool.often(0.1):
        steps.sizes_by_bits(pool)
    for share, part in _PARTS:
        if pool.often(share) or (part is parts.gather and wanted == "gather"):
            part(pool)
    if wanted == "shared":
        parts.share(pool)


def corpus(count: int = 500, seed: int = 0) -> Iterator[Generated]:
    """A fixed list of programs: three in four with several reductions, two in three rich."""
    for number in range(count):
        yield generate(Random(f"{seed}/{number}"), reductions=1 + number % 4, rich=number % 3 != 0)
