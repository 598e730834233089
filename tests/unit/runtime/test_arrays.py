"""Arrays of every framework: what is read from them, what is refused, how they overlap."""

import itertools
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import mlx.core as mx
import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from certile import ops
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.array_types import BEYOND_NUMPY, numpy_dtype
from certile.runtime import arrays
from certile.runtime.arrays import describe, overlap, probe, signature

NUMPY = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16,
    "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip
TORCH = {
    "bool": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
    "i64": torch.int64, "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32,
    "u64": torch.uint64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32,
    "f64": torch.float64, "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2,
}  # fmt: skip


class Lent:
    """An array of a framework that only speaks DLPack."""

    def __init__(self, array: Any, old: bool = False) -> None:
        self._array = array
        self._old = old

    def __dlpack__(self, **options: object) -> object:
        if not self._old:
            return self._array.__dlpack__(**options)
        if options:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._array.__dlpack_device__()
        return device


@pytest.mark.parametrize("name", NUMPY)
def test_numpy_element_types(name: str) -> None:
    array = np.zeros((3, 4), NUMPY[name])
    info = describe(array)
    assert (info.dtype, info.itemsize) == (name, array.itemsize)
    assert (info.shape, info.strides, info.size) == ((3, 4), (4, 1), 12)
    assert info.address == array.ctypes.data
    assert (info.framework, info.device, info.readonly) == ("numpy", "cpu", False)
    assert numpy_dtype(name) == array.dtype


@pytest.mark.parametrize("name", TORCH)
def test_torch_element_types(name: str) -> None:
    tensor = torch.zeros((3, 4), dtype=TORCH[name])
    info = describe(tensor)
    assert (info.dtype, info.itemsize) == (name, tensor.element_size())
    assert (info.shape, info.strides) == ((3, 4), (4, 1))
    assert type(info.shape) is tuple
    assert info.address == tensor.data_ptr()
    assert (info.framework, info.device, info.readonly) == ("torch", "cpu", False)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "steps": lambda a: a[::2, 1::3],
    "row": lambda a: a[2],
    "column": lambda a: a[:, 3],
    "scalar": lambda a: a[2, 3, ...],
    "empty": lambda a: a[:0],
    "shifted": lambda a: a[1:, 1:],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["f32", "bf16", "u8"])
def test_layouts_are_read_as_they_are(layout: str, name: str) -> None:
    array = LAYOUTS[layout](np.arange(48).reshape(6, 8).astype(NUMPY[name]))
    info = describe(array)
    assert info.address == array.__array_interface__["data"][0]
    assert info.strides == tuple(s // array.itemsize for s in array.strides)
    assert probe(array)[1] == info.address
    tensor = LAYOUTS[layout](torch.arange(48).reshape(6, 8).to(TORCH[name]))
    info = describe(tensor)
    assert (info.address, info.strides) == (tensor.data_ptr(), tuple(tensor.stride()))
    assert probe(tensor)[1] == info.address


def test_negative_and_zero_strides() -> None:
    base = np.arange(6, dtype=np.float32)
    assert describe(base[::-1]).strides == (-1,)
    assert describe(base[::-1]).address == base.ctypes.data + 20
    assert describe(np.broadcast_to(base, (4, 6))).strides == (0, 1)
    assert describe(torch.arange(6).expand(4, 6)).strides == (0, 1)


def test_unaligned_array_is_read() -> None:
    array = np.zeros(17, np.uint8)[1:].view(np.float32)
    assert describe(array).address == array.ctypes.data
    assert probe(array)[1] == array.ctypes.data
    assert arrays.alignment(array.ctypes.data) < 4


@pytest.mark.parametrize("value", [1.0, [1.0], None, "text", np.float32(1), np, object()])
def test_what_is_no_array_is_refused(value: object) -> None:
    for ask in (describe, probe):
        with pytest.raises(ArgumentError) as caught:
            ask(value)
        assert caught.value.code == "A201"


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(3, complex),
        np.zeros(3, object),
        np.zeros(3, "U4"),
        np.zeros(3, "M8[s]"),
        np.zeros(3, [("a", "f4")]),
        np.zeros(3, ">f4"),
        np.zeros(3, np.longdouble),
        np.zeros(3, ml_dtypes.float8_e4m3fnuz),
        np.zeros(3, ml_dtypes.int4),
        torch.zeros(3, dtype=torch.complex64),
    ],
    ids=lambda array: str(array.dtype),
)
def test_other_element_types_are_refused(array: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        describe(array)
    assert caught.value.code == "A202"
    assert str(array.dtype) in str(caught.value)


def test_other_byte_order_says_what_helps() -> None:
    array = np.arange(3, dtype=">f4")
    with pytest.raises(ArgumentError, match="newbyteorder"):
        describe(array)
    assert describe(array.astype(array.dtype.newbyteorder("="))).dtype == "f32"


def test_strides_between_elements_are_refused() -> None:
    record = np.zeros(3, [("a", "u1"), ("b", "f4")])
    with pytest.raises(ArgumentError) as caught:
        describe(record["b"])
    assert caught.value.code == "A203"
    assert describe(record["b"][:1]).shape == (1,)


class Marked(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.ma.masked_array([1.0, 2.0], mask=[0, 1]),
        lambda: np.rec.array(np.zeros(3, np.float32)),
        lambda: torch.eye(3).to_sparse(),
        lambda: torch.eye(3).to_sparse_csr(),
        lambda: torch.zeros(3, device="meta"),
        lambda: torch.zeros(3).as_subclass(Marked),
        lambda: torch.zeros(3, dtype=torch.complex64).conj().imag,
        lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
        lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)], layout=torch.jagged),
    ],
    ids=["masked", "record", "sparse", "csr", "meta", "subclass", "negated", "nested", "jagged"],
)
@pytest.mark.filterwarnings("ignore:Sparse CSR:UserWarning")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_elements_that_lie_elsewhere_are_refused(make: Callable[[], Any]) -> None:
    array = make()
    with pytest.raises(UnsupportedError) as caught:
        describe(array)
    assert caught.value.code == "U201"
    assert "hint" in str(caught.value)


