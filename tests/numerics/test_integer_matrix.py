"""Every operation that keeps integers exact, over types, widths, rows and layouts.

`make test` runs a set in which every pair of choices meets; `make test-full` the whole product.
Oracles are NumPy's integers, which wrap as ours do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from certile import ops
from tests.numerics.matrix import Matrix
from tests.numerics.subjects import LAYOUTS, laid_out

Array = np.ndarray[Any, Any]

DTYPES = ("bool", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)))
WIDTHS = (1, 2, 5, 16, 33, 127, 256, 1000, 4097, 65537)
ROWS = (1, 2, 7, 33, 257)


def _first_in_order(x: Array) -> tuple[Array, Array]:
    """The greatest elements and their places; of equal ones the first comes first."""
    # Negated integers of any width and sign, in the order of Python's own.
    order = np.argsort(x.shape[1] - 1 - _ranks(x), axis=1, kind="stable")[:, : min(3, x.shape[1])]
    return np.take_along_axis(x, order, 1), order


def _ranks(x: Array) -> Array:
    """For each element how many distinct smaller ones its row has."""
    found = [np.unique(row, return_inverse=True)[1] for row in x]
    return np.stack(found).reshape(x.shape)


def _embedding(x: Array) -> tuple[Array, Array]:
    indices = np.arange(len(x) + 2, dtype=np.int64) * 3 % len(x)
    return ops.embedding(x, indices), x[indices]


_Subject = Callable[[Array], tuple[Any, Any]]


def _along(name: str, oracle: Callable[..., Any]) -> _Subject:
    op = getattr(ops, name)
    return lambda x: (op(x, axis=-1), oracle(x, axis=-1))


SUBJECTS: dict[str, _Subject] = {
    "sum": _along("sum", np.sum),
    "max": _along("max", np.max),
    "min": _along("min", np.min),
    "argmax": _along("argmax", np.argmax),
    "argmin": _along("argmin", np.argmin),
    "min_max": _along("min_max", lambda x, axis: (np.min(x, axis), np.max(x, axis))),
    "cumsum": _along("cumsum", np.cumsum),
    "cummax": _along("cummax", np.maximum.accumulate),
    "topk": lambda x: (ops.topk(x, min(3, x.shape[1])), _first_in_order(x)),
    "embedding": _embedding,
}

MATRIX = Matrix(
    {
        "width": WIDTHS,
        "op": tuple(SUBJECTS),
        "dtype": DTYPES,
        "layout": LAYOUTS,
        "rows": ROWS,
    },
    most_elements=2**20,
)


def _random(rows: int, width: int, dtype: str) -> Array:
    """Numbers of the whole range, its ends among them, many of them twice."""
    random = np.random.default_rng(rows + width)
    if dtype == "bool":
        return random.random((rows, width)) < 0.5
    limits = np.iinfo(dtype)
    x = random.integers(limits.min, limits.max, (rows, width), dtype, endpoint=True)
    ends = np.array([limits.min, limits.max, limits.max - 1, 0, 3], dtype)
    places = random.random(x.shape) < 0.3
    x[places] = random.choice(ends, np.count_nonzero(places))
    return x


def _run(op: str, width: int, rows: int, layout: str, dtype: str) -> None:
    x = laid_out(_random(rows, width, dtype), layout)
    found, exact = SUBJECTS[op](x)
    pairs = zip(found, exact, strict=True) if isinstance(found, tuple) else [(found, exact)]
    for result, wanted in pairs:
        assert result.dtype == wanted.dtype
        np.testing.assert_array_equal(result, wanted, err_msg=f"{op} {dtype} {x.shape} {layout}")


@pytest.mark.parametrize("op", SUBJECTS)
def test_covering_set(op: str) -> None:
    for case in MATRIX.covering(op):
        _run(**case)


@pytest.mark.parametrize(("first", "second"), [("width", "dtype"), ("op", "layout")])
def test_the_set_covers_every_pair(first: str, second: str) -> None:
    assert MATRIX.covers(first, second)


@pytest.mark.full
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("op", SUBJECTS)
def test_full_product(op: str, layout: str, dtype: str) -> None:
    for width, rows in MATRIX.shapes():
        _run(op, width, rows, layout, dtype)
