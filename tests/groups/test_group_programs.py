"""Programs of one group on every way to run them: the interpreter of Tile IR judges the numbers."""

from dataclasses import replace

import pytest

from certile.codegen import emitter_for
from certile.ir.machine import Barrier, Collective, Shuffle, operations
from certile.lower import lower_parallel
from certile.plan.choose import choose
from certile.plan.record import Options
from certile.reference.agrees import agrees
from certile.runtime.cuda.toolchain import compile_cuda
from tests.differential.harness import HOST_SHEET, SHEETS, flat
from tests.groups import programs
from tests.metal_units import Unit
from tests.platforms import nvrtc

CASES = programs.corpus()
# The planner's choice, one subgroup, several, and a group whose last subgroup is not full.
THREADS = (None, 32, 96, 40)


def lowered(case, sheet, name="group", **options):
    """The plan of a case and its launch under a name."""
    (region,) = case.regions
    programs_ = case.programs(region)
    plan = choose(case.specialised, region, programs_, sheet, Options(**options))
    assert plan.mapping is not None, plan.declined
    return plan, lower_parallel(name, case.specialised, region, plan, case.facts()).launches[0]


def interpreted(case, made):
    """Run a launch in the interpreter of Machine IR: nothing may be wrong, the numbers agree."""
    ran = case.copy()
    (report,) = ran.run_machine([made])
    assert report.ok, report
    found = agrees(ran.outputs(), case.specialised, case.arguments)
    assert found, found.worst


def simulated(library, key, case, plan, launch):
    """Run a kernel of a library in the simulator: nothing may be wrong, the numbers agree."""
    ran = case.copy()
    buffers = {name: flat(ran.arguments[name]) for name in launch.buffers}
    names = [scalar.name for scalar in launch.kernel.scalars]
    scalars = dict(zip(names, ran.scalars(launch), strict=True))
    report = library.run(key, buffers, scalars, plan.programs)
    assert report.ok, f"{key}\n{report}"
    found = agrees(ran.outputs(), case.specialised, case.arguments)
    assert found, (key, found.worst)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", CASES)
def test_no_race_and_the_right_numbers(name, threads):
    if name == "reproducible" and threads == 40:
        pytest.skip("a thread alone would keep too much of the tree")
    sheet = SHEETS[("metal", "cuda")[threads == 96]]
    plan, launch = lowered(CASES[name], sheet, threads=threads)
    assert plan.mapping.family == "group"
    assert plan.barriers == sum(isinstance(op, Barrier) for op in operations(launch.kernel.body))
    assert plan.shared_bytes == launch.kernel.shared_bytes
    interpreted(CASES[name], (plan, launch))


@pytest.mark.parametrize("name", [name for name in CASES if name != "reproducible"])
def test_without_subgroup_reductions_every_result_is_made_in_order(name):
    plan, launch = lowered(CASES[name], SHEETS["metal"], subgroup_reductions="off", threads=64)
    exchanged = [
        op for op in operations(launch.kernel.body) if isinstance(op, Collective | Shuffle)
    ]
    assert not exchanged
    interpreted(CASES[name], (plan, launch))


@pytest.mark.parametrize("name", CASES)
def test_a_cpu_runs_it_by_the_maps_that_it_has(name):
    case = CASES[name]
    made = lowered(case, HOST_SHEET)
    assert made[0].mapping.family != "group"
    ran = case.copy()
    ran.run_cpu([made])
    assert agrees(ran.outputs(), case.specialised, case.arguments)


def launches(sheet):
    """Every case under the planner's choice and in a group that is not full, by name."""
    for name, case in CASES.items():
        for threads in (None, 40):
            if (name, threads) != ("reproducible", 40):
                key = f"{name}_{threads or 'chosen'}"
                yield key, case, *lowered(case, sheet, key, threads=threads)


def test_the_metal_text_in_the_simulator():
    made = list(launches(SHEETS["metal"]))
    library = Unit([launch.kernel for _, _, _, launch in made])
    for key, case, plan, launch in made:
        simulated(library, key, case, plan, launch)


@nvrtc
def test_the_cuda_text_compiles():
    sheet = SHEETS["cuda"]
    emit = emitter_for(sheet)
    made = [emit(launch.kernel, sheet) for _, _, _, launch in launches(sheet)]
    paragraphs = dict.fromkeys(p for one in made for p in one.text.strip().split("\n\n"))
    text = replace(made[0], text="\n\n".join(paragraphs))
    compiled = compile_cuda(text, form="ptx").decode()
    assert all(artifact.entry in compiled for artifact in made)
