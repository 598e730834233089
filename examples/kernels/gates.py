"""Gated activations: a gate and what it lets through, apart or as halves of one array.

An index that is a number picks one of the two halves; both are read in one pass.
"""

import numpy as np

import certile as ct


@ct.tile_kernel
def swiglu(gate: ct.View, up: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", gate.shape[0]), ct.axis("cols", gate.shape[1])
    for r in ct.parallel(rows):
        v = gate[r, cols]
        y[r, cols] = v * ct.sigmoid(v) * up[r, cols]


@ct.tile_kernel
def geglu_of_halves(both: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", both.shape[0]), ct.axis("cols", both.shape[2])
    for r in ct.parallel(rows):
        v = both[r, 0, cols]
        y[r, cols] = v * (ct.erf(v * 0.5**0.5) * 0.5 + 0.5) * both[r, 1, cols]


def main() -> None:
    random = np.random.default_rng(0)
    gate, up = (random.standard_normal((5, 300), dtype=np.float32) for _ in range(2))
    y = np.empty_like(gate)
    swiglu(gate, up, y)
    np.testing.assert_allclose(y, gate / (1 + np.exp(-gate)) * up, rtol=1e-5, atol=1e-6)

    both = np.concatenate([gate, up], axis=1)
    geglu_of_halves(both.reshape(5, 2, 300), y)
    positive = gate > 4  # where the gate is open
    np.testing.assert_allclose(y[positive], (gate * up)[positive], rtol=1e-3)
    print("through the gate go", float(np.abs(y).mean()), "of", float(np.abs(up).mean()))


if __name__ == "__main__":
    main()
