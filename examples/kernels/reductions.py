"""One number a row: sum, mean, greatest element, its position, log-sum-exp.

The kernel reads each row once and stores five results.  How a row is shared among lanes is planned.
"""

import numpy as np

import certile as ct


@ct.tile_kernel
def summary(
    x: ct.View,
    total: ct.View,
    mean: ct.View,
    greatest: ct.View,
    position: ct.View,
    log_sum: ct.View,
) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        added = ct.reduce(v, cols, ct.add)
        total[r] = added
        mean[r] = added / cols.extent
        greatest[r] = ct.reduce(v, cols, ct.maximum)
        position[r] = ct.reduce(v, cols, ct.argmax)
        log_sum[r] = ct.reduce(v, cols, ct.logsumexp)


def main() -> None:
    x = np.random.default_rng(0).standard_normal((7, 1000), dtype=np.float32)
    total, mean, greatest, log_sum = (np.empty(7, np.float32) for _ in range(4))
    position = np.empty(7, np.int64)
    summary(x, total, mean, greatest, position, log_sum)
    np.testing.assert_allclose(total, x.sum(axis=1), rtol=1e-4)
    np.testing.assert_allclose(mean, x.mean(axis=1), rtol=1e-4)
    np.testing.assert_array_equal(greatest, x.max(axis=1))
    np.testing.assert_array_equal(position, x.argmax(axis=1))
    np.testing.assert_allclose(log_sum, np.log(np.exp(x).sum(axis=1)), rtol=1e-5)
    print("greatest elements stand at", position)


if __name__ == "__main__":
    main()
