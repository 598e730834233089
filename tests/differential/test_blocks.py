"""Blocks of elements that become one state by closed forms, against the interpreter of Tile IR."""

from dataclasses import replace
from itertools import cycle, product

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32
from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app
from certile.plan.choose import choose
from certile.plan.mapping import Mapping
from certile.plan.rounding.depth import depths
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from certile.reference.probes import exact_probes
from certile.targets.cpu import CPU_AVX2, CPU_AVX512, CPU_NEON
from certile.targets.metal import METAL
from tests.differential import kept_axes
from tests.differential.harness import Case
from tests.metal_units import Unit
from tests.unit.codegen.cpu.native import SHEETS as NATIVE

_SIZE = app("abs", "x")
# Every list operation, one of them a product, and a component that reads an earlier one.
CLOSED = Law(
    name="spread",
    state=tuple(map(Component, ("most", "least", "sum", "sign", "size"))),
    identity=(Lit(0.0), Lit("inf"), Lit(0.0), Lit(1.0), Lit(0.0)),
    lift=(_SIZE, Var("x"), Var("x"), app("where", app("lt", "x", 0.0), -1.0, 1.0), _SIZE),
    merge=(
        app("maximum", "a.most", "b.most"),
        app("minimum", "a.least", "b.least"),
        app("add", "a.sum", "b.sum"),
        app("mul", "a.sign", "b.sign"),
        app("maximum", "a.size", "b.size"),
    ),
    finalize=tuple(map(Var, ("most", "least", "sum", "sign", "size"))),
    results=("acc",) * 5,
    closed=(
        app("maximum", 0.0, app("list.max", _SIZE)),
        app("list.min", "x"),
        app("list.sum", "x"),
        app("list.prod", app("where", app("lt", "x", 0.0), -1.0, 1.0)),
        Var("state.most"),
    ),
)
LAWS = {
    "logsumexp": laws.LOGSUMEXP,
    "softmax_sum": laws.SOFTMAX_SUM,
    "mean_var": laws.MEAN_VAR,
    "sum_var": laws.SUM_VAR,
    "spread": CLOSED,
}
LENGTHS = (*range(1, 71), 1000, 1023, 1057)
# (subgroups of a program, elements of a lane, chunks of a round); a lane's block is all of a round,
# half of it, or does not divide it.
SHARED = tuple(product((1, 2, 4), (1, 2, 4), (1, 2, 3)))
VECTORS = tuple(product((CPU_NEON, CPU_AVX2, CPU_AVX512), (1, 2), (2, 4, 8)))


def kernel_of(*reduced, name="block", leading=False):
    """Every result of some laws over the rows of one matrix an operand, or over its columns."""
    b = Builder(name)
    operands = max(law.operands for law in reduced)
    views = [b.view(f"x{k}", f32, 2) for k in range(operands)]
    rows, cols = (b.axis(n, dim(views[0], k ^ leading)) for k, n in enumerate(("rows", "cols")))
    with b.parallel(rows):
        leaves = [b.load(view, *((cols, rows) if leading else (rows, cols))) for view in views]
        for number, law in enumerate(reduced):
            own = leaves[0] if law.operands == 1 else tuple(leaves)
            made = b.reduce(own, cols, law)
            for k, one in enumerate(b.results(made) if len(law.results) > 1 else (made,)):
                b.store(b.view(f"y{number}{k}", one.dtype, 1), rows, one)
    return b.build()


KERNELS = {name: kernel_of(law) for name, law in LAWS.items()}


