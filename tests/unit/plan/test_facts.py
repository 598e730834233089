"""The analytic planner's numbers: what the specification computes, row by row."""

from functools import cache

import pytest

from certile.ir.walk import parallel_regions, specialise
from certile.plan.choose import choose
from certile.plan.record import Options
from certile.targets import SHEETS
from tests import kernels

METAL = SHEETS["metal"]
MAKERS = {
    "sum": kernels.sum_rows,
    "softmax": kernels.softmax,
    "rms_norm": lambda: kernels.rms_norm(weight=False),
    "layer_norm": lambda: kernels.layer_norm(weight=False, bias=False),
    "residual_layer_norm": lambda: kernels.layer_norm(weight=False, bias=False, residual=True),
    "cross_entropy": kernels.cross_entropy,
    "min_max": kernels.min_max,
}


@cache
def made(op, programs, width):
    kernel = MAKERS[op]()
    shapes = {view.name: (programs, width)[: view.rank] for view in kernel.views}
    kernel = specialise(kernel, shapes)
    return kernel, parallel_regions(kernel)[0]


def plan(op, programs, width, sheet=METAL, **options):
    options = {"policy": "analytic", **options}
    kernel, parallel = made(op, programs, width)
    return choose(kernel, parallel, programs, sheet, Options(**options))


