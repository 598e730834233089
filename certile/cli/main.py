"""The program `certile`: one function a command.

In: command lines.  Out: text or JSON, and an exit code.  Decides the commands, their arguments and
help.  Leaves the work to the modules beside it, which are imported when a command runs, so that
none pays for another.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from certile import __version__
from certile.cli.group import CommandGroup
from certile.cli.options import (
    BackendFlag,
    FormFlags,
    JsonFlag,
    KernelFlags,
    ListFlags,
    PlaceFlags,
    PlanFlags,
    ShapeFlag,
    TargetFlag,
    spelled_out,
)
from certile.cli.output import DECLINED, FAILED, GOOD, answer, emit, guarded, say, write_file
from certile.diagnostics import ArgumentError

app = typer.Typer(
    name="certile",
    cls=CommandGroup,
    help="Plan, explain, run and measure tile programs.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

OpArgument = Annotated[str, typer.Argument(help="An operation, or FILE.py:kernel.", metavar="OP")]
ExplainArgument = Annotated[
    str,
    typer.Argument(help="An operation, FILE.py:kernel, or a code such as K012.", metavar="OP"),
]
ProveArgument = Annotated[
    str, typer.Argument(help="A law, FILE.py:law or FILE.py:kernel.", metavar="LAW")
]
ExplainShapeFlag = Annotated[
    str,
    typer.Option(
        "--shape", help="Extents such as 3x4096; for a kernel of a file also x=3x4096,y=3."
    ),
]
ProveShapeFlag = Annotated[
    str,
    typer.Option(help="For a kernel: extents such as 3x4096, or x=3x4096,y=3, or of some."),
]
BenchArgument = Annotated[
    str | None,
    typer.Argument(
        help="One kernel, an operation's or FILE.py:kernel, in place of --ops.", metavar="OP"
    ),
]
AgainstFlag = Annotated[
    str,
    typer.Option(
        help=(
            "numpy, torch, mlx: a comma list; NumPy, and PyTorch where it is, by default. Of one "
            "kernel: module:function or FILE.py:function, which takes what the kernel reads."
        )
    ),
]
PlotFlag = Annotated[
    Path | None,
    typer.Option(help="Write a picture of bandwidths and ratios, a PNG; needs matplotlib."),
]
BudgetsFlag = Annotated[
    str | None,
    typer.Option(
        help="Check bars: rows, streaming, shared, proofs, call, compile, import, sim; a list."
    ),
]
RunTarget = Literal["cpu", "reference", "metal-sim", "metal", "cuda"]
CacheAction = Literal["info", "clear", "verify"]


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"certile {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Plan, explain, run and measure tile programs."""


@app.command()
@guarded
def doctor(as_json: JsonFlag = False) -> int:
    """Try what this machine can do: targets, tools, packages, settings, and what is missing.

    Exits 1 when something that is there does not work.
    """
    from certile.cli.doctor.findings import report, report_text

    found = report()
    answer(found, lambda: report_text(found), as_json=as_json)
    return GOOD if found["ok"] else FAILED


@app.command()
@guarded
def cache(
    action: Annotated[
        CacheAction,
        typer.Argument(help="info, clear (remove every entry) or verify.", metavar="ACTION"),
    ] = "info",
    as_json: JsonFlag = False,
) -> int:
    """Say what the disk cache holds, empty it, or verify that every entry is whole.

    Exits 1 when an entry is damaged, or could not be removed.
    """
    from certile.cli.cache_command import act, report_text

    found = act(action)
    answer(found, lambda: report_text(found), as_json=as_json)
    return GOOD if found["ok"] else FAILED


@app.command()
@guarded
def ops(as_json: JsonFlag = False) -> int:
    """List the ready-made operations: signature, result, element types and targets."""
    from certile.cli.catalogue import listing, listing_text

    found = listing()
    answer({"ops": found}, lambda: listing_text(found), as_json=as_json)
    return GOOD


