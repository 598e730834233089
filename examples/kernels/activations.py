"""Activations: element by element, in rows so that lanes and cores are used."""

import math

import numpy as np

import certile as ct


@ct.tile_kernel
def silu(x: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r, cols] = v * ct.sigmoid(v)


@ct.tile_kernel
def gelu(x: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r, cols] = v * (ct.erf(v * math.sqrt(0.5)) * 0.5 + 0.5)


def main() -> None:
    x = np.linspace(-4, 4, 3 * 4096, dtype=np.float32).reshape(3, 4096)
    y = np.empty_like(x)
    silu(x, y)
    np.testing.assert_allclose(y, x / (1 + np.exp(-x)), rtol=1e-5)
    gelu(x, x)  # in place: each element is read before it is written
    print("gelu lies between", x.min(), "and", x.max())


if __name__ == "__main__":
    main()
