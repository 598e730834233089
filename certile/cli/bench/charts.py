"""The picture of `certile bench --plot`: bandwidths, and times beside certile's.

In: figures of a race.  Out: a figure of matplotlib, and a file.  Decides what is drawn: on the left
the bytes a second that each contestant moved, between the marks of the copies of the same run; on
the right each contestant's time over that of `certile out=`, on a logarithmic axis, with the middle
half of its rounds as a bar.  Sheets of CPUs have no clock, so no bound of arithmetic is drawn.

Colours are those of Okabe and Ito (Color Universal Design, 2008), which colour-blind people tell
apart; markers differ too.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from certile.cli.bench.contest import Case, Figure, missing
from certile.cli.output import write_file
from certile.diagnostics import ArgumentError

__all__ = ["bench_figure", "check_plot", "given", "save"]

# The figure and its axes belong to a package that may be absent.
Drawing = Any

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#F0E442")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DOTS_AN_INCH = 120


def check_plot(path: Path) -> None:
    """Refuse early, before anything is measured, what could not be drawn or written.

    Raises `UnsupportedError` U504 without matplotlib, `ArgumentError` A311 for a path.
    """
    try:
        importlib.import_module("matplotlib")
    except ImportError as error:
        raise missing("--plot needs matplotlib", "plot") from error
    if path.suffix.lower() != ".png":
        raise ArgumentError("A311", f"{path} is no PNG file", hint="pass a name that ends in .png")
    if not path.parent.is_dir():
        hint = "make the folder first, or name another"
        raise ArgumentError("A311", f"{path.parent} is no folder", hint=hint)


def save(drawn: Drawing, path: Path) -> None:
    """Write a figure as PNG; raises `ArgumentError` A311 where the path takes none."""
    made = io.BytesIO()
    drawn.savefig(made, format="png", dpi=_DOTS_AN_INCH)
    write_file(path, made.getvalue())


def bench_figure(figures: Sequence[Figure]) -> Drawing:
    """Return the figure; rows from top to bottom are the cases in order."""
    figure_module = importlib.import_module("matplotlib.figure")
    cases = list(dict.fromkeys(figure.case for figure in figures))
    names = list(dict.fromkeys(figure.contestant for figure in figures))
    height = 1.8 + len(cases) * max(0.45, 0.16 * len(names))
    drawn = figure_module.Figure(figsize=(13, height), layout="constrained")
    speeds, ratios = drawn.subplots(1, 2, sharey=True)
    _speeds(speeds, figures, cases, names)
    _ratios(ratios, figures, cases, names)
    speeds.set_yticks(range(len(cases)), [_label(case) for case in cases])
    speeds.set_ylim(len(cases) - 0.5, -0.5)
    handles, labels = speeds.get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=min(6, len(labels)))
    return drawn


def given(figures: Sequence[Figure], like: Figure) -> Figure:
    """Return the figure of `certile out=` in the same case."""
    return next(f for f in figures if f.case == like.case and f.contestant == "certile out=")


def _label(case: Case) -> str:
    return f"{case.op}  {case.written_shape} {case.dtype}"


def _place(number: int, count: int) -> float:
    """Return where contestant `number` of `count` lies within the band of its case."""
    return 0.8 * ((number + 0.5) / count - 0.5)


def _speeds(
    axes: Drawing, figures: Sequence[Figure], cases: Sequence[Case], names: Sequence[str]
) -> None:
    """Draw GB a second: a marker for a contestant, a line for each copy."""
    for number, name in enumerate(names):
        own = [f for f in figures if f.contestant == name and not f.wrong]
        axes.plot(
            [f.speed / 1e9 for f in own],
            [cases.index(f.case) + _place(number, len(names)) for f in own],
            linestyle="none",
            marker=_MARKERS[number % len(_MARKERS)],
            color=_COLOURS[number % len(_COLOURS)],
            label=name,
        )
    first = {f.case: f for f in reversed(figures)}
    copies = [(row, first[case].copy_speed) for row, case in enumerate(cases)]
    known = [(row, speed / 1e9) for row, speed in copies if speed is not None]
    if known:
        _marks(axes, known, "PyTorch's copy", "solid")
    own_copies = [(row, first[case].own_copy_speed / 1e9) for row, case in enumerate(cases)]
    _marks(axes, own_copies, "copy by a kernel of certile", "dotted")
    axes.set_xlim(left=0)
    axes.set_xlabel("GB moved in a second; lines are copies in the same run")
    _bands(axes, len(cases))


def _marks(axes: Drawing, places: Sequence[tuple[int, float]], label: str, style: str) -> None:
    rows = [row for row, _ in places]
    axes.vlines(
        [speed for _, speed in places],
        [row - 0.45 for row in rows],
        [row + 0.45 for row in rows],
        colors="#444444",
        linestyles=style,
        label=label,
    )


def _ratios(
    axes: Drawing, figures: Sequence[Figure], cases: Sequence[Case], names: Sequence[str]
) -> None:
    """Draw times over that of `certile out=`: longer is slower than certile."""
    for number, name in enumerate(names):
        own = [f for f in figures if f.contestant == name and not f.wrong]
        times = [f.median / given(figures, f).median for f in own]
        halves = [ratio * f.spread / 2 for ratio, f in zip(times, own, strict=True)]
        # A bar that reached zero would have no place on a logarithmic axis.
        below = [min(half, 0.9 * ratio) for ratio, half in zip(times, halves, strict=True)]
        axes.errorbar(
            times,
            [cases.index(f.case) + _place(number, len(names)) for f in own],
            xerr=[below, halves],
            linestyle="none",
            marker=_MARKERS[number % len(_MARKERS)],
            color=_COLOURS[number % len(_COLOURS)],
            capsize=2,
            label=name,
        )
    axes.axvline(1.0, color="#444444", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("time, certile out= is 1; bars are the middle half of the rounds")
    _bands(axes, len(cases))


def _bands(axes: Drawing, count: int) -> None:
    """Shade every other case, so that an eye keeps its row, and draw a faint grid."""
    for row in range(0, count, 2):
        axes.axhspan(row - 0.5, row + 0.5, color="#f2f2f2", zorder=0)
    axes.grid(axis="x", which="both", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
