"""Ownership: every element belongs to one worker, whatever the sizes."""

from itertools import product

import numpy as np
import pytest

from certile.ir.dtypes import i64
from certile.ir.machine import Buffer, For, MachineKernel, operations
from certile.ir.machine.build import Builder
from certile.ir.machine.verify import check_machine
from certile.lower.coordinates import value_of
from certile.lower.workers import Workers
from certile.reference.machine import run_machine

LANES = 8


def sweep(elements, subgroups, lane_elements, chunks, unrolled=0):
    """Run a sweep that records, at each element, its worker, slot and position, and a count."""
    b = Builder(LANES, subgroups)
    outs = [Buffer(name, i64, True) for name in ("worker", "slot", "position", "owned")]
    workers = Workers(b, subgroups, lane_elements, b.subgroup())
    lane = b.convert(b.lane(), i64)
    worker = b.add(b.mul(b.convert(b.subgroup(), i64), LANES), lane)

    def body(packs, carried):
        (owned,) = carried
        for at in packs:
            place = value_of(b, at.linear)
            address = b.address(0, None, place)
            for y, value in zip(outs, (worker, at.slot, b.const(at.position, i64)), strict=False):
                b.store(y, address, b.add(b.sub(worker, worker), value), at.mask)
            more = b.add(owned, 1)
            owned = more if at.mask is None else b.select(at.mask, more, owned)
        return (owned,)

    start = (b.const(0, i64),)
    (owned,) = workers.sweep(elements, chunks, start, body, unroll_up_to=unrolled)
    b.store(outs[3], b.address(0, None, worker), b.add(b.sub(worker, worker), owned))
    kernel = check_machine(
        MachineKernel("k", LANES, subgroups, 1, tuple(outs), (), (), (), b.block())
    )
    arrays = {y.name: np.full(max(1, elements), -1, np.int64) for y in outs}
    arrays["owned"] = np.zeros(LANES * subgroups, np.int64)
    report = run_machine(kernel, arrays, {}, 1)
    assert report.ok, report
    return kernel, arrays


@pytest.mark.parametrize("elements", [0, 1, 7, 8, 9, 31, 64, 65, 257])
def test_each_element_has_its_worker_and_slot(elements):
    for subgroups, width, chunks in product((1, 3), (1, 2, 4), (1, 2, 16)):
        _, made = sweep(elements, subgroups, width, chunks)
        e = np.arange(elements)
        workers = LANES * subgroups
        chunk = e // (workers * width)
        worker = e // width % workers
        np.testing.assert_array_equal(made["worker"][:elements], worker)
        np.testing.assert_array_equal(made["slot"][:elements], chunk * width + e % width)
        position = chunk % chunks * width + e % width
        np.testing.assert_array_equal(made["position"][:elements], position)
        np.testing.assert_array_equal(
            made["owned"], np.bincount(worker, minlength=workers) if elements else 0
        )


def test_short_domains_are_written_out():
    def loops(elements, chunks, unrolled):
        kernel, _ = sweep(elements, 1, 1, chunks, unrolled)
        return sum(isinstance(op, For) for op in operations(kernel.body))

    assert loops(16 * LANES, 1, 16) == 0
    assert loops(17 * LANES, 1, 16) == 1
    assert loops(4 * LANES, 4, 0) == 0
    assert loops(7 * LANES, 4, 0) == 0
    assert loops(8 * LANES, 4, 0) == 1