def test_tensors_of_a_transform_are_refused() -> None:
    def inside(x: torch.Tensor) -> torch.Tensor:
        for ask in (describe, probe):
            with pytest.raises(UnsupportedError) as caught:
                ask(x)
            assert caught.value.code == "U201"
        return x

    torch.func.vmap(inside)(torch.zeros(2, 3))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of tracing itself
def test_tensors_that_are_traced_are_refused() -> None:
    """A traced function would return what an output held before anything was stored."""
    x = torch.zeros(2, 3)
    ops.softmax(x)  # a call that is known
    with pytest.raises(UnsupportedError) as caught:
        torch.jit.trace(ops.softmax, x)
    assert caught.value.code == "U201"
    assert "torch.jit.trace" in str(caught.value)
    assert torch.equal(ops.softmax(x), torch.softmax(x, -1))


def test_an_address_is_read_from_memory_that_is_still_there() -> None:
    """Freed memory keeps what it held, by luck, unless Python overwrites it."""
    script = """
import numpy as np
from certile.runtime.arrays import describe, probe

x = np.zeros((4, 6), np.float32)[1:, ::2]
assert probe(x)[1] == describe(x).address == x.ctypes.data
"""
    environment = {**os.environ, "PYTHONMALLOC": "debug"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)


def test_results_follow_the_arrays_and_not_pytorchs_default_device() -> None:
    x = torch.ones(2, 3)
    with torch.device("meta"):
        assert torch.empty(1).is_meta
        assert ops.softmax(x).tolist() == torch.softmax(x, -1).tolist()


def test_memory_map_and_parameter_are_plain(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "file", np.float32, "w+", shape=(4,))
    assert describe(mapped).address == mapped.ctypes.data
    assert probe(mapped)[1] == mapped.ctypes.data
    parameter = torch.nn.Parameter(torch.zeros(4))
    assert describe(parameter).requires_grad
    assert probe(parameter)[1] == parameter.data_ptr()


@pytest.mark.parametrize("name", [n for n in NUMPY if n not in BEYOND_NUMPY])
def test_dlpack_of_numpy(name: str) -> None:
    array = np.zeros((3, 4), NUMPY[name])[:, ::2]
    info = describe(Lent(array))
    plain = describe(array)
    assert info[:5] == plain[:5]
    assert (info.framework, info.device, info.readonly) == ("dlpack", "cpu", False)
    assert probe(Lent(array))[1] == info.address


def test_dlpack_of_torch_and_read_only() -> None:
    tensor = torch.zeros((3, 4), dtype=torch.bfloat16)
    assert describe(Lent(tensor)).dtype == "bf16"
    assert describe(Lent(tensor)).address == tensor.data_ptr()
    array = np.zeros(3, np.float32)
    array.flags.writeable = False
    assert describe(Lent(array)).readonly
    # A description without flags cannot say that the array may be written.
    assert describe(Lent(np.zeros(3, np.float32), old=True)).readonly
    assert describe(Lent(np.zeros((0, 3), np.float32))).shape == (0, 3)
    with pytest.raises(ArgumentError) as caught:
        describe(Lent(np.zeros(3, complex)))
    assert caught.value.code == "A202"


