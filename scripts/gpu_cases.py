"""Cases of row operations on an NVIDIA GPU, and the building of their plans in other processes.

In: an operation, a shape, a dtype; options of the planner.  Out: tensors, and kernels to launch on
them.  Decides what a kernel is told of its arguments.  Planning and the compiler take longer than
the measurement: worker processes, which hold no device, build while one process measures.  Leaves
what is raced, and clocks, to `gpu_rows` and `gpu_race`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import get_context
from typing import TypeVar

import torch

from certile.codegen.artifact import Artifact
from certile.diagnostics import CertileError
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from certile.ir.host import HostValue, ViewFacts, layout_facts
from certile.ir.loads import merged_loads
from certile.ir.tile import Kernel
from certile.ir.walk import parallel_regions
from certile.pipeline import CompiledProgram, compile_program
from certile.plan.forms import derive
from certile.plan.record import GroupPlan, Options
from certile.runtime.cuda.device import CudaKernel
from certile.runtime.cuda.toolchain import compile_cuda
from certile.targets.cuda import CUDA_SM90
from scripts.gpu_rows_ops import OPS, Op, Tensors
from scripts.gpu_timing import Call

T = TypeVar("T")
R = TypeVar("R")

TORCH = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
NAMES = {dtype: name for name, dtype in TORCH.items()} | {torch.int64: "i64"}


@dataclass(frozen=True)
class Subject:
    """What is measured: an operation of `gpu_rows_ops` by name, a shape, a dtype."""

    op: str
    rows: int
    columns: int
    dtype: str

    @property
    def shape(self) -> str:
        return f"{self.rows}x{self.columns}"

    def case(self) -> "Case":
        """The case with its tensors, on PyTorch's default device."""
        op = OPS[self.op]
        return Case(self, op, op.make(self.rows, self.columns, TORCH[self.dtype]))


@dataclass(frozen=True)
class Asked:
    """A plan to build: options for the program as written or, if one is proved, as derived."""

    options: Options
    derived: bool = False


@dataclass(frozen=True)
class Built:
    """A compiled plan: its text, what a launch takes, what the plan is called, and machine code."""

    artifact: Artifact
    buffers: tuple[str, ...]
    scalars: tuple[HostValue, ...]
    programs: HostValue
    plan: str
    cubin: bytes


@dataclass
class Case:
    """A subject with its tensors: arguments, and outputs of the dtypes that torch gives."""

    subject: Subject
    op: Op
    tensors: Tensors
    results: Tensors = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = {k: v[:1] if k == "labels" else v for k, v in self.tensors.items()}
        native = self.op.native({k: v[:1] if v.ndim > 1 else v for k, v in first.items()})
        for name, like in zip(self.op.outputs, native, strict=True):
            shape = (self.subject.rows, *like.shape[1:])
            self.results[name] = torch.empty(shape, dtype=self.op.result or like.dtype)

    @property
    def all(self) -> Tensors:
        return {**self.tensors, **self.results}

    @property
    def bytes(self) -> int:
        return sum(t.numel() * t.element_size() for t in self.all.values())

    def kernel(self, *, derived: bool = False) -> Kernel:
        """The kernel for these shapes; raises ValueError where no derived program is proved."""
        shaped = {k: Shaped(BY_NAME[NAMES[t.dtype]], tuple(t.shape)) for k, t in self.all.items()}
        written = self.op.kernel.tile_ir({**shaped, **(self.op.numbers or {})})
        if not derived:
            return written
        read = merged_loads(written)
        found = derive(read, parallel_regions(read)[0], Options())
        if found is None or found.rewrite is None:
            raise ValueError(f"{self.subject.op} has no derived program")
        return found.rewrite.kernel

    @property
    def facts(self) -> dict[str, ViewFacts]:
        """What a kernel may rely on of its arguments."""
        return {
            name: layout_facts(t.shape, t.stride(), t.element_size(), t.data_ptr())
            for name, t in self.all.items()
        }

    def compile(self, asked: Asked) -> CompiledProgram:
        """The kernel under a plan; raises CertileError where there is none."""
        kernel, rows = self.kernel(derived=asked.derived), self.subject.rows
        return compile_program(kernel, self.facts, [rows], CUDA_SM90, asked.options)

    def poison(self) -> None:
        """Fill the outputs with what no kernel writes."""
        for result in self.results.values():
            result.fill_(float("nan") if result.is_floating_point() else -1)

    def launcher(self, built: Built) -> tuple[Call, int]:
        """A call that launches a built plan on these tensors, and its registers a thread."""
        kernel = CudaKernel(built.artifact, built.cubin)
        tensors, numbers = self.all, self.op.numbers or {}

        def value(source: HostValue) -> bool | int | float:
            return source.evaluate(
                lambda view, dim: tensors[view].shape[dim],
                lambda view, dim: tensors[view].stride(dim),
                lambda name: numbers[name],
            )

        values = [value(source) for source in built.scalars]
        programs = int(value(built.programs))
        addresses = [tensors[name].data_ptr() for name in built.buffers]

        def call() -> None:
            stream = torch.cuda.current_stream().cuda_stream
            kernel.launch(addresses, values, programs, stream)

        return call, kernel.attribute("NUM_REGS")


