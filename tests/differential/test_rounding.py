"""Bounds of rounding: no tree of a plan exceeds them, and they are not empty.

Reductions run as compiled CPU code and in the interpreter of Machine IR, over adversarial rows and
rows that a search makes worse.  What is exact comes from math.fsum and float64, not from the bound.
"""

import ctypes
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from certile.codegen import emitter_for
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32
from certile.ir.terms import Var, app
from certile.ir.tile import Reduce
from certile.ir.walk import evaluated
from certile.plan.mapping import Mapping
from certile.plan.rounding.bounds import rounding_of
from certile.runtime.cpu.engine import compile_module, load_object
from certile.search.fusion import Beside, Chain, derive
from tests import adversaries
from tests.differential.harness import HOST_SHEET, REFERENCE, SHEETS, Case

LENGTH = 700
FROM_R, PAIR = app("sub", "x", "r"), app("sub", "x0", "r")
WEIGHT, WEIGHTED = app("exp", PAIR), app("mul", app("exp", PAIR), "x1")
CHAINS = {
    "weights": Chain("max", Var("x0"), (WEIGHT, WEIGHTED), operands=2),
    "spread": Chain("mean", Var("x"), (app("mul", FROM_R, FROM_R),)),
    "both spreads": Chain(
        "mean",
        Var("x0"),
        (app("mul", PAIR, app("sub", "x1", "r_1")),),
        operands=2,
        beside=(Beside("mean", Var("x1")),),
    ),
    "third": Chain("mean", Var("x"), (app("mul", app("mul", FROM_R, FROM_R), FROM_R),)),
    "from the maximum": Chain("max", Var("x"), (app("mul", FROM_R, FROM_R),)),
    "by the size": Chain("absmax", Var("x"), (app("div", app("mul", "x", 127.0), "r"),)),
    "two summands": Chain("max", Var("x"), (app("add", app("exp", FROM_R), "x"),)),
}
BUILT_IN = ("add", "mul", "mean_var", "sum_var", "logsumexp", "softmax_sum", "maximum")
LAWS = (*BUILT_IN, *CHAINS)
CPU = {
    "one": Mapping("subgroup"),
    "four": Mapping("subgroup", accumulators=4),
    "blocks": Mapping("subgroup", accumulators=2, block=4),
    "serial": REFERENCE,
}
MACHINE = {
    "S1 V1": Mapping("subgroup"),
    "S4 V2": Mapping("subgroup", 4, 1, 2),
    "S2 V4 B": Mapping("subgroup", 2, 1, 4, block=4),
}


@cache
def law_of(name):
    if name not in CHAINS:
        return laws.BUILTIN[name]
    found = derive(CHAINS[name], name.replace(" ", "_"))
    return replace(found.law, closed=found.meaning.closed)


@cache
def kernel(name, policy):
    """The results of a law over each row of x, or of x and v."""
    law, b = law_of(name), Builder("reduced")
    views = [b.view(each, f32, 2) for each in ("x", "v")[: law.operands]]
    rows, cols = b.axis("rows", dim(views[0], 0)), b.axis("cols", dim(views[0], 1))
    outs = [b.view(f"y{k}", f32, 1) for k in range(len(law.results))]
    with b.parallel(rows):
        made = b.reduce([b.load(each, rows, cols) for each in views], cols, law, policy=policy)
        values = b.results(made) if len(outs) > 1 else [made]
        for out, value in zip(outs, values, strict=True):
            b.store(out, rows, value)
    return b.build()


