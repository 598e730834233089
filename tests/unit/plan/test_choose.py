"""Choosing: what falls back, what is refused, and what a policy may and may not do."""

import dataclasses
import math

import pytest

from certile.diagnostics import ArgumentError, KernelError, UnsupportedError
from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import f32, f64
from certile.ir.walk import parallel_regions
from certile.plan.choose import choose, required
from certile.plan.cost.policy import CandidateFacts, Score
from certile.plan.record import Options
from certile.targets import SHEETS
from tests.unit.plan.test_facts import METAL, plan


def row_kernel(build, width=4096, programs=8, scope="auto"):
    """A kernel over x (P, width) and s (P) whose body `build` writes."""
    b = Builder("row")
    rows, cols = b.axis("rows", programs), b.axis("cols", width)
    x, s = b.view("x", rank=2), b.view("s", rank=1)
    with b.parallel(rows, scope=scope):
        build(b, x, s, rows, cols)
    return b.build()


def reduced(law=laws.ADD, scope="auto", width=4096, **options):
    def build(b, x, s, rows, cols):
        b.store(s, rows, b.reduce(b.load(x, rows, cols), cols, law, **options))

    return row_kernel(build, width, scope=scope)


def launch(kernel):
    return kernel, parallel_regions(kernel)[0]


def chosen(kernel, programs=8, sheet=METAL, policy=None, **options):
    options = {"policy": "analytic", **options}
    return choose(*launch(kernel), programs, sheet, Options(**options), policy=policy)


# Admission and the reference map.


@pytest.mark.parametrize("policy", ["fold_left", "fold_right"])
def test_a_fold_keeps_its_order(policy):
    got = chosen(reduced(policy=policy))
    assert got.mapping.family == "reference"
    assert got.declined.code == "admission"
    assert [r.rule for r in got.refusals] == ["reduction_type"]
    assert got.candidates == ()


@pytest.mark.parametrize(("law", "start"), [(laws.ADD, -0.0), (laws.MAXIMUM, 0.0)])
def test_a_start_that_is_no_identity_falls_back_or_is_an_error(law, start):
    automatic = chosen(reduced(law, init=[start]))
    assert automatic.mapping.family == "reference"
    assert automatic.refusals[0].rule == "canonical_state"
    demanded = chosen(reduced(law, init=[start]), subgroup_reductions="on")
    assert demanded.mapping is None
    with pytest.raises(KernelError, match="P004"):
        required(demanded)
    scoped = chosen(reduced(law, scope="subgroup", init=[start]))
    assert scoped.mapping is None


def test_the_switch_keeps_the_reference_map():
    got = chosen(reduced(), subgroup_reductions="off")
    assert (got.declined.code, got.mapping.family) == ("off", "reference")
    assert chosen(reduced(scope="subgroup"), subgroup_reductions="off").mapping is None
    assert required(got).family == "reference"


def test_programs_without_an_element_domain_run_one_a_lane():
    def build(b, x, s, rows, cols):
        b.store(s, rows, b.map("neg", b.load(s, rows)))

    kernel = row_kernel(build, programs=100)
    got = chosen(kernel, programs=100)
    assert (got.mapping.family, got.declined) == ("reference", None)
    assert (got.threads, got.blocks, got.active_programs_last_block) == (32, 4, 4)
    assert chosen(kernel, subgroup_reductions="on").mapping.family == "subgroup"


def test_doubles_are_refused_on_metal_alone():
    kernel = reduced(accumulate=f64)
    assert chosen(kernel).refusals[0].rule == "reduction_type"
    assert chosen(kernel, sheet=SHEETS["cuda-sm90"]).declined is None


# Budgets and exact requests.


def test_a_budget_of_zero_switches_the_family_off():
    got = chosen(reduced(), max_stripe=0)
    assert (got.declined.code, got.mapping.family, got.considered) == ("budget", "reference", 0)


def test_shared_memory_is_a_limit():
    got = plan("softmax", 64, 4096, shared_bytes=64)
    assert {r.rule for r in got.rejected} == {"stripe", "shared"}
    assert max(c.mapping.subgroups_per_program for c in got.candidates) == 8
    assert got.mapping.subgroups_per_program == 8
    packed = plan("sum", 64, 4096, shared_bytes=0, programs_per_group=2)
    assert [c.mapping.subgroups_per_program for c in packed.candidates] == [1]
    none = plan("softmax", 64, 65536, shared_bytes=0)
    assert (none.declined.code, none.rejected[-1].rule) == ("budget", "shared")


def test_a_pack_that_does_not_fit_is_declined():
    got = chosen(reduced(), programs_per_group=64)
    assert (got.declined.code, got.mapping) == ("threads", None)


def test_a_pack_may_exceed_the_programs_when_it_is_asked_for():
    got = chosen(reduced(), programs=1, programs_per_group=4)
    assert (got.mapping.programs_per_group, got.blocks) == (4, 1)
    assert got.active_programs_last_block == 1
    # The automatic pack never does.
    assert max(c.mapping.programs_per_group for c in chosen(reduced(), programs=3).candidates) == 3


def in_place(b, x, s, rows, cols):
    v = b.load(x, rows, cols)
    b.store(x, (rows, cols), b.map("sub", v, b.reduce(v, cols, laws.ADD)))


def repeated(b, x, s, rows, cols):
    planes, z = b.axis("planes", 3), b.view("z", rank=3)
    with b.serial(planes, carry=[b.const(0, f32)]) as loop:
        total = b.reduce(b.load(z, planes, rows, cols), cols, laws.ADD)
        loop.yields(b.map("add", loop.carried[0], total))
    b.store(s, rows, loop.results[0])


