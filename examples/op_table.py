"""A table of operations beside NumPy and PyTorch, at given shapes.

In: operations and shapes.  Out: rows on a console.  Decides the columns: the best time of each
framework (its form with a given output where it has one), both forms of certile, and PyTorch's time
against certile's twice: of the medians and of the least times, which a busy machine or a badly
scheduled thread cannot stretch.  Leaves measuring to the same races as `certile bench`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from certile.cli.bench.contest import Case, Figure, Race

__all__ = ["Case", "show"]

SECONDS_A_CASE = 0.5


def show(console: Console, cases: Sequence[Case]) -> None:
    """Measure every case and print one row each."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("operation", "shape", "certile", "new", "torch", "numpy", "ratio", "at best"):
        table.add_column(title, justify="left" if title in ("operation", "shape") else "right")
    for case in cases:
        figures = Race(case, ("torch", "numpy")).run(SECONDS_A_CASE)
        table.add_row(*_row(case, figures))
    console.print(table)
    console.print(
        "Medians of interleaved rounds over rotated buffers; every output was first compared with "
        "float64. 'certile' fills a given output, 'new' makes one; torch and numpy stand with "
        "their best form (* where it makes a new output). 'ratio' is torch / certile, 'at best' "
        "the same of the least times: where the two differ much, threads were kept waiting, and "
        "the second is the fairer figure."
    )


def _row(case: Case, figures: Sequence[Figure]) -> list[str]:
    medians = {figure.contestant: figure.median for figure in figures if not figure.wrong}
    least = {figure.contestant: figure.least for figure in figures if not figure.wrong}
    torch_best, torch_shown = _best(medians, "torch")
    _, numpy_shown = _best(medians, "numpy")
    ours = medians.get("certile out=")
    return [
        case.op,
        "x".join(map(str, case.shape)),
        _time(ours),
        _time(medians.get("certile")),
        torch_shown,
        numpy_shown,
        _ratio(torch_best, ours),
        _ratio(_best(least, "torch")[0], least.get("certile out=")),
    ]


def _best(medians: dict[str, float], framework: str) -> tuple[float | None, str]:
    given, usual = medians.get(f"{framework} out="), medians.get(framework)
    if given is not None and (usual is None or given <= usual):
        return given, _time(given)
    return usual, f"{_time(usual)}*" if usual is not None else ""


def _ratio(theirs: float | None, ours: float | None) -> str:
    return f"{theirs / ours:.1f}x" if theirs and ours else ""


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "wrong"
    return f"{1e3 * seconds:.2f} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.1f} us"
