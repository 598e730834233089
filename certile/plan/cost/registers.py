"""How many registers a lane of a GPU wants, which decides how many groups are resident.

In: the facts of a candidate.  Out: an estimate, made of what is alive between sweeps and what a
sweep has in hand.  Decides nothing; leaves to the policy what registers are worth.  The constants
are fitted to what the compiler gave to the plans of `benchmarks/results/2026-11-30-h200-rows.json`
and `-odd-rows.json`.  What a sweep that only reads takes beside is left out where its packs are
whole: it is for loads that wait together, and pays for itself.
"""

from __future__ import annotations

from certile.plan.cost.policy import CandidateFacts
from certile.plan.ownership.layout import slots
from certile.plan.work import Sweep

__all__ = ["registers_of"]

# Registers of addresses, masks and counters.
BASE = 20
# Packs of which a loop that stores has the elements in hand: it is unrolled so many times.
UNROLLED = 4
# Registers of an element in hand: for each access that loads it, and each function made of it.
LOADED = 0.3
CALLED = 0.3
# Those of an element that is only read, for each function, where packs at the ends are not whole.
AT_ENDS = 1.7
# Those of an element of a block that becomes one state by closed forms.
BLOCKED = 1.2


def registers_of(facts: CandidateFacts) -> int:
    """The registers that a lane wants: those of the sweep that wants the most."""
    before, most = 0, 0.0
    for sweep, after in zip(facts.work.sweeps, _held(facts), strict=True):
        states = sum(merge.words for merge in sweep.merges)
        # What a sweep recalls dies element by element, as it makes what it keeps.
        alive = max(before, after)
        in_hand = 0.0 if after and sweep.kept_words else _in_hand(facts, sweep)
        most = max(most, alive + states + in_hand)
        before = after
    return BASE + int(most)


def _held(facts: CandidateFacts) -> list[int]:
    """The words that a lane holds after each sweep for later ones."""
    work, mapping = facts.work, facts.mapping
    if not work.held:
        return [facts.stripe_scalars] * len(work.sweeps)

    def owned(elements: int) -> int:
        return slots(elements, facts.workers, mapping.lane_elements, phase=mapping.phase)

    return [sum(words * owned(elements) for elements, words in held) for held in work.held]


def _in_hand(facts: CandidateFacts, sweep: Sweep) -> float:
    """The registers of elements that a sweep has in hand, beside what it keeps."""
    wide, phased = facts.mapping.lane_elements, sweep.axes in facts.phases
    if sweep.elements == 1 or not (sweep.reads or sweep.writes):
        return 0.0
    if facts.mapping.block > 1 and sweep.merges:
        return BLOCKED * facts.mapping.block
    calls = sweep.arithmetic.calls
    if sweep.writes:
        each = LOADED * len(sweep.reads) + CALLED * calls
    else:
        calls += sum((merge.lift + merge.merge).calls for merge in sweep.merges)
        each = AT_ENDS * calls if phased else 0.0
    return each * min(slots(sweep.elements, facts.workers, wide, phase=phased), UNROLLED * wide)
