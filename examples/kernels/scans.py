"""Running sums and maxima, and the first elements of a row in order."""

import numpy as np

import certile as ct


@ct.tile_kernel
def running(x: ct.View, total: ct.View, greatest: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        total[r, cols] = ct.scan(v, cols, ct.add)
        greatest[r, cols] = ct.scan(v, cols, ct.maximum)


@ct.tile_kernel
def first_in_order(x: ct.View, values: ct.View, places: ct.View, k: ct.constexpr = 5) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    top = ct.axis("top", k)
    for r in ct.parallel(rows):
        values[r, top], places[r, top] = ct.topk(x[r, cols], top, cols)


def main() -> None:
    x = np.random.default_rng(0).standard_normal((4, 777), dtype=np.float32)
    total, greatest = np.empty_like(x), np.empty_like(x)
    running(x, total, greatest)
    np.testing.assert_allclose(total, np.cumsum(x, axis=1, dtype=np.float64), atol=1e-4)
    np.testing.assert_array_equal(greatest, np.maximum.accumulate(x, axis=1))

    values, places = np.empty((4, 5), np.float32), np.empty((4, 5), np.int64)
    first_in_order(x, values, places)
    np.testing.assert_array_equal(places, np.argsort(-x, axis=1)[:, :5])
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, axis=1))
    print("the greatest elements of the first row stand at", places[0].tolist())


if __name__ == "__main__":
    main()
