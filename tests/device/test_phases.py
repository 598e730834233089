"""Kernels whose ownership has a phase, on a GPU: rows that begin anywhere, all judged alike."""

import itertools

import numpy as np
import pytest

from tests.phases.rows import KERNELS, Rows

pytestmark = pytest.mark.gpu

LENGTHS = (33, 257, 1000, 1999, 4099)
PLACES = ((1, 0), (3, 2), (0, 1), (5, 3))
FLOATS_ONLY = {"softmax", "layer_norm", "cross_entropy"}


def run(rows, plan):
    """Launch on copies as aligned as the arrays; return their memory afterwards."""
    import torch

    from certile.runtime.cuda.device import CudaKernel, architecture
    from certile.runtime.cuda.toolchain import compile_cuda

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    torch.zeros(1, device="cuda")  # There is no context before the first allocation.
    launch = rows.lower(plan)
    artifact = rows.emit(plan, launch)
    kernel = CudaKernel(artifact, compile_cuda(artifact, architecture()))
    memory, moved = rows.copied(), {}
    for name, array in memory.items():
        start = rows.skews[name] * array.itemsize
        raw = torch.zeros(start + array.nbytes, dtype=torch.uint8, device="cuda")
        raw[start:] = torch.from_numpy(array.view(np.uint8).copy())
        moved[name] = raw[start:]
    addresses = [moved[buffer.name].data_ptr() for buffer in artifact.buffers]
    values = rows.scalars(launch)
    kernel.launch(addresses, [values[s.name] for s in artifact.scalars], rows.count)
    torch.cuda.synchronize()
    for name, array in memory.items():
        array.view(np.uint8)[:] = moved[name].cpu().numpy()
    return memory


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("wide", [2, 4, 8])
def test_rows_that_begin_anywhere(name, wide):
    dtypes = itertools.cycle(("f32", "bf16") if name in FLOATS_ONLY else ("f32", "bf16", "u8"))
    for (length, place), dtype in zip(itertools.product(LENGTHS, PLACES), dtypes, strict=False):
        rows = Rows(name, length, dtype, count=9, default=place)
        for subgroups in (1, 4):
            plan = rows.plan(
                "cuda",
                phase="on",
                lane_elements=wide,
                threads=32 * subgroups,
                programs_per_group=1,
            )
            if plan.mapping is not None:
                rows.judge(plan, run(rows, plan))


def test_the_default_plan_of_odd_rows():
    rows = Rows("softmax", 4099, "bf16", count=1024)
    plan = rows.plan("cuda")
    assert plan.mapping.phase
    rows.judge(plan, run(rows, plan))
