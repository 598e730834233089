"""The service policy of CPUs: what each sweep computes and what it moves, in nanoseconds.

In: the facts of a candidate and a CPU's sheet.  Out: a `Score` whose terms are those times.
Decides only the order of legal candidates; the constants are uncalibrated defaults.
"""

from __future__ import annotations

from certile.plan.blocks import LEAVES
from certile.plan.cost.near import fits
from certile.plan.cost.policy import CandidateFacts, Score
from certile.plan.cost.sweeps import leaf_cost, reduction_cost, rounds
from certile.plan.ownership.layout import slots
from certile.plan.work import Arithmetic, Sweep
from certile.records import record
from certile.targets.sheet import Sheet

__all__ = ["CpuService"]

# Nanoseconds of a round of one vector on a core: a plain operation and a transcendental one.
PLAIN_NS = 0.2
CALL_NS = 7.0
# A round of a vector that does not fit the registers goes to the nearest cache and back.
SPILL_NS = 0.5
PROGRAM_NS = 20.0
# Storing to memory that was not read brings it in first.
STORE = 2.0


@record
class CpuService:
    """A launch on a CPU: each sweep is bound by its arithmetic or by what it moves."""

    sheet: Sheet

    def score(self, facts: CandidateFacts) -> Score:
        """The estimated nanoseconds of a program on one core, and of the launch on all."""
        terms = {"memory": 0.0, "arithmetic": 0.0, "program": PROGRAM_NS}
        total = PROGRAM_NS
        for sweep in facts.work.sweeps:
            moved, worked = self._moved(facts, sweep), self._worked(facts, sweep)
            terms["memory"] += moved
            terms["arithmetic"] += worked
            total += max(moved, worked)
        turns = facts.programs / min(max(1, facts.programs), self.sheet.cores)
        return Score(total, total * turns, {name: value * turns for name, value in terms.items()})

    def _worked(self, facts: CandidateFacts, sweep: Sweep) -> float:
        owned = slots(sweep.elements, facts.lanes) * sweep.trips
        work = _cost(sweep.arithmetic)
        vectors = 0
        for merge in sweep.merges:
            block = LEAVES if sweep.alone else facts.mapping.block
            work += reduction_cost(merge, block, _cost)
            vectors += merge.words * facts.mapping.accumulators
        spilled = max(0, vectors - self.sheet.registers)
        accesses = len(sweep.reads) + len(sweep.writes) + sweep.kept_words + sweep.recalled_words
        cost = owned * (work + PLAIN_NS * accesses + SPILL_NS * spilled)
        if sweep.alone:
            cost += leaf_cost(sweep, _cost) * rounds(sweep, facts.lanes, 1) * sweep.trips
        return cost

    def _moved(self, facts: CandidateFacts, sweep: Sweep) -> float:
        """The time of what a sweep moves; what was read before comes from where the row fits."""
        sheet, work = self.sheet, facts.work
        near = fits(sheet, work.row_bytes + work.kept_bytes)
        rate = sheet.cache_bandwidth[1] if near else sheet.bandwidth
        first = sum(access.size for access in sweep.reads if access.own and access.first)
        again = sum(access.size for access in sweep.reads) - first
        scratch = 4 * (sweep.recalled_words + STORE * sweep.kept_words)
        stored = (1 if facts.mapping.streaming else STORE) * sum(a.size for a in sweep.writes)
        elements = sweep.elements * sweep.trips
        return elements * ((first + stored) / sheet.bandwidth + (again + scratch) / rate)


def _cost(work: Arithmetic) -> float:
    """Nanoseconds of a round of one vector."""
    return PLAIN_NS * work.plain + CALL_NS * work.calls
