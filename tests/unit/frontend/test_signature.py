"""What an argument is under a parameter, and which are refused."""

import inspect

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import ArgumentError
from certile.frontend.dtype_names import dtype_of
from certile.frontend.signature import KernelSignature
from certile.frontend.spec import ConstantSpec, ScalarSpec, Shaped, ViewSpec
from certile.ir.fingerprint import fingerprint

X = object()


def specs(kernel, *values, **keywords):
    signature = KernelSignature(kernel)
    bound = signature.bind("kernel", values, keywords)
    described = [(ct.f32, 2) if value is X else None for value in bound]
    return [spec for _, spec in signature.specs(bound, described)]


def refused(code, kernel, *values, **keywords):
    with pytest.raises(ArgumentError) as caught:
        specs(kernel, *values, **keywords)
    assert caught.value.code == code
    assert isinstance(caught.value, TypeError)


def test_plain_parameters_are_what_the_argument_is():
    def kernel(x, a, b, c, d):
        pass

    assert specs(kernel, X, True, 1, 1.0, np.int8(1)) == [
        ViewSpec(ct.f32, 2),
        ScalarSpec(ct.bool_, "bool"),
        ScalarSpec(ct.i32, "int"),
        ScalarSpec(ct.f32, "float"),
        ScalarSpec(ct.i8),
    ]
    assert specs(kernel, X, 1 << 40, 0, 0, 0)[1] == ScalarSpec(ct.i64, "int")


def test_annotations():
    def kernel(x: ct.View[ct.f32 | ct.bf16, 2], n: ct.i8, m: ct.constexpr, k: float):
        pass

    assert specs(kernel, X, 5, (1, "a"), 3) == [
        ViewSpec(ct.f32, 2),
        ScalarSpec(ct.i8),
        ConstantSpec((1, "a")),
        ScalarSpec(ct.f32, "float"),
    ]
    refused("A007", kernel, X, 128, 1, 1.0)
    refused("A007", kernel, X, 2.5, 1, 1.0)
    refused("A008", kernel, X, 1, [1], 1.0)
    refused("A002", kernel, X, X, 1, 1.0)
    refused("A002", kernel, 1.0, 1, 1, 1.0)


def test_arguments_that_no_parameter_takes():
    def kernel(x, n: int = 3):
        pass

    assert specs(kernel, X) == specs(kernel, X, 3) == specs(kernel, X, n=3) == specs(kernel, x=X)
    for values, keywords in (((), {}), ((X, 3, 3), {}), ((X, 3), {"n": 3}), ((X,), {"m": 3})):
        refused("A001", kernel, *values, **keywords)


def test_dtypes_and_ranks():
    def wrong_dtype(x: ct.View[ct.bf16 | ct.f16]):
        pass

    def wrong_rank(x: ct.View[..., 3]):
        pass

    def right(x: ct.InOut[ct.f32]):
        pass

    refused("A003", wrong_dtype, X)
    refused("A004", wrong_rank, X)
    assert specs(right, X) == [ViewSpec(ct.f32, 2)]
    assert KernelSignature(right).parameters[0].view.inout


def test_text_annotations_are_read():
    namespace = {"ct": ct}
    exec(
        "from __future__ import annotations\n"
        "def kernel(x: ct.View[ct.f32, 2], n: ct.constexpr): ...",
        namespace,
    )
    assert specs(namespace["kernel"], X, 3) == [ViewSpec(ct.f32, 2), ConstantSpec(3)]


def test_defaults_keywords_and_python_s_own_complaints():
    def kernel(x, y, z: ct.constexpr = 3, *, w: int = 4):
        pass

    assert specs(kernel, X, X)[2:] == [ConstantSpec(3), ScalarSpec(ct.i32, "int")]
    assert specs(kernel, y=X, x=X, w=1, z=2)[2:] == [ConstantSpec(2), ScalarSpec(ct.i32, "int")]
    refused("A001", kernel, X)
    refused("A001", kernel, X, X, 3, 4)
    refused("A001", kernel, X, X, x=X)
    refused("A001", kernel, X, X, v=1)


def test_binding_agrees_with_python():
    def plain(x, y, z=3, w=4):
        pass

    def named(x, *, y=2):
        pass

    def placed(x, /, y=2):
        pass

    calls = [
        (args, keywords)
        for args in ((), (1,), (1, 5), (1, 5, 6), (1, 5, 6, 7), (1, 5, 6, 7, 8))
        for names in ((), ("x",), ("y",), ("y", "x"), ("z", "w"), ("y", "z", "w"), ("w",), ("v",))
        for keywords in ({name: 10 + at for at, name in enumerate(names)},)
    ]
    for function in (plain, named, placed):
        signature = KernelSignature(function)
        for args, keywords in calls:
            try:
                wanted = inspect.signature(function).bind(*args, **keywords)
            except TypeError:
                with pytest.raises(ct.ArgumentError):
                    signature.bind("kernel", args, keywords)
                continue
            wanted.apply_defaults()
            assert signature.bind("kernel", args, keywords) == tuple(wanted.arguments.values())


def test_none_is_a_compile_time_value_where_it_may_stand():
    def kernel(x: ct.View, weight: ct.View | None, bias: ct.View = None):
        pass

    assert specs(kernel, X, None) == [ViewSpec(ct.f32, 2), ConstantSpec(None), ConstantSpec(None)]
    refused("A002", kernel, None, None)


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("f32", "f32"),
        ("float32", "f32"),
        (np.float32, "f32"),
        (np.dtype("i8"), "i64"),
        (np.dtype(">f4"), None),
        (np.dtype("c8"), None),
        (float, None),
        ("complex64", None),
    ],
)
def test_names_of_dtypes(item, name):
    found = dtype_of(item)
    assert (found.name if found else None) == name


def test_dtypes_of_other_packages():
    import ml_dtypes
    import torch

    assert dtype_of(np.dtype(ml_dtypes.bfloat16)) == ct.bf16
    assert dtype_of(ml_dtypes.bfloat16) == ct.bf16
    assert dtype_of(torch.bfloat16) == ct.bf16
    assert dtype_of(torch.complex64) is None


@pytest.mark.parametrize("dtype", [ct.f32, ct.f64])
def test_an_array_stands_for_its_dtype_and_shape_in_tile_ir(dtype):
    @ct.tile_kernel
    def kernel(x: ct.View, y: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols]

    arrays = {name: np.zeros((3, 4), dtype.name.replace("f", "float")) for name in "xy"}
    shaped = {name: Shaped(dtype, (3, 4)) for name in "xy"}
    assert fingerprint(kernel.tile_ir(arrays)) == fingerprint(kernel.tile_ir(shaped))
