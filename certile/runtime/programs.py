"""Compiled CPU programs: machine code with what a launch needs, in memory and on disk.

In: a specialised kernel and everything its code depends on.  Out: a `CpuProgram`.  Decides what the
identity of a program is, and that one which an earlier process compiled is loaded without planning
or lowering anything, nor importing what does.  Leaves compiling to `certile.pipeline` and
`certile.runtime.cpu.engine`, and files to `certile.runtime.cache`.

An entry on disk is JSON without code; it names the entries that hold the objects.  One that does
not parse, whose objects are gone, or whose derivation the checker refuses, counts as absent.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import os
import weakref
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certile import settings
from certile.frontend.state import Specialised
from certile.ir.dtypes import BY_NAME, DType
from certile.ir.fingerprint import fingerprint
from certile.ir.host import HostValue, ViewFacts
from certile.ir.loads import merged_loads
from certile.ir.tile import Kernel
from certile.plan.options import Options, OwnPolicy
from certile.records import record
from certile.runtime.cache import default_cache, key
from certile.runtime.cpu import engine
from certile.runtime.derivations import Derivation, derivation_of
from certile.targets import Sheet
from certile.watch import SILENT, Watcher, watcher_for

if TYPE_CHECKING:
    from certile.pipeline import CompiledLaunch, CompiledProgram
    from certile.plan.record import GroupPlan

__all__ = ["CpuLaunch", "CpuProgram", "Request", "keep", "kept", "loaded", "obtain"]

_SCHEMA = "certile.cpu-program/4"
_log = logging.getLogger(__name__)


@record
class CpuLaunch:
    """One launch: its code, where its arguments come from, and which launches stay on one thread.

    `object_key` names the object in the disk cache, `artifact` the text it was compiled from.
    `derivation` says why that may run where it computes another kernel than was asked for.  A
    launch of at most `serial_groups` groups is too little work for a second thread.
    """

    object_key: str
    artifact: str
    entry: str
    buffers: tuple[str, ...]
    scalars: tuple[tuple[HostValue, DType], ...]
    programs: HostValue
    programs_per_group: int
    scratch_bytes: int
    serial_groups: int
    derivation: Derivation | None = None


@record
class CpuProgram:
    """Launches in order, and the code of each, which is mapped as long as this lives.

    `workspace` are the names and bytes of the memory that launches pass on.
    """

    launches: tuple[CpuLaunch, ...]
    code: tuple[engine.Loaded, ...]
    workspace: tuple[tuple[str, HostValue], ...] = ()

    @property
    def functions(self) -> tuple[int, ...]:
        """The address of each launch's function."""
        pairs = zip(self.launches, self.code, strict=True)
        return tuple(code.address(launch.entry) for launch, code in pairs)


@record(slots=False)
class Request:
    """A specialised kernel and everything else that its compiled program follows from.

    `classes` has the number of programs that each launch is planned for.
    """

    kernel: Kernel
    facts: Mapping[str, ViewFacts]
    classes: tuple[int, ...]
    sheet: Sheet
    options: Options

    def plans(self) -> tuple[GroupPlan, ...]:
        """Return the plan of each launch."""
        # Here and below: planner and lowering take longer to import than a kept program to load.
        from certile.pipeline import plan_program

        return plan_program(self.kernel, self.classes, self.sheet, self.options, facts=self.facts)

    def compiled(self, watch: Watcher = SILENT) -> CompiledProgram:
        """Take the kernel through the pipeline."""
        from certile.pipeline import compile_program

        return compile_program(
            self.kernel, self.facts, self.classes, self.sheet, self.options, watch
        )

    def watcher(self, notes: Sequence[Specialised]) -> Watcher:
        """Return the watcher that the settings ask for; it hears which extents became numbers."""
        now = settings.current()
        settings.warn_unknown()
        watch = watcher_for(now, f"{self.kernel.name}-{fingerprint(self.kernel)[:12]}")
        for note in notes:
            watch.on_choice("extent", note.value, (), str(note))
        return watch

    def identity(self) -> str:
        """Return the key of the CPU program: equal ones mean equal code and equal bindings."""
        return key(
            _SCHEMA,
            compiler_identity(),
            *engine.environment(),
            fingerprint(self.kernel),
            self.kernel.name,
            [param.name for param in self.kernel.params],
            repr([self.facts[view.name] for view in self.kernel.views]),
            list(self.classes),
            _text_of(self.sheet),
            repr(self.options),
            repr(settings.current().codegen_key()),
        )


def obtain(request: Request, notes: Sequence[Specialised] = ()) -> CpuProgram:
    """Return the program of a request as machine code, from the disk cache where it is known.

    With a watcher the pipeline always runs, since there would be nothing to watch otherwise.
    """
    watch = request.watcher(notes)
    if isinstance(request.options.policy, OwnPolicy):
        # Nothing tells whether an object of another process would choose alike.
        return loaded(request.compiled(watch))
    entry_key = request.identity()
    known = kept(entry_key, request.kernel) if watch is SILENT else None
    if known is None:
        known = loaded(request.compiled(watch))
        keep(entry_key, known)
    return known


