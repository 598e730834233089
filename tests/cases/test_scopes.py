"""Every scope on every construct, on every target: realised as written, or refused at its line."""

from typing import get_args

import numpy as np
import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import f32
from certile.ir.tile import Scope
from certile.ir.walk import parallel_regions
from certile.plan.choose import choose
from certile.targets import DEFAULTS
from tests.cases.everywhere import refused

SCOPES = get_args(Scope)
X = np.random.default_rng(0).standard_normal((5, 300)).astype(np.float32)


def on_parallel(scope):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows, scope=scope):
            y[r] = ct.reduce(x[r, cols], cols, ct.add)

    return kernel


def on_reduce(scope):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, ct.add, scope=scope)

    return kernel


def on_serial(scope):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        parts = ct.axis("parts", 3)
        for r in ct.parallel(rows):
            total = ct.carry(0.0)
            for _ in ct.serial(parts, scope=scope):
                total.value = total.value + ct.reduce(x[r, cols], cols, ct.add)
            y[r] = total.value / 3

    return kernel


def in_a_group(scope):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows, scope="group"):
            y[r] = ct.reduce(x[r, cols], cols, ct.add, scope=scope)

    return kernel


CONSTRUCTS = {each.__name__: each for each in (on_parallel, on_reduce, on_serial, in_a_group)}
GPU = {
    ("on_parallel", "group"): "group",
    ("in_a_group", "auto"): "group",
    ("in_a_group", "group"): "group",
    ("in_a_group", "subgroup"): "group",
    **{(name, "auto"): "subgroup" for name in ("on_parallel", "on_reduce", "on_serial")},
    **{(name, "subgroup"): "subgroup" for name in ("on_parallel", "on_reduce", "on_serial")},
    **{(name, "worker"): "reference" for name in ("on_parallel", "on_reduce", "on_serial")},
}
CPU = {
    **{(name, "worker"): "reference" for name in CONSTRUCTS},
    **{
        (name, scope): "subgroup"
        for name in CONSTRUCTS
        for scope in ("auto", "group", "subgroup", "vector")
    },
}
ASKED = [(name, scope) for name in CONSTRUCTS for scope in SCOPES]


@pytest.mark.parametrize("target", ["cpu", "metal-sim"])
@pytest.mark.parametrize(("name", "scope"), ASKED)
def test_a_scope_is_an_order(name, scope, target):
    kernel, y = CONSTRUCTS[name](scope), np.full(len(X), np.nan, np.float32)
    family = (CPU if target == "cpu" else GPU).get((name, scope))
    with ct.target(target):
        if family is None:
            assert "^" in str(refused("P004", kernel, X, y))
            assert np.isnan(y).all()
            return
        (plan,) = kernel.prepare(X, y).plans
        kernel(X, y)
    assert plan.mapping.family == family
    np.testing.assert_allclose(y, X.sum(axis=1, dtype=np.float64), rtol=0, atol=1e-4)
    if scope == "worker":
        assert plan.declined is None
    if scope == "subgroup":
        assert name == "in_a_group" or plan.mapping.subgroups_per_program == 1


@pytest.mark.parametrize(("name", "scope"), ASKED)
def test_metal_and_cuda_bind_alike(name, scope):
    shapes = {"x": X.shape, "y": X.shape[:1]}
    made = CONSTRUCTS[name](scope).tile_ir({n: Shaped(f32, s) for n, s in shapes.items()})
    (launch,) = parallel_regions(made)
    for target in ("metal", "cuda"):
        plan = choose(made, launch, len(X), DEFAULTS[target])
        assert (plan.mapping and plan.mapping.family) == GPU.get((name, scope))


# Scopes that do not go together.


def nested(outer, loop, inner):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        parts = ct.axis("parts", 2)
        for r in ct.parallel(rows, scope=outer):
            total = ct.carry(0.0)
            for _ in ct.serial(parts, scope=loop):
                total.value = total.value + ct.reduce(x[r, cols], cols, ct.add, scope=inner)
            y[r] = total.value

    return kernel


@pytest.mark.parametrize(
    ("scopes", "target"),
    [
        (("worker", "auto", "subgroup"), "cpu"),
        (("subgroup", "worker", "auto"), "cpu"),
        (("auto", "worker", "subgroup"), "cpu"),
        (("vector", "auto", "worker"), "cpu"),
        (("worker", "auto", "group"), "metal-sim"),
        (("group", "subgroup", "auto"), "metal-sim"),
        (("group", "auto", "worker"), "metal-sim"),
    ],
)
def test_scopes_that_contradict_each_other(scopes, target):
    with ct.target(target):
        assert "target_binding" in refused("P004", nested(*scopes), X, np.zeros(5, np.float32))


def test_what_single_lanes_would_make_is_not_a_subgroups():
    def case(scope):
        @ct.tile_kernel
        def kernel(x, y):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for _ in ct.parallel(ct.axis("one", 1)):
                y[cols] = ct.reduce(x[rows, cols], rows, ct.add, scope=scope)

        return kernel

    y = np.zeros(300, np.float32)
    case("auto")(X, y)
    np.testing.assert_allclose(y, X.sum(axis=0), atol=1e-5)
    refused("P004", case("subgroup"), X, y)


@pytest.mark.parametrize(
    ("name", "scope", "target", "options"),
    [
        ("on_parallel", "worker", "metal-sim", {"threads": 64}),
        ("on_parallel", "worker", "cpu", {"subgroup_reductions": "on"}),
        ("on_reduce", "subgroup", "metal-sim", {"subgroup_reductions": "off"}),
        ("on_reduce", "subgroup", "metal-sim", {"threads": 64}),
        ("in_a_group", "subgroup", "metal-sim", {"subgroup_reductions": "off"}),
        ("in_a_group", "subgroup", "metal-sim", {"threads": 48}),
    ],
)
def test_options_that_contradict_a_scope(name, scope, target, options):
    kernel = CONSTRUCTS[name](scope)
    with ct.target(target):
        refused("P004", kernel.prepare, X, np.zeros(5, np.float32), plan=options)


def test_one_program_a_lane_of_neighbouring_columns():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for c in ct.parallel(cols, scope="worker"):
            y[c] = ct.reduce(x[rows, c], rows, ct.add)

    y = np.zeros(300, np.float32)
    (plan,) = kernel.prepare(X, y).plans
    kernel(X, y)
    assert plan.mapping.family == "columns"
    np.testing.assert_allclose(y, X.sum(axis=0), atol=1e-5)
