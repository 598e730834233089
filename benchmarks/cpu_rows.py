"""Measure the row operations on this CPU and write the result as Markdown and JSON.

In: nothing, or `--seconds` for each case.  Out: `results/<date>-cpu-rows.md` and `.json`.  Decides
the operations, shapes and dtypes that are published.  Leaves measuring to
`certile.cli.bench.contest`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
from pathlib import Path

import torch

from certile.cli.bench.command import table
from certile.cli.bench.contest import Case, Figure, Race
from certile.runtime.cpu.device import measure_sheet

RESULTS = Path(__file__).resolve().parent / "results"
OPS = (
    *("softmax", "log_softmax", "logsumexp", "sum", "max", "argmax"),
    *("rms_norm", "layer_norm", "residual_layer_norm", "residual_rms_norm"),
    *("cross_entropy", "gelu", "silu"),
)
SHAPES = ((4096, 4096), (65536, 256))
DTYPES = ("f32", "bf16")
EXTRA = (
    Case("softmax", (1, 1 << 20)),
    Case("softmax", (3, 4096)),
    Case("softmax", (4099, 4097)),
    Case("layer_norm", (3, 4096)),
)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each case")
    seconds = parser.parse_args().seconds
    cases = [Case(op, shape, dtype) for dtype in DTYPES for op in OPS for shape in SHAPES]
    figures: list[Figure] = []
    for case in (*cases, *EXTRA):
        print(case.op, case.shape, case.dtype, flush=True)
        figures += Race(case, ("torch", "numpy")).run(seconds)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    stem = RESULTS / f"{today}-cpu-rows"
    machine = measure_sheet()
    head = {
        "date": today,
        "cpu": machine.cpu,
        "vector_bits": machine.vector_bits,
        "threads": machine.threads,
        "load_average": os.getloadavg()[0],
        "torch": torch.__version__,
    }
    rows = [figure.to_json() for figure in figures]
    RESULTS.mkdir(exist_ok=True)
    stem.with_suffix(".json").write_text(json.dumps({**head, "rows": rows}, indent=1) + "\n")
    said = "\n".join(f"- {name}: {value}" for name, value in head.items())
    text = f"# Row operations on a CPU\n\n{said}\n\n```text\n{table(figures)}\n```\n"
    stem.with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
