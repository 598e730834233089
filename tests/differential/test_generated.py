"""Programs that are no operation anybody named, through every stage and every way to run them here.

The corpus is fixed: its half has several reductions, its third a shared tile, a gather or several
outputs, and all constructs of the language occur; of the programs that subgroups serve on both GPUs
that holds as well.  Each program runs as CPU code and is planned, lowered and printed for both
GPUs; some are interpreted as Machine IR, run as Metal text in the simulator, or compiled by the
CUDA compiler.  The interpreter of Tile IR judges the numbers.
"""

from collections import Counter
from dataclasses import replace
from functools import cache

import ml_dtypes
import numpy as np
import pytest

from certile.codegen import emitter_for
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import f64
from certile.ir.machine import Barrier, operations
from certile.reference.agrees import agrees
from certile.reference.generate import corpus
from certile.runtime.cuda.toolchain import compile_cuda
from tests.differential.harness import HOST_SHEET, REFERENCE, SHEETS, Case, flat
from tests.metal_units import Unit
from tests.platforms import nvrtc

COUNT = 500
# How many of them subgroups serve on both GPUs, at least.
ADMITTED = 200
SHARES = 3
GPUS = ("metal", "cuda")
PROGRAMS = list(corpus(COUNT))


def case_of(program, seed):
    return Case(program.kernel, program.arguments(seed))


def judge(case, ran, what):
    found = agrees(ran.outputs(), case.specialised, case.arguments)
    assert found, f"{what}: {found.worst}"
    return found


def uses_f64(kernel):
    made = (v.dtype for op in operations(kernel.body) for v in op.results_())
    return f64 in {*made, *(buffer.dtype for buffer in kernel.buffers)}


def check_text(name, launches):
    """Every launch is printed for a target, or refused for the one type that Metal lacks."""
    for plan, launch in launches:
        # Programs that lanes do not share were declined, or have one element a row.
        assert plan.mapping.family == "subgroup" or plan.declined or set(plan.rows.domains) <= {1}
        emit = emitter_for(plan.sheet)
        if name == "metal" and uses_f64(launch.kernel):
            with pytest.raises(UnsupportedError, match="U310"):
                emit(launch.kernel, plan.sheet)
        else:
            assert launch.kernel.name in emit(launch.kernel, plan.sheet).text


def check_interpreted(case, name, launches):
    """The interpreter of Machine IR reports nothing and finds the numbers."""
    ran = case.copy()
    for report in ran.run_machine(launches):
        assert report.ok, (name, report)
    judge(case, ran, f"machine IR for {name}")


def is_admitted(launches):
    return all(plan.mapping.family == "subgroup" for plan, _ in launches)


def check_variety(programs):
    """Half of them have several reductions, a third a shared tile, a gather or several outputs."""
    features = [program.features() for program in programs]
    several = sum(found["reductions"] >= 2 for found in features)
    rich = sum(found["shared"] + found["gathers"] > 0 or found["outputs"] > 1 for found in features)
    assert 2 * several >= len(features)
    assert 3 * rich >= len(features)


def test_the_corpus_is_what_it_should_be():
    assert len(PROGRAMS) >= 500
    check_variety(PROGRAMS)


@pytest.mark.parametrize("share", range(SHARES))
def test_both_gpus_print_every_program_and_admit_many(share):
    admitted = []
    for number in range(share, COUNT, SHARES):
        case = case_of(PROGRAMS[number], number)
        lowered = {gpu: case.lower(SHEETS[gpu]) for gpu in GPUS}
        for gpu, launches in lowered.items():
            check_text(gpu, launches)
        if all(map(is_admitted, lowered.values())):
            admitted.append(PROGRAMS[number])
    assert len(admitted) >= -(-ADMITTED // SHARES)
    check_variety(admitted)


@pytest.mark.parametrize("number", range(COUNT))
def test_program(number):
    """The CPU runs; Machine IR is interpreted for one target where the number says so."""
    case = case_of(PROGRAMS[number], number)
    for_cpu = case.lower(HOST_SHEET)
    if number % 9 < 3:
        name = "cpu" if number % 9 == 2 else GPUS[number % 2]
        launches = for_cpu if name == "cpu" else case.lower(SHEETS[name])
        # Serial loops over long rows take the interpreter seconds; short ones show the same.
        short = max(map(max, PROGRAMS[number].shapes.values())) <= 65
        if short or is_admitted(launches):
            check_interpreted(case, name, launches)
    ran = case.copy()
    ran.run_cpu(for_cpu)
    judge(case, ran, "cpu text")


@cache
def programs_of(seed):
    return list(corpus(COUNT, seed))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 11))
@pytest.mark.parametrize("share", range(10))
def test_programs_of_other_seeds(seed, share):
    """Every target is interpreted, and both maps run on the CPU."""
    for number, program in list(enumerate(programs_of(seed)))[share::10]:
        case = case_of(program, number)
        lowered = {name: case.lower(sheet) for name, sheet in SHEETS.items()}
        for name, launches in lowered.items():
            check_text(name, launches)
            check_interpreted(case, name, launches)
        special = Case(program.kernel, program.arguments(number, unusual=True))
        for mapping in (None, REFERENCE):
            launches = lowered["cpu"] if mapping is None else case.lower(HOST_SHEET, mapping)
            for given in (case, special):
                ran = given.copy()
                ran.run_cpu(launches)
                judge(given, ran, f"seed {seed}, program {number}: cpu text under {mapping}")


