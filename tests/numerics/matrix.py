"""Operations by widths, rows, layouts and types: the product, and a set that covers its pairs.

In: the choices of each factor and the most elements of an array.  Out: cases.  Decides nothing
about arrays or results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.numerics.covering import Case, pairwise

__all__ = ["Matrix"]


class Matrix:
    """The cases of some operations; `factors` has "op", "width" and "rows" among its names."""

    def __init__(self, factors: Mapping[str, Sequence[object]], most_elements: int) -> None:
        self.factors = factors
        self._most_elements = most_elements
        self._covering = pairwise(factors, self._allowed)

    def _allowed(self, case: Case) -> bool:
        return int(str(case.get("width", 1))) * int(str(case.get("rows", 1))) <= self._most_elements

    def covering(self, op: str) -> list[Case]:
        """The cases of an operation in which every pair of choices occurs together."""
        mine = [case for case in self._covering if case["op"] == op]
        assert len(mine) >= len(self.factors["width"])
        return mine

    def covers(self, first: str, second: str) -> bool:
        """Whether every pair of choices of two factors occurs, none of which is too large."""
        seen = {(case[first], case[second]) for case in self._covering}
        return len(seen) == len(self.factors[first]) * len(self.factors[second])

    def shapes(self) -> Iterator[tuple[int, int]]:
        """Every width with every number of rows, but for arrays that are too large."""
        for width in self.factors["width"]:
            for rows in self.factors["rows"]:
                if self._allowed({"width": width, "rows": rows}):
                    yield int(str(width)), int(str(rows))
