"""Launches that follow each other in one call of the pool: their order, and what stops them."""

import ctypes

import pytest

from certile.runtime.cpu import engine
from certile.runtime.cpu.pool import Pool
from tests.unit.runtime.cpu.launches import Call

pytestmark = pytest.mark.usefixtures("watchdog")


class Chain:
    """Calls that follow each other, each with pairs of arguments that may not meet."""

    def __init__(self, *calls: tuple[Call, tuple[tuple[int, int, int, int], ...]]) -> None:
        words = ([call.address, len(pairs), *sum(pairs, ())] for call, pairs in calls)
        self._tables = [(ctypes.c_int64 * len(each))(*each) for each in words]
        addresses = map(ctypes.addressof, self._tables)
        self._chain = (ctypes.c_int64 * (1 + len(calls)))(len(calls), *addresses)

    def launch(self, team: Pool) -> int:
        return team.launch_chain(ctypes.addressof(self._chain))


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_chain_runs_in_order(team: Pool, kernels: engine.Loaded, threads: int) -> None:
    """Each launch reads what other threads have made in the one before; the last counts again."""
    n = 96
    counts, out, back = ((ctypes.c_int64 * n)() for _ in range(3))
    made = kernels.address("count"), kernels.address("reverse")
    calls = (
        Call(made[0], counts, count=n, threads=threads),
        Call(made[1], counts, out, n, count=n, threads=threads),
        Call(made[1], out, back, n, count=n, grain=7, threads=threads),
        Call(made[0], counts, count=n, threads=threads),
    )
    chain = Chain(*((call, ()) for call in calls))
    for turn in range(25):
        assert chain.launch(team) == 0
        assert set(out) == set(back) == {2 * turn + 1}
        assert set(counts) == {2 * turn + 2}


def test_a_chain_of_nothing_returns(team: Pool) -> None:
    assert Chain().launch(team) == 0


def test_a_chain_runs_nothing_where_arguments_of_any_launch_meet(
    team: Pool, kernels: engine.Loaded
) -> None:
    counts, out = (ctypes.c_int64 * 8)(), (ctypes.c_int64 * 8)()
    first = Call(kernels.address("count"), counts, count=8)
    second = Call(kernels.address("reverse"), counts, out, 8, count=8)
    distance = ctypes.addressof(counts) - ctypes.addressof(out)
    for low, high, answer in (
        (distance - 1, distance + 1, -1), (distance, distance + 9, 0), (distance - 9, distance, 0),
    ):  # fmt: skip
        before = list(counts)
        assert Chain((first, ()), (second, ((0, 1, low, high),))).launch(team) == answer
        assert list(counts) == [each + 1 + answer for each in before]
        assert list(out) == (list(counts) if answer == 0 else [0] * 8)


def test_a_chain_ends_where_there_is_no_memory(team: Pool, kernels: engine.Loaded) -> None:
    counts, later = (ctypes.c_int64 * 8)(), (ctypes.c_int64 * 8)()
    calls = [Call(kernels.address("count"), each, count=8) for each in (counts, later, later)]
    calls[1].block.scratch_stride = 1 << 60
    assert Chain(*((call, ()) for call in calls)).launch(team) == 12
    assert (list(counts), list(later)) == ([1] * 8, [0] * 8)
