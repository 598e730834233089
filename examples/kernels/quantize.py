"""Rows as 8-bit codes with a scale each, and a normalised row quantised without being stored.

Three reductions of one row: the row is read once or again as the plan decides, and only codes and
scales are written.
"""

import numpy as np

import certile as ct


@ct.tile_kernel
def quantize(x: ct.View, q: ct.View, scale: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        step = ct.reduce(ct.abs(v), cols, ct.maximum) / 127.0
        q[r, cols] = ct.cast(ct.where(step > 0, ct.round(v / step), 0.0), ct.i8)
        scale[r] = step


@ct.tile_kernel
def norm_quantize(x: ct.View, q: ct.View, scale: ct.View, eps: float = 1e-5) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.add) / cols.extent
        variance = ct.reduce(d * d, cols, ct.add) / cols.extent
        n = d * ct.rsqrt(variance + eps)
        step = ct.reduce(ct.abs(n), cols, ct.maximum) / 127.0
        q[r, cols] = ct.cast(ct.where(step > 0, ct.round(n / step), 0.0), ct.i8)
        scale[r] = step


def main() -> None:
    x = np.random.default_rng(0).standard_normal((6, 500), dtype=np.float32)
    q, scale = np.empty(x.shape, np.int8), np.empty(6, np.float32)
    quantize(x, q, scale)
    assert (np.abs(q * scale[:, None] - x) <= 0.5001 * scale[:, None]).all()
    assert (np.abs(q).max(axis=1) == 127).all()
    print("codes of 6 rows are off by at most", float(np.abs(q * scale[:, None] - x).max()))

    norm_quantize(x * 40 + 7, q, scale)
    wanted = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    assert (np.abs(q * scale[:, None] - wanted) <= 0.51 * scale[:, None]).all()


if __name__ == "__main__":
    main()
