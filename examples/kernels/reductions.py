"""One number a row: sum, mean, variance, greatest element, its position, log-sum-exp.

The kernel reads each row once and stores six results.  How a row is shared among lanes is planned.
"""

import numpy as np

import certile as ct


@ct.tile_kernel
def summary(
    x: ct.View,
    total: ct.View,
    mean: ct.View,
    variance: ct.View,
    greatest: ct.View,
    position: ct.View,
    log_sum: ct.View,
) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        total[r] = ct.reduce(v, cols, ct.add)
        mean[r], variance[r] = ct.reduce(v, cols, ct.mean_var)
        greatest[r] = ct.reduce(v, cols, ct.maximum)
        position[r] = ct.reduce(v, cols, ct.argmax)
        log_sum[r] = ct.reduce(v, cols, ct.logsumexp)


def main() -> None:
    x = np.random.default_rng(0).standard_normal((7, 1000), dtype=np.float32)
    total, mean, variance, greatest, log_sum = (np.empty(7, np.float32) for _ in range(5))
    position = np.empty(7, np.int64)
    summary(x, total, mean, variance, greatest, position, log_sum)
    np.testing.assert_allclose(total, x.sum(axis=1), rtol=1e-4)
    np.testing.assert_allclose(mean, x.mean(axis=1), rtol=1e-4)
    np.testing.assert_allclose(variance, x.var(axis=1), rtol=1e-4)
    np.testing.assert_array_equal(greatest, x.max(axis=1))
    np.testing.assert_array_equal(position, x.argmax(axis=1))
    np.testing.assert_allclose(log_sum, np.log(np.exp(x).sum(axis=1)), rtol=1e-5)
    print("greatest elements stand at", position)


if __name__ == "__main__":
    main()
