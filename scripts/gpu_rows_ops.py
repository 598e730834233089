"""The row operations that `gpu_rows.py` measures: kernel, arguments, torch's own form, oracle.

In: a shape and a dtype.  Out: tensors on the default device and functions over them.  Decides the
data (normal values, random labels) and what counts as the same operation.  Leaves plans, launches
and clocks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch.nn import functional

from certile.ops.kernels.elementwise import gelu_kernel, silu_kernel
from certile.ops.kernels.losses import cross_entropy_kernel
from certile.ops.kernels.reductions import (
    argmax_kernel,
    logsumexp_kernel,
    max_kernel,
    sum_kernel,
)
from certile.ops.kernels.rows import (
    layer_norm_kernel,
    log_softmax_kernel,
    rms_norm_kernel,
    softmax_kernel,
)
from certile.runtime.kernel import TileKernel

Tensors = dict[str, torch.Tensor]
EPS = 1e-5


@dataclass(frozen=True)
class Op:
    """One operation.  `make` gives inputs, `native` torch's result, in the order of `outputs`.

    `exact` is the float64 result; without it `native` of float64 tensors is.  `scale` says how
    large the leaves of the operation are, for the rounding bound; without it the result does.
    """

    kernel: TileKernel
    make: Callable[[int, int, torch.dtype], Tensors]
    native: Callable[[Mapping[str, torch.Tensor]], tuple[torch.Tensor, ...]]
    outputs: tuple[str, ...] = ("y",)
    numbers: Mapping[str, float] | None = None
    result: torch.dtype | None = None
    scale: Callable[[Mapping[str, torch.Tensor]], torch.Tensor] | None = None
    exact: Callable[[Mapping[str, torch.Tensor]], tuple[torch.Tensor, ...]] | None = None

    def oracle(self, tensors: Mapping[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """The results in float64, from tensors of the case's dtype."""
        return self.native(doubled(tensors)) if self.exact is None else self.exact(tensors)


def doubled(tensors: Mapping[str, torch.Tensor]) -> Tensors:
    """Floating tensors as float64, others as they are."""
    return {k: t.double() if t.is_floating_point() else t for k, t in tensors.items()}


def _matrix(rows: int, columns: int, dtype: torch.dtype) -> Tensors:
    return {"x": torch.randn(rows, columns, dtype=torch.float32).to(dtype)}


def _with(*names: str) -> Callable[[int, int, torch.dtype], Tensors]:
    """A matrix, and vectors along its columns or (residual) another matrix."""

    def make(rows: int, columns: int, dtype: torch.dtype) -> Tensors:
        tensors = _matrix(rows, columns, dtype)
        for name in names:
            shape = (rows, columns) if name == "residual" else (columns,)
            tensors[name] = torch.randn(*shape).to(dtype)
        return tensors

    return make


def _labelled(rows: int, columns: int, dtype: torch.dtype) -> Tensors:
    return {
        "logits": _matrix(rows, columns, dtype)["x"],
        "labels": torch.randint(columns, (rows,)),
    }


def _shape(t: Mapping[str, torch.Tensor]) -> tuple[int]:
    return (t["x"].shape[1],)


def _added(t: Mapping[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    h = t["x"] + t["residual"]
    return functional.rms_norm(h, _shape(t), t["weight"], EPS), h


def _added_exactly(t: Mapping[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """The sum is rounded to the row's dtype before it is normalised: that is what `h` holds."""
    h = (t["x"] + t["residual"]).double()
    return functional.rms_norm(h, _shape(t), t["weight"].double(), EPS), h


OPS: dict[str, Op] = {
    "softmax": Op(softmax_kernel, _matrix, lambda t: (torch.softmax(t["x"], -1),)),
    "log_softmax": Op(log_softmax_kernel, _matrix, lambda t: (torch.log_softmax(t["x"], -1),)),
    "rms_norm": Op(
        rms_norm_kernel,
        _with("weight"),
        lambda t: (functional.rms_norm(t["x"], _shape(t), t["weight"], EPS),),
        numbers={"eps": EPS},
    ),
    "layer_norm": Op(
        layer_norm_kernel,
        _with("weight", "bias"),
        lambda t: (functional.layer_norm(t["x"], _shape(t), t["weight"], t["bias"], EPS),),
        numbers={"eps": EPS},
    ),
    "residual rms_norm": Op(
        rms_norm_kernel,
        _with("weight", "residual"),
        _added,
        exact=_added_exactly,
        outputs=("y", "h"),
        numbers={"eps": EPS},
    ),
    "logsumexp": Op(logsumexp_kernel, _matrix, lambda t: (torch.logsumexp(t["x"], -1),)),
    "sum": Op(
        sum_kernel,
        _matrix,
        lambda t: (t["x"].sum(-1),),
        scale=lambda t: t["x"].abs().sum(-1),
    ),
    "max": Op(max_kernel, _matrix, lambda t: (t["x"].amax(-1),)),
    "argmax": Op(argmax_kernel, _matrix, lambda t: (t["x"].argmax(-1),), result=torch.int64),
    "cross_entropy": Op(
        cross_entropy_kernel,
        _labelled,
        lambda t: (functional.cross_entropy(t["logits"], t["labels"], reduction="none"),),
        outputs=("loss",),
    ),
    "gelu": Op(gelu_kernel, _matrix, lambda t: (functional.gelu(t["x"]),)),
    "silu": Op(silu_kernel, _matrix, lambda t: (functional.silu(t["x"]),)),
}
