"""CPU plans: accumulators, streaming stores, tasks, and what stays on the reference map."""

import dataclasses

import pytest

from certile.ir import laws
from certile.plan.subgroup.cpu import program_ns
from certile.targets import SHEETS
from tests.unit.plan.test_choose import chosen, reduced, row_kernel
from tests.unit.plan.test_facts import plan

AVX512 = dataclasses.replace(SHEETS["cpu-avx512"], cores=2)


def on_cpu(op, programs, width, **options):
    return plan(op, programs, width, AVX512, **options)


def test_a_vector_works_on_one_program():
    got = on_cpu("softmax", 64, 4096)
    mapping = got.mapping
    assert (mapping.family, mapping.subgroups_per_program) == ("subgroup", 1)
    assert (mapping.programs_per_group, mapping.lane_elements) == (1, 1)
    assert (got.threads, got.workers, got.blocks) == (16, 16, 64)
    assert (got.shared_bytes, got.barriers, got.considered) == (0, 0, 1)
    assert got.materialization == "expensive-only"
    assert [t.type.elements for t in got.rows.materialized] == [4096]


@pytest.mark.parametrize(
    ("op", "width", "expected"),
    [
        ("sum", 4096, 8),
        ("sum", 96, 4),
        ("sum", 16, 1),
        ("sum", 100, 4),
        ("softmax", 4096, 4),
        ("rms_norm", 4096, 4),
        ("min_max", 4096, 4),
        ("layer_norm", 40, 2),
    ],
)
def test_accumulators_fill_the_row_and_no_more(op, width, expected):
    assert on_cpu(op, 8, width).mapping.accumulators == expected


def test_accumulators_of_laws_and_of_fixed_orders():
    def of(**options):
        return chosen(reduced(**options), sheet=AVX512).mapping.accumulators

    assert of(law=laws.ARGMAX) == 2
    assert of(policy="ordered_tree") == 1
    assert of(policy="reproducible") == 128 // 16


def test_a_row_of_any_length_is_kept():
    got = on_cpu("softmax", 1, 1_048_576)
    assert got.declined is None
    assert got.stripe_scalars == 65_536
    assert on_cpu("softmax", 1, 1_048_576, max_stripe=64).declined.code == "budget"


def test_whole_rows_may_stream_and_single_elements_may_not():
    assert on_cpu("rms_norm", 7, 4096).mapping.streaming
    assert not on_cpu("sum", 10**8, 4096).mapping.streaming


def test_what_is_read_again_does_not_stream():
    def in_place(b, x, s, rows, cols):
        b.store(x, (rows, cols), b.map("neg", b.load(x, rows, cols)))

    got = chosen(row_kernel(in_place, programs=4096), 4096, sheet=AVX512)
    assert got.rows.read_and_written
    assert not got.mapping.streaming


def test_how_many_rows_one_thread_takes_alone_follows_from_a_row_and_not_from_their_class():
    short, long = on_cpu("softmax", 128, 127), on_cpu("softmax", 128, 4096)
    assert 8 * long.serial_groups < short.serial_groups < 1000
    assert on_cpu("softmax", 65536, 127).serial_groups == short.serial_groups
    assert on_cpu("softmax", 8, 1 << 20).serial_groups == 1


@pytest.mark.parametrize(
    ("function", "count", "unroll"),
    [("add", 1, 4), ("add", 64, 4), ("add", 65, 2), ("add", 129, 1), ("exp", 9, 4), ("exp", 19, 1)],
)
def test_a_round_of_long_elements_has_fewer_vectors(function, count, unroll):
    """256 functions a round; a transcendental one counts as 7."""

    def build(b, x, s, rows, cols):
        value = b.load(x, rows, cols)
        for at in range(count):
            value = b.map(function, *(value, float(at))[: 1 + (function == "add")])
        b.store(x, (rows, cols), value)

    got = chosen(row_kernel(build, programs=4096), 4096, sheet=AVX512)
    assert got.mapping.unroll == unroll


def test_transcendental_work_costs_more():
    softmax, norm = on_cpu("softmax", 8, 4096).rows, on_cpu("rms_norm", 8, 4096).rows
    assert program_ns(softmax, 16) > 2 * program_ns(norm, 16)


def test_scalar_programs_and_folds_run_one_a_lane():
    def scalar(b, x, s, rows, cols):
        b.store(s, rows, b.map("neg", b.load(s, rows)))

    got = chosen(row_kernel(scalar, programs=100), 100, sheet=AVX512)
    assert (got.mapping.family, got.declined) == ("reference", None)
    assert (got.blocks, got.group_programs) == (7, 16)
    fold = chosen(reduced(policy="fold_left"), sheet=AVX512)
    assert (fold.mapping.family, fold.declined.code) == ("reference", "admission")


@pytest.mark.parametrize(
    "options", [{"lane_elements": 4}, {"threads": 32}, {"programs_per_group": 2}]
)
def test_a_gpu_mapping_is_declined(options):
    got = on_cpu("sum", 8, 4096, **options)
    assert (got.declined.code, got.mapping) == ("threads", None)
    assert on_cpu("sum", 8, 4096, threads=16).declined is None
