"""The encoder's row operations: PyTorch's own, and certile kernels in their place.

In: float32 CPU tensors.  Out: the same.  Decides nothing; the two classes answer one protocol,
`minilm.RowOps`.  The kernels that `certile.ops` lacks are written here, as a user would.
"""

from __future__ import annotations

import torch

import certile as ct
from certile import ops


@ct.tile_kernel
def masked_softmax(scores: ct.View, mask: ct.View, y: ct.View, scale: ct.f32) -> None:
    """softmax(scores * scale + mask) over the keys, with no intermediate array."""
    batch, heads = ct.axis("batch", scores.shape[0]), ct.axis("heads", scores.shape[1])
    queries, keys = ct.axis("queries", scores.shape[2]), ct.axis("keys", scores.shape[3])
    for b, h, q in ct.parallel(batch, heads, queries):
        v = scores[b, h, q, keys] * scale + mask[b, keys]
        e = ct.exp(v - ct.reduce(v, keys, ct.maximum))
        y[b, h, q, keys] = e / ct.reduce(e, keys, ct.add)


@ct.tile_kernel
def mean_of_real(hidden: ct.View, real: ct.View, y: ct.View) -> None:
    """The mean of each feature over the real tokens of a sentence."""
    batch, features = ct.axis("batch", y.shape[0]), ct.axis("features", y.shape[1])
    tokens = ct.axis("tokens", hidden.shape[1])
    for b, f in ct.parallel(batch, features):
        weight = real[b, tokens]
        total = ct.reduce(hidden[b, tokens, f] * weight, tokens, ct.add)
        y[b, f] = total / ct.reduce(weight, tokens, ct.add)


class CertileOps:
    """The row operations as certile kernels."""

    name = "certile"

    def softmax(self, scores: torch.Tensor, mask: torch.Tensor, scale: float) -> torch.Tensor:
        # In place: each instance reads its whole row before it stores.
        masked_softmax(scores, mask, scores, scale)
        return scores

    def layer_norm(
        self, x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        y, _ = ops.layer_norm(x, weight, bias, eps=1e-12, residual=residual)
        return y

    def gelu(self, x: torch.Tensor) -> torch.Tensor:
        return ops.gelu(x, out=x)

    def pool(self, hidden: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        mean = torch.empty(hidden.shape[0], hidden.shape[2])
        mean_of_real(hidden, real, mean)
        return ops.l2_norm(mean, out=mean)


class TorchOps:
    """The same as PyTorch's own operations."""

    name = "torch"

    def softmax(self, scores: torch.Tensor, mask: torch.Tensor, scale: float) -> torch.Tensor:
        scores = scores.mul_(scale).add_(mask[:, None, None, :])
        return torch.softmax(scores, dim=-1)

    def layer_norm(
        self, x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x.add_(residual), weight.shape, weight, bias, 1e-12)

    def gelu(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(x)

    def pool(self, hidden: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        total = (hidden * real[..., None]).sum(dim=1)
        return torch.nn.functional.normalize(total / real.sum(dim=1, keepdim=True), dim=-1)
