"""A program as written and as rewritten: how tests make both, run both and look inside.

`Pair` holds the two kernels for arrays of one shape.  `watched` adds outputs that say which rows
were computed again and which components of the folded state were not finite.
"""

from dataclasses import dataclass, replace

import numpy as np

from certile.ir.dtypes import bool_
from certile.ir.terms import Apply
from certile.ir.tile import Fallback, LoopIndex, Reduce, Result, Store, View
from certile.ir.walk import parallel_regions, specialise, values
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.rounding.depth import depths
from certile.reference.agrees import agrees
from certile.reference.tile import run
from certile.search.regions import derived
from tests.differential.harness import HOST_SHEET, SHEETS, Case

AS_WRITTEN = Options(policy="analytic")
# One subgroup a row or four, packs, wider lanes, unrolling.
WAYS = (
    Mapping("subgroup", 1, 1, 1),
    Mapping("subgroup", 4, 1, 1),
    Mapping("subgroup", 1, 3, 2),
    Mapping("subgroup", 4, 1, 4, 2),
)


@dataclass(frozen=True)
class Pair:
    """A specialised kernel, what became of it, and why the rest of it stays."""

    before: object
    rewrite: object
    refusals: tuple

    @property
    def after(self):
        return self.rewrite.kernel


def pair(kernel, shapes):
    """The kernel for these shapes and its rewriting, if there is one."""
    made = specialise(kernel, shapes)
    (region,) = parallel_regions(made)
    found = derived(made, region)
    return Pair(made, found.rewrite, found.refusals)


def fallbacks(kernel):
    """The fallbacks of a kernel, in the order in which they are met."""
    return [at for at in values(kernel) if isinstance(at, Fallback)]


def folded(fallback):
    """The reduction that a fallback's values are results of, or the greatest along some axes."""
    results = (v.args[0] if isinstance(v, Reduce) else v for v in fallback.values)
    (made,) = {result.of for result in results}
    assert isinstance(made, Reduce)
    return made


@dataclass(frozen=True)
class Ran:
    """What a run left in the outputs, and the trees that it folded in."""

    outputs: dict
    depths: dict

    def __getitem__(self, name):
        return self.outputs[name]


def by_interpreter(kernel, given):
    """What the interpreter leaves; its sums are better than those of any plan."""
    copies = {n: a.copy() if isinstance(a, np.ndarray) else a for n, a in given.items()}
    run(kernel, copies)
    case = Case(kernel, given)
    (region,) = case.regions
    plan = case.plan(region, HOST_SHEET, options=AS_WRITTEN)
    return Ran({view.name: copies[view.name] for view in kernel.outputs}, depths(plan))


def on_machine(kernel, given, mapping, sheet="metal"):
    """What a mapping leaves, by the interpreter of Machine IR; None where it is not legal."""
    case = Case(kernel, given).copy()
    lowered = case.lower(SHEETS[sheet], mapping, options=AS_WRITTEN)
    if lowered is None:
        return None
    for report in case.run_machine(lowered):
        assert report.ok, report
    return Ran(case.outputs(), depths(lowered[0][0]))


def on_cpu(kernel, given, mapping=None):
    """What compiled code leaves."""
    case = Case(kernel, given).copy()
    lowered = case.lower(HOST_SHEET, mapping, options=AS_WRITTEN)
    case.run_cpu(lowered)
    return Ran(case.outputs(), depths(lowered[0][0]))


def judge(ran, before, given, what):
    """The outputs are ones that the program as written allows.

    They are within its bound for trees of any shape, as most are; or within that of the trees that
    they were folded in, where one is stated.
    """
    outputs = {view.name: ran[view.name] for view in before.outputs}
    plain = agrees(outputs, before, given)
    if plain:
        return plain
    found = agrees(outputs, before, given, ran.depths)
    assert found, (what, found.worst)
    assert found.unchecked < found.elements, (what, plain.worst)
    return found


def tests(law):
    """The tests of a derived law, of which its last result is the conjunction."""
    found, left = [], law.finalize[-1]
    while isinstance(left, Apply) and left.fn == "bit_and":
        left, last = left.args
        found.insert(0, last)
    return [left, *found]


def watched(kernel):
    """The kernel with more outputs: `again`, a flag a row, and `finite0`, … one a test.

    `again` is the condition of the one fallback; `finiteK` whether test K of the law is met.
    """
    (fallback,) = fallbacks(kernel)
    fold = folded(fallback)
    names = tests(fold.law)
    law = replace(fold.law, finalize=tuple(names), results=("bool",) * len(names))
    parts = fold.with_(law=law, type=replace(fold.type, dtype=bool_))
    flags = {"again": fallback.when}
    for k in range(len(names)):
        flags[f"finite{k}"] = (
            parts if len(names) == 1 else Result(of=parts, index=k, type=parts.type)
        )
    (region,) = parallel_regions(kernel)
    (rows,) = region.over
    views = {name: View(name, bool_, 1) for name in flags}
    stores = tuple(
        Store(buffer=views[name], indices=(LoopIndex(axis=rows),), value=value, mask=None)
        for name, value in flags.items()
    )
    longer = region.with_(body=(*region.body, *stores))
    body = tuple(longer if step is region else step for step in kernel.body)
    return replace(kernel, params=(*kernel.params, *views.values()), body=body)


def with_flags(kernel, given):
    """Arguments of a watched kernel."""
    rows = given["x"].shape[0]
    names = [view.name for view in kernel.views if view.name not in given]
    return {**given, **{name: np.zeros(rows, np.bool_) for name in names}}
