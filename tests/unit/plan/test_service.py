"""The service policy: how it orders measured plans, which forms it plans, what it leaves alone."""

import dataclasses
import math
from functools import cache
from statistics import mean

import pytest

from certile.analysis.reads import swept
from certile.cli.operations.forms import KNOWN
from certile.cli.subject import facts_of
from certile.diagnostics import Refusal
from certile.ir import laws
from certile.ir.walk import parallel_regions
from certile.ops.kernels import COMMAND_FORMS, bare
from certile.plan.choose import choose
from certile.plan.cost.near import fits
from certile.plan.cost.service import service
from certile.plan.cost.service_gpu import FEW_LANES, IN_PART, OF_PEAK, SCATTER, SECTOR_BYTES
from certile.plan.document import plan_json
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.subgroup.counts import counts_of
from certile.plan.subgroup.counts import facts_of as candidate_facts
from certile.plan.text import plan_text, why_text
from certile.plan.work import work_of
from certile.search import regions
from certile.targets import SHEETS
from tests.unit.plan import measured
from tests.unit.plan.test_choose import launch, reduced

CUDA, METAL = SHEETS["cuda-sm90"], SHEETS["metal"]
CPU = dataclasses.replace(SHEETS["cpu-avx512"], cores=2)
LONG = 1_048_576
# Operations without a reduction.
MAPPED = {"gelu", "silu"}


made_of = cache(bare)


def plans_of(op, shape, sheet, **options):
    """The plans of an operation's launches, its arrays C-ordered and aligned."""
    made = made_of(op, shape, "f32")
    facts = facts_of(made.kernel, made.shapes)
    asked = Options(**options)
    return [
        choose(made.kernel, region, programs, sheet, asked, facts=facts)
        for region, programs in zip(parallel_regions(made.kernel), made.programs, strict=True)
    ]


def chosen(op, shape, sheet, **options):
    """The plan of an operation's only launch."""
    (plan,) = plans_of(op, shape, sheet, **options)
    return plan


# The model beside what was measured.


def estimates(case):
    """The estimate of each measured plan of a case, in microseconds."""
    kernel, region, programs, facts = measured.launch(*case)
    policy, found = service(CUDA), {}
    for name in measured.cases()[case]:
        asked = measured.options_of(name)
        plan = choose(kernel, region, programs, CUDA, asked, facts=facts)
        counts = counts_of(plan.rows, CUDA, programs, facts)
        found[name] = policy.score(candidate_facts(counts, plan.mapping)).kernel / 1000
    return found


def test_the_model_takes_one_of_the_best_measured_plans():
    regrets, before = {}, {}
    for case, times in measured.cases().items():
        guess = estimates(case)
        best = min(times.values())
        regrets[case] = times[min(guess, key=guess.get)] / best
        before[case] = times.get("analytic", best) / best
    assert len(regrets) == 144
    assert mean(regrets.values()) < 1.012
    # The file holds the plans that the model itself would take, good ones and bad ones.  Rows that
    # are only mapped have the flat map by default here, and no policy is asked.
    decided = [regret for (op, *_), regret in regrets.items() if op not in MAPPED]
    assert len(decided) == 120
    assert max(decided) < 1.07
    assert max(regrets.values()) < 1.1
    assert mean(regrets.values()) < mean(before.values()) - 0.2


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("shape", ["32768x4095", "8192x16383"])
@pytest.mark.parametrize("op", ["layer_norm", "residual rms_norm"])
def test_rows_that_begin_at_odd_places_get_one_of_the_best_raced_plans(op, shape, dtype):
    case = op, shape, dtype
    kernel, region, programs, facts = measured.launch(*case, odd=True)
    times = measured.raced()[case]
    plan = choose(kernel, region, programs, CUDA, Options(), facts=facts)
    # Stores that write sectors in part cost up to 14 % here, and more where lanes own one element.
    assert max(times.values()) > 1.14 * min(times.values())
    assert times[measured.name_of(plan)] < 1.075 * min(times.values())


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("shape", ["32768x4096", "524288x256", "4096x32768"])
@pytest.mark.parametrize("op", ["softmax", "rms_norm", "sum", "gelu"])
def test_the_search_finds_no_worse_than_what_was_measured(op, shape, dtype):
    case = (op, shape, dtype)
    kernel, region, programs, facts = measured.launch(*case)
    plan = choose(kernel, region, programs, CUDA, Options(), facts=facts)
    guess, times = estimates(case), measured.cases()[case]
    assert plan.kernel_score / 1000 <= min(guess.values()) * (1 + 1e-9)
    # Wide accesses and a row that is read once are what the best measured plans have in common.
    assert plan.mapping.lane_elements == {"f32": 4, "bf16": 8}[dtype]
    assert plan.work.again_bytes == 0
    assert sum(form.considered for form in plan.forms) < 600
    # The measured plan that is most like it is a good one: by kept inputs first, then by width, and
    # then by how many programs share a group.  In a program of one sweep no inputs are held.
    asked = {name: measured.options_of(name) for name in times if name != "analytic"}
    alike = [name for name, to in asked.items() if to.lane_elements == plan.mapping.lane_elements]
    if op not in MAPPED:
        alike = [name for name in alike if asked[name].cache_inputs == plan.cache_inputs] or alike
    nearest = min(alike, key=lambda name: _distance(asked[name], plan.mapping))
    assert times[nearest] <= 1.2 * min(times.values())


