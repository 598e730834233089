"""Chains of programs: what is rewritten, that both programs compute the same, what is refused."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from certile.frontend.spec import Shaped
from certile.ir.dtypes import f16, f32, f64, i64
from certile.ir.terms import Var
from certile.ir.tile import Fallback, Load, Reduce, Result
from certile.ir.verify import verify
from certile.ir.walk import parallel_regions, values
from certile.ops.kernels import losses, rows
from certile.proof.check.regions import check_rewrite
from certile.reference import run
from certile.search.fusion import derive
from certile.search.regions import certificate_text, derived
from tests.unit.search import region_kernels as kernels

INF, NAN = np.inf, np.nan
SCALARS = {"scale": -0.75, "length": 5, "eps": 1e-5}


def _arguments(kernel, dtype, shape):
    parts = {"x": shape, "v": shape, "y": shape, "out": shape[:1]}
    names = kernel.signature.names
    return {
        name: SCALARS[name] if name in SCALARS else Shaped(dtype, parts[name])
        for name in names
        if name in SCALARS or name in parts
    }


def _derive(kernel, dtype=f64, shape=(4, 7)):
    """The kernel and what becomes of it; nothing is remembered from before."""
    before = kernel.tile_ir(_arguments(kernel, dtype, shape))
    return before, derived(before, parallel_regions(before)[0], derive)


def _rows(width):
    """Rows of all kinds: ordinary, wide apart, equal, huge, and with special values."""
    random = np.random.default_rng(3)
    made = [random.normal(size=width) * scale for scale in (1, 1, 30, 1e-3)]
    made += [random.normal(size=width) + 1e4, np.zeros(width), np.full(width, -2.5)]
    made += [random.normal(size=width) * 1e200, np.full(width, -INF), np.full(width, INF)]
    for special in (NAN, INF, -INF, 1.7e308, -1.7e308):
        row = random.normal(size=width)
        row[random.integers(width)] = special
        made.append(row)
    half = random.normal(size=width)
    half[::2] = -INF
    return np.stack([*made, half])


def _outcome(kernel, inputs):
    arrays = {name: value.copy() for name, value in inputs.items() if hasattr(value, "copy")}
    run(kernel, {**inputs, **arrays})
    return [arrays[name] for name in ("y", "out") if name in arrays]


@pytest.fixture(scope="module")
def proved():
    return {name: _derive(kernel) for name, kernel in kernels.PROVED.items()}


@pytest.mark.parametrize("name", kernels.PROVED)
def test_a_chain_is_rewritten_and_the_checker_accepts_it(proved, name):
    before, found = proved[name]
    rewrite = found.rewrite
    assert rewrite is not None, found.refusals
    text = certificate_text(rewrite.certificate)
    assert check_rewrite(before, rewrite.kernel, text) is None
    assert not list(verify(rewrite.kernel))
    assert rewrite.parallel in rewrite.kernel.body
    assert rewrite.digest == hashlib.sha256(text.encode()).hexdigest()
    assert bool(found.refusals) == (name in kernels.PARTLY)


@pytest.mark.parametrize("name", kernels.PROVED)
def test_both_programs_compute_the_same(proved, name):
    before, found = proved[name]
    x = _rows(7)
    inputs = {"x": x, "v": np.cos(np.arange(x.size)).reshape(x.shape), **SCALARS}
    inputs |= {"y": np.zeros_like(x), "out": np.zeros(len(x))}
    used = {param.name for param in before.params}
    inputs = {key: value for key, value in inputs.items() if key in used}
    as_written, rewritten = (_outcome(each, inputs) for each in (before, found.rewrite.kernel))
    size = 1 + np.nanmax(np.abs(np.where(np.isfinite(x), x, 0)), axis=1).clip(max=1e60) ** 3
    for wanted, got in zip(as_written, rewritten, strict=True):
        scale = size if wanted.ndim == 1 else size[:, None]
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(wanted))
        np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
        finite = np.isfinite(wanted)
        bound = np.broadcast_to(1e-11 * scale, wanted.shape)[finite]
        np.testing.assert_array_less(
            np.abs(got[finite] - wanted[finite]), bound + 1e-9 * np.abs(wanted[finite])
        )


@pytest.mark.parametrize("name", kernels.REFUSED)
def test_what_is_refused_is_left_and_said(name):
    kernel, obligation, words = kernels.REFUSED[name]
    _, found = _derive(kernel, f32)
    assert (found.rewrite is not None) == (name in kernels.PARTLY)
    refusal = found.refusals[0]
    assert refusal.kind == refusal.rule == "rewrite"
    assert refusal.obligation == obligation
    assert words in refusal.text
    assert refusal.loc.known


OPS = {
    "softmax": (rows.softmax_kernel, {"x": (4, 64), "y": (4, 64)}),
    "log_softmax": (rows.log_softmax_kernel, {"x": (4, 64), "y": (4, 64)}),
    "cross_entropy": (
        losses.cross_entropy_kernel,
        {"logits": (4, 64), "labels": (4,), "loss": (4,)},
    ),
    "layer_norm": (rows.layer_norm_kernel, {"x": (4, 64), "y": (4, 64)}),
}


@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("dtype", [f32, f16])
def test_operations_of_the_package_are_rewritten(name, dtype):
    kernel, shapes = OPS[name]
    given = {key: Shaped(i64 if key == "labels" else dtype, shape) for key, shape in shapes.items()}
    given |= {"eps": 1e-5} if name == "layer_norm" else {}
    before = kernel.tile_ir(given)
    found = derived(before, parallel_regions(before)[0])
    assert found.rewrite is not None
    assert not found.refusals
    fallback = next(at for at in values(found.rewrite.kernel) if isinstance(at, Fallback))
    assert all(isinstance(each, Reduce) for each in fallback.instead)


def test_a_kernel_whose_rewrites_are_off_is_left_without_a_word():
    before, _ = _derive(kernels.softmax)
    before = replace(before, rewrites="off")
    found = derived(before, parallel_regions(before)[0])
    assert found.rewrite is None
    assert not found.refusals


def test_a_result_that_only_a_limit_reads_is_a_component(proved):
    """The sum of weights divides the result, so it is in the test of whether one overflows."""
    _, found = proved["weighted"]
    (law,) = found.rewrite.laws
    assert len(law.state) == 3
    assert law.results == ("acc", "acc", "bool")
    assert law.finalize[1].args[-1] == Var(law.state[1].name)
    fold = next(at for at in values(found.rewrite.kernel) if getattr(at, "law", None) == law)
    read = {at.index for at in values(found.rewrite.kernel) if getattr(at, "of", None) is fold}
    assert read == {0, 2}


def test_element_wise_readers_stay_outside(proved):
    _, found = proved["softmax"]
    made = found.rewrite.kernel
    readers = [
        at
        for at in values(made)
        if any(isinstance(each, Result) and isinstance(each.of, Fallback) for each in at.operands())
    ]
    assert len(readers) == 2
    assert len([at for at in values(made) if isinstance(at, Load)]) == 1


def test_equal_kernels_have_equal_certificates(proved):
    _, once = proved["softmax"]
    _, again = _derive(kernels.softmax)
    assert json.dumps(once.rewrite.certificate) == json.dumps(again.rewrite.certificate)
