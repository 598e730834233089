"""Cross entropy, one loss for each row of logits.

In: logits with `kept` row dimensions and one class dimension, a label for each row.  Out: the
losses, and where classes have weights the weight each row counts with.  Decides the formula: two
reductions, with the values that logsumexp has for infinities, and the difference of two logits
taken before the logarithm is added, so that the size of the logits costs no digits of the loss.
Leaves the check of labels and the mean over rows to `certile.ops.losses`.
"""

from __future__ import annotations

import certile as ct
from certile.ops.kernels.domain import each, rows_and_columns, wide


@ct.tile_kernel
def cross_entropy_kernel(  # noqa: PLR0913 - one view each
    logits: ct.View,
    labels: ct.View,
    loss: ct.View,
    ignore_index: int | None = None,
    weight: ct.View | None = None,
    counted: ct.View | None = None,
    smoothing: float | None = None,
    kept: ct.constexpr = 1,
) -> None:
    """logsumexp(row) - row[label] for each row, 0 where the label is `ignore_index`.

    With `weight` the loss is scaled by the label's weight, which `counted` receives.  With
    `smoothing` that share of the loss is spread evenly over the classes, each with its weight.
    """
    rows, (cols,) = rows_and_columns(logits, kept)
    for r in each(rows):
        raw = logits[*r, cols]
        v = wide(raw, loss)
        greatest = ct.reduce(v, cols, ct.maximum)
        shift = ct.where(ct.isfinite(greatest), greatest, 0.0)
        excess = ct.log(ct.reduce(ct.exp(v - shift), cols, ct.add))
        label = ct.cast(labels[*r], ct.i64)
        own = (shift - wide(ct.gather(raw, label, cols, fill=0), loss)) + excess
        spread = (shift - v) + excess
        if weight is not None:
            weights = weight[cols]
            scale = wide(ct.gather(weights, label, cols, fill=0))
            own = own * scale
            spread = spread * wide(weights)
        if smoothing is not None:
            share = smoothing / logits.shape[kept]
            own = own * (1.0 - smoothing) + ct.reduce(spread, cols, ct.add) * share
        if ignore_index is not None:
            own = ct.where(label == ignore_index, 0.0, own)
        loss[*r] = own
        if weight is not None and counted is not None:
            counted[*r] = (
                scale if ignore_index is None else ct.where(label == ignore_index, 0.0, scale)
            )
