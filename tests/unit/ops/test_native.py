"""The frameworks' own forms compute what the operations compute."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch

from certile import ops
from certile.cli.bench.contest import Case, Race
from certile.cli.operations.forms import KNOWN, expected, made_up, traffic
from certile.cli.operations.oracles import tolerance
from certile.diagnostics import ArgumentError
from certile.ir.array_types import numpy_dtype
from certile.ops import native

FRAMEWORKS = ("numpy", "torch", "mlx")
SHAPES = {"rope": (9, 66), "group_norm": (3, 8, 65)}


@pytest.mark.parametrize("op", KNOWN)
def test_every_contestant_is_right(op: str) -> None:
    race = Race(Case(op, SHAPES.get(op, (9, 65))), FRAMEWORKS)
    wrong = {each.name: each.wrong for each in race.contestants if each.wrong}
    assert not wrong
    names = {each.name for each in race.contestants}
    for framework in FRAMEWORKS:
        theirs = native.native(op, framework)
        assert (framework in names) == (theirs is not None)
        assert (f"{framework} out=" in names) == (theirs is not None and theirs.given is not None)


@pytest.mark.parametrize(
    ("case", "code"),
    [
        (Case("soft_max", (4, 33)), "A308"),
        (Case("softmax", (4, 33), "f64"), "A305"),
        (Case("softmax", (4, 0)), "A305"),
        (Case("softmax", (33,)), "A305"),
        (Case("rope", (4, 33)), "A305"),
        (Case("topk", (4, 7)), "A305"),
        (Case("group_norm", (4, 6, 9)), "A305"),
    ],
)
def test_cases_that_are_none(case: Case, code: str) -> None:
    with pytest.raises(ArgumentError) as found:
        Race(case, ())
    assert found.value.code == code


def test_a_case_says_what_it_moves() -> None:
    plain = made_up(Case("norm_quantize", (4, 32), "bf16"))
    # x and weight in bf16, codes of one byte, scales of four.
    assert traffic(Case("norm_quantize", (4, 32), "bf16"), plain) == 2 * (128 + 32) + 128 + 16


def test_a_wrong_contestant_is_named() -> None:
    race = Race(Case("softmax", (4, 33)), ())
    honest = race.contestants[0].run
    race.contestants[0].run = lambda at: honest(at) * 1.001
    race._check()
    assert race.contestants[0].wrong.startswith("off by")
    assert not race.contestants[1].wrong


def test_a_skipped_element_is_noticed() -> None:
    race = Race(Case("softmax", (4, 33)), ())
    race.contestants[0].run = lambda at: race.outputs[at][0]
    race._check()
    assert race.contestants[0].wrong == "off by nan"


def test_the_tolerance_knows_wrong_results() -> None:
    x = np.random.default_rng(0).standard_normal((3, 1000))
    (exact,) = expected("sum", (x.astype(np.float32),))
    allowed = tolerance("sum", x, exact, "f32")
    assert (np.abs(x[:, 0]) > allowed).all()  # one element left out
    (shares,) = expected("softmax", (x.astype(np.float32),))
    # Each element counts by its own size, however large another is.
    assert shares.min() < 1e-2 * shares.max()
    assert (1e-4 * shares > tolerance("softmax", x, shares, "f32")).all()


INTEGERS = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
KINDS = {"float": "f", "int": "i", "uint": "u", "bfloat": "bf"}


def short(dtype: object) -> str:
    """Return our name of a framework's dtype: f32 for torch.float32."""
    word = str(dtype).rpartition(".")[-1]
    kind = word.rstrip("0123456789")
    return KINDS.get(kind, kind) + word.removeprefix(kind)


