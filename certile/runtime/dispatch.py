"""From the arguments of a call to a launcher: described, traced, checked, compiled, bound.

In: a kernel's function and options, and the arguments of a call.  Out: a `Site`, which serves every
later call whose arguments have the same signatures.  Decides what two calls have to share to use
one trace, one compiled program, one launcher; and that an output may be the very view of an input
but may not overlap another argument otherwise.  Leaves filling and launching to
`certile.runtime.bind`.

Nothing is written before every check has passed, and a call that fails leaves nothing behind.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from certile import settings
from certile.analysis.bounds import check_bounds
from certile.analysis.instances import meeting_stores, unsafe_in_place
from certile.analysis.meetings import certain_meetings
from certile.diagnostics import ArgumentError, KernelError
from certile.frontend.captures import Captures
from certile.frontend.signature import KernelSignature
from certile.frontend.spec import KernelSpec, MathMode, RewriteMode, ScalarSpec
from certile.frontend.trace import Traced, trace, unwrapped
from certile.ir.dtypes import BY_NAME
from certile.ir.host import ViewFacts, layout_facts, stride_class
from certile.ir.tile import Kernel, View
from certile.ir.types import Dim
from certile.ir.walk import extent_of, parallel_regions, replace_view, specialise, static_dims
from certile.language import active
from certile.plan.classes import row_class, wave
from certile.plan.options import Options
from certile.records import record
from certile.runtime import arrays, dlpack
from certile.runtime.arrays import ArrayInfo
from certile.runtime.bind import (
    Arguments,
    CpuLauncher,
    Interpreted,
    Launcher,
    Nothing,
)
from certile.runtime.cpu.device import machine_sheet
from certile.runtime.programs import CpuProgram, Request, obtain
from certile.runtime.target import Target, resolve
from certile.source import Loc
from certile.targets import DEFAULTS, Sheet

if TYPE_CHECKING:
    # The compiler is loaded by the first compile; a program from the disk cache needs none of it.
    from certile.pipeline import CompiledProgram
    from certile.plan.record import GroupPlan

K = TypeVar("K")
V = TypeVar("V")

# Which arguments share memory: positions of an output and another view, and the distance in bytes.
Pattern = tuple[tuple[int, int, int], ...]

# Traces kept for one kind of arguments; more means that a global changes at every call.
_MOST_TRACES = 16

# What a kernel keeps beyond that: kinds of arguments, compiled programs, and patterns of overlap of
# one signature.  Whatever is dropped is made again, mostly from the disk cache.
_MOST_SPECS = 256
_MOST_PROGRAMS = 512
_MOST_PATTERNS = 64

# One call at a time is traced and compiled.  A fork waits for it, so that no child begins its life
# with a lock that nobody will release.
_lock = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


@record
class _Kept:
    """A trace, and what would have to change for it to be wrong."""

    captures: Captures
    traced: Traced


@record(slots=False)
class Call:
    """The arguments of one call, described.

    `infos` has the arrays by name; `target` is where they run and `options` what the planner is
    asked for.
    """

    spec: KernelSpec
    kept: _Kept
    infos: Mapping[str, ArrayInfo]
    arguments: Arguments
    target: Target
    options: Options

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array."""
        return {name: info.shape for name, info in self.infos.items()}


@dataclass
class Site:
    """All that a call with known signatures needs.

    `pairs` are (position of an output, position of another view, low, high): the two overlap when
    the distance of their addresses lies strictly between low and high.  `launchers` has one
    launcher for each pattern of overlaps that was met; usually one, for none.  Calls of equal
    `layout` may share launchers.
    """

    captures: Captures
    pairs: tuple[tuple[int, int, int, int], ...]
    layout: Mapping[str, Hashable]
    launchers: dict[Pattern, Launcher] = field(default_factory=dict)
    request: Request | None = None

    @property
    def plans(self) -> tuple[GroupPlan, ...]:
        """The plan of each launch; none before the first launcher, and for no instance."""
        return () if self.request is None else self.request.plans()


