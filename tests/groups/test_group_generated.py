"""Random programs of a group: the same numbers however many threads there are, and no finding."""

import pytest

from certile.plan.choose import choose
from certile.plan.record import Options
from certile.reference.agrees import agrees
from tests.differential.harness import SHEETS
from tests.groups.generated import generated
from tests.groups.test_group_programs import interpreted, lowered, simulated
from tests.metal_units import Unit

SEEDS = range(40)
CASES = {seed: generated(seed) for seed in SEEDS}


@pytest.mark.parametrize("seed", SEEDS)
def test_any_number_of_threads(seed):
    case = CASES[seed]
    for threads, kept in ((None, None), (64, "preserve"), (72, "expensive-only")):
        made = lowered(case, SHEETS["cuda"], threads=threads, materialization=kept)
        interpreted(case, made)


@pytest.mark.full
@pytest.mark.parametrize("share", range(10))
def test_programs_of_other_seeds(share):
    """A program may want more group memory than there is; every other one runs."""
    for seed in range(40 + share, 640, 10):
        case = generated(seed)
        for threads, kept in ((None, None), (96, "preserve"), (40, "expensive-only")):
            options = Options(threads=threads, materialization=kept)
            plan = choose(case.specialised, case.regions[0], 3, SHEETS["cuda"], options)
            if plan.declined is None:
                made = lowered(case, SHEETS["cuda"], threads=threads, materialization=kept)
                interpreted(case, made)
            else:
                assert plan.declined.code == "budget"


def test_the_metal_text_in_the_simulator():
    made = {f"seed{seed}": lowered(CASES[seed], SHEETS["metal"], f"seed{seed}") for seed in SEEDS}
    library = Unit([launch.kernel for _, launch in made.values()])
    for (key, (plan, launch)), case in zip(made.items(), CASES.values(), strict=True):
        simulated(library, key, case, plan, launch)


def test_the_programs_are_what_they_should_be():
    """All kinds of step occur, reductions are made both ways, and every result has a bound."""
    kinds, ways, unchecked = set(), set(), 0
    for case in CASES.values():
        plan = choose(case.specialised, case.regions[0], 3, SHEETS["metal"], Options())
        pending = list(plan.group.steps)
        while pending:
            step = pending.pop()
            pending += step.body
            kinds.add(step.kind)
            ways |= {step.collective} if step.kind == "reduce" else set()
        unchecked += agrees(case.copy().outputs(), case.specialised, case.arguments).unchecked
    assert kinds == {"advance", "assign", "evaluate", "reduce", "serial", "store"}
    assert ways == {False, True}
    assert unchecked == 0
