"""Metal text of several kernels as one translation unit, and how it is run on the CPU.

clang starts once a unit, which is most of the time a small kernel takes.
"""

import numpy as np

from certile.codegen.metal.emit import emit
from certile.ir.machine.verify import check_machine
from certile.metalsim import Library, joined
from certile.reference.machine import run_machine
from certile.runtime.launching import scalar_argument
from certile.targets.metal import METAL


def unit(artifacts):
    """One text of several; entries must differ."""
    return joined(artifact.text for artifact in artifacts)


def launched(kernel, compiled, shapes, arguments, seed=0):
    """Run one launch of a compiled program with a loaded kernel on arrays and numbers by name."""

    def value(of):
        return of.evaluate(
            lambda view, dim: shapes[view][dim],
            lambda view, dim: arguments[view].strides[dim] // arguments[view].itemsize,
            lambda name: arguments[name],
        )

    artifact = compiled.artifact
    arrays = [arguments[name] for name in compiled.launch.buffers]
    scalars = [
        scalar_argument(value(scalar), parameter.dtype)
        for scalar, parameter in zip(compiled.launch.scalars, artifact.scalars, strict=True)
    ]
    groups = -(-int(value(compiled.launch.programs)) // artifact.programs_per_group)
    bound = dict(enumerate([*arrays, *scalars]))
    return kernel.run(bound, (groups, 1, 1), (artifact.threads, 1, 1), seed=seed)


class Unit:
    """Kernels emitted together; `both` runs one here and in the interpreter."""

    def __init__(self, kernels, sheet=METAL, mode="checked"):
        self.kernels = {kernel.name: check_machine(kernel) for kernel in kernels}
        self.artifacts = {name: emit(kernel, sheet) for name, kernel in self.kernels.items()}
        self.text = unit(self.artifacts.values())
        self.library = Library(self.text, mode)

    def run(self, name, buffers, scalars, programs, seed=0):
        """Launch a kernel on arrays by name, changed in place, and return the report."""
        artifact = self.artifacts[name]
        arrays = [buffers[b.name] for b in artifact.buffers]
        values = [scalar_argument(scalars[s.name], s.dtype) for s in artifact.scalars]
        groups = -(-programs // artifact.programs_per_group)
        return self.library.kernel(artifact.entry).run(
            dict(enumerate([*arrays, *values])),
            (groups, 1, 1),
            (artifact.threads, 1, 1),
            seed=seed,
        )

    def both(self, name, buffers, scalars, programs, seed=0):
        """Run here and in the interpreter, both without a finding; return both sets of arrays."""
        ours = {key: array.copy() for key, array in buffers.items()}
        theirs = {key: array.copy() for key, array in buffers.items()}
        report = self.run(name, ours, scalars, programs, seed)
        assert report.ok, f"{name}\n{report}"
        expected = run_machine(self.kernels[name], theirs, scalars, programs)
        assert expected.ok, (name, expected)
        return ours, theirs


def ulps(ours, theirs):
    """The greatest distance in units of the last place; equal NaN and infinities count as 0."""
    if ours.dtype.kind in "iub":
        return 0 if np.array_equal(ours, theirs) else np.inf
    width = {2: np.int16, 4: np.int32, 8: np.int64}[ours.dtype.itemsize]

    def rank(array):
        bits = array.view(width).astype(np.int64)
        return np.where(bits < 0, np.iinfo(width).min - bits, bits)

    nan = np.isnan(ours.astype(np.float64))
    if not np.array_equal(nan, np.isnan(theirs.astype(np.float64))):
        return np.inf
    distance = np.abs(rank(ours) - rank(theirs))[~nan]
    return int(distance.max()) if distance.size else 0
