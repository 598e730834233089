"""Plans of kernels that read a row where they need it: they are those of kernels that read once."""

import pytest

import certile as ct
from certile.analysis.reads import swept
from certile.analysis.rows import analyse
from certile.cli.subject import facts_of
from certile.frontend.spec import Shaped
from certile.ir.dtypes import f32
from certile.ir.fingerprint import fingerprint
from certile.ir.loads import merged_loads
from certile.ir.tile import Load
from certile.ir.walk import parallel_regions, values
from certile.pipeline import compile_program, plan_program
from certile.plan.record import Options
from certile.plan.text import not_derived, plan_text
from certile.plan.work import work_of
from certile.proof.check.regions import check_rewrite
from certile.targets import SHEETS
from certile.watch import RecordWatcher
from tests.unit.ir import repeated_loads

ROWS, LONG = 64, 1 << 22
CUDA, METAL, CPU = SHEETS["cuda-sm90"], SHEETS["metal"], SHEETS["cpu-avx512"]
FUSED = (repeated_loads.shifted, repeated_loads.with_maximum, repeated_loads.copied)


@ct.tile_kernel
def read_once(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r] = ct.reduce(ct.exp(v - ct.reduce(v, cols, ct.maximum)), cols, ct.add)


def traced(kernel):
    """A kernel's Tile IR as written, and the facts of its views."""
    wide = {"x", "z"}
    names = kernel.signature.names
    shapes = {name: (ROWS, LONG) if name in wide else (ROWS,) for name in names}
    made = kernel.tile_ir({name: Shaped(f32, shape) for name, shape in shapes.items()})
    return made, facts_of(made, shapes)


def planned(kernel, sheet, **options):
    made, facts = traced(kernel)
    (plan,) = plan_program(made, (ROWS,), sheet, Options(**options), facts=facts)
    return plan


@pytest.mark.parametrize("sheet", [CUDA, METAL, CPU], ids=lambda sheet: sheet.name)
@pytest.mark.parametrize("kernel", FUSED, ids=lambda kernel: kernel.name)
def test_a_chain_is_fused_whose_row_is_read_again_for_each_reduction(kernel, sheet):
    plan = planned(kernel, sheet)
    assert plan.derivation is not None, plan_text(plan)
    assert swept(plan.rows)["x"] == 1


def test_it_is_the_plan_of_the_kernel_that_reads_once():
    written, once = traced(repeated_loads.shifted)[0], traced(read_once)[0]
    assert fingerprint(written) != fingerprint(once)
    for sheet in (CUDA, METAL, CPU):
        a, b = planned(repeated_loads.shifted, sheet), planned(read_once, sheet)
        assert (a.mapping, a.score) == (b.mapping, b.score)
        assert a.derivation.digest == b.derivation.digest


def test_the_checker_reads_the_kernel_with_merged_loads():
    made, _ = traced(repeated_loads.shifted)
    rewrite = planned(repeated_loads.shifted, CUDA).derivation
    assert check_rewrite(merged_loads(made), rewrite.kernel, rewrite.certificate) is None
    words = check_rewrite(made, rewrite.kernel, rewrite.certificate)
    assert words == "the certificate is of another kernel"


def test_a_store_to_the_view_between_keeps_the_chain_as_written():
    plan = planned(repeated_loads.halved, CUDA)
    assert plan.derivation is None
    (refusal,) = plan.refusals
    assert refusal.obligation == "bound.0"
    # Nothing is said to be near that memory is read for again, and what was found is said.
    assert list(not_derived(plan)) == []
    assert str(refusal) in plan_text(plan)


def test_where_nothing_is_read_again_that_is_the_reason():
    plan = planned(repeated_loads.of_another, CUDA)
    assert plan.derivation is None
    assert list(not_derived(plan)) == ["not looked for: a row reads nothing again"]
    assert plan.work.again_bytes == 0


def test_a_place_is_read_again_whichever_load_reads_it():
    row = 4 * LONG
    for kernel, often in ((read_once, 2), (repeated_loads.halved, 3)):
        made, facts = traced(kernel)
        rows = analyse(made, parallel_regions(made)[0], materialization="nothing")
        work = work_of(rows, facts)
        assert (work.row_bytes, work.again_bytes) == (row, (often - 1) * row)


def test_lanes_that_share_nothing_read_as_it_is_written():
    made, facts = traced(repeated_loads.shifted)
    for asked, expected in (("auto", 1), ("off", 2)):
        watch = RecordWatcher()
        options = Options(subgroup_reductions=asked)
        compile_program(made, facts, (ROWS,), CUDA, options, watch)
        (text,) = [str(value) for name, value in watch.stages if name == "tile"]
        assert text.count("tile.load") == expected
    assert sum(isinstance(at, Load) for at in values(made)) == 2
