"""When ownership has a phase, what it is congruent to, and what a plan says of it."""

import pytest

from certile.diagnostics import ArgumentError
from certile.ir.host import ViewFacts, residues_of
from certile.ir.tile import Load, Store, effects
from certile.ir.types import Axis
from certile.ir.walk import parallel_regions, specialise
from certile.plan.choose import choose
from certile.plan.congruence import Congruence, congruence
from certile.plan.document import plan_json
from certile.plan.options import Options
from certile.plan.ownership.layout import element, owner, slots
from certile.plan.ownership.phases import Lead, common, phases_of
from certile.plan.rounding.depth import depths
from certile.plan.text import plan_text
from certile.targets.cpu import CPU_AVX2
from tests import kernels
from tests.phases.rows import KERNELS, Rows

LENGTHS = (1, 5, 31, 33, 127, 257, 1000, 4099)


@pytest.mark.parametrize("wide", [2, 4, 8])
def test_every_element_is_owned_once_in_every_phase(wide):
    for workers in (32, 96, 1024):
        for count in LENGTHS:
            most = slots(count, workers, wide, phase=True)
            reached = 0
            for phase in range(wide):
                places = set()
                for e in range(count):
                    at = owner(e, workers, wide, phase)
                    assert 0 <= at.worker < workers
                    assert at.v < wide
                    assert element(at.chunk, at.worker, at.v, workers, wide, phase) == e
                    places.add((at.worker, at.slot))
                    reached = max(reached, at.slot + 1)
                assert len(places) == count
            assert reached == most


def test_packs_are_aligned_in_the_phase_of_their_row():
    for start in range(16):
        at = [owner(e, 32, 4, start % 4) for e in range(200)]
        assert {(start + e) % 4 for e, place in enumerate(at) if place.v == 0} == {0}


def test_residues_are_of_the_base_and_of_every_stride_that_moves():
    assert residues_of(68, (8, 257), (257, 1), 4) == (4, 1028 % 16, 4)
    assert residues_of(64, (1, 257), (999, 1), 4) == (0, 0, 4)
    assert residues_of(2, (8, 9), (-9, 1), 2) == (2, -18 % 16, 2)


def of(kernel, shapes, facts):
    """The congruences of all accesses, by view."""
    made = specialise(kernel, shapes)
    (region,) = parallel_regions(made)
    nodes = [e for e in effects((region,)) if isinstance(e, Load | Store)]
    found = {node.buffer.name: congruence(node, facts, frozenset(region.over)) for node in nodes}
    return found, region.over


def test_rows_begin_where_base_and_stride_say():
    facts = ViewFacts((None, 1), 4, (4, 12, 4))
    found, (rows,) = of(kernels.softmax(), {"x": (6, 259), "y": (6, 259)}, facts)
    known = found["x"]
    assert (known.constant, known.modulus, known.start) == (1, 4, 1)
    ((index, factor),) = known.terms
    assert (index.axis, factor) == (rows, 3)
    assert known == found["y"]
    assert [Lead(None, known, 4).phase({rows: p}) for p in range(4)] == [1, 0, 3, 2]


def test_rows_of_a_sliding_window_begin_an_element_apart():
    """Both strides are 1, and an aligned base says nothing of the second row."""
    facts = ViewFacts((1, 1), 64)
    found, (rows,) = of(kernels.softmax(), {"x": (6, 259), "y": (6, 259)}, facts)
    assert [Lead(None, found["x"], 4).phase({rows: p}) for p in range(5)] == [0, 1, 2, 3, 0]


@pytest.mark.parametrize(
    ("facts", "terms"),
    [
        (ViewFacts((None, 1), 4), None),
        (ViewFacts((1, None), 4, (0, 4, 12)), None),
        (ViewFacts((None, 1), 16), 0),
        (ViewFacts((None, 1), 1, (2, 12, 4)), None),
    ],
)
def test_where_rows_begin_is_not_always_known(facts, terms):
    found, _ = of(kernels.softmax(), {"x": (6, 259), "y": (6, 259)}, facts)
    assert (None if found["x"] is None else len(found["x"].terms)) == terms


def test_packs_are_common_as_far_as_rows_begin_alike():
    row = Axis.fresh("row", 8)
    one = Congruence(1, ((row, 3),), 4, 1)
    assert common(Lead(None, one, 4), one) == 4
    assert common(Lead(None, one, 4), Congruence(3, ((row, 3),), 4, 3)) == 2
    assert common(Lead(None, one, 4), Congruence(0, ((row, 3),), 4, 0)) == 1
    assert common(Lead(None, one, 4), Congruence(5, ((row, 7),), 8, 5)) == 4
    assert common(Lead(None, one, 4), Congruence(1, ((row, 2),), 4, 1)) == 1
    assert common(Lead(None, one, 4), None) == 1


