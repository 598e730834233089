"""Ready-made operations, each written in the tile language like a user's own kernel.

In: arrays of NumPy, tensors of PyTorch, anything with DLPack.  Out: results of the same framework.
This module holds the public names and nothing else; importing it compiles nothing.
"""

from certile.ops.elementwise import gelu, silu
from certile.ops.losses import cross_entropy
from certile.ops.reductions import (
    argmax,
    argmin,
    logsumexp,
    max,  # noqa: A004 - operations have the names that NumPy gives them
    mean,
    min,  # noqa: A004 - NumPy's name
    min_max,
    sum,  # noqa: A004 - NumPy's name
)
from certile.ops.rows import l2_norm, layer_norm, log_softmax, rms_norm, softmax

__all__ = [
    "argmax",
    "argmin",
    "cross_entropy",
    "gelu",
    "l2_norm",
    "layer_norm",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "min",
    "min_max",
    "rms_norm",
    "silu",
    "softmax",
    "sum",
]
