"""Find clang and run it on rewritten text.

In: C++ text and a mode.  Out: clang's complaints with lines and columns of the MSL, or the path of
a shared library in the cache.  Decides flags and what is cached under which key.  Leaves the text
to the rewriter, the cache to `certile.metalsim.cache` and loading to `certile.metalsim.library`.
"""

import functools
import hashlib
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from certile import settings
from certile.diagnostics import InternalError, UnsupportedError
from certile.metalsim import cache
from certile.metalsim.findings import Diagnostic
from certile.metalsim.rewrite import SOURCE_NAME, Rewritten

__all__ = ["Build", "Clang", "Complaints", "Job", "find_clang"]

Build = Literal["fast", "checked"]

_SHIM = Path(__file__).parent / "shim"
_OLDEST = 16
_CANDIDATES = ("clang", *(f"clang-{n}" for n in range(24, _OLDEST - 1, -1)))

_COMMON = (
    "-std=c++20", "-fno-exceptions", "-fno-rtti", "-fwrapv", "-fsigned-char", "-fno-math-errno",
    "-ffp-contract=off", "-fno-strict-aliasing", "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
)  # fmt: skip
_CODE = (*_COMMON, "-fPIC", "-fvisibility=hidden", "-fno-strict-float-cast-overflow", "-w")
# The thread sanitizer only marks loads and stores here: the functions that it calls are ours.
_CHECKED = (
    "-O1", "-g1", "-gdwarf-4", "-ftrivial-auto-var-init=pattern", "-fno-sanitize-link-runtime",
    "-fsanitize=thread,array-bounds,shift-exponent,integer-divide-by-zero,float-cast-overflow,return",
    "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-read-before-write",
)  # fmt: skip
# A frame larger than the guard below a thread's stack would otherwise step over it.
_PROBED = "-fstack-clash-protection"
_KERNEL_FLAGS: dict[Build, tuple[str, ...]] = {
    "fast": (*_CODE, _PROBED, "-O2", "-DMSL_CHECKED=0"),
    "checked": (*_CODE, *_CHECKED, _PROBED, "-DMSL_CHECKED=1"),
}
_RUNTIME_FLAGS: dict[Build, tuple[str, ...]] = {
    "fast": (*_CODE, "-O2", "-DMSL_CHECKED=0"),
    "checked": (*_CODE, "-O2", "-DMSL_CHECKED=1"),
}
_STRICT = (
    "-fsyntax-only", "-ferror-limit=50", "-Wno-everything", "-Werror=uninitialized",
    "-Werror=sometimes-uninitialized", "-Werror=return-type",
)  # fmt: skip

# Codes at the head of a static assertion's text, in the headers and in rewritten text.
_ASSERTED = ("X007", "X008", "X010")
_COMPLAINT = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>fatal error|error|note): "
    r"(?P<message>.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Clang:
    """A compiler: its path and what it says of its version."""

    path: str
    version: str


def find_clang() -> Clang:
    """Return the clang of the settings, else the first recent one on PATH.

    Raises:
        UnsupportedError: if there is none of version 16 or later.
    """
    chosen = settings.current().clang
    return _find_clang(chosen)


@functools.lru_cache(maxsize=8)
def _find_clang(chosen: str | None) -> Clang:
    for name in (chosen,) if chosen else _CANDIDATES:
        path = shutil.which(name)
        version = _version(path) if path else ""
        if path and _major(version) >= _OLDEST:
            return Clang(path, version)
    raise UnsupportedError(
        "X030",
        f"no clang of version {_OLDEST} or later"
        + (f": CERTILE_CLANG names {chosen!r}" if chosen else " on PATH"),
        hint="install one, for example: apt-get install clang-19",
    )


def _version(path: str) -> str:
    result = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return result.stdout.partition("\nInstalledDir")[0]


def _major(version: str) -> int:
    found = re.search(r"clang version (\d+)", version)
    return int(found[1]) if found else 0


