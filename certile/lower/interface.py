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
from certile.ir.host import ALIGNMENT_BYTES, NEAR_BYTES, RESIDUE_BYTES, HostValue, ViewFacts
from certile.ir.machine import (
    Address,
    Block,
    Buffer,
    MachineKernel,
    PrivateArray,
    ScalarParameter,
    SharedArray,
    Value,
)
from certile.ir.machine.build import Builder
from certile.ir.machine.fold import Range
from certile.ir.machine.prune import arrays_of
from certile.ir.program import Launch
from certile.ir.tile import Kernel, Load, Parallel, Scalar, Store, View, effects
from certile.ir.types import Dim
from certile.lower.dependence import needs_precise_math
from certile.lower.narrow import narrowed
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
        most_programs: int | None = None,
    ) -> None:
        self.kernel, self.parallel, self.builder = kernel, parallel, builder
        self._most_programs = self._most_launched = most_programs
        self._furthest: dict[Address, int] = {}
        self._facts, self._phased = facts, phased
        self._over = frozenset(parallel.over)
        self._types: dict[str, DType] = {
            p.name: p.dtype for p in kernel.params if isinstance(p, Scalar)
        }
        self._dtypes = {view.name: view.dtype for view in kernel.views}
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
        self._workspaces: dict[str, Buffer] = {}
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

    def most(self, view: str) -> int | None:
        """How many elements whole steps move inside a near view; None for a view that is not."""
        known = self._facts.get(view)
        if known is None or not known.near or self._most_programs is None:
            return None
        return NEAR_BYTES // self._dtypes[view].size

    def reaches(self, address: Address, furthest: int | None) -> None:
        """Note how far from the first an element lies that an address names in any lane."""
        if furthest is not None:
            self._furthest[address] = furthest

    def array(self, purpose: str, dtype: DType, slots: int) -> PrivateArray:
        """Allocate a private array; those of one purpose are numbered."""
        made = PrivateArray(f"{purpose}{self._numbers[purpose]}", machine(dtype), slots)
        self._numbers[purpose] += 1
        self._arrays.append(made)
        return made

    def buffer(self, view: View) -> Buffer:
        """The machine buffer of a view."""
        return self._buffers[view]

    def workspace(self, name: str, dtype: DType, *, written: bool) -> Buffer:
        """The machine buffer of memory that launches pass on, by its name in the program."""
        made = Buffer(name, machine(dtype), written, ALIGNMENT_BYTES)
        return self._workspaces.setdefault(name, made)

    def _derived(
        self, name: str, source: HostValue, multiple: int = 1, known: Range | None = None
    ) -> Value:
        """An i64 that the runtime adds; its name gives way to the author's."""
        while name in self._taken:
            name += "_"
        return self._parameter(ScalarParameter(name, i64, multiple, known), source)

    def _parameter(self, parameter: ScalarParameter, source: HostValue) -> Value:
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
        most = self.most(view.name)
        known_range = None if most is None else (-most, most)
        return self._derived(f"{view.name}_stride{dim}", source, multiple, known_range)

    def extent(self, extent: int | Dim) -> Value:
        """An extent as a uniform i64."""
        if isinstance(extent, int):
            return self.builder.const(extent, i64)
        source = HostValue("extent", extent.view, extent.dim)
        most = self.most(extent.view)
        # A launch without programs runs nothing; an extent that gives it none is not its own.
        least = int(any(axis.extent == extent for axis in self.parallel.over))
        known = None if most is None else (least, most + 1)
        return self._derived(f"{extent.view}_extent{extent.dim}", source, known=known)

    def argument(self, name: str) -> Value:
        """The value of a scalar argument."""
        parameter = ScalarParameter(name, self._types[name])
        return self._parameter(parameter, HostValue("argument", name))

    def count_elements(self, elements: int, most: int | None) -> None:
        """Launch for each of a program's `elements`, at most `most`, instead of for programs."""
        self._elements, self._most_launched = elements, most

    def programs(self) -> Value:
        """The number of programs P of the launch, or of its elements, a uniform i64."""
        most = self._most_launched
        known = None if most is None else (0, most)
        return self._derived("programs", self.program_count, known=known)

    @property
    def program_count(self) -> HostValue:
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
        self,
        name: str,
        programs_per_group: int,
        shared: Iterable[SharedArray] = (),
        *,
        parts: int = 1,
    ) -> Launch:
        """The launch of what was built, with all the arguments found on the way.

        With several `parts` every group of programs is launched once for each.
        """
        builder, body = self.builder, self._body()
        accessed = arrays_of(body)
        kernel = MachineKernel(
            name=name,
            lanes=builder.lanes,
            subgroups=builder.subgroups,
            programs_per_group=programs_per_group if parts == 1 else 1,
            buffers=(*self._buffers.values(), *self._workspaces.values()),
            scalars=tuple(self._scalars),
            arrays=tuple(array for array in self._arrays if array in accessed),
            shared=tuple(shared),
            body=body,
            precise_math=needs_precise_math(self.kernel, self.parallel),
            math=self.kernel.math,
        )
        return Launch(
            kernel=kernel,
            buffers=tuple(buffer.name for buffer in kernel.buffers),
            scalars=tuple(self._scalars.values()),
            programs=self.program_count if parts == 1 else self._shared(programs_per_group, parts),
        )

    def _shared(self, together: int, parts: int) -> HostValue:
        groups = HostValue("groups", dim=together, factors=(self.program_count,))
        return HostValue("programs", factors=(groups, parts))

    def _body(self) -> Block:
        """What was built, with indices of 32 bits where those are wanted and proved to do."""
        built, builder = self.builder.block(), self.builder
        if self._most_programs is None:
            return built
        return narrowed(built, builder.facts, builder.lanes, self._furthest)
