"""`certile bench`: operations beside the frameworks' own, as a table, JSON or a picture.

In: lists of operations, shapes and dtypes, and the opponents.  Out: rows of figures.  Decides their
form.  Leaves measuring to `certile.cli.contest`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from certile.cli.contest import Case, Figure, Race
from certile.cli.options import parse_shape
from certile.cli.output import FAILED, GOOD, emit, say
from certile.diagnostics import UnsupportedError

_SECONDS_A_CASE = 2.0


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure: every operation at every shape and dtype."""

    ops: tuple[str, ...]
    shapes: tuple[str, ...]
    dtypes: tuple[str, ...]
    against: tuple[str, ...]

    def cases(self) -> list[Case]:
        """Return the product of operations, dtypes and shapes."""
        return [
            Case(op.strip(), parse_shape(shape.strip()), dtype.strip())
            for op in self.ops
            for dtype in self.dtypes
            for shape in self.shapes
        ]


def run_bench(request: Request, *, plot: Path | None, as_json: bool) -> int:
    """Measure, print, and return the exit code: 1 when an output of certile was wrong."""
    pyplot = _pyplot() if plot is not None else None
    figures: list[Figure] = []
    cases = request.cases()
    for number, case in enumerate(cases, 1):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{number}/{len(cases)} {case.op} {case.shape} {case.dtype}\033[K")
        figures += Race(case, request.against).run(_SECONDS_A_CASE)
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    if as_json:
        emit({"rows": [figure.to_json() for figure in figures]})
    else:
        say(table(figures))
    if pyplot is not None and plot is not None:
        _draw(pyplot, figures, plot)
    return FAILED if any(f.wrong and f.contestant.startswith("certile") for f in figures) else GOOD


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as text; times beside certile's given form of the same case."""
    from certile.cli.tables import aligned

    rows = [("op", "shape", "dtype", "contestant", "median", "min", "spread", "of copy", "ratio")]
    for figure in figures:
        rival = _given(figures, figure)
        copied = "" if figure.ratio_to_copy is None else f"{figure.ratio_to_copy:.2f}"
        rows.append(
            (
                figure.case.op,
                "x".join(map(str, figure.case.shape)),
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


def _given(figures: Sequence[Figure], like: Figure) -> Figure:
    return next(f for f in figures if f.case == like.case and f.contestant == "certile out=")


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.2f} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def _pyplot() -> Any:  # noqa: ANN401 - a module
    try:
        importlib.import_module("matplotlib").use("agg")
    except ImportError as error:
        raise UnsupportedError(
            "U504", "--plot needs matplotlib", hint="install certile[plot]"
        ) from error
    return importlib.import_module("matplotlib.pyplot")


def _draw(pyplot: Any, figures: Sequence[Figure], path: Path) -> None:  # noqa: ANN401 - a module
    """Write a picture: for each case the time of every contestant against certile's."""
    cases = list(dict.fromkeys(figure.case for figure in figures))
    axes = pyplot.subplots(figsize=(9, 1 + 0.9 * len(cases)))[1]
    names = list(dict.fromkeys(figure.contestant for figure in figures))
    height = 0.8 / len(names)
    for number, name in enumerate(names):
        found = {
            f.case: f.median / _given(figures, f).median for f in figures if f.contestant == name
        }
        places = [cases.index(case) + number * height for case in found]
        axes.barh(places, list(found.values()), height, label=name)
    labels = [f"{c.op} {'x'.join(map(str, c.shape))} {c.dtype}" for c in cases]
    axes.set_yticks([i + 0.4 for i in range(len(cases))], labels)
    axes.set_xlabel("time, certile out= is 1")
    axes.legend()
    pyplot.tight_layout()
    pyplot.savefig(path)
