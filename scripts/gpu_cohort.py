"""Check and time the cohort's CUDA texts on an NVIDIA GPU, beside torch.

    python scripts/gpu_cohort.py              # all programs, writes benchmarks/results
    python scripts/gpu_cohort.py --only softmax --rounds 5

Three contestants: `certile`, the text that the compiler makes; `tvm`, TVM's text of its export,
read from tests/golden/cohort; `torch`.  Every element of every result is compared with float64,
outputs poisoned first.  A program is short, so a time is that of one launch in a graph of many:
what the device takes for it, without the host.  Order is reversed every other round.
"""

import argparse
import datetime
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from certile.codegen.artifact import Artifact
from certile.ir.dtypes import BY_NAME, u64
from certile.ir.machine import ScalarParameter
from certile.pipeline import CompiledLaunch
from certile.runtime.cuda.device import CudaKernel, architecture
from certile.runtime.cuda.toolchain import compile_cuda, compile_device
from certile.targets.cuda import CUDA_SM90
from certile.tirx.artifact import DeviceArtifact
from scripts.cohort import PROGRAMS, Program, described
from scripts.gpu_timing import Call, measure
from scripts.write_cohort import filed

LAUNCHES = 200

Array = np.ndarray[Any, Any]
Native = Callable[[Mapping[str, torch.Tensor]], torch.Tensor]


def _layer_norm(t: Mapping[str, torch.Tensor]) -> torch.Tensor:
    return functional.layer_norm(t["x"], (t["x"].shape[1],), t["weight"], t["bias"], 1e-5)


NATIVE: dict[str, Native] = {
    "sum": lambda t: t["x"].sum(-1),
    "softmax": lambda t: torch.softmax(t["x"], -1),
    "rmsnorm": lambda t: functional.rms_norm(t["x"], (t["x"].shape[1],), t["weight"], 1e-6),
    "layernorm": _layer_norm,
    "residual-layernorm": lambda t: _layer_norm({**t, "x": t["x"] + t["residual"]}),
    "cross-entropy": lambda t: functional.cross_entropy(t["logits"], t["labels"], reduction="none"),
}


@dataclass
class Row:
    """One contestant of one program; times are microseconds a launch."""

    program: str
    contestant: str
    plan: str = ""
    median_us: float = 0.0
    min_us: float = 0.0
    spread: float = 0.0
    worst_error: float = 0.0
    registers: int = 0
    note: str = ""

    @property
    def passed(self) -> bool:
        return self.worst_error <= 1 and not self.note


@dataclass
class Case:
    """A program with its arguments on the GPU."""

    program: Program
    given: dict[str, Array] = field(init=False)
    tensors: dict[str, torch.Tensor] = field(init=False)

    def __post_init__(self) -> None:
        self.given = self.program.arguments()
        self.tensors = {name: torch.from_numpy(a).cuda() for name, a in self.given.items()}

    @property
    def result(self) -> torch.Tensor:
        return self.tensors[self.program.output]

    def error(self, call: Call) -> float:
        """Poison the output, call once, and compare every element with float64."""
        self.result.fill_(float("nan"))
        found = call()
        torch.cuda.synchronize()
        result = found if isinstance(found, torch.Tensor) else self.result
        output = {self.program.output: result.cpu().numpy()}
        return self.program.error(self.given | output)

    def certile(self, launch: CompiledLaunch) -> tuple[Call, int]:
        """The compiler's text, compiled for this device."""
        artifact = launch.artifact
        kernel = CudaKernel(artifact, compile_cuda(artifact, architecture()))
        addresses = [self.tensors[name].data_ptr() for name in launch.launch.buffers]
        values = self.program.scalars(launch)

        def call() -> None:
            kernel.launch(addresses, values, self.program.rows, _stream())

        return call, kernel.attribute("NUM_REGS")

    def tvm(self, artifact: DeviceArtifact) -> tuple[Call, int]:
        """TVM's text, launched as its artifact says."""
        cubin = compile_device(artifact, architecture())
        kernel = CudaKernel(_as_ours(artifact), cubin)
        numbers = {"eps": self.program.eps}
        values = [
            self.tensors[argument.name].data_ptr()
            if argument.kind == "buffer"
            else numbers[argument.name]
            for argument in artifact.arguments
        ]

        def call() -> None:
            kernel.launch((), values, artifact.grid[0], _stream())

        return call, kernel.attribute("NUM_REGS")


