"""Memory of the machine interpreter: elements, and who touched them since when.

In: indices and masks, one a lane.  Out: values, and findings.  Decides what a race is: two
subgroups of a group touch one element with no barrier between, or two groups at any time, one of
them storing; or two lanes store to one element in one operation.  Within a subgroup operations take
effect as they stand.  Leaves values to `machine_numeric` and control to `machine`.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from certile.reference.machine_numeric import Array

__all__ = ["Cells", "Findings", "Tracker"]

_NOBODY = -1
_SEVERAL = -2
# Several subgroups of group g are noted as _ONE_GROUP - g.
_ONE_GROUP = -3


@dataclass(slots=True)
class Findings:
    """What went wrong, by kind and place, each with the number of lanes or elements."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, kind: str, place: str, count: int) -> None:
        """Record `count` cases at a place; none is nothing."""
        if count:
            self.counts.setdefault(kind, Counter())[place] += count

    def of(self, kind: str) -> tuple[str, ...]:
        """One line a place."""
        return tuple(f"{place} ({n} times)" for place, n in self.counts.get(kind, {}).items())


class Tracker:
    """The last writer and the readers of each element, as numbers of subgroups or of groups.

    Each `share` numbers in a row belong to one group.
    """

    def __init__(self, size: int, share: int = 1) -> None:
        self._share = share
        self.writer = np.full(size, _NOBODY, np.int64)
        self.reader = np.full(size, _NOBODY, np.int64)

    def reset(self, arrived: Array) -> None:
        """Forget what the subgroups that arrived at a barrier did; `arrived` has one entry each."""
        if arrived.all():
            self.writer.fill(_NOBODY)
            self.reader.fill(_NOBODY)
            return
        for who in (self.writer, self.reader):
            known = who >= 0
            who[known & arrived[np.where(known, who, 0)]] = _NOBODY
        together = np.asarray(arrived.reshape(-1, self._share).all(axis=1))
        crowded = self.reader <= _ONE_GROUP
        left = crowded & together[np.where(crowded, _ONE_GROUP - self.reader, 0)]
        self.reader[left] = _NOBODY

    def read(self, index: Array, who: Array) -> int:
        """Note reads; return how many meet another's store."""
        writer = self.writer[index]
        before = self.reader[index]
        alone = (before == _NOBODY) | (before == who)
        noted = np.where(alone, who, self._several(before, who))
        self.reader[index] = noted
        # Of several readers in one operation the last one stays, and the others notice.
        stayed = self.reader[index]
        met = self._several(stayed, who)
        for crowd in ((stayed != noted) & (met != _SEVERAL), (stayed != noted) & (met == _SEVERAL)):
            self.reader[index[crowd]] = met[crowd]
        return int(np.count_nonzero((writer != _NOBODY) & (writer != who)))

    def _several(self, noted: Array, who: Array) -> Array:
        """What is noted of an element that one more subgroup reads."""
        group = np.where(noted >= 0, noted // self._share, _ONE_GROUP - noted)
        return np.where(group == who // self._share, _ONE_GROUP - group, _SEVERAL)

    def write(self, index: Array, who: Array) -> int:
        """Note stores; return how many meet another's read or store."""
        writer, reader = self.writer[index], self.reader[index]
        met = (writer != _NOBODY) & (writer != who) | (reader != _NOBODY) & (reader != who)
        self.writer[index] = who
        return int(np.count_nonzero(met | (self.writer[index] != who)))


class Cells:
    """One array: elements, which of them are initialised, and who touched them.

    `private` memory has no trackers; `read_only` memory needs none.  The group tracker is absent
    for memory that a group does not share with others.
    """

    def __init__(self, name: str, data: Array, *, initialised: bool) -> None:
        self.name = name
        self.data = data
        self.valid = None if initialised else np.zeros(data.size, np.bool_)
        self.by_subgroup: Tracker | None = None
        self.by_group: Tracker | None = None

    def track(self, subgroups: int, *, across_groups: bool) -> None:
        """Watch for races within groups of `subgroups`, and between groups if asked."""
        self.by_subgroup = Tracker(self.data.size, subgroups)
        self.by_group = Tracker(self.data.size) if across_groups else None

    def inside(
        self, index: Array, asked: Array, limit: int, findings: Findings, place: str
    ) -> Array:
        """Which of the asked lanes stay in bounds; the others are findings."""
        inside = (index >= 0) & (index < limit)
        findings.add("out_of_bounds", place, int(np.count_nonzero(asked & ~inside)))
        return np.asarray(asked & inside)

    def note_read(
        self, index: Array, subgroup: Array, group: Array, findings: Findings, place: str
    ) -> None:
        """Record reads of flat positions by subgroups and groups (three arrays of one length)."""
        if self.valid is not None:
            findings.add("uninitialised", place, int(np.count_nonzero(~self.valid[index])))
        if self.by_subgroup is not None:
            findings.add("races", place, self.by_subgroup.read(index, subgroup))
        if self.by_group is not None:
            findings.add("races", place, self.by_group.read(index, group))

    def note_write(
        self, index: Array, subgroup: Array, group: Array, findings: Findings, place: str
    ) -> None:
        """Record stores; two lanes of one operation at one element are a race of their own."""
        if self.valid is not None:
            self.valid[index] = True
        if index.size > 1:
            ordered = np.sort(index)
            findings.add("races", place, int(np.count_nonzero(ordered[1:] == ordered[:-1])))
        if self.by_subgroup is not None:
            findings.add("races", place, self.by_subgroup.write(index, subgroup))
        if self.by_group is not None:
            findings.add("races", place, self.by_group.write(index, group))
