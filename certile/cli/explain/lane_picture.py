"""A map of lanes as SVG.

In: a `LaneMap`.  Out: the text of an `svg` element for a page.  Decides the drawing: a row for what
a subgroup owns of a chunk, a square for an element in the colour of its subgroup, hatched where the
chunk is not full, and an outline around each pack that one lane owns.  Each square says in words,
as its title, what its colour and place say.
"""

from __future__ import annotations

from collections.abc import Iterator

from certile.cli.explain.lane_map import Cell, CellRow, LaneMap

__all__ = ["SUBGROUP_COLOURS", "lane_svg", "legend"]

# Okabe and Ito's colours (Color Universal Design, 2008), by the number of a subgroup.
SUBGROUP_COLOURS = ("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#0072B2", "#D55E00")

_SIDE, _GAP, _LABELS, _TALL = 13, 1, 190, 18
_MOST_A_LINE = 64


def lane_svg(found: LaneMap) -> str:
    """Return the picture."""
    parts: list[str] = []
    top = 4
    for row in found.rows:
        if row.skipped:
            parts.append(_text(0, top + 13, f"{row.skipped} rows like these are left out"))
            top += _TALL
        parts += _row(found, row, top)
        lines = -(-len(row.cells) // _MOST_A_LINE)
        top += lines * _TALL
    longest = max(min(len(row.cells), _MOST_A_LINE) for row in found.rows)
    width = _LABELS + longest * (_SIDE + _GAP) + 4
    title = f"Which lane owns which {found.unit}"
    return (
        f'<svg class="map" role="img" aria-label="{title}" width="{width}" height="{top + 4}" '
        f'viewBox="0 0 {width} {top + 4}">{_HATCH}{"".join(parts)}</svg>'
    )


def legend(found: LaneMap) -> str:
    """Return in words what the colours and marks mean."""
    if found.unit == "program":
        return (
            f"{found.count} programs; each lane has one of its own and walks its elements alone. "
            "A row is a vector of programs, its colour the vector's place in its group. Hatched: "
            "the last vector, which is not full."
        )
    packs = f"; outlined: packs of {found.pack} that one lane owns" if found.pack > 1 else ""
    return (
        f"{found.count} elements of a row; a colour is a subgroup of the group, a row what it owns "
        f"of a chunk, from lane 0 on{packs}. Hatched: the last chunk, which is not full."
    )


_HATCH = (
    '<defs><pattern id="tail" width="4" height="4" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="1.6" height="4" fill="#000"/></pattern></defs>'
)


def _row(found: LaneMap, row: CellRow, top: int) -> Iterator[str]:
    yield _text(0, top + 11, _label(found, row))
    colour = SUBGROUP_COLOURS[row.subgroup % len(SUBGROUP_COLOURS)]
    for number, cell in enumerate(row.cells):
        line, place = divmod(number, _MOST_A_LINE)
        x, y = _LABELS + place * (_SIDE + _GAP), top + line * _TALL
        yield _cell(found, row, cell, f'x="{x}" y="{y}"', colour)
        if found.pack > 1 and cell.number % found.pack == 0:
            wide = min(found.pack, len(row.cells) - number) * (_SIDE + _GAP)
            yield (
                f'<rect class="pack" x="{x - 0.5}" y="{y - 0.5}" width="{wide}" '
                f'height="{_SIDE + _GAP}"/>'
            )


def _cell(found: LaneMap, row: CellRow, cell: Cell, place: str, colour: str) -> str:
    size = f'width="{_SIDE}" height="{_SIDE}"'
    title = f"{found.unit} {cell.number}: {_label(found, row)}, lane {cell.lane}, slot {cell.slot}"
    if found.unit == "program":
        title = f"program {cell.number}: {_label(found, row)}, lane {cell.lane}"
    hatched = f'<rect class="tail" {place} {size} fill="url(#tail)"/>' if cell.tail else ""
    return (
        f'<g class="cell" data-number="{cell.number}" data-lane="{cell.lane}" '
        f'data-slot="{cell.slot}" data-subgroup="{row.subgroup}" data-chunk="{row.chunk}" '
        f'data-program="{row.program}"><title>{title}</title>'
        f'<rect {place} {size} fill="{colour}"/>{hatched}</g>'
    )


def _label(found: LaneMap, row: CellRow) -> str:
    if found.unit == "program":
        return f"group {row.chunk}, vector {row.subgroup}"
    return f"program {row.program}, chunk {row.chunk}, subgroup {row.subgroup}"


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}">{text}</text>'
