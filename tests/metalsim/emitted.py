"""Emitted kernels at chosen plans, faults seeded into their text, and probes that show them.

A fault is a change of the emitted text.  The texts of all faults of a subject are one translation
unit, because clang's start is most of what a small kernel costs.
"""

import functools
import re
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from certile.cli.subject import facts_of
from certile.ir.tile import Scalar
from certile.ir.walk import specialise
from certile.metalsim import Library
from certile.ops.kernels import bare
from certile.pipeline import compile_program
from certile.plan.options import Options
from certile.plan.rounding.depth import depths
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from certile.reference.probes import exact_probes, index_ranges, one_hot_probes, thresholds
from certile.targets.metal import METAL
from tests.groups.programs import normalised_rows
from tests.metal_units import launched

_PADDING = -7


@dataclass(frozen=True)
class Subject:
    """An operation on rows under a plan; `shape` is that of one row program's input."""

    op: str
    rows: int
    length: int
    options: tuple[tuple[str, object], ...]

    @functools.cached_property
    def made(self):
        """The operation's kernel and shapes."""
        return bare(self.op, (self.rows, self.length), "f32")

    @functools.cached_property
    def compiled(self):
        """The one launch."""
        facts = facts_of(self.made.kernel, self.made.shapes)
        options = Options(policy="analytic", **dict(self.options))
        (launch,) = compile_program(
            self.made.kernel, facts, self.made.programs, METAL, options
        ).launches
        return launch

    @functools.cached_property
    def probes(self):
        """Arguments by name of the probe: exact, one-hot, normal, far from zero, outside."""
        kernel, shapes = self.made.kernel, self.made.shapes
        edges = thresholds(self.length, 32, 64, 128)
        found = {p.name: dict(p.arguments) for p in exact_probes(kernel, shapes)}
        found |= {p.name: dict(p.arguments) for p in one_hot_probes(kernel, shapes, edges)}
        found["normal"] = self._normal(1.0, 0.0)
        found["below zero"] = self._normal(1.0, -300.0)
        found["above zero"] = self._normal(1.0, 300.0)
        if ranges := index_ranges(kernel, shapes):
            outside = self._normal(1.0, 0.0)
            for name in ranges:
                outside[name][:] = np.resize([self.length, -1, -(1 << 40)], self.rows)
            found["outside"] = outside
        for arguments in found.values():
            for view in kernel.outputs:
                blank = np.nan if view.dtype.is_float else _PADDING
                arguments[view.name] = np.full(shapes[view.name], blank, storage(view.dtype))
        return found

    def _normal(self, scale, shift):
        rng = np.random.default_rng(self.length)
        ranges = index_ranges(self.made.kernel, self.made.shapes)
        found = {p.name: 1e-3 for p in self.made.kernel.params if isinstance(p, Scalar)}
        for view in self.made.kernel.views:
            shape = self.made.shapes[view.name]
            if view.name in ranges:
                found[view.name] = rng.integers(0, ranges[view.name], shape)
            else:
                drawn = scale * rng.standard_normal(shape) + shift
                found[view.name] = drawn.astype(storage(view.dtype))
        return found

    def run(self, kernel, probe):
        """Launch a kernel of this signature on a probe; return the report and the agreement."""
        before = self.probes[probe]
        after = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in before.items()}
        report = launched(kernel, self.compiled, self.made.shapes, after)
        if not report.ok:
            return report, None
        results = {view.name: after[view.name] for view in self.made.kernel.outputs}
        return report, agrees(results, self.made.kernel, before, depths(self.compiled.plan))


class GroupSubject(Subject):
    """A program that a group runs: the rows of a matrix normalised, an outer row a matrix."""

    inner = 5

    @functools.cached_property
    def made(self):
        """The program and its shapes."""
        matrix = (self.rows, self.inner, self.length)
        shapes = {"x": matrix, "y": matrix, "s": matrix[:2]}
        kernel = specialise(normalised_rows(), shapes)
        return SimpleNamespace(kernel=kernel, shapes=shapes, programs=(self.rows,))


@dataclass(frozen=True)
class Fault:
    """A change of the emitted text, and how it shows: a category of findings, or `numbers`.

    `pattern` is a regular expression; `number` says which of its places in the kernel changes, and
    None that all do.
    """

    name: str
    shows: str
    pattern: str = field(repr=False)
    replacement: str = field(repr=False)
    number: int | None = 0

    def seeded(self, text):
        """Return the kernel's text with the fault; it must change something."""
        places = list(re.finditer(self.pattern, text))
        assert places, f"{self.name}: nothing matches {self.pattern!r} in\n{text}"
        chosen = places if self.number is None else [places[self.number]]
        for place in reversed(chosen):
            changed = place.expand(self.replacement)
            assert changed != place.group(), f"{self.name} changes nothing"
            text = text[: place.start()] + changed + text[place.end() :]
        return text


class Seeded:
    """One subject's kernel as emitted and with each of its faults, as one library."""

    def __init__(self, subject, faults):
        self.subject = subject
        artifact = subject.compiled.artifact
        _, _, kernel = artifact.text.rpartition("\n[[max_total_threads_per_threadgroup(")
        assert kernel.count("kernel void") == 1
        self.entries = {None: artifact.entry}
        texts = [artifact.text]
        for number, fault in enumerate(faults):
            self.entries[fault] = f"{artifact.entry}_{number}"
            named = kernel.replace(artifact.entry, self.entries[fault])
            texts.append("[[max_total_threads_per_threadgroup(" + fault.seeded(named))
        self.text = "\n".join(texts)
        self.library = Library(self.text)

    def run(self, fault, probe):
        """Run one of the kernels on a probe."""
        return self.subject.run(self.library.kernel(self.entries[fault]), probe)
