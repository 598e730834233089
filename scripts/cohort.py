"""The cohort: twenty-four row programs whose plans and texts are filed, checked and measured.

In: nothing.  Out: `PROGRAMS`; each compiles for a sheet, makes up its inputs, and knows what its
result is in float64.  Decides the operations, their forms and the shapes.  Leaves files to
`write_cohort.py` and clocks to `gpu_cohort.py`.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from certile.cli.operations.forms import Case, expected, made_up
from certile.cli.subject import facts_of
from certile.ops.kernels import Bare, bare
from certile.pipeline import CompiledLaunch, compile_program
from certile.plan.options import Options
from certile.plan.record import GroupPlan
from certile.targets.sheet import Sheet

__all__ = ["PROGRAMS", "Program", "described"]

Array = np.ndarray[Any, Any]

_SHAPES = ((1, 127), (17, 257), (128, 1024), (64, 4096))
# What the float64 results take for the small number under a root.
_EPS = {"rms_norm": 1e-6}
# The name of a program's file: the operation, its optional views, its inputs in order, its output.
_FORMS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], str]] = {
    "sum": ("sum", (), ("x",), "y"),
    "softmax": ("softmax", (), ("x",), "y"),
    "rmsnorm": ("rms_norm", ("weight",), ("x", "weight"), "y"),
    "layernorm": ("layer_norm", ("weight", "bias"), ("x", "weight", "bias"), "y"),
    "residual-layernorm": (
        "residual_layer_norm",
        ("weight", "bias"),
        ("x", "residual", "weight", "bias"),
        "y",
    ),
    "cross-entropy": ("cross_entropy", (), ("logits", "labels"), "loss"),
}


@dataclass(frozen=True)
class Program:
    """One operation at one shape, in single precision."""

    form: str
    rows: int
    columns: int

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"{self.form}-{self.rows}x{self.columns}"

    @property
    def op(self) -> str:
        return _FORMS[self.form][0]

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    @property
    def output(self) -> str:
        """The name of the view that holds the result."""
        return _FORMS[self.form][3]

    @property
    def eps(self) -> float:
        """The small number under the root of a norm."""
        return _EPS.get(self.op, 1e-5)

    def bare(self) -> Bare:
        """The kernel, specialised to the shape."""
        return bare(self.op, self.shape, "f32", **dict.fromkeys(_FORMS[self.form][1], True))

    def compiled(self, sheet: Sheet, options: Options | None = None) -> CompiledLaunch:
        """The one launch under the default plan, or under options."""
        made = self.bare()
        facts = facts_of(made.kernel, made.shapes)
        chosen = Options() if options is None else options
        (launch,) = compile_program(made.kernel, facts, made.programs, sheet, chosen).launches
        return launch

    def arguments(self) -> dict[str, Array]:
        """Made-up inputs by name, and the output, which starts as NaN."""
        made = self.bare()
        inputs = made_up(Case(self.op, self.shape))
        named = dict(zip(_FORMS[self.form][2], inputs, strict=True))
        return named | {self.output: np.full(made.shapes[self.output], np.nan, np.float32)}

    def scalars(self, launch: CompiledLaunch) -> list[bool | int | float]:
        """The values of the launch's scalars for C-ordered arrays."""
        made = self.bare()

        def stride(view: str, dim: int) -> int:
            return int(np.prod(made.shapes[view][dim + 1 :], dtype=np.int64))

        return [
            source.evaluate(
                lambda view, dim: made.shapes[view][dim], stride, {"eps": self.eps}.__getitem__
            )
            for source in launch.launch.scalars
        ]

    def error(self, arguments: Mapping[str, Array]) -> float:
        """The worst distance of the output from float64, in units of what rounding allows.

        That is one rounding of the result, and 8 sqrt(depth) roundings at the size of what a row
        adds up: its elements for a sum, the largest result of the row for others.
        """
        inputs = [arguments[name] for name in _FORMS[self.form][2]]
        want = expected(self.op, inputs)[0]
        found = arguments[self.output].astype(np.float64)
        match self.form:
            case "sum":
                size = np.abs(inputs[0]).sum(axis=1, dtype=np.float64)
            case "cross-entropy":
                size = np.abs(want) + np.abs(inputs[0]).max(axis=1)
            case _:
                size = np.abs(want).max(axis=1, keepdims=True)
        depth = sqrt(self.columns / 32 + 16)
        bound = 2.0**-24 * (1.01 * np.abs(want) + 8 * depth * size)
        worst = np.nan_to_num(np.abs(found - want) / bound, nan=np.inf)
        return float(worst.max())


def described(plan: GroupPlan) -> str:
    """The mapping of a plan and what it keeps."""
    mapping = plan.mapping
    if mapping is None or mapping.family == "reference":
        return "reference map"
    sizes = f"S{mapping.subgroups_per_program} Q{mapping.programs_per_group}"
    wide = f"V{mapping.lane_elements}{' phase' if mapping.phase else ''}"
    return f"{sizes} {wide} {plan.materialization}{' cached' if plan.cache_inputs else ''}"


PROGRAMS = tuple(Program(form, *shape) for form in _FORMS for shape in _SHAPES)
