"""Compile Metal text ahead of a launch, with Apple's offline compiler where Xcode is installed.

In: text and options.  Out: the bytes of a library.  Decides the command line, and that a library is
kept in the disk cache under the text, the flags and the compiler's version.  Leaves to
`certile.runtime.metal.pipelines` to compile at run time where there is no such compiler.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from certile.runtime.cache import default_cache, key
from certile.runtime.metal.errors import LibraryError
from certile.runtime.metal.protocol import CompileOptions, DeviceError

__all__ = ["Offline", "Run", "find"]

# Runs a command: its status, and what it wrote.
Run = Callable[[Sequence[str]], tuple[int, str]]

_XCRUN = "xcrun"
# The compiler alone may take long; what never ends is no compiler.
_SECONDS = 120


def _run(command: Sequence[str]) -> tuple[int, str]:
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_SECONDS,
        check=False,
        text=True,
    )
    return done.returncode, done.stdout


class Offline:
    """The compiler `metal` of an SDK, of one version."""

    def __init__(self, version: str, run: Run = _run) -> None:
        self.version = version
        self._run = run

    def library(self, text: str, options: CompileOptions) -> bytes:
        """Return the library of a text, from the disk cache where it is known.

        Raises `DeviceError` with the compiler's words when it refuses.
        """
        flags = _flags(options)
        entry = key("metallib", self.version, tuple(flags), text)
        known = default_cache().get(entry)
        if known is None:
            known = self._compile(text, flags)
            default_cache().put(entry, known)
        return known

    def _compile(self, text: str, flags: list[str]) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            source, made = Path(folder, "kernel.metal"), Path(folder, "kernel.metallib")
            source.write_text(text)
            command = [_XCRUN, "-sdk", "macosx", "metal", *flags, "-o", str(made), str(source)]
            try:
                status, said = self._run(command)
            except (OSError, subprocess.SubprocessError) as error:
                raise DeviceError("library", LibraryError.INTERNAL, str(error)) from error
            if status or not made.is_file():
                raise DeviceError("library", LibraryError.COMPILE_FAILURE, said)
            return made.read_bytes()


def _flags(options: CompileOptions) -> list[str]:
    major, minor = options.language
    math = "-ffast-math" if options.fast_math else "-fno-fast-math"
    return [f"-std=metal{major}.{minor}", "-O2", "-ffp-contract=off", math]


def find(run: Run = _run) -> Offline | None:
    """Return the compiler that xcrun finds; None without one."""
    if shutil.which(_XCRUN) is None:
        return None
    try:
        status, said = run([_XCRUN, "-sdk", "macosx", "metal", "--version"])
    except (OSError, subprocess.SubprocessError):
        return None
    # The command-line tools have xcrun and no `metal`: it fails then.
    return Offline(said.strip(), run) if status == 0 else None
