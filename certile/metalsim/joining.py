"""Put the kernels of several texts into one: one translation unit costs one start of clang.

In: texts of the subset.  Out: one text.  Decides that what several texts say in the same words is
said once, and that what they say differently under one name, or under different pragmas, cannot be
joined.  Leaves checking to `certile.metalsim.checker`.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from certile.diagnostics import ArgumentError, KernelError
from certile.metalsim.reader import parse
from certile.metalsim.syntax import Constant, Function, Item, Kernel, Struct, Unit
from certile.metalsim.tokens import Token

__all__ = ["joined"]

_HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"


def joined(texts: Iterable[str]) -> str:
    """Return one text with the items of all, in order; equal items stand once, comments are lost.

    Raises:
        KernelError: if a text holds a character or, at the top level, a form outside the subset.
        ArgumentError: X021, if two texts give one name to different items, or have different
            pragmas: a pragma counts for everything below it.
    """
    items: dict[str, str] = {}
    pragmas: tuple[str, ...] | None = None
    for number, text in enumerate(texts):
        unit = _read(text)
        here = tuple(_pragmas(unit.tokens))
        if pragmas is not None and here != pragmas:
            raise ArgumentError("X021", f"text {number} has other pragmas than those before it")
        pragmas = here
        for name, words in _items(unit, text):
            if items.setdefault(name, words) != words:
                raise ArgumentError("X021", f"text {number} has another {name!r} than one before")
    return "\n".join([_HEAD, *(pragmas or ()), *(f"{words}\n" for words in items.values())])


def _read(text: str) -> Unit:
    unit = parse(text)
    if unit.refusals:
        first = unit.refusals[0]
        raise KernelError(first.code, f"{first.message} (line {first.line} of the MSL text)")
    return unit


def _pragmas(tokens: tuple[Token, ...]) -> Iterator[str]:
    """Yield the directives at the top level that are not the one include."""
    depth = 0
    for token in tokens:
        depth += (token.text == "{") - (token.text == "}")
        if token.kind == "directive" and not depth and "include" not in token.text:
            yield token.text


def _items(unit: Unit, text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and the words of the items of a text."""
    starts = list(accumulate((len(line) for line in text.splitlines(keepends=True)), initial=0))
    for item in unit.items:
        begin, end = _extent(item)
        first_at = starts[begin.line - 1] + begin.column - 1
        last_at = starts[end.line - 1] + end.column - 1 + len(end.text)
        yield item.name, text[first_at:last_at]


def _extent(item: Item) -> tuple[Token, Token]:
    match item:
        case Struct() | Constant():
            return item.tokens[0], item.tokens[-1]
        case Function():
            return item.head[0], item.body[-1]
        case Kernel():
            return item.first, item.body[-1]
