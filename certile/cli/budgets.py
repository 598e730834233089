"""`certile bench --budgets`: bars, what is reached, and a verdict.

In: names of budgets.  Out: one line a bar, or JSON; exit code 1 when a bar is missed.  Decides the
bars.  Each figure is the median over several fresh processes, since a process keeps its placement
of memory and threads; the measurements are in `certile.cli.measures`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from certile.cli.output import FAILED, GOOD, emit, say
from certile.cli.tables import aligned
from certile.diagnostics import ArgumentError, UnsupportedError

PROCESSES = 3


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure by name, and the limit it has to keep."""

    figure: str
    says: str
    limit: float
    sense: Literal["at least", "at most"] = "at least"
    unit: str = "x"


def _against_out(op: str, shape: str, dtype: str, limit: float) -> Bar:
    return Bar(
        f"{op} {shape} {dtype} torch out=",
        f"{op} {shape} {dtype}: torch out= / certile out=",
        limit,
    )


def _against_usual(op: str, limit: float) -> Iterable[Bar]:
    for shape in ("4096x4096", "65536x256"):
        yield Bar(f"{op} {shape} f32 torch", f"{op} {shape} f32: torch / certile out=", limit)


def _of_copy(op: str, dtype: str, square: float, narrow: float | None) -> Iterable[Bar]:
    for shape, limit in (("4096x4096", square), ("65536x256", narrow)):
        if limit is not None:
            yield Bar(f"{op} {shape} {dtype} copy", f"{op} {shape} {dtype}: of copy", limit)


ROWS: tuple[Bar, ...] = (
    _against_out("softmax", "4096x4096", "f32", 1.2),
    _against_out("softmax", "65536x256", "f32", 1.6),
    _against_out("softmax", "4096x4096", "bf16", 1.4),
    _against_out("softmax", "65536x256", "bf16", 1.7),
    _against_out("softmax", "1x1048576", "f32", 2.0),
    _against_out("sum", "4096x4096", "f32", 0.95),
    _against_out("sum", "65536x256", "f32", 0.95),
    *_against_usual("rms_norm", 12.0),
    *_against_usual("layer_norm", 4.5),
    *_against_usual("residual_layer_norm", 9.0),
    *_against_usual("residual_rms_norm", 9.0),
    *_against_usual("cross_entropy", 5.5),
    Bar("usual", "ops without out= in torch: geometric mean of torch / certile out=", 8.0),
    Bar("allocating", "both allocating 32 MB and more: geometric mean over six ops", 6.0),
    Bar("own allocation", "certile allocating / certile out=, the worst", 1.15, "at most"),
    *_of_copy("softmax", "f32", 0.7, 1.0),
    *_of_copy("rms_norm", "f32", 0.85, 1.1),
    *_of_copy("layer_norm", "f32", 0.85, 1.1),
    *_of_copy("residual_layer_norm", "f32", 0.85, None),
    *_of_copy("softmax", "bf16", 0.4, None),
    *_of_copy("layer_norm", "bf16", 0.5, None),
    *_of_copy("rms_norm", "bf16", 0.75, None),
    *_of_copy("residual_layer_norm", "bf16", 0.6, None),
    Bar("softmax 4096x4096 f32 numpy out=", "softmax 4096x4096: numpy in place / certile", 5.0),
    Bar("softmax 65536x256 f32 numpy out=", "softmax 65536x256: numpy in place / certile", 8.0),
    Bar(
        "softmax 3x4096 prepared", "softmax 3x4096: certile prepared / torch out=", 0.65, "at most"
    ),
)

CALL: tuple[Bar, ...] = (
    *(
        Bar(
            f"overhead {framework} {count}",
            f"call less prepared call, {count} {framework} arrays",
            4.0,
            "at most",
            "us",
        )
        for framework in ("numpy", "torch")
        for count in (2, 4)
    ),
    Bar("prepared", "prepared call of a tiny kernel", 0.6, "at most", "us"),
)
COMPILE: tuple[Bar, ...] = (
    Bar("first call", "first call of a new row kernel", 80.0, "at most", "ms"),
    Bar("from disk", "the same from the disk cache", 10.0, "at most", "ms"),
)
IMPORT: tuple[Bar, ...] = (Bar("import", "import certile", 0.2, "at most", "s"),)

BUDGETS: Mapping[str, tuple[Bar, ...]] = {
    "rows": ROWS,
    "call": CALL,
    "compile": COMPILE,
    "import": IMPORT,
}
# Budgets of parts that this version does not have.
_LATER = ("sim", "proofs")


def check_budgets(names: Sequence[str], *, as_json: bool) -> int:
    """Measure the budgets named, print bar, figure and verdict; return the exit code."""
    found: list[dict[str, object]] = []
    for name in names:
        if name in _LATER:
            raise UnsupportedError("U505", f"the budget {name} is not measured in this version")
        if name not in BUDGETS:
            known = ", ".join(BUDGETS)
            raise ArgumentError("A305", f"there is no budget {name}", hint=f"use one of {known}")
        figures = _figures(name)
        found += [_judged(name, bar, figures) for bar in BUDGETS[name]]
    if as_json:
        emit({"budgets": found})
    else:
        say(_table(found))
    return GOOD if all(each["verdict"] == "met" for each in found) else FAILED


def _figures(name: str) -> dict[str, list[float]]:
    """Return every figure of a budget, one value a process."""
    runs: dict[str, list[float]] = {}
    for number in range(PROCESSES):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{name}: process {number + 1} of {PROCESSES}\033[K")
        command = [sys.executable, "-m", "certile.cli.measures", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise UnsupportedError(
                "U505",
                f"the budget {name} could not be measured: {done.stderr.strip()[-300:]}",
                hint="the rows budget needs PyTorch",
            )
        for figure, value in json.loads(done.stdout).items():
            runs.setdefault(figure, []).append(float(value))
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    return runs


def _judged(budget: str, bar: Bar, figures: Mapping[str, Sequence[float]]) -> dict[str, object]:
    values = figures.get(bar.figure, ())
    median = statistics.median(values) if values else None
    met = median is not None and (
        median >= bar.limit if bar.sense == "at least" else median <= bar.limit
    )
    return {
        "budget": budget,
        "bar": bar.says,
        "limit": bar.limit,
        "sense": bar.sense,
        "unit": bar.unit,
        "figure": median,
        "runs": list(values),
        "verdict": "met" if met else "missed" if median is not None else "not measured",
    }


def _table(found: Sequence[Mapping[str, object]]) -> str:
    rows = [("bar", "limit", "figure", "runs", "verdict")]
    for each in found:
        figure = each["figure"]
        runs = each["runs"]
        assert isinstance(runs, list)
        rows.append(
            (
                str(each["bar"]),
                f"{each['sense']} {each['limit']:g} {each['unit']}",
                "" if figure is None else f"{figure:.3g}",
                " ".join(f"{run:.3g}" for run in runs),
                str(each["verdict"]),
            )
        )
    missed = sum(each["verdict"] != "met" for each in found)
    last = f"{len(found) - missed} of {len(found)} bars met; {os.cpu_count()} CPUs"
    return f"{aligned(rows)}\n\n{last}, medians of {PROCESSES} processes"
