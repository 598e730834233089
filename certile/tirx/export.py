"""Kernels as TIRx functions of TVM, for LLVM, Metal and CUDA.

In: a kernel or an operation, fixed shapes, a target, what the caller declares of the device and of
the arguments.  Out: an `Exported`: one scheduled function a launch.  Decides that nothing which is
not declared is assumed: without the lanes' functions and without arguments that do not overlap, the
reference map is exported, one program a lane.  Leaves every choice of a plan to the planner, and
what is written to the emitters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any, get_args

from certile.analysis.bounds import check_bounds
from certile.analysis.instances import meeting_stores
from certile.diagnostics import ArgumentError, KernelError, UnsupportedError
from certile.ir.machine import MachineKernel, ScalarParameter
from certile.pipeline import CompiledLaunch, compile_program
from certile.plan.options import Options, options_of
from certile.plan.record import GroupPlan
from certile.records import record
from certile.targets import DEFAULTS, Sheet
from certile.tirx.artifact import Argument, DeviceArtifact, Format, fingerprint_of
from certile.tirx.compiled import Compiled, Parameter, Ready
from certile.tirx.conversions import stored_type
from certile.tirx.emitter import Arguments
from certile.tirx.externs import TirxTarget
from certile.tirx.subject import Number, Shape, Shapes, Subject, subject_of
from certile.tirx.threads import ThreadsEmitter
from certile.tirx.tvm_building import Built, build
from certile.tirx.tvm_program import function, script
from certile.tirx.vectors import VectorsEmitter

__all__ = ["Exported", "ExportedLaunch", "export"]

SHEETS: dict[TirxTarget, str] = {"llvm": "cpu", "metal": "metal", "cuda": "cuda"}
_FORMATS: dict[TirxTarget, Format] = {"llvm": "llvm-ir", "metal": "msl", "cuda": "cuda"}
# Positions of threads are 32-bit integers in TVM.
_MOST_GROUPS = 1 << 31
# TVM's text leaves it to the compiler whether products join sums; ours are rounded on their own.
_HEAD = "using namespace metal;\n"
_UNCONTRACTED = f"{_HEAD}#pragma METAL fp contract(off)\n"


@record(slots=False)
class ExportedLaunch:
    """One launch: TVM's function, the plan it follows, the Machine IR it says."""

    func: Any
    plan: GroupPlan
    machine: MachineKernel
    buffers: tuple[str, ...]
    scalars: tuple[str, ...]
    groups: int
    target: TirxTarget
    arguments: Arguments

    @property
    def threads(self) -> int:
        """Threads a group; on a CPU a group is an iteration."""
        return 1 if self.target == "llvm" else self.machine.lanes * self.machine.subgroups


