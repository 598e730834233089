"""A launch's arguments as lowering discovers them, and the launch itself when all are known.

In: the views of a Tile kernel and their layout facts.  Out: Machine IR buffers in argument order,
scalar parameters in order of first use with the host value each takes, the private arrays that maps
ask for, and at the end the launch.
Leaves the body of the kernel to the execution maps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import gcd

from certile.ir.dtypes import DType, i64, machine
from certile.ir.host import RESIDUE_BYTES, HostValue, ViewFacts
from certile.ir.machine import (
    Buffer,
    MachineKernel,
    PrivateArray,
    ScalarParameter,
    SharedArray,
    Value,
)
from certile.ir.machine_build import Builder
from certile.ir.program import Launch
from certile.ir.tile import Kernel, Load, Parallel, Scalar, Store, View, effects
from certile.ir.types import Dim
from certile.lower.dependence import needs_precise_math
from certile.plan.congruence import Congruence, congruence


class Interface:
    """Buffers and scalar parameters of one launch."""

    def __init__(
        self,
        kernel: Kernel,
        parallel: Parallel,
        facts: Mapping[str, ViewFacts],
        builder: Builder,
        *,
        phased: bool = False,
    ) -> None:
        self.kernel, self.parallel, self.builder = kernel, parallel, builder
        self._facts, self._phased = facts, phased
        self._over = frozenset(parallel.over)
        self._types: dict[str, DType] = {
            p.name: p.dtype for p in kernel.params if isinstance(p, Scalar)
        }
        self._taken = frozenset(p.name for p in kernel.params)
        touched = [e for e in effects((parallel,)) if isinstance(e, Load | Store)]
        written = {e.buffer for e in touched if isinstance(e, Store)}
        used = {e.buffer for e in touched}
        self._buffers: dict[View, Buffer] = {
            view: Buffer(view.name, machine(view.dtype), view in written, *self._alignment(view))
            for view in kernel.views
            if view in used
        }
        self._scalars: dict[ScalarParameter, HostValue] = {}
        self._arrays: list[PrivateArray] = []
        self._numbers: Counter[str] = Counter()
        self._elements = 1

    def _alignment(self, view: View) -> tuple[int, int]:
        """The alignment of a view's buffer in bytes, and how many elements before it that holds."""
        known = self._facts[view.name]
        if not self._phased or not known.residues or known.residues[0] % view.dtype.size:
            return known.alignment, 0
        return RESIDUE_BYTES, known.residues[0] // view.dtype.size

    def congruence(self, node: Load | Store) -> Congruence | None:
        """Where the rows of an access begin, modulo the widest access."""
        return congruence(node, self._facts.get(node.buffer.name), self._over)

    def array(self, purpose: str, dtype: DType, slots: int) -> PrivateArray:
        """Allocate a private array; those of one purpose are numbered."""
        made = PrivateArray(f"{purpose}{self._numbers[purpose]}", machine(dtype), slots)
        self._numbers[purpose] += 1
        self._arrays.append(made)
        return made

    def buffer(self, view: View) -> Buffer:
        """The machine buffer of a view."""
        return self._buffers[view]

    def _derived(self, name: str, source: HostValue, multiple: int = 1) -> Value:
        """An i64 that the runtime adds; its name gives way to the author's."""
        while name in self._taken:
            name += "_"
        return self._parameter(name, i64, source, multiple)

    def _parameter(self, name: str, dtype: DType, source: HostValue, multiple: int = 1) -> Value:
        parameter = ScalarParameter(name, dtype, multiple)
        self._scalars.setdefault(parameter, source)
        return self.builder.parameter(parameter)

    def stride(self, view: View, dim: int) -> int | Value:
        """The stride of a dimension in elements: a constant where the layout class fixes it."""
        known = self._facts[view.name].strides[dim]
        if known is not None:
            return known
        source = HostValue("stride", view.name, dim)
        # The alignment of a view divides its strides in bytes, and so each row's address.
        facts = self._facts[view.name]
        alignment = facts.alignment
        if self._phased and facts.residues:
            alignment = max(alignment, gcd(facts.residues[1 + dim], RESIDUE_BYTES))
        multiple = max(1, alignment // view.dtype.size)
        return self._derived(f"{view.name}_stride{dim}", source, multiple)

    def extent(self, extent: int | Dim) -> Value:
        """An extent as a uniform i64."""
        if isinstance(extent, int):
            return self.builder.const(extent, i64)
        source = HostValue("extent", extent.view, extent.dim)
        return self._derived(f"{extent.view}_extent{extent.dim}", source)

    def argument(self, name: str) -> Value:
        """The value of a scalar argument."""
        return self._parameter(name, self._types[name], HostValue("argument", name))

    def count_elements(self, elements: int) -> None:
        """Launch for each of a program's `elements` instead of for each program."""
        self._elements = elements

    def programs(self) -> Value:
        """The number of programs P of the launch, or of its elements, a uniform i64."""
        return self._derived("programs", self._programs)

    @property
    def _programs(self) -> HostValue:
        """The host value of P: the product of the extents of the launch's axes."""
        factors = tuple(
            axis.extent
            if isinstance(axis.extent, int)
            else HostValue("extent", axis.extent.view, axis.extent.dim)
            for axis in self.parallel.over
        )
        elements = () if self._elements == 1 else (self._elements,)
        return HostValue("programs", factors=(*factors, *elements))

    def launch(
        self, name: str, programs_per_group: int, shared: Iterable[SharedArray] = ()
    ) -> Launch:
        """The launch of what was built, with all the arguments found on the way."""
        builder = self.builder
        kernel = MachineKernel(
            name=name,
            lanes=builder.lanes,
            subgroups=builder.subgroups,
            programs_per_group=programs_per_group,
            buffers=tuple(self._buffers.values()),
            scalars=tuple(self._scalars),
            arrays=tuple(self._arrays),
            shared=tuple(shared),
            body=builder.block(),
            precise_math=needs_precise_math(self.kernel, self.parallel),
            math=self.kernel.math,
        )
        return Launch(
            kernel=kernel,
            buffers=tuple(buffer.name for buffer in kernel.buffers),
            scalars=tuple(self._scalars.values()),
            programs=self._programs,
        )
