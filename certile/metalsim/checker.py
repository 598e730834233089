"""Check MSL text without running it.

In: text.  Out: diagnostics in order of place.  Joins the reader, the static rules, the rewriter and
two passes of clang: one with address spaces kept, one over the C++ that would run.  Decides that
the passes are skipped for text whose compiled library is known: only clean text is compiled.
"""

from dataclasses import dataclass

from certile.metalsim import rules
from certile.metalsim.findings import Diagnostic
from certile.metalsim.rewrite import Rewritten, rewrite
from certile.metalsim.syntax import Unit, parse
from certile.metalsim.toolchain import Complaints

__all__ = ["Examined", "check", "examine"]


@dataclass(frozen=True, slots=True)
class Examined:
    """Text that was read and rewritten, before clang has seen it."""

    unit: Unit
    kept: Rewritten
    runnable: Rewritten
    diagnostics: tuple[Diagnostic, ...]

    def complaints(self) -> list[Diagnostic]:
        """Return all diagnostics; clang is asked only about text of the subset."""
        found = list(self.diagnostics)
        if not found:
            passes = [Complaints(self.kept), Complaints(self.runnable)]
            found = [diagnostic for each in passes for diagnostic in each.collect()]
        return _first_of_each_line(found)


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
    kept, refusals = rewrite(unit, "check")
    runnable, _ = rewrite(unit, "run")
    found = (*unit.refusals, *rules.apply(unit), *refusals)
    return Examined(unit, kept, runnable, found)


def _first_of_each_line(found: list[Diagnostic]) -> list[Diagnostic]:
    """Both passes meet the same faults: keep one complaint a line, the first pass's."""
    kept: dict[int, Diagnostic] = {}
    for diagnostic in found:
        kept.setdefault(diagnostic.line, diagnostic)
    return sorted(kept.values())