def _distance(asked, mapping):
    """How far a mapping is from what was asked for, in width and in programs of a group."""
    width = asked.threads / (32 * asked.programs_per_group * mapping.subgroups_per_program)
    packed = asked.programs_per_group / mapping.programs_per_group
    return abs(math.log(width)), abs(math.log(packed))


def test_without_layouts_no_access_is_wide():
    kernel, region, programs, _ = measured.launch("softmax", "32768x4096", "f32")
    plan = choose(kernel, region, programs, CUDA)
    assert {candidate.mapping.lane_elements for candidate in plan.candidates} == {1}


# What is counted, and what it costs.


def test_work_is_counted_sweep_by_sweep():
    made = made_of("softmax", (8, 1024), "f32")
    (region,) = parallel_regions(made.kernel)
    rows = choose(made.kernel, region, 8, CPU).rows
    work = work_of(rows, facts_of(made.kernel, made.shapes), 16)
    greatest, total, result = work.sweeps
    assert [sweep.elements for sweep in work.sweeps] == [1024] * 3
    assert (greatest.reads[0].first, total.reads[0].first) == (True, False)
    assert greatest.reads[0].widest == result.writes[0].widest == 4
    assert [sweep.arithmetic.calls for sweep in work.sweeps] == [0, 1, 0]
    assert (total.kept_words, result.recalled_words, result.reads) == (1, 1, ())
    assert (work.row_bytes, work.again_bytes, work.written_bytes) == (4096, 4096, 4096)
    assert swept(rows) == {"x": 2}


def test_what_later_sweeps_recall_is_held():
    made = made_of("softmax", (8, 1024), "f32")
    (region,) = parallel_regions(made.kernel)
    facts = facts_of(made.kernel, made.shapes)
    both = choose(made.kernel, region, 8, CUDA, Options(cache_inputs=True), facts=facts).work
    # The row until the sum is made, then its exponentials, which take the place of it.
    assert both.held == (((1024, 1),), ((1024, 1),), ())
    mapped = made_of("gelu", (8, 1024), "f32")
    (region,) = parallel_regions(mapped.kernel)
    asked = Options(cache_inputs=True)
    (sweep,) = (made := choose(mapped.kernel, region, 8, CUDA, asked)).work.sweeps
    # What the sweep that keeps it reads itself is in hand, and not held.
    assert (sweep.kept_words, made.work.held) == (1, ((),))


def test_a_weight_of_all_rows_is_no_row_of_its_own():
    rows = rows_of("rms_norm", (8, 1024))
    made = bare("rms_norm", (8, 1024), weight=True)
    (region,) = parallel_regions(made.kernel)
    weighted = work_of(choose(made.kernel, region, 8, CPU).rows)
    assert weighted.row_bytes == work_of(rows).row_bytes == 4096
    shared = [access for sweep in weighted.sweeps for access in sweep.reads if not access.own]
    assert len(shared) == 1


def score(rows, mapping, sheet=CUDA, programs=4096, facts=None):
    return service(sheet).score(candidate_facts(counts_of(rows, sheet, programs, facts), mapping))


def rows_of(op, shape, **options):
    return chosen(op, shape, CUDA, policy="analytic", **options).rows


def test_slots_without_a_program_read_and_do_not_write():
    rows = rows_of("rms_norm", (4096, 512))
    packed = Mapping("subgroup", 2, 8)
    full = score(rows, packed, programs=64).terms["memory"]
    one_more = score(rows, packed, programs=65).terms["memory"]
    row = 512 * 4 / CUDA.bandwidth
    # The row is read twice, the second time from the nearest cache, and written once.
    again = 512 * 4 / CUDA.cache_bandwidth[0] / OF_PEAK
    # Two subgroups read 256 bytes side by side, three halvings down from the row; one reads 128.
    slower = row * (1 + 3 * SCATTER)
    # Nothing is known of where rows begin: a store of 32 elements, aligned to one of them, writes a
    # part of one more sector.
    part = 512 * 4 * IN_PART * (1 - 4 / 16) * SECTOR_BYTES / (32 * 4) / CUDA.cache_bandwidth[-1]
    # All lanes are resident, in groups of 512 and of 256.
    written = slower + part
    assert one_more - full == pytest.approx((1 + FEW_LANES) * (8 * (slower + again) + written))
    alone, slower = Mapping("subgroup", 1, 8), row * (1 + 4 * SCATTER)
    assert score(rows, alone, programs=65).terms["memory"] == pytest.approx(
        (1 + FEW_LANES) * 65 * (2 * slower + again + part)
    )


