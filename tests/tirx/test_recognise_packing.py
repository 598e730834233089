"""Packing of cooperating programs, from TIRx: six admissions, and where the group's fence stands.

Several programs of several subgroups share a group, so that barriers stay uniform only where every
slot comes to them equally often, and a slot without a program may replay the last one.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from certile.diagnostics import KernelError, Refusal
from certile.ir.machine import Barrier, Block, If
from certile.plan.options import Options
from certile.tirx.recognition.recognised import Recognised, recognise
from tests.tirx.machine_runs import run_compiled

ROWS, COLUMNS = 5, 257
# Two subgroups a program, two programs a group; 5 programs leave a slot of the last group empty.
PACKED = Options(threads=128, programs_per_group=2)

_PAIR = f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32'), B: T.Buffer(({ROWS},), 'float32')"


def _text(body: str, parameters: str = _PAIR) -> str:
    lines = "".join(f"        {line}\n" for line in body.strip("\n").splitlines())
    return f"@T.prim_func\ndef f({parameters}):\n    for i in T.serial({ROWS}):\n{lines}"


DIRECT = _text(f"""
acc: T.float32 = 0.0
for j in T.serial({COLUMNS}):
    acc += A[i, j]
B[i] = acc
""")

WRAPPED = _text(f"""
for u in T.serial(1):
    acc: T.float32 = 0.0
    for v, j in T.grid(1, {COLUMNS}):
        acc += A[i + u, j + v]
    B[i] = acc
""")

REPEATED = _text(
    f"""
first: T.let[T.float32] = A[i, 0]
for t in T.serial(3):
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        acc += A[i, j]
    B[i, t] = acc * first
""",
    f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32'), B: T.Buffer(({ROWS}, 3), 'float32')",
)

ROW_VARYING = _text("""
acc: T.float32 = 0.0
for j in T.serial(i + 1):
    acc += A[i, j]
B[i] = acc
""")

IN_PLACE = _text(
    f"""
acc: T.float32 = 0.0
for j in T.serial({COLUMNS}):
    acc += A[i, j]
for j in T.serial({COLUMNS}):
    A[i, j] = A[i, j] - acc
""",
    f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32')",
)


def _recognised(text: str) -> Recognised:
    made = recognise(text, target="metal", noalias=True, capability=True)
    assert isinstance(made, Recognised), made
    return made


@pytest.mark.parametrize("text", [DIRECT, WRAPPED], ids=["direct", "unit wrapper"])
def test_a_direct_and_a_wrapped_reduction_are_packed(text: str) -> None:
    made = _recognised(text)
    (plan,) = made.plan(PACKED)
    assert plan.mapping is not None
    mapping = plan.mapping
    assert (mapping.subgroups_per_program, mapping.programs_per_group) == (2, 2)
    given = np.random.default_rng(3).standard_normal((ROWS, COLUMNS)).astype(np.float32)
    arrays = {"A": given, "B": np.full(ROWS, np.nan, np.float32)}
    run_compiled(made, arrays, PACKED)
    np.testing.assert_allclose(arrays["B"], given.astype(np.float64).sum(1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "says"),
    [(REPEATED, "stands in a loop that repeats"), (IN_PLACE, "both read and written")],
    ids=["repeated", "read and written"],
)
def test_what_may_not_be_packed_is_refused(text: str, says: str) -> None:
    made = _recognised(text)
    (plan,) = made.plan(PACKED)
    assert plan.mapping is None
    assert any(says in refusal.missing for refusal in plan.refusals)
    with pytest.raises(KernelError) as caught:
        made.compile(PACKED)
    assert caught.value.code == "P004"
    # One program a group needs no replay, so the same function runs unpacked.
    (alone,) = made.plan(Options(threads=64, programs_per_group=1))
    assert alone.mapping is not None


def test_a_bound_that_varies_with_the_row_is_not_recognised() -> None:
    refusal = recognise(ROW_VARYING, target="metal", noalias=True, capability=True)
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "control"
    assert "varies with i" in refusal.missing


def test_a_group_over_the_limit_is_refused() -> None:
    made = _recognised(DIRECT)
    too_many = Options(threads=2048, programs_per_group=32)
    (plan,) = made.plan(too_many)
    assert plan.mapping is None
    with pytest.raises(KernelError) as caught:
        made.compile(too_many)
    assert caught.value.code == "P004"


def _conditionals_around_barriers(block: Block, around: int = 0) -> Iterator[int]:
    for operation in block.operations:
        if isinstance(operation, Barrier):
            yield around
        for inner in operation.blocks():
            yield from _conditionals_around_barriers(inner, around + isinstance(operation, If))


@pytest.mark.parametrize("text", [DIRECT, WRAPPED], ids=["direct", "unit wrapper"])
def test_the_fence_of_the_group_is_under_no_conditional(text: str) -> None:
    (launch,) = _recognised(text).compile(PACKED).launches
    around = list(_conditionals_around_barriers(launch.launch.kernel.body))
    assert around
    assert not any(around)