class Program:
    """A law under one mapping, for some number of rows, ready to run."""

    def __init__(self, name, count, mapping, sheet="cpu", policy="unordered_tree"):
        self.law = law_of(name)
        shape = (count, LENGTH)
        names = ("x", "v")[: self.law.operands]
        arguments = {each: np.zeros(shape, np.float32) for each in names}
        arguments |= {f"y{k}": np.zeros(count, np.float32) for k in range(len(self.law.results))}
        self.case = Case(kernel(name, policy), arguments)
        self.on = HOST_SHEET if sheet == "cpu" else SHEETS[sheet]
        self.lowered = self.case.lower(self.on, mapping)
        assert self.lowered is not None
        self.inputs = [self.case.arguments[each] for each in names]
        self.outputs = list(self.case.outputs().values())
        self.entry = self._compiled() if sheet == "cpu" else None

    def _compiled(self):
        ((plan, launch),) = self.lowered
        self.artifact = emitter_for(plan.sheet)(launch.kernel, plan.sheet)
        self.loaded = load_object(compile_module(self.artifact.text))
        kind = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
        )
        return kind(self.loaded.address(self.artifact.entry))

    def run(self, *inputs):
        for held, given in zip(self.inputs, inputs, strict=True):
            held[...] = given
        ((plan, launch),) = self.lowered
        if self.entry is None:
            for report in self.case.run_machine(self.lowered):
                assert report.ok, report
            return [out.copy() for out in self.outputs]
        slots = np.zeros(len(launch.buffers) + len(launch.scalars), np.int64)
        for k, name in enumerate(launch.buffers):
            slots[k] = self.case.arguments[name].ctypes.data
        slots[len(launch.buffers) :] = self.case.scalars(launch)
        scratch = np.zeros(self.artifact.scratch_bytes + 64, np.uint8)
        base = scratch.ctypes.data + -scratch.ctypes.data % 64
        groups = -(-plan.programs // self.artifact.programs_per_group)
        self.entry(slots.ctypes.data, 0, groups, base)
        return [out.copy() for out in self.outputs]

    def bound(self):
        ((plan, _),) = self.lowered
        if plan.rows is not None:
            (node,) = plan.rows.reductions
            return rounding_of(plan, node)
        # A plan of the reference map has no row program; its trees are those of the mapping.
        region = self.case.regions[0]
        node = next(each for each in evaluated(region) if isinstance(each, Reduce))
        planned = self.case.plan(region, HOST_SHEET)
        return rounding_of(replace(planned, mapping=REFERENCE), node)

    def ratios(self, *inputs):
        """Error over bound of each result (first axis) and row."""
        found = self.run(*inputs)
        wanted = exact(self.law, inputs)
        bounds = self.bound().bound(*inputs)
        return np.stack(
            [
                np.abs(f.astype(np.float64) - w) / np.maximum(b, 1e-300)
                for f, w, b in zip(found, wanted, bounds, strict=True)
            ]
        )


def exact(law, inputs):
    """The results by their definitions, sums by math.fsum."""
    x, *others = [each.astype(np.longdouble) for each in inputs]
    most, mean = x.max(axis=1), summed(x) / x.shape[1]
    off = x - mean[:, None]
    weight = np.exp(x - most[:, None])
    values = {
        "add": lambda: [summed(x)],
        "mul": lambda: [np.prod(x, axis=1)],
        "maximum": lambda: [most],
        "mean_var": lambda: [mean, summed(off * off) / x.shape[1]],
        "sum_var": lambda: [summed(x), summed(off * off) / x.shape[1]],
        "logsumexp": lambda: [most + np.log(summed(weight))],
        "softmax_sum": lambda: [summed(weight * others[0]) / summed(weight)],
        "weights": lambda: [most, summed(weight), summed(weight * others[0])],
        "spread": lambda: [mean, summed(off * off)],
        "both_spreads": lambda: [
            mean,
            summed(others[0]) / x.shape[1],
            summed(off * (others[0] - (summed(others[0]) / x.shape[1])[:, None])),
        ],
        "third": lambda: [mean, summed(off**3)],
        "from_the_maximum": lambda: [most, summed((x - most[:, None]) ** 2)],
        "by_the_size": lambda: [
            np.abs(x).max(axis=1),
            summed(x * 127 / np.abs(x).max(axis=1)[:, None]),
        ],
        "two_summands": lambda: [most, summed(weight) + summed(x)],
    }
    return [np.asarray(each, np.float64) for each in values[law.name]()]


def summed(x):
    """Sums of rows, exact but for the last digit of a long double."""
    return np.asarray([math.fsum(row) for row in x.astype(np.float64)], np.longdouble) + (
        (x - x.astype(np.float64)).sum(axis=1)
    )


def given(name):
    """Every adversarial row, with values beside it where the law takes them."""
    rows = np.stack(list(adversaries.rows(LENGTH).values()))
    if name == "mul":
        rows = (1 + rows / np.abs(rows).max(axis=1)[:, None] / 64).astype(np.float32)
    values = np.random.default_rng(5).standard_normal(rows.shape).astype(np.float32)
    return (rows, values)[: law_of(name).operands]


@pytest.mark.parametrize("way", CPU)
@pytest.mark.parametrize("name", LAWS)
def test_compiled_code_keeps_the_bound(name, way):
    inputs = given(name)
    program = Program(name, len(inputs[0]), CPU[way])
    assert program.ratios(*inputs).max() <= 1


@pytest.mark.parametrize("way", MACHINE)
@pytest.mark.parametrize("name", ["add", "mean_var", "softmax_sum", "weights", "spread"])
def test_subgroups_keep_the_bound(name, way):
    inputs = given(name)
    program = Program(name, len(inputs[0]), MACHINE[way], "metal")
    assert program.ratios(*inputs).max() <= 1


@pytest.mark.parametrize("start", ["normal", "offset", "half ulps"])
@pytest.mark.parametrize("name", ["add", "mean_var", "weights", "spread"])
def test_no_search_finds_a_row_beyond_the_bound(name, start):
    program = Program(name, adversaries.OFFSPRING, CPU["four"])
    values = np.random.default_rng(6).random((adversaries.OFFSPRING, LENGTH)).astype(np.float32)
    beside = (values,)[: law_of(name).operands - 1]

    def worst(rows):
        return program.ratios(rows, *beside).max(axis=0)

    row = adversaries.rows(LENGTH)[start]
    assert 0 < adversaries.climb(row, worst) <= 1


def test_bounds_are_not_empty():
    """Errors of random rows come within a factor of a hundred of the bound, of some row."""
    rng = np.random.default_rng(7)
    count = 64
    x, v = rng.random((2, count, LENGTH)).astype(np.float32)
    assert Program("add", count, CPU["four"]).ratios(x).max() > 0.01
    most, weights, weighted = Program("weights", count, CPU["four"]).ratios(x, v)
    assert most.max() == 0
    assert weights.max() > 0.01
    assert weighted.max() > 0.01


def test_a_serial_sum_attains_its_bound():
    row = adversaries.rows(LENGTH)["half ulps"][None]
    program = Program("add", 1, CPU["serial"], policy="fold_left")
    assert 0.9 < program.ratios(row).max() <= 1


def test_an_estimate_is_less_than_the_bound():
    x = given("add")[0]
    stated = Program("add", len(x), CPU["serial"], policy="fold_left").bound()
    (likely,), (most,) = stated.estimate(x), stated.bound(x)
    assert (likely < most / 10).all()


@pytest.mark.parametrize("name", ["add", "mean_var", "weights", "spread"])
def test_a_result_beyond_the_bound_is_seen(name):
    """The same programs with one element lost leave the bound: the test above can fail."""
    inputs = [each[:1] for each in given(name)]
    spoiled = [each.copy() for each in inputs]
    spoiled[0][0, 0] += 1
    stated = Program(name, 1, CPU["four"])
    found, bounds = stated.run(*spoiled), stated.bound().bound(*inputs)
    off = [
        np.abs(f - w) / np.maximum(b, 1e-300)
        for f, w, b in zip(found, exact(stated.law, inputs), bounds, strict=True)
    ]
    assert max(each.max() for each in off) > 1