def test_groups_beyond_those_that_are_resident_are_handed_out_one_by_one():
    rows = rows_of("sum", (64, 256))
    alone, packed = (Mapping("subgroup", 1, many) for many in (1, 4))
    assert score(rows, packed, programs=64).terms["dispatch"] == 0
    waiting = score(rows, alone, programs=524288).terms["dispatch"]
    assert waiting > 3.9 * score(rows, packed, programs=524288).terms["dispatch"]


def test_a_row_that_left_the_caches_comes_from_memory():
    short, long = rows_of("sum", (64, 4096)), chosen("softmax", (64, LONG), CUDA).forms
    assert fits(CUDA, 4096 * 4, 8)
    assert not fits(CUDA, LONG * 4)
    assert score(short, Mapping("subgroup", 8)).kernel > 0
    assert {form.derived for form in long} == {False, True}


def test_words_over_the_registers_cost():
    rows = rows_of("softmax", (4096, 32768), threads=1024)
    kept = candidate_facts(counts_of(rows, CUDA, 4096), Mapping("subgroup", 32))
    assert kept.stripe_scalars == 32
    held = tuple(tuple((2 * n, words) for n, words in each) for each in kept.work.held)
    more = dataclasses.replace(kept, work=dataclasses.replace(kept.work, held=held))
    spent = [service(CUDA).score(each).terms["instructions"] for each in (kept, more)]
    assert spent[1] > 1.1 * spent[0]


def test_recomputed_functions_cost():
    kept = chosen("softmax", (4096, 4096), CUDA, materialization="preserve", cache_inputs=True)
    again = chosen("softmax", (4096, 4096), CUDA, materialization="nothing", cache_inputs=True)
    same = dataclasses.replace(kept.mapping)
    assert (
        score(again.rows, same).terms["instructions"] > score(kept.rows, same).terms["instructions"]
    )


def test_a_last_wave_that_is_not_full_costs_a_whole_one():
    rows = rows_of("sum", (64, 4096))
    wide = Mapping("subgroup", 32)
    resident = CUDA.multiprocessors * 2
    full, one_more = (
        score(rows, wide, programs=n).terms["waiting"] for n in (resident, resident + 1)
    )
    assert one_more == pytest.approx(2 * full)


def test_few_programs_take_many_lanes():
    few, many = chosen("softmax", (7, 4096), CUDA), chosen("softmax", (65536, 4096), CUDA)
    assert few.mapping.subgroups_per_program > many.mapping.subgroups_per_program


# The forms.


def test_every_form_is_listed_with_its_best():
    plan = chosen("softmax", (4096, 4096), METAL)
    assert plan.forms[0].materialization == "preserve"
    assert {form.cache_inputs for form in plan.forms} == {False, True}
    best = min(form.best.score for form in plan.forms)
    assert plan.score == best
    text = plan_text(plan)
    assert text.count("  form  ") == len(plan.forms)
    assert text.count(", chosen") == 1
    document = plan_json(plan, op="softmax", target="metal", dtype="f32", shape=(4096, 4096))
    assert len(document["forms"]) == len(plan.forms)
    terms = {"memory", "instructions", "waiting", "dispatch", "launch"}
    assert set(document["score_terms"]) == terms


def test_a_form_that_was_asked_for_is_the_only_one():
    plan = chosen("softmax", (4096, 4096), METAL, materialization="nothing", cache_inputs=False)
    assert (plan.forms, plan.materialization, plan.cache_inputs) == ((), "nothing", False)
    assert chosen("softmax", (64, 4096), METAL, lane_elements=2).mapping.lane_elements == 2


@pytest.mark.parametrize(
    ("shape", "wanted", "said"),
    [
        ((4, 512), {}, "not looked for: what a row reads again is still in registers or caches"),
        ((4, LONG), {"policy": "analytic"}, "the policy analytic plans the program as it is"),
        ((4, LONG), {"materialization": "nothing"}, "the form was asked for"),
    ],
)
def test_why_nothing_is_derived_is_said(shape, wanted, said):
    assert f"\n  not derived  {said}" in plan_text(chosen("softmax", shape, CPU, **wanted))
    assert "not derived" not in plan_text(chosen("softmax", (4, LONG), CPU))
    assert "not derived" not in plan_text(chosen("sum", shape, CPU, **wanted))


