"""LLVM IR text to machine code of this host, and machine code to callable addresses.

In: an LLVM IR module as text, or the object bytes of an earlier compile.  Out: object bytes, and a
`Loaded` handle that gives the address of each exported function.  Decides the processor that code
is made for (the host, with the features it reports) and the effort LLVM spends.  Leaves to others
what the module computes, where object bytes are kept, and how a function is called.

A CPU kernel is a function `void NAME(ptr args, i64 first, i64 last, ptr scratch)`.  It runs the
program groups [first, last).  `args` points to slots of 8 bytes in the order of the kernel's
parameters: the base address of each buffer, and run-time scalars as i64, as f32 in the low four
bytes, or as f64.  `scratch` is 64-byte aligned and private to the thread for the call.

llvmlite is imported by the first function that needs it: its import takes longer than loading a
kernel, and programs that only plan or print never need it.
"""

import ctypes
import functools
import importlib
import itertools
import os
import platform
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from certile.diagnostics import InternalError
from certile.records import record
from certile.runtime.cache import Cache, key
from certile.settings import allowed_cpus

__all__ = [
    "ABI_VERSION",
    "Host",
    "Loaded",
    "compile_module",
    "environment",
    "has_feature",
    "host",
    "load_object",
    "load_or_compile",
    "lock",
    "object_key",
]

# llvmlite ships no types; this is the only module that touches it.
Binding: TypeAlias = Any
Linker: TypeAlias = Any
Module: TypeAlias = Any
TargetMachine: TypeAlias = Any
Tracker: TypeAlias = Any

# Part of every cache key: a kernel of another calling convention must not be found.
ABI_VERSION: Final = 1

# Level 2 selects the full instruction scheduler.  Level 1 made slower code in some runs, level 3
# never made faster code than level 2.
_OPT_LEVEL: Final = 2

_PASSES: Final = {
    "sroa": "add_sroa_pass",
    "instcombine": "add_instruction_combine_pass",
    "simplifycfg": "add_simplify_cfg_pass",
}

# Used where neither sysfs nor sysctl tells; small enough to be true of any machine in use.
_USUAL_CACHES: Final = (32 * 1024, 512 * 1024, 4 * 1024 * 1024)

# One thread at a time talks to LLVM.  llvmlite has a lock of its own as well, which any thread may
# take when it collects an object of LLVM's.
lock: Final = threading.RLock()
_foreign_locks: list[Any] = []


def _before_fork() -> None:
    """Wait for both locks, so that no child begins its life with one that nobody will release."""
    lock.acquire()
    for foreign in _foreign_locks:
        foreign.__enter__()


def _after_fork() -> None:
    for foreign in _foreign_locks:
        foreign.__exit__(None, None, None)
    lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )

_names = itertools.count()
_kept: list["Loaded"] = []


@record
class Host:
    """The processor this process runs on, as code generation has to know it.

    `cores` counts the CPUs of the affinity mask; `vector_bits` is the widest vector register that
    the features offer (512, 256 or 128); cache sizes are bytes, level 1 being the data cache.
    """

    triple: str
    cpu: str
    features: str
    vector_bits: int
    cores: int
    l1_bytes: int
    l2_bytes: int
    l3_bytes: int


class Loaded:
    """Machine code in memory.

    The code is unmapped when the handle is collected, so whoever keeps an address keeps the handle
    as long as a call through that address may run.
    """

    __slots__ = ("__weakref__", "_addresses", "_library", "_tracker", "_trackers")

    def __init__(self, library: str, tracker: Tracker) -> None:
        self._library = library
        self._tracker = tracker
        self._addresses: dict[str, int] = {}
        self._trackers: list[Tracker] = []

    def address(self, name: str) -> int:
        """Return the address of the exported function `name`.

        Raises `InternalError` V901 when the module exports no such function.
        """
        found = self._addresses.get(name)
        if found is None:
            found = self._addresses[name] = self._look_up(name)
        return found

    def keep(self) -> None:
        """Keep this code mapped for the life of the process, for threads that Python cannot see."""
        _kept.append(self)

    def _look_up(self, name: str) -> int:
        with lock:
            try:
                tracker = _jit().lookup(self._library, name)
            except RuntimeError as error:
                raise InternalError("V901", f"loaded code exports no function {name}") from error
            self._trackers.append(tracker)
            return int(tracker[name])


@functools.cache
def host() -> Host:
    """Describe this machine; asked once a process."""
    triple, cpu, features = _processor()
    l1, l2, l3 = _cache_sizes()
    return Host(
        triple=triple,
        cpu=cpu,
        features=features,
        vector_bits=_vector_bits({flag[1:] for flag in features.split(",") if flag[:1] == "+"}),
        cores=allowed_cpus(),
        l1_bytes=l1,
        l2_bytes=l2,
        l3_bytes=l3,
    )


@functools.cache
def environment() -> tuple[str, ...]:
    """Return everything besides the IR text that object bytes depend on, for cache keys."""
    llvm = ".".join(map(str, _binding().llvm_version_info))
    return (str(ABI_VERSION), llvm, *_processor())


@functools.cache
def _processor() -> tuple[str, str, str]:
    """Return triple, name and features; apart from `host`, whose cache sizes take longer."""
    binding = _binding()
    features = binding.get_host_cpu_features().flatten().split(",")
    return binding.get_process_triple(), binding.get_host_cpu_name(), ",".join(sorted(features))


