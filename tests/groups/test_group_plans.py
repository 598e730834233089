"""Plans of programs that are bound to a group: threads, batches, resources, and what is refused."""

import json

import numpy as np
import pytest

from certile.analysis.groups import collective_refusal
from certile.diagnostics import ArgumentError, KernelError
from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import f32
from certile.ir.machine import Collective, For, If, ShuffleUp, operations
from certile.plan.choose import choose, required
from certile.plan.document import plan_json
from certile.plan.group.counts import collective_batches
from certile.plan.record import Options
from certile.plan.rounding.depth import tree_of
from certile.plan.text import plan_text, why_text
from certile.reference.agrees import agrees
from tests.differential.harness import HOST_SHEET, SHEETS
from tests.groups import programs
from tests.groups.programs import grid, pairs_of, shapes_of
from tests.groups.test_group_programs import CASES, interpreted, lowered

METAL = SHEETS["metal"]


def planned(case, sheet=METAL, **options):
    (region,) = case.regions
    return choose(case.specialised, region, case.programs(region), sheet, Options(**options))


def outputs(count, width=40):
    kernel = programs.normalised_rows()
    return pairs_of(kernel, shapes_of(kernel, (2, count, width)))


def loops(launch):
    return [op for op in operations(launch.kernel.body) if isinstance(op, For)]


@pytest.mark.parametrize(("threads", "batches"), [(64, 16), (1024, 1)])
def test_32_outputs(threads, batches):
    plan, launch = lowered(outputs(32), METAL, threads=threads)
    reductions = [step for step in plan.group.steps if step.kind == "reduce"]
    found = {collective_batches(step.elements, plan.workers) for step in reductions}
    assert found == {batches}
    # Both reductions and the stores of all elements, where there is more than one round.
    assert len(loops(launch)) == (3 if batches > 1 else 0)
    assert f"a subgroup each, {batches} batch" in plan_text(plan)


def test_the_guard_of_outputs_is_uniform_and_stands_only_where_some_are_missing():
    """All lanes of a subgroup enter the collective, or none."""
    _, whole = lowered(outputs(32), METAL, threads=1024)
    _, ragged = lowered(outputs(30), METAL, threads=1024)
    assert not [op for op in operations(whole.kernel.body) if isinstance(op, If)]
    guards = [op for op in operations(ragged.kernel.body) if isinstance(op, If)]
    assert guards
    assert not any(guard.condition.varying for guard in guards)
    inside = [op for guard in guards for op in operations(guard.then)]
    assert sum(isinstance(op, Collective) for op in inside) == 2


def test_exact_results_whatever_the_threads():
    """Sums of small integers have one value, so all ways of making them agree bit by bit."""
    case = pairs_of(programs.centred_columns(), dict.fromkeys("xy", (2, 64, 9)))
    case.arguments["x"] = np.random.default_rng(1).integers(-8, 8, (2, 64, 9)).astype(np.float32)
    wanted = case.arguments["x"] - case.arguments["x"].mean(axis=1, keepdims=True)
    for threads in (1, 17, 32, 100, 256, 1024):
        ran = case.copy()
        (report,) = ran.run_machine([lowered(case, METAL, threads=threads)])
        assert report.ok
        assert np.array_equal(ran.arguments["y"], wanted)


def test_fewer_threads_than_a_subgroup():
    plan, launch = lowered(CASES["rows"], METAL, threads=7)
    assert (plan.workers, plan.threads, launch.kernel.subgroups) == (7, 32, 1)
    assert "a thread each" in plan_text(plan)
    interpreted(CASES["rows"], (plan, launch))


def test_the_width_is_searched_over_whole_subgroups_that_have_work():
    plan = planned(CASES["rows"])
    widths = [each.mapping.group_threads for each in plan.candidates]
    assert widths == [32 * s for s in range(1, 8)]
    assert plan.score == min(each.score for each in plan.candidates)
    assert plan.mapping.group_threads in widths