@app.command()
@guarded
@spelled_out
def plan(
    op: OpArgument,
    shape: ShapeFlag,
    target: TargetFlag = "cpu",
    plan_flags: PlanFlags = PlanFlags(),  # noqa: B008 - a frozen record
    form: FormFlags = FormFlags(),  # noqa: B008 - a frozen record
    as_json: JsonFlag = False,
) -> int:
    """Plan an operation's bare form for a target: the choice, its cost, and what was rejected.

    Exits 3 when the plan is declined.
    """
    from certile.cli.explain.stages import documents, plan_texts, planned
    from certile.cli.subject import find

    subject = find(op, shape, form)
    plans = planned(subject, target, plan_flags)
    made = documents(plans, subject, target, form.dtype)
    document = made[0] if len(made) == 1 else {"launches": made}
    answer(document, lambda: plan_texts(plans), as_json=as_json)
    return DECLINED if any(each.declined is not None for each in plans) else GOOD


@app.command()
@guarded
@spelled_out
def explain(  # noqa: PLR0913 - a parameter is a flag
    op: ExplainArgument,
    shape: ExplainShapeFlag = "",
    target: TargetFlag = "cpu",
    backend: BackendFlag = "native",
    places: PlaceFlags = PlaceFlags(),  # noqa: B008 - a frozen record
    plan_flags: PlanFlags = PlanFlags(),  # noqa: B008 - a frozen record
    form: FormFlags = FormFlags(),  # noqa: B008 - a frozen record
    as_json: JsonFlag = False,
) -> int:
    """Write every stage of a compile to numbered files, for any target on any machine.

    With a code it prints what the code means instead.
    """
    from certile.cli.catalogue import looks_like_code

    if looks_like_code(op):
        return _explain_code(op, as_json=as_json)
    from certile.cli.explain.stages import explained, explained_document
    from certile.cli.subject import find

    if not shape:
        message = "--shape is needed to explain a kernel"
        raise ArgumentError("A311", message, hint="pass for example --shape 3x4096")
    subject = find(op, shape, form)
    found = explained(subject, target, plan_flags, form.dtype, backend)
    paths = found.write(places.out or Path("certile-explain") / f"{subject.name}-{target}")
    html = places.html
    if html is not None:
        from certile.cli.explain.page import html_page

        write_file(html, html_page(subject, found, target, form.dtype))
    if as_json:
        emit(explained_document(found, paths, subject, target, form.dtype))
    else:
        for path in (*paths, *([] if html is None else [html])):
            say(str(path))
    refused = any(each.mapping is None for each in found.plans)
    return DECLINED if refused else GOOD


def _explain_code(code: str, *, as_json: bool) -> int:
    """Print what a code means."""
    from certile.cli.catalogue import code_entry, code_text

    entry = code_entry(code)
    answer(entry, lambda: code_text(entry), as_json=as_json)
    return GOOD


@app.command()
@guarded
@spelled_out
def why(
    op: OpArgument,
    shape: ShapeFlag,
    target: TargetFlag = "cpu",
    plan_flags: PlanFlags = PlanFlags(),  # noqa: B008 - a frozen record
    form: FormFlags = FormFlags(),  # noqa: B008 - a frozen record
    as_json: JsonFlag = False,
) -> int:
    """Say why a plan is what it is: each refusal, each choice and what it was chosen from.

    Exits 0 also where the plan was declined: the reason is what was asked for.
    """
    from certile.cli.explain.stages import documents, notes, planned, why_texts
    from certile.cli.subject import find

    subject = find(op, shape, form)
    plans = planned(subject, target, plan_flags)
    refusals = [refusal.to_json() for each in plans for refusal in each.refusals]
    made = documents(plans, subject, target, form.dtype)
    answer(
        {"refusals": refusals, **notes(subject), "plans": made},
        lambda: why_texts(plans, subject),
        as_json=as_json,
    )
    return GOOD


