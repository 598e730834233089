"""Normalisation along axes, with weights and a residual.

In: an array, vectors along what is normalised, a residual.  Out: an array of its shape, and the sum
with the residual where there is one.  Decides which axes make a group of channels.  Leaves the
formulas to `certile.ops.kernels.rows`, and rows along the last axes to `RowMap`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from certile.diagnostics import ArgumentError
from certile.ops import checks, extras
from certile.ops.call import Operation, Recipe, Result
from certile.ops.channels import Adjoining, adjoining
from certile.ops.checks import Axis
from certile.ops.kernels.domain import computed_in
from certile.ops.kernels.rows import channels_norm_kernel, layer_norm_kernel
from certile.ops.launch import Launch
from certile.ops.layout import memory_order
from certile.ops.rows import RowMap
from certile.ops.views import arranged, seen
from certile.records import record
from certile.runtime.arrays import ArrayInfo

__all__ = ["group_norm", "layer_norm", "rms_norm"]

Array = Any


@record
class Groups(Recipe):
    """A call that normalises groups of channels of each element of the first axis."""

    groups: int
    channel_axis: int
    eps: float
    extras: tuple[str, ...]
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x = inputs[0]
        if self.dtype is None:
            checks.require_dtype("group_norm", "x", x, checks.REAL)
        channels = x.shape[self._channels(x)]
        if channels % self.groups:
            message = f"group_norm makes {self.groups} groups of x, which has {channels} channels"
            raise ArgumentError("A303", message)
        why = "there is one a channel:"
        extras.require("group_norm", self.extras, inputs, (channels,), why)
        dtype = checks.result_dtype("group_norm", self.dtype, x.dtype)
        order = memory_order(x.shape, x.strides)
        return extras.with_sum(self.extras, x, Result(x.shape, dtype, order=order))

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        cut = self._adjoining(arrays)
        if cut is None:
            return ()
        y = arrays[1 + len(self.extras)]
        return cut.scratch(computed_in(arrays[0].dtype, y.dtype))

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        x = arrays[0]
        axis = self._channels(x)
        names = extras.named(self.extras, "y")
        cut = self._adjoining(arrays)
        if cut is not None:
            return cut.launches(names, arrays, self.eps)
        each = x.shape[axis] // self.groups
        # One axis of channels becomes two: the groups, and the channels of a group.
        shape = (*x.shape[:axis], self.groups, each, *x.shape[axis + 1 :])
        parts = [
            _by_channel(array, len(x.shape), axis, each)
            if name in extras.VECTORS
            else _grouped(array.strides, axis, each)
            for name, array in zip(names, arrays, strict=True)
        ]
        # Neighbours in memory are neighbours in a row: the order of its elements is nobody's.
        columns = [dim for dim in range(1, len(shape)) if dim != axis]
        columns.sort(key=lambda dim: -abs(parts[0][dim]))
        arrangement = arranged(shape, columns, parts, arrays)
        views = {**seen(names, arrangement), "eps": self.eps}
        looped = len(arrangement.arrays[0].shape) == arrangement.kept + 2
        if not looped or not {"weight", "bias"} & set(names):
            return (Launch(layer_norm_kernel, views),)
        views["channels_inside"] = columns[-1] == axis + 1
        return (Launch(channels_norm_kernel, views),)

    def _adjoining(self, arrays: tuple[ArrayInfo, ...]) -> Adjoining | None:
        """Return how channels that adjoin in memory are cut; None where a group is one row."""
        names = extras.named(self.extras, "y")
        return adjoining(names, arrays, self._channels(arrays[0]), self.groups)

    def _channels(self, x: ArrayInfo) -> int:
        (axis,) = checks.one_axis("group_norm", x, self.channel_axis) or (0,)
        if axis == 0:
            message = (
                "group_norm treats each element of axis 0 by itself; channels lie along another"
            )
            raise ArgumentError("A301", message, hint="pass x[None] for one element")
        return axis


def _grouped(strides: Sequence[int], axis: int, each: int) -> tuple[int, ...]:
    """Return strides with the channels as groups of `each` and the channels of a group."""
    return (*strides[:axis], strides[axis] * each, strides[axis], *strides[axis + 1 :])


def _by_channel(vector: ArrayInfo, rank: int, axis: int, each: int) -> tuple[int, ...]:
    """Return the strides of a vector of channels, repeated along all other axes."""
    along = [0] * rank
    along[axis] = vector.strides[0]
    return _grouped(along, axis, each)


_rms_norm = Operation("rms_norm", RowMap)
_layer_norm = Operation("layer_norm", RowMap)
_group_norm = Operation("group_norm", Groups)


def _given(
    x: Array, weight: Array, bias: Array, residual: Array
) -> tuple[tuple[str, ...], tuple[Array, ...]]:
    """Return the names of the extras that are not None, and x with them, in the order of names."""
    extras: tuple[str, ...] = ()
    inputs: tuple[Array, ...] = (x,)
    if weight is not None:
        extras, inputs = ("weight",), (x, weight)
    if bias is not None:
        extras, inputs = (*extras, "bias"), (*inputs, bias)
    if residual is not None:
        extras, inputs = (*extras, "residual"), (*inputs, residual)
    return extras, inputs


def rms_norm(  # noqa: PLR0913 - as the frameworks have it
    x: Array,
    weight: Array = None,
    *,
    axis: Axis = -1,
    eps: float = 1e-6,
    residual: Array = None,
    out: Any = None,  # noqa: ANN401 - an array, or a pair
    dtype: object = None,
    guard: object = None,
) -> Any:  # noqa: ANN401 - an array, or a pair
    """Return x / sqrt(mean(x²) + eps), times `weight`, over `axis` (one, or a tuple of the last).

    With `residual` it normalises h = x + residual, rounded to x's dtype, and returns (y, h); `out`
    is then a pair.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    extras: tuple[str, ...] = ("weight",)
    inputs: tuple[Array, ...] = (x, weight)
    if weight is None or residual is not None:
        extras, inputs = _given(x, weight, None, residual)
    normalised = axis if axis.__class__ is int else checks.plain_axis(axis)
    return _rms_norm(inputs, out, ("rms_norm", normalised, dtype, extras, eps))


