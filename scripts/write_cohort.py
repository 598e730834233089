"""File what the compiler makes of the cohort: plans, Metal text, CUDA text, one file each.

    python scripts/write_cohort.py            # writes tests/golden/cohort
    python scripts/write_cohort.py --check    # writes nothing; fails and names files that differ

In: the programs of `cohort.py`.  Out: for each `NAME.plan.json` (the default plan for Metal and for
CUDA, and the analytic one), `NAME.metal` and `NAME.cu` (under the default plan); where TVM is
installed also `NAME.tirx.txt` (the Metal plan as TIRx), what TVM prints of it and of the CUDA plan,
`NAME.tvm.metal` and `NAME.tvm.cu`, and `NAME.tvm.json`, how those are launched.  Decides the form
of the files: short enough to read a change of a plan as a difference of lines.
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from certile.plan.document import plan_json
from certile.plan.options import Options
from certile.plan.record import GroupPlan
from certile.targets import DEFAULTS
from certile.tirx.artifact import Argument, DeviceArtifact
from certile.tirx.externs import TirxTarget
from scripts.cohort import PROGRAMS, Program, described

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "golden" / "cohort"
SUFFIXES: dict[TirxTarget, str] = {"metal": "metal", "cuda": "cu"}
NATIVE = ("metal", "cu", "plan.json")
OF_TVM = ("tirx.txt", "tvm.metal", "tvm.cu", "tvm.json")
# So many candidates of a plan, the best ones, show how near the choice was.
SHOWN = 12


def files(program: Program) -> dict[str, str]:
    """The files of one program, by name."""
    made: dict[str, str] = {}
    plans: dict[str, object] = {}
    for target, suffix in SUFFIXES.items():
        launch = program.compiled(DEFAULTS[target])
        made[f"{program.name}.{suffix}"] = launch.artifact.text
        plans[target] = _plan(program, target, launch.plan)
    analytic = program.compiled(DEFAULTS["metal"], Options(policy="analytic"))
    plans["metal, analytic"] = _plan(program, "metal", analytic.plan)
    made[f"{program.name}.plan.json"] = json.dumps(plans, indent=1) + "\n"
    return made | (_through_tirx(program) if with_tvm() else {})


def with_tvm() -> bool:
    """Whether the files that TVM makes can be made."""
    return importlib.util.find_spec("tvm") is not None


def _through_tirx(program: Program) -> dict[str, str]:
    """The files of one program that take TVM."""
    from certile.tirx import export

    made, launched = {}, {}
    for target, suffix in SUFFIXES.items():
        exported = export(program.bare(), program.shape, target, capability=True, noalias=True)
        if target == "metal":
            made[f"{program.name}.tirx.txt"] = exported.script().rstrip() + "\n"
        artifact = exported.artifact()
        made[f"{program.name}.tvm.{suffix}"] = artifact.source
        fields = asdict(artifact)
        del fields["source"]
        launched[suffix] = {"plan": described(exported.launches[0].plan), **fields}
    made[f"{program.name}.tvm.json"] = json.dumps(launched, indent=1) + "\n"
    return made


def _plan(program: Program, target: str, plan: GroupPlan) -> dict[str, object]:
    """The plan's document, with a line for each form and rejection and each of the best candidates.

    `considered` says how many candidates there were.
    """
    document: dict[str, Any] = plan_json(
        plan, op=program.op, target=target, dtype="f32", shape=program.shape
    )
    best = sorted(document["candidates"], key=lambda each: float(each["score"]))
    document["candidates"] = [_candidate(each) for each in best[:SHOWN]]
    document["rejected"] = [_rejection(each) for each in document["rejected"]]
    document["forms"] = [_form(each) for each in document["forms"]]
    return document


def _candidate(candidate: dict[str, Any]) -> str:
    mapping = "S{subgroups_per_program} Q{programs_per_group} V{lane_elements}".format(**candidate)
    return f"{mapping}: {candidate['score']:.9g}"


def _rejection(rejection: dict[str, Any]) -> str:
    mapping = "S{subgroups_per_program} Q{programs_per_group}".format(**rejection)
    return f"{mapping}: {rejection['rule']} {rejection['value']} > {rejection['limit']}"


def _form(form: dict[str, Any]) -> str:
    cached = ", inputs cached" if form["cache_inputs"] else ""
    derived = ", derived" if form["derived"] else ""
    best = form["reason"] if form["best"] is None else _candidate(form["best"])
    return f"{form['materialization']}{cached}{derived}: {best}"


def made(jobs: int = 1) -> dict[str, str]:
    """All files, by name."""
    if jobs == 1:
        return {name: text for program in PROGRAMS for name, text in files(program).items()}
    with ProcessPoolExecutor(jobs) as pool:
        return {name: text for done in pool.map(files, PROGRAMS) for name, text in done.items()}


def differences(wanted: dict[str, str], folder: Path = FOLDER) -> Iterator[str]:
    """The names of files that are missing, differ, or belong to no program."""
    # Without TVM nothing is said about the files it makes.
    ours = (*NATIVE, *(OF_TVM if with_tvm() else ()))
    found = {path.name for path in folder.glob("*")} if folder.exists() else set()
    for name in sorted(wanted.keys() | {n for n in found if n.partition(".")[2] in ours}):
        path = folder / name
        if name not in wanted or not path.exists() or path.read_text("utf-8") != wanted[name]:
            yield name


def filed(name: str, suffix: str, folder: Path = FOLDER) -> tuple[DeviceArtifact, str] | None:
    """What TVM made of a program, read from its files, and its plan; None where it is not filed."""
    text, described = folder / f"{name}.tvm.{suffix}", folder / f"{name}.tvm.json"
    if not text.exists() or not described.exists():
        return None
    fields = json.loads(described.read_text("utf-8"))[suffix]
    fields["arguments"] = tuple(Argument(**argument) for argument in fields["arguments"])
    fields |= {axis: tuple(fields[axis]) for axis in ("grid", "block")}
    plan = fields.pop("plan")
    return DeviceArtifact(source=text.read_text("utf-8"), **fields), plan


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or compare them; 1 when one differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--jobs", type=int, default=1, help="processes to use")
    chosen = parser.parse_args(arguments)
    wanted = made(chosen.jobs)
    changed = list(differences(wanted))
    if chosen.check:
        for name in changed:
            print(f"{name} is not what would be written; run python scripts/write_cohort.py")
        return int(bool(changed))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in changed:
        path = FOLDER / name
        if name in wanted:
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