@pytest.mark.parametrize("build", [in_place, repeated])
def test_cooperating_packs_are_left_out_where_a_replay_would_show(build):
    kernel = row_kernel(build)
    alone = chosen(kernel)
    assert alone.declined is None
    assert alone.mapping.subgroups_per_program > 1
    packed = chosen(kernel, programs_per_group=2)
    assert [c.mapping.subgroups_per_program for c in packed.candidates] == [1]
    assert [r.rule for r in packed.refusals] == ["packing"]
    exact = chosen(kernel, programs_per_group=2, threads=128)
    assert (exact.mapping, exact.declined.code) == (None, "admission")


def test_a_loop_counts_its_repetitions_and_its_second_barrier():
    got = chosen(row_kernel(repeated), threads=64)
    assert got.rounds == 3 * 64 + 1
    assert got.score_terms["collectives"] == 2 * 3 * 2
    assert got.barriers == 2
    assert len(got.second_fences) == 1
    assert chosen(row_kernel(repeated), threads=32).barriers == 0


# Policies with an order of their own.


def test_the_reproducible_tree_has_three_widths_and_one_element_a_lane():
    got = chosen(reduced(policy="reproducible", width=10000))
    widths = {c.mapping.subgroups_per_program for c in got.candidates}
    assert widths == {1, 2, 4}
    four = chosen(reduced(policy="reproducible", width=10000), threads=128)
    assert four.shared_bytes == 4 * 3 * 4
    assert chosen(reduced(policy="reproducible"), threads=96).declined.code == "threads"
    refused = chosen(reduced(policy="reproducible"), lane_elements=2)
    assert refused.refusals[0].rule == "lane_elements"
    assert refused.mapping is None


def test_an_ordered_tree_keeps_a_partial_a_chunk():
    got = chosen(reduced(policy="ordered_tree", width=4096), threads=128)
    assert got.shared_bytes == 4 * (4096 // 128) * 4
    kernel = reduced(policy="ordered_tree", width=4096)
    packed = chosen(kernel, threads=128, programs_per_group=2, lane_elements=4)
    assert packed.shared_bytes == 2 * 2 * (4096 // 256) * 4


def test_a_wider_state_takes_its_bytes():
    assert chosen(reduced(laws.ARGMAX), threads=128).shared_bytes == 4 * 8
    assert chosen(reduced(laws.MEAN_VAR), threads=128).shared_bytes == 4 * 12


# Options and policies that make no sense.


@pytest.mark.parametrize(
    "options",
    [
        {"lane_elements": 3},
        {"lane_elements": 0},
        {"unroll": 17},
        {"unroll": 0},
        {"threads": 0},
        {"programs_per_group": 0},
        {"max_stripe": -1},
        {"max_threads": 2048},
        {"shared_bytes": 65536},
        {"alpha": -1.0},
        {"beta": math.nan},
        {"gamma": math.inf},
    ],
)
def test_an_option_outside_its_domain_is_an_error(options):
    with pytest.raises(ArgumentError, match="P001"):
        chosen(reduced(), **options)


def test_coefficients_change_the_choice():
    assert plan("sum", 64, 4096, beta=0.0, gamma=0.0).mapping.subgroups_per_program == 32
    assert plan("sum", 64, 4096, alpha=0.0).mapping.subgroups_per_program == 1


def test_a_service_policy_needs_the_speed_of_memory():
    unknown = dataclasses.replace(METAL, bandwidth=0.0)
    with pytest.raises(UnsupportedError, match="P005"):
        choose(*launch(reduced()), 8, unknown, Options())
    assert chosen(reduced(), sheet=unknown).mapping.family == "subgroup"


@dataclasses.dataclass
class Constant:
    """A policy that always says the same, and remembers what it saw."""

    value: float
    seen: list[CandidateFacts] = dataclasses.field(default_factory=list)

    def score(self, facts):
        self.seen.append(facts)
        return Score(self.value, self.value, {})


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_a_score_that_orders_nothing_is_an_error(value):
    with pytest.raises(KernelError, match="P003"):
        chosen(reduced(), policy=Constant(value))


def test_ties_keep_the_smallest_width_then_the_smallest_pack():
    got = chosen(reduced(), policy=Constant(1.0))
    assert (got.mapping.subgroups_per_program, got.mapping.programs_per_group) == (1, 1)


def test_a_policy_sees_legal_candidates_only_and_facts_it_cannot_change():
    policy = Constant(1.0)
    got = choose(*launch(reduced(width=1000)), 17, METAL, Options(policy="analytic"), policy=policy)
    assert len(policy.seen) == got.considered == 39
    wide = next(f for f in policy.seen if f.mapping.subgroups_per_program == 4)
    assert (wide.workers, wide.threads, wide.groups) == (128, 128, 17)
    assert (wide.rounds, wide.useful_elements) == (9, 1001)
    assert wide.lane_utilization == 1001 / (9 * 128)
    assert (wide.read_bytes, wide.written_bytes, wide.worker_bytes) == (4000, 4, 8 * 4 + 4)
    assert (wide.collectives, wide.barriers, wide.bytes_known) == (2, 1, True)
    packed = next(f for f in policy.seen if f.mapping.programs_per_group == 8)
    assert (packed.groups, packed.active_programs_last_group) == (3, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        wide.rounds = 0