def test_the_address_of_a_lent_array_keeps_its_memory() -> None:
    array = np.arange(5, dtype=np.int64)
    before = sys.getrefcount(array)
    _, address = probe(Lent(array))
    assert sys.getrefcount(array) > before
    del address
    assert sys.getrefcount(array) == before


def test_signature_tells_apart_what_a_kernel_cares_about() -> None:
    buffer = np.zeros(4096, np.uint8)
    start = -buffer.ctypes.data % 64
    at = [
        buffer[start + k : start + k + 256].view(np.float32).reshape(8, 8) for k in (0, 4, 16, 32)
    ]
    tensor = torch.zeros(8, 8)
    different: list[Any] = [
        *at, at[0].T, at[0][:4], at[0].view(np.int32), tensor, tensor.t(),
        tensor.clone().requires_grad_(), tensor.double(), Lent(at[0]),
    ]  # fmt: skip
    assert len({signature(array) for array in different}) == len(different)
    locked = at[0].view()
    locked.flags.writeable = False
    assert signature(locked)[:4] == signature(at[0])[:4]
    assert signature(locked) != signature(at[0])
    again = buffer[start + 1024 : start + 1280].view(np.float32).reshape(8, 8)
    assert signature(again) == signature(at[0])
    assert probe(again)[1] == probe(at[0])[1] + 1024
    assert signature(Lent(again)) == signature(Lent(at[0]))


def test_probing_does_not_skip_refusals() -> None:
    """A signature that was accepted once must not cover an array that `describe` refuses."""
    plain = torch.zeros(3, dtype=torch.complex64).imag
    negated = torch.zeros(3, dtype=torch.complex64).conj().imag
    assert signature(plain) != signature(negated)
    assert signature(torch.zeros(3)) != signature(torch.zeros(3, device="meta"))
    with pytest.raises(UnsupportedError):
        probe(torch.eye(3).to_sparse())
    with pytest.raises(UnsupportedError):
        probe(np.ma.masked_array([1.0], mask=[1]))


def test_alignment_classes() -> None:
    for address in range(1, 300):
        expected = next(p for p in (64, 32, 16, 8, 4, 2, 1) if address % p == 0)
        assert arrays.alignment(address) == expected
    assert arrays.alignment(0) == 64


def test_outputs_that_cannot_be_stored_to() -> None:
    good = [np.zeros((4, 4)), np.zeros((4, 4)).T, np.zeros(8)[::-2], np.zeros((0, 3)),
            np.zeros((4, 1)), np.zeros((3, 4, 5)).transpose(2, 0, 1), torch.zeros(4, 4).t(),
            np.broadcast_to(np.zeros((0, 1)), (0, 4)).copy(), np.zeros(())]  # fmt: skip
    for array in good:
        arrays.check_output(describe(array), "y")
    locked = np.zeros(4)
    locked.flags.writeable = False
    windows = np.lib.stride_tricks.as_strided(np.zeros(8), (4, 4), (8, 8))
    for array in (
        locked,
        torch.zeros(4, requires_grad=True),
        torch.zeros(4, 1).expand(4, 4),
        windows,
    ):
        with pytest.raises(ArgumentError, match="y is stored to") as caught:
            arrays.check_output(describe(array), "y")
        assert caught.value.code == "A204"


def test_extent_covers_exactly_the_elements() -> None:
    base = np.zeros((6, 8), np.float32)
    for view in (base, base[::-1], base[1:, ::-2], base.T, base[:0], base[2, 3, ...]):
        info = describe(view)
        low, high = np.lib.array_utils.byte_bounds(view)
        assert view.size == 0 or tuple(info.address + e for e in arrays.extent(info)) == (low, high)
    assert arrays.extent(describe(base[:0])) == (0, 0)


def pair(first: Any, second: Any) -> str:
    answer = overlap(describe(first), describe(second))
    assert overlap(describe(second), describe(first)) == answer
    return answer


def test_overlap_by_example() -> None:
    base = np.zeros((8, 8), np.float32)
    assert pair(base, base) == "same"
    assert pair(base, base.copy()) == "none"
    assert pair(base[:4], base[4:]) == "none"
    assert pair(base[:4], base[3:]) == "partial"
    assert pair(base[::2], base[1::2]) == "interleaved"
    assert pair(base[:, :4], base[:, 4:]) == "interleaved"
    assert pair(base, base.T) == "partial"
    assert pair(base, base[::-1]) == "partial"
    assert pair(base[:1], base[:1].reshape(1, 8)) == "same"
    assert pair(base, base.view(np.int32)) == "same"
    assert pair(base, base.view(np.float16)) == "partial"
    assert pair(base[:0], base) == "none"
    assert pair(torch.from_numpy(base), base) == "same"
    assert pair(torch.from_numpy(base)[:, :4], base[:, 4:]) == "interleaved"


