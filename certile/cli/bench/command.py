"""`certile bench`: operations beside the frameworks' own, or one kernel under its plans.

In: lists of operations, shapes and dtypes, and the opponents; or a subject.  Out: rows of figures,
as a table, JSON or a picture.  Decides their form.  Leaves measuring to
`certile.cli.bench.contest` and `certile.cli.bench.kernels`, and drawing to
`certile.cli.bench.charts`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path

from certile.cli.bench.charts import bench_figure, check_plot, given, save
from certile.cli.bench.contest import Case, Figure, Race
from certile.cli.bench.kernels import Row, place_of, race
from certile.cli.bench.rivals import found_rival
from certile.cli.options import Backend, FormFlags, KernelFlags, ListFlags, dtype_name, parse_shape
from certile.cli.output import FAILED, GOOD, answer, progress
from certile.cli.subject import find
from certile.cli.tables import aligned
from certile.diagnostics import ArgumentError
from certile.records import record

_SECONDS_A_CASE = 2.0
_SECONDS_A_CONTESTANT = 0.5


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


def requested(
    several: ListFlags, one: KernelFlags, against: tuple[str, ...], backend: Backend
) -> Request:
    """Return what lists of flags ask for; ArgumentError A311 for a flag of one kernel."""
    flags = {
        "--shape": one.shape,
        "--dtype": one.dtype,
        "--plans": one.plans,
        "--target": one.target,
    }
    _require_unused(flags, "of one kernel, and none is named")
    return Request(
        tuple((several.ops or "softmax,layer_norm").split(",")),
        tuple((several.shapes or "4096x4096").split(",")),
        tuple(map(dtype_name, (several.dtypes or "f32").split(","))),
        against,
        backend,
    )


def of_one_alone(
    op: str, several: ListFlags, backend: Backend, plot: Path | None, budgets: str | None
) -> None:
    """Refuse flags that say nothing of one kernel; raises ArgumentError A311."""
    flags = {
        "--ops": several.ops,
        "--shapes": several.shapes,
        "--dtypes": several.dtypes,
        "--backend": None if backend == "native" else backend,
        "--plot": plot,
        "--budgets": budgets,
    }
    _require_unused(flags, f"of operations in a list, and {op} is one kernel")


def _require_unused(flags: Mapping[str, object], why: str) -> None:
    given = [name for name, value in flags.items() if value is not None]
    if given:
        raise ArgumentError("A311", f"{given[0]} is {why}", hint="leave one of them out")


def run_kernel(op: str, flags: KernelFlags, against: tuple[str, ...], *, as_json: bool) -> int:
    """Measure one kernel, print, and return the exit code: 1 when a plan's output was wrong.

    Raises ArgumentError A311 without a shape or for less than one plan, and what `race` raises.
    """
    if flags.shape is None:
        message = "--shape is needed to measure a kernel"
        raise ArgumentError("A311", message, hint="pass for example --shape 3x4096")
    plans = 1 if flags.plans is None else flags.plans
    if plans < 1:
        raise ArgumentError("A311", f"--plans is {plans}; it is 1 or more")
    form = FormFlags(dtype=flags.dtype or "f32")
    subject, place = find(op, flags.shape, form), place_of(flags.target or "cpu")
    rivals = [found_rival(name) for name in against]
    seconds = _SECONDS_A_CONTESTANT * (plans + len(rivals))
    rows = race(subject, form.dtype, plans, rivals, place, seconds)
    answer({"rows": [row.to_json() for row in rows]}, lambda: kernel_table(rows), as_json=as_json)
    return FAILED if any(row.plan and row.figure.wrong for row in rows) else GOOD


def kernel_table(rows: Sequence[Row]) -> str:
    """Return the rows of one kernel as text, then the plans and what was wrong."""
    case = rows[0].figure.case
    cells = [("contestant", "median", "min", "spread", "GB/s", "of copy", "ratio")]
    notes: list[str] = []
    for row in rows:
        figure = row.figure
        cells.append(
            (
                figure.contestant,
                _time(figure.median),
                _time(figure.least),
                f"{figure.spread:.0%}",
                f"{figure.speed / 1e9:.1f}",
                f"{row.of_copy:.0%}",
                "wrong" if figure.wrong else f"{figure.to_first:.2f}",
            )
        )
        notes += [f"{figure.contestant}: {row.plan}"] if row.plan else []
        notes += [f"{figure.contestant}: {figure.note}"] if figure.note else []
        notes += [f"{figure.contestant} is wrong: {figure.wrong}"] if figure.wrong else []
    where = "" if rows[0].target == "cpu" else f" on {rows[0].target}"
    legend = (
        f"{case.op} {case.written_shape} {case.dtype}{where}, "
        f"{rows[0].figure.bytes} bytes touched. "
        "median and min of interleaved rounds; spread: middle half / median; of copy: bandwidth "
        "against the faster of two copies in the same run; ratio: time against the first, round by "
        "round."
    )
    return "\n\n".join((aligned(cells), "\n".join(notes), legend))


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
