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
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Literal

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from certile.diagnostics import CertileError
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from certile.ir.host import HostValue, ViewFacts, layout_facts
from certile.pipeline import CompiledProgram, compile_program
from certile.plan.record import Options
from certile.runtime.cuda.device import CudaKernel, architecture
from certile.runtime.cuda.toolchain import compile_cuda
from certile.targets.cuda import CUDA_SM90
from scripts.gpu_rows_ops import OPS, Op, Tensors, doubled
from scripts.gpu_timing import Call, measure

TORCH = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
NAMES = {dtype: name for name, dtype in TORCH.items()} | {torch.int64: "i64"}
SHAPES = ((32768, 4096), (8192, 16384), (65536, 1024), (524288, 256), (4096, 32768), (200000, 1000))
# Rows that do not begin aligned, most of them.
ODD = ((32768, 4095), (8192, 1999), (65536, 1001), (200000, 257), (8192, 16383))
SCREENING, FINAL = 3, 15

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


@dataclass
class Case:
    """An operation at a shape: tensors, and what a launch of its kernel needs."""

    name: str
    op: Op
    tensors: Tensors
    rows: int
    columns: int
    dtype: str
    results: Tensors = field(default_factory=dict)

    def __post_init__(self) -> None:
        native = self.op.native({k: v[:1] if v.ndim > 1 else v for k, v in self._first().items()})
        for name, like in zip(self.op.outputs, native, strict=True):
            shape = (self.rows, *like.shape[1:])
            self.results[name] = torch.empty(
                shape, device="cuda", dtype=self.op.result or like.dtype
            )

    def _first(self) -> Tensors:
        return {k: v[:1] if k == "labels" else v for k, v in self.tensors.items()}

    @property
    def all(self) -> Tensors:
        return {**self.tensors, **self.results}

    @property
    def bytes(self) -> int:
        return sum(t.numel() * t.element_size() for t in self.all.values())

    def compile(self, options: Options) -> CompiledProgram:
        """The kernel under a plan; raises CertileError where there is none."""
        shaped = {k: Shaped(BY_NAME[NAMES[t.dtype]], tuple(t.shape)) for k, t in self.all.items()}
        kernel = self.op.kernel.tile_ir({**shaped, **(self.op.numbers or {})})
        facts = {name: _facts(tensor) for name, tensor in self.all.items()}
        return compile_program(kernel, facts, [self.rows], CUDA_SM90, options)


def _facts(tensor: torch.Tensor) -> ViewFacts:
    return layout_facts(tensor.shape, tensor.stride(), tensor.element_size(), tensor.data_ptr())


def launcher(case: Case, compiled: CompiledProgram, cubin: bytes) -> tuple[Call, int]:
    """A call that launches the kernel on the case's tensors, and its registers a thread."""
    (unit,) = compiled.launches
    kernel = CudaKernel(unit.artifact, cubin)
    tensors, numbers = case.all, case.op.numbers or {}

    def value(source: HostValue) -> bool | int | float:
        return source.evaluate(
            lambda view, dim: tensors[view].shape[dim],
            lambda view, dim: tensors[view].stride(dim),
            lambda name: numbers[name],
        )

    values = [value(source) for source in unit.launch.scalars]
    programs = int(value(unit.launch.programs))
    addresses = [tensors[name].data_ptr() for name in unit.launch.buffers]

    def call() -> None:
        stream = torch.cuda.current_stream().cuda_stream
        kernel.launch(addresses, values, programs, stream)

    return call, kernel.attribute("NUM_REGS")