class Complaints:
    """A syntax check in flight; several run side by side."""

    def __init__(self, rewritten: Rewritten) -> None:
        self._rewritten = rewritten
        self._process = subprocess.Popen(
            [find_clang().path, *_COMMON, *_STRICT, "-DMSL_CHECKED=0", f"-I{_SHIM}", "-xc++", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def collect(self) -> list[Diagnostic]:
        """Wait, and return the complaints at their places in the MSL."""
        _, errors = self._process.communicate(self._rewritten.text)
        found = list(_complaints(errors, self._rewritten))
        if self._process.returncode and not found:
            raise InternalError("X031", f"clang failed without a place: {errors.strip()[:400]}")
        return found


def _complaints(errors: str, rewritten: Rewritten) -> Iterator[Diagnostic]:
    """Give each error the first place in the MSL that it or its notes name."""
    pending: str | None = None
    for match in _COMPLAINT.finditer(errors):
        if match["kind"] != "note":
            if pending is not None:
                yield _placed(pending, 1, 1)
            pending = match["message"]
        if pending is not None and match["file"] == SOURCE_NAME:
            line = int(match["line"])
            yield _placed(pending, line, rewritten.writer.column(line, int(match["column"])))
            pending = None
    if pending is not None:
        yield _placed(pending, 1, 1)


def _placed(message: str, line: int, column: int) -> Diagnostic:
    """Our own static assertions carry their code; the rest is the front end's."""
    for code in _ASSERTED:
        if f"{code} " in message:
            return Diagnostic(line, column, code, message.partition(f"{code} ")[2])
    code = "X011" if "uninitialized" in message else "X010"
    return Diagnostic(line, column, code, message.partition(" [-W")[0])


@dataclass(frozen=True, slots=True)
class Job:
    """C++ of run mode that becomes a shared library; `context` is what else tells it apart."""

    text: str
    context: str
    kind: Build

    def cached(self) -> Path | None:
        """Return the library if it was built before.

        Raises:
            UnsupportedError: if there is no clang: without its version no library is known.
        """
        return cache.find(self._name(find_clang()))

    def build(self) -> Path:
        """Compile the text and return the library's path, in the cache where there is one.

        Raises:
            UnsupportedError: if there is no clang, or the system is not Linux.
            InternalError: if the text does not compile, though it passed the check.
        """
        if platform.system() != "Linux":
            raise UnsupportedError(
                "X032",
                f"Metal text runs on a CPU under Linux, not under {platform.system()}",
                hint="check() works here; on a Mac the kernel itself can run",
            )
        clang = find_clang()
        name, flags = self._name(clang), _KERNEL_FLAGS[self.kind]
        objects = [_runtime(clang, self.kind, part) for part in ("runtime", "memory")]
        with tempfile.TemporaryDirectory() as scratch:
            source, output = Path(scratch) / "kernel.cpp", Path(scratch) / "kernel.so"
            source.write_text(self.text, encoding="utf-8")
            inputs = [f"-I{_SHIM}", str(source), *map(str, objects)]
            _compile(clang, [*flags, "-shared", *inputs, "-lm", "-o", str(output)])
            return cache.publish(output, name)

    def _name(self, clang: Clang) -> str:
        key = _key(clang, _KERNEL_FLAGS[self.kind], self.text + "\0" + self.context)
        return f"{key}.so"


def _runtime(clang: Clang, kind: Build, part: str) -> Path:
    name = f"{part}-{_key(clang, _RUNTIME_FLAGS[kind], part)}.o"
    known = cache.find(name)
    if known is not None:
        return known
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "part.o"
        source = str(_SHIM / f"{part}.cpp")
        _compile(clang, [*_RUNTIME_FLAGS[kind], "-c", source, "-o", str(output)])
        return cache.publish(output, name)


def _compile(clang: Clang, arguments: Sequence[str]) -> None:
    command = [clang.path, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise InternalError("X031", f"clang failed: {result.stderr.strip()[:2000]}")


@functools.lru_cache(maxsize=1)
def _shim_digest() -> str:
    return _digest(path.read_text(encoding="utf-8") for path in sorted(_SHIM.iterdir()))


def _key(clang: Clang, flags: Sequence[str], text: str) -> str:
    return _digest([clang.version, platform.machine(), *flags, _shim_digest(), text])[:40]


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()
