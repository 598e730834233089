"""What is generated for ownership with a phase: wide accesses, run as Metal text and compiled."""

import numpy as np
import pytest

from certile.ir.machine import Collective, For, If, Load, Store, operations
from certile.metalsim import Library
from certile.reference.machine import run_machine
from certile.runtime.cuda.toolchain import compile_cuda
from certile.runtime.launching import scalar_argument
from tests.metal_units import unit
from tests.phases.rows import KERNELS, Rows, wide_accesses
from tests.platforms import nvrtc


def planned(rows, target, wide, subgroups):
    plan = rows.plan(
        target, phase="on", lane_elements=wide, threads=32 * subgroups, programs_per_group=1
    )
    return plan, rows.lower(plan)


def inner_loop(lines):
    """The lines of the deepest loop that runs more than once."""
    start = next(k for k, line in enumerate(lines) if "for (" in line and "< v" not in line)
    depth = len(lines[start]) - len(lines[start].lstrip())
    stop = next(
        k for k in range(start + 1, len(lines)) if len(lines[k]) - len(lines[k].lstrip()) == depth
    )
    return "\n".join(lines[start:stop])


def kernel_lines(text, head):
    return text[text.index(head) :].splitlines()


@pytest.mark.parametrize(
    ("dtype", "wide", "access"),
    [("f32", 4, "float4"), ("bf16", 4, "bfloat4"), ("f16", 8, "half4"), ("u8", 4, "uchar4")],
)
def test_the_loop_over_a_row_of_odd_length_reads_vectors_on_metal(dtype, wide, access):
    rows = Rows("sum", 4099, dtype, default=(1, 0))
    plan, launch = planned(rows, "metal", wide, 2)
    loop = inner_loop(kernel_lines(rows.emit(plan, launch).text, "kernel void"))
    assert f"{access}*)" in loop
    assert "p_x[" not in loop


@pytest.mark.parametrize(("dtype", "wide"), [("f32", 4), ("bf16", 8), ("f16", 8), ("u8", 8)])
def test_the_loop_over_a_row_of_odd_length_reads_words_on_cuda(dtype, wide):
    rows = Rows("sum", 4099, dtype, default=(1, 0))
    plan, launch = planned(rows, "cuda", wide, 2)
    loop = inner_loop(kernel_lines(rows.emit(plan, launch).text, 'extern "C"'))
    assert f"load_pack<{wide}>" in loop
    assert "p_x[" not in loop


def test_without_a_phase_the_same_row_is_read_element_by_element():
    rows = Rows("sum", 4099, "f32", default=(1, 0))
    plan = rows.plan(phase="off", lane_elements=4, threads=64, programs_per_group=1)
    launch = rows.lower(plan)
    assert not plan.mapping.phase
    assert not wide_accesses(launch.kernel, 16)


def test_rows_that_all_begin_alike_take_no_arithmetic_for_it():
    """The phase of a sliced matrix of aligned rows is a constant."""
    rows = Rows("sum", 4095, "f32", places={"x": (3, 1)})
    _, launch = planned(rows, "cuda", 4, 2)
    (group,) = [o for o in operations(launch.kernel.body) if getattr(o, "kind", "") == "group"]
    scaled = [o for o in operations(launch.kernel.body) if group.result in o.reads()]
    rows_at = [o for o in scaled if not isinstance(o, Store)]
    below = [o for o in operations(launch.kernel.body) if rows_at[0].result in o.reads()]
    assert {getattr(o, "fn", None) for o in below} <= {"add", "sub"}
    assert wide_accesses(launch.kernel, 16)


