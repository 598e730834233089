"""Rewritten programs on a GPU: rows that no group keeps, ordinary and special ones in one launch.

Each kernel stands twice, as the compiler rewrites it and with its rewrites off; what the two give
is compared, and the derived one with float64 where a row is ordinary.
"""

import numpy as np
import pytest

import certile as ct
from tests.rewrites.rows import KINDS, ORDINARY, pairs

pytestmark = pytest.mark.gpu

COLUMNS = 131_072 + 4
FINITE = [k for k, kind in enumerate(KINDS) if kind in ORDINARY]


def softmax(x: ct.View, v: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        e = ct.exp(x[r, cols] - ct.reduce(x[r, cols], cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


def log_sum_exp(x: ct.View, v: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        greatest = ct.reduce(x[r, cols], cols, ct.maximum)
        y[r, 0] = ct.log(ct.reduce(ct.exp(x[r, cols] - greatest), cols, ct.add)) + greatest


def weighted(x: ct.View, v: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        e = ct.exp(x[r, cols] - ct.reduce(x[r, cols], cols, ct.maximum))
        y[r, 0] = ct.reduce(e * v[r, cols], cols, ct.add) / ct.reduce(e, cols, ct.add)


def variance(x: ct.View, v: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    count = int(x.shape[1])
    for r in ct.parallel(rows):
        d = x[r, cols] - ct.reduce(x[r, cols], cols, ct.add) / count
        y[r, 0] = ct.reduce(d * d, cols, ct.add) / count


def _weights(x):
    return np.exp(x - x.max(axis=1, keepdims=True))


MEANT = {
    softmax: lambda x, v: _weights(x) / _weights(x).sum(axis=1, keepdims=True),
    log_sum_exp: lambda x, v: np.log(_weights(x).sum(axis=1)) + x.max(axis=1),
    weighted: lambda x, v: (_weights(x) * v).sum(axis=1) / _weights(x).sum(axis=1),
    variance: lambda x, v: x.var(axis=1),
}


@pytest.mark.parametrize("function", MEANT, ids=lambda function: function.__name__)
def test_a_derived_kernel_gives_what_the_program_means(torch, function):
    x, v = pairs(COLUMNS, KINDS)
    v[FINITE] = np.random.default_rng(5).standard_normal((len(FINITE), COLUMNS))
    moved, beside = (torch.from_numpy(each).cuda() for each in (x, v))
    found = {}
    for rewrites in ("proved", "off"):
        kernel = ct.tile_kernel(rewrites=rewrites)(function)
        made = torch.zeros_like(moved)
        with ct.target("cuda"):
            kernel(moved, beside, made)
        found[rewrites] = made.cpu().numpy()
    derived, written = found["proved"], found["off"]
    np.testing.assert_array_equal(np.isnan(derived), np.isnan(written))
    np.testing.assert_array_equal(np.isinf(derived), np.isinf(written))
    wide = MEANT[function](x[FINITE].astype(np.float64), v[FINITE].astype(np.float64))
    shown = derived[FINITE] if wide.ndim == 2 else derived[FINITE, 0]
    np.testing.assert_allclose(shown, wide, rtol=2e-5, atol=1e-6)
