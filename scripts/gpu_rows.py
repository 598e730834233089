"""Measure generated row kernels on an NVIDIA GPU beside torch, in percent of a measured copy.

    python scripts/gpu_rows.py                        # all operations, writes benchmarks/results
    python scripts/gpu_rows.py --ops softmax --shapes 32768x4096 --dtypes f32 --inductor
    python scripts/gpu_rows.py --odd --phase auto     # rows that begin at odd places
    python scripts/gpu_rows.py --shapes 8192x1999 --launches 20    # launches shorter than a call

Each case compiles several plans, checks every output element against float64 (outputs are poisoned
first), and times plans and torch in turns with device events: order reversed every other round, a
screening of all plans, then the best of them compiled again and measured again beside torch.
Losing plans and failed ones stay in the report.
"""

import argparse
import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Literal

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from certile.plan.record import Options
from certile.runtime.cuda.device import architecture
from scripts.gpu_cases import TORCH, Asked, Builders, Built, Case, Subject, subjects
from scripts.gpu_rows_ops import OPS, doubled
from scripts.gpu_timing import Call, measure

SHAPES = ((32768, 4096), (8192, 16384), (65536, 1024), (524288, 256), (4096, 32768), (200000, 1000))
# Rows that do not begin aligned, most of them.
ODD = ((32768, 4095), (8192, 1999), (65536, 1001), (200000, 257), (8192, 16383))
SCREENING, FINAL = 3, 15
# The plans that the planner chooses itself, by what it may choose from.
CHOSEN = ("default", "no phase", "phase")

Phase = Literal["auto", "on", "off"]


@dataclass
class Row:
    """One contestant of one case; times in microseconds."""

    op: str
    shape: str
    dtype: str
    contestant: str
    plan: str = ""
    median_us: float = 0.0
    min_us: float = 0.0
    spread: float = 0.0
    percent_of_copy: float = 0.0
    worst_error: float = 0.0
    passed: bool = True
    registers: int = 0
    note: str = ""


