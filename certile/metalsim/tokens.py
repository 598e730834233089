"""Split MSL text into tokens that know their line and column.

In: text.  Out: a tuple of `Token`.  Decides what one token is, and drops comments.  Leaves meaning
to `certile.metalsim.reader`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from certile.metalsim.findings import Refused

__all__ = ["Token", "tokenise"]

Kind = Literal["name", "number", "punct", "directive"]

_KINDS: dict[str, Kind] = {
    "name": "name", "number": "number", "punct": "punct", "directive": "directive"
}  # fmt: skip

_PATTERN = re.compile(
    r"""
    (?P<space>[ \t\r\f\v]+|\\\n)
  | (?P<newline>\n)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>\#[^\n]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?\d+)?\w*
      | (?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\w*)
  | (?P<punct><<=|>>=|\.\.\.|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|
      [-+*/%&|^~!<>=?:;,.(){}\[\]])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `line` and `column` count from 1, `glued` says that no space stands before it."""

    kind: Kind
    text: str
    line: int
    column: int
    glued: bool = False


def tokenise(text: str) -> tuple[Token, ...]:
    """Return the tokens of `text`.

    Raises:
        Refused: at the first character that no token of the subset begins with, such as a quote.
    """
    return tuple(_scan(text))


def _scan(text: str) -> Iterator[Token]:
    position, line, start_of_line, glued = 0, 1, 0, False
    while position < len(text):
        match = _PATTERN.match(text, position)
        column = position - start_of_line + 1
        if match is None:
            raise Refused(line, column, "X001", f"{text[position]!r} is outside the subset")
        kind, piece = _KINDS.get(str(match.lastgroup)), match.group()
        position = match.end()
        if kind is not None:
            if kind == "directive" and piece.rstrip().endswith("\\"):
                raise Refused(line, column, "X001", "a directive may not go on in the next line")
            yield Token(kind, piece.rstrip(), line, column, glued)
            glued = True
            continue
        glued = False
        newlines = piece.count("\n")
        if newlines:
            line += newlines
            start_of_line = match.start() + piece.rindex("\n") + 1
