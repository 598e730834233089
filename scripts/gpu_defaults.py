"""Measure default plans that are not those of a results file, on an NVIDIA GPU, in turns.

    python scripts/gpu_defaults.py benchmarks/results/2026-11-30-h200-odd-rows.json --out results

In: results of `gpu_rows`.  Each case is planned again; where the default plan is another one, it
runs beside the one in the file and the best that was raced there.  Out: a table, and the same as
JSON.  Decides nothing; it says what a change of the cost model does on a device.
"""

import argparse
import datetime
import json
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from certile.pipeline import CompiledProgram
from certile.plan.record import Options
from certile.runtime.cuda.device import architecture
from certile.runtime.cuda.toolchain import compile_cuda
from scripts.gpu_rows import FINAL, TORCH, Case, check, copy_rate, described, launcher, plans
from scripts.gpu_rows_ops import OPS
from scripts.gpu_timing import measure

# Launches of a case in a graph where one takes less than a call of the host.
TOGETHER = 20
SHORT_BYTES = 1 << 27
_PLAN = re.compile(
    r"V(\d) S(\d+) Q(\d+)( phase)?( cached)? (preserve|expensive-only|nothing)(?: U\d)?"
)

Results = dict[tuple[str, str, str], list[dict[str, Any]]]


@dataclass
class Moved:
    """A case whose default plan is another one, with microseconds: now, as in the file, the best.

    `best` is the plan that was the fastest of those that the file raced.
    """

    op: str
    shape: str
    dtype: str
    now: str
    before: str
    best: str
    now_us: float
    before_us: float
    best_us: float
    percent_of_copy: float
    worst_error: float


def recorded(files: list[Path]) -> Results:
    """The rows of each case, from the last file that has it."""
    found: Results = {}
    for file in files:
        cases: Results = {}
        for row in json.loads(file.read_text(encoding="utf-8"))["rows"]:
            cases.setdefault((row["op"], row["shape"], row["dtype"]), []).append(row)
        found.update(cases)
    return found


def asked(described_plan: str) -> Options | None:
    """The options that give a described plan; None for another map and for a derived program."""
    match = _PLAN.fullmatch(described_plan)
    if match is None:
        return None
    wide, subgroups, packed, phase, cached, kept = match.groups()
    return Options(
        lane_elements=int(wide),
        programs_per_group=int(packed),
        threads=32 * int(subgroups) * int(packed),
        phase="on" if phase else "off",
        cache_inputs=cached is not None,
        materialization=kept,  # type: ignore[arg-type]  # one of the three by the pattern
    )


def moved(case: Case, rows: list[dict[str, Any]], rate: float) -> Moved | None:
    """The times of a case whose default plan is not that of its rows; None where it is."""
    compiled = case.compile(Options())
    now = described(compiled)
    (row,) = (row for row in rows if row["contestant"] == "certile default")
    before = row["plan"].removeprefix("default: ")
    options = asked(before)
    if now == before or options is None:
        return None
    raced = {row["plan"]: row["min_us"] for row in rows if row["contestant"] == "certile"}
    best = min((name for name in raced if raced[name]), key=lambda name: raced[name])
    known = dict(plans(case, "auto"))
    best_options = options if best == "default" else known[best]
    made = {"now": compiled, "before": case.compile(options), "best": case.compile(best_options)}
    with ThreadPoolExecutor(3) as pool:
        cubins = list(pool.map(binary, made.values()))
    calls = {
        name: launcher(case, each, cubin)[0]
        for (name, each), cubin in zip(made.items(), cubins, strict=True)
    }
    calls["before"]()
    for result in case.results.values():
        result.fill_(float("nan") if result.is_floating_point() else -1)
    calls["now"]()
    torch.cuda.synchronize()
    error, _ = check(case)
    launches = TOGETHER if case.bytes < SHORT_BYTES else 1
    taken = {name: median(each) for name, each in measure(calls, FINAL, launches).items()}
    shape = f"{case.rows}x{case.columns}"
    shown = before if best == "default" else described(made["best"])
    percent = 100 * case.bytes / taken["now"] / rate
    times = taken["now"], taken["before"], taken["best"]
    return Moved(case.name, shape, case.dtype, now, before, shown, *times, percent, error)


def binary(compiled: CompiledProgram) -> bytes:
    """The machine code of a compiled plan."""
    return compile_cuda(compiled.launches[0].artifact, architecture())


def measured(found: Results, rate: float, seconds: float) -> Iterator[Moved]:
    """The cases whose default plan is another one, in the order of the files, for some time."""
    end = time.monotonic() + seconds
    for (name, shape, dtype), rows in found.items():
        if time.monotonic() > end:
            print(f"out of time at {name} {shape} {dtype}", flush=True)
            return
        count, columns = (int(part) for part in shape.split("x"))
        op = OPS[name]
        case = Case(name, op, op.make(count, columns, TORCH[dtype]), count, columns, dtype)
        result = moved(case, rows, rate)
        if result is not None:
            line = f"{name:18} {shape:12} {dtype:5} {result.now:34} {result.now_us:8.1f} µs"
            print(
                f"{line}, {result.before} {result.before_us:.1f}, {result.best_us:.1f}", flush=True
            )
            yield result


def report(rows: list[Moved], rate: float, device: str, cases: int) -> str:
    """The table people read."""
    lines = [
        f"# Default plans that moved, on {device}",
        "",
        f"torch {torch.__version__}; measured copy {rate / 1e6:.2f} TB/s (read and written).",
        f"{len(rows)} of {cases} cases have another default plan than the results before.",
        f"Times are medians of {FINAL} interleaved rounds; one of {TOGETHER} launches in a graph",
        "where less than 128 MiB move.  Every result was checked against float64, every element.",
        "Best is the plan that was the fastest of those that were raced before.",
        "",
    ]
    if rows:
        gain = fmean(row.now_us / row.before_us for row in rows)
        regret = fmean(row.now_us / row.best_us for row in rows)
        lines += [f"Mean of now to before {gain:.3f}, of now to best {regret:.3f}.", ""]
    lines += ["| op | shape | dtype | now | before | best | now µs | before µs | best µs | copy |"]
    lines += ["|---|---|---|---|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: row.now_us / row.before_us):
        lines.append(
            f"| {row.op} | {row.shape} | {row.dtype} | {row.now} | {row.before} | {row.best} "
            f"| {row.now_us:.1f} | {row.before_us:.1f} | {row.best_us:.1f} "
            f"| {row.percent_of_copy:.1f} % |"
        )
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure, print, write; 1 when a plan gave a wrong result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin no case after these")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    rate, found = copy_rate(), recorded(arguments.files)
    rows = list(measured(found, rate, arguments.seconds))
    device = torch.cuda.get_device_name()
    name = f"{datetime.date.today()}-{device.lower().split()[-1]}-defaults"
    arguments.out.mkdir(parents=True, exist_ok=True)
    text = report(rows, rate, device, len(found))
    (arguments.out / f"{name}.md").write_text(text, encoding="utf-8")
    content = {"device": device, "copy_bytes_per_us": rate, "rows": [vars(row) for row in rows]}
    (arguments.out / f"{name}.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    return int(any(row.worst_error > 1 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
