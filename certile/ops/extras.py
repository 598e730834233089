"""What an operation on rows may take beside them: vectors for their columns, and a residual.

In: the names of the arrays after x, in order: `weight` and `bias` are vectors, `residual` is like x
and brings a last result `h`, the sum.  Out: the names and results of a call.  Decides which shapes
fit.  Leaves what is computed to the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.ops import checks
from certile.ops.call import Result
from certile.runtime.arrays import ArrayInfo

__all__ = ["VECTORS", "named", "require", "with_sum"]

Names = tuple[str, ...]

VECTORS = ("weight", "bias")


def require(
    op: str, extras: Names, inputs: Sequence[ArrayInfo], spanned: Sequence[int], why: str
) -> None:
    """Check the inputs after x; raises `ArgumentError` A302 or A303.

    `spanned` is the shape of a vector, and `why` says what has it.
    """
    x = inputs[0]
    for name, extra in zip(extras, inputs[1:], strict=True):
        checks.require_dtype(op, name, extra, checks.REAL)
        if name in VECTORS:
            checks.require_shape(name, extra, spanned, why)
        else:
            checks.require_shape(name, extra, x.shape, "it is added to x, which has")


def named(extras: Names, *results: str) -> Names:
    """Return the names of all arrays of a call."""
    return ("x", *extras, *results, *(("h",) if "residual" in extras else ()))


def with_sum(extras: Names, x: ArrayInfo, *results: Result) -> tuple[Result, ...]:
    """Return the results, and after them the sum with the residual where there is one.

    The sum lies in memory as the first result does.
    """
    if "residual" not in extras:
        return results
    return (*results, Result(x.shape, x.dtype, order=results[0].order))
