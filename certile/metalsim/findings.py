"""What the checks say: diagnostics of a text, findings of a run.

In: places and facts.  Out: `Diagnostic` (about the text), `Finding` and `Report` (about one
launch).  Decides their shape and wording.  Leaves detection to the rules and to the runtime.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from certile.records import record

__all__ = ["Category", "Diagnostic", "Finding", "Refused", "Report", "merged"]

Category = Literal["races", "uninitialised", "out_of_bounds", "divergence", "undefined"]


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One complaint about MSL text; line and column count from 1."""

    line: int
    column: int
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: error[{self.code}]: {self.message}"


class Refused(Exception):  # noqa: N818  (a refusal is an outcome, caught inside the package)
    """Raised inside the package at a form outside the subset; carries its diagnostic."""

    def __init__(self, line: int, column: int, code: str, message: str) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(line, column, code, message)


@record
class Finding:
    """One kind of fault at one place of the kernel, seen `count` times.

    `line` is 0 where the system keeps no line table.  `threads` are indices in the threadgroup
    `group` (linear); the second one, if any, touched the memory earlier, in `other_group`.
    `lanes` is the mask of the lanes concerned: of an access all that made it in any SIMD group, of
    a divergence those that came together.  `missing` is the mask of those that should have taken
    part (for a threadgroup barrier: the number of threads).
    """

    category: Category
    line: int
    message: str
    threads: tuple[int, ...] = ()
    group: int = 0
    other_line: int = 0
    other_group: int = 0
    lanes: int = 0
    missing: int = 0
    count: int = 1

    def __str__(self) -> str:
        who = f"thread {self.threads[0]}" if self.threads else "a thread"
        where = f"{who} of threadgroup {self.group}, lanes {self.lanes:#010x}"
        if len(self.threads) == 2:
            where += f"; thread {self.threads[1]} of threadgroup {self.other_group} before it"
        if self.other_line:
            where += f" in line {self.other_line}"
        return f"line {self.line}: {self.category}: {self.message} ({where}; {self.count}x)"


@record
class Report:
    """What one launch showed.

    `simd_ops` counts collectives (one per SIMD group), `barriers` completed threadgroup barriers
    (one per threadgroup), `simd_barriers` completed SIMD-group barriers.  `stopped` says that the
    launch ended early, because going on was not possible.
    """

    findings: tuple[Finding, ...]
    simd_ops: int
    barriers: int
    simd_barriers: int
    threadgroup_bytes: int
    threadgroups: int
    stopped: bool = False
    dropped: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings and not self.stopped

    @property
    def races(self) -> tuple[Finding, ...]:
        """Unordered accesses to one scalar, at least one of them a store."""
        return self._of("races")

    @property
    def uninitialised(self) -> tuple[Finding, ...]:
        """Loads of threadgroup memory that nothing was stored to."""
        return self._of("uninitialised")

    @property
    def out_of_bounds(self) -> tuple[Finding, ...]:
        """Accesses outside buffers and arrays, stores to read-only buffers."""
        return self._of("out_of_bounds")

    @property
    def divergence(self) -> tuple[Finding, ...]:
        """Barriers and collectives that not all threads reach together."""
        return self._of("divergence")

    @property
    def undefined(self) -> tuple[Finding, ...]:
        """Operations whose result MSL leaves open."""
        return self._of("undefined")

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) if self.findings else "no finding"

    def _of(self, category: Category) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.category == category)


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Join findings that differ only in the code address behind their lines."""
    joined: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key = (finding.category, finding.line, finding.other_line, finding.message)
        known = joined.get(key)
        joined[key] = _joined(known, finding) if known else finding
    return tuple(sorted(joined.values(), key=lambda f: (f.line, f.category)))


def _joined(one: Finding, other: Finding) -> Finding:
    lanes = one.lanes if one.category == "divergence" else one.lanes | other.lanes
    return replace(one, count=one.count + other.count, lanes=lanes)