def layer_norm(  # noqa: PLR0913 - as the frameworks have it
    x: Array,
    weight: Array = None,
    bias: Array = None,
    *,
    axis: Axis = -1,
    eps: float = 1e-5,
    residual: Array = None,
    out: Any = None,  # noqa: ANN401 - an array, or a pair
    dtype: object = None,
    guard: object = None,
) -> Any:  # noqa: ANN401 - an array, or a pair
    """Return (x - mean) / sqrt(variance + eps), times `weight`, plus `bias`, over `axis`.

    `axis` is one, or a tuple of the last ones, which `weight` and `bias` then span.  The variance
    is the mean of squared deviations, in f32: where it overflows (deviations beyond 1.8e19) the
    result is 0; PyTorch has 0 or NaN there.  With `residual` it normalises h = x + residual,
    rounded to x's dtype, and returns (y, h); `out` is then a pair.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    # The usual call comes first: everything here stands on the path of each call.
    extras: tuple[str, ...] = ("weight", "bias")
    inputs: tuple[Array, ...] = (x, weight, bias)
    if weight is None or bias is None or residual is not None:
        extras, inputs = _given(x, weight, bias, residual)
    normalised = axis if axis.__class__ is int else checks.plain_axis(axis)
    return _layer_norm(inputs, out, ("layer_norm", normalised, dtype, extras, eps))


def group_norm(  # noqa: PLR0913 - as the frameworks have it
    x: Array,
    num_groups: int,
    weight: Array = None,
    bias: Array = None,
    *,
    channel_axis: int = 1,
    eps: float = 1e-5,
    residual: Array = None,
    out: Any = None,  # noqa: ANN401 - an array, or a pair
    dtype: object = None,
    guard: object = None,
) -> Any:  # noqa: ANN401 - an array, or a pair
    """Return x with each group of channels normalised, times `weight`, plus `bias`.

    Axis 0 counts examples, `channel_axis` channels.  A group is `num_groups`-th of the channels
    with all other axes, and is normalised as by `layer_norm` (Wu and He, 2018).  `weight` and
    `bias` have one element a channel.  With `residual` it normalises h = x + residual, rounded to
    x's dtype, and returns (y, h); `out` is then a pair.

    Raises `ArgumentError` A303 where the groups do not divide the channels.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    if num_groups.__class__ is not int or not 0 < num_groups < 2**63:
        num_groups = checks.positive_integer("group_norm", "num_groups", num_groups)
    if eps.__class__ is not float or not isfinite(eps):
        eps = checks.real_number("group_norm", "eps", eps)
    extras: tuple[str, ...] = ("weight", "bias")
    inputs: tuple[Array, ...] = (x, weight, bias)
    if weight is None or bias is None or residual is not None:
        extras, inputs = _given(x, weight, bias, residual)
    channels = channel_axis if channel_axis.__class__ is int else checks.plain_axis(channel_axis)
    return _group_norm(inputs, out, (num_groups, channels, eps, extras, dtype))
