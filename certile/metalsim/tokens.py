"""Split MSL text into tokens that know their line and column.

In: text.  Out: a tuple of `Token`.  Decides what one token is, and drops comments.  Leaves meaning
to `certile.metalsim.reader`.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

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


class Token(NamedTuple):
    """One token; `line` and `column` count from 1, `glued` says that no space stands before it.

    A tuple and no dataclass: a long text has a million, and these are made in half the time.
    """

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
    match_at, kind_of = _PATTERN.match, _KINDS.get
    position, end, line, start_of_line, glued = 0, len(text), 1, 0, False
    while position < end:
        match = match_at(text, position)
        column = position - start_of_line + 1
        if match is None:
            raise Refused(line, column, "X001", f"{text[position]!r} is outside the subset")
        kind, piece = kind_of(match.lastgroup or ""), match.group()
        position = match.end()
        if kind is None:
            glued = False
            newlines = piece.count("\n")
            if newlines:
                line += newlines
                start_of_line = match.start() + piece.rindex("\n") + 1
            continue
        if kind == "directive":
            piece = piece.rstrip()
            if piece.endswith("\\"):
                raise Refused(line, column, "X001", "a directive may not go on in the next line")
        yield Token(kind, piece, line, column, glued)
        glued = True
