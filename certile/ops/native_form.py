"""One operation of a framework: the forms in which it can be called.

In: callables.  Out: `NativeOp`, and operations that every framework puts together alike.  Leaves
which callable belongs to which operation to the table of each framework.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from certile.records import record

__all__ = ["NativeOp", "with_residual"]

Form = Callable[..., Any]


@record
class NativeOp:
    """A framework's own operation.

    `usual` takes the inputs in the order of `certile.ops`.  `given` takes them and, last, the
    output to fill; None where the framework has no such form.
    """

    usual: Form
    given: Form | None = None


def with_residual(norm: Form) -> NativeOp:
    """Return a norm of the sum of two arrays, which is a result of its own."""

    def usual(x: Any, residual: Any, *vectors: Any) -> Any:  # noqa: ANN401 - arrays of a framework
        h = x + residual
        return norm(h, *vectors), h

    return NativeOp(usual)
