"""Integers that a launch takes on trust, read before it, and losses added up behind it.

In: what integers of a call have to be, and which results of a launch are added to one number.  Out:
what runs the launch on addresses.  Decides that nothing is launched, and nothing written, where an
integer is wrong; and that on a CPU all of it is one foreign call.  Leaves the machine code to
`certile.runtime.cpu.host_steps`, and the words of a complaint to the operation.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from certile.records import record
from certile.runtime.arrays import ArrayInfo
from certile.runtime.bind import ByAddress, as_numpy
from certile.runtime.cpu.host_steps import NO_MEMORY, TYPES, WRONG, Record, host_steps
from certile.runtime.cpu.pool import NO_SCRATCH, pool

__all__ = [
    "MOST_KEPT",
    "Around",
    "Inspection",
    "Integers",
    "Quick",
    "Reader",
    "Run",
    "Total",
    "reader",
]

NumpyArray: TypeAlias = np.ndarray[Any, Any]
Addresses: TypeAlias = Sequence[int]
Run: TypeAlias = Callable[[list[int]], None]
# Raises for a wrong integer, and returns how many are not to ignore.
Reader: TypeAlias = Callable[[Addresses], int]
# Appends the addresses of memory for one call, and returns what keeps it.
Take: TypeAlias = Callable[[list[int]], object]

# Bytes between launches, or a launch and a sum, that are kept from call to call; more are asked for
# each time.
MOST_KEPT: Final = 4096

# Results that the machine code writes; NumPy rounds to the others.
_WRITTEN: Final = {"f32": 4, "f64": 8}


@record
class Integers:
    """Integers of a call: each is from 0 to below `bound`, or `ignored`.

    `position` counts inputs.  `complain` raises the error for an array of which an element is
    neither; it returns where all are right.
    """

    position: int
    bound: int
    complain: Callable[[NumpyArray], None]
    ignored: int | None = None


@record
class Total:
    """One number, to which what a launch leaves in scratch is added in f64.

    `losses` and `weights` are positions of scratch, C-ordered and of one shape and dtype; `out` is
    that of an output.  A `mean` is divided by the sum of `weights`, or by how many integers are not
    ignored where there are none.
    """

    losses: int
    weights: int | None
    out: int
    mean: bool


@record
class Inspection:
    """What is done before and after the one launch of a call."""

    integers: Integers
    total: Total | None = None


@record
class Quick:
    """A launcher that takes addresses only, and how to use it.

    `places` says which addresses it takes, and `order` picks them.  Two at `pairs` that meet have
    `slow` run in its place.
    """

    launcher: ByAddress
    places: tuple[int, ...]
    order: Callable[[Addresses], Sequence[int]]
    pairs: tuple[tuple[int, int, int, int], ...]
    slow: Run


def reader(integers: Integers, infos: Sequence[ArrayInfo]) -> Reader | None:
    """Return what reads the integers at an address; None where they lie on a device."""
    info = infos[integers.position]
    if info.device != "cpu":
        return None

    def read(addresses: Addresses) -> int:
        """Read with NumPy: what is not evenly spaced, and what is wrong, to say where."""
        numbers = as_numpy(info._replace(address=addresses[integers.position]))
        integers.complain(numbers)
        return int(numbers.size - np.count_nonzero(numbers == integers.ignored))

    prototype = _reading(integers, info)
    if prototype is None:
        return read
    run = host_steps(info.dtype).run

    def read_quickly(addresses: Addresses) -> int:
        word = ctypes.c_int64(addresses[integers.position])
        made = Record.from_buffer_copy(prototype)
        made.integers_slot = ctypes.addressof(word)
        counted = run(ctypes.addressof(made))
        return read(addresses) if counted == WRONG else counted

    return read_quickly


@record
class Around:
    """An inspection on arrays of one layout.

    `read` reads its integers; `infos` are inputs, outputs and scratch, and `take` makes the scratch
    of one call.
    """

    inspection: Inspection
    read: Reader
    infos: tuple[ArrayInfo, ...]
    take: Take

    def slowly(self, launch: Run) -> Run:
        """Return what reads, launches and adds up, one after the other."""
        read, take, infos, total = self.read, self.take, self.infos, self.inspection.total
        if total is None:

            def read_and_launch(addresses: list[int]) -> None:
                read(addresses)
                launch(addresses)

            return read_and_launch
        add_up, finish = host_steps("i64").add_up, _finish(infos[total.out])

        def run(addresses: list[int]) -> None:
            counted = read(addresses)
            held = take(addresses)
            launch(addresses)
            words = (ctypes.c_int64 * len(addresses))(*addresses)
            made = Record()
            _add_to(made, total, infos, ctypes.addressof(words))
            add_up(ctypes.addressof(made), counted)
            if finish is not None:
                finish(addresses[total.out], made.total)
            del held

        return run

    def quickly(self, quick: Quick) -> Run:
        """Return what does the same in one foreign call, where it can be one."""
        integers, total = self.inspection.integers, self.inspection.total
        info = self.infos[integers.position]
        prototype = _reading(integers, info)
        if prototype is None or integers.position not in quick.places:
            return quick.slow
        run = host_steps(info.dtype).run
        if total is None:
            return self._reading_at_once(run, prototype, quick)
        return self._adding_at_once(run, prototype, quick, total)

    def _reading_at_once(self, run: Callable[[int], int], prototype: Record, quick: Quick) -> Run:
        pack, order = quick.launcher.pack, quick.order
        spare: list[tuple[Any, int, object]] = []

        def launch(addresses: list[int]) -> None:
            try:
                entry = spare.pop()
            except IndexError:
                slots, made, held = self._entry(prototype, quick)
                entry = slots, ctypes.addressof(made), (made, held)
            pack(entry[0], 0, *order(addresses))
            counted = run(entry[1])
            if counted < 0:
                _otherwise(counted, quick, addresses)
            spare.append(entry)

        return launch

    def _adding_at_once(
        self, run: Callable[[int], int], prototype: Record, quick: Quick, total: Total
    ) -> Run:
        take, infos = self.take, self.infos
        pack, order = quick.launcher.pack, quick.order
        finish, keeps = _finish(infos[total.out]), _scratch_bytes(total, infos) <= MOST_KEPT
        spare: list[tuple[Any, Record, Any, int, list[int], object]] = []

        def fresh() -> tuple[Any, Record, Any, int, list[int], object]:
            """Return slots, a record, words for addresses, its address, that of kept scratch."""
            slots, made, held = self._entry(prototype, quick)
            words: Any = (ctypes.c_int64 * len(infos))()
            _add_to(made, total, infos, ctypes.addressof(words))
            kept: list[int] = []
            memory = take(kept) if keeps else None
            words[total.losses : total.losses + len(kept)] = kept
            return slots, made, words, ctypes.addressof(made), kept, (held, memory)

        def launch(addresses: list[int]) -> None:
            try:
                entry = spare.pop()
            except IndexError:
                entry = fresh()
            slots, made, words, at, kept, _ = entry
            words[total.out] = addresses[total.out]
            whole, held = addresses + kept, None
            if not keeps:
                held = take(whole)
                words[:] = whole
            pack(slots, 0, *order(whole))
            counted = run(at)
            if counted < 0:
                _otherwise(counted, quick, addresses)
            elif finish is not None:
                finish(addresses[total.out], made.total)
            spare.append(entry)
            del held

        return launch

    def _entry(self, prototype: Record, quick: Quick) -> tuple[Any, Record, object]:
        """Return slots for addresses, a record of a launch that reads them, and what keeps both."""
        # Scratch meets nothing, and a total's launch stores to nothing else.
        ready = quick.launcher.ready(() if self.inspection.total else quick.pairs)
        made = Record.from_buffer_copy(prototype)
        slot = quick.places.index(self.inspection.integers.position)
        made.integers_slot = ctypes.addressof(ready.slots) + 8 * slot
        made.block, made.launch = ready.table, pool().apart_address
        return ready.slots, made, ready


def _otherwise(answer: int, quick: Quick, addresses: list[int]) -> None:
    """Do what is left where the foreign call did nothing: raise, or run a launch for shared memory.

    Integers that are wrong are read again, to say where; if another thread has put them right, the
    call goes on.
    """
    if answer == NO_MEMORY:
        raise MemoryError(NO_SCRATCH)
    quick.slow(addresses)


def _reading(integers: Integers, info: ArrayInfo) -> Record | None:
    """Return a record that reads integers; None for those that are not evenly spaced."""
    step = _step(info)
    if step is None or info.dtype not in TYPES or not integers.bound:
        return None
    # What is in range may stand for what is not there to be ignored.
    ignored = 0 if integers.ignored is None else integers.ignored
    return Record(count=info.size, stride=step, bound=integers.bound, ignored=ignored)


def _step(info: ArrayInfo) -> int | None:
    """Return how many elements lie between two neighbours in index order; None if that differs."""
    step, count = 1, 1
    for n, stride in zip(reversed(info.shape), reversed(info.strides), strict=True):
        if n == 1:
            continue
        if count == 1:
            step = stride
        elif stride != step * count:
            return None
        count *= n
    return step


def _add_to(made: Record, total: Total, infos: Sequence[ArrayInfo], words: int) -> None:
    """Let a record add up what the words at an address say, one word an array."""
    losses = infos[total.losses]
    made.losses_slot = words + 8 * total.losses
    made.weights_slot = 0 if total.weights is None else words + 8 * total.weights
    made.rows, made.wide, made.mean = losses.size, losses.dtype == "f64", total.mean
    made.out_slot = words + 8 * total.out
    made.out_bytes = _WRITTEN.get(infos[total.out].dtype, 0)


def _finish(out: ArrayInfo) -> Callable[[int, float], None] | None:
    """Return what writes a total to an address; None where the machine code has written it."""
    if out.dtype in _WRITTEN:
        return None

    def finish(address: int, value: float) -> None:
        with np.errstate(over="ignore"):
            as_numpy(out._replace(address=address))[...] = value

    return finish


def _scratch_bytes(total: Total, infos: Sequence[ArrayInfo]) -> int:
    losses = infos[total.losses]
    return losses.size * losses.itemsize * (1 if total.weights is None else 2)
