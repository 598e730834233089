"""Embeddings: of indices by a table, of positions by rotation.

In: a table and indices; or pairs of elements with cosines and sines.  Out: arrays in the element
type of the table, or of the elements.  Decides that indices are checked before anything is written,
how cosines are repeated, and which two elements are a pair.  Leaves the formulas to
`certile.ops.kernels.embeddings`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from certile.diagnostics import ArgumentError
from certile.ops import checks
from certile.ops.call import Operation, Recipe, Result
from certile.ops.kernels.embeddings import embedding_kernel, rope_kernel
from certile.ops.launch import Launch, Seen
from certile.ops.layout import Strided
from certile.ops.views import Part, arranged, broadcast_strides, in_twos, seen
from certile.records import record
from certile.runtime.arrays import ArrayInfo, describe
from certile.runtime.inspected import Inspection, Integers

__all__ = ["embedding", "rope"]

Array = Any


@record
class Lookup(Recipe):
    """A call that copies the row of a table that each index names."""

    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        weight, indices = inputs
        checks.require_dtype("embedding", "weight", weight, checks.REDUCED)
        checks.require_dtype("embedding", "indices", indices, checks.INDICES)
        if len(weight.shape) != 2:
            message = f"weight has rank {len(weight.shape)}; embedding takes rows of one axis"
            raise ArgumentError("A303", message)
        allowed = checks.REAL if weight.dtype in checks.REAL else (weight.dtype,)
        dtype = checks.result_dtype("embedding", self.dtype, weight.dtype, allowed)
        shape = (*indices.shape, weight.shape[1])
        return (Result(shape, dtype),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        weight, indices, y = arrays
        columns = (len(y.shape) - 1,)
        arrangement = arranged(y.shape, columns, ("full", "rows"), (y, indices))
        written, named = arrangement.arrays
        views = {
            "weight": Seen(0, Strided(weight.shape, weight.strides)),
            "indices": Seen(1, named),
            "y": Seen(2, written),
            "kept": arrangement.kept,
        }
        return (Launch(embedding_kernel, views),)

    def inspection(self, arrays: tuple[ArrayInfo, ...]) -> Inspection:
        rows = arrays[0].shape[0]
        complain = partial(_require_indices, rows=rows)
        return Inspection(Integers(1, rows, complain))


@record
class Rotation(Recipe):
    """A call that turns pairs of elements of the last axis by angles."""

    interleaved: bool
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x = inputs[0]
        if self.dtype is None:
            checks.require_dtype("rope", "x", x, checks.REAL)
        pairs = (*x.shape[:-1], checks.require_halves("rope", "x", x))
        for name, angle in zip(("cos", "sin"), inputs[1:], strict=True):
            checks.require_dtype("rope", name, angle, checks.REAL)
            if angle.shape[-1:] != pairs[-1:] or broadcast_strides(angle, pairs) is None:
                raise ArgumentError(
                    "A303",
                    f"{name} has shape {angle.shape}; it does not broadcast to {pairs}",
                    hint="the last axis has one element a pair; x of [batch, seq, heads, dim] "
                    "takes cos[:, None, :] of [seq, dim / 2]",
                )
        dtype = checks.result_dtype("rope", self.dtype, x.dtype)
        return (Result(x.shape, dtype),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        x, cos, sin, _ = arrays
        half = x.shape[-1] // 2
        pairs = (*x.shape[:-1], half)
        # Strides of the first element of each pair, and how far away the second is.
        step, apart = (2, 1) if self.interleaved else (1, half)
        parts: list[Part] = [
            broadcast_strides(each, pairs) or ()
            if each in (cos, sin)
            else (*each.strides[:-1], each.strides[-1] * step)
            for each in arrays
        ]
        arrangement = arranged(pairs, (len(pairs) - 1,), parts, arrays)
        views = seen(("x", "cos", "sin", "y"), arrangement)
        for name, at in (("x", 0), ("y", 3)):
            distance = arrays[at].strides[-1] * apart
            views[name] = Seen(at, in_twos(arrangement.arrays[at], distance))
        return (Launch(rope_kernel, views),)


_embedding = Operation("embedding", Lookup)
_rope = Operation("rope", Rotation)


def embedding(
    weight: Array,
    indices: Array,
    *,
    padding_idx: int | None = None,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return the row of `weight` that each index names: weight[indices].

    `weight` is a table [rows, columns] of any dtype, `indices` integers of any shape, which the
    result has before its last axis.  `padding_idx` names a row without a gradient, as PyTorch has
    it: the result holds that row like any other.

    Raises `ArgumentError` A312 for an index that names no row, before anything is written; a
    negative one does not count from the end.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    if padding_idx is not None:
        rows = _rows(weight)
        number = checks.plain_axis(padding_idx)
        if not isinstance(number, int) or not -rows <= number < rows:
            message = f"embedding: padding_idx is {padding_idx!r}; weight has {rows} rows"
            raise ArgumentError("A305", message)
    if checks.on_a_device(indices):
        numbers = checks.copied_numbers(indices)
        if len(weight.shape) == 2 and numbers.dtype.kind in "iu":
            _require_indices(numbers, _rows(weight))
    return _embedding((weight, indices), out, (dtype,))


def _rows(weight: Array) -> int:
    known = getattr(weight, "shape", None)
    shape = known if isinstance(known, tuple) else describe(weight).shape
    return int(shape[0]) if shape else 0


def _require_indices(numbers: checks.NumpyArray, rows: int) -> None:
    checks.require_indices("indices", numbers, rows, "weight")


def rope(
    x: Array,
    cos: Array,
    sin: Array,
    *,
    interleaved: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return x with each pair of elements turned by an angle (rotary embedding; Su et al., 2021).

    A pair (a, b) becomes (a cos - b sin, b cos + a sin).  Along the last axis, of 2n elements, pair
    i is the elements i and i + n; with `interleaved` 2i and 2i + 1.  `cos` and `sin` have n
    elements on their last axis, and broadcast to x's other axes by NumPy's rule, from the last:
    x [..., seq, dim] takes cos [seq, dim / 2], and x [..., seq, heads, dim] takes
    [seq, 1, dim / 2].  Positions that differ between batches take [batch, 1, seq, dim / 2] or
    [batch, seq, 1, dim / 2].

    Raises `ArgumentError` A303 for an odd last axis, and for angles that do not broadcast.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    return _rope((x, cos, sin), out, (interleaved, dtype))
