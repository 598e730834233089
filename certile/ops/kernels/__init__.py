"""The kernels of the operations, and each operation's bare form as Tile IR.

In: an operation's name, a shape, a dtype, and which optional views it has.  Out: the kernel that
`certile plan` and `explain` look at, specialised to that shape.  Decides what is bare: rows and
columns in C order, no weight, bias, residual, smoothing or ignored label unless asked for.  Leaves
the arrangement of a caller's arrays to `certile.ops.layout`.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping, Sequence
from math import prod

from certile.diagnostics import ArgumentError, KernelError
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME, DType, f32, i8, i64
from certile.ir.tile import Kernel
from certile.ir.walk import extent_of, parallel_regions
from certile.ops.kernels import (
    elementwise,
    embeddings,
    losses,
    quantize,
    reductions,
    rows,
    scans,
)
from certile.records import record
from certile.runtime.kernel import TileKernel

__all__ = ["BARE_OPS", "COMMAND_FORMS", "SELECTED", "Bare", "bare"]

# Where a view of a kernel lies: over rows and columns, over rows only, over columns only; over rows
# and the two halves of the columns; over rows and half of the columns; over rows and what is
# selected of the columns.
_FULL, _ROWS, _COLUMNS = "full", "rows", "columns"
_HALVES, _HALF, _TOP = "halves", "half", "top"

# How many elements the bare form of a selection takes of a row, where there are so many.
SELECTED = 8


_PLACES = {"weight": _COLUMNS, "bias": _COLUMNS}


@record
class _Form:
    """A kernel and its views in argument order: name, place, dtype (None: that of the input)."""

    kernel: TileKernel
    views: tuple[tuple[str, str, DType | None], ...]
    scalars: tuple[tuple[str, float], ...] = ()
    optional: tuple[str, ...] = ()


def _reduction(kernel: TileKernel, *results: str, dtype: DType | None = None) -> _Form:
    return _Form(kernel, (("x", _FULL, None), *((name, _ROWS, dtype) for name in results)))


def _row_map(
    kernel: TileKernel, *optional: str, eps: bool = False, always: tuple[str, ...] = ()
) -> _Form:
    views = [("x", _FULL, None), ("y", _FULL, None)]
    views += [(name, _PLACES.get(name, _FULL), None) for name in (*always, *optional)]
    return _Form(kernel, tuple(views), (("eps", 1e-5),) if eps else (), optional)


def _gated(kernel: TileKernel) -> _Form:
    return _Form(kernel, tuple((name, _FULL, None) for name in ("gate", "up", "y")))


_QUANTISED = (("x", _FULL, None), ("q", _FULL, i8), ("scale", _ROWS, f32))
_ADDED = ("weight", "residual", "h")
_NORM_VIEWS = ("weight", "bias", "residual", "h")
_FORMS: dict[str, _Form] = {
    "sum": _reduction(reductions.sum_kernel, "y"),
    "mean": _reduction(reductions.mean_kernel, "y"),
    "max": _reduction(reductions.max_kernel, "y"),
    "min": _reduction(reductions.min_kernel, "y"),
    "min_max": _reduction(reductions.min_max_kernel, "low", "high"),
    "minmax": _reduction(reductions.min_max_kernel, "low", "high"),
    "argmax": _reduction(reductions.argmax_kernel, "y", dtype=i64),
    "argmin": _reduction(reductions.argmin_kernel, "y", dtype=i64),
    "logsumexp": _reduction(reductions.logsumexp_kernel, "y"),
    "var": _reduction(reductions.var_kernel, "y"),
    "std": _reduction(reductions.std_kernel, "y"),
    "softmax": _row_map(rows.softmax_kernel),
    "log_softmax": _row_map(rows.log_softmax_kernel),
    "l2_norm": _row_map(rows.l2_norm_kernel, eps=True),
    "rms_norm": _row_map(rows.rms_norm_kernel, "weight", "residual", "h", eps=True),
    "layer_norm": _row_map(rows.layer_norm_kernel, *_NORM_VIEWS, eps=True),
    "residual_layer_norm": _row_map(
        rows.layer_norm_kernel, "weight", "bias", eps=True, always=("residual",)
    ),
    "residual_rms_norm": _row_map(rows.rms_norm_kernel, "weight", eps=True, always=("residual",)),
    "cross_entropy": _Form(
        losses.cross_entropy_kernel,
        (("logits", _FULL, None), ("labels", _ROWS, i64), ("loss", _ROWS, None)),
    ),
    "silu": _row_map(elementwise.silu_kernel),
    "gelu": _row_map(elementwise.gelu_kernel),
    "gelu_tanh": _row_map(elementwise.gelu_tanh_kernel),
    "swiglu": _gated(elementwise.swiglu_kernel),
    "geglu": _gated(elementwise.geglu_kernel),
    "group_norm": _row_map(rows.layer_norm_kernel, "residual", "h", eps=True),
    "quantize_rows": _Form(quantize.quantize_rows_kernel, _QUANTISED),
    "norm_quantize": _Form(
        quantize.norm_quantize_kernel,
        (*_QUANTISED, *((name, _PLACES.get(name, _FULL), None) for name in _ADDED)),
        (("eps", 1e-6),),
        _ADDED,
    ),
    "rope": _Form(
        embeddings.rope_kernel,
        (
            *(("cos", _HALF, None), ("sin", _HALF, None)),
            *(("x", _HALVES, None), ("y", _HALVES, None)),
        ),
    ),
    "cumsum": _row_map(scans.cumsum_kernel),
    "cummax": _row_map(scans.cummax_kernel),
    "topk": _Form(
        scans.topk_kernel,
        (("x", _FULL, None), ("values", _TOP, None), ("indices", _TOP, i64)),
    ),
    "embedding": _Form(
        embeddings.embedding_kernel,
        (("y", _FULL, None), ("indices", _ROWS, i64), ("weight", _FULL, None)),
    ),
}

BARE_OPS: tuple[str, ...] = tuple(_FORMS)
# Forms under a name of their own; `certile.ops` has them as arguments of other operations.
COMMAND_FORMS = ("minmax", "residual_layer_norm", "residual_rms_norm", "gelu_tanh")


@record
class Bare:
    """An operation's bare form.

    The specialised Tile IR, the shapes of its views, the programs of each launch; the kernel as it
    is called, and its arguments, with a `Shaped` in place of each array.
    """

    kernel: Kernel
    shapes: Mapping[str, tuple[int, ...]]
    programs: tuple[int, ...]
    function: TileKernel
    arguments: Mapping[str, object]

    @property
    def source(self) -> str:
        """The Python text of the kernel."""
        return inspect.getsource(self.function.function)


def bare(op: str, shape: Sequence[int], dtype: str = "f32", **flags: bool) -> Bare:
    """Return the bare form with the shapes of its views.

    All dimensions of `shape` but the last are rows; `flags` name the optional views.  Raises
    `ArgumentError` A308 for an operation that is none, A305 for a form that it lacks.
    """
    form = _FORMS.get(op)
    if form is None:
        raise ArgumentError("A308", f"{op} is no operation", hint=_names_to_use(op))
    if not shape or dtype not in BY_NAME:
        message = f"{op} has no form of shape {tuple(shape)} and dtype {dtype}"
        raise ArgumentError("A305", message, hint=f"use a dtype of {', '.join(BY_NAME)}")
    present = _present(op, form, flags)
    extents = _extents(shape)
    if shape[-1] % 2 and any(place == _HALVES for _, place, _ in form.views):
        raise ArgumentError("A305", f"{op} halves the columns, and {shape[-1]} is odd")
    shapes = {name: extents[place] for name, place, _ in form.views if name in present}
    arguments = _arguments(form, shapes, BY_NAME[dtype])
    kernel = _traced(op, form, arguments, dtype)
    programs = tuple(
        prod(extent_of(axis, shapes) for axis in region.over) for region in parallel_regions(kernel)
    )
    return Bare(kernel, shapes, programs, form.kernel, arguments)


def _traced(op: str, form: _Form, arguments: Mapping[str, object], dtype: str) -> Kernel:
    """Return the kernel for the arguments; A302 where it takes real numbers and they are not."""
    try:
        return form.kernel.tile_ir(arguments)
    except KernelError as error:
        if BY_NAME[dtype].is_float:
            raise
        name = next(name for name, _, own in form.views if own is None)
        message = f"{op} takes real numbers; {name} is {dtype}"
        hint = f"convert {name} to f32 first"
        raise ArgumentError("A302", message, hint=hint) from error


def _extents(shape: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Return the shape of a view by where it lies."""
    rows, columns = prod(shape[:-1]), shape[-1]
    return {
        _FULL: (rows, columns),
        _ROWS: (rows,),
        _COLUMNS: (columns,),
        _HALVES: (rows, 2, columns // 2),
        _HALF: (rows, columns // 2),
        _TOP: (rows, min(SELECTED, columns)),
    }


def _names_to_use(op: str) -> str:
    near = difflib.get_close_matches(op, BARE_OPS, n=1)
    if near:
        return f"use {near[0]}"
    listed = ", ".join(name for name in BARE_OPS if name not in COMMAND_FORMS)
    forms = ", ".join(COMMAND_FORMS)
    return f"use {listed}; or {forms}, forms of these that only commands take"


def _present(op: str, form: _Form, flags: Mapping[str, bool]) -> set[str]:
    """Return the views there are: `h`, the sum, comes and goes with the residual."""
    asked = {name for name, wanted in flags.items() if wanted}
    names = {name for name, _, _ in form.views}
    if missing := asked - names:
        takes = ", ".join(sorted(names & set(flags))) or "no flag of this kind"
        message = f"{op} takes no {', '.join(sorted(missing))}"
        raise ArgumentError("A305", message, hint=f"it takes {takes}")
    if "residual" in asked and "h" in form.optional:
        asked.add("h")
    return (names - set(form.optional)) | asked


def _arguments(
    form: _Form, shapes: Mapping[str, tuple[int, ...]], dtype: DType
) -> dict[str, object]:
    """Return the arguments of the kernel: a stand-in for each view, a number for each scalar."""
    given: dict[str, object] = {"kept": 1, **dict(form.scalars)}
    for name, _, own in form.views:
        if name in shapes:
            given[name] = Shaped(own or dtype, shapes[name])
    if form.kernel in (reductions.sum_kernel, scans.cumsum_kernel) and not dtype.is_float:
        given |= {"accumulate": i64, "y": Shaped(i64, shapes["y"])}
    return given