def kept(entry_key: str, kernel: Kernel) -> CpuProgram | None:
    """Return the program of a specialised kernel from the disk cache by its key, loaded, or None.

    One that was derived from the kernel is taken if the checker accepts its certificate again.
    """
    data = default_cache().get(entry_key)
    if data is None:
        return None
    try:
        document = json.loads(data)
        launches = tuple(_launch(item) for item in document["launches"])
        workspace = tuple((name, _value(size)) for name, size in document["workspace"])
    except (ValueError, KeyError, TypeError):
        return None
    for launch in launches:
        derivation = launch.derivation
        refused = None if derivation is None else derivation.refusal(merged_loads(kernel))
        if refused is not None:
            _log.warning("a kept program is compiled anew: %s", refused)
            return None
    loaded_code = []
    for launch in launches:
        code = _load_kept(launch)
        if code is None:
            return None
        loaded_code.append(code)
    return CpuProgram(launches, tuple(loaded_code), workspace)


def keep(entry_key: str, program: CpuProgram) -> None:
    """Store a program under its key, for later processes."""
    document = {
        "schema": _SCHEMA,
        "launches": [_document(each) for each in program.launches],
        "workspace": [[name, _value_document(size)] for name, size in program.workspace],
    }
    default_cache().put(entry_key, json.dumps(document).encode())


def loaded(compiled: CompiledProgram) -> CpuProgram:
    """Return a compiled program with its artifacts as machine code in this process."""
    launches = tuple(_of_compiled(launch) for launch in compiled.launches)
    code = tuple(
        _load(launch, each.artifact.text)
        for launch, each in zip(launches, compiled.launches, strict=True)
    )
    workspace = tuple((each.name, each.size) for each in compiled.program.workspace)
    return CpuProgram(launches, code, workspace)


@functools.cache
def compiler_identity() -> str:
    """Return what changes when this package does: the state of its files.

    A version would not tell two states of a working tree apart.
    """
    lines = sorted(_states(str(Path(__file__).parent.parent), ""))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _states(folder: str, inside: str) -> Iterator[str]:
    """Yield name, size and time of each Python file; `pathlib` takes five times as long."""
    with os.scandir(folder) as listing:
        for item in listing:
            if item.is_dir(follow_symlinks=False):
                yield from _states(item.path, f"{inside}{item.name}/")
            elif item.name.endswith(".py"):
                about = item.stat()
                yield f"{inside}{item.name}\0{about.st_size}\0{about.st_mtime_ns}\0"


def _text_of(sheet: Sheet) -> str:
    """Return a sheet as text; a set prints in another order in each process."""
    values = {each.name: getattr(sheet, each.name) for each in fields(sheet)}
    sets = {n: sorted(map(str, v)) for n, v in values.items() if isinstance(v, frozenset)}
    return repr({**values, **sets, "provenance": None})


# Machine code in this process, by the fingerprint of its artifact: equal plans share it.  Programs
# keep it; without one it is unmapped.
_code: MutableMapping[str, engine.Loaded] = weakref.WeakValueDictionary()


def _load(launch: CpuLaunch, text: str) -> engine.Loaded:
    known = _code.get(launch.artifact)
    if known is None:
        known = _code[launch.artifact] = engine.load_or_compile(text, default_cache())
    return known


def _load_kept(launch: CpuLaunch) -> engine.Loaded | None:
    known = _code.get(launch.artifact)
    if known is None:
        data = default_cache().get(launch.object_key)
        if data is None:
            return None
        known = _code[launch.artifact] = engine.load_object(data)
    return known


def _of_compiled(each: CompiledLaunch) -> CpuLaunch:
    artifact, launch = each.artifact, each.launch
    kinds = (scalar.dtype for scalar in launch.kernel.scalars)
    return CpuLaunch(
        object_key=engine.object_key(artifact.text),
        artifact=artifact.fingerprint,
        entry=artifact.entry,
        buffers=launch.buffers,
        scalars=tuple(zip(launch.scalars, kinds, strict=True)),
        programs=launch.programs,
        programs_per_group=artifact.programs_per_group,
        scratch_bytes=artifact.scratch_bytes,
        serial_groups=each.plan.serial_groups,
        derivation=derivation_of(each.plan),
    )


def _document(launch: CpuLaunch) -> dict[str, Any]:
    return {
        "object_key": launch.object_key,
        "artifact": launch.artifact,
        "entry": launch.entry,
        "buffers": launch.buffers,
        "scalars": [[_value_document(value), dtype.name] for value, dtype in launch.scalars],
        "programs": _value_document(launch.programs),
        "programs_per_group": launch.programs_per_group,
        "scratch_bytes": launch.scratch_bytes,
        "serial_groups": launch.serial_groups,
        "derivation": None if launch.derivation is None else asdict(launch.derivation),
    }


def _launch(item: dict[str, Any]) -> CpuLaunch:
    derived = item["derivation"]
    return CpuLaunch(
        **{
            **item,
            "buffers": tuple(item["buffers"]),
            "scalars": tuple((_value(value), BY_NAME[name]) for value, name in item["scalars"]),
            "programs": _value(item["programs"]),
            "derivation": None if derived is None else _derivation(derived),
        }
    )


def _derivation(item: dict[str, Any]) -> Derivation:
    texts = item["kernel"], item["certificate"]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a derivation is texts")
    return Derivation(*texts)


def _value_document(value: HostValue) -> list[Any]:
    factors = [f if isinstance(f, int) else _value_document(f) for f in value.factors]
    return [value.kind, value.view, value.dim, factors]


def _value(item: list[Any]) -> HostValue:
    kind, view, dim, factors = item
    return HostValue(
        kind, view, dim, tuple(f if isinstance(f, int) else _value(f) for f in factors)
    )
