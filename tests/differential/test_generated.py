"""Programs that are no operation anybody named, through every stage and every CPU way to run them.

The corpus is fixed: its half has several reductions, its third a shared tile, a gather or several
outputs.  Each program is planned and lowered for three targets, printed for each, and run; the
interpreter of Tile IR judges the numbers.
"""

from collections import Counter

import numpy as np
import pytest

from certile.codegen import emitter_for
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import f64
from certile.ir.machine import Barrier, operations
from certile.reference.agrees import agrees
from certile.reference.generate import corpus
from certile.runtime.cuda.toolchain import compile_cuda
from tests.differential.harness import HOST_SHEET, REFERENCE, SHEETS, Case

COUNT = 200
PROGRAMS = list(corpus(COUNT))


def case_of(number):
    program = PROGRAMS[number]
    return Case(program.kernel, program.arguments(number))


def judge(case, ran, what):
    found = agrees(ran.outputs(), case.specialised, case.arguments)
    assert found, f"{what}: {found.worst}"


def uses_f64(kernel):
    return any(v.dtype == f64 for op in operations(kernel.body) for v in op.results_())


def test_the_corpus_is_what_it_should_be():
    features = [program.features() for program in PROGRAMS]
    several = sum(found["reductions"] >= 2 for found in features)
    rich = sum(found["shared"] + found["gathers"] > 0 or found["outputs"] > 1 for found in features)
    assert len(PROGRAMS) >= 200
    assert several >= COUNT // 2
    assert rich >= COUNT // 3
    assert any(found["loops"] for found in features)


@pytest.mark.parametrize("number", range(COUNT))
def test_program(number):
    """All targets are planned, lowered and printed; one of them is interpreted; the CPU runs."""
    case = case_of(number)
    lowered = {name: case.lower(sheet) for name, sheet in SHEETS.items()}
    for name, launches in lowered.items():
        for plan, launch in launches:
            assert plan.mapping.family == "subgroup" or plan.declined or plan.rows
            emit = emitter_for(plan.sheet)
            if name == "metal" and uses_f64(launch.kernel):
                with pytest.raises(UnsupportedError, match="U310"):
                    emit(launch.kernel, plan.sheet)
            else:
                assert launch.kernel.name in emit(launch.kernel, plan.sheet).text
    interpreted = sorted(SHEETS)[number % 3]
    ran = case.copy()
    for report in ran.run_machine(lowered[interpreted]):
        assert report.ok, (interpreted, report)
    judge(case, ran, f"machine IR for {interpreted}")
    ran = case.copy()
    ran.run_cpu(lowered["cpu"])
    judge(case, ran, "cpu text")


@pytest.mark.parametrize("number", range(0, COUNT, 6))
def test_program_under_the_reference_map(number):
    case = case_of(number)
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET, REFERENCE))
    judge(case, ran, "cpu text of the reference map")


@pytest.mark.parametrize("number", range(0, COUNT, 20))
def test_program_compiles_for_cuda(number):
    """The CUDA compiler takes what is printed; it needs no GPU."""
    pytest.importorskip("cuda.bindings.nvrtc")
    for plan, launch in case_of(number).lower(SHEETS["cuda"]):
        artifact = emitter_for(plan.sheet)(launch.kernel, plan.sheet)
        assert artifact.entry in compile_cuda(artifact, form="ptx").decode()


def test_plans_say_what_lowering_makes():
    """Barriers and shared bytes of a plan are those of its machine kernel."""
    met = Counter()
    for number in range(0, COUNT, 4):
        for name in ("metal", "cuda"):
            for plan, launch in case_of(number).lower(SHEETS[name]):
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
    for number in range(0, COUNT, 16):
        texts = []
        for _ in range(2):
            launches = case_of(number).lower(HOST_SHEET)
            texts.append(
                [emitter_for(HOST_SHEET)(at.kernel, HOST_SHEET).text for _, at in launches]
            )
        assert texts[0] == texts[1]


def test_a_wrong_number_is_noticed():
    """The judge of this file rejects a result with one wrong element."""
    case = case_of(0)
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET))
    name, array = next(iter(ran.outputs().items()))
    array.reshape(-1)[-1] += np.asarray(1).astype(array.dtype)
    with pytest.raises(AssertionError, match=name):
        judge(case, ran, "mutant")
