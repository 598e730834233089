"""Check MSL text without running it.

In: text.  Out: diagnostics in order of place.  Joins the reader, the static rules, the rewriter and
two passes of clang: one with address spaces kept, one over the C++ that would run.  Decides the
order of complaints.  Leaves what compiles a text to do the second pass on the way.
"""

from collections.abc import Iterable

from certile.metalsim import rules
from certile.metalsim.findings import Diagnostic
from certile.metalsim.reader import parse
from certile.metalsim.rewrite import Rewritten, rewrite
from certile.metalsim.syntax import Unit
from certile.metalsim.toolchain import check_spaces, check_types
from certile.records import record

__all__ = ["Examined", "check", "examine", "first_of_each_line"]


@record
class Examined:
    """Text that was read and rewritten, before clang has seen it."""

    unit: Unit
    runnable: Rewritten
    diagnostics: tuple[Diagnostic, ...]

    def kept(self) -> Rewritten:
        """Return the C++ in which address spaces are kept; both modes refuse the same forms."""
        return rewrite(self.unit, "check")[0]

    def complaints(self) -> list[Diagnostic]:
        """Return all diagnostics; clang is asked only about text of the subset."""
        found = list(self.diagnostics)
        if not found:
            passes = [check_spaces(self.kept()), check_types(self.runnable)]
            found = [diagnostic for each in passes for diagnostic in each.collect()]
        return first_of_each_line(found)


def check(text: str) -> list[Diagnostic]:
    """Return what is wrong with MSL `text`; an empty list means nothing was found.

    A form outside the documented subset (SUBSET.md) is reported as X001, never guessed.

    Raises:
        UnsupportedError: if no clang of version 16 or later is there.
    """
    return examine(text).complaints()


def examine(text: str) -> Examined:
    """Read and rewrite `text` with everything that needs no clang."""
    unit = parse(text)
    runnable, refusals = rewrite(unit, "run")
    return Examined(unit, runnable, (*unit.refusals, *rules.apply(unit), *refusals))


def first_of_each_line(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Both passes meet the same faults: keep one complaint a line, the first pass's."""
    kept: dict[int, Diagnostic] = {}
    for diagnostic in found:
        kept.setdefault(diagnostic.line, diagnostic)
    return sorted(kept.values())
