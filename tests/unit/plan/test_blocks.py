"""Blocks: which reductions make them, how large they are, and how deep a plan's trees then are."""

import dataclasses
from itertools import product

import pytest

from certile.ir import laws
from certile.ir.dtypes import f32, f64, i32
from certile.ir.laws import Law
from certile.plan.blocks import RUN, block_of, chunks_of_round, forms_of, merges_of_blocks
from certile.plan.document import plan_json
from certile.plan.mapping import Mapping
from certile.plan.ownership.layout import slots
from certile.plan.rounding.depth import tree_depth
from certile.plan.text import plan_text
from certile.targets import SHEETS
from tests.unit.plan.test_choose import chosen, reduced

METAL = SHEETS["metal"]


def node_of(law, **options):
    (node,) = chosen(reduced(law, **options)).rows.reductions
    return node


@pytest.mark.parametrize("law", [laws.LOGSUMEXP, laws.MEAN_VAR])
def test_laws_with_closed_forms_make_blocks(law):
    assert len(forms_of(node_of(law))) == len(law.state)


@pytest.mark.parametrize("law", [laws.ADD, laws.MAXIMUM, laws.ABSMAX, laws.ARGMAX])
def test_what_one_instruction_merges_and_what_reads_an_index_makes_none(law):
    assert forms_of(node_of(law)) is None


def test_an_order_that_is_fixed_an_integer_and_an_unproved_law_make_none():
    assert forms_of(node_of(laws.LOGSUMEXP, policy="ordered_tree")) is None
    node = node_of(laws.MEAN_VAR)
    assert forms_of(dataclasses.replace(node, accumulate=f64)) is not None
    assert forms_of(dataclasses.replace(node, accumulate=i32)) is None
    own = {f.name: getattr(laws.MEAN_VAR, f.name) for f in dataclasses.fields(Law)}
    assert forms_of(dataclasses.replace(node, law=Law(**own | {"name": "mine"}))) is None


@pytest.mark.parametrize(
    ("sheet", "width", "dtype", "expected"),
    [
        ("cpu-avx512", 4096, f32, 8),
        ("cpu-avx512", 4096, f64, 4),
        ("cpu-avx512", 100, f32, 4),
        ("cpu-avx512", 16, f32, 1),
        ("cpu-avx2", 4096, f32, 4),
        ("cpu-neon", 4096, f32, 8),
    ],
)
def test_vectors_of_a_cpu_fill_a_quarter_of_the_registers(sheet, width, dtype, expected):
    got = chosen(reduced(laws.LOGSUMEXP, width=width, accumulate=dtype), sheet=SHEETS[sheet])
    assert got.mapping.block == expected
    assert got.mapping.accumulators == 1 if expected > 1 else got.mapping.accumulators >= 1
    assert (f" B={expected}" in plan_text(got)) == (expected > 1)
    told = plan_json(got, op="x", target="cpu", dtype="f32", shape=(8, width))
    assert told["block"] == expected


def test_the_lanes_of_a_gpu_take_what_a_round_has():
    rows = chosen(reduced(laws.LOGSUMEXP)).rows
    assert [block_of(rows, METAL, width, unroll) for width, unroll in ((1, 1), (4, 1), (4, 2))] == [
        1,
        4,
        8,
    ]
    assert block_of(rows, METAL, 8, 16) == 16
    assert block_of(chosen(reduced(laws.ADD)).rows, METAL, 8, 2) == 1


def path_of_merges(own, mapping):
    """The longest path of merges into an accumulator, as lowering meets the elements.

    Rounds that are many are runs: each begins with nothing, and is merged into what was before.
    """
    round_of = chunks_of_round(mapping, blocks=True) * mapping.lane_elements
    rounds = own // round_of
    deep = [0] * mapping.accumulators

    def merged(held, count):
        for block in sorted({p // mapping.block for p in range(count)}):
            held[block % mapping.accumulators] += 1

    for first in range(0, rounds, RUN) if rounds > RUN else ():
        run = [0] * mapping.accumulators
        for _ in range(min(RUN, rounds - first)):
            merged(run, round_of)
        deep = [max(pair) + 1 for pair in zip(deep, run, strict=True)]
    for _ in range(rounds if rounds <= RUN else 0):
        merged(deep, round_of)
    merged(deep, own - rounds * round_of)
    return max(deep)


def test_no_path_is_longer_than_the_plan_claims():
    for own, width, unroll, accumulators, block in product(
        (1, 2, 7, 8, 9, 64, 100, 1025, 1700, 5000), (1, 2, 4), (1, 3), (1, 2), (2, 3, 4, 8)
    ):
        mapping = Mapping(
            "subgroup", 1, 1, width, unroll=unroll, accumulators=accumulators, block=block
        )
        assert merges_of_blocks(own, mapping) == path_of_merges(own, mapping)


def test_a_round_has_a_block_for_each_accumulator():
    mapping = Mapping("subgroup", accumulators=2, block=8)
    assert chunks_of_round(mapping, blocks=True) == 16
    assert chunks_of_round(mapping, blocks=False) == 2
    wide = Mapping("subgroup", 1, 1, 4, unroll=3, block=8)
    assert chunks_of_round(wide, blocks=True) == 4
    assert chunks_of_round(dataclasses.replace(wide, block=12), blocks=True) == 3


def test_blocks_make_trees_shallower():
    node = node_of(laws.LOGSUMEXP)
    own = slots(4096, 32)
    merged = tree_depth(node, Mapping("subgroup"), 32)
    blocks = tree_depth(node, Mapping("subgroup", unroll=8, block=8), 32)
    assert (merged, blocks) == (own + 1 + 5, own // 8 + 3 + 1 + 5)