def has_feature(name: str) -> bool:
    """Whether the processor reports a feature, in LLVM's spelling such as "avx512bf16"."""
    return f"+{name}" in _processor()[2].split(",")


def compile_module(
    ir_text: str, features: str = "", passes: Sequence[str] = (), level: int = _OPT_LEVEL
) -> bytes:
    """Compile an LLVM IR module for this host and return the object file's bytes.

    `features` are LLVM feature flags ("+avx2,-avx512f") put after the host's own.  `passes` names
    IR passes to run first: "sroa", "instcombine", "simplifycfg".  None is the default: IR that is
    in SSA form and already vectorised compiled to the same speed with and without them, and a full
    pipeline doubled the compile time.  `level` is LLVM's effort in code generation, 0 to 3.

    Raises `InternalError` V902 when LLVM does not accept the text.
    """
    with lock:
        binding = _binding()
        # A context of its own: the global one keeps every type and constant of every module.
        context = binding.create_context()
        try:
            module = binding.parse_assembly(ir_text, context)
            module.verify()
        except RuntimeError as error:
            raise InternalError("V902", f"LLVM refuses generated code: {error}") from error
        machine = _target_machine(features, level)
        if passes:
            _run_passes(module, machine, passes)
        return bytes(machine.emit_object(module))


def load_object(data: bytes) -> Loaded:
    """Map object bytes into memory, linked against the symbols of this process.

    Raises `InternalError` V903 when the bytes are no object file or a symbol is missing.
    """
    with lock:
        library = f"certile.{next(_names)}"
        builder = _binding().JITLibraryBuilder().add_object_img(data).add_current_process()
        try:
            return Loaded(library, builder.link(_jit(), library))
        except RuntimeError as error:
            raise InternalError("V903", f"machine code does not link: {error}") from error


def object_key(ir_text: str, features: str = "", level: int = _OPT_LEVEL) -> str:
    """Return the key under which the disk cache holds the object of a module."""
    return key("cpu-object", *environment(), features, level, ir_text)


def load_or_compile(
    ir_text: str, cache: Cache, features: str = "", level: int = _OPT_LEVEL
) -> Loaded:
    """Return the module `ir_text`, loaded; it is compiled only when `cache` does not hold it."""
    entry = object_key(ir_text, features, level)
    data = cache.get(entry)
    if data is None:
        data = compile_module(ir_text, features, level=level)
        cache.put(entry, data)
    return load_object(data)


@functools.cache
def _binding() -> Binding:
    """Import llvmlite's binding and prepare it for this machine."""
    binding = importlib.import_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    # llvmlite names no public way to it.
    _foreign_locks.append(binding.ffi.lib._lock)
    return binding


@functools.cache
def _target_machine(features: str, level: int) -> TargetMachine:
    binding = _binding()
    target = binding.Target.from_triple(binding.get_process_triple())
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=",".join(filter(None, (binding.get_host_cpu_features().flatten(), features))),
        opt=level,
        jit=True,
    )


@functools.cache
def _jit() -> Linker:
    """Return the process's JIT linker.

    llvmlite frees nothing once the interpreter shuts down, so this linker and all that is loaded
    stay mapped under worker threads until the process ends.
    """
    return _binding().create_lljit_compiler()


def _run_passes(module: Module, machine: TargetMachine, passes: Sequence[str]) -> None:
    binding = _binding()
    manager = binding.create_new_module_pass_manager()
    for name in passes:
        getattr(manager, _PASSES[name])()
    builder = binding.create_pass_builder(
        machine, binding.create_pipeline_tuning_options(speed_level=0)
    )
    manager.run(module, builder)


def _vector_bits(features: set[str]) -> int:
    if "avx512f" in features:
        return 512
    return 256 if "avx2" in features else 128


def _cache_sizes() -> tuple[int, int, int]:
    if platform.system() == "Darwin":
        return _sysctl_caches()
    return _sysfs_caches(Path("/sys/devices/system/cpu/cpu0/cache"))


def _sysfs_caches(folder: Path) -> tuple[int, int, int]:
    """Read the sizes of the data caches of one CPU; unknown levels get the usual size."""
    sizes = list(_USUAL_CACHES)
    for index in sorted(folder.glob("index*")):
        try:
            level = int((index / "level").read_text())
            kind = (index / "type").read_text().strip()
            size = (index / "size").read_text().strip()
            if kind != "Instruction" and level <= len(sizes):
                sizes[level - 1] = int(size.rstrip("KM")) << (20 if size.endswith("M") else 10)
        except (OSError, ValueError):
            continue
    return sizes[0], sizes[1], sizes[2]


def _sysctl_caches() -> tuple[int, int, int]:
    """Ask macOS; a machine without a third level reports none and gets its second level's size."""
    libc = ctypes.CDLL(None)
    sizes: list[int] = []
    for name, usual in zip(("hw.l1dcachesize", "hw.l2cachesize"), _USUAL_CACHES, strict=False):
        value, length = ctypes.c_int64(0), ctypes.c_size_t(8)
        code = libc.sysctlbyname(
            name.encode(), ctypes.byref(value), ctypes.byref(length), None, ctypes.c_size_t(0)
        )
        sizes.append(value.value if code == 0 and value.value > 0 else usual)
    return sizes[0], sizes[1], max(sizes[1], _USUAL_CACHES[2])
