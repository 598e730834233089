"""Softmax: each row becomes shares that add up to 1.

`certile explain examples/kernels/softmax.py:softmax --shape 64x4096` writes what becomes of it.
"""

import numpy as np

import certile as ct


@ct.tile_kernel
def softmax(x: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def log_softmax(x: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.maximum)
        y[r, cols] = d - ct.log(ct.reduce(ct.exp(d), cols, ct.add))


def main() -> None:
    x = np.random.default_rng(0).standard_normal((64, 4096), dtype=np.float32)
    y, logarithm = np.empty_like(x), np.empty_like(x)
    softmax(x, y)
    log_softmax(x, logarithm)
    print("rows add up to", y.sum(axis=1).min(), "…", y.sum(axis=1).max())
    np.testing.assert_allclose(np.exp(logarithm), y, rtol=1e-5)


if __name__ == "__main__":
    main()