@pytest.mark.parametrize("name", [*INTEGERS, "f32", "f16", "f64"])
def test_conventions_are_those_of_numpy(name: str) -> None:
    x = np.ones((2, 3)).astype(numpy_dtype(name))
    assert native.sum_dtype("numpy", name) == short(x.sum(1).dtype)
    assert native.cumulative_dtype("numpy", name) == short(x.cumsum(1).dtype)
    assert native.mean_dtype("numpy", name) == short(x.mean(1).dtype)
    assert native.index_dtype("numpy") == short(x.argmax(1).dtype)
    assert native.default_correction("numpy") == 0
    np.testing.assert_array_equal(np.var([1.0, 2.0, 4.0]), np.var([1.0, 2.0, 4.0], ddof=0))


@pytest.mark.parametrize("name", ["bool", "i8", "i16", "i32", "i64", "u8", "f32", "f16", "f64"])
def test_conventions_are_those_of_pytorch(name: str) -> None:
    x = torch.from_numpy(np.ones((2, 3)).astype(numpy_dtype(name)))
    assert native.sum_dtype("torch", name) == short(x.sum(1).dtype)
    assert native.cumulative_dtype("torch", name) == short(x.cumsum(1).dtype)
    if x.is_floating_point():
        assert native.mean_dtype("torch", name) == short(x.mean(1).dtype)
        assert native.index_dtype("torch") == short(x.argmax(1).dtype)
        assert float(torch.tensor([1.0, 2.0]).var()) == 0.25 * 2
        assert native.default_correction("torch") == 1
    else:
        assert native.mean_dtype("torch", name) is None
        with pytest.raises(RuntimeError):
            x.mean(1)


@pytest.mark.parametrize("name", [*INTEGERS, "f32", "f16", "bf16"])
def test_conventions_are_those_of_mlx(name: str) -> None:
    import mlx.core as mx

    types = {short(each): each for each in vars(mx).values() if isinstance(each, mx.Dtype)}
    x = mx.ones((2, 3)).astype(types[name])
    assert native.sum_dtype("mlx", name) == short(mx.sum(x, 1).dtype)
    assert native.cumulative_dtype("mlx", name) == short(mx.cumsum(x, 1).dtype)
    assert native.mean_dtype("mlx", name) == short(mx.mean(x, 1).dtype)
    assert native.index_dtype("mlx") == short(mx.argmax(x, 1).dtype)
    assert float(mx.var(mx.array([1.0, 2.0]))) == 0.25
    assert native.default_correction("mlx") == 0


REAL_FUNCTIONS = (
    *("softmax", "log_softmax", "logsumexp", "l2_norm"),
    *("silu", "gelu", "gelu_tanh", "swiglu", "geglu", "rms_norm", "layer_norm"),
)


@pytest.mark.parametrize("framework", ["torch", "mlx"])
@pytest.mark.parametrize("op", REAL_FUNCTIONS)
def test_functions_of_integers_are_those_of_the_framework(op: str, framework: str) -> None:
    import mlx.core as mx

    numbers = np.array([[3, 0, 1], [2, 5, 2]], np.int32)
    x = torch.from_numpy(numbers) if framework == "torch" else mx.array(numbers)
    form = native.native(op, framework)
    assert form is not None
    inputs = (x, x) if op in ("swiglu", "geglu") else (x,)
    options = {"approximate": "tanh"} if op == "gelu_tanh" else {}
    ours = partial(getattr(ops, op.removesuffix("_tanh")), *inputs, **options)
    said = native.real_dtype(op, framework, "i32")
    if said is None:
        with pytest.raises((RuntimeError, ValueError)):  # NotImplementedError is a RuntimeError
            form.usual(*inputs)
        with pytest.raises(ArgumentError) as found:
            ours()
        assert found.value.code == "A302"
        return
    theirs, result = form.usual(*inputs), ours()
    assert said == short(theirs.dtype) == short(result.dtype)
    np.testing.assert_allclose(result.tolist(), theirs.tolist(), rtol=2e-6)


def test_numpy_has_no_function_of_integers() -> None:
    assert not [op for op in REAL_FUNCTIONS if native.real_dtype(op, "numpy", "i64")]