@record(slots=False)
class Exported:
    """The launches of a kernel as functions of TVM, in order; those without a program are left out.

    Each function takes the buffers and open numbers of its launch, flat and in C order.
    """

    subject: Subject
    target: TirxTarget
    launches: tuple[ExportedLaunch, ...]
    architecture: str
    noalias: bool

    def script(self) -> str:
        """All functions as TVMScript."""
        return "\n\n".join(script(launch.func) for launch in self.launches)

    def compile(self) -> Compiled:
        """Let TVM compile all launches: code for LLVM, text for the others.

        On LLVM no product is contracted and no math is fast.  For CUDA and Metal that is decided
        by who compiles the text: TVM's own Metal runtime always allows fast math, so a kernel with
        `requires_precise_math` is launched from its `artifact` instead.
        """
        ready = tuple(
            Ready(
                self._built(launch),
                tuple(self._parameters(launch)),
                requires_precise_math=not launch.machine.may_approximate,
            )
            for launch in self.launches
        )
        names = tuple(parameter.name for parameter in self.subject.kernel.params)
        return Compiled(self.target, names, ready, noalias=self.noalias)

    def artifact(self, index: int = 0) -> DeviceArtifact:
        """A launch as text with all that is static of it; raises A320 for a launch there is not."""
        if not 0 <= index < len(self.launches):
            raise ArgumentError("A320", f"there is no launch {index} of {len(self.launches)}")
        launch = self.launches[index]
        built = self._built(launch)
        grid, block = (launch.groups, 1, 1), (launch.threads, 1, 1)
        source = built.text
        if self.target == "metal":
            source = source.replace(_HEAD, _UNCONTRACTED, 1)
        format_ = _FORMATS[self.target]
        return DeviceArtifact(
            format=format_,
            entry=built.entry,
            source=source,
            grid=grid,
            block=block,
            arguments=tuple(_bound(launch, built)),
            requires_precise_math=not launch.machine.may_approximate,
            requires_metal4=False,
            fingerprint=fingerprint_of(format_, built.entry, source, grid, block),
        )

    def _built(self, launch: ExportedLaunch) -> Built:
        return build(launch.func, self.target, self.architecture)

    def _parameters(self, launch: ExportedLaunch) -> list[Parameter]:
        dtypes = {view.name: view.dtype for view in self.subject.kernel.views}
        views = [
            Parameter(name, dtypes[name], self.subject.shapes[name], written=buffer.written)
            for name, buffer in zip(launch.buffers, launch.machine.buffers, strict=True)
        ]
        numbers = [
            Parameter(name, scalar.dtype, None, written=False)
            for name, scalar in zip(launch.scalars, launch.arguments.open, strict=True)
        ]
        return [*views, *numbers]


def _bound(launch: ExportedLaunch, built: Built) -> list[Argument]:
    """What TVM binds at each index of the device function; all of ours where there is no device."""
    known: dict[str, Argument] = {}
    for name, (buffer, place) in zip(launch.buffers, launch.arguments.places.items(), strict=True):
        aligned = place.dtype.size if launch.target == "llvm" else buffer.base_alignment
        known[f"p_{buffer.name}"] = Argument(
            name, "buffer", buffer.dtype.name, len(known), place.count, aligned, buffer.written
        )
    for name, scalar in zip(launch.scalars, launch.arguments.open, strict=True):
        size = stored_type(scalar.dtype, launch.target).size
        known[f"n_{scalar.name}"] = Argument(
            name, "scalar", scalar.dtype.name, len(known), alignment=size
        )
    if launch.target == "llvm":
        return list(known.values())
    return [replace(known[name], index=index) for index, name in enumerate(built.parameters)]


def export(  # noqa: PLR0913 - the declarations of a caller, each by its name
    kernel_or_op: object,
    shapes: Shapes | Shape,
    target: TirxTarget,
    *,
    plan: Options | Mapping[str, Any] | None = None,
    dtypes: Mapping[str, object] | object = None,
    scalars: Mapping[str, Number] | None = None,
    capability: bool = False,
    noalias: bool = False,
    sheet: Sheet | None = None,
    architecture: str = "",
) -> Exported:
    """Return a kernel as scheduled TIRx for arrays of these shapes, in C order.

    `kernel_or_op` is a tile kernel, a `ct.op` or the name of an operation; `shapes` and `dtypes`
    are by view, or one for all.  `scalars` gives the values of scalar and compile-time parameters;
    scalars are arguments of the function again, and their values say only what type they have.
    `target` is "llvm", "metal" or "cuda", `architecture` an LLVM processor or a compute capability,
    `sheet` another target sheet than the shipped one.  `plan` is what the planner is asked, as
    options or by their names: `{"threads": 256}`.

    `capability` declares that the device's subgroups have 32 lanes and the functions that lanes
    share, `noalias` that no arguments overlap.  Both are needed on a GPU, and `noalias` on a CPU,
    for any plan but the reference map, where a lane runs a program on its own.

    Raises:
        ArgumentError: A320, for what names no kernel, shape or target; A009, for what is no option
            of a plan; A321, for a plan that asks for subgroup reductions without the declarations;
            K090, where a view may be left.
        KernelError: as a call of the kernel does, and P004 for a mapping that is not legal.
        UnsupportedError: U320, where TVM is not installed; U321, for what TVM cannot express; U310
            and the others of the target, as native code generation does.
    """
    _require_target(target)
    declared = noalias and (capability or target == "llvm")
    options = permitted(options_of(plan, Options()), target, declared=declared)
    subject = subject_of(kernel_or_op, shapes, dtypes, scalars)
    _inside(subject)
    # Here scaling is two products, whatever the sheet's target has.
    wanted = replace(sheet or DEFAULTS[SHEETS[target]], scales_widely=False)
    compiled = compile_program(subject.kernel, subject.facts(), subject.programs, wanted, options)
    launches = [_launch(each, subject, target, noalias=noalias) for each in compiled.launches]
    made = tuple(launch for launch in launches if launch is not None)
    return Exported(subject, target, made, architecture, noalias)


