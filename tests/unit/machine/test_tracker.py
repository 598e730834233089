"""Who touched an element since its group last met: what a barrier of one group forgets."""

import numpy as np
import pytest

from certile.reference.machine_memory import Tracker

FIRST, SECOND, BOTH = (np.array(arrived) for arrived in ([1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]))


def tracker(reads):
    """Two groups of two subgroups; `reads` are elements and the subgroups that read them."""
    made = Tracker(4, 2)
    elements, readers = (np.array(column) for column in zip(*reads, strict=True))
    assert made.read(elements, readers) == 0
    return made


def meets(made, element, subgroup):
    return made.write(np.array([element]), np.array([subgroup]))


@pytest.mark.parametrize("at_once", [True, False])
def test_a_group_that_arrives_forgets_its_readers_and_no_others(at_once):
    reads = [(0, 0), (0, 1), (2, 2), (2, 3)]
    made = tracker(reads if at_once else reads[::2])
    if not at_once:
        assert made.read(np.array([0, 2]), np.array([1, 3])) == 0
    made.reset(FIRST.astype(bool))
    assert meets(made, 0, 0) == 0
    assert meets(made, 2, 2) == 1


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (0, 2, 1), (3, 2, 0)])
def test_readers_of_two_groups_stay_until_both_arrive(order):
    made = tracker([(1, reader) for reader in order])
    made.reset(FIRST.astype(bool))
    made.reset(SECOND.astype(bool))
    assert meets(made, 1, 0) == 1
    again = tracker([(1, reader) for reader in order])
    again.reset(BOTH.astype(bool))
    assert meets(again, 1, 0) == 0


def test_one_of_a_group_that_has_not_met_the_other():
    made = tracker([(0, 0), (0, 1)])
    made.reset(np.array([True, False, False, False]))
    assert meets(made, 0, 0) == 1
