"""The page about frameworks says what the operations do."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
import torch

import certile as ct
from certile import ops
from certile.ir.array_types import numpy_dtype
from certile.runtime.arrays import describe

PAGE = Path(__file__).resolve().parents[3] / "docs" / "frameworks.md"
FRAMEWORKS = ("numpy", "torch", "mlx")


def rows() -> list[tuple[str, str, str, str]]:
    """Return operation, dtype, framework and what the table says of them."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 5 or not cells[0].startswith("`"):
            continue
        for op in re.findall(r"`(\w+)`", cells[0]):
            for dtype in cells[1].split():
                found += [(op, dtype, *each) for each in zip(FRAMEWORKS, cells[2:], strict=True)]
    return found


ROWS = rows()


def given(dtype: str, framework: str) -> object:
    x = np.ones((2, 4)).astype(numpy_dtype(dtype))
    if framework == "numpy":
        return x
    if framework == "torch":
        return torch.from_numpy(x)
    return mx.array(x)


def test_the_table_is_read() -> None:
    assert len(ROWS) > 150
    assert {op for op, *_ in ROWS} > {"sum", "cumsum", "var", "argmin", "swiglu"}


@pytest.mark.parametrize(("op", "dtype", "framework", "said"), ROWS)
def test_a_row_of_the_table(op: str, dtype: str, framework: str, said: str) -> None:
    x = given(dtype, framework)
    if said == "refused":
        with pytest.raises(ct.ArgumentError) as found:
            getattr(ops, op)(x)
        assert found.value.code == "A302"
        return
    function = getattr(ops, op)
    axis = {"axis": -1} if "axis" in inspect.signature(function).parameters else {}
    result = describe(function(x, **axis))
    assert result.dtype == (dtype if said == "as given" else said)
    assert result.framework == framework


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_floats_keep_their_dtype(framework: str) -> None:
    for dtype in ("f16", "f32", *(("f64",) if framework != "mlx" else ())):
        x = given(dtype, framework)
        for op in (ops.softmax, ops.layer_norm, ops.silu, ops.cumsum, ops.swiglu, ops.cummax):
            assert describe(op(x)).dtype == dtype
        for op in (ops.sum, ops.mean, ops.var, ops.max):
            assert describe(op(x, -1)).dtype == dtype
        codes, scales = map(describe, ops.quantize_rows(x))
        assert (codes.dtype, scales.dtype) == ("i8", "f32")
        values, indices = map(describe, ops.topk(x, 2))
        assert values.dtype == dtype
        assert indices.dtype == ("u32" if framework == "mlx" else "i64")


@pytest.mark.parametrize(("framework", "variance"), [("numpy", 1.25), ("torch", 5 / 3)])
def test_corrections_by_framework(framework: str, variance: float) -> None:
    x = np.arange(4, dtype=np.float32)
    array = x if framework == "numpy" else torch.from_numpy(x)
    assert float(ops.var(array)) == pytest.approx(variance)
    assert float(ops.std(array)) == pytest.approx(variance**0.5)
