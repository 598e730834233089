"""Race the plans that the cost model weighs against each other, on an NVIDIA GPU.

    python scripts/gpu_race.py                        # writes benchmarks/results
    python scripts/gpu_race.py --also FILE.json       # and the plans of a file of results
    python scripts/gpu_race.py --model FILE.json      # no device: what the model takes of a race

In: operations, shapes, dtypes.  Of each case run the default plan, the best of all by the model and
the best of each pack, as written and as derived, with a phase and without.  Results are compared
with float64, every element, outputs poisoned first; plans take turns.  Out: a table, and all times
as JSON.  With `--model` the plans of such a file are scored again: how far the one that the model
likes best is from the fastest.  Decides which plans are worth a race.
"""

import argparse
import datetime
import json
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import cycle
from pathlib import Path
from statistics import fmean, median
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from certile.diagnostics import CertileError
from certile.ir.loads import merged_loads
from certile.ir.tile import Kernel
from certile.ir.walk import parallel_regions
from certile.pipeline import plan_program
from certile.plan.choose import choose
from certile.plan.forms import as_written, derived_forms
from certile.plan.mapping import Mapping
from certile.plan.record import GroupPlan, Options
from certile.runtime.cuda.device import architecture
from certile.runtime.cuda.toolchain import toolchain_version
from certile.targets.cuda import CUDA_SM90
from scripts.gpu_cases import Asked, Builders, Built, Case, Subject, described, subjects
from scripts.gpu_rows import ODD, SHAPES, check, copy_rate
from scripts.gpu_rows_ops import OPS
from scripts.gpu_timing import Call, measure

# Operations with a reduction: what is only mapped has the flat map, which no policy scores.
RACED = [name for name in OPS if name not in ("gelu", "silu")]
ROUNDS = 11
# Launches of a case in a graph where one takes less than a call of the host.
TOGETHER = 20
SHORT_BYTES = 1 << 27
# Such launches walk through copies of their arrays that no cache holds together.
ROTATED_BYTES = 1 << 28
# The best plans of all, and of each pack and form, that are raced if the model finds them near.
OF_ALL, OF_EACH, NEAR = 6, 2, 1.25
# What counts as a difference: medians of one plan differ by so much between runs.
TOLD_APART = 1.02

_PLAN = re.compile(
    r"V(\d) S(\d+) Q(\d+)( phase)?( cached)? (preserve|expensive-only|nothing|derived)(?: U(\d))?"
)


@dataclass
class Raced:
    """One plan of one case; times in microseconds."""

    op: str
    shape: str
    dtype: str
    plan: str
    default: bool
    median_us: float
    min_us: float
    registers: int
    worst_error: float


def asked(plan: str) -> Asked | None:
    """What gives a plan of this name; None for another map."""
    match = _PLAN.fullmatch(plan)
    if match is None:
        return None
    wide, subgroups, packed, phase, cached, kept, unroll = match.groups()
    options = Options(
        lane_elements=int(wide),
        programs_per_group=int(packed),
        threads=32 * int(subgroups) * int(packed),
        unroll=int(unroll or 1),
        phase="on" if phase else "off",
        cache_inputs=cached is not None,
        materialization="nothing" if kept == "derived" else kept,  # type: ignore[arg-type]  # as named
    )
    return Asked(options, derived=kept == "derived")


def contestants(subject: Subject) -> list[str]:
    """The names of the plans that are worth a race, the default first."""
    with torch.device("meta"):
        case = subject.case()
    plan = _planned(case, case.kernel(), Options())
    names = [described(plan)]
    scored = sorted(_scored(case))
    least, taken = scored[0][0], dict[tuple[object, ...], int]()
    for number, (score, pack, name) in enumerate(scored):
        taken[pack] = taken.get(pack, 0) + 1
        if number < OF_ALL or (taken[pack] <= OF_EACH and score < NEAR * least):
            names.append(name)
    return list(dict.fromkeys(names))


def _scored(case: Case) -> Iterator[tuple[float, tuple[object, ...], str]]:
    """Score, pack and form, and name of every candidate, as written and as derived."""
    written = as_written(Options(), CUDA_SM90)
    for derived, forms in ((False, written), (True, derived_forms(CUDA_SM90))):
        try:
            kernel = merged_loads(case.kernel(derived=derived))
        except ValueError:
            continue
        (region,) = parallel_regions(kernel)
        kept = set()
        for form in forms:
            options = Options(materialization=form.materialization, cache_inputs=form.cache_inputs)
            rows, facts = case.subject.rows, case.facts
            plan = choose(kernel, region, rows, CUDA_SM90, options, facts=facts)
            if plan.rows is None or plan.rows.materialized in kept:
                continue
            kept.add(plan.rows.materialized)
            for candidate in plan.candidates:
                mapping = candidate.mapping
                pack = derived, form.cache_inputs, mapping.lane_elements, mapping.phase
                yield candidate.score, pack, _name(plan, mapping, derived=derived)