def test_more_threads_are_not_searched_than_the_limit():
    plan = planned(outputs(200), max_threads=128)
    assert max(each.mapping.group_threads for each in plan.candidates) == 128


def test_both_policies_score_it():
    for policy in ("service", "analytic"):
        plan = planned(CASES["iterated"], policy=policy)
        assert plan.mapping.family == "group"
        assert plan.score > 0
    assert set(plan.score_terms) == {"rounds", "collectives", "setup"}


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [
        ({"threads": 1025}, "threads", "1056 lanes; 1024 allowed"),
        ({"threads": 100, "max_threads": 100}, "threads", "128 lanes; 100 allowed"),
        ({"threads": 40, "subgroup_reductions": "on"}, "threads", "whole number of subgroups"),
        ({"lane_elements": 4}, "threads", "V = 1, not 4"),
        ({"programs_per_group": 2}, "threads", "Q = 1, not 2"),
        ({"shared_bytes": 39}, "budget", "takes 40 bytes; 39 allowed"),
        ({"max_threads": 31}, "threads", "needs 32 threads"),
    ],
)
def test_what_a_group_may_not_have(options, code, reason):
    plan = planned(CASES["rows"], **options)
    assert plan.mapping is None
    assert plan.declined.code == code
    assert reason in plan.declined.reason
    with pytest.raises(KernelError, match="P004"):
        required(plan)


def test_a_reproducible_tree_is_more_than_one_thread_may_keep():
    plan = planned(CASES["reproducible"], threads=40)
    assert plan.declined.code == "budget"
    assert {no.rule for no in plan.rejected} == {"stripe"}
    wide = planned(CASES["reproducible"], threads=40, max_stripe=512)
    assert wide.mapping.group_threads == 40


def test_the_search_has_a_budget():
    with pytest.raises(ArgumentError, match="P002"):
        planned(outputs(200), max_thread_candidates=3)


def scanned(b, v, j):
    return b.scan(v, j, laws.ADD)


def sorted_(b, v, j):
    return b.sort(v, j)[0]


@pytest.mark.parametrize(("make", "rule"), [(scanned, "scanned_row"), (sorted_, "element_order")])
def test_what_steps_cannot_make_is_an_error_on_a_gpu(make, rule):
    b = Builder("other")
    x, n, i, j = grid(b)
    y = b.view("y", f32, 3)
    with b.parallel(n, scope="group"):
        b.store(y, (n, i, j), make(b, b.load(x, n, i, j), j))
    case = pairs_of(b.build(), dict.fromkeys("xy", (2, 3, 8)))
    plan = planned(case)
    assert plan.mapping is None
    assert plan.refusals[0].rule == rule
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET))
    assert agrees(ran.outputs(), case.specialised, case.arguments)


def test_a_store_that_two_threads_may_make_is_refused():
    b = Builder("twice")
    x, n, _, j = grid(b)
    y = b.view("y", f32, 2)
    with b.parallel(n, scope="group"):
        half = b.map("floordiv", b.index(j), b.const(2, programs.i64))
        b.store(y, (n, half), b.load(x, n, 0, j))
    plan = planned(pairs_of(b.build(), {"x": (2, 3, 8), "y": (2, 8)}))
    assert plan.refusals[0].rule == "global_effects"


def test_a_loop_that_asks_for_less_than_the_group_is_refused():
    def case(scope):
        b = Builder("scoped")
        x, n, i, j = grid(b)
        y = b.view("y", f32, 2)
        with b.parallel(n, scope="group"):
            row = b.reduce(b.load(x, n, i, j), j, laws.ADD)
            with b.serial(b.axis("t", 2), carry=[row], scope=scope) as loop:
                loop.yields(b.map("add", *loop.carried, 1.0))
            b.store(y, (n, i), loop.results[0])
        return pairs_of(b.build(), {"x": (2, 3, 8), "y": (2, 3)})

    assert planned(case("group")).mapping.family == "group"
    refused = planned(case("subgroup"))
    assert refused.refusals[0].rule == "target_binding"


