"""The mapping of the flat map: how many subgroups a group has, by what it moves."""

import dataclasses

import pytest

from certile.ir.build import Builder
from certile.ir.dtypes import bf16, f32
from certile.ir.host import row_major_facts
from certile.ir.walk import parallel_regions, specialise
from certile.plan.choose import choose
from certile.plan.flat import FEW_SUBGROUPS, SUBGROUPS
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from tests import kernels

SLOW_TO_START = dataclasses.replace(CUDA_SM90, dispatch=10.0)
MANY = (200_000, 257)


def filled(dtype):
    """y[r, c] = 1: nothing is read, so a group moves little."""
    b = Builder("filled")
    y = b.view("y", dtype, 2)
    rows, cols = kernels.matrix(b, y)
    with b.parallel(rows):
        b.store(y, (rows, cols), b.const(1, dtype))
    return b.build()


def mapping(kernel, sheet, shape=MANY):
    made = specialise(kernel, dict.fromkeys((view.name for view in kernel.views), shape))
    facts = {v.name: row_major_facts(shape, v.dtype.size) for v in made.views}
    (region,) = parallel_regions(made)
    chosen = choose(made, region, shape[0], sheet, facts=facts).mapping
    assert chosen.family == "flat"
    return chosen


@pytest.mark.parametrize("dtype", [f32, bf16], ids=str)
def test_groups_that_move_much_have_few_subgroups(dtype):
    assert mapping(kernels.gelu(dtype), CUDA_SM90).subgroups_per_program == FEW_SUBGROUPS


def test_starting_so_many_groups_may_not_take_longer_than_memory_does():
    assert mapping(filled(f32), CUDA_SM90).subgroups_per_program == SUBGROUPS
    assert mapping(kernels.gelu(f32), SLOW_TO_START).subgroups_per_program == SUBGROUPS


def test_a_sheet_that_does_not_say_what_a_start_takes_keeps_larger_groups():
    assert not METAL.dispatch
    assert mapping(kernels.gelu(f32), METAL).subgroups_per_program == SUBGROUPS


def test_a_short_launch_has_a_group_for_every_multiprocessor_first():
    short = mapping(kernels.gelu(f32), CUDA_SM90, (100, 257))
    assert (short.unroll, short.subgroups_per_program) == (1, SUBGROUPS)
