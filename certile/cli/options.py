"""The flags that commands share, as records, and how a command takes a record of flags.

In: a function whose parameters may be annotated with a record.  Out: a function that Typer can
register, with one option for each field.  Decides names, help texts and defaults of the shared
flags.  Leaves to each command what it does with them.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from certile.diagnostics import ArgumentError
from certile.frontend.dtype_names import dtype_of
from certile.plan.record import Materialization, Options
from certile.records import record

Target = Literal["cpu", "metal", "cuda"]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, to stdout.")]
ShapeFlag = Annotated[str, typer.Option("--shape", help="Extents such as 3x4096.")]
Backend = Literal["native", "tirx"]
BackendFlag = Annotated[
    Backend,
    typer.Option("--backend", help="Our own code generators, or TVM's (needs the extra tirx)."),
]
TargetFlag = Annotated[Target, typer.Option("--target", help="What to plan and generate for.")]


@record
class PlanFlags:
    """What may be asked of the planner."""

    max_threads: Annotated[
        int | None, typer.Option(help="Most threads of a group; the sheet's limit by default.")
    ] = None
    shared_bytes: Annotated[
        int | None, typer.Option(help="Most shared memory of a group, in bytes.")
    ] = None
    lane_elements: Annotated[
        int | None,
        typer.Option(help="V: consecutive elements that a lane owns; searched by default."),
    ] = None
    programs_per_group: Annotated[
        int | None, typer.Option(help="Q: programs that share a group.")
    ] = None
    threads: Annotated[
        int | None, typer.Option(help="Exactly so many threads a group; never rounded.")
    ] = None
    max_stripe: Annotated[
        int | None, typer.Option(help="Most values a worker keeps; 0 switches the family off.")
    ] = None
    max_thread_candidates: Annotated[
        int, typer.Option(help="Most group widths to search; more are an error.")
    ] = 32
    unroll: Annotated[int, typer.Option(help="U: ordered unrolling of a worker's stripe.")] = 1
    materialization: Annotated[
        Materialization | None,
        typer.Option(help="Which shared tiles are kept; by default what costs least."),
    ] = None
    cache_inputs: Annotated[
        bool | None,
        typer.Option(
            "--cache-inputs/--no-cache-inputs",
            help="Keep what is loaded instead of reading again; by default what costs less.",
        ),
    ] = None
    subgroup_reductions: Annotated[
        Literal["auto", "on", "off"], typer.Option(help="Reductions by subgroup collectives.")
    ] = "auto"
    phase: Annotated[
        Literal["auto", "on", "off"],
        typer.Option(
            help=(
                "Ownership that follows the alignment of rows which do not begin aligned: where "
                "it costs less, always or never."
            )
        ),
    ] = "auto"
    policy: Annotated[
        Literal["analytic", "service"],
        typer.Option(
            help=(
                "The cost policy that orders plans: the estimated time of every form of the "
                "program, or counted rounds of the program as written."
            )
        ),
    ] = "service"
    alpha: Annotated[float, typer.Option(help="Analytic cost of a round.")] = 1.0
    beta: Annotated[float, typer.Option(help="Analytic cost of a collective and subgroup.")] = 2.0
    gamma: Annotated[float, typer.Option(help="Analytic cost of setting a group up.")] = 16.0
    sheet: Annotated[
        str | None, typer.Option(help="A target sheet by name, in place of the target's own.")
    ] = None

    def options(self) -> Options:
        """Return the planner's options."""
        names = {field.name for field in dataclasses.fields(Options)}
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return Options(**{name: value for name, value in values.items() if name in names})


@record
class FormFlags:
    """Which form of an operation; dtypes are under our names, however they were written."""

    dtype: Annotated[
        str,
        typer.Option(
            help=(
                "Element type, such as f32, bf16 or torch.float32; "
                "for a kernel of a file also f32,labels=i64."
            )
        ),
    ] = "f32"
    weight: Annotated[bool, typer.Option("--weight", help="With a weight for each column.")] = False
    bias: Annotated[bool, typer.Option("--bias", help="With a bias for each column.")] = False
    residual: Annotated[
        bool, typer.Option("--residual", help="Of x + residual, which is stored as well.")
    ] = False

    def __post_init__(self) -> None:
        """Take the spellings of frameworks."""
        object.__setattr__(self, "dtype", ",".join(map(_one_dtype, self.dtype.split(","))))


