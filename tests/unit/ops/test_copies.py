"""Operations read and write arrays where they lie: what a call allocates is counted."""

from __future__ import annotations

import tracemalloc
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from certile import ops

ROWS, COLUMNS = 96, 1024
# Far less than an array has, and more than the parts of a reduction or Python's own objects.
MOST_BYTES = ROWS * COLUMNS // 4

OPERATIONS: dict[str, Any] = {
    **{
        f"{name} over axis {axis}": partial(getattr(ops, name), axis=axis)
        for name in ("sum", "mean", "var", "max", "argmin", "min_max", "logsumexp", "softmax")
        for axis in (0, 1)
    },
    **{
        name: getattr(ops, name)
        for name in ("log_softmax", "l2_norm", "rms_norm", "layer_norm", "silu", "gelu", "swiglu")
    },
    "cumsum": partial(ops.cumsum, axis=0),
    "cummax": partial(ops.cummax, reverse=True),
    "topk": partial(ops.topk, k=5),
    "quantize_rows": ops.quantize_rows,
    "norm_quantize": ops.norm_quantize,
    "group_norm": partial(ops.group_norm, num_groups=4),
}
LAYOUTS = {
    "transposed": lambda x: x.reshape(COLUMNS, ROWS).T,
    "one element on": lambda x: x.reshape(-1)[1 : 1 + (ROWS - 1) * COLUMNS].reshape(-1, COLUMNS),
}


def called_with_outputs(call: Any, x: Any) -> Any:
    """Return the call with outputs of its own, made once before, so that nothing is compiled."""
    out = call(x)
    again = partial(call, x, out=out)
    again()
    return again


def most_allocated(call: Any) -> int:
    """Return how many bytes a call held at most of those that it allocated."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_arrays_of_numpy_are_not_copied(name: str, layout: str) -> None:
    numbers = np.linspace(-3, 3, ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
    call = called_with_outputs(OPERATIONS[name], LAYOUTS[layout](numbers))
    assert most_allocated(call) < MOST_BYTES


def test_labels_and_indices_are_looked_at_where_they_lie() -> None:
    table = np.linspace(-3, 3, 8 * 16, dtype=np.float32).reshape(8, 16)
    numbers = np.arange(4 * COLUMNS, dtype=np.int64)[::2] % 8
    logits = table[numbers]
    for call in (
        called_with_outputs(partial(ops.embedding, table), numbers),
        called_with_outputs(partial(ops.cross_entropy, logits, reduction="none"), numbers),
    ):
        assert most_allocated(call) < numbers.nbytes


def test_a_copy_would_be_counted() -> None:
    x = np.ones((COLUMNS, ROWS), np.float32).T
    assert most_allocated(partial(np.ascontiguousarray, x)) > MOST_BYTES


class Dispatched(TorchDispatchMode):
    """Notes every operation of PyTorch: none of them has to run for ours."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", OPERATIONS)
def test_tensors_are_not_copied(name: str) -> None:
    numbers = torch.linspace(-3, 3, ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    call = called_with_outputs(OPERATIONS[name], LAYOUTS["transposed"](numbers))
    with Dispatched() as seen:
        call()
        assert seen.names == []
        torch.clone(numbers)
    assert seen.names == ["aten.clone.default"]
