"""What a race gives to an operation: arrays, options, and what comes back.

In: the name of an operation, a shape, an element type.  Out: made-up inputs, the call of
`certile.ops`, the float64 results, shapes and types of outputs.  Decides the usual form of each
operation: rows along the last axis, a weight and bias where norms have them.  Leaves measuring to
`certile.cli.bench.contest`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from certile import ops
from certile.cli.operations.oracles import ORACLES, group_norm, topk
from certile.diagnostics import ArgumentError
from certile.ir.array_types import numpy_dtype
from certile.ops.kernels import COMMAND_FORMS, SELECTED
from certile.records import record

__all__ = [
    "KNOWN",
    "SIZES",
    "Case",
    "Output",
    "expected",
    "footprint",
    "made_up",
    "native_options",
    "ours",
    "outputs",
    "traffic",
]

Array = np.ndarray[Any, Any]

SIZES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1, "i64": 8}
_FLOATS = ("f32", "f16", "bf16")
# Groups of channels of a group norm: its channels are axis 1 of the shape.
_GROUPS = 4
# Arrays of float64 that are alive while outputs are compared.
_COMPARED = 5

KNOWN = (*ORACLES, "group_norm", "topk", "residual_layer_norm", "residual_rms_norm")

# How many inputs of the first one's shape an operation has, and how many vectors along its columns.
_INPUTS = {
    "rms_norm": (1, 1),
    "layer_norm": (1, 2),
    "residual_layer_norm": (2, 2),
    "residual_rms_norm": (2, 1),
    "swiglu": (2, 0),
    "geglu": (2, 0),
    "norm_quantize": (1, 1),
}
_PER_ROW = (
    *("sum", "mean", "var", "std", "max", "min", "argmax", "argmin", "min_max", "logsumexp"),
    "cross_entropy",
)
_POSITIONS = ("argmax", "argmin")


@record
class Case:
    """What is measured: an operation, the shape of its first input, a dtype."""

    op: str
    shape: tuple[int, ...]
    dtype: str = "f32"

    @property
    def written_shape(self) -> str:
        """The shape as commands take it, such as 3x4096."""
        return "x".join(map(str, self.shape))

    def check(self) -> None:
        """Refuse a case that cannot be measured.

        Raises `ArgumentError` A308 for an operation that is none, A305 for a shape or dtype.
        """
        if self.op not in KNOWN:
            message = f"{self.op} is no operation that can be measured"
            listed = ", ".join(name for name in KNOWN if name not in COMMAND_FORMS)
            forms = ", ".join(name for name in KNOWN if name in COMMAND_FORMS)
            hint = f"use {listed}; or {forms}, forms of these that only commands take"
            raise ArgumentError("A308", message, hint=hint)
        if self.dtype not in _FLOATS:
            raise ArgumentError("A305", f"bench measures f32, f16 and bf16, not {self.dtype}")
        if len(self.shape) < 2 or not math.prod(self.shape):
            message = f"bench measures rows of elements, not shape {self.shape}"
            raise ArgumentError("A305", message, hint="use two or more extents, all above 0")
        if self.op == "rope" and self.shape[-1] % 2:
            raise ArgumentError("A305", f"rope turns pairs, and {self.shape[-1]} is odd")
        if self.op == "topk" and self.shape[-1] < SELECTED:
            message = f"bench selects {SELECTED} of a row, not of {self.shape[-1]} elements"
            raise ArgumentError("A305", message)
        if self.op == "group_norm" and self.shape[1] % _GROUPS:
            message = f"bench makes {_GROUPS} groups of channels, axis 1, not of {self.shape[1]}"
            raise ArgumentError("A305", message)


@record
class Output:
    """One result of a case."""

    shape: tuple[int, ...]
    dtype: str


def ours(op: str) -> Callable[..., Any]:
    """Return certile's operation under the name of a case."""
    match op:
        case "residual_layer_norm":
            return lambda x, r, w, b, **more: ops.layer_norm(x, w, b, residual=r, **more)
        case "residual_rms_norm":
            return lambda x, r, w, **more: ops.rms_norm(x, w, residual=r, **more)
        case "gelu_tanh":
            return partial(ops.gelu, approximate="tanh")
        case "minmax":
            return ours("min_max")
        case "cross_entropy":
            return partial(ops.cross_entropy, reduction="none")
        case "group_norm":
            return partial(ops.group_norm, num_groups=_GROUPS)
        case "topk":
            return partial(ops.topk, k=SELECTED)
        case "var" | "std":
            return partial(getattr(ops, op), axis=-1, correction=0)
        case _ if op in _PER_ROW:
            return partial(getattr(ops, op), axis=-1)
        case _:
            found: Callable[..., Any] = getattr(ops, op)
            return found


