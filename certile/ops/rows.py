"""Operations that give a row for each row: softmax, lengths of one, and the recipe of the norms.

In: an array, vectors along its last axes, a residual.  Out: an array of its shape.  Decides which
axes and vectors fit.  Leaves the formulas to `certile.ops.kernels.rows`.
"""

from __future__ import annotations

from typing import Any

from certile import settings
from certile.ops import checks, extras
from certile.ops.call import Operation, Recipe, Result
from certile.ops.checks import Axis
from certile.ops.kernels import rows as kernels
from certile.ops.kernels.domain import computed_in
from certile.ops.launch import Launch, Seen
from certile.ops.layout import Arrangement, Strided, in_chunks
from certile.ops.reordered import Reordered, reordered
from certile.ops.views import Part, arranged, seen
from certile.records import record
from certile.runtime.arrays import ArrayInfo

__all__ = ["RowMap", "l2_norm", "log_softmax", "softmax"]

Array = Any

_KERNELS = {
    "softmax": kernels.softmax_kernel,
    "log_softmax": kernels.log_softmax_kernel,
    "l2_norm": kernels.l2_norm_kernel,
    "rms_norm": kernels.rms_norm_kernel,
    "layer_norm": kernels.layer_norm_kernel,
}


@record
class RowMap(Recipe):
    """A call of an operation that gives a row for each row.

    `extras` names the inputs after x: `weight` and `bias` lie along the columns, `residual` is
    like x and brings a second result, the sum.
    """

    op: str
    axis: Axis
    dtype: object
    extras: tuple[str, ...] = ()
    eps: float | None = None

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x = inputs[0]
        dtype = checks.real_dtype(self.op, "x", x, self.dtype)
        wanted = [x.shape[dim] for dim in self._columns(x)]
        extras.require(self.op, self.extras, inputs, wanted, f"the axes of {self.op} have")
        return extras.with_sum(self.extras, x, Result(x.shape, dtype))

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        chunks = self._chunks(arrays)
        if chunks is None:
            return ()
        x, y = arrays
        return (Result(chunks.arrays[0].shape[:-1], computed_in(x.dtype, y.dtype)),) * 2

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        chunks = self._chunks(arrays)
        if chunks is not None:
            return self._launches_by_chunks(chunks, arrays)
        copied = self._copied(arrays)
        if copied is None:
            return (self._launch(arrays),)
        return copied.before(self._launch((arrays[1], arrays[1])))

    def _launch(self, arrays: tuple[ArrayInfo, ...]) -> Launch:
        views = seen(extras.named(self.extras, "y"), self._arranged(arrays))
        if self.eps is not None:
            views["eps"] = checks.real_number(self.op, "eps", self.eps)
        return Launch(_KERNELS[self.op], views)

    def _copied(self, arrays: tuple[ArrayInfo, ...]) -> Reordered | None:
        """Return how x is copied to y first; None where it is read where it lies."""
        x = arrays[0]
        return None if self.extras else reordered(x, arrays[1], self._columns(x))

    def _arranged(self, arrays: tuple[ArrayInfo, ...]) -> Arrangement:
        names = extras.named(self.extras, "y")
        parts: list[Part] = ["columns" if name in extras.VECTORS else "full" for name in names]
        x = arrays[0]
        return arranged(x.shape, self._columns(x), parts, arrays[: len(names)])

    def _chunks(self, arrays: tuple[ArrayInfo, ...]) -> Arrangement | None:
        """Return few long rows cut into chunks for all threads; None where that is not needed."""
        if self.op not in ("softmax", "log_softmax"):
            return None
        return in_chunks(self._arranged(arrays), settings.current().threads)

    def _launches_by_chunks(
        self, chunks: Arrangement, arrays: tuple[ArrayInfo, ...]
    ) -> tuple[Launch, ...]:
        summed = Strided.contiguous(*chunks.arrays[0].shape[:-1])
        x, y = (Seen(at, layout) for at, layout in enumerate(chunks.arrays))
        greatest, total = Seen(len(arrays) - 2, summed), Seen(len(arrays) - 1, summed)
        shared = {"x": x, "greatest": greatest, "total": total, "kept": chunks.kept}
        logarithm = self.op == "log_softmax"
        return (
            Launch(kernels.chunks_kernel, shared),
            Launch(kernels.from_chunks_kernel, {**shared, "y": y, "logarithm": logarithm}),
        )

    def _columns(self, x: ArrayInfo) -> tuple[int, ...]:
        """Return the axes a row is made of; normalisations take several, which are the last."""
        if self.op not in ("rms_norm", "layer_norm"):
            return checks.one_axis(self.op, x, self.axis)
        return checks.last_axes(self.op, x, self.axis)


_softmax = Operation("softmax", RowMap)
_log_softmax = Operation("log_softmax", RowMap)
_l2_norm = Operation("l2_norm", RowMap)


def softmax(
    x: Array, axis: int = -1, *, out: Array = None, dtype: object = None, guard: object = None
) -> Array:
    """Return exp(x) / sum(exp(x)) along `axis`, without overflow.

    A row of -inf gives NaN, as the definition does; so does a row with inf or NaN.  Raises
    `ArgumentError` A302 for bool and integers, which only MLX takes (f32), unless `dtype` names the
    result's.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    return _softmax(
        (x,), out, ("softmax", axis if axis.__class__ is int else checks.plain_axis(axis), dtype)
    )


def log_softmax(
    x: Array, axis: int = -1, *, out: Array = None, dtype: object = None, guard: object = None
) -> Array:
    """Return x - log(sum(exp(x))) along `axis`, without overflow; NaN where softmax gives it."""
    if guard is not None:
        checks.require_no_guard(guard)
    return _log_softmax(
        (x,),
        out,
        ("log_softmax", axis if axis.__class__ is int else checks.plain_axis(axis), dtype),
    )


def l2_norm(
    x: Array,
    axis: int = -1,
    *,
    eps: float = 1e-12,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return x scaled to length 1 along `axis`: x / max(sqrt(sum(x²)), eps)."""
    if guard is not None:
        checks.require_no_guard(guard)
    return _l2_norm(
        (x,),
        out,
        ("l2_norm", axis if axis.__class__ is int else checks.plain_axis(axis), dtype, (), eps),
    )
