"""The relation between a kernel and a result: the one judge of every test, target, gate and tuner.

In: result arrays, the kernel, what it was called with.  Out: an `Agreement`.  Decides whether each
element is one that the kernel allows: bit-exact where every operation is exact (equality is
numeric: -0 equals +0, a NaN equals a NaN), within the propagated bound elsewhere, NaN and infinity
exactly where the reference has them.  The index of a winner that inexact elements dispute may be
as far from the reference's as the farthest of them.  An element that may legally be anything (an
overflow that depends on the order, an index that depends on a rounding) counts as `unchecked`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from certile.ir.dtypes import DType
from certile.ir.tile import Kernel, View
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.bounding import Freedom, ulp_size
from certile.reference.evaluate import Arguments, Depth
from certile.reference.functions import Overrides
from certile.reference.machine_numeric import Array
from certile.reference.memory import Storage
from certile.reference.tile import Interpreter, unified
from certile.reference.values import same, wide


@record
class Difference:
    """One element that is not allowed: where it is, what was found, what was wanted, how near."""

    view: str
    index: tuple[int, ...]
    found: float | int | bool
    wanted: float | int | bool
    bound: float

    def __str__(self) -> str:
        place = f"{self.view}[{', '.join(map(str, self.index))}]"
        return f"{place} is {self.found!r}, wanted {self.wanted!r} within {self.bound:.3g}"


@record
class Agreement:
    """Whether results agree, and how far they are from the reference.

    `max_abs` and `max_ulp` are over elements where both are finite; an ulp is that of the output's
    dtype at the reference.  `worst` is the element farthest outside its bound, None when `ok`.
    `unchecked` of `elements` may legally be anything.
    """

    ok: bool
    max_abs: float
    max_ulp: float
    nan_mask_equal: bool
    worst: Difference | None
    unchecked: int
    elements: int

    def __bool__(self) -> bool:
        return self.ok


def agrees(
    results: Mapping[str, Array],
    kernel: Kernel,
    inputs: Arguments,
    depth: Depth = None,
    *,
    flushed: bool = False,
    functions: Overrides | None = None,
) -> Agreement:
    """Judge the arrays that a run of `kernel` left in its output views.

    Args:
        results: one array an output view, by name, as the run left it.
        kernel: generic or specialised.
        inputs: every argument as it was before the run, output views included.
        depth: levels of the deepest tree, for every reduction or by reduction; None allows any
            tree, which has as many levels as leaves.
        flushed: the target may replace subnormal numbers by zero.
        functions: implementations that make inexact functions exact (`math="portable"`).

    Returns:
        The agreement.  Untouched elements must be as they were.

    Raises:
        KernelError, ArgumentError: as `run` does; KeyError for an output without a result.
    """
    how = Freedom(flushed=flushed, overrides=functions or {})
    return judged(results, kernel, expected_outputs(kernel, inputs, depth, how))


def judged(
    results: Mapping[str, Array], kernel: Kernel, expected: Mapping[str, Storage]
) -> Agreement:
    """Judge one array an output view by what `expected_outputs` gave, once for several runs."""
    pairs = ((view, results[view.name], expected[view.name]) for view in kernel.outputs)
    return _joined([_compare(view, result, wanted) for view, result, wanted in pairs])


def expected_outputs(
    kernel: Kernel, inputs: Arguments, depth: Depth, how: Freedom
) -> dict[str, Storage]:
    """What the reference leaves in each output view, with a bound an element."""
    merged, arguments = unified(kernel, inputs)
    private = dict(arguments)
    for view in merged.outputs:
        private[view.name] = np.array(arguments[view.name], copy=True)
    interpreter = Interpreter(merged, private, how, depth)
    with np.errstate(all="ignore"):
        interpreter.run()
    by_name = {view.name: interpreter.storage[view] for view in merged.views}
    # A view that was merged into another is found by its array.
    for view in kernel.outputs:
        if view.name not in by_name:
            twin = next(v for v in merged.views if arguments[v.name] is inputs[view.name])
            by_name[view.name] = by_name[twin.name]
    return by_name


def _compare(view: View, result: Array, expected: Storage) -> Agreement:
    """Judge one output."""
    if result.shape != expected.data.shape or result.dtype != expected.data.dtype:
        raise ValueError(f"{view.name} is {result.dtype}{result.shape}, not {expected.data.dtype}")
    found = result.astype(numeric.carrier(view.dtype))
    wanted = expected.data.astype(numeric.carrier(view.dtype))
    bound = np.zeros(found.shape) if expected.error is None else expected.error
    with np.errstate(all="ignore"):
        gap = np.where(same(found, wanted), 0.0, _distance(found, wanted))
        masks = np.isnan(found) == np.isnan(wanted)
        infinite = np.isinf(found) | np.isinf(wanted)
        free = np.isinf(bound)
        inside = free | (masks & (gap <= bound))
        both = np.isfinite(found) & np.isfinite(wanted)
        far = float(gap[both].max(initial=0.0))
        ulps = _ulps(gap, wanted, view.dtype, both)
        excess = np.where(inside, -1.0, np.where(masks & ~infinite, gap - bound, np.inf))
    worst = None
    if not inside.all():
        at = np.unravel_index(int(np.argmax(excess)), excess.shape)
        place = tuple(int(k) for k in at)
        worst = Difference(view.name, place, found[at].item(), wanted[at].item(), float(bound[at]))
    return Agreement(
        ok=worst is None,
        max_abs=far,
        max_ulp=ulps,
        nan_mask_equal=bool((masks | free).all()),
        worst=worst,
        unchecked=int(np.count_nonzero(free)),
        elements=found.size,
    )


def _distance(a: Array, b: Array) -> Array:
    """How far two numbers are apart; integers that differ by 1 do so at any size."""
    if a.dtype.kind not in "iu":
        return np.asarray(np.abs(wide(a) - wide(b)))
    # Modulo 2**64 the larger minus the smaller is the distance, whatever the sign.
    unsigned = np.where(a > b, a, b).astype(np.uint64) - np.where(a > b, b, a).astype(np.uint64)
    return wide(unsigned)


def _ulps(gap: Array, wanted: Array, dtype: DType, both: Array) -> float:
    if not dtype.is_float:
        return float(gap[both].max(initial=0.0))
    return float((gap[both] / ulp_size(np.abs(wide(wanted[both])), dtype)).max(initial=0.0))


def _joined(parts: list[Agreement]) -> Agreement:
    """One agreement for all outputs; the first that fails gives the worst element."""
    failed = [part for part in parts if not part.ok]
    return Agreement(
        ok=not failed,
        max_abs=max((part.max_abs for part in parts), default=0.0),
        max_ulp=max((part.max_ulp for part in parts), default=0.0),
        nan_mask_equal=all(part.nan_mask_equal for part in parts),
        worst=failed[0].worst if failed else None,
        unchecked=sum(part.unchecked for part in parts),
        elements=sum(part.elements for part in parts),
    )