class Dispatcher:
    """The traces and programs of one kernel."""

    def __init__(
        self,
        function: Callable[..., object],
        signature: KernelSignature,
        math: MathMode | None,
        rewrites: RewriteMode | None,
    ) -> None:
        self._function = function
        self._signature = signature
        self._math = math
        self._rewrites = rewrites
        self._traces: dict[KernelSpec, list[_Kept]] = {}
        # The kept trace stands in the entry, so that its id is not given to another.
        self._programs: dict[Hashable, tuple[_Kept, CpuProgram | CompiledProgram]] = {}
        self._artifacts: set[str] = set()

    @property
    def compilations(self) -> int:
        """How many different artifacts the calls so far have needed."""
        return len(self._artifacts)

    def site(self, values: Sequence[object], options: Options) -> tuple[Site, Call]:
        """Describe and check the arguments of a call.

        Raises `ArgumentError` where they are wrong, `KernelError` where the kernel is.
        """
        if active.current() is not None:
            name = unwrapped(self._function).__name__
            message = f"kernel {name} is launched inside a kernel"
            raise KernelError("K031", message, loc=Loc.of_user())
        with _lock:
            call = self._call(values, options)
            kernel = call.kept.traced.kernel
            self._check_outputs(kernel, call)
            layout = _layout(call, _facts(kernel, call, _planned_for(call.target)))
            return Site(call.kept.captures, _pairs(kernel, call), layout), call

    def launcher(self, site: Site, call: Call, pattern: Pattern) -> Launcher:
        """Return the launcher for arguments that overlap as `pattern` says, compiled if need be.

        Raises `ArgumentError` A005 for an overlap that is neither harmless nor the same view, and
        what the checks of bounds find.
        """
        with _lock:
            known = site.launchers.get(pattern)
            if known is None:
                known = self._bind(site, call, pattern)
                _remember(site.launchers, pattern, known, _MOST_PATTERNS)
            return known

    def _call(self, values: Sequence[object], options: Options) -> Call:
        names = self._signature.names
        infos = {
            name: value if isinstance(value, ArrayInfo) else arrays.describe_argument(value, name)
            for name, parameter, value in zip(
                names, self._signature.parameters, values, strict=True
            )
            if parameter.kind != "constant" and is_array(value)
        }
        target = resolve(infos.values())
        described = [
            (BY_NAME[infos[name].dtype], len(infos[name].shape)) if name in infos else None
            for name in names
        ]
        spec = KernelSpec(
            self._signature.specs(values, described),
            self._math or settings.current().math,
            self._rewrites or settings.current().rewrites,
        )
        shapes = {name: info.shape for name, info in infos.items()}
        numbers = {n: each.dtype for n, each in spec.arguments if isinstance(each, ScalarSpec)}
        positions = {name: position for position, name in enumerate(names)}
        kept = self._kept(spec, shapes)
        return Call(spec, kept, infos, Arguments(infos, numbers, positions), target, options)

    def _kept(self, spec: KernelSpec, shapes: Mapping[str, tuple[int, ...]]) -> _Kept:
        """Return a trace that is right for this call, an earlier one where it still holds."""
        known = self._traces.get(spec)
        if known is None:
            known = _remember(self._traces, spec, [], _MOST_SPECS)
        for kept in known:
            if kept.traced.holds_for(shapes) and kept.captures.hold():
                return kept
        # Guards first: what changes while the function runs is then noticed.
        captures = Captures(unwrapped(self._function))
        made = _Kept(captures, trace(self._function, spec, shapes))
        if len(known) >= _MOST_TRACES:
            del known[0]
        known.append(made)
        return made

    def _check_outputs(self, kernel: Kernel, call: Call) -> None:
        stored = {view.name for view in kernel.outputs}
        for parameter in self._signature.parameters:
            if parameter.name in stored or (parameter.view.inout and parameter.name in call.infos):
                arrays.check_output(call.infos[parameter.name], parameter.name)

    def _bind(self, site: Site, call: Call, pattern: Pattern) -> Launcher:
        same = self._same_views(call, pattern)
        kernel = call.kept.traced.kernel
        by_name = {view.name: view for view in kernel.views}
        for old, new in same.items():
            kernel = replace_view(kernel, by_name[old], by_name[new])
        shapes = {view.name: call.infos[view.name].shape for view in kernel.views}
        special = specialise(kernel, shapes)
        if settings.current().check != "off":
            _check(special, shapes, set(same.values()))
        programs = _programs(special, shapes)
        if not any(programs):
            return Nothing()
        if call.target == "reference":
            return Interpreted(special, call.arguments)
        sheet = _sheet(call.target)
        classes = tuple(row_class(p, wave(sheet, call.options)).representative for p in programs)
        request = Request(special, _facts(kernel, call, sheet), classes, sheet, call.options)
        site.request = request
        if call.target == "null":
            # Planned, so that what planning refuses is heard; nothing is there to run.
            request.plans()
            return Nothing()
        fixed = sorted(static_dims(kernel), key=_dim_order)
        key: Hashable = (
            call.target,
            id(call.kept),
            tuple(view.name for view in kernel.views),
            tuple(call.infos[dim.view].shape[dim.dim] for dim in fixed),
            tuple(request.facts.items()),
            classes,
            call.options,
            settings.current().codegen_key(),
        )
        return self._launcher(key, request, call)

    def _launcher(self, key: Hashable, request: Request, call: Call) -> Launcher:
        """Bind the program of `key`, from an earlier call where nothing it depends on differs."""
        notes = call.kept.traced.specialised
        known = self._programs.get(key)
        if call.target == "cpu":
            program = known[1] if known else obtain(request, notes)
            assert isinstance(program, CpuProgram)
            launcher: Launcher = CpuLauncher(program, call.arguments)
            self._artifacts.update(launch.artifact for launch in program.launches)
            _remember(self._programs, key, (call.kept, program), _MOST_PROGRAMS)
            return launcher
        compiled = known[1] if known else request.compiled(request.watcher(notes))
        assert not isinstance(compiled, CpuProgram)
        launcher = _device_launcher(call.target, compiled, request.kernel, call.arguments)
        self._artifacts.update(launch.artifact.fingerprint for launch in compiled.launches)
        _remember(self._programs, key, (call.kept, compiled), _MOST_PROGRAMS)
        return launcher

    def _same_views(self, call: Call, pattern: Pattern) -> dict[str, str]:
        """Return which view stands for which, for the pairs that are the very same memory."""
        names = self._signature.names
        same: dict[str, str] = {}
        for first, second, _ in pattern:
            a, b = call.infos[names[first]], call.infos[names[second]]
            found = arrays.overlap(a, b)
            if found in ("none", "interleaved"):
                continue
            if found == "partial" or a.dtype != b.dtype:
                message = f"{names[first]} is stored to and shares memory with {names[second]}"
                raise ArgumentError("A005", message)
            kept, dropped = sorted((_root(same, names[first]), _root(same, names[second])))
            if kept != dropped:
                same[dropped] = kept
        return same


