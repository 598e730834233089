"""Every operation against float64 over widths, rows, layouts and dtypes.

`make test` runs a set in which every pair of choices meets; `make test-full` the whole product.
"""

from __future__ import annotations

import pytest

from tests.numerics.covering import Case, pairwise
from tests.numerics.subjects import DTYPES, LAYOUTS, SUBJECTS, check, laid_out, random

WIDTHS = (1, 2, 3, 5, 17, 31, 32, 33, 127, 255, 257, 769, 1000, 1024, 1536, 4096, 4097, 8193, 65537)
ROWS = (1, 2, 3, 7, 9, 33, 257, 4099)
MOST_ELEMENTS = 2**22

FACTORS = {
    "width": WIDTHS,
    "op": tuple(SUBJECTS),
    "rows": ROWS,
    "layout": LAYOUTS,
    "dtype": tuple(DTYPES),
}


def _allowed(case: Case) -> bool:
    return int(str(case.get("width", 1))) * int(str(case.get("rows", 1))) <= MOST_ELEMENTS


def _run(op: str, width: int, rows: int, layout: str, dtype: str) -> None:
    x = laid_out(random(rows, width, dtype, seed=width + rows), layout)
    check(op, x, dtype)


COVERING = pairwise(FACTORS, _allowed)


@pytest.mark.parametrize("op", SUBJECTS)
def test_covering_set(op: str) -> None:
    mine = [case for case in COVERING if case["op"] == op]
    assert len(mine) >= len(WIDTHS)
    for case in mine:
        _run(**case)


def test_the_set_covers_every_pair() -> None:
    for first, second in (("width", "layout"), ("op", "dtype"), ("rows", "layout")):
        seen = {(case[first], case[second]) for case in COVERING}
        assert len(seen) == len(FACTORS[first]) * len(FACTORS[second])


@pytest.mark.full
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("op", SUBJECTS)
def test_full_product(op: str, layout: str, dtype: str) -> None:
    for width in WIDTHS:
        for rows in ROWS:
            if width * rows <= MOST_ELEMENTS:
                _run(op, width, rows, layout, dtype)
