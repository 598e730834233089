"""Ready-made operations, each written in the tile language like a user's own kernel.

In: arrays of NumPy, tensors of PyTorch, anything with DLPack.  Out: results of the same framework.
This module holds the public names and nothing else; importing it compiles nothing.
"""

from certile.ops.elementwise import geglu, gelu, silu, swiglu
from certile.ops.embeddings import embedding, rope
from certile.ops.losses import cross_entropy
from certile.ops.norms import group_norm, layer_norm, rms_norm
from certile.ops.quantize import norm_quantize, quantize_rows
from certile.ops.reductions import (
    argmax,
    argmin,
    logsumexp,
    max,  # noqa: A004 - operations have the names that NumPy gives them
    mean,
    min,  # noqa: A004 - NumPy's name
    min_max,
    std,
    sum,  # noqa: A004 - NumPy's name
    var,
)
from certile.ops.rows import l2_norm, log_softmax, softmax
from certile.ops.scans import cummax, cumsum, topk

__all__ = [
    "argmax",
    "argmin",
    "cross_entropy",
    "cummax",
    "cumsum",
    "embedding",
    "geglu",
    "gelu",
    "group_norm",
    "l2_norm",
    "layer_norm",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "min",
    "min_max",
    "norm_quantize",
    "quantize_rows",
    "rms_norm",
    "rope",
    "silu",
    "softmax",
    "std",
    "sum",
    "swiglu",
    "topk",
    "var",
]
