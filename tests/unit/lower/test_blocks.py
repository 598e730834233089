"""Blocks as Machine IR: one exponential an element and two a merge, and no longer a text."""

from collections import Counter
from dataclasses import replace

import pytest

from certile.codegen import emitter_for
from certile.ir import laws
from certile.ir.machine import Compute, For, Load, operations
from certile.plan.mapping import Mapping
from certile.targets.cpu import CPU_AVX512
from certile.targets.metal import METAL
from tests.differential.test_blocks import case_of, kernel_of

# A target whose own exp is one operation, so that each is counted once.
NATIVE = replace(METAL, native_functions=frozenset({"exp", "log"}))


def lowered(law, length, sheet, mapping):
    case = case_of(kernel_of(law), length)
    ((_, launch),) = case.lower(sheet, mapping)
    return launch.kernel


def counted(kernel):
    """The functions and loads of one round of the only loop."""
    (loop,) = (op for op in operations(kernel.body) if isinstance(op, For))
    inside = list(operations(loop.body))
    functions = Counter(op.fn for op in inside if isinstance(op, Compute))
    return functions, sum(isinstance(op, Load) for op in inside)


@pytest.mark.parametrize(("law", "operands"), [(laws.LOGSUMEXP, 1), (laws.SOFTMAX_SUM, 2)])
def test_one_exponential_an_element_and_two_a_merge(law, operands):
    length = 32 * 8 * 4
    blocks = Mapping("subgroup", 1, 1, 4, unroll=2, block=8)
    functions, loads = counted(lowered(law, length, NATIVE, blocks))
    assert (functions["exp"], loads) == (8 + 2, 8 * operands)
    single = Mapping("subgroup", 1, 1, 4, unroll=2)
    functions, loads = counted(lowered(law, length, NATIVE, single))
    assert (functions["exp"], loads) == (8 * 3, 8 * operands)


def test_the_mean_of_a_block_divides_nothing():
    mapping = Mapping("subgroup", block=8)
    functions, _ = counted(lowered(laws.MEAN_VAR, 16 * 64, CPU_AVX512, mapping))
    # The merge's own: the share of one count in two.
    assert functions["div"] == 1


def test_a_short_round_is_one_block():
    """Chunks that are left over and the masked one after them are merged once."""
    mapping = Mapping("subgroup", unroll=8, block=8)
    body = lowered(laws.LOGSUMEXP, 32 * 5 + 3, NATIVE, mapping).body
    functions = Counter(op.fn for op in operations(body) if isinstance(op, Compute))
    lanes = 2 * 5
    assert functions["exp"] == 6 + 2 + lanes


@pytest.mark.parametrize("law", [laws.LOGSUMEXP, laws.SOFTMAX_SUM, laws.MEAN_VAR])
def test_the_text_of_a_long_row_stays_short(law):
    mapping = Mapping("subgroup", block=8)
    case = case_of(kernel_of(law), 1 << 12)
    ((plan, launch),) = case.lower(CPU_AVX512, mapping)
    text = emitter_for(plan.sheet)(launch.kernel, plan.sheet).text
    assert len(text.splitlines()) < 650
