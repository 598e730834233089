"""`certile bench`: operations beside the frameworks' own, as a table, JSON or a picture.

In: lists of operations, shapes and dtypes, and the opponents.  Out: rows of figures.  Decides their
form.  Leaves measuring to `certile.cli.contest` and drawing to `certile.cli.charts`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from certile.cli.charts import bench_figure, check_plot, given, save
from certile.cli.contest import Case, Figure, Race
from certile.cli.options import Backend, parse_shape
from certile.cli.output import FAILED, GOOD, answer, progress
from certile.cli.tables import aligned
from certile.records import record

_SECONDS_A_CASE = 2.0


@record
class Request:
    """What to measure: every operation at every shape and dtype."""

    ops: tuple[str, ...]
    shapes: tuple[str, ...]
    dtypes: tuple[str, ...]
    against: tuple[str, ...]
    backend: Backend = "native"

    def cases(self) -> list[Case]:
        """Return the product of operations, dtypes and shapes."""
        return [
            Case(op.strip(), parse_shape(shape.strip()), dtype.strip())
            for op in self.ops
            for dtype in self.dtypes
            for shape in self.shapes
        ]


def opponents(asked: str) -> tuple[str, ...]:
    """Return the frameworks of a comma list; of an empty one NumPy, and PyTorch where it is."""
    if asked:
        return tuple(name.strip() for name in asked.split(","))
    return ("numpy", "torch") if importlib.util.find_spec("torch") else ("numpy",)


def run_bench(request: Request, *, plot: Path | None, as_json: bool) -> int:
    """Measure, print, and return the exit code: 1 when an output of certile was wrong."""
    if plot is not None:
        check_plot(plot)
    figures: list[Figure] = []
    cases = request.cases()
    for number, case in enumerate(cases, 1):
        progress(f"{number}/{len(cases)} {case.op} {case.shape} {case.dtype}")
        race = Race(case, request.against, backend=request.backend)
        figures += race.run(_SECONDS_A_CASE)
    progress()
    document = {"rows": [figure.to_json() for figure in figures]}
    answer(document, lambda: table(figures), as_json=as_json)
    if plot is not None:
        save(bench_figure(figures), plot)
    return FAILED if any(f.wrong and f.contestant.startswith("certile") for f in figures) else GOOD


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as text; times beside certile's given form of the same case."""
    rows = [("op", "shape", "dtype", "contestant", "median", "min", "spread", "of copy", "ratio")]
    for figure in figures:
        rival = given(figures, figure)
        copied = "" if figure.ratio_to_copy is None else f"{figure.ratio_to_copy:.2f}"
        rows.append(
            (
                figure.case.op,
                figure.case.written_shape,
                figure.case.dtype,
                figure.contestant,
                _time(figure.median),
                _time(figure.least),
                f"{figure.spread:.0%}",
                copied,
                figure.wrong or f"{figure.median / rival.median:.2f}",
            )
        )
    legend = (
        "median and min of interleaved rounds; spread: middle half / median; of copy: bandwidth "
        "against a copy in the same run; ratio: time against certile out=."
    )
    return f"{aligned(rows)}\n\n{legend}"


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.2f} {unit}"
    return f"{seconds / 1e-9:.0f} ns"