def test_why_a_derived_form_was_chosen_is_said():
    plan = chosen("softmax", (4, LONG), CPU)
    least = min(form.best.kernel_score for form in plan.forms if not form.derived)
    said = f"as it is written the program is estimated at {least / 1000:.4g} µs or more"
    assert f"  because      {said}" in why_text(plan)


def test_blocks_come_with_closed_forms():
    plan = chosen("cross_entropy", (4096, LONG), CUDA)
    assert plan.derivation is not None
    assert plan.mapping.block > 1


@pytest.mark.parametrize("sheet", [CPU, METAL, CUDA], ids=lambda sheet: sheet.name)
@pytest.mark.parametrize(
    ("op", "view", "sweeps"), [("softmax", "x", 2), ("cross_entropy", "logits", 1)]
)
def test_a_row_longer_than_caches_is_streamed(sheet, op, view, sweeps):
    plan = chosen(op, (4096, LONG), sheet)
    assert plan.derivation is not None
    assert plan.rows.kernel == plan.derivation.kernel
    assert plan.rows.materialized == plan.rows.stripes == ()
    assert swept(plan.rows)[view] == sweeps
    written = [sweep for sweep in plan.work.sweeps if sweep.writes and sweep.elements > 1]
    assert len(written) == sweeps - 1
    text = plan_text(plan)
    assert text.count(plan.derivation.digest[:12]) == 2
    assert "held by" not in text
    document = plan_json(plan, op=op, target=sheet.name, dtype="f32", shape=(4096, LONG))
    assert document["derivation"]["certificate"] == plan.derivation.digest
    assert document["derivation"]["sweeps"][view] == sweeps
    beside = chosen(op, (4096, LONG), sheet, policy="analytic")
    assert beside.derivation is None


@pytest.fixture
def asked(monkeypatch):
    """The kernels that a derivation is asked for; each is refused."""
    seen = []
    refusal = Refusal("rewrite", "fusion", "the reductions are one fold", "a closed form")

    def derived(kernel, parallel):
        seen.append(kernel)
        return regions.Derived(None, (refusal,))

    monkeypatch.setattr(regions, "derived", derived)
    return seen


def test_a_derivation_that_is_refused_is_reported(asked):
    plan = chosen("softmax", (64, LONG), CPU)
    assert len(asked) == 1
    assert plan.derivation is None
    assert plan.refusals[-1].rule == "fusion"
    assert plan.materialization == "nothing"


@pytest.mark.parametrize(
    ("op", "sheet", "shape", "options"),
    [
        ("softmax", CPU, (64, 4096), {}),
        ("softmax", CUDA, (4096, 4096), {}),
        ("sum", CPU, (64, LONG), {}),
        ("softmax", CPU, (64, LONG), {"policy": "analytic"}),
        ("softmax", CPU, (64, LONG), {"materialization": "nothing"}),
    ],
)
def test_a_derivation_is_asked_for_only_where_it_may_pay(asked, op, sheet, shape, options):
    chosen(op, shape, sheet, **options)
    assert asked == []


def test_a_kernel_without_rewrites_keeps_its_reductions(asked):
    made = bare("softmax", (4, LONG), "f32")
    kernel = dataclasses.replace(made.kernel, rewrites="off")
    plan = choose(kernel, parallel_regions(kernel)[0], 4, CPU)
    assert (asked, plan.derivation) == ([], None)


def test_a_request_that_is_not_legal_is_declined_as_before():
    plan = choose(*launch(reduced()), 8, METAL, Options(threads=100))
    assert (plan.mapping, plan.declined.code) == (None, "threads")
    fold = choose(*launch(reduced(policy="fold_left")), 8, METAL, Options())
    assert (fold.mapping.family, fold.declined.code) == ("reference", "admission")
    wide = choose(*launch(reduced(policy="reproducible", width=10000)), 8, METAL, Options())
    assert {c.mapping.subgroups_per_program for c in wide.candidates} == {1, 2, 4}
    assert choose(*launch(reduced(laws.ARGMAX)), 8, METAL).mapping.family == "subgroup"


# On a CPU a row that fits is planned as the counts of rounds have it.


@pytest.mark.parametrize("shape", [(4096, 4096), (65536, 256), (3, 4096), (1, 128), (17, 258)])
def test_rows_that_fit_are_planned_as_they_were(shape):
    for op in {*KNOWN, *COMMAND_FORMS}:
        by_time = plans_of(op, shape, CPU)
        by_rounds = plans_of(op, shape, CPU, policy="analytic")
        for one, other in zip(by_time, by_rounds, strict=True):
            assert one.mapping == other.mapping, op
            assert one.materialization == other.materialization, op
            assert one.rows == other.rows, op
            assert one.serial_groups == other.serial_groups, op
