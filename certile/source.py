"""Where a value was written: file, line, columns, function and the calls that led there.

In: a Python frame, or explicit numbers.  Out: an immutable `Loc` and, on request, the source line
with a caret under it.  Decides which frames belong to the person who wrote the kernel and which to
this package.  Leaves to others what is wrong at that place (`certile.diagnostics`).

Positions come from the code object (`co_positions`), so neither the source text nor a parse of it
is needed; where Python has no columns or no text (`exec`, a REPL, `-X no_debug_ranges`) a location
keeps what is known and the caret is left out.
"""

import linecache
import os.path
import sys
from itertools import islice
from types import CodeType, FrameType
from typing import ClassVar

from certile.records import record

__all__ = ["UNKNOWN_LOC", "Loc", "caret"]

_PACKAGE = __name__.partition(".")[0]

# Kernels in this part of the package are written in the language like any user's kernel, so an
# error in one of them points at its line and not at whoever called it.
_WRITTEN_IN_THE_LANGUAGE = f"{_PACKAGE}.ops.kernels"

# Context managers and wrappers of this package run through frames of these modules.
_GLUE = ("contextlib", "functools")

# A helper that calls a helper is normal; a deeper chain hides the line that matters.
_LONGEST_CHAIN = 8


@record
class Loc:
    """A half-open range of source text, and the place it was called from.

    Lines and columns count from 1; `end_column` is one past the last character.  Columns count
    UTF-8 bytes, as Python reports them; `caret` converts.  A column of 0 means unknown.
    """

    UNKNOWN: ClassVar["Loc"]

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    function: str = ""
    caller: "Loc | None" = None

    @property
    def known(self) -> bool:
        """Whether this names a place at all."""
        return self.line > 0

    @staticmethod
    def here(depth: int = 0, *, callers: int = 0) -> "Loc":
        """Return the place of the call that runs now, `depth` frames above the caller of `here`.

        `callers` is how many frames above that one are kept as the call chain.
        """
        return Loc.of_frame(sys._getframe(depth + 1), callers=callers)

    @staticmethod
    def of_user(root: CodeType | None = None) -> "Loc":
        """Return the nearest place outside this package, with the calls that led there.

        The chain ends with the frame that runs `root`, the kernel's own code, when it is on the
        stack; without it the location has no callers.  Returns `Loc.UNKNOWN` when every frame
        belongs to the package.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and _is_internal(frame):
            frame = frame.f_back
        if frame is None:
            return Loc.UNKNOWN
        return Loc.of_frame(frame, callers=0 if root is None else _distance(frame, root))

    @staticmethod
    def of_frame(frame: FrameType, *, callers: int = 0) -> "Loc":
        """Return the place that `frame` executes, with up to `callers` frames above it."""
        chain = [frame]
        while len(chain) <= callers and chain[-1].f_back is not None:
            chain.append(chain[-1].f_back)
        loc: Loc | None = None
        for link in reversed(chain):
            loc = _one(link, loc)
        assert loc is not None
        return loc

    @staticmethod
    def of_code(code: CodeType) -> "Loc":
        """Return the place where a function was defined."""
        return Loc(code.co_filename, code.co_firstlineno, function=code.co_qualname)

    def describe(self) -> str:
        """Return one line: `file:line:column, in function, called from file:line`."""
        if not self.known:
            return self.file
        text = f"{_shorten(self.file)}:{self.line}"
        if self.column:
            text += f":{self.column}"
        if self.function and self.function != "<module>":
            text += f", in {self.function}"
        caller = self.caller
        while caller is not None:
            text += f", called from {_shorten(caller.file)}:{caller.line}"
            caller = caller.caller
        return text

    def __str__(self) -> str:
        return f"{_shorten(self.file)}:{self.line}" if self.known else self.file


UNKNOWN_LOC = Loc("<unknown>", 0)
Loc.UNKNOWN = UNKNOWN_LOC


def caret(loc: Loc) -> str:
    """Return the line of `loc` with carets under its columns, or "" when there is no source.

    A range over several lines is underlined to the end of its first line.  The text has no
    trailing newline.
    """
    if not loc.known:
        return ""
    linecache.checkcache(loc.file)
    line = linecache.getline(loc.file, loc.line).rstrip()
    if not line:
        return ""
    number = f"{loc.line:>5}"
    shown = f"{number} | {line.expandtabs(1)}"
    if not loc.column:
        return shown
    start = _characters(line, loc.column - 1)
    several_lines = loc.end_line > loc.line or loc.end_column <= loc.column
    end = len(line) if several_lines else _characters(line, loc.end_column - 1)
    return f"{shown}\n{' ' * len(number)} | {' ' * start}{'^' * max(1, end - start)}"


def _one(frame: FrameType, caller: Loc | None) -> Loc:
    """Read the position of the running instruction; instructions are two bytes wide."""
    code = frame.f_code
    positions = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, end_line, column, end_column = positions
    line = line or frame.f_lineno or 0
    return Loc(
        file=code.co_filename,
        line=line,
        column=0 if column is None else column + 1,
        end_line=end_line or line,
        end_column=0 if end_column is None else end_column + 1,
        function=code.co_qualname,
        caller=caller,
    )


def _distance(frame: FrameType, root: CodeType) -> int:
    """Count the frames from `frame` up to the one that runs `root`; 0 when there is none."""
    current: FrameType | None = frame
    for steps in range(_LONGEST_CHAIN + 1):
        if current is None:
            return 0
        if current.f_code is root:
            return steps
        current = current.f_back
    return 0


def _is_internal(frame: FrameType) -> bool:
    """Tell by the module, since generated methods (dataclasses) have no file of their own."""
    module = frame.f_globals.get("__name__", "")
    if module in _GLUE or module == _PACKAGE:
        return True
    return _within(module, _PACKAGE) and not _within(f"{module}.", _WRITTEN_IN_THE_LANGUAGE)


def _within(module: str, package: str) -> bool:
    return module.startswith(f"{package}.")


def _characters(line: str, offset: int) -> int:
    """Turn an offset in UTF-8 bytes into one in characters."""
    return len(line.encode()[:offset].decode(errors="ignore"))


def _shorten(file: str) -> str:
    """Return a path relative to the current folder when it lies below it."""
    if not os.path.isabs(file):
        return file
    try:
        relative = os.path.relpath(file)
    except (OSError, ValueError):  # another drive, or a current folder that is gone
        return file
    return file if relative.startswith("..") else relative
