"""Every ready-made operation, beside PyTorch or NumPy."""

import numpy as np
import torch
from torch.nn import functional

from certile import ops

rng = np.random.default_rng(0)
x, gate = rng.standard_normal((2, 6, 32), dtype=np.float32)
weight, bias = rng.standard_normal((2, 32), dtype=np.float32)
# The other side computes in double precision.
wide_x, wide_gate, wide_weight, wide_bias = (
    torch.from_numpy(v).double() for v in (x, gate, weight, bias)
)


def near(result, wanted):
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


near(ops.sum(x, axis=1), x.sum(axis=1))
near(ops.mean(x, axis=0, keepdims=True), x.mean(axis=0, keepdims=True))
near(ops.var(x), x.var())
near(ops.std(x, axis=1, correction=1), x.std(axis=1, ddof=1))
near(ops.max(x, axis=1), x.max(axis=1))
near(ops.min(x, axis=1), x.min(axis=1))
near(ops.min_max(x, axis=1), (x.min(axis=1), x.max(axis=1)))
near(ops.argmax(x, axis=1), x.argmax(axis=1))
near(ops.argmin(x, axis=1), x.argmin(axis=1))
near(ops.cumsum(x), np.cumsum(x, axis=1))
near(ops.cummax(x), np.maximum.accumulate(x, axis=1))
near(ops.topk(x, 3)[0], np.sort(x, axis=1)[:, :-4:-1])

near(ops.softmax(x), torch.softmax(wide_x, -1))
near(ops.log_softmax(x, axis=0), torch.log_softmax(wide_x, 0))
near(ops.logsumexp(x), torch.logsumexp(wide_x, -1))
labels = rng.integers(0, 32, 6)
near(ops.cross_entropy(x, labels), functional.cross_entropy(wide_x, torch.from_numpy(labels)))

near(ops.layer_norm(x, weight, bias), functional.layer_norm(wide_x, (32,), wide_weight, wide_bias))
near(ops.rms_norm(x, weight), functional.rms_norm(wide_x, (32,), wide_weight, eps=1e-6))
near(ops.l2_norm(x), functional.normalize(wide_x, dim=-1))
near(ops.group_norm(x.reshape(2, 6, 16), 3), functional.group_norm(wide_x.reshape(2, 6, 16), 3))

near(ops.gelu(x), functional.gelu(wide_x))
near(ops.silu(x), functional.silu(wide_x))
near(ops.swiglu(gate, x), functional.silu(wide_gate) * wide_x)
near(ops.geglu(gate, x), functional.gelu(wide_gate) * wide_x)

near(ops.embedding(x, np.array([5, 0])), x[[5, 0]])
angles = np.arange(6)[:, None] / 10.0 ** np.linspace(0, 4, 16)
cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
low, high = x[:, :16], x[:, 16:]
near(ops.rope(x, cos, sin), np.hstack([low * cos - high * sin, high * cos + low * sin]))

codes, scale = ops.quantize_rows(x)
assert codes.dtype == np.int8
assert np.abs(codes * scale.reshape(6, 1) - x).max() <= 0.501 * scale.max()
again, _ = ops.norm_quantize(x, weight)
apart = again.astype(int) - ops.quantize_rows(ops.rms_norm(x, weight))[0]
assert np.abs(apart).max() <= 1
print(len(ops.__all__), "operations agree")
