"""Results for tensors that take part in automatic differentiation.

In: a result and the tensors it was computed from.  Out: the same elements as a tensor whose
backward step fails with a reason.  Decides that a gradient that is not computed is never taken for
zero.  Leaves gradients themselves to the integration of PyTorch.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from certile.diagnostics import UnsupportedError

Tensor = Any


def recorded(op: str, results: tuple[Tensor, ...], inputs: tuple[Tensor, ...]) -> tuple[Any, ...]:
    """Return the results, recorded as computed from `inputs` where gradients are on.

    Positions stay as they are: nothing is differentiated through them.
    """
    if not any(getattr(each, "requires_grad", False) for each in inputs):
        return results
    torch: Any = importlib.import_module("torch")
    if not torch.is_grad_enabled():
        return results
    apply = _function().apply
    return tuple(
        apply(op, result, *inputs) if result.is_floating_point() else result for result in results
    )


def detached(inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return the inputs, those that require gradients as tensors of the same elements without."""
    return tuple(
        each.detach() if getattr(each, "requires_grad", False) else each for each in inputs
    )


@functools.cache
def _function() -> Any:  # noqa: ANN401 - a class of PyTorch
    torch: Any = importlib.import_module("torch")

    class WithoutGradient(torch.autograd.Function):  # type: ignore[misc]  # of Any
        """Forward gives the result; backward says that there is no gradient."""

        @staticmethod
        def forward(ctx: Any, op: str, result: Tensor, *inputs: Tensor) -> Tensor:  # noqa: ANN401 - a class of PyTorch
            ctx.op = op
            return result.detach()

        @staticmethod
        def backward(ctx: Any, *gradients: Tensor) -> Tensor:  # noqa: ANN401 - a class of PyTorch
            raise UnsupportedError(
                "U503",
                f"{ctx.op} has no gradient in this version",
                hint="use the framework's own operation where gradients are needed",
            )

    return WithoutGradient
