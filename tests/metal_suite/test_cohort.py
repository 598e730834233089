"""The filed plans and texts of the cohort are what the compiler makes; those for Metal run."""

from dataclasses import replace

import numpy as np
import pytest

from certile.metalsim import Library
from certile.runtime.cuda.toolchain import compile_cuda, compile_device
from certile.runtime.launching import scalar_argument
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from scripts import write_cohort
from scripts.cohort import PROGRAMS
from tests.metal_units import unit
from tests.platforms import nvrtc


def test_the_files_are_what_would_be_written():
    changed = list(write_cohort.differences(write_cohort.made()))
    assert not changed, f"python scripts/write_cohort.py writes others: {', '.join(changed)}"


def test_the_cohort_is_24_programs():
    assert len({program.name for program in PROGRAMS}) == 24


def test_a_file_that_differs_is_named(tmp_path):
    (program, *_) = PROGRAMS
    wanted = write_cohort.files(program)
    for name, text in wanted.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert not list(write_cohort.differences(wanted, tmp_path))
    changed = f"{program.name}.metal"
    (tmp_path / changed).write_text(wanted[changed].replace("32", "33", 1), encoding="utf-8")
    (tmp_path / "other.cu").write_text("", encoding="utf-8")
    (tmp_path / f"{program.name}.cu").unlink()
    named = list(write_cohort.differences(wanted, tmp_path))
    assert named == sorted([changed, "other.cu", f"{program.name}.cu"])


@pytest.fixture(scope="module")
def launches():
    """Each launch, with the text of its file."""
    found = {}
    for program in PROGRAMS:
        launch = program.compiled(METAL)
        text = (write_cohort.FOLDER / f"{program.name}.metal").read_text(encoding="utf-8")
        found[program] = replace(launch, artifact=replace(launch.artifact, text=text))
    return found


@pytest.fixture(scope="module")
def of_tvm():
    """The Metal texts that TVM printed, as one."""
    filed = [write_cohort.filed(program.name, "metal")[0] for program in PROGRAMS]
    assert len({artifact.entry for artifact in filed}) == len(filed)
    paragraphs = {p: None for each in filed for p in each.source.strip().split("\n\n")}
    return Library("\n\n".join(paragraphs) + "\n", "checked")


@pytest.fixture(scope="module")
def library(launches):
    return Library(unit([launch.artifact for launch in launches.values()]), "checked")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_filed_metal_text_runs_and_is_right(library, launches, program):
    launch = launches[program]
    artifact, arguments = launch.artifact, program.arguments()
    scalars = [
        scalar_argument(value, parameter.dtype)
        for value, parameter in zip(program.scalars(launch), artifact.scalars, strict=True)
    ]
    buffers = [arguments[name] for name in launch.launch.buffers]
    groups = -(-program.rows // artifact.programs_per_group)
    report = library.kernel(artifact.entry).run(
        dict(enumerate([*buffers, *scalars])), (groups, 1, 1), (artifact.threads, 1, 1)
    )
    assert report.ok, report
    assert program.error(arguments) <= 1


@nvrtc
@pytest.mark.parametrize("program", PROGRAMS[3::4], ids=lambda program: program.name)
def test_the_filed_cuda_texts_compile(program):
    """The longest rows of each form; no GPU is needed for that."""
    text = (write_cohort.FOLDER / f"{program.name}.cu").read_text(encoding="utf-8")
    assert compile_cuda(replace(program.compiled(CUDA_SM90).artifact, text=text))
    assert compile_device(write_cohort.filed(program.name, "cu")[0])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_filed_metal_text_of_tvm_runs_and_is_right(of_tvm, program):
    artifact, _ = write_cohort.filed(program.name, "metal")
    arguments = program.arguments()
    given = arguments | {"eps": np.array([program.eps], np.float32)}
    bound = {argument.index: given[argument.name] for argument in artifact.arguments}
    report = of_tvm.kernel(artifact.entry).run(bound, artifact.grid, artifact.block)
    assert report.ok, report
    assert program.error(arguments) <= 1


def test_a_wrong_result_is_seen():
    program = next(p for p in PROGRAMS if p.name == "softmax-17x257")
    arguments = program.arguments()
    assert program.error(arguments) == np.inf
    x = arguments["x"].astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    arguments["y"][...] = e / e.sum(axis=1, keepdims=True)
    assert program.error(arguments) < 1
    arguments["y"][3, 5] *= 1.001
    assert program.error(arguments) > 1
