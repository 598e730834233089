"""The service policy of GPUs: memory, issue slots and waiting of a launch, in nanoseconds.

In: the facts of a candidate and a GPU's sheet.  Out: a `Score` whose terms are those times.
Decides only the order of legal candidates.  The constants are uncalibrated defaults, chosen so
that the model orders the plans of `benchmarks/results/2026-11-30-h200-rows.md`, `-odd-rows.md` and
`-race.md` beside it (`scripts/gpu_race.py --model` says how well), and are not times that were
measured one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, log2

from certile.plan.blocks import LEAVES
from certile.plan.cost.near import fits, is_next_to
from certile.plan.cost.policy import CandidateFacts, Score
from certile.plan.cost.registers import registers_of
from certile.plan.cost.sweeps import leaf_cost, reduction_cost, rounds
from certile.plan.ownership.layout import slots
from certile.plan.ownership.phases import common
from certile.plan.work import Access, Arithmetic, Sweep
from certile.records import record
from certile.targets.sheet import Sheet

__all__ = ["GpuService"]

NONE = Arithmetic()

# Instructions of a subgroup on a GPU: of an access, a plain operation, a transcendental function, a
# pack of consecutive elements, a sweep; of a chunk at an edge of a row whose ownership has a phase,
# an element of it that is accessed alone, a function of an element in it; of a program, an exchange
# of one word, a collective, and of a word that does not fit the registers.
ACCESS = 2.2
PLAIN = 0.8
CALL = 10.4
PACK = 1.4
SWEEP = 5.5
EDGE = 8.0
SINGLE = 3.4
CALL_AT_EDGE = 2.0
# What an access that is spread over several lines of memory waits for each of them but the first.
APART = 6.3
LINE_BYTES = 128
# A cache takes a store in sectors; one that is written in part is read and written once more.
SECTOR_BYTES = 32
IN_PART = 2.0
PROGRAM = 24.0
EXCHANGE = 1.0
COLLECTIVE = 5.0
SPILL = 4.8
REGISTER_STEP = 8
# Loads of a lane that wait together, and those in a sweep that stores between its loads.
AHEAD = 9.0
AHEAD_STORING = 2.0
# What a cache next to its readers gives of its peak.
OF_PEAK = 0.8
# Waiting for the nearest caches takes this part of the wait for memory.
CACHE_WAIT = 0.32
# Nanoseconds: a dependent step of a collective or a barrier, an instruction of the longest worker,
# setting a group up, and a launch.
STEP_NS = 20.0
INSTRUCTION_NS = 0.7
GROUP_NS = 290.0
LAUNCH_NS = 1000.0
# Memory is slower by this part for each halving of the bytes a program reads side by side, down
# from this many, where its sweep is a loop: the rows of many programs are open at once.
SCATTER = 0.01
SIDE_BY_SIDE = 8192
# Memory is slower by this part, over the part of all lanes that is resident.
FEW_LANES = 0.024
# A group leaves when the last of its programs ends: it is longer by this part for each doubling.
LAST = 0.135
# How sharply the longest of overlapping times rules: the norms of these orders, of what a group
# does and waits for, and of that beside handing groups out, which is no work of theirs.
OVERLAP = 3.26
BESIDE = 4.4


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
        load, registers = self._load(facts), registers_of(facts)
        limit = min(sheet.lane_registers, sheet.registers // facts.threads)
        resident = self._resident(facts, min(registers, limit))
        made = load.instructions + SPILL * max(0, registers - limit)
        issued = facts.groups * mapping.programs_per_group * mapping.subgroups_per_program
        instructions = issued * (made + load.collectives + PROGRAM)
        chain = load.waits * sheet.memory_latency + load.steps * STEP_NS + GROUP_NS
        chain += INSTRUCTION_NS * (made + load.collectives)
        chain *= 1 + LAST * log2(mapping.programs_per_group)
        at_once = sheet.multiprocessors * resident
        terms = {
            "memory": self._memory_ns(facts, resident),
            "instructions": instructions / (sheet.issue_rate * sheet.multiprocessors),
            "waiting": chain * max(1, ceil(facts.groups / at_once)),
        }
        dispatch = max(0, facts.groups - at_once) * sheet.dispatch
        kernel = _norm((_norm(terms.values(), OVERLAP), dispatch), BESIDE) + LAUNCH_NS
        terms.update(dispatch=dispatch, launch=LAUNCH_NS)
        return Score(kernel / max(1, facts.programs), kernel, terms)

    def _resident(self, facts: CandidateFacts, registers: int) -> int:
        """The groups that share a multiprocessor."""
        sheet = self.sheet
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
        few = 1 + FEW_LANES * sheet.resident_threads / (resident * facts.threads)
        return few * (self._scattered(facts) * slow / sheet.bandwidth + near + again)

    def _stored_again(self, facts: CandidateFacts) -> float:
        """The bytes of a program that stores move more than once on their way to memory.

        A store of single elements of packs moves all that lies between them, too; one that does not
        begin aligned writes a part of one more sector.
        """
        wide, total = facts.mapping.lane_elements, 0.0
        for sweep in facts.work.sweeps:
            for access in sweep.writes if sweep.elements > 1 else ():
                width = _width(facts, sweep, access)
                taken = min(wide, width)
                stored = facts.lanes * taken * access.size
                late = 1 - min(1.0, width * access.size / self.sheet.vector_bytes)
                again = wide / taken - 1 + IN_PART * late * SECTOR_BYTES / stored
                total += access.size * sweep.elements * sweep.trips * again
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
        alone = SINGLE * packed * wide * min(1.0, 2 / (shared * chunks))
        made = sweep.arithmetic + sum((merge.lift + merge.merge for merge in sweep.merges), NONE)
        each = wide * (PLAIN * (1 + packed + len(sweep.merges)) + CALL_AT_EDGE * made.calls)
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
        wait = 1.0 if any(access.own and access.first for access in sweep.reads) else CACHE_WAIT
        return made, wait * ceil(in_sequence / (AHEAD_STORING if sweep.writes else AHEAD))


def _norm(times: Iterable[float], order: float) -> float:
    """The norm of times that overlap: the longest, and more where others are nearly as long."""
    times = tuple(times)
    longest = max(times)
    return longest * float(sum((time / longest) ** order for time in times) ** (1 / order))


def _width(facts: CandidateFacts, sweep: Sweep, access: Access) -> int:
    """The most elements that an access takes at once under the ownership of a candidate."""
    lead = facts.phases.get(sweep.axes)
    return access.widest if lead is None else common(lead, access.congruence)


def _cost(work: Arithmetic) -> float:
    """Instructions of an element on a GPU."""
    return PLAIN * work.plain + CALL * work.calls
