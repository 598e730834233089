"""Small row programs for the tests of the analyses."""

from certile.analysis.rows import analyse
from certile.diagnostics import Refusal
from certile.ir.build import Builder
from certile.ir.laws import Component, Law
from certile.ir.terms import Var, app
from certile.ir.walk import parallel_regions

N = 96
# A law without an identity.
SUBTRACT = Law(
    name="subtract",
    state=(Component("s"),),
    identity=None,
    lift=(Var("x"),),
    merge=(app("sub", "a.s", "b.s"),),
    finalize=(Var("s"),),
)


def analysed(kernel, **options):
    """Analyse the first launch of a kernel whose extents are static."""
    return analyse(kernel, parallel_regions(kernel)[0], **options)


def rows_of(kernel, **options):
    """The row program; the test fails when it is refused."""
    found = analysed(kernel, **options)
    assert not isinstance(found, Refusal), found
    return found


def refusal_of(kernel, **options):
    """The refusal; the test fails when the program is admitted."""
    found = analysed(kernel, **options)
    assert isinstance(found, Refusal), [step.kind for step in found.steps]
    return found


class Row(Builder):
    """A builder with the views and axes most programs need: x, y (P, N) and s (P)."""

    def __init__(self, programs=8, width=N):
        super().__init__("row")
        self.rows, self.cols = self.axis("rows", programs), self.axis("cols", width)
        self.x, self.y = self.view("x", rank=2), self.view("y", rank=2)
        self.s = self.view("s", rank=1)

    def row(self, view=None):
        """Load the instance's row."""
        return self.load(view or self.x, self.rows, self.cols)


def kinds(steps):
    """The kinds of steps, loops as lists."""
    return [kinds(step.body) if step.kind == "serial" else step.kind for step in steps]
