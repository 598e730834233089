"""Integers that are known when a kernel is compiled: each place takes every kind of them alike."""

import numpy as np
import pytest
import torch

import certile as ct
from certile import ops
from certile.diagnostics import CertileError
from certile.ir import layouts
from certile.language.annotations import ViewAnnotation
from certile.language.integers import integer_or_none
from certile.plan.options import Options, options_of


class Index:
    """An integer by its one method."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


KINDS = {
    "int": int,
    "int64": np.int64,
    "uint8": np.uint8,
    "array": np.array,
    "tensor": torch.tensor,
    "index": Index,
}
NONE = {
    "float": float, "bool": bool, "bool_": np.bool_, "one of many": lambda n: np.array([n, n]),
    "bool of torch": lambda n: torch.tensor(bool(n)),
}  # fmt: skip

X = np.random.default_rng(7).standard_normal((4, 12)).astype(np.float32)
BYTES = np.arange(24, dtype=np.uint8).reshape(2, 12)


def axes_of_a_kernel(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", k(12))
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] + 1.0


def steps(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        for c in ct.serial(cols, k(3)):
            y[r, c] = x[r, c]


def positions(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = ct.at(x[r, cols], cols, k(5)) + x[r, cols]


def indices(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, k(5)] + x[k(2), cols]


def rectangles(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        place = x.tile(ct.coord(k(1), 0), ct.shape(k(1), cols))
        y[r, cols] = place.load() + x.tile((r, 0), (k(1), cols)).load()


def selections(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        kept = ct.axis("kept", k(3))
        values, places = ct.topk(x[r, cols], kept, cols)
        y[r, kept] = values
        y[r, 3 + kept.extent] = ct.reduce(ct.cast(places, ct.f32), kept, ct.add)


def first_values(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        for at, value in enumerate(ct.reduce(x[r, cols], cols, ct.top_values(k(3)))):
            y[r, at] = value
        for at, value in enumerate(ct.reduce(x[r, cols], cols, ct.bottom_values(k(2)))):
            y[r, 3 + at] = value
        y[r, 5] = ct.reduce(x[r, cols], cols, ct.top_values(k(1)))


def quotients(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", ct.cdiv(k(35), k(3)))
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols]


def placed(x, y, k):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    layout = layouts.strided((k(12),), (k(2),), k(24))
    for r in ct.parallel(rows):
        kept = ct.memory(cols, ct.f32, layout=layout)
        kept[cols] = x[r, cols]
        y[r, cols] = kept[11 - ct.iota(cols)]


BODIES = (
    axes_of_a_kernel, steps, positions, indices, rectangles, selections, first_values, quotients,
    placed,
)  # fmt: skip


def result(body, kind):
    @ct.tile_kernel
    def kernel(x: ct.View, y: ct.View):
        body(x, y, kind)

    y = np.zeros_like(X)
    kernel(X, y)
    return y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", BODIES)
def test_every_kind_of_integer_is_one_in_a_kernel(body, kind):
    wanted = result(body, int)
    assert wanted.any()
    np.testing.assert_array_equal(result(body, KINDS[kind]), wanted)


@pytest.mark.parametrize("kind", NONE)
@pytest.mark.parametrize("body", [*BODIES[:3], first_values, selections])
def test_whatever_else_is_refused_by_its_code(body, kind):
    with pytest.raises(CertileError, match=r"K028|K019|K016|K037"):
        result(body, NONE[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_packed_integers(kind):
    make = KINDS[kind]

    @ct.tile_kernel
    def kernel(x: ct.View, y: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            low, high = (ct.unpack(x[r, cols], make(at), bits=make(4)) for at in (0, 1))
            y[r, cols] = ct.pack(high, low, bits=make(4))

    y = np.zeros_like(BYTES)
    kernel(BYTES, y)
    np.testing.assert_array_equal(y, BYTES << 4 | BYTES >> 4)


def test_a_position_that_no_byte_has_is_refused_whatever_its_kind():
    for make in KINDS.values():

        @ct.tile_kernel
        def kernel(x: ct.View, y: ct.View, make: ct.constexpr = make):
            for r in ct.parallel(ct.axis("rows", x.shape[0])):
                y[r, 0] = ct.unpack(x[r, 0], make(2), bits=4)

        with pytest.raises(ct.KernelError, match="K016"):
            kernel(BYTES, np.zeros((2, 12), np.int8))


@pytest.mark.parametrize("kind", KINDS)
def test_outside_a_kernel(kind):
    make = KINDS[kind]
    assert ct.View[ct.f32, make(2)] == ViewAnnotation((ct.f32,), 2)
    assert options_of({"threads": make(64)}, Options()) == Options(threads=64)
    assert type(options_of({"threads": make(64)}, Options()).threads) is int
    assert ct.like("x", shape=(make(3), ("x", make(1)))) == ct.like("x", shape=(3, ("x", 1)))
    table = layouts.Table((make(2),), (make(1), make(0)), make(2))
    assert layouts.to_json(table) == ["table", [2], [1, 0], 2]
    bits = layouts.BitLinear((make(2),), ((make(1),),), make(2))
    assert layouts.to_json(bits) == ["bits", [2], [[1]], 2]
    assert layouts.to_json(layouts.row_major((make(2), make(3)))) == [
        *("digits", [2, 3], [[[2, 3]], [[3, 1]]], 6)
    ]


@pytest.mark.parametrize("kind", NONE)
def test_what_is_no_integer_outside_a_kernel(kind):
    value = NONE[kind](2)
    with pytest.raises(ct.KernelError, match="K026"):
        ct.View[ct.f32, value]
    with pytest.raises(ct.ArgumentError, match="A009"):
        options_of({"threads": value}, Options())
    with pytest.raises(ct.ArgumentError, match="A011"):
        ct.like("x", shape=(value,))
    with pytest.raises(ValueError, match="integers"):
        layouts.Table((2,), (0, 1), value)


@pytest.mark.parametrize("kind", KINDS)
def test_operations(kind):
    make = KINDS[kind]
    for made, wanted in (
        (ops.sum(X, axis=make(0)), ops.sum(X, axis=0)),
        (ops.sum(X, axis=(make(0), make(1))), ops.sum(X, axis=(0, 1))),
        (ops.softmax(X, axis=make(1)), ops.softmax(X, axis=1)),
        (ops.cumsum(X, axis=make(0)), ops.cumsum(X, axis=0)),
        (ops.topk(X, make(3))[1], ops.topk(X, 3)[1]),
        (ops.group_norm(X[..., None], make(2)), ops.group_norm(X[..., None], 2)),
        (ops.var(X, axis=1, correction=make(1)), ops.var(X, axis=1, correction=1)),
    ):
        np.testing.assert_array_equal(made, wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_jitted_functions(kind):
    make = KINDS[kind]

    @ct.jit
    def f(x):
        return x.sum(axis=make(0)), np.cumsum(x, axis=make(1)), np.flip(x, make(1))

    for made, wanted in zip(f(X), f.function(X), strict=True):
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)


def test_which_values_are_integers():
    assert [integer_or_none(make(3)) for make in KINDS.values()] == [3] * len(KINDS)
    assert all(type(integer_or_none(make(3))) is int for make in KINDS.values())
    others = [*(make(1) for make in NONE.values()), None, "1", 1j]
    assert [integer_or_none(each) for each in others] == [None] * len(others)
