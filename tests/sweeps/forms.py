"""The bare forms of the operations: compiled for a target, run as Metal text, judged.

A form is an operation at a length in an element type, on five rows.  Many forms share one
translation unit, because clang's start is most of what a small kernel costs.
"""

from dataclasses import dataclass, field

import numpy as np

from certile.cli.subject import facts_of
from certile.ir.tile import Scalar
from certile.metalsim import Library
from certile.ops.kernels import BARE_OPS, bare
from certile.pipeline import compile_program
from certile.plan.rounding.depth import depths
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from certile.reference.probes import index_ranges
from certile.targets.metal import METAL
from tests.metal_units import launched, unit

# The last leaves a tail and is aligned for wide accesses.
LENGTHS = (1, 31, 33, 257, 1025, 4100)
DTYPES = ("f32", "bf16", "f16")
ROWS = 5
# The second is another name of the first.
OPS = tuple(op for op in BARE_OPS if op != "minmax")


@dataclass(frozen=True)
class Form:
    """One operation at one length in one element type."""

    op: str
    length: int
    dtype: str
    made: object = field(init=False, compare=False)

    def __post_init__(self):
        # A rotation has pairs of columns: one for each element of another operation's row.
        columns = 2 * self.length if self.op == "rope" else self.length
        object.__setattr__(self, "made", bare(self.op, (ROWS, columns), self.dtype))

    def __str__(self):
        return f"{self.op}-{self.length}-{self.dtype}"

    def compiled(self, sheet):
        """The launches under the plan that is chosen by default."""
        facts = facts_of(self.made.kernel, self.made.shapes)
        return compile_program(self.made.kernel, facts, self.made.programs, sheet).launches

    def arguments(self):
        """Normal values with a NaN in row 1 and -inf all over row 2; outputs start as NaN or -1."""
        rng = np.random.default_rng(self.length)
        ranges = index_ranges(self.made.kernel, self.made.shapes)
        given = {}
        for view in self.made.kernel.views:
            shape = self.made.shapes[view.name]
            if not view.dtype.is_float:
                given[view.name] = rng.integers(0, max(ranges.get(view.name, 1), 1), shape)
                continue
            given[view.name] = rng.standard_normal(shape).astype(storage(view.dtype))
        real = next(view for view in self.made.kernel.inputs if view.dtype.is_float)
        first = given[real.name]
        first[1, self.length // 2] = np.nan
        first[2] = -np.inf
        for view in self.made.kernel.outputs:
            given[view.name] = np.full(
                self.made.shapes[view.name],
                np.nan if view.dtype.is_float else -1,
                storage(view.dtype),
            )
        scalars = [p.name for p in self.made.kernel.params if isinstance(p, Scalar)]
        return given | {name: self.made.arguments[name] for name in scalars}


class MetalForms:
    """Forms as one Metal text, compiled for checked runs."""

    def __init__(self, forms):
        self.launches = {form: form.compiled(METAL) for form in forms}
        artifacts = [each.artifact for made in self.launches.values() for each in made]
        self.library = Library(unit(artifacts), "checked")

    def run(self, form, arguments, seed=0):
        """Launch on the arrays, which change in place; return the reports."""
        return [self._launched(form, each, arguments, seed) for each in self.launches[form]]

    def _launched(self, form, each, arguments, seed):
        kernel = self.library.kernel(each.artifact.entry)
        return launched(kernel, each, form.made.shapes, arguments, seed)

    def check(self, form, seed=0):
        """Run without a finding, and agree with Tile IR within the envelope of the plan's trees."""
        before = form.arguments()
        after = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in before.items()}
        for report in self.run(form, after, seed):
            assert report.ok, f"{form}\n{report}"
        found = self.judge(form, before, after)
        assert found, f"{form}: {found.worst}"
        # The rows with NaN and -inf may be free; the others are not.
        assert found.unchecked <= found.elements // ROWS * 2, form

    def judge(self, form, before, after):
        (launch,) = self.launches[form]
        results = {view.name: after[view.name] for view in form.made.kernel.outputs}
        return agrees(results, form.made.kernel, before, depths(launch.plan))
