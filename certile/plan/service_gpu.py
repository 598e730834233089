"""The service policy of GPUs: memory, issue slots and waiting of a launch, in nanoseconds.

In: the facts of a candidate and a GPU's sheet.  Out: a `Score` whose terms are those times.
Decides only the order of legal candidates.  The constants are uncalibrated defaults, chosen so
that the model orders the plans of `benchmarks/results/2026-11-30-h200-rows.md`, and are not times
that were measured one by one.
"""

from __future__ import annotations

from math import ceil, log2

from certile.plan.blocks import LEAVES
from certile.plan.cost import CandidateFacts, Score
from certile.plan.layout import slots
from certile.plan.near import fits, is_next_to
from certile.plan.phases import common
from certile.plan.sweep_cost import leaf_cost, reduction_cost, rounds
from certile.plan.work import Access, Arithmetic, Sweep
from certile.records import record
from certile.targets.sheet import Sheet

__all__ = ["GpuService"]

# Instructions of a subgroup on a GPU: of an access, a plain operation, a transcendental function, a
# pack of consecutive elements, a sweep, a chunk at an edge of a row whose ownership has a phase, a
# program, an exchange of one word, a collective, and of a word that does not fit the registers.
ACCESS = 2.0
PLAIN = 1.26
CALL = 7.2
PACK = 1.0
SWEEP = 5.0
EDGE = 16.0
# What an access that is spread over several lines of memory waits for each of them but the first.
APART = 6.0
LINE_BYTES = 128
PROGRAM = 29.0
EXCHANGE = 1.0
COLLECTIVE = 5.0
SPILL = 4.8
# Registers of a lane beside the values that it keeps.
LIVE_REGISTERS = 20
REGISTER_STEP = 8
# Accesses of a lane that wait for memory together: in a sweep that reduces, in one that keeps its
# elements (its loop is unrolled), and in one that stores between its loads.
AHEAD_REDUCING = 8.0
AHEAD_KEEPING = 10.0
AHEAD_STORING = 1.3
# What a cache next to its readers gives of its peak.
OF_PEAK = 0.7
# Waiting for the nearest caches takes this part of the wait for memory.
CACHE_WAIT = 0.6
# Nanoseconds: a dependent step of a collective or a barrier, an instruction of the longest worker,
# setting a group up, and a launch.
STEP_NS = 20.0
INSTRUCTION_NS = 0.66
GROUP_NS = 300.0
LAUNCH_NS = 1000.0
# Memory is slower by this part for each halving of the bytes a program reads side by side, down
# from this many, where its sweep is a loop: the rows of many programs are open at once.
SCATTER = 0.02
SIDE_BY_SIDE = 8192
# How sharply the longest of three overlapping times rules: their norm of this order.
OVERLAP = 2.5


@record
class _Load:
    """What one worker does for one program: instructions, waits in memory latencies, steps."""

    instructions: float
    collectives: float
    waits: float
    steps: float


