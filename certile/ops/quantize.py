"""Rows as 8-bit codes with a scale each, of an array or of its normalised rows.

In: an array; for the normalised form a weight and a residual.  Out: i8 codes, f32 scales, and the
sum with the residual where there is one.  Decides which axis is a row.  Leaves the formulas to
`certile.ops.kernels.quantize`.
"""

from __future__ import annotations

from typing import Any

from certile.diagnostics import ArgumentError
from certile.ops import checks, extras
from certile.ops.call import Operation, Recipe, Result
from certile.ops.kernels import quantize as kernels
from certile.ops.launch import Launch
from certile.ops.views import Part, arranged, seen
from certile.records import record
from certile.runtime.arrays import ArrayInfo

__all__ = ["norm_quantize", "quantize_rows"]

Array = Any
_CODES = ("i8",)


@record
class Quantised(Recipe):
    """A call that gives codes and scales of rows along one axis."""

    axis: int
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        checks.require_dtype("quantize_rows", "x", x, checks.REAL)
        columns = checks.one_axis("quantize_rows", x, self.axis)
        dtype = checks.result_dtype("quantize_rows", self.dtype, "i8", _CODES)
        return _codes_and_scales(x, columns, dtype)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        columns = checks.one_axis("quantize_rows", arrays[0], self.axis)
        arrangement = arranged(arrays[0].shape, columns, ("full", "full", "rows"), arrays)
        views = seen(("x", "q", "scale"), arrangement)
        return (Launch(kernels.quantize_rows_kernel, views),)


@record
class NormQuantised(Recipe):
    """A call that normalises rows along the last axis and gives their codes and scales."""

    norm: str
    eps: float
    extras: tuple[str, ...]
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x = inputs[0]
        checks.require_dtype("norm_quantize", "x", x, checks.REAL)
        columns = checks.last_axes("norm_quantize", x, -1)
        why = "the last axis of x has"
        extras.require("norm_quantize", self.extras, inputs, x.shape[-1:], why)
        dtype = checks.result_dtype("norm_quantize", self.dtype, "i8", _CODES)
        return extras.with_sum(self.extras, x, *_codes_and_scales(x, columns, dtype))

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        names = extras.named(self.extras, "q", "scale")
        special: dict[str, Part] = {"weight": "columns", "scale": "rows"}
        parts: list[Part] = [special.get(name, "full") for name in names]
        shape = arrays[0].shape
        arrangement = arranged(shape, (len(shape) - 1,), parts, arrays)
        views = seen(names, arrangement) | {"eps": self.eps, "centred": self.norm == "layer"}
        return (Launch(kernels.norm_quantize_kernel, views),)


def _codes_and_scales(x: ArrayInfo, columns: tuple[int, ...], dtype: str) -> tuple[Result, ...]:
    rows = tuple(n for dim, n in enumerate(x.shape) if dim not in columns)
    # A row without elements has a scale all the same.
    return Result(x.shape, dtype), Result(rows, "f32", 0 if 0 in x.shape else None)


_quantize_rows = Operation("quantize_rows", Quantised)
_norm_quantize = Operation("norm_quantize", NormQuantised)
_EPS = {"rms": 1e-6, "layer": 1e-5}


def quantize_rows(
    x: Array,
    *,
    axis: int = -1,
    out: tuple[Array, Array] | None = None,
    dtype: object = "i8",
    guard: object = None,
) -> tuple[Array, Array]:
    """Return (q, scale): x as 8-bit codes, so that q · scale is near x, and a scale for each row.

    A row lies along `axis`.  Its scale is max(abs(row)) / 127 in f32; q is row / scale rounded half
    to even, -127 to 127, an i8 array of x's shape; `scale` has the shape of the other axes.  A row
    of zeros, or without elements, has scale 0 and q 0.  A row with NaN or inf, or whose
    scale f32 cannot hold, has scale NaN and q 0.  `out` is a pair.

    Raises `ArgumentError` A302 for integers, and for a `dtype` other than i8.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    along = axis if axis.__class__ is int else checks.plain_axis(axis)
    both: tuple[Array, Array] = _quantize_rows((x,), out, (along, dtype))
    return both


def norm_quantize(  # noqa: PLR0913 - a norm and its options
    x: Array,
    weight: Array = None,
    *,
    norm: str = "rms",
    eps: float | None = None,
    residual: Array = None,
    out: tuple[Array, ...] | None = None,
    dtype: object = "i8",
    guard: object = None,
) -> tuple[Array, ...]:
    """Return (q, scale), the codes of the normalised rows of x, as `quantize_rows` gives them.

    A row lies along the last axis.  `norm` is "rms" or "layer", `weight` scales its result, and
    `eps` is 1e-6 or 1e-5 if it is not given.  The normalised row is not rounded to x's dtype in
    between.  With `residual` it normalises h = x + residual, rounded to x's dtype, and returns
    (q, scale, h).
    """
    if guard is not None:
        checks.require_no_guard(guard)
    if norm.__class__ is not str or norm not in _EPS:
        checks.require_choice("norm_quantize", "norm", norm, tuple(_EPS))
    present: tuple[str, ...] = ()
    inputs: tuple[Array, ...] = (x,)
    if weight is not None:
        present, inputs = ("weight",), (x, weight)
    if residual is not None:
        present, inputs = (*present, "residual"), (*inputs, residual)
    if out is not None and not isinstance(out, tuple):
        raise ArgumentError("A306", "norm_quantize has several results; out is a tuple of them")
    width = _EPS[norm] if eps is None else checks.real_number("norm_quantize", "eps", eps)
    found: tuple[Array, ...] = _norm_quantize(inputs, out, (norm, width, present, dtype))
    return found