def _name(plan: GroupPlan, mapping: Mapping, *, derived: bool) -> str:
    """What the plan is called with another of its mappings."""
    return described(replace(plan, mapping=mapping), derived=derived)


def _planned(case: Case, kernel: Kernel, options: Options) -> GroupPlan:
    """The plan that is asked for; raises CertileError where there is none."""
    rows = [case.subject.rows]
    (plan,) = plan_program(kernel, rows, CUDA_SM90, options, facts=case.facts)
    return plan


class Race:
    """The plans of one case, being built."""

    def __init__(self, subject: Subject, names: Sequence[str], builders: Builders) -> None:
        self.subject, self.default = subject, names[0]
        target = architecture()
        wanted = {name: asked(name) for name in names}
        # A default plan that nobody can ask for is what the planner takes when nothing is asked.
        wanted[self.default] = wanted[self.default] or Asked(Options())
        self._building: dict[str, Future[Built | str]] = {
            name: builders.build(subject, each, target)
            for name, each in wanted.items()
            if each is not None
        }

    def run(self) -> list[Raced]:
        """Every plan's times; one that is declined or wrong is said and left out."""
        case, subject = self.subject.case(), self.subject
        short = case.bytes < SHORT_BYTES
        copies = [case, *(subject.case() for _ in range(ROTATED_BYTES // case.bytes * short))]
        calls: dict[str, Call] = {}
        found: dict[str, tuple[int, float]] = {}
        for name, building in self._building.items():
            built = building.result()
            if isinstance(built, str):
                print(f"{subject}: {name}: {built}", flush=True)
            elif built.plan not in calls:
                call, registers = case.launcher(built)
                case.poison()
                call()
                torch.cuda.synchronize()
                error, passed = check(case)
                found[built.plan] = registers, error
                if passed:
                    more = [copy.launcher(built)[0] for copy in copies[1:]]
                    calls[built.plan] = in_turn([call, *more])
                else:
                    print(f"{subject}: {name}: wrong by {error:.3g} bounds", flush=True)
        self._building.clear()
        times = measure(calls, ROUNDS, TOGETHER if short else 1)
        return [
            Raced(
                subject.op,
                subject.shape,
                subject.dtype,
                name,
                name == self.default,
                median(taken),
                min(taken),
                *found[name],
            )
            for name, taken in times.items()
        ]


def in_turn(calls: Sequence[Call]) -> Call:
    """A call that makes the next of several each time."""
    turns = cycle(calls)
    return lambda: next(turns)()


def also(files: Sequence[Path]) -> dict[tuple[str, str, str], list[str]]:
    """The plans of earlier races, and the default ones of results of `gpu_rows`, by case."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for file in files:
        for row in json.loads(file.read_text(encoding="utf-8"))["rows"]:
            case = (row["op"], row["shape"], row["dtype"])
            found.setdefault(case, []).append(row["plan"].removeprefix("default: "))
    return found


def by_case(rows: Sequence[dict[str, Any]]) -> dict[Subject, dict[str, float]]:
    """Microseconds of each plan, by case."""
    found: dict[Subject, dict[str, float]] = {}
    for row in rows:
        count, columns = (int(part) for part in row["shape"].split("x"))
        subject = Subject(row["op"], count, columns, row["dtype"])
        found.setdefault(subject, {})[row["plan"]] = row["median_us"]
    return found


def estimates(subject: Subject, names: Sequence[str]) -> dict[str, float]:
    """What the model says of plans, in microseconds; those it cannot score are left out.

    So are derived programs where the planner looks for none.
    """
    with torch.device("meta"):
        case = subject.case()
    derives = any(form.derived for form in _planned(case, case.kernel(), Options()).forms)
    found, kernels = {}, dict[bool, Kernel]()
    for name in names:
        wanted = asked(name)
        if wanted is not None and (derives or not wanted.derived):
            # Tracing and the search for a derived program take longer than planning.
            if wanted.derived not in kernels:
                kernels[wanted.derived] = case.kernel(derived=wanted.derived)
            try:
                plan = _planned(case, kernels[wanted.derived], wanted.options)
            except CertileError:
                continue
            if plan.kernel_score is not None and described(plan, derived=wanted.derived) == name:
                found[name] = plan.kernel_score / 1000
    return found


def regrets(lines: Sequence[tuple[float, str]], title: str) -> list[str]:
    """Mean, median and worst of ratios, and those that count as a difference."""
    ratios = [ratio for ratio, _ in lines]
    said = (
        f"{title}: mean {fmean(ratios):.4f}, median {median(ratios):.4f}, worst {max(ratios):.3f}; "
        f"{sum(ratio > TOLD_APART for ratio in ratios)} of {len(ratios)} cases over {TOLD_APART}."
    )
    return [said, "", *(line for ratio, line in sorted(lines)[::-1] if ratio > TOLD_APART)]


def taken_of(file: Path, workers: int) -> int:
    """Print what the model takes of the plans of a race, beside the fastest."""
    races = by_case(json.loads(file.read_text(encoding="utf-8"))["rows"])
    lines = []
    with ProcessPoolExecutor(workers) as pool:
        found = pool.map(estimates, races, [list(times) for times in races.values()])
        for (subject, times), guess in zip(races.items(), found, strict=True):
            taken, best = min(guess, key=lambda k: guess[k]), min(times, key=lambda k: times[k])
            lines.append((times[taken] / times[best], _line(subject, times, taken, best)))
    print("\n".join(regrets(lines, "what the model takes over the fastest")))
    return 0


def _line(subject: Subject, times: dict[str, float], taken: str, best: str) -> str:
    shown = f"{taken} | {times[taken]:.1f} | {best} | {times[best]:.1f}"
    return f"| {subject.op} | {subject.shape} | {subject.dtype} | {shown} |"


def report(rows: Sequence[Raced], rate: float, device: str) -> str:
    """The table people read; all plans are in the JSON beside it."""
    races = by_case([asdict(row) for row in rows])
    defaults = {(row.op, row.shape, row.dtype): row.plan for row in rows if row.default}
    lines = []
    for subject, times in races.items():
        taken = defaults.get((subject.op, subject.shape, subject.dtype))
        if taken is not None:
            best = min(times, key=lambda k: times[k])
            lines.append((times[taken] / times[best], _line(subject, times, taken, best)))
    said, _, *table = regrets(lines, "Default over the fastest")
    return f"""# Plans that the cost model of GPUs weighs against each other, on {device}

torch {torch.__version__}, {toolchain_version()}; copy {rate / 1e6:.2f} TB/s (read and written).
{len(rows)} plans of {len(races)} cases.  A time is the median of {ROUNDS} interleaved rounds; where
less than 128 MiB move, of one of {TOGETHER} launches in a graph, through copies of 256 MiB.  Every
result was checked against float64, every element.  A difference of less than
{100 * TOLD_APART - 100:.0f} % counts as none.  `.json` beside this has all plans, with registers.

{said}

| op | shape | dtype | default | µs | fastest | µs |
|---|---|---|---|---|---|---|
""" + "\n".join([*table, ""])


def main() -> int:
    """Race, print, write; 1 when a plan gave a wrong result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--ops", default=",".join(RACED))
    parser.add_argument("--shapes", default=",".join(f"{r}x{c}" for r, c in (*SHAPES, *ODD)))
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--also", type=Path, nargs="*", default=[])
    parser.add_argument("--model", type=Path, help="score the plans of this file, on no device")
    parser.add_argument("--jobs", type=int, default=1, help="processes of --model")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    arguments = parser.parse_args()
    if arguments.model is not None:
        return taken_of(arguments.model, arguments.jobs)
    builders = Builders()
    torch.set_default_device("cuda")
    torch.manual_seed(0)
    split = (arguments.ops, arguments.shapes, arguments.dtypes)
    wanted = subjects(*(each.split(",") for each in split))
    before, rows = also(arguments.also), list[Raced]()
    races = []
    for subject, names in zip(wanted, builders.map(contestants, wanted), strict=True):
        known = before.get((subject.op, subject.shape, subject.dtype), [])
        races.append(Race(subject, list(dict.fromkeys([*names, *known])), builders))
    rate, device = copy_rate(), torch.cuda.get_device_name()
    for race in races:
        rows += race.run()
    name = f"{datetime.date.today()}-{device.lower().split()[-1]}-race"
    arguments.out.mkdir(parents=True, exist_ok=True)
    text = report(rows, rate, device)
    (arguments.out / f"{name}.md").write_text(text, encoding="utf-8")
    content = {"device": device, "copy_bytes_per_us": rate, "rows": [asdict(r) for r in rows]}
    (arguments.out / f"{name}.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    print(text)
    return int(any(row.worst_error > 1 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
