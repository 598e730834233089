"""The reproducible tree under several laws and leaves, and every way to run it without a GPU."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from certile import reference
from certile.analysis.rows import analyse
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f32, i32, i64
from certile.lower.math.portable import PORTABLE
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.subgroup.space import enumerate_space
from certile.reference.machine_numeric import storage
from certile.targets.cpu import CPU_AVX2, CPU_AVX512, CPU_NEON
from certile.targets.metal import METAL
from tests import kernels
from tests.differential.harness import HOST_SHEET, Case
from tests.pairwise import rows_for

LENGTHS = (1, 31, 33, 128, 257, 4095, 4096, 4097, 8193, 12289)
ROWS = 3
PACKS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 32)
UNROLLS = (1, 2, 16)
CPUS = tuple(s for s in (CPU_AVX512, CPU_AVX2, CPU_NEON) if s.lanes <= HOST_SHEET.lanes)


def spread(length, rows=ROWS):
    """Floats of many magnitudes, so that each order of additions rounds in its own way."""
    rng = np.random.default_rng(length)
    shape = (rows, length)
    return (rng.standard_normal(shape) * np.exp2(rng.integers(-12, 12, shape))).astype(np.float32)


def one_law(law, x, out=f32, **options):
    dtype = {np.dtype(np.float32): f32, np.dtype(np.int32): i32}.get(x.dtype, bf16)
    kernel = kernels.sum_rows(dtype, "reproducible", law, out, **options)
    return Case(kernel, {"x": x, "y": np.zeros(len(x), storage(out))})


def of_leaves(name, x, leaf, dtype=f32, math="portable"):
    """The sum of a function of each element."""
    b = Builder(name, math=math)
    source, y = b.view("x", dtype, 2), b.view("y", f32, 1)
    rows, cols = b.axis("rows", dim(source, 0)), b.axis("cols", dim(source, 1))
    with b.parallel(rows):
        leaves = b.cast(leaf(b, b.load(source, rows, cols)), f32)
        b.store(y, rows, b.reduce(leaves, cols, laws.ADD, policy="reproducible"))
    return Case(b.build(), {"x": x, "y": np.zeros(len(x), np.float32)})


def moments(x):
    kernel = kernels.mean_var(policy="reproducible")
    results = {name: np.zeros(len(x), np.float32) for name in ("mean", "var")}
    return Case(kernel, {"x": x, **results})


def with_nan(x):
    x[1, x.shape[1] // 2] = np.nan
    return one_law(laws.MAXIMUM, x)


def wrapped(x):
    """Numbers as i32, those beyond it modulo 2**32."""
    return x.astype(np.int64).astype(np.int32)


def small(x):
    return np.clip(x, -20, 20)


# Cases of rows of floats.  Leaves and merges of the first ones hold no inexact function; the others
# are portable.
SUBJECTS = {
    "add": lambda x: one_law(laws.ADD, x),
    "mul": lambda x: one_law(laws.MUL, 1 + x / 2**20),
    "maximum": with_nan,
    "argmax": lambda x: one_law(laws.ARGMAX, np.round(x), i64),
    "mean_var": moments,
    "add_i32": lambda x: one_law(laws.ADD, wrapped(x * 2.0**18), i32),
    "add_quotients": lambda x: of_leaves(
        "quotients", x, lambda b, v: b.map("div", b.map("sqrt", b.map("abs", v)), 3.0),
        math="precise",
    ),
    "logsumexp": lambda x: one_law(laws.LOGSUMEXP, x, math="portable"),
    "add_exp": lambda x: of_leaves("exps", small(x), lambda b, v: b.map("exp", v)),
    "add_erf_tanh": lambda x: of_leaves(
        "erfs", small(x), lambda b, v: b.map("mul", b.map("erf", v), b.map("tanh", v))
    ),
    "add_sigmoid_bf16": lambda x: of_leaves(
        "sigmoids", small(x).astype(storage(bf16)), lambda b, v: b.map("sigmoid", v), bf16
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Point:
    """One plan of one subject at one length."""

    subject: str
    length: int
    subgroups: int
    packed: int
    unroll: int

    @property
    def mapping(self):
        return Mapping("subgroup", self.subgroups, self.packed, unroll=self.unroll)

    @property
    def rows(self):
        """A full pack, and rows that do not fill another."""
        return rows_for(self.packed, ROWS)

    def __str__(self):
        return f"{self.subject}-{self.length}-S{self.subgroups}Q{self.packed}U{self.unroll}"


@cache
def case_of(subject, length, rows=ROWS):
    return SUBJECTS[subject](spread(length, rows))


@cache
def legal(subject, length):
    """Every (S, Q) that the planner finds legal, packs asked for one by one."""
    case = case_of(subject, length)
    rows = analyse(case.specialised, case.regions[0], target_kind="metal")
    found = set()
    for packed in PACKS:
        space = enumerate_space(rows, ROWS, METAL, Options(programs_per_group=packed))
        found |= set(space.legal)
    return tuple(sorted(found))


def every_other_point():
    """Every plan of every subject, with each half of the lengths in turn."""
    for number, subject in enumerate(SUBJECTS):
        for length in LENGTHS[number % 2 :: 2]:
            for subgroups, packed in legal(subject, length):
                for unroll in UNROLLS:
                    yield Point(subject, length, subgroups, packed, unroll)


def functions_of(kernel):
    return PORTABLE if kernel.math == "portable" else None


@cache
def meant(subject, length, rows=ROWS):
    """The bits: what the interpreter of Tile IR gives."""
    case = case_of(subject, length, rows).copy()
    reference.run(case.kernel, case.arguments, functions=functions_of(case.kernel))
    return case.outputs()


def lowered(point):
    case = case_of(point.subject, point.length, point.rows)
    made = case.lower(METAL, point.mapping)
    assert made is not None, point
    return made


def on_machine(point, made):
    ran = case_of(point.subject, point.length, point.rows).copy()
    for report in ran.run_machine(made):
        assert report.ok, (point, report)
    return ran.outputs()


def on_cpu(subject, length, sheet, mapping=None):
    ran = case_of(subject, length).copy()
    fixed = Mapping("subgroup", accumulators=128 // sheet.lanes)
    ran.run_cpu(ran.lower(sheet, mapping or fixed))
    return ran.outputs()


def same_bits(found, wanted, what):
    """Equal bits, but that every NaN counts as equal."""
    assert found.keys() == wanted.keys()
    for name, ours in found.items():
        theirs = wanted[name]
        assert ours.dtype == theirs.dtype
        nan = np.isnan(ours)
        np.testing.assert_array_equal(nan, np.isnan(theirs), err_msg=f"{what} {name}")
        kind = f"i{ours.itemsize}"
        a, b = (np.where(nan, 0, array.view(kind)) for array in (ours, theirs))
        np.testing.assert_array_equal(a, b, err_msg=f"{what} {name}")
