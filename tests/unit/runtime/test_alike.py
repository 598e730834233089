"""What knows arrays of a call again knows no others.

Signatures are the other source: arrays are like others where `arrays.probe` says the same of each,
but for alignment.
"""

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import torch

from certile.runtime import alike, arrays

# Quantised tensors, as long as there are any.
pytestmark = pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning")

Array = Any

WRITABLE = np.zeros((3, 8), np.float32)
READ_ONLY = WRITABLE.copy()
READ_ONLY.flags.writeable = False
NEGATED = torch.ones(3, 8, dtype=torch.complex64).conj().imag

# Each makes an array afresh.
MAKERS: dict[str, Callable[[], Array]] = {
    "numpy": lambda: np.zeros((3, 8), np.float32),
    "numpy read-only": lambda: READ_ONLY,
    "numpy f64": lambda: np.zeros((3, 8)),
    "numpy other order": lambda: np.zeros((3, 8), np.float32, order="F"),
    "numpy other bytes": lambda: np.zeros((3, 8), ">f4"),
    "numpy shape": lambda: np.zeros((8, 3), np.float32),
    "numpy strided": lambda: np.zeros((3, 16), np.float32)[:, ::2],
    "masked": lambda: np.ma.zeros((3, 8), np.float32),
    "matrix": lambda: np.zeros((3, 8), np.float32).view(np.matrix),
    "scalar": lambda: np.float32(1),
    "list": lambda: [[0.0] * 8] * 3,
    "torch": lambda: torch.zeros(3, 8),
    "torch f64": lambda: torch.zeros(3, 8, dtype=torch.float64),
    "torch i32": lambda: torch.zeros(3, 8, dtype=torch.int32),
    "torch shape": lambda: torch.zeros(8, 3),
    "torch transposed": lambda: torch.zeros(8, 3).t(),
    "torch strided": lambda: torch.zeros(3, 16)[:, ::2],
    "torch expanded": lambda: torch.zeros(1, 8).expand(3, 8),
    "torch grad": lambda: torch.zeros(3, 8, requires_grad=True),
    "parameter": lambda: torch.nn.Parameter(torch.zeros(3, 8)),
    "parameter without grad": lambda: torch.nn.Parameter(torch.zeros(3, 8), requires_grad=False),
    "buffer": lambda: torch.nn.Buffer(torch.zeros(3, 8)),
    "torch negated": lambda: torch._neg_view(torch.zeros(3, 8)),
    "torch negated strided": lambda: NEGATED,
    "torch sparse": lambda: torch.zeros(3, 8).to_sparse(),
    "torch meta": lambda: torch.zeros(3, 8, device="meta"),
    "torch quantised": lambda: torch.quantize_per_tensor(torch.zeros(3, 8), 1.0, 0, torch.qint8),
    "subclass": lambda: torch.zeros(3, 8).as_subclass(type("Other", (torch.Tensor,), {})),
    "mlx": lambda: mx.zeros((3, 8)),
    "mlx lazy": lambda: mx.ones((3, 8)) * 0,
    "mlx f16": lambda: mx.zeros((3, 8), mx.float16),
    "mlx shape": lambda: mx.zeros((8, 3)),
    "mlx transposed": lambda: mx.zeros((8, 3)).T,
}


def signature(array: Array) -> object:
    """What a signature holds, less the alignment; itself for what has none."""
    try:
        found = arrays.signature(array)
    except Exception:  # noqa: BLE001 - whatever refuses it
        return id(array)
    place = 3 if isinstance(array, np.ndarray | mx.array) else 4
    return found[:place] + found[place + 1 :]


@pytest.mark.parametrize("first", MAKERS)
def test_only_arrays_of_the_same_signature_are_known(first: str) -> None:
    known, beside = MAKERS[first](), MAKERS[first]()
    again = alike.of([known, beside])
    for name, make in MAKERS.items():
        other = make()
        found = again([known, other])
        if found is not None:
            assert signature(other) == signature(known), name
            assert found == [arrays.probe(known)[1], arrays.probe(other)[1]], name


@pytest.mark.parametrize(
    "first", ["numpy", "torch", "parameter", "torch grad", "torch strided", "mlx"]
)
def test_arrays_alike_are_known(first: str) -> None:
    again = alike.of([MAKERS[first](), MAKERS[first]()])
    others = [MAKERS[first](), MAKERS[first]()]
    assert again(others) == [arrays.probe(other)[1] for other in others]
    assert again(others[:1]) is None
    assert again([*others, others[0]]) is None


def test_a_tensor_may_be_there_twice() -> None:
    x, y, z = (torch.zeros(3, 8) for _ in range(3))
    twice = alike.of([x, y, x])
    assert twice([z, y, z]) == [z.data_ptr(), y.data_ptr(), z.data_ptr()]
    assert twice([x, y, z]) is None
    assert twice([y.double(), x, y]) is None
    assert alike.of([x, x])([y, y]) == [y.data_ptr()] * 2
    assert alike.of([x, x])([y, y.t()]) is None
    assert alike.of([x, y])([z, z]) is None


def test_tensors_inside_a_transform_are_not_known() -> None:
    x = torch.zeros(3, 8)
    again = alike.of([x])
    seen = []

    def inside(given: Any) -> Any:
        seen.append(again([given]))
        return given * 1

    torch.func.vmap(inside)(torch.zeros(2, 3, 8))
    torch.func.grad(lambda given: inside(given).sum())(x)
    torch.func.functionalize(inside)(x)
    assert seen == [None, None, None]


def test_what_takes_others_for_like_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless:
        def __init__(self, *tensors: Any, **_: Any) -> None:
            pass

        def check(self, *tensors: Any) -> bool:
            return True

    alike._checker.cache_clear()
    monkeypatch.setattr(torch._C._dynamo.guards, "TensorGuards", Careless)
    assert alike.of([torch.zeros(3, 8)]) is alike.never
    alike._checker.cache_clear()
    monkeypatch.delattr(torch._C._dynamo.guards, "TensorGuards")
    assert alike.of([torch.zeros(3, 8)]) is alike.never
    alike._checker.cache_clear()
