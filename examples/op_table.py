"""A table of operations beside NumPy and PyTorch, at given shapes.

In: operations and shapes.  Out: rows on a console.  Decides the columns: the best time of each
framework (its form with a given output where it has one), and both forms of certile.  Leaves
measuring to the same races as `certile bench`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from certile.cli.contest import Case, Figure, Race

__all__ = ["Case", "show"]

SECONDS_A_CASE = 0.5


def show(console: Console, cases: Sequence[Case]) -> None:
    """Measure every case and print one row each."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in (
        "operation",
        "shape",
        "certile",
        "certile, new",
        "torch",
        "numpy",
        "torch / certile",
    ):
        table.add_column(title, justify="left" if title in ("operation", "shape") else "right")
    for case in cases:
        figures = Race(case, ("torch", "numpy")).run(SECONDS_A_CASE)
        table.add_row(*_row(case, figures))
    console.print(table)
    console.print(
        "Medians of interleaved rounds over rotated buffers; every output was first compared with "
        "float64. 'certile' fills a given output, 'certile, new' makes one; torch and numpy stand "
        "with their best form (* where it makes a new output)."
    )


def _row(case: Case, figures: Sequence[Figure]) -> list[str]:
    medians = {figure.contestant: figure.median for figure in figures if not figure.wrong}
    torch_best, torch_shown = _best(medians, "torch")
    _, numpy_shown = _best(medians, "numpy")
    ours = medians.get("certile out=")
    ratio = f"{torch_best / ours:.1f}x" if torch_best and ours else ""
    return [
        case.op,
        "x".join(map(str, case.shape)),
        _time(ours),
        _time(medians.get("certile")),
        torch_shown,
        numpy_shown,
        ratio,
    ]


def _best(medians: dict[str, float], framework: str) -> tuple[float | None, str]:
    given, usual = medians.get(f"{framework} out="), medians.get(framework)
    if given is not None and (usual is None or given <= usual):
        return given, _time(given)
    return usual, f"{_time(usual)}*" if usual is not None else ""


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "wrong"
    return f"{1e3 * seconds:.2f} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.1f} us"
