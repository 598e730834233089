"""Lines of target text with indentation, and names that are unique in it.

In: lines, heads of blocks, names as the program has them.  Out: one text, and identifiers of C.
Decides the indentation.  Leaves words that a target reserves to the prefixes of its emitter.
"""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Names", "Writer"]


class Writer:
    """Collects lines; a block indents what is written inside it."""

    def __init__(self, indent: str = "  ") -> None:
        self._indent = indent
        self._depth = 0
        self._lines: list[str] = []

    def line(self, text: str = "") -> None:
        """Append one line at the current depth; an empty one stays empty."""
        self._lines.append(self._indent * self._depth + text if text else "")

    @contextmanager
    def block(self, head: str, tail: str = "}") -> Iterator[None]:
        """Write `head {`, what the body writes one step deeper, and `tail`."""
        self.line(f"{head} {{" if head else "{")
        self._depth += 1
        yield
        self._depth -= 1
        self.line(tail)

    def text(self) -> str:
        """Everything written, with a newline at the end of each line."""
        return "".join(f"{line}\n" for line in self._lines)


class Names:
    """Identifiers for foreign names: letters, digits and underscores, no two alike."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def make(self, wanted: str) -> str:
        """An identifier that shows `wanted`; the prefix of the caller keeps it off keywords."""
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in wanted)
        name, count = plain, 1
        while name in self._taken:
            count += 1
            name = f"{plain}_{count}"
        self._taken.add(name)
        return name