def test_only_subgroups_at_an_edge_access_elements_one_by_one():
    rows = Rows("softmax", 999, "f32", default=(1, 0))
    _, launch = planned(rows, "metal", 4, 3)
    wide = set(wide_accesses(launch.kernel, 16))
    branches = [o for o in operations(launch.kernel.body) if isinstance(o, If | For)]
    inside = {
        inner
        for branch in branches
        for block in branch.blocks()
        for inner in operations(block)
        if isinstance(inner, Load | Store)
    }
    assert inside
    assert wide - inside
    assert any(isinstance(o, Collective) and o.fn == "any" for o in operations(launch.kernel.body))


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "residual_layer_norm"])
def test_what_is_read_between_stores_of_whole_packs_does_not_part_them(name):
    """A weight of all rows begins elsewhere than they do, and is read element by element."""
    rows = Rows(name, 999, "f32", default=(1, 0))
    plan, launch = planned(rows, "cuda", 4, 3)
    lines = kernel_lines(rows.emit(plan, launch).text, 'extern "C"')
    # Single elements are stored within the branches of subgroups that have a pack in part.
    stores = [line for line in lines if "p_y" in line and line.startswith("  ")]
    outside = [line for line in stores if not line.startswith("   ")]
    assert sum("store_pack" in line for line in outside) == 3
    assert not [line for line in outside if "p_y[" in line]
    assert len(stores) > len(outside)


def test_an_access_that_is_not_as_aligned_as_it_is_taken_to_be_is_reported():
    """The claim fails where the arrays lie otherwise than the layout said."""
    rows = Rows("softmax", 259, "f32", default=(1, 0))
    _, launch = planned(rows, "metal", 4, 2)
    memory = rows.copied()
    moved = np.zeros(memory["x"].size + 1, np.float32)
    away = moved[1:] if moved.ctypes.data % 16 == memory["x"].ctypes.data % 16 else moved[:-1]
    away[:] = memory["x"]
    report = run_machine(
        launch.kernel,
        {**memory, "x": away},
        rows.scalars(launch),
        rows.count,
        wide=wide_accesses(launch.kernel, 16),
    )
    assert report.misaligned
    assert not report.ok


SIMULATED = (
    ("sum", 257, "u8", 4, 1, (3, 0)),
    ("softmax", 259, "f32", 4, 2, (1, 0)),
    ("softmax", 515, "bf16", 8, 1, (3, 2)),
    ("layer_norm", 1001, "f16", 4, 3, (1, 2)),
    ("argmax", 130, "f32", 2, 1, (1, 0)),
    ("min_max", 33, "bf16", 8, 2, (7, 0)),
    ("cross_entropy", 1999, "f32", 4, 2, (2, 3)),
)


def test_the_metal_text_runs_without_a_finding_and_agrees():
    """Misaligned vectors, races and accesses beyond the arrays are findings of the simulator."""
    made = []
    for number, (name, length, dtype, wide, subgroups, place) in enumerate(SIMULATED):
        rows = Rows(name, length, dtype, default=place)
        plan = rows.plan(
            phase="on", lane_elements=wide, threads=32 * subgroups, programs_per_group=1
        )
        launch = rows.lower(plan, f"k{number}_{name}")
        made.append((rows, plan, launch, rows.emit(plan, launch)))
    library = Library(unit([artifact for *_, artifact in made]), "checked")
    for rows, plan, launch, artifact in made:
        memory, values = rows.copied(), rows.scalars(launch)
        scalars = [scalar_argument(values[p.name], p.dtype) for p in artifact.scalars]
        buffers = [memory[buffer.name] for buffer in artifact.buffers]
        report = library.kernel(artifact.entry).run(
            dict(enumerate([*buffers, *scalars])),
            (-(-rows.count // artifact.programs_per_group), 1, 1),
            (artifact.threads, 1, 1),
        )
        assert report.ok, f"{rows.name}\n{report}"
        rows.judge(plan, memory)


@nvrtc
@pytest.mark.parametrize("name", KERNELS)
def test_the_cuda_text_compiles(name):
    rows = Rows(name, 1999, "f32" if name == "cross_entropy" else "bf16", default=(1, 0))
    plan, launch = planned(rows, "cuda", 8, 2)
    artifact = rows.emit(plan, launch)
    assert artifact.entry in compile_cuda(artifact, form="ptx").decode()
