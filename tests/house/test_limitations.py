"""What the page of limitations calls right and slow is declined for the reason that it names."""

import re

import numpy as np
import pytest

import certile as ct
from tests.house.sources import ROOT

X = np.ones((4, 32), np.float32)
PLACES = np.zeros(32, np.int32)


def axes(view):
    return ct.axis("rows", view.shape[0]), ct.axis("cols", view.shape[1])


def reduction_type(x, y):
    rows, cols = axes(x)
    for r in ct.parallel(rows):
        y[r, 0] = ct.reduce(x[r, cols], cols, ct.add, policy="fold_right")


def canonical_state(x, y):
    rows, cols = axes(x)
    for r in ct.parallel(rows):
        y[r, 0] = ct.reduce(x[r, cols], cols, ct.add, init=1.0)


def private_storage(x, y):
    rows, cols = axes(x)
    for r in ct.parallel(rows):
        sums = ct.scan(x[r, cols], cols, ct.add)
        y[r, cols] = ct.gather(sums, 31 - ct.iota(cols), cols, fill=0.0)


def manual_resources(x, y):
    rows, cols = axes(x)
    for r in ct.parallel(rows):
        kept = ct.memory(cols, ct.f32)
        kept[cols] = x[r, cols]
        y[r, cols] = kept[31 - ct.iota(cols)]


def manual_resources_of_a_group(x, y):
    rows, cols = axes(x)
    for r in ct.parallel(rows):
        kept = ct.memory(cols, ct.f32, "group")
        kept[cols] = x[r, cols]
        y[r, cols] = kept[cols]


def manual_resources_with_a_layout(x, y):
    rows, cols = axes(x)
    for r in ct.parallel(rows):
        kept = ct.memory(cols, ct.f32, layout=ct.layouts.row_major((32,)))
        kept[cols] = x[r, cols]
        y[r, cols] = kept[cols]


def scanned_row(x, y):
    one, (rows, cols) = ct.axis("one", 1), axes(x)
    for _ in ct.parallel(one):
        y[rows, cols] = ct.scan(x[rows, cols], cols, ct.add)


def element_order(x, y):
    one, (rows, cols) = ct.axis("one", 1), axes(x)
    for _ in ct.parallel(one):
        y[rows, cols] = ct.sort(x[rows, cols], cols)


def execution_nesting(x, y):
    rows, cols = axes(x)
    for r in ct.parallel(rows):
        for c in ct.parallel(cols):
            y[r, c] = x[r, c]


def global_effects(x, y, places):
    rows, cols = axes(x)
    for r in ct.parallel(rows):
        there = ct.coord(r, places[cols])
        y.tile(there, ct.shape(1, cols), bounds="zero").store(x[r, cols])


def target_binding(x, y):
    rows, cols = axes(x)
    for r in ct.parallel(rows, scope="device"):
        y[r, cols] = x[r, cols] * 2


KERNELS = (
    *(reduction_type, canonical_state, private_storage, manual_resources),
    *(manual_resources_of_a_group, manual_resources_with_a_layout, scanned_row, element_order),
    *(execution_nesting, global_effects, target_binding),
)


def rules_of_the_page():
    page = (ROOT / "docs/limitations.md").read_text(encoding="utf-8")
    table = re.search(r"\| what \| refusal .*?\n\n", page, re.DOTALL)
    cells = [line.split(" | ")[1] for line in table[0].splitlines()[2:] if line]
    return [rule for cell in cells for rule in re.findall(r"`(\w+)`", cell)]


def test_every_rule_of_the_page_is_tried():
    rules = rules_of_the_page()
    assert rules
    assert {
        rule for rule in rules if not any(k.__name__.startswith(rule) for k in KERNELS)
    } == set()


@pytest.mark.parametrize("function", KERNELS, ids=lambda function: function.__name__)
def test_a_kernel_is_declined_for_its_reason(function):
    arguments = (X, np.empty_like(X), PLACES)[: function.__code__.co_argcount]
    if function is target_binding:
        # A scope is an order: what it names is had or refused.
        with pytest.raises(ct.KernelError, match=r"P004.*target_binding"):
            ct.tile_kernel(function).prepare(*arguments)
        return
    plan = ct.tile_kernel(function).prepare(*arguments).plans[0]
    assert plan.mapping.family == "reference"
    rule = plan.declined.reason.partition(":")[0]
    assert function.__name__.startswith(rule)
    assert rule in rules_of_the_page()