@pytest.mark.parametrize("target", ["metal", "cuda"])
@pytest.mark.parametrize("name", sorted(set(KERNELS) - {"layer_norm"}))
def test_long_rows_of_odd_length_have_a_phase_by_default(name, target):
    rows = Rows(name, 4099, "bf16" if name != "sum" else "u8", count=4096)
    plan = rows.plan(target)
    assert plan.mapping.phase
    assert plan.mapping.lane_elements > 1
    assert not rows.plan(target, phase="off").mapping.phase


def test_aligned_rows_have_none():
    rows = Rows("softmax", 4096, "f32", count=64)
    assert not rows.plan("cuda").mapping.phase
    plan = rows.plan("cuda", phase="on")
    assert plan.mapping is None
    assert plan.declined.code == "phase"


def test_the_analytic_policy_has_none():
    rows = Rows("softmax", 257, "f32")
    assert not rows.plan(policy="analytic", lane_elements=4).mapping.phase
    with pytest.raises(ArgumentError, match="phase is on"):
        rows.plan(policy="analytic", phase="on")


def test_a_cpu_has_none():
    rows = Rows("softmax", 257, "f32")
    plan = choose(rows.kernel, rows.region, rows.count, CPU_AVX2, Options(), facts=rows.facts)
    assert not plan.mapping.phase
    asked = Options(phase="on")
    plan = choose(rows.kernel, rows.region, rows.count, CPU_AVX2, asked, facts=rows.facts)
    assert plan.declined.code == "phase"


@pytest.mark.parametrize("policy", ["ordered_tree", "reproducible"])
def test_what_fixes_an_order_has_none(policy):
    rows = Rows("softmax", 257, "f32")
    kernel = specialise(kernels.softmax(policy=policy), {"x": (5, 257), "y": (5, 257)})
    (region,) = parallel_regions(kernel)
    sheet = rows.plan().sheet
    plan = choose(kernel, region, 5, sheet, Options(phase="on"), facts=rows.facts)
    assert plan.mapping is None
    assert "order is fixed" in plan.declined.reason
    assert not choose(kernel, region, 5, sheet, Options(), facts=rows.facts).mapping.phase


@pytest.mark.parametrize("wide", [2, 4, 8])
@pytest.mark.parametrize("length", [127, 257, 1001])
def test_a_worker_keeps_as_much_as_the_plan_counts(length, wide):
    rows = Rows("softmax", length, "f32", default=(1, 2))
    plan = rows.plan(phase="on", lane_elements=wide, threads=64, materialization="preserve")
    launch = rows.lower(plan)
    kept = sum(array.slots * max(1, array.dtype.size // 4) for array in launch.kernel.arrays)
    assert kept == plan.stripe_scalars
    assert kept == len(launch.kernel.arrays) * slots(length, 64, wide, phase=True)


def test_no_phase_makes_a_deeper_tree_than_the_plan_says():
    """A worker merges its own elements in sequence, then lanes meet in a butterfly."""
    rows = Rows("sum", 257, "f32", default=(1, 0))
    plan = rows.plan(phase="on", lane_elements=4, threads=64, programs_per_group=1)
    (depth,) = depths(plan).values()
    assert depth >= slots(257, 64, 4, phase=True) + 5


def test_a_plan_says_that_it_has_a_phase():
    rows = Rows("sum", 4099, "f32", count=4096)
    for phase in ("on", "off"):
        plan = rows.plan("cuda", phase=phase)
        shown = plan_json(plan, op="sum", target="cuda", dtype="f32", shape=(4096, 4099))
        assert shown["phase"] == (phase == "on")
        assert {each["phase"] for each in shown["candidates"]} == {phase == "on"}
        assert (" phase" in plan_text(plan)) == (phase == "on")


def test_a_domain_follows_what_moves_most():
    """The matrix is read twice and written once; what is added to a row begins elsewhere."""
    rows = Rows("layer_norm", 1001, "f32", default=(1, 0))
    plan = rows.plan(phase="on", lane_elements=4)
    (lead,) = phases_of(plan.work, 4).values()
    assert lead.node.buffer.name in ("x", "y")
    assert lead.modulus == 4
