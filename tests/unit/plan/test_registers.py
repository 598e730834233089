"""Registers: the estimate beside what the compiler gave to plans that were measured."""

import json
from statistics import fmean

import pytest

from certile.plan.choose import choose
from certile.plan.cost.registers import BASE, registers_of
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.subgroup.counts import counts_of, facts_of
from certile.targets.cuda import CUDA_SM90
from tests.unit.plan import measured

STEP = 8


def plans(op, shape):
    """The facts of each plan of both types that was asked for, and the registers it was given."""
    for row in json.loads(measured.FILE.read_text())["rows"]:
        ran = row["plan"].startswith("V") and row["registers"]
        if not ran or (row["op"], row["shape"]) != (op, shape):
            continue
        kernel, region, programs, layouts = measured.launch(op, shape, row["dtype"])
        asked = measured.options_of(row["plan"])
        plan = choose(kernel, region, programs, CUDA_SM90, asked, facts=layouts)
        counts = counts_of(plan.rows, CUDA_SM90, programs, layouts)
        yield facts_of(counts, plan.mapping), row["registers"]


def resident(registers, threads):
    """The part of all lanes that is resident."""
    registers = -(-min(registers, CUDA_SM90.registers // threads) // STEP) * STEP
    most = CUDA_SM90.resident_threads
    groups = min(most // threads, CUDA_SM90.registers // (registers * threads))
    return groups * threads / most


@pytest.mark.parametrize("op", ["softmax", "rms_norm", "sum", "gelu"])
@pytest.mark.parametrize("shape", ["32768x4096", "4096x32768"])
def test_as_many_lanes_are_resident_as_the_compiler_lets(op, shape):
    off = [
        abs(resident(registers_of(facts), facts.threads) - resident(given, facts.threads))
        for facts, given in plans(op, shape)
    ]
    assert len(off) >= 8
    assert fmean(off) < 0.1


def facts_under(subgroups, op="gelu", **options):
    kernel, region, programs, layouts = measured.launch(op, "4096x32768", "bf16")
    asked = Options(policy="analytic", lane_elements=8, threads=32 * subgroups, **options)
    plan = choose(kernel, region, programs, CUDA_SM90, asked, facts=layouts)
    return facts_of(
        counts_of(plan.rows, CUDA_SM90, programs, layouts), Mapping("subgroup", subgroups, 1, 8)
    )


def test_a_loop_that_stores_has_four_packs_in_hand():
    # Four packs of eight, of one input and one function; more of them change nothing.
    assert registers_of(facts_under(32)) == registers_of(facts_under(16)) == BASE + 19
    # A group of 1,024 lanes is alone then: two would want more than there are.
    assert resident(BASE + 19, 1024) == 0.5


def test_what_one_sweep_alone_keeps_is_no_register():
    plain, kept = facts_under(16), facts_under(16, cache_inputs=True)
    assert (plain.stripe_scalars, kept.stripe_scalars) == (0, 64)
    assert registers_of(kept) == registers_of(plain)


def test_what_is_kept_for_later_sweeps_is():
    kept = facts_under(16, "softmax", cache_inputs=True)
    # The row, or the exponentials that take its place: never both.
    assert kept.stripe_scalars == 128
    assert 64 <= registers_of(kept) - BASE <= 66
