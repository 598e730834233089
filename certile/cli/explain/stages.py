"""A subject taken through the compiler, with every stage kept as a numbered file.

In: a subject, a target sheet, planner options.  Out: plans, or files `NN-name.ext`.  Decides the
numbers, which leave room for stages to come.  Leaves the stages to `certile.pipeline`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from certile.cli.options import Backend, PlanFlags, Target
from certile.cli.output import unwritable
from certile.cli.subject import Subject
from certile.diagnostics import ArgumentError, Refusal
from certile.ir.tile import Kernel, Tile
from certile.ir.walk import values
from certile.pipeline import CompiledProgram, compile_program, plan_program
from certile.plan.document import plan_json
from certile.plan.record import GroupPlan
from certile.plan.text import plan_text, why_text
from certile.records import record
from certile.targets import DEFAULTS, SHEETS, Sheet
from certile.watch import RecordWatcher

# The number of each stage of the pipeline; later stages take numbers between.
_NUMBERS = {"tile": 10, "derived": 20, "machine": 40, "kernel": 90}


def sheet_for(target: Target, name: str | None) -> Sheet:
    """Return the sheet to plan with: a shipped one by name, or the target's own.

    A CPU without a name is this machine.  Raises `ArgumentError` A310 for an unknown name.
    """
    if name is not None:
        if name not in SHEETS:
            known = ", ".join(SHEETS)
            raise ArgumentError("A310", f"there is no sheet {name}", hint=f"use one of {known}")
        return SHEETS[name]
    if target == "cpu":
        # Measuring a machine needs LLVM, which plans for other targets do not.
        from certile.runtime.cpu.device import machine_sheet

        return machine_sheet()
    return DEFAULTS[target]


def planned(subject: Subject, target: Target, flags: PlanFlags) -> tuple[GroupPlan, ...]:
    """Return the plan of each launch.

    Raises what code generation says of element types that the target lacks, U310: a plan of a
    kernel that cannot be had is none.
    """
    sheet, options = sheet_for(target, flags.sheet), flags.options()
    kernel, facts = subject.kernel, subject.facts(sheet)
    plans = plan_program(kernel, subject.programs, sheet, options, facts=facts)
    if _has_foreign(kernel, sheet) and all(plan.mapping is not None for plan in plans):
        compile_program(kernel, facts, subject.programs, sheet, options)
    return plans


def _has_foreign(kernel: Kernel, sheet: Sheet) -> bool:
    """Whether a kernel speaks of an element type that the target lacks; code may still do."""
    tiles = {value.dtype for value in values(kernel) if isinstance(value, Tile)}
    return not {view.dtype for view in kernel.views} | tiles <= set(sheet.dtypes)


def documents(
    plans: Sequence[GroupPlan], subject: Subject, target: str, dtype: str
) -> list[dict[str, object]]:
    """Return plans as the JSON documents of the command line."""
    named = {"op": subject.name, "target": target, "dtype": dtype}
    return [plan_json(plan, **named, shape=subject.shape) for plan in plans]


def alone(made: list[dict[str, object]]) -> dict[str, object] | list[dict[str, object]]:
    """Return the document of a single launch as it is, those of several as a list."""
    return made[0] if len(made) == 1 else made


@record(slots=False)
class Stage:
    """One stage as text; `file` is its name on disk."""

    number: int
    name: str
    file: str
    text: str


@record(slots=False)
class Explained:
    """Everything that was heard on the way."""

    stages: tuple[Stage, ...]
    plans: tuple[GroupPlan, ...]
    refusals: tuple[Refusal, ...]

    def write(self, folder: Path) -> list[Path]:
        """Write each stage into `folder` and return the paths; A311 where that cannot be."""
        paths = [folder / stage.file for stage in self.stages]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path, stage in zip(paths, self.stages, strict=True):
                path.write_text(stage.text if stage.text.endswith("\n") else stage.text + "\n")
        except OSError as error:
            raise unwritable(folder, error, "pass --out another folder") from error
        return paths


def explained_document(
    found: Explained, paths: Sequence[Path], subject: Subject, target: str, dtype: str
) -> dict[str, object]:
    """Return the JSON document of `certile explain`; `paths` are where the stages were written."""
    stages = [
        {"number": stage.number, "name": stage.name, "file": str(path)}
        for stage, path in zip(found.stages, paths, strict=True)
    ]
    return {
        "stages": stages,
        "plan": alone(documents(found.plans, subject, target, dtype)),
        "refusals": [refusal.to_json() for refusal in found.refusals],
    }


def explained(
    subject: Subject, target: Target, flags: PlanFlags, dtype: str, backend: Backend = "native"
) -> Explained:
    """Take the subject through every stage for a target; nothing is run.

    With the backend tirx the functions of TVM and its text are stages too.
    """
    sheet = sheet_for(target, flags.sheet)
    plans = planned(subject, target, flags)
    watch = RecordWatcher()
    stages = [Stage(0, "python", "00-python.py", subject.source)] if subject.source else []
    stages += _plan_stages(plans, subject, target, dtype)
    if all(plan.mapping is not None for plan in plans):
        compiled = compile_program(
            subject.kernel, subject.facts(sheet), subject.programs, sheet, flags.options(), watch
        )
        stages += _heard(watch)
        stages.append(Stage(95, "launch", "95-launch.json", launch_text(compiled)))
        if backend == "tirx":
            stages += _through_tvm(subject, target, flags, sheet)
    refusals = tuple(refusal for plan in plans for refusal in plan.refusals)
    stages.append(Stage(99, "why", "why.txt", why_texts(plans, subject)))
    stages.sort(key=lambda stage: stage.number)
    return Explained(tuple(stages), plans, refusals)


def _plan_stages(
    plans: tuple[GroupPlan, ...], subject: Subject, target: str, dtype: str
) -> Iterator[Stage]:
    yield Stage(30, "plan", "30-plan.txt", plan_texts(plans))
    shown = alone(documents(plans, subject, target, dtype))
    yield Stage(30, "plan", "30-plan.json", json.dumps(shown, indent=2))


def _through_tvm(
    subject: Subject, target: Target, flags: PlanFlags, sheet: Sheet
) -> Iterator[Stage]:
    from certile.cli.running.through_tvm import texts

    for suffix, text in texts(subject, target, flags.options(), sheet):
        yield Stage(96, "tirx", f"96-tirx.{suffix}", text)


def _heard(watch: RecordWatcher) -> Iterator[Stage]:
    for name, value in watch.stages:
        if name in _NUMBERS:
            suffix = getattr(value, "dump_suffix", "txt")
            number = _NUMBERS[name]
            yield Stage(number, name, f"{number:02d}-{name}.{suffix}", str(value))


def launch_text(compiled: CompiledProgram) -> str:
    """Return the launches as JSON: entry, groups, threads, what is bound to which argument.

    Buffers are arguments, or workspaces that launches pass values on in.
    """
    launches = [
        {
            "entry": each.artifact.entry,
            "format": each.artifact.format,
            "programs_per_group": each.artifact.programs_per_group,
            "threads": each.artifact.threads,
            "shared_bytes": each.artifact.shared_bytes,
            "scratch_bytes": each.artifact.scratch_bytes,
            "requires_precise_math": each.artifact.requires_precise_math,
            "buffers": list(each.launch.buffers),
            "scalars": [dataclasses.asdict(value) for value in each.launch.scalars],
            "programs": dataclasses.asdict(each.launch.programs),
            "fingerprint": each.artifact.fingerprint,
        }
        for each in compiled.launches
    ]
    program = compiled.program
    workspace = [dataclasses.asdict(each) for each in program.workspace]
    document = {"program": program.name, "launches": launches, "workspace": workspace}
    return json.dumps(document, indent=2)


def plan_texts(plans: tuple[GroupPlan, ...]) -> str:
    """Return the plan of each launch as text."""
    return "\n\n".join(plan_text(plan) for plan in plans)


def why_texts(plans: tuple[GroupPlan, ...], subject: Subject) -> str:
    """Return what was chosen, rejected and refused in each launch, and the reason of each."""
    taken = [f"extent       {each}; another one is traced again" for each in subject.specialised]
    parts = ["\n".join(taken)] if taken else []
    return "\n\n".join([*parts, *map(why_text, plans)])


def notes(subject: Subject) -> dict[str, list[dict[str, object]]]:
    """Return which extents a kernel's code took as numbers, as plain data; nothing for none."""
    taken: list[dict[str, object]] = [
        {
            "kind": "extent",
            "dim": str(each.dim),
            "value": each.value,
            "loc": {"file": each.loc.file, "line": each.loc.line, "column": each.loc.column},
            "text": str(each),
        }
        for each in subject.specialised
    ]
    return {"notes": taken} if taken else {}
