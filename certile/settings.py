"""Every CERTILE_ variable: its type, its default and one sentence.

In: the process environment; this is the only module that reads it.  Out: `Settings`, a frozen
snapshot that a compile takes once.  Decides what a value may be and which settings change
generated code.  Leaves to others what each setting does.
"""

import difflib
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, get_args

from certile.diagnostics import ArgumentError
from certile.records import record

__all__ = [
    "VARIABLES",
    "Settings",
    "SettingsWarning",
    "Variable",
    "current",
    "is_set",
    "warn_unknown",
]

PREFIX = "CERTILE_"

Target = Literal["cpu", "reference", "metal-sim", "metal", "cuda", "null"]
Cache = Literal["on", "off", "readonly"]
Math = Literal["precise", "fast", "portable"]
Rewrites = Literal["proved", "off"]
Guard = Literal["check", "trust", "off"]
Check = Literal["args", "bounds", "off"]
Verify = Literal["ends", "each", "off"]
# The stages of a compile whose results can be looked at, in order.
STAGES = ("tile", "plan", "machine", "kernel")

T = TypeVar("T")
# Covariant, so that a list of all variables is a list of Variable[object].
T_co = TypeVar("T_co", covariant=True)


class SettingsWarning(UserWarning):
    """A variable with our prefix that no setting has; probably a typing error."""


@record
class Variable(Generic[T_co]):
    """One variable: how to read it and how to describe it.

    `kind` is the type in words, `shown_default` the default as the documentation prints it, and
    `changes_code` says that two values can give two different kernels.
    """

    name: str
    kind: str
    parse: Callable[[str], T_co]
    default: T_co
    shown_default: str
    sentence: str
    changes_code: bool = False

    def read(self, environment: Mapping[str, str]) -> T_co:
        """Return the value in `environment`; an unset or empty variable gives the default.

        Raises `ArgumentError` S001 when the value does not fit.
        """
        raw = environment.get(self.name, "").strip()
        if not raw:
            return self.default
        try:
            return self.parse(raw)
        except ValueError:
            message = f"{self.name}={raw!r} does not fit; it takes {self.kind}"
            raise ArgumentError("S001", message) from None


def _one_of(allowed: tuple[T, ...]) -> Callable[[str], T]:
    def parse(raw: str) -> T:
        for value in allowed:
            if value == raw:
                return value
        raise ValueError(raw)

    return parse


def _switch(raw: str) -> bool:
    return _one_of(("1", "on", "0", "off"))(raw) in ("1", "on")


def _size(raw: str) -> int:
    """Read a byte count: 65536, 512K, 256M, 4G (powers of 1024)."""
    match = re.fullmatch(r"(\d+)([KMG]?)B?", raw.upper())
    if match is None:
        raise ValueError(raw)
    return int(match[1]) << 10 * " KMG".index(match[2] or " ")


def _positive(raw: str) -> int:
    number = int(raw)
    if number < 1:
        raise ValueError(raw)
    return number


def _seconds(raw: str) -> float:
    number = float(raw)
    if not 0 <= number < float("inf"):
        raise ValueError(raw)
    return number


def _names(raw: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in raw.split(","))
    if not set(names) <= {"all", *STAGES}:
        raise ValueError(raw)
    return names


def _path(raw: str) -> Path:
    try:
        return Path(raw).expanduser()
    except RuntimeError:  # for a user that the system does not know
        raise ValueError(raw) from None