class Builders:
    """Worker processes that build plans: many for what comes, some for what is waited for.

    To be made before this process touches the device, which a forked process must not share.
    """

    def __init__(self, workers: int | None = None) -> None:
        most = max(2, (os.cpu_count() or 2) - 2) if workers is None else workers
        fork = get_context("fork")
        self._many = ProcessPoolExecutor(most, fork)
        self._some = ProcessPoolExecutor(max(1, most // 4), fork)
        for pool in (self._many, self._some):
            # The first task makes all processes of a pool.
            pool.submit(os.getpid).result()

    def map(self, function: Callable[[T], R], values: Iterable[T]) -> Iterator[R]:
        """What a function that needs no device makes of each value, in order."""
        return self._many.map(function, values)

    def build(
        self, subject: Subject, asked: Asked, architecture: str, *, soon: bool = False
    ) -> "Future[Built | str]":
        """The plan when it is built, or why there is none; `soon` if it is not to queue."""
        pool = self._some if soon else self._many
        return pool.submit(build, subject, asked, architecture)


def build(subject: Subject, asked: Asked, architecture: str) -> Built | str:
    """Plan and compile; the reason where a plan is declined."""
    try:
        compiled = _shapes(subject).compile(asked)
        (unit,) = compiled.launches
        cubin = compile_cuda(unit.artifact, architecture)
    except CertileError as error:
        return f"{error.code}: {error.diagnostic.message}"
    launch = unit.launch
    plan = described(unit.plan, derived=asked.derived)
    return Built(unit.artifact, launch.buffers, launch.scalars, launch.programs, plan, cubin)


@lru_cache(maxsize=8)
def _shapes(subject: Subject) -> Case:
    """The case without memory: shapes and strides; its arrays begin aligned, as PyTorch's do."""
    with torch.device("meta"):
        return subject.case()


def described(plan: GroupPlan, *, derived: bool = False) -> str:
    """The mapping of a plan and the form of the program it follows."""
    mapping = plan.mapping
    if mapping is not None and mapping.family == "flat":
        return f"flat V{mapping.lane_elements} S{mapping.subgroups_per_program} U{mapping.unroll}"
    if mapping is None or mapping.family != "subgroup":
        return "reference map"
    form = "derived" if derived or plan.derivation is not None else plan.materialization
    packed, wide = mapping.programs_per_group, mapping.lane_elements
    cached = " cached" if plan.cache_inputs else ""
    phase = " phase" if mapping.phase else ""
    chunks = f" U{mapping.unroll}" if mapping.unroll > 1 else ""
    return f"V{wide} S{mapping.subgroups_per_program} Q{packed}{phase}{cached} {form}{chunks}"


def subjects(ops: Sequence[str], shapes: Sequence[str], dtypes: Sequence[str]) -> list[Subject]:
    """Every operation at every shape (`rows x columns`) and dtype, shape by shape."""
    found = []
    for shape in shapes:
        rows, columns = (int(part) for part in shape.split("x"))
        found += [Subject(op, rows, columns, dtype) for dtype in dtypes for op in ops]
    return found
