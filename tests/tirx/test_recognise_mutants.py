"""Honest doubt: a changed function is refused, or its kernel does what the changed function does.

The oracle executes the records of the function, one scalar at a time, in float64.
"""

import contextlib
from collections.abc import Iterator

import numpy as np
import pytest

from certile.diagnostics import KernelError
from certile.reference.tile import run
from certile.tirx.recognition.nodes import Buffer, Function
from certile.tirx.recognition.recognised import Recognised, recognised
from certile.tirx.tvm_reading import read
from tests.tirx.mutants import Mutator
from tests.tirx.records import UnspecifiedError, execute
from tests.tirx.spellings import COLUMNS, SPELLINGS, Arrays
from tests.tirx.stage_spellings import STAGES

ACCEPTED = SPELLINGS | STAGES


def _accepted(function: Function) -> Recognised | None:
    made: object = None
    # A mark that is not shown is K120, the one error there is for a function.
    with contextlib.suppress(KernelError):
        made = recognised(function, target="metal", noalias=True, capability=True)
    return made if isinstance(made, Recognised) else None


def _given(function: Function, names: list[str]) -> Arrays:
    rng = np.random.default_rng(11)
    buffers = [each for each in function.parameters if isinstance(each, Buffer)]
    return {
        name: rng.integers(-2, COLUMNS + 2, buffer.shape)
        if buffer.dtype == "int64"
        else rng.uniform(0.25, 2.0, buffer.shape).astype(buffer.dtype)
        for name, buffer in zip(names, buffers, strict=True)
    }


def _same(function: Function) -> bool:
    """Whether it is accepted; then the kernel has to do what the function does."""
    made = _accepted(function)
    if made is None:
        return False
    given = _given(function, [view.name for view in made.kernel.views])
    wanted = {name: array.copy() for name, array in given.items()}
    rounded = {name: array.copy() for name, array in given.items()}
    with np.errstate(all="ignore"):
        try:
            execute(function, wanted.values())
            execute(function, rounded.values(), single=True)
        except UnspecifiedError:
            return True
    run(made.kernel, results := {name: array.copy() for name, array in given.items()})
    for name, array in wanted.items():
        # What is not finite is outside what is promised of any order.
        finite = np.isfinite(array) & np.isfinite(rounded[name])
        result, right = results[name][finite], array[finite]
        # Where the order of roundings shows, a few times what it shows in the order written.
        sensitive = 8 * np.abs(rounded[name][finite] - right)
        if (sensitive > 1e-3 + 1e-3 * np.abs(right)).any():
            continue
        assert (np.abs(result - right) <= 2e-5 + 2e-5 * np.abs(right) + sensitive).all(), name
    return True


def _mutants(name: str) -> Iterator[Function]:
    yield from Mutator(read(ACCEPTED[name].text)).mutants()


@pytest.mark.parametrize("offset", range(4))
def test_a_changed_function_is_refused_or_done_right(offset: int) -> None:
    """Every 41st mutant of every spelling, from four places on."""
    mutants = [mutant for name in ACCEPTED for mutant in _mutants(name)]
    verdicts = [_same(mutant) for mutant in mutants[offset::41]]
    assert any(verdicts)
    assert not all(verdicts)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", ACCEPTED)
def test_every_changed_function_is_refused_or_done_right(name: str) -> None:
    verdicts = [_same(mutant) for mutant in _mutants(name)]
    assert not all(verdicts)


def test_the_oracle_sees_a_wrong_kernel() -> None:
    """Were a sum of one column fewer taken for the whole sum, the comparison would fail."""
    function = read(SPELLINGS["a local variable"].text)
    made = _accepted(function)
    assert made is not None
    given = _given(function, ["A", "B"])
    wanted = {name: array.copy() for name, array in given.items()}
    execute(function, wanted.values())
    given["A"][:, -1] = 0
    run(made.kernel, given)
    assert not np.allclose(given["B"], wanted["B"], rtol=2e-4, atol=2e-4)
