"""`certile run`: an operation's bare form, or a kernel of a file, judged by the reference.

In: a subject, a shape, a target.  Out: how near the results are, and whether the probes match bit
for bit.  Decides which rows of large arrays are judged.  Leaves the data to `running.data` and the
verdict to `certile.reference.agrees`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, Literal

import numpy as np

from certile.cli.memory import require_memory
from certile.cli.options import Backend, FormFlags, PlanFlags
from certile.cli.running.data import Arguments, Trial, first_trial, trials
from certile.cli.subject import Subject, find
from certile.plan.record import Options
from certile.reference.agrees import Agreement, agrees
from certile.runtime.target import target as on_target

RunTarget = Literal["cpu", "reference", "metal-sim", "metal", "cuda"]
Runner = Callable[[Arguments], list[str]]

# The reference judges so many elements of an operation; of a larger shape the first and last rows.
# Of a kernel in a file it judges all: which rows an instance touches is the kernel's own matter.
_MOST_JUDGED = 1 << 20
# The arrays of a trial, what they were before it, and what they are made from.
_COPIES = 3


def run_op(
    op: str,
    shape: str,
    target: RunTarget,
    form: FormFlags,
    flags: PlanFlags,
    *,
    check: bool,
    backend: Backend = "native",
) -> dict[str, object]:
    """Run a subject and return the document of `certile run --json`.

    Raises UnsupportedError U303 and U402 for a device that is not there, what `find` raises, and
    what a call of the kernel raises.
    """
    subject = find(op, shape, form)
    require_memory(_COPIES * _bytes(subject), f"{op} of {shape}")
    found, reports = _tried(subject, _runner(subject, target, flags, backend), check=check)
    probes = [agreement for trial, agreement in found if trial.exact]
    return {
        "op": op,
        "shape": list(subject.shape),
        "dtype": form.dtype,
        "target": target,
        "backend": backend,
        "checked": check,
        "max_abs": max((a.max_abs for _, a in found), default=None),
        "max_ulp": max((a.max_ulp for _, a in found), default=None),
        "nan_mask_equal": all(a.nan_mask_equal for _, a in found) if check else None,
        "probes_equal": all(a.ok for a in probes) if check else None,
        "ok": not reports and all(a.ok for _, a in found),
        "reports": reports,
    }


def _tried(
    subject: Subject, runner: Runner, *, check: bool
) -> tuple[list[tuple[Trial, Agreement]], list[str]]:
    """Run the trials, the first alone where nothing is checked; return verdicts and complaints."""
    found: list[tuple[Trial, Agreement]] = []
    reports: list[str] = []
    for trial in trials(subject) if check else (first_trial(subject),):
        before = {name: _copied(value) for name, value in trial.arguments.items()}
        reports += [f"{trial.name}: {text}" for text in runner(trial.arguments)]
        if check:
            found.append((trial, _judged(subject, before, trial.arguments)))
    reports += [f"{t.name}: {a.worst}" for t, a in found if a.worst is not None]
    return found, reports


def _bytes(subject: Subject) -> int:
    """Return the bytes of all arrays of the subject."""
    return sum(prod(subject.shapes[view.name]) * view.dtype.size for view in subject.kernel.views)


def _copied(value: object) -> object:
    return value.copy() if isinstance(value, np.ndarray) else value


def _runner(subject: Subject, target: RunTarget, flags: PlanFlags, backend: Backend) -> Runner:
    """Return what runs the subject in place and gives the complaints of the target."""
    if backend == "tirx":
        from certile.cli.running.through_tvm import runner

        return runner(subject, target, flags.options())
    if target == "metal-sim":
        from certile.cli.running.simulated import simulator

        return simulator(subject, flags.options())
    if target == "cuda":
        from certile.cli.running import on_cuda

        return on_cuda.runner(subject, flags.options())
    options = flags.options()

    def run(arguments: Arguments) -> list[str]:
        with on_target(target):
            if options == Options():
                subject.function(**_call(subject, arguments))
            else:
                subject.function.prepare(**_call(subject, arguments), plan=options)()
        return []

    return run


def _call(subject: Subject, arguments: Arguments) -> Arguments:
    """Return every argument of the call: compile-time values, then arrays and numbers."""
    return {**subject.arguments, **arguments}


def _judged(subject: Subject, before: Mapping[str, Any], after: Arguments) -> Agreement:
    """Compare with the reference: all rows, or the first and last of an operation's many."""
    rows = subject.programs[0] if subject.by_rows else 0
    most = max(1, _MOST_JUDGED // _row_elements(subject))
    if rows > most:
        kept = np.r_[0 : (most + 1) // 2, rows - most // 2 : rows]
        before, after = _some_rows(subject, before, kept), _some_rows(subject, after, kept)
    results = {view.name: after[view.name] for view in subject.kernel.outputs}
    return agrees(results, subject.kernel, before)


def _row_elements(subject: Subject) -> int:
    """Return how long the longest row is."""
    return max((shape[-1] for shape in subject.shapes.values() if len(shape) > 1), default=0) or 1


def _some_rows(subject: Subject, arguments: Mapping[str, Any], kept: Any) -> Arguments:  # noqa: ANN401 - an index array
    rows = subject.programs[0]
    return {
        name: value[kept]
        if isinstance(value, np.ndarray) and value.ndim and _spans_rows(subject, name, rows)
        else value
        for name, value in arguments.items()
    }


def _spans_rows(subject: Subject, name: str, rows: int) -> bool:
    return name not in ("weight", "bias") and subject.shapes[name][0] == rows


def report_text(found: Mapping[str, object]) -> str:
    """Return the document as text."""
    if not found["checked"]:
        return f"ran {found['op']} on {found['target']}; nothing was checked"
    lines = [
        f"{found['op']} {found['shape']} {found['dtype']} on {found['target']}",
        f"  largest difference    {found['max_abs']:.3g} ({found['max_ulp']:.2f} ulp)",
        f"  NaN where expected    {'yes' if found['nan_mask_equal'] else 'no'}",
        f"  probes bit for bit    {'yes' if found['probes_equal'] else 'no'}",
        f"  verdict               {'good' if found['ok'] else 'wrong'}",
    ]
    reports = found["reports"]
    assert isinstance(reports, list)
    return "\n".join([*lines, *(f"  {text}" for text in reports)])
