"""Cross entropy: a loss for each row of logits, from one label a row.

The label picks one element of the row: a gather.  It reads that element only, under a guard.
"""

import numpy as np

import certile as ct


@ct.tile_kernel
def cross_entropy(logits: ct.View, labels: ct.View, loss: ct.View) -> None:
    rows, classes = ct.axis("rows", logits.shape[0]), ct.axis("classes", logits.shape[1])
    for r in ct.parallel(rows):
        v = logits[r, classes]
        greatest = ct.reduce(v, classes, ct.maximum)
        shift = ct.where(ct.isfinite(greatest), greatest, 0.0)
        total = ct.log(ct.reduce(ct.exp(v - shift), classes, ct.add)) + shift
        loss[r] = total - ct.gather(v, labels[r], classes, fill=0.0)


def main() -> None:
    random = np.random.default_rng(0)
    logits = random.standard_normal((5, 1000), dtype=np.float32)
    labels = random.integers(0, 1000, 5)
    loss = np.empty(5, np.float32)
    cross_entropy(logits, labels, loss)
    wanted = np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(5), labels]
    np.testing.assert_allclose(loss, wanted, rtol=1e-5)
    print("losses", loss)


if __name__ == "__main__":
    main()
