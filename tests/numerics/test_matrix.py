"""Every operation against float64 over widths, rows, layouts and dtypes.

`make test` runs a set in which every pair of choices meets; `make test-full` the whole product.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.numerics.matrix import Matrix
from tests.numerics.subjects import DTYPES, LAYOUTS, SUBJECTS, check, laid_out, random

WIDTHS = (1, 2, 3, 5, 17, 31, 32, 33, 127, 255, 257, 769, 1000, 1024, 1536, 4096, 4097, 8193, 65537)
ROWS = (1, 2, 3, 7, 9, 33, 257, 4099)
MATRIX = Matrix(
    {
        "width": WIDTHS,
        "op": tuple(SUBJECTS),
        "rows": ROWS,
        "layout": LAYOUTS,
        "dtype": tuple(DTYPES),
    },
    most_elements=2**22,
)


def _run(op: str, width: int, rows: int, layout: str, dtype: str) -> None:
    x = laid_out(random(rows, width, dtype, seed=width + rows), layout)
    check(op, x, dtype)


@pytest.mark.parametrize("op", SUBJECTS)
def test_covering_set(op: str) -> None:
    for case in MATRIX.covering(op):
        _run(**case)


# The largest widths and the most rows are too large together.
PAIRS = [pair for pair in combinations(MATRIX.factors, 2) if set(pair) != {"width", "rows"}]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_set_covers_every_pair(first: str, second: str) -> None:
    assert MATRIX.covers(first, second)


def test_the_set_is_small() -> None:
    assert sum(len(MATRIX.covering(op)) for op in SUBJECTS) <= 1500


@pytest.mark.parametrize("op", ["layer_norm", "group_norm"])
def test_rows_of_f64_that_hardly_vary(op: str) -> None:
    """An oracle in f64 would lose more of a deviation than the operation may."""
    x = 1.7 + 0.003 * random(33, 2, "f64", seed=7)
    check(op, x, "f64")
    check(op, laid_out(x, "zero-stride"), "f64")


@pytest.mark.full
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("op", SUBJECTS)
def test_full_product(op: str, layout: str, dtype: str) -> None:
    for width, rows in MATRIX.shapes():
        _run(op, width, rows, layout, dtype)
