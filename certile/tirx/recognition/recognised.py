"""What the recogniser gives: a proved kernel that can be planned, compiled and exported again.

In: a TIRx function, what its caller declares.  Out: a `Recognised`, or the `Refusal` that names the
requirement which was not shown.  Decides what a declaration permits: without `noalias` nothing is
recognised, without `capability` no reduction is shared by lanes of a GPU.  Leaves planning and
emission to the compiler; an annotation on the function proves nothing, it makes a refusal an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, get_args

from certile.diagnostics import ArgumentError, KernelError, Refusal
from certile.ir.tile import Kernel
from certile.pipeline import CompiledProgram, compile_program, plan_program
from certile.plan.options import Options, options_of
from certile.plan.record import GroupPlan
from certile.records import record
from certile.targets import DEFAULTS
from certile.tirx.export import SHEETS, Exported, export, permitted
from certile.tirx.externs import TirxTarget
from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import (
    MARK,
    Assign,
    Attribute,
    Buffer,
    Function,
    Loop,
    Stmt,
    statements,
)
from certile.tirx.recognition.normal import normal
from certile.tirx.recognition.readings import read_as_kernel
from certile.tirx.recognition.shapes import Shapes, specialised
from certile.tirx.recognition.translation import Reduction
from certile.tirx.subject import Subject
from certile.tirx.tvm_reading import read

__all__ = ["Recognised", "recognise", "recognised"]

# What the planner is asked: options, or their values by name.
_Asked: TypeAlias = Options | Mapping[str, Any]


@record(slots=False)
class Recognised:
    """A function whose reductions were proved.

    `kernel` means what the function does, but that each reduction may be made in another order;
    `shapes` are those of its buffers by the kernel's parameter names, `programs` the number of
    programs of each launch.
    """

    kernel: Kernel
    reductions: tuple[Reduction, ...]
    shapes: Mapping[str, tuple[int, ...]]
    programs: tuple[int, ...]
    target: TirxTarget
    capability: bool

    def plan(self, options: _Asked | None = None) -> tuple[GroupPlan, ...]:
        """Plan every launch; a plan records its refusals, as that of any kernel does.

        Raises `ArgumentError` A009 for what is no option, and A321 where subgroup reductions are
        asked for without `capability`.
        """
        facts = Subject(self.kernel, self.shapes, self.programs).facts()
        sheet, asked = DEFAULTS[SHEETS[self.target]], self._permitted(options)
        return plan_program(self.kernel, self.programs, sheet, asked, facts=facts)

    def compile(self, options: _Asked | None = None) -> CompiledProgram:
        """Plan, lower and emit by the compiler's own emitters.

        Raises as `plan` does, and `KernelError` P004 for a mapping that is not legal.
        """
        facts = Subject(self.kernel, self.shapes, self.programs).facts()
        sheet, asked = DEFAULTS[SHEETS[self.target]], self._permitted(options)
        return compile_program(self.kernel, facts, self.programs, sheet, asked)

    def export(self, options: _Asked | None = None) -> Exported:
        """The kernel as scheduled TIRx; raises as `compile` and `certile.tirx.export` do."""
        return export(
            self,
            self.shapes,
            self.target,
            plan=options,
            capability=self.capability,
            noalias=True,
        )

    def _permitted(self, options: _Asked | None) -> Options:
        declared = self.capability or self.target == "llvm"
        return permitted(options_of(options, Options()), self.target, declared=declared)


def recognise(
    func: object,
    *,
    target: TirxTarget,
    noalias: bool = False,
    capability: bool = False,
    shapes: Shapes | None = None,
) -> Recognised | Refusal:
    """Prove the reductions of a TIRx function and read it as a kernel, or say what is not shown.

    `func` is a `PrimFunc`, a module that holds one, or TVMScript text, which TVM's parser evaluates
    as Python.  `noalias` declares that its buffers do not overlap, `capability` that the device's
    subgroups have 32 lanes and the functions that lanes share.  A reduction that lanes share is
    made in another order.  A function with names in its shapes is read at the `shapes` given, each
    by the name of a buffer.  A function with a loop marked `certile.reduction` claims to be
    recognisable: a refusal is then an error.

    Raises:
        ArgumentError: A320, for what is no function, no target or no shape of the function.
        KernelError: K120, for a mark that is not shown.
        UnsupportedError: U320, without TVM.
    """
    return recognised(
        read(func), target=target, noalias=noalias, capability=capability, shapes=shapes
    )


def recognised(
    function: Function,
    *,
    target: TirxTarget,
    noalias: bool = False,
    capability: bool = False,
    shapes: Shapes | None = None,
) -> Recognised | Refusal:
    """As `recognise`, of the records of a function; raises as it does."""
    if target not in get_args(TirxTarget):
        hint = f"use one of {', '.join(get_args(TirxTarget))}"
        raise ArgumentError("A320", f"{target!r} is no target of TIRx", hint=hint)
    try:
        return _proved(specialised(function, shapes or {}), target, noalias, capability)
    except NotShownError as declined:
        refusal = declined.refusal
    if any(map(_claims, statements(function.body))):
        raise KernelError("K120", f"{function.name}: {refusal.text}")
    return refusal


def _claims(step: Stmt) -> bool:
    match step:
        case Loop():
            return step.claim is not None
        case Attribute(key=key):
            return key == MARK
        case _:
            return False


def _proved(function: Function, target: TirxTarget, noalias: bool, capability: bool) -> Recognised:
    ordered = normal(function)
    _apart(ordered, noalias)
    made = read_as_kernel(ordered)
    buffers = [each for each in ordered.parameters if isinstance(each, Buffer)]
    shapes = {
        view.name: buffer.shape for view, buffer in zip(made.kernel.views, buffers, strict=True)
    }
    return Recognised(made.kernel, made.reductions, shapes, made.programs, target, capability)


def _apart(function: Function, noalias: bool) -> None:
    """Decline several buffers, one of them stored, that the caller does not declare apart."""
    buffers = {each for each in function.parameters if isinstance(each, Buffer)}
    stores = {s.buffer for s in statements(function.body) if isinstance(s, Assign)}
    if not noalias and len(buffers) > 1 and not buffers.isdisjoint(stores):
        missing = "the caller does not declare it (noalias)"
        raise NotShownError("kernel_abi", "buffers do not alias", missing)