def _remember(table: dict[K, V], key: K, value: V, most: int) -> V:
    """Enter a value into a table of at most `most` entries, the oldest of which makes room."""
    table[key] = value
    while len(table) > most:
        # Another thread may look things up meanwhile, but only one at a time enters.
        del table[next(iter(table))]
    return value


def is_array(value: object) -> bool:
    """Whether a value is an array of some framework, or the description of one."""
    if isinstance(value, np.ndarray | ArrayInfo):
        return True
    return dlpack.lends(value)


def view_facts(info: ArrayInfo, *, aligned: bool, steps: bool = True) -> ViewFacts:
    """What code may rely on of a described array; `steps` are those of `stride_class`.

    Without `aligned` rows have the alignment of their elements: nothing but a streaming store gains
    by more on a CPU, and small arrays come with any, each of which would be compiled for.
    """
    if not aligned:
        return ViewFacts(stride_class(info.shape, info.strides, steps=steps), info.itemsize)
    facts = layout_facts(info.shape, info.strides, info.itemsize, info.address, steps=steps)
    return facts if info.placed else replace(facts, residues=())


def _check(kernel: Kernel, shapes: Mapping[str, Sequence[int]], shared: set[str]) -> None:
    """Raise for what is wrong on these shapes; the views `shared` are input and output at once."""
    for complaint in meeting_stores(kernel, shapes):
        raise KernelError(complaint)
    for view in kernel.views:
        if view.name in shared and (problem := unsafe_in_place(kernel, view, shapes)):
            raise ArgumentError(problem)
    for complaint in check_bounds(kernel, shapes):
        raise ArgumentError(complaint)
    for complaint in certain_meetings(kernel, shapes):
        raise KernelError(complaint)