def _as_ours(artifact: DeviceArtifact) -> Artifact:
    """What a launch reads: one program a group; arguments in TVM's order, addresses as numbers."""
    if artifact.grid[1:] != (1, 1):
        raise ValueError(f"{artifact.entry}: grids have one dimension")
    kinds = (u64 if a.kind == "buffer" else BY_NAME[a.dtype] for a in artifact.arguments)
    named = zip(artifact.arguments, kinds, strict=True)
    return Artifact(
        format="cuda",
        entry=artifact.entry,
        text=artifact.source,
        threads=artifact.block[0],
        programs_per_group=1,
        shared_bytes=0,
        buffers=(),
        scalars=tuple(ScalarParameter(argument.name, dtype) for argument, dtype in named),
        requires_precise_math=artifact.requires_precise_math,
        fingerprint=artifact.fingerprint,
    )


def _stream() -> int:
    return int(torch.cuda.current_stream().cuda_stream)


def contestants(case: Case) -> Iterator[tuple[Row, Call]]:
    """Each contestant with its row, checked."""
    name = case.program.name
    launch = case.program.compiled(CUDA_SM90)
    call, registers = case.certile(launch)
    yield _checked(case, Row(name, "certile", described(launch.plan), registers=registers), call)
    found = filed(name, "cu")
    if found is not None:
        artifact, plan = found
        call, registers = case.tvm(artifact)
        yield _checked(case, Row(name, "tvm", plan, registers=registers), call)
    native, tensors = NATIVE[case.program.form], case.tensors
    yield _checked(case, Row(name, "torch"), lambda: native(tensors))


def _checked(case: Case, row: Row, call: Call) -> tuple[Row, Call]:
    row.worst_error = case.error(call)
    return row, call


def run(program: Program, rounds: int) -> list[Row]:
    """All contestants of one program, timed beside each other when they are right."""
    made = list(contestants(Case(program)))
    for row, _ in made:
        row.note = "" if row.worst_error <= 1 else f"wrong: {row.worst_error:.3g} bounds"
    calls = {row.contestant: call for row, call in made if row.passed}
    for name, taken in measure(calls, rounds, LAUNCHES).items():
        row = next(row for row, _ in made if row.contestant == name)
        row.median_us, row.min_us = median(taken), min(taken)
        row.spread = (max(taken) - min(taken)) / row.median_us
    return [row for row, _ in made]


def report(rows: Sequence[Row], device: str, rounds: int) -> str:
    """The table people read."""
    lines = [
        f"# The cohort on {device}",
        "",
        f"torch {torch.__version__}.  Microseconds a launch, in a graph of {LAUNCHES} of them.",
        f"Medians of {rounds} interleaved rounds.",
        "Errors are in units of what rounding allows; every element was compared with float64.",
        "",
        "| program | contestant | plan | µs | min | spread | registers | error | note |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r.program} | {r.contestant} | {r.plan} | {r.median_us:.2f} | {r.min_us:.2f} "
        f"| {r.spread:.2f} | {r.registers or ''} | {r.worst_error:.2f} | {r.note} |"
        for r in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Check, measure, print, write; 1 when a result was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--only", default="", help="programs whose name holds this")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    rows: list[Row] = []
    for program in PROGRAMS:
        if chosen.only in program.name:
            rows += run(program, chosen.rounds)
            shown = "  ".join(f"{r.contestant} {r.median_us:.2f} {r.note}" for r in rows[-3:])
            print(f"{program.name:30} {shown}", flush=True)
    device = torch.cuda.get_device_name()
    name = f"{datetime.date.today()}-{device.lower().split()[-1]}-cohort"
    chosen.out.mkdir(parents=True, exist_ok=True)
    text = report(rows, device, chosen.rounds)
    (chosen.out / f"{name}.md").write_text(text, encoding="utf-8")
    content = {"device": device, "rows": [asdict(row) for row in rows]}
    (chosen.out / f"{name}.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    return int(not all(row.passed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