def test_overlap_never_misses_a_shared_byte() -> None:
    random.seed(7)
    base = np.zeros(96, np.uint8)

    def view() -> np.ndarray[Any, Any]:
        dtype = random.choice((np.uint8, np.uint16, np.uint32))
        array = base[random.randrange(40) : random.randrange(48, 96)]
        array = array[: array.size // 4 * 4].view(dtype)
        for _ in range(random.randrange(3)):
            start, step = random.randrange(4), random.choice((-3, -2, -1, 1, 2, 3))
            array = array[start::step] if step > 0 else array[: -1 - start][::step]
        return array.reshape(2, -1)[:, ::2] if array.size % 2 == 0 and array.size else array

    answers = set()
    for _ in range(600):
        first, second = view(), view()
        base[:] = 0
        if first.size:
            first.view()[...] = -1 % (1 << (8 * first.itemsize))
        truth = bool(np.any(second != 0)) if first.size and second.size else False
        answer = pair(first, second)
        assert truth == (answer in ("same", "partial"))
        answers.add(answer)
    assert answers >= {"none", "partial", "interleaved"}


def test_overlap_gives_up_on_the_safe_side() -> None:
    memory = np.zeros(1 << 16, np.uint8)
    rng = random.Random(3)

    def awkward() -> np.ndarray[Any, Any]:
        strides = [rng.randrange(1, 400) for _ in range(12)]
        return np.lib.stride_tricks.as_strided(memory[rng.randrange(64) :], (3,) * 12, strides)

    for _ in range(20):
        first, second = awkward(), awkward()
        exact = np.shares_memory(first, second, max_work=2_000_000)
        assert not exact or pair(first, second) == "partial"


@pytest.mark.parametrize(("framework", "name"), list(itertools.product(("numpy", "torch"), NUMPY)))
def test_empty_results(framework: arrays.Framework, name: str) -> None:
    result = arrays.empty_like_framework(framework, (3, 0, 4), name)
    info = describe(result)
    assert (info.framework, info.shape, info.dtype) == (framework, (3, 0, 4), name)
    result = arrays.empty_like_framework(framework, (3, 5), name)
    assert describe(result).strides == (5, 1)
    arrays.check_output(describe(result), "y")


def test_empty_result_for_an_unknown_framework_is_numpy() -> None:
    assert type(arrays.empty_like_framework("dlpack", (2,), "f32")) is np.ndarray


def test_torch_imported_later_is_understood() -> None:
    code = """
import sys
import numpy as np
from certile.runtime import arrays
arrays.probe(np.zeros(3))
assert "torch" not in sys.modules
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
x = torch.zeros(3)
assert arrays.probe(x)[1] == x.data_ptr()
assert arrays.describe(x).framework == "torch"
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


class _Wrapping(torch.Tensor):
    """Stands for elements that lie elsewhere, as distributed and fake tensors do."""

    @staticmethod
    def __new__(cls) -> "_Wrapping":
        made: _Wrapping = torch.Tensor._make_wrapper_subclass(cls, (2, 3))
        return made

    @classmethod
    def __torch_dispatch__(cls, function: Any, *_: Any) -> Any:
        raise NotImplementedError(function)


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: torch.ones(2, 3).as_subclass(type("Own", (torch.Tensor,), {})), "as_subclass"),
        (_Wrapping, "a plain tensor that holds elements"),
        (lambda: FakeTensorMode().from_tensor(torch.ones(2, 3)), "a plain tensor that holds"),
        (torch.nn.UninitializedParameter, "a plain tensor that holds elements"),
    ],
)
def test_the_hint_for_a_subclass_is_one_that_helps(make: Any, hint: str) -> None:
    with pytest.raises(UnsupportedError, match="gives tensors another meaning") as caught:
        describe(make())
    assert caught.value.code == "U201"
    assert hint in str(caught.value)


def test_a_tensor_inside_functionalize_has_no_memory() -> None:
    with pytest.raises(UnsupportedError, match="no memory of its own"):
        torch.func.functionalize(describe)(torch.ones(2, 3))


@pytest.mark.parametrize("kind", [np.ndarray, torch.Tensor, mx.array])
def test_a_class_of_arrays_is_no_array(kind: type) -> None:
    for read in (describe, probe):
        with pytest.raises(ArgumentError, match="is not an array") as caught:
            read(kind)
        assert caught.value.code == "A201"