def _facts(kernel: Kernel, call: Call, sheet: Sheet | None) -> dict[str, ViewFacts]:
    """What code may rely on; on a CPU, only of arrays that half the last-level cache cannot hold.

    Those are streamed to, or asked for ahead.  A GPU takes wide accesses wherever rows are aligned;
    the interpreter, which has no sheet, relies on nothing.
    """
    stored = kernel.outputs

    def known(view: View, info: ArrayInfo) -> ViewFacts:
        if sheet is None or sheet.kind != "cpu":
            return view_facts(info, aligned=sheet is not None, steps=False)
        large = info.size * info.itemsize > sheet.large_bytes
        return replace(view_facts(info, aligned=large and view in stored), large=large)

    return {view.name: known(view, call.infos[view.name]) for view in kernel.views}


def _layout(call: Call, facts: Mapping[str, ViewFacts]) -> dict[str, Hashable]:
    """Return what two calls must share, argument by argument, to use one launcher."""
    layout: dict[str, Hashable] = dict(call.spec.arguments)
    for name, info in call.infos.items():
        layout[name] = (info.dtype, info.shape, info.strides, info.device, facts.get(name))
    return layout


def _pairs(kernel: Kernel, call: Call) -> tuple[tuple[int, int, int, int], ...]:
    """Return each output beside each other view, with the distances at which they overlap."""
    views = [view.name for view in kernel.views]
    spans = {name: arrays.extent(call.infos[name]) for name in views}
    positions = call.arguments.positions
    found: list[tuple[int, int, int, int]] = []
    outputs = [view.name for view in kernel.outputs]
    for place, output in enumerate(outputs):
        for other in views:
            if other == output or other in outputs[:place]:
                continue
            (low, high), (other_low, other_high) = spans[output], spans[other]
            if low == high or other_low == other_high:
                continue
            between = (other_low - high, other_high - low)
            found.append((positions[output], positions[other], *between))
    return tuple(found)


def _programs(kernel: Kernel, shapes: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    counts = []
    for region in parallel_regions(kernel):
        count = 1
        for axis in region.over:
            count *= extent_of(axis, shapes)
        counts.append(count)
    return tuple(counts)


def _planned_for(target: Target) -> Sheet | None:
    """The sheet a target plans with; the interpreter plans nothing."""
    return None if target == "reference" else _sheet(target)


def _sheet(target: Target) -> Sheet:
    if target == "metal":
        # Looks for a device, which most processes never need.
        from certile.runtime.metal.context import planning_sheet

        return planning_sheet()
    return machine_sheet() if target == "cpu" else DEFAULTS[target]


def _device_launcher(
    target: Target, compiled: CompiledProgram, kernel: Kernel, arguments: Arguments
) -> Launcher:
    # Simulator and drivers take longer to import than most programs take on a CPU.
    if target == "metal":
        from certile.runtime.metal.launcher import launcher_for

        return launcher_for(compiled, kernel, arguments)
    from certile.runtime import devices

    if target == "cuda":
        return devices.CudaLauncher(compiled, arguments)
    return devices.SimulatedLauncher(compiled, kernel, arguments)


def _dim_order(dim: Dim) -> tuple[str, int]:
    return dim.view, dim.dim


def _root(same: Mapping[str, str], name: str) -> str:
    while name in same:
        name = same[name]
    return name
