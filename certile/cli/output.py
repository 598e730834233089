"""What a command prints, and which exit code a failure has.

In: results and exceptions.  Out: text or JSON on standard output, complaints on standard error.
Decides the exit codes: 0 good, 1 a check failed, 2 wrong usage, 3 declined or refused, 4
unsupported here, 70 our fault.  Leaves the documents themselves to the commands.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

import typer

from certile.diagnostics import CertileError, InternalError, KernelError, UnsupportedError

GOOD, FAILED, USAGE, DECLINED, UNSUPPORTED, INTERNAL = 0, 1, 2, 3, 4, 70


def say(text: str = "") -> None:
    """Print one line of a result."""
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has what it wanted; the exit code still counts.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit(document: Mapping[str, object]) -> None:
    """Print the JSON document of a command."""
    say(json.dumps(document, indent=2))


def exit_code(error: CertileError) -> int:
    """Return the exit code that stands for an error."""
    if isinstance(error, UnsupportedError):
        return UNSUPPORTED
    return USAGE if isinstance(error, KernelError) else INTERNAL


def guarded(function: Callable[..., int]) -> Callable[..., None]:
    """Return the command with its result as exit code and every error shown as text or JSON."""

    @functools.wraps(function)
    def run(**values: object) -> None:
        try:
            code = function(**values)
        except CertileError as error:
            code = _shown(error, as_json=bool(values.get("as_json")))
        except (typer.Exit, typer.BadParameter, KeyboardInterrupt):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is our fault and is reported
            code = _crashed(error, as_json=bool(values.get("as_json")))
        raise typer.Exit(code)

    return run


def _shown(error: CertileError, *, as_json: bool) -> int:
    code = exit_code(error)
    if as_json:
        emit({"error": {"code": error.code, "text": str(error), "exit": code}})
    else:
        sys.stderr.write(f"{error}\n")
    return code


def _crashed(error: Exception, *, as_json: bool) -> int:
    """Report a fault of this package, with a file that holds what a report needs."""
    text = "".join(traceback.format_exception(error))
    internal = InternalError("V904", f"{type(error).__name__}: {error}")
    folder = Path.cwd()
    try:
        crash = internal.write_crash({"traceback.txt": text}, folder)
    except OSError:
        crash = internal.write_crash({"traceback.txt": text}, Path(tempfile.gettempdir()))
    if as_json:
        emit({"error": {"code": "V904", "text": str(error), "exit": INTERNAL, "crash": str(crash)}})
    sys.stderr.write(f"{text}\nThis is a fault of certile. What a report needs is in {crash}\n")
    return INTERNAL
