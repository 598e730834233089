"""Where a kernel is measured: in this machine's memory, on its CPU.

In: the arguments of a subject as arrays of NumPy.  Out: arguments in memory of their own, and turns
over them.  Decides how many buffer sets there are.  `certile.cli.bench.on_device` has the place
that is a CUDA device; whoever measures asks a `Place`, and not where it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from certile.cli.bench.arrays import largest_bits, torch_or_none
from certile.cli.bench.plans import Asked, best_plans
from certile.cli.bench.rivals import Rival
from certile.cli.bench.turns import Turns, buffer_sets
from certile.cli.memory import require_memory
from certile.cli.running.data import Arguments
from certile.cli.subject import Subject
from certile.settings import Target

__all__ = ["Host", "Place"]

Array = np.ndarray[Any, Any]

# Copies of the arrays, beside the buffer sets, that judging makes.
_COPIES = 3


class Place(Protocol):
    """Memory, and who computes on it."""

    target: Target

    def buffer_sets(self, size: int, working: int, what: str) -> int:
        """Return how many sets of `size` bytes a measurement rotates through.

        The reference takes `working` bytes of this machine beside them.  Raises UnsupportedError
        U506 where they do not fit.
        """
        ...

    def fresh(self, values: Arguments) -> Arguments:
        """Return the arguments in memory of their own."""
        ...

    def results(self, arguments: Arguments, like: Arguments) -> Mapping[str, Array]:
        """Return the arrays of arguments when all that was enqueued has run, typed as in `like`."""
        ...

    def require(self, rival: Rival) -> None:
        """Refuse a function that takes no arrays of this place; raises ArgumentError A309."""
        ...

    def best_plans(self, subject: Subject, arguments: Arguments, count: int) -> list[Asked]:
        """Return the plan that a call takes, then the next best, `count` in all at most."""
        ...

    def turns(self, sets: Sequence[Arguments]) -> Turns:
        """Return turns whose copies are of the largest array of each set."""
        ...


class Host:
    """The memory of this machine, and its CPU."""

    target: Target = "cpu"

    def buffer_sets(self, size: int, working: int, what: str) -> int:
        """Return as many sets as the caches of a CPU ask for."""
        count = buffer_sets(size)
        require_memory((count + _COPIES) * size + working, what)
        return count

    def fresh(self, values: Arguments) -> Arguments:
        """Return copies of the arrays."""
        named = values.items()
        return {name: at.copy() if isinstance(at, np.ndarray) else at for name, at in named}

    def results(self, arguments: Arguments, like: Arguments) -> Mapping[str, Array]:
        """Return the arguments, which are arrays of NumPy already."""
        return arguments

    def require(self, rival: Rival) -> None:
        """Take every function: arrays of NumPy are tensors of PyTorch in the same memory."""

    def best_plans(self, subject: Subject, arguments: Arguments, count: int) -> list[Asked]:
        """Return plans of a CPU."""
        return best_plans(subject.function, arguments, count)

    def turns(self, sets: Sequence[Arguments]) -> Turns:
        """Return turns by this machine's clock."""
        torch = torch_or_none()
        return Turns([largest_bits(each, torch) for each in sets], torch)
