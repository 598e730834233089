"""The way of a kernel through every stage, readable on one screen.

In: a specialised Tile kernel, what is known of its views' layouts, how many programs each launch
has, a target sheet.  Out: a compiled program, one artifact a launch.  Nothing here asks a machine.
Everything from planning on reads the kernel with equal loads merged, and so does the checker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

from certile.analysis.ownership import audit
from certile.codegen import emitter_for
from certile.codegen.artifact import Artifact
from certile.diagnostics import Diagnostic, InternalError
from certile.ir.fingerprint import fingerprint
from certile.ir.host import ViewFacts
from certile.ir.loads import merged_loads
from certile.ir.machine import MachineKernel
from certile.ir.machine.verify import check_machine
from certile.ir.printer import print_kernel
from certile.ir.program import Launch, Program, Workspace
from certile.ir.rows import RowProgram
from certile.ir.tile import Kernel
from certile.ir.verify import verify
from certile.ir.walk import parallel_regions
from certile.lower import lower_parallel
from certile.plan.choose import choose, required
from certile.plan.record import GroupPlan, Options
from certile.records import record
from certile.settings import current
from certile.targets.sheet import Sheet
from certile.watch import SILENT, Watcher

__all__ = ["CompiledLaunch", "CompiledProgram", "Text", "compile_program", "plan_program"]


@record
class Text:
    """A stage as a person reads it; a dump writes it with this suffix.

    It is printed when somebody reads it, which costs nothing where nobody watches.
    """

    printed: Callable[[], str]
    dump_suffix: str

    def __str__(self) -> str:
        return self.printed()


@record(slots=False)
class CompiledLaunch:
    """One launch: its Machine IR, the plan it follows and the text a toolchain takes."""

    launch: Launch
    plan: GroupPlan
    artifact: Artifact


@record(slots=False)
class CompiledProgram:
    """A kernel's launches in order, and the program they make."""

    program: Program
    launches: tuple[CompiledLaunch, ...]


def plan_program(
    kernel: Kernel,
    programs: Sequence[int],
    sheet: Sheet,
    options: Options = Options(),  # noqa: B008 - a frozen record
    watch: Watcher = SILENT,
    facts: Mapping[str, ViewFacts] | None = None,
) -> tuple[GroupPlan, ...]:
    """Plan every launch of a specialised kernel; `programs[i]` is launch i's number of programs.

    `facts` are the layouts of its views; a plan that follows from layouts needs them.
    """
    kernel = _as_read(kernel, options)
    regions = parallel_regions(kernel)
    plans = tuple(
        choose(kernel, region, count, sheet, options, facts=facts)
        for region, count in zip(regions, programs, strict=True)
    )
    for plan in plans:
        for refusal in plan.refusals:
            watch.on_refusal(refusal)
        reason = Text(partial(_plan_text, plan), "txt")
        watch.on_choice("plan", plan.mapping, plan.candidates, reason)
    return plans


def compile_program(
    kernel: Kernel,
    facts: Mapping[str, ViewFacts],
    programs: Sequence[int],
    sheet: Sheet,
    options: Options = Options(),  # noqa: B008 - a frozen record
    watch: Watcher = SILENT,
) -> CompiledProgram:
    """Take one specialised kernel through every stage, in order."""
    checking = current().verify
    written, kernel = kernel, _as_read(kernel, options)
    watch.stage("tile", Text(partial(print_kernel, kernel), "ir"))
    if checking != "off":
        _accept(verify(written))
        _accept(() if kernel is written else verify(kernel))
    plans = plan_program(kernel, programs, sheet, options, watch, facts)
    for plan in plans:
        required(plan)
        if checking == "each" and plan.rows is not None:
            _owned(plan.rows)
    _show_derived(plans, watch)
    watch.stage("plan", Text(lambda: "\n\n".join(map(_plan_text, plans)), "txt"))
    program, followed = _lower(kernel, plans, facts, checking)
    launches = program.launches
    machines = [launch.kernel for launch in launches]
    watch.stage("machine", Text(lambda: _machine_text(machines), "ir"))
    emit = emitter_for(sheet)
    artifacts = [emit(launch.kernel, sheet) for launch in launches]
    texts = [artifact.text for artifact in artifacts]
    suffix = _SUFFIX[artifacts[0].format] if artifacts else "txt"
    watch.stage("kernel", Text(lambda: "\n\n".join(texts), suffix))
    return CompiledProgram(program, tuple(map(CompiledLaunch, launches, followed, artifacts)))


_SUFFIX = {"llvm-ir": "ll", "msl": "metal", "cuda": "cu"}


def _as_read(kernel: Kernel, options: Options) -> Kernel:
    """The kernel that is planned, derived from and lowered: equal loads are one value.

    Where lanes may share nothing each program runs in the order it is written in, loads included:
    that is what serves callers who do not declare that arguments are different memory.
    """
    return kernel if options.subgroup_reductions == "off" else merged_loads(kernel)


def _plan_text(plan: GroupPlan) -> str:
    """The plan as a person reads it; few compiles are watched, and this takes time to import."""
    from certile.plan.text import plan_text

    return plan_text(plan)


def _machine_text(kernels: Sequence[MachineKernel]) -> str:
    """Machine IR as a person reads it; as for plans, few compiles are watched."""
    from certile.ir.machine.printer import print_kernel as print_machine

    return "\n\n".join(map(print_machine, kernels))


def _lower(
    kernel: Kernel,
    plans: Sequence[GroupPlan],
    facts: Mapping[str, ViewFacts],
    checking: Literal["ends", "each", "off"],
) -> tuple[Program, list[GroupPlan]]:
    """All launches as Machine IR, and the plan of each.

    Their names hold a digest, so that no library confuses two kernels.
    """
    digest = fingerprint(kernel)[:12]
    launches: list[Launch] = []
    workspaces: list[Workspace] = []
    followed: list[GroupPlan] = []
    for number, (region, plan) in enumerate(zip(parallel_regions(kernel), plans, strict=True)):
        name = f"{kernel.name}_{digest}_{number}"
        made = lower_parallel(name, kernel, region, plan, facts)
        workspaces += [each.after(len(launches)) for each in made.workspace]
        launches += made.launches
        followed += [plan] * len(made.launches)
    if checking != "off":
        for launch in launches:
            check_machine(launch.kernel)
    return Program(kernel.name, tuple(launches), tuple(workspaces)), followed


def _show_derived(plans: Sequence[GroupPlan], watch: Watcher) -> None:
    """Let a watcher see each program that plans follow instead of the one as written."""
    kernels = [plan.derivation.kernel for plan in plans if plan.derivation is not None]
    if kernels:
        watch.stage("derived", Text(lambda: "\n\n".join(map(print_kernel, kernels)), "ir"))


def _owned(rows: RowProgram) -> None:
    """Audit once more that every kept tile is read by the worker that owns the element."""
    refusal = audit(rows)
    if refusal is not None:
        raise InternalError("M021", refusal.claim, loc=refusal.loc)


def _accept(complaints: Sequence[Diagnostic]) -> None:
    """Stop at the first complaint of a verifier: our fault, not the user's."""
    if complaints:
        raise InternalError(complaints[0])
