"""Plain text tables.

In: rows of cells as text.  Out: lines.  Decides widths, and on which side of a column cells stand.
"""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as columns, the first row underlined; numbers stand to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    right = [all(_is_figure(row[i]) for row in rows[1:] if row[i]) for i in range(len(widths))]
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _is_figure(cell: str) -> bool:
    return cell[0].isdigit() or cell[0] == "-"
