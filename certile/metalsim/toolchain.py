"""Find clang and let its front end judge rewritten text.

In: C++ text and arguments.  Out: clang's complaints with lines and columns of the MSL.  Decides
which clang is used, what it is asked about, and how its words become diagnostics.  Leaves the text
to the rewriter, and libraries to `certile.metalsim.building`.
"""

import functools
import hashlib
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from certile import settings
from certile.diagnostics import InternalError, UnsupportedError
from certile.metalsim import cache
from certile.metalsim.findings import Diagnostic
from certile.metalsim.rewrite import SOURCE_NAME, Rewritten
from certile.records import record

__all__ = [
    "COMMON",
    "ERRORS",
    "SHIM",
    "Clang",
    "FrontEnd",
    "check_spaces",
    "check_types",
    "find_clang",
]

SHIM = Path(__file__).parent / "shim"
_OLDEST = 16
_CANDIDATES = ("clang", *(f"clang-{n}" for n in range(24, _OLDEST - 1, -1)))

COMMON = (
    "-std=c++20", "-fno-exceptions", "-fno-rtti", "-fwrapv", "-fsigned-char", "-fno-math-errno",
    "-ffp-contract=off", "-fno-strict-aliasing", "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
)  # fmt: skip
# Of all warnings those that MSL text must not give.
ERRORS = (
    "-ferror-limit=50", "-Wno-everything", "-Werror=uninitialized",
    "-Werror=sometimes-uninitialized", "-Werror=return-type",
)  # fmt: skip
_SYNTAX = (*COMMON, *ERRORS, "-fsyntax-only", "-DMSL_CHECKED=0")

# Codes at the head of a static assertion's text, in the headers and in rewritten text.
_ASSERTED = ("X007", "X008", "X010")
_COMPLAINT = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>fatal error|error|note): "
    r"(?P<message>.*)$",
    re.MULTILINE,
)


@record
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
    """Return what a compiler says of itself; it is asked once for each file that it has been."""
    file = Path(path).resolve()
    facts = file.stat()
    identity = f"{file}\0{facts.st_size}\0{facts.st_mtime_ns}\0{platform.node()}"
    name = f"{hashlib.sha256(identity.encode()).hexdigest()[:40]}.clang"
    known = cache.recall(name)
    if known is not None:
        return known
    result = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    version = result.stdout.partition("\nInstalledDir")[0]
    cache.remember(name, version)
    return version


def _major(version: str) -> int:
    found = re.search(r"clang version (\d+)", version)
    return int(found[1]) if found else 0


class FrontEnd:
    """A run of clang in flight; several run side by side."""

    def __init__(self, rewritten: Rewritten, arguments: Sequence[str]) -> None:
        self._rewritten = rewritten
        # A file and no pipe: the compiler reads while its neighbour is still being fed.
        with tempfile.TemporaryFile() as source:
            source.write(rewritten.text.encode())
            source.seek(0)
            self._process = subprocess.Popen(
                [find_clang().path, *arguments, f"-I{SHIM}", "-xc++", "-"],
                stdin=source,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )

    def collect(self) -> list[Diagnostic]:
        """Wait, and return the complaints at their places in the MSL.

        Raises:
            InternalError: if clang fails without a complaint that has a place.
        """
        _, errors = self._process.communicate()
        found = list(_complaints(errors, self._rewritten))
        if self._process.returncode and not found:
            raise InternalError("X031", f"clang failed without a place: {errors.strip()[:400]}")
        return found


def check_spaces(kept: Rewritten) -> FrontEnd:
    """Start the check of the text in which address spaces are kept."""
    return FrontEnd(kept, _SYNTAX)


def check_types(runnable: Rewritten) -> FrontEnd:
    """Start the check of the text that would run."""
    return FrontEnd(runnable, _SYNTAX)


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