# op, P, N, options, S, Q, threads, blocks, shared bytes, stripe words, rounds, score
ROWS = {
    1: ("sum", 1, 127, {}, 1, 1, 32, 1, 0, 0, 5, 23),
    2: ("sum", 17, 257, {}, 1, 8, 256, 3, 0, 0, 10, 14),
    3: ("sum", 128, 1024, {}, 4, 1, 128, 128, 16, 0, 9, 33),
    4: ("sum", 64, 4096, {}, 8, 1, 256, 64, 32, 0, 17, 49),
    5: ("sum", 3, 31, {}, 1, 3, 96, 1, 0, 0, 2, 2 + 2 + 16 / 3),
    6: ("softmax", 1, 127, {}, 2, 1, 64, 1, 16, 2, 8, 32),
    7: ("softmax", 17, 257, {}, 3, 1, 96, 17, 24, 3, 12, 40),
    9: ("softmax", 3, 4096, {}, 10, 1, 320, 3, 80, 13, 52, 108),
    10: ("softmax", 64, 4096, {"max_threads": 256}, 8, 1, 256, 64, 64, 16, 64, 112),
    12: ("softmax", 64, 65536, {}, 32, 1, 1024, 64, 256, 64, 256, 400),
    13: ("rms_norm", 17, 257, {}, 1, 8, 256, 3, 0, 0, 18, 22),
    14: ("rms_norm", 64, 4096, {}, 10, 1, 320, 64, 40, 0, 26, 62),
    15: ("layer_norm", 3, 4096, {}, 10, 1, 320, 3, 80, 13, 52, 108),
    # The second half of row 15.
    115: ("layer_norm", 17, 257, {}, 3, 1, 96, 17, 24, 3, 12, 40),
    16: ("cross_entropy", 7, 4096, {}, 8, 1, 256, 7, 64, 0, 35, 83),
    17: ("min_max", 7, 1024, {}, 4, 1, 128, 7, 32, 0, 18, 50),
    19: (
        "softmax",
        1024,
        4096,
        {"lane_elements": 4, "cache_inputs": True},
        11,
        1,
        352,
        1024,
        88,
        24,
        60,
        120,
    ),
    119: (
        "rms_norm",
        1024,
        4096,
        {"lane_elements": 4, "cache_inputs": True},
        16,
        1,
        512,
        1024,
        64,
        8,
        24,
        72,
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_the_planner_reproduces_its_facts(row):
    op, programs, width, options, *expected = ROWS[row]
    got = plan(op, programs, width, **options)
    assert got.declined is None
    assert got.mapping.family == "subgroup"
    assert [
        got.mapping.subgroups_per_program,
        got.mapping.programs_per_group,
        got.threads,
        got.blocks,
        got.shared_bytes,
        got.stripe_scalars,
        got.rounds,
    ] == expected[:-1]
    assert got.score == pytest.approx(expected[-1], rel=0, abs=1e-12)


def test_a_last_group_with_one_program():
    assert plan("sum", 17, 257).active_programs_last_block == 1
    assert plan("sum", 16, 257).active_programs_last_block == 8


def test_the_kernel_score_counts_waves_of_64():
    assert plan("sum", 128, 1024).kernel_score == 66
    assert plan("sum", 64, 1024).kernel_score == 33
    assert plan("sum", 65, 1024).kernel_score == 66


def test_cooperation_beats_packing_for_softmax_17_257():
    got = plan("softmax", 17, 257)
    scores = {
        (c.mapping.subgroups_per_program, c.mapping.programs_per_group): c.score
        for c in got.candidates
    }
    assert scores[1, 8] == 42
    assert scores[3, 1] == 40


@pytest.mark.parametrize(
    ("op", "programs", "width", "options", "considered", "rejected"),
    [
        ("softmax", 3, 4096, {}, 31, [(1, "stripe", 128)]),
        ("softmax", 64, 4096, {"max_threads": 256}, 7, [(1, "stripe", 128)]),
        ("sum", 8, 1024, {}, 39, []),
        ("sum", 8, 1024, {"max_threads": 256}, 15, []),
        ("sum", 1, 1024, {}, 32, []),
        ("sum", 7, 1024, {}, 38, []),
        ("sum", 8, 1024, {"programs_per_group": 2}, 16, []),
    ],
)
def test_the_whole_space_is_counted(op, programs, width, options, considered, rejected):
    got = plan(op, programs, width, **options)
    assert got.considered == len(got.candidates) == considered
    assert [(r.subgroups_per_program, r.rule, r.value) for r in got.rejected] == rejected


def test_a_row_of_65536_fits_only_the_widest_map_and_65537_none():
    got = plan("softmax", 64, 65536)
    assert (got.considered, len(got.rejected)) == (1, 31)
    refused = plan("softmax", 64, 65537)
    assert refused.declined.code == "budget"
    assert [r.value for r in refused.rejected][-1] == 65
    assert refused.mapping.family == "reference"


def test_more_widths_than_allowed_is_an_error_and_no_shorter_search():
    with pytest.raises(ValueError, match="P002"):
        plan("sum", 8, 1024, max_thread_candidates=31)
    assert plan("sum", 8, 1024, max_thread_candidates=32).considered == 39
    # An exact request searches one width.
    assert plan("sum", 8, 1024, threads=64, max_thread_candidates=1).considered == 1


@pytest.mark.parametrize("threads", [100, 33, 2048, 16])
def test_exact_threads_are_never_rounded(threads):
    got = plan("sum", 8, 1024, threads=threads)
    assert got.declined.code == "threads"
    assert got.mapping is None
    assert got.candidates == ()


def test_exact_threads_fix_the_width():
    got = plan("sum", 8, 1024, threads=256)
    assert (got.mapping.subgroups_per_program, got.mapping.programs_per_group) == (8, 1)
    packed = plan("sum", 8, 1024, threads=256, programs_per_group=2)
    assert (packed.mapping.subgroups_per_program, packed.mapping.programs_per_group) == (4, 2)
    assert plan("sum", 8, 1024, threads=96, programs_per_group=2).declined.code == "threads"


def test_a_cached_row_that_is_one_element_too_long():
    options = {"threads": 256, "lane_elements": 4, "cache_inputs": True}
    refused = plan("softmax", 64, 8193, **options)
    assert [(r.rule, r.value, r.limit) for r in refused.rejected] == [("stripe", 66, 64)]
    assert refused.mapping is None
    assert plan("rms_norm", 64, 8193, **options).stripe_scalars == 33
    wider = plan("softmax", 64, 8193, **{**options, "threads": 512})
    assert (wider.declined, wider.stripe_scalars) == (None, 34)


def test_a_rejection_names_the_width_where_it_was_the_reason():
    options = {"threads": 256, "max_stripe": 63}
    assert plan("softmax", 64, 16128, **options).stripe_scalars == 63
    (refused,) = plan("softmax", 64, 16128, lane_elements=8, **options).rejected
    assert (refused.value, refused.limit, refused.lane_elements) == (64, 63, 8)
    # One element a lane would keep as many here.
    (refused,) = plan("softmax", 64, 16384, lane_elements=8, **options).rejected
    assert (refused.value, refused.limit, refused.lane_elements) == (64, 63, None)


@pytest.mark.parametrize(
    ("threads", "stripe", "legal"),
    [(32, 256, False), (64, 128, False), (128, 64, True), (256, 32, True)],
)
def test_residual_layer_norm_keeps_two_rows(threads, stripe, legal):
    got = plan("residual_layer_norm", 64, 4096, threads=threads)
    assert (got.declined is None) == legal
    assert stripe == (got.stripe_scalars if legal else got.rejected[0].value)


def test_packing_two_programs_saves_exactly_eight():
    one = plan("sum", 64, 4096, threads=256)
    two = plan("sum", 64, 4096, threads=512, programs_per_group=2)
    assert one.workers == two.workers == 256
    assert one.score - two.score == 8


DOMAINS = {
    ("sum", "preserve"): ((1,), (4096,), ()),
    ("min_max", "preserve"): ((1, 1), (4096, 4096), ()),
    ("softmax", "preserve"): ((4096, 4096), (4096, 4096), (4096,)),
    ("rms_norm", "preserve"): ((4096,), (4096,), ()),
    ("layer_norm", "preserve"): ((4096, 4096), (4096, 4096), (4096,)),
    ("layer_norm", "expensive-only"): ((4096,), (4096, 4096), ()),
    ("residual_layer_norm", "preserve"): ((4096,) * 3, (4096, 4096), (4096, 4096)),
    ("cross_entropy", "preserve"): ((1, 1, 1), (4096, 4096), ()),
}


@pytest.mark.parametrize(("op", "materialization"), DOMAINS)
def test_domains_of_the_operations(op, materialization):
    rows = plan(op, 3, 4096, materialization=materialization).rows
    kept = tuple(tile.type.elements for tile in rows.materialized)
    assert (rows.domains, rows.reduction_extents, kept) == DOMAINS[op, materialization]


@pytest.mark.parametrize("op", ["softmax", "rms_norm", "layer_norm", "min_max"])
def test_caching_the_input_adds_one_domain_and_one_stripe(op):
    bare, cached = plan(op, 3, 1000).rows, plan(op, 3, 1000, cache_inputs=True).rows
    assert sorted(cached.domains) == sorted((*bare.domains, 1000))
    assert len(cached.materialized) == len(bare.materialized) + 1
    assert len(cached.kept_inputs) == 1


def test_cross_entropy_has_two_barriers_and_no_kept_row():
    got = plan("cross_entropy", 7, 4096)
    assert (got.barriers, got.independent_subgroups) == (2, False)
    assert plan("sum", 1, 127).independent_subgroups


def test_cuda_has_more_shared_memory_and_the_same_analytic_plans():
    cuda = SHEETS["cuda-sm90"]
    assert plan("softmax", 3, 4096, cuda).mapping == plan("softmax", 3, 4096).mapping
