"""Programs of one group on a GPU: the numbers, whatever the threads, and twice the same."""

import numpy as np
import pytest

from certile.codegen import emitter_for
from certile.reference.agrees import agrees
from tests.differential.harness import SHEETS, flat
from tests.groups.generated import generated
from tests.groups.test_group_programs import CASES, lowered

pytestmark = pytest.mark.gpu


def launched(case, plan, launch):
    """Run a launch on copies of a case's arrays; return the case with what the GPU wrote."""
    import torch

    from certile.runtime.cuda.device import CudaKernel, architecture
    from certile.runtime.cuda.toolchain import compile_cuda

    ran, sheet = case.copy(), SHEETS["cuda"]
    artifact = emitter_for(sheet)(launch.kernel, sheet)
    arrays = {name: flat(ran.arguments[name]) for name in launch.buffers}
    moved = {k: torch.from_numpy(a.view(np.uint8).copy()).cuda() for k, a in arrays.items()}
    kernel = CudaKernel(artifact, compile_cuda(artifact, architecture()))
    kernel.launch(
        [moved[buffer.name].data_ptr() for buffer in launch.kernel.buffers],
        ran.scalars(launch),
        plan.programs,
    )
    torch.cuda.synchronize()
    for name, array in arrays.items():
        array.view(np.uint8)[:] = moved[name].cpu().numpy()
    return ran


def judged(case, **options):
    plan, launch = lowered(case, SHEETS["cuda"], **options)
    first, second = (launched(case, plan, launch) for _ in range(2))
    found = agrees(first.outputs(), case.specialised, case.arguments)
    assert found, found.worst
    for name, array in first.outputs().items():
        assert array.tobytes() == second.outputs()[name].tobytes()


@pytest.mark.parametrize("threads", [None, 32, 40, 96, 1024])
@pytest.mark.parametrize("name", CASES)
def test_every_situation(name, threads):
    if name == "reproducible" and threads == 40:
        pytest.skip("a thread alone would keep too much of the tree")
    judged(CASES[name], threads=threads)


@pytest.mark.parametrize("seed", range(100, 140))
def test_random_programs(seed):
    judged(generated(seed), threads=(None, 64, 72, 256)[seed % 4])