def test_states_of_several_components_are_exchanged_in_a_subgroup():
    plan, launch = lowered(CASES["laws"], METAL)
    (step,) = [each for each in plan.group.steps if each.kind == "reduce"]
    assert step.collective
    assert len(step.reductions) == 3
    assert all(collective_refusal(node, "metal") is None for node in step.reductions)
    assert not [op for op in operations(launch.kernel.body) if isinstance(op, ShuffleUp)]


@pytest.mark.parametrize("name", ["ordered", "folded"])
def test_an_order_that_is_asked_for_is_kept(name):
    plan, launch = lowered(CASES[name], METAL, threads=64)
    made = [step for step in plan.group.steps if step.kind == "reduce"]
    assert not any(step.collective for step in made)
    assert not [op for op in operations(launch.kernel.body) if isinstance(op, Collective)]


def chain(length):
    """Each step scales a tile and adds a sum of it."""
    b = Builder("chain")
    x, n, i, j = grid(b)
    y = b.view("y", f32, 3)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        for step in range(length):
            total = b.reduce(v, (i, j)[step % 2], laws.ADD)
            v = b.map("add", b.map("mul", v, 0.5), b.map("mul", total, 0.01))
        b.store(y, (n, i, j), v)
    return pairs_of(b.build(), dict.fromkeys("xy", (2, 8, 8)))


def test_a_chain_is_not_made_again_from_its_start_in_every_step():
    sizes = []
    for length in (40, 80):
        plan, launch = lowered(chain(length), METAL)
        sizes.append(sum(1 for _ in operations(launch.kernel.body)))
        assert any(step.kind == "assign" for step in plan.group.steps)
    assert sizes[1] < 2.5 * sizes[0]
    interpreted(chain(40), lowered(chain(40), METAL))
    _, again = lowered(chain(80), METAL, materialization="nothing")
    assert sum(1 for _ in operations(again.kernel.body)) > 2 * sizes[1]


@pytest.mark.parametrize(
    ("asked", "kept"), [(None, 0), ("nothing", 0), ("expensive-only", 1), ("preserve", 1)]
)
def test_a_tile_that_steps_share_is_kept_when_that_is_asked_for(asked, kept):
    """Of softmax it is the exponentials, which the sum and the store read."""
    plan, launch = lowered(CASES["rows"], METAL, materialization=asked)
    shared = [step for step in plan.group.steps if step.kind == "assign"]
    assert len(shared) == kept
    assert plan.shared_bytes == 40 + 800 * kept
    assert plan.barriers == 1 + 2 * kept
    interpreted(CASES["rows"], (plan, launch))


def test_less_is_kept_where_all_does_not_fit():
    plan = planned(chain(80), shared_bytes=80 * 32)
    assert plan.mapping is not None
    assert not [step for step in plan.group.steps if step.kind == "assign"]


def test_a_plan_says_what_a_group_does():
    plan = planned(CASES["blocks"])
    text = why_text(plan)
    assert "the kernel binds each program to a group" in text
    assert "loop over blocks, 40 by 8" in text
    document = plan_json(plan, op="blocks", target="metal", dtype="f32", shape=(3, 5, 40))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["family"] == "group"
    (loop,) = [step for step in document["steps"] if step["kind"] == "serial"]
    assert [each["laws"] for each in loop["body"]] == [["maximum"], ["add"], []]
    assert document["threads"] == document["workers"] == plan.mapping.group_threads


def test_the_tree_of_a_result_is_that_of_one_subgroup_or_one_thread():
    (together, *_), (alone, *_) = (
        [n for step in planned(CASES["rows"], threads=t).group.steps for n in step.reductions]
        for t in (64, 40)
    )
    assert tree_of(planned(CASES["rows"], threads=64), together).depth == 8
    assert tree_of(planned(CASES["rows"], threads=40), alone).depth == 40
