"""What a command prints or writes, and which exit code a failure has.

In: results and exceptions.  Out: text or JSON on standard output, complaints on standard error.
Decides the exit codes: 0 good, 1 a check failed, 2 wrong usage, 3 declined or refused, 4
unsupported here, 70 our fault; and that a path of the caller's which cannot be written is wrong
usage, as is what the code of a caller's file raises.  Leaves the documents themselves to the
commands.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

import typer

from certile.cli.memory import too_large
from certile.diagnostics import (
    ArgumentError,
    CertileError,
    InternalError,
    KernelError,
    UnsupportedError,
)
from certile.source import Loc

# What the name of a module begins with that a command makes of a file.
SUBJECT = "certile_subject_"
GOOD, FAILED, USAGE, DECLINED, UNSUPPORTED, INTERNAL = 0, 1, 2, 3, 4, 70


def say(text: str = "") -> None:
    """Print one line of a result; A311 where standard output takes no more."""
    if sys.stdout is None:  # closed by whoever started the process, who reads nothing then
        return
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has what it wanted; the exit code still counts.
        _discard_output()
    except OSError as error:
        _discard_output()
        raise unwritable("standard output", error) from error


def _complain(text: str) -> None:
    """Print to standard error, if the process has one."""
    if sys.stderr is not None:
        sys.stderr.write(text + "\n")


def _discard_output() -> None:
    """Let nothing that is still to be written to standard output fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit(document: Mapping[str, object]) -> None:
    """Print the JSON document of a command."""
    say(json.dumps(document, indent=2))


def answer(document: Mapping[str, object], as_text: Callable[[], str], *, as_json: bool) -> None:
    """Print a result as its JSON document, or else as text, which is then made."""
    if as_json:
        emit(document)
    else:
        say(as_text())


def progress(text: str = "") -> None:
    """Show how far a long command is, on a terminal alone; without a text, wipe it out."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r{text}\033[K")


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, or its class where it has none."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def unwritable(what: object, error: OSError, hint: str | None = None) -> ArgumentError:
    """Return the complaint of a path that the caller named and the system does not take."""
    message = f"{what} cannot be written: {error.strerror or error}"
    return ArgumentError("A311", message, hint=hint or "name a place that can be written")


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file that the caller named; A311 where that cannot be."""
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise unwritable(path, error) from error


def exit_code(error: CertileError) -> int:
    """Return the exit code that stands for an error."""
    if isinstance(error, UnsupportedError):
        return UNSUPPORTED
    if error.code == "P004":
        # A mapping that is demanded is declined, as `plan` says of the same request.
        return DECLINED
    return USAGE if isinstance(error, KernelError) else INTERNAL


def guarded(function: Callable[..., int]) -> Callable[..., None]:
    """Return the command with its result as exit code and every error shown as text or JSON."""

    @functools.wraps(function)
    def run(**values: object) -> None:
        try:
            code = function(**values)
        except CertileError as error:
            code = shown(error, as_json=bool(values.get("as_json")))
        except MemoryError as error:
            refusal = too_large(str(error) or "an allocation failed")
            code = shown(refusal, as_json=bool(values.get("as_json")))
        except (typer.Exit, typer.BadParameter, KeyboardInterrupt):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
            as_json, raised = bool(values.get("as_json")), _by_a_subject(error)
            code = shown(raised, as_json=as_json) if raised else _crashed(error, as_json=as_json)
        raise typer.Exit(code)

    return run


def shown(error: CertileError, *, as_json: bool) -> int:
    """Show an error as text or JSON, and return its exit code."""
    code = exit_code(error)
    if as_json:
        with contextlib.suppress(ArgumentError):
            # Where standard output takes nothing the exit code has to do.
            emit({"error": {"code": error.code, "text": str(error), "exit": code}})
    else:
        _complain(str(error))
    return code


def _by_a_subject(error: Exception) -> ArgumentError | None:
    """The complaint of what the code of a file that a command was given raises, None of ours."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(SUBJECT):
            message = f"{module.removeprefix(SUBJECT)} raises {type(error).__name__}: {error}"
            return ArgumentError("A309", message, loc=Loc.of_frame(frame))
        if module.startswith("certile."):
            return None
    return None


def _crashed(error: Exception, *, as_json: bool) -> int:
    """Report a fault of this package, with a file that holds what a report needs."""
    text = "".join(traceback.format_exception(error))
    internal = InternalError("V904", f"{type(error).__name__}: {error}")
    crash = _crash_file(internal, text)
    if as_json:
        emit({"error": {"code": "V904", "text": str(error), "exit": INTERNAL, "crash": str(crash)}})
    where = f"What a report needs is in {crash}" if crash else "No folder took a crash file"
    _complain(f"{text}\nThis is a fault of certile. {where}")
    return INTERNAL


def _crash_file(internal: InternalError, text: str) -> Path | None:
    """Write the crash file where that is possible."""
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            return internal.write_crash({"traceback.txt": text}, folder)
    return None