TARGET: Variable[Target | None] = Variable(
    "CERTILE_TARGET",
    "cpu, reference, metal-sim, metal, cuda or null",
    _one_of(get_args(Target)),
    None,
    "the device of the arrays",
    "Target of every call that names none.",
)
CACHE: Variable[Cache] = Variable(
    "CERTILE_CACHE",
    "on, off or readonly",
    _one_of(get_args(Cache)),
    "on",
    "on",
    "Whether compiled kernels and proofs are read from and written to the disk cache.",
)
CACHE_DIR: Variable[Path | None] = Variable(
    "CERTILE_CACHE_DIR",
    "a folder",
    _path,
    None,
    "the user's cache folder, `certile` in it",
    "Folder of the disk cache: kernels, certificates and measured sheets.",
)
CACHE_BYTES: Variable[int] = Variable(
    "CERTILE_CACHE_BYTES",
    "a byte count, for example 512M",
    _size,
    1024**3,
    "1G",
    "Size at which the disk cache drops what was not used for longest; libraries of simulated "
    "Metal kernels and proofs, in folders of their own, have the same limit.",
)
POOL_BYTES: Variable[int] = Variable(
    "CERTILE_POOL_BYTES",
    "a byte count, for example 256M",
    _size,
    256 * 1024**2,
    "256M",
    "Bytes of freed result memory kept for the next call.",
)
THREADS: Variable[int | None] = Variable(
    "CERTILE_THREADS",
    "a positive number",
    _positive,
    None,
    "the CPUs this process may use",
    "Threads of the CPU worker pool, the caller's included.",
    changes_code=True,
)
MATH: Variable[Math] = Variable(
    "CERTILE_MATH",
    "precise, fast or portable",
    _one_of(get_args(Math)),
    "precise",
    "precise",
    "Math of kernels that do not choose: IEEE-like, relaxed, or equal bits on every target.",
    changes_code=True,
)
REWRITES: Variable[Rewrites] = Variable(
    "CERTILE_REWRITES",
    "proved or off",
    _one_of(get_args(Rewrites)),
    "proved",
    "proved",
    "Whether kernels that do not choose, and operations, may be rewritten where that is proved.",
    changes_code=True,
)
GUARD: Variable[Guard] = Variable(
    "CERTILE_GUARD",
    "check, trust or off",
    _one_of(get_args(Guard)),
    "check",
    "check",
    "What the guard does before a generated kernel replaces the framework's own operation. "
    "This version has no guard: the setting is read and has no effect.",
)
GUARD_BUDGET: Variable[float] = Variable(
    "CERTILE_GUARD_BUDGET",
    "seconds",
    _seconds,
    2.0,
    "2",
    "Seconds that the guard may spend on one decision. No effect in this version, as above.",
)
CHECK: Variable[Check] = Variable(
    "CERTILE_CHECK",
    "args, bounds or off",
    _one_of(get_args(Check)),
    "args",
    "args",
    "Checks of a call: its arguments, or none. `bounds` is to check every access as well; in this "
    "version it checks what `args` does, and the target `reference` checks every access.",
    changes_code=True,
)
DUMP: Variable[tuple[str, ...]] = Variable(
    "CERTILE_DUMP",
    f"all, or of {', '.join(STAGES)}, with commas between",
    _names,
    (),
    "nothing",
    "Stages whose result is written as a numbered file.",
)
DUMP_DIR: Variable[Path] = Variable(
    "CERTILE_DUMP_DIR",
    "a folder",
    _path,
    Path("certile-dump"),
    "`certile-dump`",
    "Folder for the files of CERTILE_DUMP, one folder a kernel.",
)
VERIFY: Variable[Verify] = Variable(
    "CERTILE_VERIFY",
    "ends, each or off",
    _one_of(get_args(Verify)),
    "ends",
    "ends",
    "Where the verifier runs: after the first and the last stage, after each, or never.",
)
TRACE: Variable[Literal["rules"] | None] = Variable(
    "CERTILE_TRACE",
    "rules",
    _one_of(("rules",)),
    None,
    "nothing",
    "Print each rewrite and each refusal to standard error: rule, place and reason.",
)
TIME: Variable[bool] = Variable(
    "CERTILE_TIME",
    "1, on, 0 or off",
    _switch,
    False,
    "off",
    "Print the time of each stage to standard error.",
)
CLANG: Variable[str | None] = Variable(
    "CERTILE_CLANG",
    "a program name or path",
    str,
    None,
    "the newest clang on PATH",
    "The clang (16 or later) that compiles Metal kernels for the simulated target.",
)
SHEET_DIR: Variable[Path | None] = Variable(
    "CERTILE_SHEET_DIR",
    "a folder",
    _path,
    None,
    "none",
    "Folder with target sheets that are found by name before the shipped ones. "
    "No effect in this version, which knows the shipped ones only.",
)

VARIABLES: tuple[Variable[object], ...] = (
    TARGET,
    CACHE,
    CACHE_DIR,
    CACHE_BYTES,
    POOL_BYTES,
    THREADS,
    MATH,
    REWRITES,
    GUARD,
    GUARD_BUDGET,
    CHECK,
    DUMP,
    DUMP_DIR,
    VERIFY,
    TRACE,
    TIME,
    CLANG,
    SHEET_DIR,
)