def special_rows(length, rng):
    """Rows with NaN and infinities at the first, the last and a middle element, and without."""
    made = [rng.standard_normal(length), 40 * rng.standard_normal(length), np.full(length, -np.inf)]
    for value, place in product((np.nan, np.inf, -np.inf), (0, length // 2, length - 1)):
        row = rng.standard_normal(length)
        row[place : place + 1] = value
        made.append(row)
    both = rng.standard_normal(length)
    both[::2], both[1::3] = np.inf, -np.inf
    alone = np.full(length, -np.inf)
    alone[length // 2 : length // 2 + 1] = 3.0
    large = np.full(length, 3e38)
    return np.array([*made, both, alone, large, -large], np.float32)


def case_of(kernel, length, seed=0):
    rng = np.random.default_rng((length, seed))
    rows = special_rows(length, rng)
    arguments = {"x0": rows}
    for view in kernel.params[1:]:
        inside = view.name.startswith("x")
        made = rng.standard_normal(rows.shape) if inside else np.full(len(rows), -7.0)
        arguments[view.name] = made.astype(storage(view.dtype))
    return Case(kernel, arguments)


def columns_of(kernel, length):
    """The case of rows with each matrix turned, so that neighbouring programs lie side by side."""
    turned = case_of(kernel, length).arguments
    return Case(kernel, {n: np.ascontiguousarray(array.T) for n, array in turned.items()})


def own_lengths(name, turn=0):
    """Every other length for a law: those that a GPU has of one, a CPU has of the next."""
    return LENGTHS[(list(LAWS).index(name) + turn) % 2 :: 2]


def ran_with(case, sheet, mapping, *, compiled=False):
    """A copy that has run under a mapping, judged by the depth that its plan claims."""
    ran = case.copy()
    ((plan, launch),) = ran.lower(sheet, mapping)
    if compiled:
        ran.run_cpu([(plan, launch)])
    else:
        (report,) = ran.run_machine([(plan, launch)])
        assert report.ok, report
    found = agrees(ran.outputs(), case.specialised, case.arguments, depths(plan))
    assert found, (mapping, found.worst)
    return ran.outputs()


@pytest.mark.parametrize("name", LAWS)
def test_lanes_of_a_gpu(name):
    """Each length meets the next of all ways to share a row; blocks of a round or of half of it."""
    for length, (subgroups, width, unroll) in zip(own_lengths(name), cycle(SHARED), strict=False):
        block = max(2, width * unroll // (1 + length % 2))
        mapping = Mapping("subgroup", subgroups, 1, width, unroll=unroll, block=block)
        ran_with(case_of(KERNELS[name], length), METAL, mapping)


@pytest.mark.parametrize("name", LAWS)
def test_vectors_of_a_cpu(name):
    ways = cycle(VECTORS)
    for length, (sheet, accumulators, block) in zip(own_lengths(name, 1), ways, strict=False):
        mapping = Mapping("subgroup", accumulators=accumulators, block=block)
        ran_with(case_of(KERNELS[name], length), sheet, mapping)


@pytest.mark.parametrize("name", LAWS)
def test_rows_that_lanes_walk(name):
    """Under the columns map the rows of a round are a block, and so are those left over."""
    kernel = kernel_of(LAWS[name], leading=True)
    for length, sheet in zip((2, 7, 8, 31, 150, 301), cycle((CPU_AVX2, CPU_AVX512)), strict=False):
        case = columns_of(kernel, length)
        ran = case.copy()
        plan = choose(case.specialised, *case.regions, 16, sheet, facts=case.facts())
        assert plan.mapping.family == "columns"
        ran_with(ran, sheet, plan.mapping)
    assert plan.mapping.block == plan.mapping.rows_at_once == 8


@pytest.mark.parametrize("sheet", NATIVE, ids=lambda sheet: sheet.name)
@pytest.mark.parametrize("name", LAWS)
def test_cpu_text(name, sheet):
    for length in (sheet.lanes * 3 + 1, 1057):
        mapping = Mapping("subgroup", accumulators=1, block=8)
        ran_with(case_of(KERNELS[name], length), sheet, mapping, compiled=True)


def test_laws_with_and_without_blocks_share_a_sweep():
    kernel = kernel_of(laws.ADD, laws.LOGSUMEXP, laws.ARGMAX, laws.MEAN_VAR)
    for length in (5, 64, 257):
        case = case_of(kernel, length)
        for mapping in (Mapping("subgroup", 2, 1, 4, block=4), Mapping("subgroup", unroll=4)):
            ran_with(case, METAL, mapping)
        ran_with(case, CPU_AVX2, Mapping("subgroup", accumulators=2, block=4))


@pytest.mark.parametrize("law", [laws.LOGSUMEXP, laws.MEAN_VAR], ids=lambda law: law.name)
def test_where_reductions_keep_axes(law):
    """A lane's share of one row of several; and group normalisation, whose loops walk channels."""
    for kernel, arguments in (
        kept_axes.reduced(law, last=True, shape=(2, 3, 70)),
        kept_axes.group_norm(groups_parallel=False, s=75),
    ):
        case = Case(kernel, arguments)
        ran_with(case, METAL, Mapping("subgroup", 1, 1, 2, unroll=2, block=4))
        ran_with(case, CPU_AVX2, Mapping("subgroup", accumulators=2, block=4))


def test_one_weight_serves_several_columns():
    kernel = kernel_of(laws.softmax_sums(3))
    for length in (6, 67, 300):
        case = case_of(kernel, length)
        ran_with(case, METAL, Mapping("subgroup", 2, 1, 2, block=2))
        ran_with(case, CPU_AVX2, Mapping("subgroup", block=4))


EXACT = {
    # Equal keys weigh 1 each, so sums of whole numbers are exact in every order.
    "logsumexp": lambda given: given | {"x0": np.zeros_like(given["x0"])},
    "softmax_sum": lambda given: given | {"x0": np.zeros_like(given["x0"])},
    # Equal elements have their value as mean, and no variance.
    "mean_var": lambda given: given | {"x0": np.full_like(given["x0"], 3.0)},
    "sum_var": lambda given: given | {"x0": np.full_like(given["x0"], 3.0)},
    "spread": lambda given: given,
}


@pytest.mark.parametrize("name", LAWS)
def test_exact_probes_have_the_bits_of_merges(name):
    kernel = KERNELS[name]
    for length, block in ((7, 2), (61, 4), (200, 3), (1057, 8)):
        shapes = {v.name: (3, length) if v.rank == 2 else (3,) for v in kernel.params}
        for probe in exact_probes(kernel, shapes, count=1, seed=length):
            case = Case(kernel, EXACT[name](dict(probe.arguments)))
            for sheet, mapping in (
                (METAL, Mapping("subgroup", 2, 1, 2)),
                (CPU_AVX2, Mapping("subgroup", accumulators=2)),
            ):
                merged = ran_with(case, sheet, mapping)
                blocks = ran_with(case, sheet, replace(mapping, block=block))
                for output, want in merged.items():
                    np.testing.assert_array_equal(blocks[output], want)


def test_metal_text():
    """Cooperating subgroups and wide lanes, in the simulator and in the machine interpreter."""
    made = []
    for number, (name, length) in enumerate(product(LAWS, (67, 1057))):
        case = case_of(KERNELS[name], length)
        subgroups, width = (2, 2) if length > 100 else (1, 4)
        mapping = Mapping("subgroup", subgroups, 1, width, unroll=2, block=4)
        ((plan, launch),) = case.lower(METAL, mapping)
        made.append((case, plan, replace(launch.kernel, name=f"block{number}"), launch))
    unit = Unit([kernel for _, _, kernel, _ in made])
    for case, plan, kernel, launch in made:
        buffers = {name: case.arguments[name].reshape(-1) for name in launch.buffers}
        names = [parameter.name for parameter in kernel.scalars]
        scalars = dict(zip(names, case.scalars(launch), strict=True))
        ours, _ = unit.both(kernel.name, buffers, scalars, plan.programs, 1)
        outputs = {view.name: ours[view.name] for view in case.specialised.outputs}
        found = agrees(outputs, case.specialised, case.arguments, depths(plan))
        assert found, found.worst