@record
class PlaceFlags:
    """Where an explanation is written."""

    out: Annotated[
        Path | None, typer.Option(help="Folder of the files; certile-explain/… by default.")
    ] = None
    html: Annotated[
        Path | None,
        typer.Option(help="Write all of it as one page too, with a map of what each lane owns."),
    ] = None


@record
class ListFlags:
    """Which operations are measured beside one another; None is what stands in the help."""

    ops: Annotated[
        str | None, typer.Option(help="Operations, a comma list; softmax,layer_norm by default.")
    ] = None
    shapes: Annotated[
        str | None, typer.Option(help="Shapes, a comma list; 4096x4096 by default.")
    ] = None
    dtypes: Annotated[
        str | None, typer.Option(help="Element types, a comma list; f32 by default.")
    ] = None


@record
class KernelFlags:
    """How one kernel is measured; None is what stands in the help."""

    shape: Annotated[
        str | None, typer.Option(help="Of one kernel: extents such as 3x4096, or x=3x4096,y=3.")
    ] = None
    dtype: Annotated[
        str | None,
        typer.Option(help="Of one kernel: an element type, or f32,labels=i64; f32 by default."),
    ] = None
    plans: Annotated[
        int | None,
        typer.Option(help="Of one kernel: so many plans, its own and the next best; 1 by default."),
    ] = None
    target: Annotated[
        Literal["cpu", "cuda"] | None,
        typer.Option(help="Of one kernel: where it is measured; cpu by default."),
    ] = None


def spelled_out(function: Callable[..., int]) -> Callable[..., int]:
    """Return the function with each record parameter replaced by the record's fields.

    Typer reads signatures; this one is the function's own with the records opened up.
    """
    hints = typing.get_type_hints(function, include_extras=True)
    records: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            records[name] = hint
            parameters += _fields(hint)
        else:
            parameters.append(_keyword(name, hint, parameter.default))

    @functools.wraps(function)
    def with_records(**values: Any) -> int:  # noqa: ANN401 - one value a field, of its type
        for name, kind in records.items():
            taken = {f.name: values.pop(f.name) for f in dataclasses.fields(kind)}
            values[name] = kind(**taken)
        return function(**values)

    # `functools.wraps` leaves the original behind as `__wrapped__`, whose signature would win.
    del with_records.__wrapped__
    # Where `inspect` and so Typer look; functions do not declare it.
    with_records.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_records.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_records


def _fields(kind: type) -> list[inspect.Parameter]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return [_keyword(f.name, hints[f.name], f.default) for f in dataclasses.fields(kind)]


def _keyword(name: str, annotation: object, default: object) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def parse_shape(text: str) -> tuple[int, ...]:
    """Return the extents of a shape such as 3x4096; raises `ArgumentError` A311."""
    parts = text.lower().split("x")
    # No dimension has more elements than 64 bits count; longer numbers are not even read.
    plain = all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts)
    if not plain or any(int(part) >= 1 << 63 for part in parts):
        message = f"{text!r} is no shape"
        raise ArgumentError("A311", message, hint="write extents with x between, as in 3x4096")
    return tuple(int(part) for part in parts)


def dtype_name(text: str) -> str:
    """Return our name of an element type: "f32" for float32, torch.float32, mlx.core.float32.

    What names none is returned as it is; whoever uses it knows what is taken.
    """
    known = dtype_of(text.strip().rpartition(".")[2])
    return text.strip() if known is None else known.name


def _one_dtype(part: str) -> str:
    """Respell `float32` or `labels=int64`."""
    view, equals, dtype = part.rpartition("=")
    return f"{view}{equals}{dtype_name(dtype)}"