@record
class GpuService:
    """A launch on a GPU: memory, issue slots and waiting overlap; the longest rules."""

    sheet: Sheet

    def score(self, facts: CandidateFacts) -> Score:
        """The estimated nanoseconds of a candidate; a program's are its share of the launch."""
        sheet, mapping = self.sheet, facts.mapping
        load, spilled = self._load(facts), self._spilled(facts)
        resident = self._resident(facts)
        made = load.instructions + SPILL * spilled
        issued = facts.groups * mapping.programs_per_group * mapping.subgroups_per_program
        instructions = issued * (made + load.collectives + PROGRAM)
        chain = load.waits * sheet.memory_latency + load.steps * STEP_NS + GROUP_NS
        chain += INSTRUCTION_NS * (made + load.collectives)
        at_once = sheet.multiprocessors * resident
        terms = {
            "memory": self._memory_ns(facts, resident),
            "instructions": instructions / (sheet.issue_rate * sheet.multiprocessors),
            "waiting": chain * max(1, ceil(facts.groups / at_once)),
            "dispatch": max(0, facts.groups - at_once) * sheet.dispatch,
        }
        longest = max(terms.values())
        parts = sum((value / longest) ** OVERLAP for value in terms.values())
        kernel = longest * parts ** (1 / OVERLAP) + LAUNCH_NS
        return Score(kernel / max(1, facts.programs), kernel, {**terms, "launch": LAUNCH_NS})

    def _registers(self, facts: CandidateFacts) -> int:
        """The registers that a lane wants."""
        states = (sum(merge.words for merge in sweep.merges) for sweep in facts.work.sweeps)
        return LIVE_REGISTERS + facts.stripe_scalars + max(states, default=0)

    def _limit(self, facts: CandidateFacts) -> int:
        """The registers that a lane may have, if one group is to be resident."""
        return min(self.sheet.lane_registers, self.sheet.registers // facts.threads)

    def _spilled(self, facts: CandidateFacts) -> int:
        return max(0, self._registers(facts) - self._limit(facts))

    def _resident(self, facts: CandidateFacts) -> int:
        """The groups that share a multiprocessor."""
        sheet = self.sheet
        registers = min(self._registers(facts), self._limit(facts))
        registers = max(1, -(-registers // REGISTER_STEP) * REGISTER_STEP)
        limits = [
            sheet.resident_groups,
            sheet.resident_threads // facts.threads,
            sheet.registers // (registers * facts.threads),
        ]
        if facts.shared_bytes:
            limits.append(sheet.shared_bytes // facts.shared_bytes)
        return max(1, min(limits))

    def _memory_ns(self, facts: CandidateFacts, resident: int) -> float:
        """The time of all bytes: slots without a program read, too, and do not write."""
        sheet, work, packed = self.sheet, facts.work, facts.mapping.programs_per_group
        reading = facts.groups * packed if facts.mapping.subgroups_per_program > 1 else 0
        reading = max(reading, facts.programs)
        slow = work.row_bytes * reading + work.written_bytes * facts.programs
        together = work.row_bytes * resident * packed
        if is_next_to(sheet, together):
            rate = OF_PEAK * sheet.cache_bandwidth[0]
        elif fits(sheet, work.row_bytes, resident * packed):
            rate = sheet.cache_bandwidth[-1]
        else:
            rate = sheet.bandwidth
        near = work.again_bytes * reading / rate
        again = self._stored_again(facts) * facts.programs / sheet.cache_bandwidth[-1]
        return self._scattered(facts) * slow / sheet.bandwidth + near + again

    def _stored_again(self, facts: CandidateFacts) -> float:
        """The bytes of a program that stores move more than once on their way to memory.

        A store of single elements of packs moves all that lies between them, too.
        """
        wide, total = facts.mapping.lane_elements, 0.0
        for sweep in facts.work.sweeps if wide > 1 else ():
            for access in sweep.writes if sweep.elements > 1 else ():
                moved = access.size * sweep.elements * sweep.trips
                total += moved * (wide / min(wide, _width(facts, sweep, access)) - 1)
        return total

    def _scattered(self, facts: CandidateFacts) -> float:
        """How much slower memory is where the rows of programs are read in short pieces."""
        worst = 1.0
        for sweep in facts.work.sweeps:
            own = (access.size for access in sweep.reads if access.own and access.first)
            size = max(own, default=0)
            piece = facts.workers * facts.mapping.lane_elements * size
            row = min(SIDE_BY_SIDE, sweep.elements * size)
            if piece and not sweep.kept_words and piece < row:
                worst = max(worst, 1 + SCATTER * log2(row / piece))
        return worst

    def _load(self, facts: CandidateFacts) -> _Load:
        instructions = collectives = waits = steps = 0.0
        cooperating = facts.mapping.subgroups_per_program > 1
        for sweep in facts.work.sweeps:
            made, waited = self._sweep(facts, sweep)
            instructions += made
            waits += waited
            for merge in sweep.merges if sweep.elements > 1 and not sweep.alone else ():
                times = sweep.trips * (2 if cooperating else 1)
                depth = facts.lanes.bit_length() - 1
                one = merge.words * EXCHANGE + _cost(merge.merge)
                collectives += times * (depth * one + COLLECTIVE)
                steps += times * 3 + (sweep.trips if cooperating else 0)
        return _Load(instructions, collectives, waits, steps)

    def _edges(self, facts: CandidateFacts, sweep: Sweep, packed: int) -> float:
        """Instructions for the two packs of a row that are not whole, in some of its subgroups.

        All subgroups ask whether they have one; those that do access its elements one by one.
        """
        wide, shared = facts.mapping.lane_elements, facts.mapping.subgroups_per_program
        chunks = 1 if sweep.elements <= facts.workers * wide else 2
        alone = ACCESS * packed * wide * min(1.0, 2 / (shared * chunks))
        each = PLAIN * wide * (1 + packed + len(sweep.merges))
        return sweep.trips * chunks * (EDGE + each + alone)

    def _sweep(self, facts: CandidateFacts, sweep: Sweep) -> tuple[float, float]:
        """Instructions of the longest worker, and how often it waits for memory in sequence."""
        wide, lead = facts.mapping.lane_elements, facts.phases.get(sweep.axes)
        owned = slots(sweep.elements, facts.workers, wide, phase=lead is not None) * sweep.trips
        accesses = (*sweep.reads, *sweep.writes)
        widths = [_width(facts, sweep, access) for access in accesses]
        packs = [owned / min(width, wide) for width in widths]
        each = _cost(sweep.arithmetic)
        block = LEAVES if sweep.alone else facts.mapping.block
        each += sum(reduction_cost(merge, block, _cost) for merge in sweep.merges)
        made = ACCESS * sum(packs) + each * owned + PACK * owned / wide + SWEEP
        if sweep.alone:
            made += leaf_cost(sweep, _cost) * rounds(sweep, facts.workers, wide) * sweep.trips
        for access, width, count in zip(accesses, widths, packs, strict=True):
            if width < wide and sweep.elements > 1:
                # Lanes that access single elements of packs lie a pack apart.
                lines = facts.lanes * wide * access.size / LINE_BYTES
                made += APART * count * max(0.0, lines - 1)
        if lead is not None:
            made += self._edges(facts, sweep, sum(width > 1 for width in widths))
        if not sweep.reads:
            return made, 0.0
        in_sequence = max(packs[: len(sweep.reads)])
        if sweep.elements == 1 and not sweep.alone:
            return made, 1.0
        if not any(access.own and access.first for access in sweep.reads):
            return made, CACHE_WAIT * ceil(in_sequence / AHEAD_REDUCING)
        ahead = AHEAD_KEEPING if sweep.kept_words else AHEAD_REDUCING
        return made, float(ceil(in_sequence / (AHEAD_STORING if sweep.writes else ahead)))


def _width(facts: CandidateFacts, sweep: Sweep, access: Access) -> int:
    """The most elements that an access takes at once under the ownership of a candidate."""
    lead = facts.phases.get(sweep.axes)
    return access.widest if lead is None else common(lead, access.congruence)


def _cost(work: Arithmetic) -> float:
    """Instructions of an element on a GPU."""
    return PLAIN * work.plain + CALL * work.calls
