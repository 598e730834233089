"""Normalised rows: RMS norm, layer norm, layer norm of a residual sum, group norm.

A parameter that may be left out is `None` by default; which of them are there is decided when the
kernel is compiled, so that nothing is tested while it runs.
"""

import numpy as np

import certile as ct


@ct.tile_kernel
def rms_norm(x: ct.View, weight: ct.View, y: ct.View, eps: float = 1e-6) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        mean_square = ct.reduce(v * v, cols, ct.add) / cols.extent
        y[r, cols] = v * ct.rsqrt(mean_square + eps) * weight[cols]


@ct.tile_kernel
def layer_norm(
    x: ct.View,
    y: ct.View,
    weight: ct.View | None = None,
    bias: ct.View | None = None,
    residual: ct.View | None = None,
    h: ct.View | None = None,
    eps: float = 1e-5,
) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        if residual is not None:
            v = v + residual[r, cols]
        if h is not None:
            h[r, cols] = v
        d = v - ct.reduce(v, cols, ct.add) / cols.extent
        variance = ct.reduce(d * d, cols, ct.add) / cols.extent
        n = d * ct.rsqrt(variance + eps)
        if weight is not None:
            n = n * weight[cols]
        if bias is not None:
            n = n + bias[cols]
        y[r, cols] = n


@ct.tile_kernel
def group_norm(x: ct.View, weight: ct.View, bias: ct.View, y: ct.View, eps: float = 1e-5) -> None:
    """Normalise x[example, group, …]; a group has several channels, each with its weight."""
    examples, groups = ct.axis("examples", x.shape[0]), ct.axis("groups", x.shape[1])
    channels, places = ct.axis("channels", x.shape[2]), ct.axis("places", x.shape[3])
    for e, g in ct.parallel(examples, groups):
        mean, variance = ct.reduce(x[e, g, channels, places], (channels, places), ct.mean_var)
        n = (x[e, g, channels, places] - mean) * ct.rsqrt(variance + eps)
        y[e, g, channels, places] = n * weight[g, channels] + bias[g, channels]


def main() -> None:
    random = np.random.default_rng(0)
    x, residual = (random.standard_normal((9, 769), dtype=np.float32) for _ in range(2))
    weight, bias = (random.standard_normal(769, dtype=np.float32) for _ in range(2))
    y, h = np.empty_like(x), np.empty_like(x)

    rms_norm(x, weight, y)
    wanted = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * weight
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)

    layer_norm(x, y, weight, bias, residual, h)
    d = h - h.mean(axis=1, keepdims=True)
    wanted = d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5) * weight + bias
    np.testing.assert_array_equal(h, x + residual)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)
    print("two forms of one kernel:", layer_norm.compilations, "compiled so far")

    layer_norm(x, y)
    print("without weight, bias and residual:", layer_norm.compilations)

    x, scale, shift = x[:8].reshape(2, 2, 2, 769), weight[:4], bias[:4]
    y = np.empty_like(x)
    group_norm(x, scale.reshape(2, 2), shift.reshape(2, 2), y)
    d = x - x.mean(axis=(2, 3), keepdims=True)
    wanted = d / np.sqrt((d * d).mean(axis=(2, 3), keepdims=True) + 1e-5)
    wanted = wanted * scale.reshape(2, 2, 1) + shift.reshape(2, 2, 1)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    main()