def plans(case: Case, phase: Phase) -> Iterator[tuple[str, Options]]:
    """The default plan and the analytic one, then rows at several widths and slots a worker.

    The others are of the program as written, cached or not, whatever the default plan would keep.
    Where rows are not aligned there are plans with a phase and without, as far as `phase` allows.
    """
    yield "default", Options(phase=phase)
    yield "analytic", Options(policy="analytic")
    size = TORCH[case.dtype].itemsize
    aligned = case.columns * size % 16 == 0
    if not aligned:
        yield from _phased(case, phase)
    seen: set[Options] = set()
    for width in (16 // size, 1) if aligned else (1,):
        for slots, cached in ((4, False), (1, True), (2, True), (4, True), (8, True)):
            elements = 32 * width * slots if width > 1 else 32 * slots * 2
            subgroups = min(32, max(1, -(-case.columns // elements)))
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


def _phased(case: Case, phase: Phase) -> Iterator[tuple[str, Options]]:
    """The best plan with and without a phase, and phases at several packs and widths."""
    if phase == "auto":
        yield "no phase", Options(phase="off")
        yield "phase", Options(phase="on")
    if phase == "off":
        return
    for wide in (2, 4, 8):
        for slots in (1, 2, 4, 8):
            subgroups = min(32, max(1, -(-case.columns // (32 * wide * slots))))
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
    for start in range(0, case.rows, 8192):
        stop = start + 8192
        part = {k: _part(t, case.rows, start, stop) for k, t in case.tensors.items()}
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
            depth = sqrt(case.columns / 32 + 16)
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


def run_case(case: Case, rate: float, arguments: argparse.Namespace) -> list[Row]:
    """All contestants of one case."""
    made, rows = compile_plans(case, arguments.phase)
    calls: dict[str, Call] = {}
    for name, compiled, cubin in made:
        for result in case.results.values():
            result.fill_(float("nan") if result.is_floating_point() else -1)
        call, registers = launcher(case, compiled, cubin)
        call()
        torch.cuda.synchronize()
        row = _row(case, "certile", name)
        row.worst_error, row.passed = check(case)
        row.registers = registers
        rows.append(row)
        if row.passed:
            calls[name] = call
    screened = measure(calls, SCREENING, arguments.launches)
    for row in rows:
        if row.plan in screened:
            _fill(row, screened[row.plan], case, rate)
    wanted = {f"certile {name}": name for name in ("default", "no phase", "phase")}
    wanted = {shown: name for shown, name in wanted.items() if name in screened}
    if screened:
        wanted["certile best"] = min(screened, key=lambda k: min(screened[k]))
    rows += final(case, rate, wanted, arguments)
    return rows


def compile_plans(
    case: Case, phase: Phase
) -> tuple[list[tuple[str, CompiledProgram, bytes]], list[Row]]:
    """The plans that compile, and rows for those that are declined."""
    made: list[tuple[str, CompiledProgram, bytes]] = []
    declined: list[Row] = []

    def build(options: Options) -> tuple[CompiledProgram, bytes] | CertileError:
        try:
            compiled = case.compile(options)
            return compiled, compile_cuda(compiled.launches[0].artifact, architecture())
        except CertileError as error:
            return error

    wanted = list(plans(case, phase))
    with ThreadPoolExecutor(8) as pool:
        built = list(pool.map(build, (options for _, options in wanted)))
    for (name, _), result in zip(wanted, built, strict=True):
        if isinstance(result, CertileError):
            row = _row(case, "certile", name)
            row.passed, row.note = False, f"{result.code}: {result.diagnostic.message}"
            declined.append(row)
        else:
            made.append((name, *result))
    return made, declined


def final(
    case: Case, rate: float, wanted: Mapping[str, str], arguments: argparse.Namespace
) -> list[Row]:
    """The best plan and the default one, compiled again, beside torch; `wanted` names plans."""
    native = case.op.native
    calls: dict[str, Call] = {"torch": lambda: native(case.tensors)}
    shown: dict[str, str] = {}
    for contestant, plan in wanted.items():
        compiled = case.compile(dict(plans(case, arguments.phase))[plan])
        cubin = compile_cuda(compiled.launches[0].artifact, architecture())
        calls[contestant] = launcher(case, compiled, cubin)[0]
        chosen = plan in ("default", "no phase", "phase")
        shown[contestant] = f"{plan}: {described(compiled)}" if chosen else plan
    if arguments.inductor:
        # Past eight shapes of one function the compiler gives up and runs it eagerly.
        torch._dynamo.reset()
        fused = torch.compile(native, dynamic=False)
        calls["inductor"] = lambda: fused(case.tensors)
    rows = []
    for name, taken in measure(calls, FINAL, arguments.launches).items():
        row = _row(case, name, shown.get(name, ""))
        _fill(row, taken, case, rate)
        rows.append(row)
    return rows


def described(compiled: CompiledProgram) -> str:
    """The mapping of a plan and the form of the program it follows."""
    plan = compiled.launches[0].plan
    mapping = plan.mapping
    if mapping is not None and mapping.family == "flat":
        return f"flat V{mapping.lane_elements} S{mapping.subgroups_per_program} U{mapping.unroll}"
    if mapping is None or mapping.family != "subgroup":
        return "reference map"
    form = "derived" if plan.derivation is not None else plan.materialization
    packed, wide = mapping.programs_per_group, mapping.lane_elements
    cached = " cached" if plan.cache_inputs else ""
    phase = " phase" if mapping.phase else ""
    return f"V{wide} S{mapping.subgroups_per_program} Q{packed}{phase}{cached} {form}"


def _row(case: Case, contestant: str, plan: str) -> Row:
    return Row(case.name, f"{case.rows}x{case.columns}", case.dtype, contestant, plan)


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
    arguments = parse()
    torch.manual_seed(0)
    rate = copy_rate()
    rows: list[Row] = []
    odd = ",".join(f"{r}x{c}" for r, c in ODD)
    for shape in (odd if arguments.odd else arguments.shapes).split(","):
        count, columns = (int(part) for part in shape.split("x"))
        for dtype in arguments.dtypes.split(","):
            for name in arguments.ops.split(","):
                op = OPS[name]
                tensors = op.make(count, columns, TORCH[dtype])
                case = Case(name, op, tensors, count, columns, dtype)
                done = run_case(case, rate, arguments)
                rows += done
                for row in (row for row in done if row.contestant != "certile"):
                    print(
                        f"{name:18} {shape:12} {dtype:5} {row.contestant:13} {row.plan:22} "
                        f"{row.median_us:9.1f} µs {row.percent_of_copy:6.1f} %",
                        flush=True,
                    )
                for row in done:
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