@record(kw_only=True)
class Settings:
    """A snapshot of every setting; a field is a variable's name in lower case, less the prefix."""

    target: Target | None = None
    cache: Cache = "on"
    cache_dir: Path
    cache_bytes: int = CACHE_BYTES.default
    pool_bytes: int = POOL_BYTES.default
    threads: int
    math: Math = "precise"
    rewrites: Rewrites = "proved"
    guard: Guard = "check"
    guard_budget: float = GUARD_BUDGET.default
    check: Check = "args"
    dump: tuple[str, ...] = ()
    dump_dir: Path = DUMP_DIR.default
    verify: Verify = "ends"
    trace: Literal["rules"] | None = None
    time: bool = False
    clang: str | None = None
    sheet_dir: Path | None = None

    @staticmethod
    def read(environment: Mapping[str, str] | None = None) -> "Settings":
        """Read every variable from `environment` (default: the process's own).

        Raises `ArgumentError` S001 for the first value that does not fit.
        """
        source = os.environ if environment is None else environment
        return Settings(
            target=TARGET.read(source),
            cache=CACHE.read(source),
            cache_dir=CACHE_DIR.read(source) or _user_cache(source),
            cache_bytes=CACHE_BYTES.read(source),
            pool_bytes=POOL_BYTES.read(source),
            threads=THREADS.read(source) or allowed_cpus(),
            math=MATH.read(source),
            rewrites=REWRITES.read(source),
            guard=GUARD.read(source),
            guard_budget=GUARD_BUDGET.read(source),
            check=CHECK.read(source),
            dump=DUMP.read(source),
            dump_dir=DUMP_DIR.read(source),
            verify=VERIFY.read(source),
            trace=TRACE.read(source),
            time=TIME.read(source),
            clang=CLANG.read(source),
            sheet_dir=SHEET_DIR.read(source),
        )

    def codegen_key(self) -> tuple[tuple[str, str], ...]:
        """Return the settings that can change generated code, as (variable, value) pairs."""
        values = self.values()
        return tuple((v.name, str(values[v.name])) for v in VARIABLES if v.changes_code)

    def values(self) -> dict[str, object]:
        """Return every setting by its variable's name, for crash files and `certile doctor`."""
        return {PREFIX + f.name.upper(): getattr(self, f.name) for f in fields(self)}


def is_set(name: str) -> bool:
    """Whether the environment holds a variable, and not as an empty text."""
    return bool(os.environ.get(name, "").strip())


_snapshot: tuple[tuple[str | None, ...], Settings] | None = None


def current() -> Settings:
    """Return the snapshot of the environment as it is, read again only where it changed.

    Raises `ArgumentError` S001 for a value that does not fit.
    """
    global _snapshot
    raw = tuple(map(os.environ.get, _WATCHED))
    if _snapshot is None or _snapshot[0] != raw:
        _snapshot = (raw, Settings.read())
    return _snapshot[1]


def call_state() -> tuple[object, ...]:
    """Return the raw text of the settings that a launch depends on.

    Equal results mean that none of them changed.  It stands on the path of every call, where
    decoding all variables would cost more than the launch.
    """
    # Usually none is set, which one look tells in half the time.
    return _NONE_SET if _unset(_OF_A_CALL) else tuple(map(_raw, _OF_A_CALL))


def pool_state() -> object:
    """Return the raw text of CERTILE_POOL_BYTES, which every large result asks about."""
    return _raw(_OF_THE_POOL)


_warned: set[str] = set()


def warn_unknown(environment: Mapping[str, str] | None = None) -> None:
    """Warn once a process about each CERTILE_ name that no setting has, with a suggestion.

    The compiler calls it before the first compile, so that a typing error is heard where it
    would have mattered and `import certile` stays silent.
    """
    known = [variable.name for variable in VARIABLES]
    source = os.environ if environment is None else environment
    for name in sorted(source):
        if not name.startswith(PREFIX) or name in known or name in _warned:
            continue
        _warned.add(name)
        close = difflib.get_close_matches(name, known, n=1)
        suggestion = f"; did you mean {close[0]}?" if close else "; docs/settings.md lists them"
        warnings.warn(f"no setting is called {name}{suggestion}", SettingsWarning, stacklevel=2)


def _user_cache(environment: Mapping[str, str]) -> Path:
    # The specification has a path that is not absolute ignored.
    chosen = Path(environment.get("XDG_CACHE_HOME", ""))
    if chosen.is_absolute():
        return chosen / "certile"
    folder = "~/Library/Caches/certile" if sys.platform == "darwin" else "~/.cache/certile"
    try:
        return Path(folder).expanduser()
    except RuntimeError:
        # No HOME, and a user that the system does not know, as in some containers: a folder that
        # nobody can make, so that the cache is done without.
        return Path(os.devnull, "certile")


def allowed_cpus() -> int:
    """Count the CPUs of the affinity mask; `os.cpu_count` ignores containers and taskset."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_WATCHED = (*(variable.name for variable in VARIABLES), "XDG_CACHE_HOME", "HOME")

# CPython keeps the environment as a dict of encoded text behind `os.environ`, which every change
# through `os.environ` writes to; another Python takes the slower public way.
_encoded = getattr(os.environ, "_data", None)
_raw: Callable[..., object] = os.environ.get if _encoded is None else _encoded.get
_OF_A_CALL = tuple(
    v.name if _encoded is None else os.environ.encodekey(v.name)
    for v in VARIABLES
    if v.changes_code or v is TARGET
)
_NONE_SET: tuple[object, ...] = (None,) * len(_OF_A_CALL)
# A view of a dict follows the dict.
_unset: Callable[[tuple[Any, ...]], bool] = (
    os.environ.keys() if _encoded is None else _encoded.keys()
).isdisjoint
_OF_THE_POOL = POOL_BYTES.name if _encoded is None else os.environ.encodekey(POOL_BYTES.name)