def plans(subject: Subject, phase: Phase) -> Iterator[tuple[str, Options]]:
    """The default plan and the analytic one, then rows at several widths and slots a worker.

    The others are of the program as written, cached or not, whatever the default plan would keep.
    Where rows are not aligned there are plans with a phase and without, as far as `phase` allows.
    """
    yield "default", Options(phase=phase)
    yield "analytic", Options(policy="analytic")
    size = TORCH[subject.dtype].itemsize
    aligned = subject.columns * size % 16 == 0
    if not aligned:
        yield from _phased(subject, phase)
    seen: set[Options] = set()
    for width in (16 // size, 1) if aligned else (1,):
        for slots, cached in ((4, False), (1, True), (2, True), (4, True), (8, True)):
            elements = 32 * width * slots if width > 1 else 32 * slots * 2
            subgroups = min(32, max(1, -(-subject.columns // elements)))
            packed = max(1, 4 // subgroups)
            options = Options(
                policy="analytic",
                lane_elements=width,
                cache_inputs=cached,
                programs_per_group=packed,
                threads=32 * subgroups * packed,
            )
            if options not in seen:
                seen.add(options)
                yield (
                    f"V{width} S{subgroups} Q{packed}{' cached' if cached else ''}",
                    options,
                )


def _phased(subject: Subject, phase: Phase) -> Iterator[tuple[str, Options]]:
    """The best plan with and without a phase, and phases at several packs and widths."""
    if phase == "auto":
        yield "no phase", Options(phase="off")
        yield "phase", Options(phase="on")
    if phase == "off":
        return
    for wide in (2, 4, 8):
        for slots in (1, 2, 4, 8):
            subgroups = min(32, max(1, -(-subject.columns // (32 * wide * slots))))
            options = Options(
                phase="on", lane_elements=wide, programs_per_group=1, threads=32 * subgroups
            )
            yield f"phase V{wide} S{subgroups} {slots} slots", options


def check(case: Case) -> tuple[float, bool]:
    """The worst error in units of the bound over every element; exact for integers.

    The bound is one rounding of the result, and 8 sqrt(depth) roundings of f32 at the scale of the
    row's leaves.
    """
    worst = 0.0
    rows, columns = case.subject.rows, case.subject.columns
    for start in range(0, rows, 8192):
        stop = start + 8192
        part = {k: _part(t, rows, start, stop) for k, t in case.tensors.items()}
        exact = case.op.oracle(part)
        scale = None if case.op.scale is None else case.op.scale(doubled(part))
        for name, want in zip(case.op.outputs, exact, strict=True):
            got = case.results[name][start:stop]
            if not got.is_floating_point():
                # Equal values at different places are equal maxima.
                x = part["x"]
                same = x.gather(1, got[:, None].clamp(0, x.shape[1] - 1)) == x.gather(
                    1, want[:, None]
                )
                worst = max(worst, 0.0 if bool(same.all()) else float("inf"))
                continue
            unit = torch.finfo(got.dtype).eps / 2
            depth = sqrt(columns / 32 + 16)
            size = want.abs().amax(-1, keepdim=True) if want.ndim > 1 else want.abs().clamp(min=1)
            size = size if scale is None else scale
            bound = 1.01 * unit * want.abs() + 8 * depth * 2.0**-24 * size
            error = ((got.double() - want).abs() / bound).nan_to_num(nan=float("inf"))
            worst = max(worst, float(error.max()))
    return worst, worst <= 1.0


def _part(tensor: torch.Tensor, rows: int, start: int, stop: int) -> torch.Tensor:
    return tensor[start:stop] if tensor.shape[0] == rows else tensor


def copy_rate() -> float:
    """Bytes a microsecond, read and written, of a large device-to-device copy."""
    source = torch.randn(2**28, device="cuda")
    target = torch.empty_like(source)
    taken = measure({"copy": lambda: target.copy_(source)}, 15)["copy"]
    return 2 * source.numel() * 4 / median(taken)


class Race:
    """All contestants of one case: its plans, screened, and the best of them beside torch.

    The plans that reach the last rounds are compiled again while other cases are screened.
    """

    def __init__(self, subject: Subject, builders: Builders, phase: Phase) -> None:
        self.subject, self._builders, self._target = subject, builders, architecture()
        self._asked = {name: Asked(options) for name, options in plans(subject, phase)}
        self._building = {
            name: builders.build(subject, asked, self._target)
            for name, asked in self._asked.items()
        }
        self._again: dict[str, tuple[str, Future[Built | str]]] = {}
        self.rows: list[Row] = []

    def screen(self, rate: float, launches: int) -> None:
        """Check and time all plans; the outputs of each are poisoned before its launch."""
        self._case = case = self.subject.case()
        calls: dict[str, Call] = {}
        for name, building in self._building.items():
            row, built = _row(self.subject, "certile", name), building.result()
            self.rows.append(row)
            if isinstance(built, str):
                row.passed, row.note = False, built
                continue
            call, row.registers = case.launcher(built)
            case.poison()
            call()
            torch.cuda.synchronize()
            row.worst_error, row.passed = check(case)
            if row.passed:
                calls[name] = call
        self._building.clear()
        screened = measure(calls, SCREENING, launches)
        for row in self.rows:
            if row.plan in screened:
                _fill(row, screened[row.plan], case, rate)
        wanted = {f"certile {name}": name for name in CHOSEN if name in screened}
        if screened:
            wanted["certile best"] = min(screened, key=lambda name: min(screened[name]))
        for contestant, name in wanted.items():
            building = self._builders.build(
                self.subject, self._asked[name], self._target, soon=True
            )
            self._again[contestant] = name, building

    def finish(self, rate: float, launches: int, *, inductor: bool) -> list[Row]:
        """The rows of all contestants, when the best plan and the default one met torch."""
        case, native = self._case, self._case.op.native
        calls: dict[str, Call] = {"torch": lambda: native(case.tensors)}
        shown: dict[str, str] = {}
        for contestant, (name, building) in self._again.items():
            built = building.result()
            assert isinstance(built, Built)
            calls[contestant] = case.launcher(built)[0]
            shown[contestant] = f"{name}: {built.plan}" if name in CHOSEN else name
        if inductor:
            # Past eight shapes of one function the compiler gives up and runs it eagerly.
            torch._dynamo.reset()
            fused = torch.compile(native, dynamic=False)
            calls["inductor"] = lambda: fused(case.tensors)
        for name, taken in measure(calls, FINAL, launches).items():
            row = _row(self.subject, name, shown.get(name, ""))
            _fill(row, taken, case, rate)
            self.rows.append(row)
        return self.rows


def raced(races: Sequence[Race], rate: float, arguments: argparse.Namespace) -> Iterator[Race]:
    """The races one after the other, each finished when the next is screened."""
    before: Race | None = None
    for race in (*races, None):
        if race is not None:
            race.screen(rate, arguments.launches)
        if before is not None:
            before.finish(rate, arguments.launches, inductor=arguments.inductor)
            yield before
            del before._case
        before = race


def _row(subject: Subject, contestant: str, plan: str) -> Row:
    return Row(subject.op, subject.shape, subject.dtype, contestant, plan)


def _fill(row: Row, taken: Sequence[float], case: Case, rate: float) -> None:
    row.median_us, row.min_us = median(taken), min(taken)
    row.spread = (max(taken) - min(taken)) / row.median_us
    row.percent_of_copy = 100 * case.bytes / row.median_us / rate


def report(rows: Sequence[Row], rate: float, device: str, launches: int) -> str:
    """The table people read: the final rounds first, then every plan."""
    lines = [
        f"# Row kernels on {device}",
        "",
        f"torch {torch.__version__}; measured copy {rate / 1e6:.2f} TB/s (read and written).",
        "Percent is (bytes read and written once) / time / copy.",
        f"Times are medians of {FINAL} interleaved rounds, of {SCREENING} where all plans compete.",
        "Every plan was checked against float64, every element, outputs poisoned first.",
        *([f"A time is that of one of {launches} launches in a graph."] if launches > 1 else []),
        "",
    ]
    for title, chosen in (
        ("Best plan beside torch", [r for r in rows if r.contestant != "certile"]),
        ("Every plan", [r for r in rows if r.contestant == "certile"]),
    ):
        lines += [f"## {title}", ""]
        lines += [
            "| op | shape | dtype | contestant | plan | µs | min | spread | % of copy | note |"
        ]
        lines += ["|---|---|---|---|---|---|---|---|---|---|"]
        for r in chosen:
            note = r.note or ("" if r.passed else f"wrong: {r.worst_error:.3g} bounds")
            lines.append(
                f"| {r.op} | {r.shape} | {r.dtype} | {r.contestant} | {r.plan} | {r.median_us:.1f} "
                f"| {r.min_us:.1f} | {r.spread:.2f} | {r.percent_of_copy:.1f} | {note} |"
            )
        lines.append("")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--ops", default=",".join(OPS))
    parser.add_argument("--shapes", default=",".join(f"{r}x{c}" for r, c in SHAPES))
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--odd", action="store_true", help="rows that do not begin aligned")
    parser.add_argument("--phase", choices=("auto", "on", "off"), default="auto")
    parser.add_argument("--inductor", action="store_true", help="also time torch.compile")
    parser.add_argument("--launches", type=int, default=1, help="launches that are timed as one")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    return parser.parse_args()


def main() -> int:
    """Measure, print, write; 1 when a plan gave a wrong result."""
    arguments, builders = parse(), Builders()
    torch.set_default_device("cuda")
    torch.manual_seed(0)
    odd = ",".join(f"{r}x{c}" for r, c in ODD)
    shapes = (odd if arguments.odd else arguments.shapes).split(",")
    wanted = subjects(arguments.ops.split(","), shapes, arguments.dtypes.split(","))
    races = [Race(subject, builders, arguments.phase) for subject in wanted]
    rate = copy_rate()
    rows: list[Row] = []
    for race in raced(races, rate, arguments):
        rows += race.rows
        for row in (row for row in race.rows if row.contestant != "certile"):
            print(
                f"{row.op:18} {row.shape:12} {row.dtype:5} {row.contestant:13} {row.plan:22} "
                f"{row.median_us:9.1f} µs {row.percent_of_copy:6.1f} %",
                flush=True,
            )
        for row in race.rows:
            if not row.passed:
                print(f"  {row.plan}: {row.note or row.worst_error}", flush=True)
    device = torch.cuda.get_device_name()
    name = f"{datetime.date.today()}-{device.lower().split()[-1]}-rows"
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / f"{name}.md").write_text(
        report(rows, rate, device, arguments.launches), encoding="utf-8"
    )
    content = {"device": device, "copy_bytes_per_us": rate, "rows": [asdict(r) for r in rows]}
    (arguments.out / f"{name}.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    return int(any(row.worst_error > 1 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
