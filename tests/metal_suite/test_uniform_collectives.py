"""Collectives and barriers are met by all lanes; only accesses of tails are guarded."""

import re

import pytest

from certile.ir.machine import Barrier, Collective, Load, Shuffle
from tests import kernels
from tests.metal_suite.suite import (
    Request,
    Suite,
    asked,
    blank,
    calling,
    conditional,
    normal,
    places,
)

ROWS, COLUMNS = 9, 1999
CALLS = ("simd_", "lanes_", "threadgroup_barrier(")
MAPPINGS = {"wide": (256, 1, 1), "packed": (384, 4, 1), "packs of four": (160, 1, 4)}


def arguments(name):
    x = normal(ROWS, COLUMNS)
    match name:
        case "softmax":
            return {"x": x, "y": blank(ROWS, COLUMNS)}
        case "min_max":
            return {"x": x, "low": blank(ROWS), "high": blank(ROWS)}
    return {"x": x, "y": blank(ROWS)}


KERNELS = {"sum": kernels.sum_rows, "softmax": kernels.softmax, "min_max": kernels.min_max}
CASES = tuple((kernel, mapping) for kernel in KERNELS for mapping in MAPPINGS)


@pytest.fixture(scope="module")
def suite():
    requests = {}
    for kernel, mapping in CASES:
        threads, packed, lane_elements = MAPPINGS[mapping]
        options = asked(threads=threads, programs_per_group=packed, lane_elements=lane_elements)
        requests[kernel, mapping] = Request(KERNELS[kernel](), arguments(kernel), options)
    return Suite(requests)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_lanes_meet_in_collectives(suite, case):
    made = suite[case]
    meeting = [
        place
        for place in places(made.machine.body)
        if isinstance(place.operation, Collective | Shuffle | Barrier)
    ]
    assert meeting
    assert not any(place.conditional for place in meeting)
    lines = calling(made, *CALLS)
    assert len(lines) == len(meeting)
    assert not [text for text, under in lines if under]
    # A call within a conditional expression would be met by some lanes only.
    assert not [text for text, _ in lines if re.search(r"\?[^:]*(simd_|lanes_)", text)]
    suite.run(case, seed=2)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_tail_is_guarded_and_nothing_else(suite, case):
    made = suite[case]
    loads = [p for p in places(made.machine.body) if isinstance(p.operation, Load)]
    in_loops = [p for p in loads if p.rounds > 1]
    assert not [p for p in in_loops if p.operation.mask is not None]
    assert [p for p in loads if p.operation.mask is not None]
    guarded = [line for line in made.body if re.search(r"\? p_x\[", line)]
    vectors = [line for line in made.body if "p_x" in line and "if (" in line]
    assert guarded or vectors


def test_a_conditional_line_is_seen():
    """The reader of texts can say so."""
    text = ["kernel void k() {", "if (v) {", "a;", "} else {", "b;", "}", "c;", "if (w) d;", "}"]
    found = dict(conditional(text))
    assert [found[line] for line in ("a;", "b;", "c;", "if (w) d;")] == [True, True, False, True]
