"""The plans of a kernel as a space: which are legal, a pairwise sample, probes at thresholds."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from certile.analysis.rows import analyse
from certile.diagnostics import Refusal
from certile.ir.tile import View
from certile.ir.walk import parallel_regions, specialise
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.subgroup.space import Space, enumerate_space
from certile.targets.metal import METAL
from tests import kernels
from tests.pairwise import covering, rows_for

LENGTHS = (1, 31, 32, 33, 257, 1025, 4097)
KERNELS = {
    "softmax": kernels.softmax,
    "layer_norm": kernels.layer_norm,
    "cross_entropy": kernels.cross_entropy,
    "sum": kernels.sum_rows,
    "argmax": kernels.argmax,
}
PACKS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 32)
LANE_ELEMENTS = (1, 2, 4, 8)
UNROLLS = (1, 2, 16)
MATERIALIZATIONS = ("preserve", "expensive-only")
ROWS = 5
LANES = METAL.lanes


@dataclass(frozen=True)
class Point:
    """One plan of one operation at one length."""

    kernel: str
    length: int
    subgroups: int
    packed: int
    lane_elements: int
    unroll: int
    materialization: str

    @property
    def mapping(self):
        return Mapping(
            "subgroup", self.subgroups, self.packed, self.lane_elements, unroll=self.unroll
        )

    @property
    def rows(self):
        """A full pack, and rows that do not fill another."""
        return rows_for(self.packed, ROWS)

    @property
    def depth(self):
        """Merges on the longest way of a leaf: a worker's share, and the trees above it."""
        workers = LANES * self.subgroups
        return -(-self.length // workers) + self.lane_elements + 12

    def __str__(self):
        kept = "kept" if self.materialization == "preserve" else "again"
        return (
            f"{self.kernel}-{self.length}-S{self.subgroups}Q{self.packed}"
            f"V{self.lane_elements}U{self.unroll}-{kept}"
        )


def shapes(kernel, rows, length):
    """The shape of every view: a matrix, a vector of columns, or one number a row."""
    columns = ("weight", "bias")
    return {
        view.name: (rows, length)
        if view.rank == 2
        else ((length,) if view.name in columns else (rows,))
        for view in kernel.params
        if isinstance(view, View)
    }


def legal(make, length, lane_elements, materialization, options=PACKS):
    """Every legal (S, Q) of a kernel, packs asked for one by one."""
    kernel = make()
    made = specialise(kernel, shapes(kernel, ROWS, length))
    rows = analyse(made, parallel_regions(made)[0], materialization=materialization)
    if isinstance(rows, Refusal):
        return []
    found = set()
    for packed in options:
        asked = Options(policy="analytic", lane_elements=lane_elements, programs_per_group=packed)
        space = enumerate_space(rows, ROWS, METAL, asked)
        if isinstance(space, Space):
            found.update(space.legal)
    return sorted(found)


def points_of(name, length):
    """All legal plans of one operation at one length, in a fixed order."""
    for width, materialization in product(LANE_ELEMENTS, MATERIALIZATIONS):
        for subgroups, packed in legal(KERNELS[name], length, width, materialization):
            for unroll in UNROLLS:
                yield Point(name, length, subgroups, packed, width, unroll, materialization)


def every_point():
    """All legal plans, in a fixed order."""
    for name, length in product(KERNELS, LENGTHS):
        yield from points_of(name, length)


@cache
def sample(seed=0):
    """Plans that together show every legal pair of two choices."""

    def pairs(point):
        values = [(name, getattr(point, name)) for name in Point.__dataclass_fields__]
        return combinations(values, 2)

    return covering(every_point(), pairs, seed)


def thresholds(length, workers, lane_elements):
    """The elements at which ownership changes hands, that exist."""
    chunk = workers * lane_elements
    tail = length // chunk * chunk
    places = (0, lane_elements - 1, lane_elements, LANES * lane_elements - 1, LANES * lane_elements)
    more = (chunk - 1, chunk, tail - 1, tail, length - 1)
    return sorted({place for place in (*places, *more) if 0 <= place < length})


def one_hot(places, length, value, other=0.0):
    """A row a place: `value` there, `other` elsewhere."""
    rows = np.full((len(places), length), other, np.float32)
    rows[np.arange(len(places)), places] = value
    return rows
