"""One kernel through lowering and every way to run it without a GPU.

A `Case` is a kernel with arguments.  It is planned by the planner or under a mapping that a test
chooses, lowered, checked by the verifier, and run by the machine interpreter or as CPU code.
"""

import ctypes
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod

import numpy as np

from certile.codegen import emitter_for
from certile.ir.host import ViewFacts, is_near
from certile.ir.machine.verify import check_machine
from certile.ir.tile import View
from certile.ir.types import Dim
from certile.ir.verify import verify
from certile.ir.walk import parallel_regions, specialise
from certile.lower import lower_parallel
from certile.plan.choose import choose
from certile.plan.mapping import Mapping
from certile.plan.record import GroupPlan, Options
from certile.reference.machine import run_machine
from certile.reference.machine_numeric import storage
from certile.runtime.cpu.engine import compile_module, host, load_object
from certile.targets.cpu import CPU_AVX2, CPU_AVX512, CPU_NEON
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL

HOST_SHEET = {512: CPU_AVX512, 256: CPU_AVX2}.get(host().vector_bits, CPU_NEON)
SHEETS = {"metal": METAL, "cuda": CUDA_SM90, "cpu": HOST_SHEET}
REFERENCE = Mapping("reference")
EDGE = 256
_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


def flat(array):
    """The elements of an array that is C-ordered, or so when its axes are reversed, as a view."""
    return (array if array.flags.c_contiguous else array.T).reshape(-1)


@lru_cache(maxsize=8)
def compiled(text):
    """The code of a text, which several runs of one kernel share."""
    return load_object(compile_module(text))