def native_options(op: str) -> tuple[Any, ...]:
    """Return what a framework's own form takes after the arrays."""
    return {"group_norm": (_GROUPS,), "topk": (SELECTED,)}.get(op, ())


def expected(op: str, inputs: Sequence[Array], dtype: str = "f32") -> tuple[Array, ...]:
    """Return the results in float64; a residual sum is rounded to `dtype` before it is used."""
    wide = [each.astype(np.float64) if each.dtype.kind == "f" else each for each in inputs]
    if op == "group_norm":
        return group_norm(wide[0], _GROUPS)
    if op == "topk":
        return topk(wide[0], SELECTED)
    if not op.startswith("residual_"):
        return ORACLES[op](*wide)
    x, residual, *vectors = wide
    storage = numpy_dtype(dtype)
    h = (x + residual).astype(np.float32).astype(storage).astype(np.float64)
    return (*ORACLES[op.removeprefix("residual_")](h, *vectors), h)


def made_up(case: Case) -> list[Array]:
    """Return random inputs as f32, and labels and indices as i64."""
    random = np.random.default_rng(7)
    rows, vectors = _INPUTS.get(case.op, (1, 0))
    made: list[Array] = [random.standard_normal(case.shape, dtype=np.float32) for _ in range(rows)]
    made += [random.standard_normal(case.shape[-1:], dtype=np.float32) for _ in range(vectors)]
    if case.op == "cross_entropy":
        made.append(random.integers(0, case.shape[-1], case.shape[:-1], dtype=np.int64))
    if case.op == "embedding":
        count = math.prod(case.shape[:-1])
        made = [made[0].reshape(count, case.shape[-1])]
        made.append(random.integers(0, count, case.shape[:-1], dtype=np.int64))
    if case.op == "rope":
        angles = random.uniform(0, 6, (case.shape[-2], case.shape[-1] // 2))
        made += [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
    return made


def outputs(case: Case) -> tuple[Output, ...]:
    """Return shapes and dtypes of the results."""
    rows = case.shape[:-1]
    if case.op in ("quantize_rows", "norm_quantize"):
        return Output(case.shape, "i8"), Output(rows, "f32")
    if case.op == "topk":
        selected = (*rows, SELECTED)
        return Output(selected, case.dtype), Output(selected, "i64")
    if case.op in _POSITIONS:
        return (Output(rows, "i64"),)
    if case.op in _PER_ROW:
        return (Output(rows, case.dtype),) * (2 if case.op == "min_max" else 1)
    return (Output(case.shape, case.dtype),) * (2 if case.op.startswith("residual_") else 1)


def footprint(case: Case) -> int:
    """Return about how many bytes a race of a case allocates.

    Two sets of inputs, outputs and the target of a copy; one input as f32 that they are made from;
    and float64 numbers that outputs are compared with, a few for each element.
    """
    inputs = _INPUTS.get(case.op, (1, 0))[0]
    whole = sum(output.shape == case.shape for output in outputs(case))
    of_sets = 2 * (inputs + whole + 1) * SIZES[case.dtype]
    return math.prod(case.shape) * (of_sets + 4 * inputs + _COMPARED * 8)


def traffic(case: Case, inputs: Sequence[Array]) -> int:
    """Return the bytes that have to be read and written at least."""
    size = SIZES[case.dtype]
    read = sum(each.size * (size if each.dtype.kind == "f" else each.itemsize) for each in inputs)
    return read + sum(math.prod(each.shape) * SIZES[each.dtype] for each in outputs(case))
