"""Write C++ line for line beside the MSL it comes from.

In: pieces of text with the place of their source.  Out: C++ text with the same line numbers, and a
map from its columns back.  Decides nothing about meaning.
"""

from bisect import bisect_right

__all__ = ["Writer"]


class Writer:
    """Collects pieces; a piece starts on the line of its source, or later, never earlier."""

    def __init__(self) -> None:
        self._lines: list[list[str]] = [[]]
        self._widths: list[int] = [0]
        self._columns: list[list[tuple[int, int]]] = [[]]

    def put(self, piece: str, line: int, column: int) -> None:
        """Append `piece`, whose source stands at `line` and `column`."""
        while len(self._lines) < line:
            self._lines.append([])
            self._widths.append(0)
            self._columns.append([])
        self._columns[-1].append((self._widths[-1] + 1, column))
        self._lines[-1].append(piece)
        self._widths[-1] += len(piece) + 1

    def text(self) -> str:
        """Return everything written."""
        return "\n".join(" ".join(pieces) for pieces in self._lines) + "\n"

    def column(self, line: int, column: int) -> int:
        """Return the column of the source for a column of the text written."""
        if not 1 <= line <= len(self._columns) or not self._columns[line - 1]:
            return 1
        entries = self._columns[line - 1]
        at = bisect_right(entries, (column, 1 << 30)) - 1
        return entries[max(at, 0)][1]
