"""`certile bench --budgets`: bars, what is reached, and a verdict.

In: names of budgets.  Out: one line a bar, or JSON; exit code 1 when a bar is missed.  Decides the
bars.  Each figure is the median over several fresh processes, since a process keeps its placement
of memory and threads; the measurements are in `certile.cli.budgets.measures`.

Beside a figure stands its ceiling, where memory sets one: what it would be if certile took the time
of its own copy of the bytes that the operation has to move, measured in the same run.  A bar above
the ceiling counts as missed, and is told apart: on this machine no kernel can reach it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from certile.cli.output import FAILED, GOOD, answer, progress
from certile.cli.tables import aligned
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.records import record

PROCESSES = 3


@record
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
    *(
        Bar(
            f"{op} {shape} f32 leading axis",
            f"{op} {shape} f32: bandwidth over the leading axis / over the last",
            0.6,
        )
        for op in ("sum", "max", "var", "argmax", "logsumexp")
        for shape in ("4096x4096", "65536x256")
    ),
)

# MLX computes on one thread and allocates what it returns, which page faults dominate.
MLX_ROWS: tuple[Bar, ...] = tuple(
    bar
    for op, given, fresh in (
        ("softmax", 40.0, 5.0),
        ("rms_norm", 15.0, 2.0),
        ("layer_norm", 15.0, 2.0),
    )
    for shape in ("4096x4096", "65536x256")
    for bar in (
        Bar(f"{op} {shape} f32 mlx", f"{op} {shape} f32: MLX / certile out=", given),
        Bar(f"{op} {shape} f32 mlx fresh", f"{op} {shape} f32: MLX / certile, MLX arrays", fresh),
    )
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
    *(
        Bar(
            f"overhead {framework} others",
            f"the same, slowest of nine other calls, {framework} arrays",
            4.0,
            "at most",
            "us",
        )
        for framework in ("numpy", "torch")
    ),
    Bar("prepared", "prepared call of a tiny kernel", 0.6, "at most", "us"),
)
MLX_CALL: tuple[Bar, ...] = tuple(
    Bar(
        f"overhead mlx {count}",
        f"call less prepared call, {count} MLX arrays",
        7.0,
        "at most",
        "us",
    )
    for count in (2, 4)
)
COMPILE: tuple[Bar, ...] = (
    Bar("first call", "first call of a new row kernel, worker pool started", 80.0, "at most", "ms"),
    Bar("from disk", "the same from the disk cache", 10.0, "at most", "ms"),
)
IMPORT: tuple[Bar, ...] = (Bar("import", "import certile", 0.2, "at most", "s"),)

# Folds of one reading over rows that no cache holds; softmax reads twice and writes once.
STREAMING: tuple[Bar, ...] = tuple(
    Bar(f"{name} read", f"{name} {rows}x1048576 f32: of the bandwidth of reading", limit)
    for name, rows, limit in (
        ("cross_entropy", 32, 0.6),
        ("logsumexp", 32, 0.6),
        ("weighted sum", 16, 0.8),
    )
)

SHARED: tuple[Bar, ...] = tuple(
    bar
    for shape in ("4096x4096", "64x4096")
    for bar in (
        Bar(
            f"softmax {shape} core taken",
            f"softmax {shape} f32: one core taken by a process / one thread alone",
            1.1,
            "at most",
        ),
        Bar(
            f"softmax {shape} after torch",
            f"softmax {shape} f32: torch out= / certile out=, in turn with torch.add",
            1.0,
        ),
    )
)

PROOFS: tuple[Bar, ...] = (
    Bar("check all", "checking every certificate of certile.ops", 200.0, "at most", "ms"),
    Bar("check one", "checking the rewrite of one kernel, the worst", 30.0, "at most", "ms"),
    Bar("build", "deriving every chain of certile.ops", 5000.0, "at most", "ms"),
    Bar("columns", "checking 16 value columns / one", 2.0, "at most"),
)

SIM: tuple[Bar, ...] = (
    Bar("text to result", "softmax 3x4096: Metal text to result, checked", 250.0, "at most", "ms"),
    Bar("cached", "the same from the disk cache", 5.0, "at most", "ms"),
    Bar("fast", "softmax 256x4096 in fast mode", 30.0, "at most", "ms"),
)

BUDGETS: Mapping[str, tuple[Bar, ...]] = {
    "rows": ROWS,
    "streaming": STREAMING,
    "shared": SHARED,
    "proofs": PROOFS,
    "call": CALL,
    "compile": COMPILE,
    "import": IMPORT,
    "sim": SIM,
}
# Bars that count where MLX is installed.
_OF_MLX: Mapping[str, tuple[Bar, ...]] = {"rows": MLX_ROWS, "call": MLX_CALL}
# What a budget needs that need not be there.
_NEEDS: Mapping[str, str] = {
    "rows": "the rows budget needs PyTorch",
    "shared": "the shared budget needs PyTorch",
    "sim": "the sim budget needs clang 16 or later",
}


def check_budgets(names: Sequence[str], *, as_json: bool) -> int:
    """Measure the budgets named, print bar, figure and verdict; return the exit code.

    Raises ArgumentError A305 for an unknown name, UnsupportedError U505 where a process fails.
    """
    found: list[dict[str, object]] = []
    for name in names:
        if name not in BUDGETS:
            known = ", ".join(BUDGETS)
            raise ArgumentError("A305", f"there is no budget {name}", hint=f"use one of {known}")
        figures = _figures(name)
        found += [judged(name, bar, figures) for bar in bars_of(name)]
    answer({"budgets": found}, lambda: _table(found), as_json=as_json)
    return GOOD if all(each["verdict"] == "met" for each in found) else FAILED


def bars_of(name: str) -> tuple[Bar, ...]:
    """Return the bars of a budget that count here."""
    has_mlx = importlib.util.find_spec("mlx") is not None
    return BUDGETS[name] + (_OF_MLX.get(name, ()) if has_mlx else ())


def _figures(name: str) -> dict[str, list[float]]:
    """Return every figure of a budget, one value a process."""
    runs: dict[str, list[float]] = {}
    for number in range(PROCESSES):
        progress(f"{name}: process {number + 1} of {PROCESSES}")
        command = [sys.executable, "-m", "certile.cli.budgets.measures", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise UnsupportedError(
                "U505",
                f"the budget {name} could not be measured: {done.stderr.strip()[-300:]}",
                hint=_NEEDS.get(name),
            )
        for figure, value in json.loads(done.stdout).items():
            runs.setdefault(figure, []).append(float(value))
    progress()
    return runs


def judged(budget: str, bar: Bar, figures: Mapping[str, Sequence[float]]) -> dict[str, object]:
    """Return a bar with its figure, its ceiling and the verdict, as `--json` prints them."""
    values = figures.get(bar.figure, ())
    median = statistics.median(values) if values else None
    ceilings = figures.get(f"ceiling {bar.figure}", ())
    ceiling = statistics.median(ceilings) if ceilings else None
    beyond = ceiling is not None and bar.sense == "at least" and bar.limit > ceiling
    if median is None:
        verdict = "not measured"
    elif median >= bar.limit if bar.sense == "at least" else median <= bar.limit:
        verdict = "met"
    else:
        verdict = f"missed, ceiling {ceiling:.2f}" if beyond else "missed"
    return {
        "budget": budget,
        "bar": bar.says,
        "limit": bar.limit,
        "sense": bar.sense,
        "unit": bar.unit,
        "figure": median,
        "ceiling": ceiling,
        "runs": list(values),
        "verdict": verdict,
    }


def _table(found: Sequence[Mapping[str, object]]) -> str:
    rows = [("bar", "limit", "figure", "ceiling", "runs", "verdict")]
    for each in found:
        figure, ceiling = each["figure"], each["ceiling"]
        runs = each["runs"]
        assert isinstance(runs, list)
        rows.append(
            (
                str(each["bar"]),
                f"{each['sense']} {each['limit']:g} {each['unit']}",
                "" if figure is None else f"{figure:.3g}",
                "" if ceiling is None else f"{ceiling:.3g}",
                " ".join(f"{run:.3g}" for run in runs),
                str(each["verdict"]),
            )
        )
    verdicts = [str(each["verdict"]) for each in found]
    met, beyond = verdicts.count("met"), sum("ceiling" in verdict for verdict in verdicts)
    last = f"{met} of {len(found)} bars met"
    if beyond:
        last += f", {beyond} of those missed lie above what a copy allows here"
    last += f"; {os.cpu_count()} CPUs, medians of {PROCESSES} processes"
    return f"{aligned(rows)}\n\n{last}"
