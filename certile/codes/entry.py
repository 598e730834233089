"""The shape of one catalogue entry.

In: literals.  Out: immutable entries.  Decides what has to be said about a code.  Leaves the
entries themselves to the modules beside it, one a letter.
"""

from certile.records import record

__all__ = ["REPORT", "Code"]

# What to do about a fault of this package.
REPORT = "report it with the crash file; the kernel itself is not at fault"


@record
class Code:
    """One code: a title, one paragraph, an example that raises it, and what to do.

    `example` is the shortest text (Python, or a shell line) that gives the code; "" when only a
    fault of this package can.  `fix` is one imperative sentence; it is the hint of a diagnostic
    that brings none of its own.
    """

    code: str
    title: str
    paragraph: str
    example: str
    fix: str