@dataclass
class Case:
    """A kernel, and arguments by name: arrays (changed in place) and scalars."""

    kernel: object
    arguments: dict
    specialised: object = field(init=False)
    edges: list = field(default_factory=list)
    passed: dict = field(default_factory=dict)

    def __post_init__(self):
        shapes = {n: a.shape for n, a in self.arguments.items() if isinstance(a, np.ndarray)}
        self.specialised = specialise(self.kernel, shapes)
        complaints = verify(self.specialised)
        assert not complaints, complaints

    def copy(self):
        """The same case with arrays of its own, contiguous, between edges that `run_cpu` checks."""
        made = Case(self.kernel, dict(self.arguments))
        for name, array in self.arguments.items():
            if isinstance(array, np.ndarray):
                raw = np.full(array.nbytes + 2 * EDGE, 0xA5, np.uint8)
                inside = raw[EDGE : EDGE + array.nbytes]
                made.arguments[name] = inside.view(array.dtype).reshape(array.shape)
                made.arguments[name][...] = array
                made.edges.append((raw[:EDGE], raw[EDGE + array.nbytes :]))
        return made

    @property
    def regions(self):
        return parallel_regions(self.specialised)

    def extent(self, extent):
        if isinstance(extent, Dim):
            return self.arguments[extent.view].shape[extent.dim]
        return extent

    def programs(self, region):
        return prod(self.extent(axis.extent) for axis in region.over)

    def strides(self, name):
        array = self.arguments[name]
        return tuple(step // array.itemsize for step in array.strides)

    def facts(self):
        """The stride class of every view: 0 and 1 are known, other strides are parameters.

        Small views are near: their indices have 32 bits on a GPU.
        """
        return {
            view.name: ViewFacts(
                tuple(s if s in (0, 1) else None for s in self.strides(view.name)),
                view.dtype.size,
                near=is_near(
                    self.arguments[view.name].shape, self.strides(view.name), view.dtype.size
                ),
            )
            for view in self.specialised.params
            if isinstance(view, View)
        }

    def outputs(self):
        return {view.name: self.arguments[view.name] for view in self.specialised.outputs}

    # Plans.

    def plan(self, region, sheet, mapping=None, materialization=None, options=None):
        """The planner's choice, or the given mapping where the planner finds it legal, else None.

        A CPU has one subgroup mapping; there only the accumulators are the test's choice.
        """
        programs = self.programs(region)
        options = options or Options(materialization=materialization)
        if mapping is None:
            return choose(self.specialised, region, programs, sheet, options)
        if mapping.family == "reference":
            return GroupPlan(None, sheet, Options(), programs, mapping, None)
        if mapping.family == "columns":
            plan = choose(self.specialised, region, programs, sheet, options, facts=self.facts())
            chosen = plan.mapping is not None and plan.mapping.family == "columns"
            return replace(plan, mapping=mapping) if chosen else None
        if sheet.kind == "cpu":
            options = replace(options, subgroup_reductions="on")
        else:
            packed = mapping.programs_per_group
            options = replace(
                options,
                threads=sheet.lanes * mapping.subgroups_per_program * packed,
                programs_per_group=packed,
                lane_elements=mapping.lane_elements,
                unroll=mapping.unroll,
            )
        plan = choose(self.specialised, region, programs, sheet, options)
        if plan.mapping is None or plan.mapping.family != "subgroup":
            return None
        return replace(plan, mapping=mapping)

    def lower(self, sheet, mapping=None, materialization=None, options=None):
        """Every launch, verified, with its plan; None where a mapping is not legal."""
        made = []
        for number, region in enumerate(self.regions):
            plan = self.plan(region, sheet, mapping, materialization, options)
            if plan is None:
                return None
            program = lower_parallel(f"k{number}", self.specialised, region, plan, self.facts())
            for launch in program.launches:
                check_machine(launch.kernel)
                made.append((plan, launch))
            for each in program.workspace:
                self._pass(each.name, self._value(each.size))
        return made

    def _pass(self, name, size):
        """Memory that launches pass on, full of NaN, between edges that `run_cpu` checks."""
        raw = np.full(size + 2 * EDGE, 0xA5, np.uint8)
        self.passed[name] = raw[EDGE : EDGE + size]
        self.passed[name][...] = 0xFF
        self.edges.append((raw[:EDGE], raw[EDGE + size :]))

    def memory(self, launch):
        """The array of each buffer of a launch, an argument or what launches pass on."""
        buffers = zip(launch.buffers, launch.kernel.buffers, strict=True)
        return {
            name: self.passed[name].view(storage(buffer.dtype))
            if name in self.passed
            else self.arguments[name]
            for name, buffer in buffers
        }

    # Ways to run.

    def scalars(self, launch):
        """The value of each scalar parameter, in order, in its own type."""
        return [self._value(value) for value in launch.scalars]

    def _value(self, value):
        return value.evaluate(
            lambda view, dim: self.arguments[view].shape[dim],
            lambda view, dim: self.strides(view)[dim],
            lambda name: self.arguments[name],
        )

    def run_machine(self, lowered):
        """Interpret the launches on the (contiguous) arrays and return the reports."""
        reports = []
        for _, launch in lowered:
            names = [p.name for p in launch.kernel.scalars]
            buffers = {name: flat(array) for name, array in self.memory(launch).items()}
            scalars = dict(zip(names, self.scalars(launch), strict=True))
            programs = self._value(launch.programs)
            reports.append(run_machine(launch.kernel, buffers, scalars, programs))
        return reports

    def run_cpu(self, lowered, first=0):
        """Compile the launches for this machine and run them on the arrays, of any strides.

        Groups start at `first`.  Nothing beyond the ends of copied arrays may be written.
        """
        for plan, launch in lowered:
            artifact = emitter_for(plan.sheet)(launch.kernel, plan.sheet)
            loaded = compiled(artifact.text)
            slots = np.zeros(max(1, len(launch.buffers) + len(launch.scalars)), np.int64)
            for k, array in enumerate(self.memory(launch).values()):
                slots[k] = array.ctypes.data
            parameters = launch.kernel.scalars
            for k, value in enumerate(self.scalars(launch), start=len(launch.buffers)):
                one = np.array([value]).astype(storage(parameters[k - len(launch.buffers)].dtype))
                slots.view(np.uint8)[8 * k : 8 * k + one.nbytes] = one.view(np.uint8)
            scratch = np.full(artifact.scratch_bytes + 64, 0xA5, np.uint8)
            base = scratch.ctypes.data + -scratch.ctypes.data % 64
            groups = -(-self._value(launch.programs) // artifact.programs_per_group)
            entry = _ENTRY(loaded.address(artifact.entry))
            entry(slots.ctypes.data, first, groups, base)
        assert all((edge == 0xA5).all() for pair in self.edges for edge in pair)
