"""Ownership arithmetic: owner, slot, inverse, tail, and that every element is owned once."""

import pytest

from certile.plan.ownership.layout import Owner, Tail, element, owner, slots, tail

LENGTHS = (1, 31, 32, 33, 127, 257, 1024, 4097)


def test_the_owner_of_element_5000():
    assert owner(5000, 256, 4) == Owner(chunk=4, worker=226, v=0, slot=16)


def test_slots_of_a_ragged_row():
    assert slots(1537, 416, 4) == 4
    assert slots(1537, 192, 4) == 9
    assert slots(4096, 320) == 13


def test_the_tail_of_a_pack():
    assert tail(1537, 192, 4) == Tail(remainder=1, full=0, partial=1)
    assert tail(1541, 192, 4) == Tail(remainder=5, full=1, partial=1)


@pytest.mark.parametrize("lane_elements", [1, 2, 4, 8])
def test_every_element_is_owned_once_within_its_slots(lane_elements):
    for subgroups in range(1, 33):
        workers = 32 * subgroups
        for count in LENGTHS:
            limit = slots(count, workers, lane_elements)
            places = set()
            for e in range(count):
                at = owner(e, workers, lane_elements)
                assert at.slot < limit
                assert 0 <= at.worker < workers
                assert element(at.chunk, at.worker, at.v, workers, lane_elements) == e
                places.add((at.worker, at.slot))
            assert len(places) == count


@pytest.mark.parametrize("lane_elements", [1, 2, 4, 8])
def test_the_longest_worker_fills_its_slots(lane_elements):
    for workers in (32, 96, 320):
        for count in LENGTHS:
            owned = [0] * workers
            for e in range(count):
                owned[owner(e, workers, lane_elements).worker] += 1
            assert max(owned) == slots(count, workers, lane_elements)
            left = tail(count, workers, lane_elements)
            full = (count // (workers * lane_elements)) * lane_elements
            assert owned.count(full + lane_elements) in (left.full, workers)
