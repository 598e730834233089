"""Rows of a table by index, and positions as rotations of pairs.

An index that is read from data has no known range, so the kernel either masks what is outside
(`bounds="zero"`) or takes the author's word (`bounds="assume"`) after the author has looked.
"""

import numpy as np

import certile as ct


@ct.tile_kernel
def embedding(table: ct.View, indices: ct.View, y: ct.View) -> None:
    places, cols = ct.axis("places", indices.shape[0]), ct.axis("cols", table.shape[1])
    for p in ct.parallel(places):
        row = table.tile(ct.coord(indices[p], 0), ct.shape(1, cols), bounds="zero", fill=0.0)
        y[p, cols] = row.load()


@ct.tile_kernel
def rotate(x: ct.View, cos: ct.View, sin: ct.View, y: ct.View) -> None:
    """Turn pairs (x[…, 0, i], x[…, 1, i]) of every head by the angle of the position."""
    batch, positions = ct.axis("batch", x.shape[0]), ct.axis("positions", x.shape[1])
    heads, pairs = ct.axis("heads", x.shape[2]), ct.axis("pairs", x.shape[4])
    for b, p, h in ct.parallel(batch, positions, heads):
        first, second = x[b, p, h, 0, pairs], x[b, p, h, 1, pairs]
        c, s = cos[p, pairs], sin[p, pairs]
        y[b, p, h, 0, pairs] = first * c - second * s
        y[b, p, h, 1, pairs] = second * c + first * s


def main() -> None:
    random = np.random.default_rng(0)
    table = random.standard_normal((50, 64), dtype=np.float32)
    indices = np.array([3, 0, 49, 50])
    y = np.empty((4, 64), np.float32)
    embedding(table, indices, y)
    np.testing.assert_array_equal(y[:3], table[indices[:3]])
    assert (y[3] == 0).all()  # 50 is outside

    x = random.standard_normal((2, 9, 3, 64), dtype=np.float32)
    angles = np.arange(9)[:, None] * 10000.0 ** (-np.arange(32) / 32)
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    turned = np.empty_like(x)
    # Halves of the last axis are pairs; a view with strides would make neighbours pairs.
    rotate(x.reshape(2, 9, 3, 2, 32), cos, sin, turned.reshape(2, 9, 3, 2, 32))
    wanted = (x[..., :32] + 1j * x[..., 32:]) * np.exp(1j * angles)[:, None]
    np.testing.assert_allclose(turned[..., :32], wanted.real, atol=1e-5)
    np.testing.assert_allclose(turned[..., 32:], wanted.imag, atol=1e-5)
    print("the first position is not turned:", bool((turned[:, 0] == x[:, 0]).all()))


if __name__ == "__main__":
    main()
