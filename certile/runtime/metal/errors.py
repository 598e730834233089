"""Metal's error codes in this package's terms.

In: a `DeviceError` and what was being done.  Out: an error with a code of the catalogue and a hint.
Decides which faults are the text's, which the device's and which the system's.  The numbers are
those of Apple's documentation: MTLLibraryError, MTLRenderPipelineError (whose header says
"creating a pipeline or kernel") and MTLCommandBufferError.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from certile.codegen.artifact import Artifact
from certile.diagnostics import CertileError, InternalError, UnsupportedError
from certile.runtime.metal.protocol import DeviceError, Domain

__all__ = [
    "CommandError",
    "LibraryError",
    "PipelineError",
    "lacking",
    "short_of_threads",
    "translated",
]


class LibraryError(IntEnum):
    """MTLLibraryError."""

    UNSUPPORTED = 1
    INTERNAL = 2
    COMPILE_FAILURE = 3
    COMPILE_WARNING = 4
    FUNCTION_NOT_FOUND = 5
    FILE_NOT_FOUND = 6


class PipelineError(IntEnum):
    """MTLRenderPipelineError, which compute pipelines share."""

    INTERNAL = 1
    UNSUPPORTED = 2
    INVALID_INPUT = 3


class CommandError(IntEnum):
    """MTLCommandBufferError; 4 was called blacklisted before it was called access revoked."""

    NONE = 0
    INTERNAL = 1
    TIMEOUT = 2
    PAGE_FAULT = 3
    ACCESS_REVOKED = 4
    NOT_PERMITTED = 7
    OUT_OF_MEMORY = 8
    INVALID_RESOURCE = 9
    MEMORYLESS = 10
    DEVICE_REMOVED = 11
    STACK_OVERFLOW = 12


class _Meaning(NamedTuple):
    """What a value says: a code, a sentence about the subject, and what to do (None: as filed)."""

    code: str
    said: str
    hint: str | None = None


_AGAIN = "run it again; if it fails again, report it with the text and the notes"
_REPORT = "report it with the text and the notes"
_SMALLER = "pass smaller arrays, or free memory that other programs of the GPU hold"

_LIBRARY = {
    LibraryError.UNSUPPORTED: _Meaning(
        "U403", "needs what this version of Metal does not have", "macOS 14 or later has Metal 3.1"
    ),
    LibraryError.INTERNAL: _Meaning("M013", "stopped Metal's compiler", _AGAIN),
    LibraryError.COMPILE_FAILURE: _Meaning("M012", "is refused by Metal's compiler"),
    LibraryError.COMPILE_WARNING: _Meaning("M012", "gave warnings and no library"),
    LibraryError.FUNCTION_NOT_FOUND: _Meaning("M013", "is not in its library", _REPORT),
    LibraryError.FILE_NOT_FOUND: _Meaning(
        "M013", "has a library file that is gone", "set CERTILE_CACHE=off and run it again"
    ),
}
_PIPELINE = {
    PipelineError.INTERNAL: _Meaning("M013", "stopped the compiler of the device", _AGAIN),
    PipelineError.UNSUPPORTED: _Meaning(
        "U403", "needs what this device does not have", "ask for fewer threads: max_threads"
    ),
    PipelineError.INVALID_INPUT: _Meaning("M013", "makes no valid pipeline", _REPORT),
}
_COMMAND = {
    CommandError.NONE: _Meaning("M013", "failed, and Metal names no error", _AGAIN),
    CommandError.INTERNAL: _Meaning("M013", "met a fault inside Metal", _AGAIN),
    CommandError.TIMEOUT: _Meaning("U405", "took longer than the system allows"),
    CommandError.PAGE_FAULT: _Meaning(
        "M013",
        "accessed memory that the GPU does not have",
        "run it on metal-sim, which reports the access, and report it",
    ),
    CommandError.ACCESS_REVOKED: _Meaning(
        "U404", "is refused: launches of this process hung too often", "start the process again"
    ),
    CommandError.NOT_PERMITTED: _Meaning("U404", "is refused: this process may not use the GPU"),
    CommandError.OUT_OF_MEMORY: _Meaning("U406", "needs more memory than the GPU has", _SMALLER),
    CommandError.INVALID_RESOURCE: _Meaning("M013", "names a buffer that is not valid", _REPORT),
    CommandError.MEMORYLESS: _Meaning("U406", "exhausted internal memory of the GPU", _SMALLER),
    CommandError.DEVICE_REMOVED: _Meaning(
        "U404", "lost its GPU, which was removed", "attach the GPU and start the process again"
    ),
    CommandError.STACK_OVERFLOW: _Meaning("M013", "used too many stack frames", _REPORT),
}
_TABLES: dict[Domain, dict[int, _Meaning]] = {
    "library": {int(value): meaning for value, meaning in _LIBRARY.items()},
    "pipeline": {int(value): meaning for value, meaning in _PIPELINE.items()},
    "command": {int(value): meaning for value, meaning in _COMMAND.items()},
}
_UNKNOWN = _Meaning("M013", "failed with an error that Metal's documentation does not list", _AGAIN)


def translated(error: DeviceError, subject: str) -> CertileError:
    """Return what an error of Metal means for `subject`, such as "kernel f"; its text is a note."""
    known = None if error.value is None else _TABLES[error.domain].get(error.value)
    code, said, hint = known or _UNKNOWN
    family = UnsupportedError if code.startswith("U") else InternalError
    notes = error.text.strip().splitlines()
    return family(code, f"{subject} {said}", notes=notes, hint=hint)


def lacking(what: str) -> CertileError:
    """Return the error for an object that Metal did not give, and said nothing about."""
    return InternalError("M013", f"Metal gives no {what}", hint=_AGAIN)


def short_of_threads(device: str, artifact: Artifact, most: int) -> UnsupportedError:
    """Return the error for a pipeline that allows fewer threads a group than its plan launches."""
    message = (
        f"{device} runs {artifact.entry} with at most {most} threads, "
        f"and its plan has {artifact.threads}"
    )
    return UnsupportedError("U403", message, hint=f"prepare it with plan={{'max_threads': {most}}}")