@app.command()
@guarded
def prove(
    what: ProveArgument,
    latex: Annotated[bool, typer.Option("--latex", help="Print what is proved as LaTeX.")] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="Print the argument, step by step.")
    ] = False,
    shape: ProveShapeFlag = "",
    dtype: Annotated[
        str,
        typer.Option(help="An element type; for a kernel also x=f32,y=i64."),
    ] = "f32",
    as_json: JsonFlag = False,
) -> int:
    """Prove a law, or show the laws of a kernel's reductions and what they are rewritten to.

    A shape is needed for a view whose annotation gives no rank; extents of others stay open. Exits
    1 when a law is not proved, 3 when a kernel has chains of reductions and every rewrite of them
    is refused (0 where there is nothing to rewrite), and 4 for a law of an author's that says
    nowhere what it means.
    """
    from certile.cli.proving import laws as proving
    from certile.ir.laws import Law
    from certile.runtime.kernel import TileKernel

    found = proving.subject(what)
    if latex and steps and not as_json:
        raise ArgumentError("A311", "--steps are not written as LaTeX", hint="leave one out")
    shown = proving.Shown(latex, steps)
    if isinstance(found, TileKernel):
        from certile.cli.proving.kernels import kernel_document, kernel_text, looked_at

        looked = looked_at(found, shape, FormFlags(dtype).dtype)
        if as_json:
            emit(kernel_document(looked, shown))
        else:
            say(kernel_text(looked, shown))
        return DECLINED if looked.refused else GOOD
    proof = proving.checked(found) if isinstance(found, Law) else proving.of_author(found, dtype)
    if as_json:
        emit(proving.proof_document(proof, shown))
    else:
        say(proving.proof_text(proof, shown))
    return GOOD if proof.refusal is None else FAILED


@app.command()
@guarded
@spelled_out
def run(  # noqa: PLR0913 - a parameter is a flag
    op: OpArgument,
    shape: ShapeFlag,
    target: Annotated[RunTarget, typer.Option(help="Where it runs.")] = "cpu",
    backend: BackendFlag = "native",
    check: Annotated[
        bool, typer.Option("--check", help="Compare with the reference; exit 1 on a difference.")
    ] = False,
    plan_flags: PlanFlags = PlanFlags(),  # noqa: B008 - a frozen record
    form: FormFlags = FormFlags(),  # noqa: B008 - a frozen record
    as_json: JsonFlag = False,
) -> int:
    """Run an operation's bare form, or a kernel of a file, on made-up data; check the result.

    Exits 3 when the plan is declined, and 4 where the target has no device or tool here.
    """
    from certile.cli.running.run import report_text, run_op

    found = run_op(op, shape, target, form, plan_flags, check=check, backend=backend)
    answer(found, lambda: report_text(found), as_json=as_json)
    return GOOD if found["ok"] else FAILED


@app.command()
@guarded
@spelled_out
def bench(  # noqa: PLR0913 - a parameter is a flag
    op: BenchArgument = None,
    several: ListFlags = ListFlags(),  # noqa: B008 - a frozen record
    one: KernelFlags = KernelFlags(),  # noqa: B008 - a frozen record
    against: AgainstFlag = "",
    backend: BackendFlag = "native",
    plot: PlotFlag = None,
    budgets: BudgetsFlag = None,
    as_json: JsonFlag = False,
) -> int:
    """Measure operations beside the frameworks' own, one kernel, or the bars of `--budgets`.

    Every output is compared with float64 before its time counts; the contestants take turns.
    One kernel is measured under its plans, on this CPU or on a CUDA device, on data as `run` makes
    it, with the bytes that it has to touch; its outputs are compared with the reference. Of a
    device what counts is its own time, of launches in a graph. Beside the figure of a bar stands
    its ceiling: what a copy of the same bytes, measured in the same run, would reach. A bar
    above it counts as missed; no kernel reaches it on this machine. Exits 1 when an output of ours
    is wrong or a bar is missed.
    """
    if op is not None:
        from certile.cli.bench.command import of_one_alone, run_kernel

        of_one_alone(op, several, backend, plot, budgets)
        return run_kernel(op, one, tuple(filter(None, against.split(","))), as_json=as_json)
    if budgets is not None:
        from certile.cli.budgets.bars import check_budgets

        return check_budgets(budgets.split(","), as_json=as_json)
    from certile.cli.bench.command import opponents, requested, run_bench

    request = requested(several, one, opponents(against), backend)
    return run_bench(request, plot=plot, as_json=as_json)


def main() -> None:
    """Run the program."""
    app()
