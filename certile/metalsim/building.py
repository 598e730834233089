"""Turn MSL text into a shared library: what is cached, and what a missing one costs.

In: text and a kind of build.  Out: the path of a library in the cache, or complaints about the
text.  Decides flags, names in the cache, and that the check of a text and its compilation run side
by side.  Leaves reading and rewriting to `certile.metalsim.checker`, clang itself to
`certile.metalsim.toolchain`, files to `certile.metalsim.cache` and loading to
`certile.metalsim.library`.
"""

import functools
import hashlib
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from certile.diagnostics import InternalError, UnsupportedError
from certile.metalsim import cache
from certile.metalsim.checker import examine, first_of_each_line
from certile.metalsim.findings import Diagnostic
from certile.metalsim.rewrite import Rewritten
from certile.metalsim.toolchain import (
    COMMON,
    ERRORS,
    SHIM,
    Clang,
    FrontEnd,
    check_spaces,
    find_clang,
)

__all__ = ["Build", "built", "known"]

Build = Literal["fast", "checked"]

# Unrolled loops and reduced strengths cost the compiler more than they give a simulated kernel.
_PLAIN_LOOPS = ("-mllvm", "-pragma-unroll-threshold=0", "-mllvm", "-disable-lsr")
_CODE = (*COMMON, "-fPIC", "-fvisibility=hidden", "-fno-strict-float-cast-overflow")
# The thread sanitizer only marks loads and stores here: the functions that it calls are ours.  It
# marks what optimisation leaves, so no load may sink to where its value turns out to be needed.
_CHECKED = (
    "-O1", "-g1", "-gdwarf-4", "-ftrivial-auto-var-init=pattern", "-fno-sanitize-link-runtime",
    "-fsanitize=thread,array-bounds,shift-exponent,integer-divide-by-zero,float-cast-overflow,return",
    "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-read-before-write",
    "-mllvm", "-instcombine-code-sinking=false",
)  # fmt: skip
# A frame larger than the guard below a thread's stack would otherwise step over it.
_PROBED = "-fstack-clash-protection"
_KERNEL_FLAGS: dict[Build, tuple[str, ...]] = {
    "fast": (*_CODE, *_PLAIN_LOOPS, _PROBED, "-O2", "-DMSL_CHECKED=0"),
    "checked": (*_CODE, *_PLAIN_LOOPS, *_CHECKED, _PROBED, "-DMSL_CHECKED=1"),
}
_RUNTIME_FLAGS: dict[Build, tuple[str, ...]] = {
    "fast": (*_CODE, "-w", "-O2", "-DMSL_CHECKED=0"),
    "checked": (*_CODE, "-w", "-O2", "-DMSL_CHECKED=1"),
}
_PARTS = ("runtime", "memory")
_LINKED = ("-shared", "-l:libm.so.6", "-l:libc.so.6")
_PACKAGE = Path(__file__).parent


def known(text: str, kind: Build) -> Path | None:
    """Return the library of a text that was built before.

    Raises:
        UnsupportedError: if there is no clang: without its version no library is known.
    """
    return cache.find(_library_name(find_clang(), text, kind))


def built(text: str, kind: Build) -> Path | list[Diagnostic]:
    """Compile a text and return its library, in the cache where there is one, or the complaints.

    Raises:
        UnsupportedError: if there is no clang, or the system is not Linux.
        InternalError: if clang or the linker fails without blaming the text.
    """
    examined = examine(text)
    if examined.diagnostics:
        return examined.complaints()
    if platform.system() != "Linux":
        return examined.complaints() or _refuse_system()
    clang = find_clang()
    with tempfile.TemporaryDirectory(prefix="certile-metalsim-") as scratch:
        made = Path(scratch) / "kernel.o"
        # The compiler starts first: it takes longest, and the other text is written meanwhile.
        code = _compiling(examined.runnable, kind, made)
        spaces = check_spaces(examined.kept())
        complaints = first_of_each_line([*spaces.collect(), *code.collect()])
        if complaints:
            return complaints
        library = Path(scratch) / "kernel.so"
        _link(clang, [made, *(_runtime(clang, kind, part) for part in _PARTS)], library)
        return cache.publish(library, _library_name(clang, text, kind))


def _refuse_system() -> list[Diagnostic]:
    raise UnsupportedError(
        "X032",
        f"Metal text runs on a CPU under Linux, not under {platform.system()}",
        hint="check() works here; on a Mac the kernel itself can run",
    )


@functools.lru_cache(maxsize=1)
def _host_flags() -> tuple[str, ...]:
    """Return what makes a fused multiply-add an instruction; without it the C library is called."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as processors:
            first = processors.read(8192)
    except OSError:
        return ()
    return ("-mfma",) if re.search(r"^flags\s*:.* fma\b", first, re.MULTILINE) else ()


def _kernel_flags(kind: Build) -> tuple[str, ...]:
    return (*_KERNEL_FLAGS[kind], *_host_flags())


def _compiling(runnable: Rewritten, kind: Build, output: Path) -> FrontEnd:
    """Start making the object; what its front end finds is the second half of the check."""
    return FrontEnd(runnable, [*_kernel_flags(kind), *ERRORS, "-c", "-o", str(output)])


def _link(clang: Clang, objects: Sequence[Path], output: Path) -> None:
    """Link without the driver where that works: it costs ten times what the linker does."""
    linker = shutil.which("ld")
    direct = [*map(str, objects), *_LINKED, "-o", str(output)]
    if (
        linker
        and subprocess.run([linker, *direct], capture_output=True, check=False).returncode == 0
    ):
        return
    _run(clang, ["-shared", *map(str, objects), "-lm", "-o", str(output)])


def _runtime(clang: Clang, kind: Build, part: str) -> Path:
    name = f"{part}-{_key(clang, _RUNTIME_FLAGS[kind], part)}.o"
    found = cache.find(name)
    if found is not None:
        return found
    with tempfile.TemporaryDirectory(prefix="certile-metalsim-") as scratch:
        output = Path(scratch) / "part.o"
        source = str(SHIM / f"{part}.cpp")
        _run(clang, [*_RUNTIME_FLAGS[kind], "-c", source, "-o", str(output)])
        return cache.publish(output, name)


def _run(clang: Clang, arguments: Sequence[str]) -> None:
    command = [clang.path, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise InternalError("X031", f"clang failed: {result.stderr.strip()[:2000]}")


def _library_name(clang: Clang, text: str, kind: Build) -> str:
    return f"{_key(clang, _kernel_flags(kind), text)}.so"


def _key(clang: Clang, flags: Sequence[str], text: str) -> str:
    return _digest([clang.version, platform.machine(), *flags, _own_digest(), text])[:40]


@functools.lru_cache(maxsize=1)
def _own_digest() -> str:
    """Return a digest of everything here that shapes a library: the headers and this package."""
    sources = sorted([*SHIM.iterdir(), *_PACKAGE.glob("*.py")])
    return _digest(path.read_text(encoding="utf-8") for path in sources)


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()