def _require_target(target: object) -> None:
    if target not in get_args(TirxTarget):
        hint = f"use one of {', '.join(get_args(TirxTarget))}"
        raise ArgumentError("A320", f"{target!r} is no target of TIRx", hint=hint)


def permitted(options: Options, target: TirxTarget, *, declared: bool) -> Options:
    """Keep the options, or switch off what rests on a declaration that was not made.

    Raises ArgumentError A321 where the options demand it.
    """
    if declared:
        return options
    if options.subgroup_reductions == "on":
        needed = "noalias=True" if target == "llvm" else "capability=True and noalias=True"
        raise ArgumentError(
            "A321",
            f"subgroup reductions for {target} rest on what was not declared",
            hint=f"pass {needed} where it is so, or leave subgroup_reductions at auto",
        )
    return replace(options, subgroup_reductions="off")


def _inside(subject: Subject) -> None:
    """Refuse accesses that may leave a view, and programs that meet in one element."""
    for complaint in meeting_stores(subject.kernel, subject.shapes):
        raise KernelError(complaint)
    for complaint in check_bounds(subject.kernel, subject.shapes):
        raise ArgumentError(complaint)


def _launch(
    each: CompiledLaunch, subject: Subject, target: TirxTarget, *, noalias: bool
) -> ExportedLaunch | None:
    kernel, launch = each.launch.kernel, each.launch

    def value(host: Any) -> Any:  # noqa: ANN401 - a number
        return host.evaluate(
            lambda view, dim: subject.shapes[view][dim],
            lambda view, dim: subject.strides(view)[dim],
            _no_argument,
        )

    groups = -(-int(value(launch.programs)) // kernel.programs_per_group)
    if groups == 0:
        return None
    if groups >= _MOST_GROUPS:
        raise UnsupportedError("U321", f"a launch of {groups} groups, more than 31 bits count")
    pairs = list(zip(kernel.scalars, launch.scalars, strict=True))
    known: dict[ScalarParameter, Number] = {
        scalar: value(host) for scalar, host in pairs if host.kind != "argument"
    }
    counts = {
        buffer: prod(subject.shapes[name])
        for name, buffer in zip(launch.buffers, kernel.buffers, strict=True)
    }
    arguments = Arguments(kernel, target, counts, known)
    func = _function(each, arguments, groups, target, noalias=noalias)
    names = tuple(host.view for scalar, host in pairs if scalar not in known)
    return ExportedLaunch(func, each.plan, kernel, launch.buffers, names, groups, target, arguments)


def _no_argument(name: str) -> Number:
    raise UnsupportedError("U321", f"a launch depends on the value of {name}")


def _function(
    each: CompiledLaunch, arguments: Arguments, groups: int, target: TirxTarget, *, noalias: bool
) -> Any:  # noqa: ANN401 - a function of TVM
    kernel = each.launch.kernel
    parameters = arguments.parameters()
    if target == "llvm":
        vectors = VectorsEmitter(kernel, arguments)
        vectors.groups(groups, parallel=groups > each.plan.serial_groups)
        return function(kernel.name, parameters, vectors.program, None, noalias=noalias)
    threads = ThreadsEmitter(kernel, target, arguments, groups)
    threads.block(kernel.body)
    return function(kernel.name, parameters, threads.program, threads.launched, noalias=noalias)
