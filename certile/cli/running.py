"""`certile run`: an operation's bare form on made-up data, judged by the reference.

In: an operation, a shape, a target.  Out: how near the results are, and whether the probes match
bit for bit.  Decides the data: normal values, a row each of special values, small integers for
which every order of summation is exact, and single elements at the edges of the plan.  Leaves the
verdict to `certile.reference.agrees`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, Literal

import numpy as np

from certile.cli.memory import require_memory
from certile.cli.options import Backend, FormFlags, PlanFlags, parse_shape
from certile.diagnostics import ArgumentError
from certile.ir.tile import Scalar
from certile.ops.kernels import Bare, bare
from certile.plan.record import Options
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.agrees import Agreement, agrees
from certile.reference.probes import exact_probes, index_ranges, one_hot_probes, thresholds
from certile.runtime.target import target as on_target

RunTarget = Literal["cpu", "reference", "metal-sim", "metal", "cuda"]
Arguments = dict[str, Any]
Runner = Callable[[Arguments], list[str]]

# The reference judges so many elements; of a larger shape the first and last rows are judged.
_MOST_JUDGED = 1 << 20
# The arrays of a trial, what they were before it, and what they are made from.
_COPIES = 3


@record
class _Trial:
    """Arguments, and whether the result has to match bit for bit."""

    name: str
    arguments: Arguments
    exact: bool


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
    """Run the bare form and return the document of `certile run --json`.

    Raises ArgumentError A308 for a kernel of a file, UnsupportedError U303 and U402 for a device
    that is not there, and what a call of the operation raises.
    """
    if ":" in op:
        raise ArgumentError(
            "A308",
            f"run takes an operation, and {op} is a kernel of a file",
            hint="call the kernel in Python; plan, explain and why take it as well",
        )
    extents = parse_shape(shape)
    asked = {"weight": form.weight, "bias": form.bias, "residual": form.residual}
    subject = bare(op, extents, form.dtype, **asked)
    require_memory(_COPIES * _bytes(subject), f"{op} of {shape}")
    found, reports = _tried(subject, _runner(subject, target, flags, backend), check=check)
    probes = [agreement for trial, agreement in found if trial.exact]
    return {
        "op": op,
        "shape": list(extents),
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
    subject: Bare, runner: Runner, *, check: bool
) -> tuple[list[tuple[_Trial, Agreement]], list[str]]:
    """Run the trials, the first alone where nothing is checked; return verdicts and complaints."""
    found: list[tuple[_Trial, Agreement]] = []
    reports: list[str] = []
    for trial in _trials(subject) if check else _first(subject):
        before = {name: _copied(value) for name, value in trial.arguments.items()}
        reports += [f"{trial.name}: {text}" for text in runner(trial.arguments)]
        if check:
            found.append((trial, _judged(subject, before, trial.arguments)))
    reports += [f"{t.name}: {a.worst}" for t, a in found if a.worst is not None]
    return found, reports


def _bytes(subject: Bare) -> int:
    """Return the bytes of all arrays of the subject."""
    return sum(prod(subject.shapes[view.name]) * view.dtype.size for view in subject.kernel.views)


def _copied(value: object) -> object:
    return value.copy() if isinstance(value, np.ndarray) else value


def _runner(subject: Bare, target: RunTarget, flags: PlanFlags, backend: Backend) -> Runner:
    """Return what runs the subject in place and gives the complaints of the target."""
    if backend == "tirx":
        from certile.cli.through_tvm import runner

        return runner(subject, target, flags.options())
    if target == "metal-sim":
        from certile.cli.simulated import simulator

        return simulator(subject, flags.options())
    if target == "cuda":
        from certile.cli import on_cuda

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


def _call(subject: Bare, arguments: Arguments) -> Arguments:
    """Return every argument of the call: constants of the form, then arrays and numbers."""
    return {**subject.arguments, **arguments}


def _first(subject: Bare) -> Iterator[_Trial]:
    yield _Trial("random", _random(subject, seed=0), exact=False)


def _trials(subject: Bare) -> Iterator[_Trial]:
    yield from _first(subject)
    special = _random(subject, seed=1)
    _put_special_rows(subject, special)
    yield _Trial("special values", special, exact=False)
    for probe in exact_probes(subject.kernel, subject.shapes):
        yield _Trial(probe.name, _with_scalars(subject, probe.arguments), exact=True)
    length = max((shape[-1] for shape in subject.shapes.values() if shape), default=1)
    # Each probe is a run on whole arrays: of large ones only the ends of a row are probed.
    large = prod(next(iter(subject.shapes.values()))) > _MOST_JUDGED
    places = thresholds(length, *(() if large else (16, 32, 64, 128, 1024)))
    for probe in one_hot_probes(subject.kernel, subject.shapes, places):
        yield _Trial(probe.name, _with_scalars(subject, probe.arguments), exact=True)


def _random(subject: Bare, seed: int) -> Arguments:
    """Return normal values, and integers that stay inside what they index."""
    random = np.random.default_rng(seed)
    ranges = index_ranges(subject.kernel, subject.shapes)
    made: Arguments = {}
    for view in subject.kernel.views:
        shape, storage = subject.shapes[view.name], numeric.storage(view.dtype)
        if view.dtype.is_float:
            made[view.name] = random.standard_normal(shape, np.float32).astype(storage)
        else:
            most = ranges.get(view.name, 2 if view.dtype.kind == "bool" else 100)
            made[view.name] = random.integers(0, max(most, 1), shape).astype(storage)
    return _with_scalars(subject, made)


def _with_scalars(subject: Bare, arguments: Mapping[str, Any]) -> Arguments:
    """Return the arguments with the form's own numbers in place of a probe's."""
    named = {
        p.name: subject.arguments[p.name] for p in subject.kernel.params if isinstance(p, Scalar)
    }
    return {**arguments, **named}


def _put_special_rows(subject: Bare, arguments: Arguments) -> None:
    """Overwrite the first rows of the first input: NaN, inf, -inf, all -inf, subnormals, zeros."""
    view = subject.kernel.inputs[0]
    x = arguments[view.name]
    if not view.dtype.is_float or x.size == 0:
        return
    for row, value in zip(range(len(x)), (np.nan, np.inf, -np.inf), strict=False):
        x[row, x.shape[1] // 2] = value
    for row, value in zip(range(3, len(x)), (-np.inf, 1e-40, 0.0), strict=False):
        x[row] = value


def _judged(subject: Bare, before: Mapping[str, Any], after: Arguments) -> Agreement:
    """Compare with the reference: all rows, or the first and last of many."""
    rows = subject.programs[0]
    most = max(1, _MOST_JUDGED // _row_elements(subject))
    if rows > most:
        kept = np.r_[0 : (most + 1) // 2, rows - most // 2 : rows]
        before, after = _some_rows(subject, before, kept), _some_rows(subject, after, kept)
    results = {view.name: after[view.name] for view in subject.kernel.outputs}
    return agrees(results, subject.kernel, before)


def _row_elements(subject: Bare) -> int:
    """Return how long the longest row is."""
    return max((shape[-1] for shape in subject.shapes.values() if len(shape) > 1), default=0) or 1


def _some_rows(subject: Bare, arguments: Mapping[str, Any], kept: Any) -> Arguments:  # noqa: ANN401 - an index array
    rows = subject.programs[0]
    return {
        name: value[kept]
        if isinstance(value, np.ndarray) and value.ndim and _spans_rows(subject, name, rows)
        else value
        for name, value in arguments.items()
    }


def _spans_rows(subject: Bare, name: str, rows: int) -> bool:
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