def test_few_results_may_be_anything():
    """The judge bounds what it is asked about: a corpus of unbounded results would show nothing."""
    unchecked = elements = 0
    for number in range(0, COUNT, 5):
        case = case_of(PROGRAMS[number], number)
        found = agrees(case.outputs(), case.specialised, case.arguments)
        unchecked, elements = unchecked + found.unchecked, elements + found.elements
    assert unchecked <= elements // 20


@pytest.mark.parametrize("number", range(0, COUNT, 12))
def test_program_under_the_reference_map(number):
    case = case_of(PROGRAMS[number], number)
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET, REFERENCE))
    judge(case, ran, "cpu text of the reference map")


@pytest.mark.parametrize("number", range(3, COUNT, 12))
def test_program_with_special_values(number):
    """NaN, infinities and the ends of types are where the reference has them."""
    program = PROGRAMS[number]
    case = Case(program.kernel, program.arguments(number, unusual=True))
    for mapping in (None, REFERENCE)[: 1 + number % 2]:
        ran = case.copy()
        ran.run_cpu(ran.lower(HOST_SHEET, mapping))
        judge(case, ran, f"cpu text under {mapping}")


@nvrtc
@pytest.mark.parametrize("number", range(0, COUNT, 25))
def test_program_compiles_for_cuda(number):
    """The CUDA compiler takes what is printed; it needs no GPU."""
    for plan, launch in case_of(PROGRAMS[number], number).lower(SHEETS["cuda"]):
        artifact = emitter_for(plan.sheet)(launch.kernel, plan.sheet)
        assert artifact.entry in compile_cuda(artifact, form="ptx").decode()


# What the simulator binds for element types that it has none of.
_BITS = {
    np.dtype(np.bool_): np.uint8,
    np.dtype(ml_dtypes.bfloat16): np.uint16,
    np.dtype(ml_dtypes.float8_e4m3fn): np.uint8,
    np.dtype(ml_dtypes.float8_e5m2): np.uint8,
}


def for_metal(numbers):
    """The cases of those programs that Metal has the types for, with their launches, by number."""
    made = {}
    for number in numbers:
        case = case_of(PROGRAMS[number], number)
        lowered = case.lower(SHEETS["metal"])
        if not any(uses_f64(launch.kernel) for _, launch in lowered):
            made[number] = case, lowered
    return made


def check_metal_text(made):
    """Programs as one text, so that clang starts once; each launch runs without a finding."""
    named_cases = []
    for number, (case, lowered) in made.items():
        named = [
            (plan, launch, replace(launch.kernel, name=f"p{number}_{k}"))
            for k, (plan, launch) in enumerate(lowered)
        ]
        named_cases.append((case, named))
    unit = Unit([kernel for _, named in named_cases for _, _, kernel in named])
    for case, named in named_cases:
        ran = case.copy()
        for plan, launch, kernel in named:
            buffers = {name: flat(ran.arguments[name]) for name in launch.buffers}
            bound = {k: v.view(_BITS.get(v.dtype, v.dtype)) for k, v in buffers.items()}
            names = [scalar.name for scalar in kernel.scalars]
            scalars = dict(zip(names, ran.scalars(launch), strict=True))
            report = unit.run(kernel.name, bound, scalars, plan.programs)
            assert report.ok, f"{kernel.name}\n{report}"
        judge(case, ran, named[0][2].name)


def test_some_programs_as_metal_text():
    made = for_metal(range(7, COUNT, 40))
    assert len(made) >= 8
    assert any(is_admitted(lowered) for _, lowered in made.values())
    assert not all(is_admitted(lowered) for _, lowered in made.values())
    check_metal_text(made)


@pytest.mark.full
@pytest.mark.parametrize("share", range(SHARES))
def test_all_admitted_programs_as_metal_text(share):
    made = for_metal(range(share, COUNT, SHARES))
    made = {number: at for number, at in made.items() if is_admitted(at[1])}
    assert len(made) >= -(-ADMITTED // SHARES)
    check_metal_text(made)


def test_plans_say_what_lowering_makes():
    """Barriers and shared bytes of a plan are those of its machine kernel."""
    met = Counter()
    for number in range(0, COUNT, 12):
        for name in ("metal", "cuda"):
            for plan, launch in case_of(PROGRAMS[number], number).lower(SHEETS[name]):
                if plan.mapping.family != "subgroup":
                    continue
                made = [op for op in operations(launch.kernel.body) if isinstance(op, Barrier)]
                assert plan.barriers == len(made)
                assert plan.shared_bytes == sum(
                    max(4, array.dtype.size) * array.count for array in launch.kernel.shared
                )
                met[plan.mapping.subgroups_per_program > 1] += 1
    assert met[True]
    assert met[False]


def test_equal_programs_are_lowered_to_equal_text():
    for number in range(0, COUNT, 40):
        texts = []
        for _ in range(2):
            launches = case_of(PROGRAMS[number], number).lower(HOST_SHEET)
            texts.append(
                [emitter_for(HOST_SHEET)(at.kernel, HOST_SHEET).text for _, at in launches]
            )
        assert texts[0] == texts[1]


def test_a_wrong_number_is_noticed():
    """The judge of this file rejects a result with one wrong element."""
    case = case_of(PROGRAMS[0], 0)
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET))
    name, array = next(iter(ran.outputs().items()))
    array.reshape(-1)[-1] += np.asarray(1).astype(array.dtype)
    with pytest.raises(AssertionError, match=name):
        judge(case, ran, "mutant")
