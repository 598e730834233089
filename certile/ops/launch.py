"""Launches of an operation, bound to arrays of one layout.

In: kernels with the layouts in which they see a call's arrays.  Out: a `BoundCall`, run with one
address an array.  Decides that an output may be the very array of an input but may not overlap
another array otherwise, over all launches of the call.  Leaves tracing, compiling and launching to
`certile.runtime`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np

from certile.diagnostics import ArgumentError
from certile.ir.array_types import numpy_dtype
from certile.ir.host import RESIDUE_BYTES, aligned
from certile.ops.layout import Strided, contiguous_strides
from certile.plan.options import Options
from certile.records import record
from certile.runtime import arrays
from certile.runtime.arrays import ArrayInfo, alignment, probe_made
from certile.runtime.bind import Ready, as_numpy
from certile.runtime.buffers import address_of, from_buffer
from certile.runtime.chains import Chain, meets
from certile.runtime.cpu.pool import NO_SCRATCH, pool
from certile.runtime.inspected import Around, Inspection, Quick, Run, reader
from certile.runtime.kernel import TileKernel

Number = bool | int | float
Addresses = Sequence[int]


@record
class Seen:
    """An array as a kernel sees it: its position among inputs and outputs, and a layout.

    `offset` counts elements; the alignment of the array holds if it is a multiple of 64 bytes.
    """

    position: int
    layout: Strided
    offset: int = 0


@record
class Launch:
    """A kernel with its arguments by name; what is no view is a scalar or a constant."""

    kernel: TileKernel
    arguments: Mapping[str, Seen | object]

    def moved(self, position: int, distance: int) -> Launch:
        """Return the launch for arrays that from `position` on stand further behind."""
        arguments = {
            name: replace(value, position=value.position + distance)
            if isinstance(value, Seen) and value.position >= position
            else value
            for name, value in self.arguments.items()
        }
        return Launch(self.kernel, arguments)

    def bound(self, infos: Sequence[ArrayInfo]) -> Quick | Run:
        """Return what launches the kernel on arrays of these layouts, given their addresses.

        That is a launcher of addresses alone, where there is one.
        """
        described = {name: _described(value, infos) for name, value in self.arguments.items()}
        bound = self.kernel.bind(described, Options())
        values = [self.arguments.get(name) for name in bound.names]
        seen = [value for value in values if isinstance(value, Seen)]
        if any(each.offset for each in seen):

            def run_moved(addresses: Addresses) -> None:
                bound([_word(value, infos, addresses) for value in values])

            return run_moved
        numbers = tuple(None if isinstance(value, Seen) else value for value in values)
        places = [
            v.position if isinstance(v, Seen) else len(infos) + i for i, v in enumerate(values)
        ]
        pick, quick = itemgetter(*places), bound.by_address()

        def run(addresses: Addresses) -> None:
            bound(pick((*addresses, *numbers)))

        if quick is None:
            return run
        at = [places[position] for position in quick.positions]
        if not {place for a, b, _, _ in bound.pairs for place in (places[a], places[b])} <= set(at):
            return run
        word = {place: number for number, place in reversed(list(enumerate(at)))}
        pairs = tuple(
            (word[places[a]], word[places[b]], low, high) for a, b, low, high in bound.pairs
        )
        return Quick(quick, tuple(at), _in_order(at), pairs, run)


def _around(bound: Quick | Run, around: Around) -> Run:
    """Return what launches with something done before and after it."""
    if not isinstance(bound, Quick):
        return around.slowly(bound)
    return around.quickly(replace(bound, slow=around.slowly(bound.slow)))


def _alone(bound: Quick | Run) -> Run:
    return _quickly(bound) if isinstance(bound, Quick) else bound


def _quickly(quick: Quick) -> Run:
    """Return what launches by addresses alone, unless arguments share memory."""
    launch, pack, order = pool().launch_apart, quick.launcher.pack, quick.order
    spare: list[Ready] = []

    def run(addresses: list[int]) -> None:
        try:
            ready = spare.pop()
        except IndexError:
            ready = quick.launcher.ready(quick.pairs)
        pack(ready[0], 0, *order(addresses))
        if failed := launch(ready[1]):
            if failed > 0:
                raise MemoryError(NO_SCRATCH)
            quick.slow(addresses)
        spare.append(ready)

    return run


def _in_order(places: Sequence[int]) -> Callable[[Addresses], Sequence[int]]:
    """Return what picks the addresses at these places."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda addresses: [addresses[place] for place in places]


def _described(value: Seen | object, infos: Sequence[ArrayInfo]) -> object:
    if not isinstance(value, Seen):
        return value
    info = infos[value.position]
    return info._replace(
        address=_moved(info.address, value.offset * info.itemsize),
        shape=value.layout.shape,
        strides=value.layout.strides,
    )


def _moved(address: int, distance: int) -> int:
    """Return an address that lies where every array of the same signature lies there.

    What signatures hold of addresses is the same from call to call, and no more of the sum.
    """
    if distance % 64 == 0:
        return address + distance
    behind = (address + distance) % RESIDUE_BYTES
    return behind or max(RESIDUE_BYTES, min(alignment(address), alignment(distance)))


def _word(value: Seen | object, infos: Sequence[ArrayInfo], addresses: Addresses) -> object:
    if not isinstance(value, Seen):
        return value
    return addresses[value.position] + value.offset * infos[value.position].itemsize


def describe_scratch(
    shape: tuple[int, ...], dtype: str, beside: ArrayInfo | None = None
) -> ArrayInfo:
    """Return a C-ordered array that each call makes anew: nothing is known of its alignment.

    It lives on the device of `beside`, where that is not the host.
    """
    size = numpy_dtype(dtype).itemsize
    strides = contiguous_strides(shape)
    made = ArrayInfo(size, dtype, shape, strides, size, False, "numpy", placed=False)
    if beside is None or beside.device == "cpu":
        return made
    return made._replace(framework=beside.framework, device=beside.device)


class BoundCall:
    """The launches of one call, for any arrays of the same signatures.

    `infos` are the inputs, `count` of them, and then the outputs; `values` holds what an output is
    filled with where there is nothing to launch; `scratch` is memory of each call, addressed after
    the outputs; integers of the `inspection` that lie on a device are not read.  `run` raises
    `ArgumentError` A005, before anything is written, for an output that overlaps another array
    without being the same.
    """

    def __init__(
        self,
        name: str,
        infos: Sequence[ArrayInfo],
        count: int,
        launches: Sequence[Launch],
        values: Sequence[Number | None],
        scratch: Sequence[ArrayInfo] = (),
        inspection: Inspection | None = None,
    ) -> None:
        self._name = name
        self._infos = infos
        self._values = values
        self._count = count
        self._pairs = tuple(_pairs(infos, count))
        extents = [arrays.extent(info) for info in infos]
        self._meet = meets(self._pairs, extents, count)
        if inspection is None or inspection.total is None:
            # A total is written when everything has been read.
            self._require_apart([info.address for info in infos])
        self._take_scratch = _scratch_of(scratch)
        everything = (*infos, *scratch)
        read = None if inspection is None else reader(inspection.integers, everything)
        if inspection is not None and read is not None:
            around = Around(inspection, read, everything, self._take_scratch)
            # Only what has one launch takes integers on trust.
            self._launched = [_around(launch.bound(everything), around) for launch in launches]
            self.run: Run = self._launched[0] if launches else around.slowly(self._fill)
            return
        bound = [launch.bound(everything) for launch in launches]
        self._launched = [_alone(each) for each in bound]
        quicks = [each for each in bound if isinstance(each, Quick)]
        self.run = self._fill
        if len(quicks) == len(launches) > 1:
            size = sum(info.size * info.itemsize for info in scratch)
            chain = Chain(quicks, self._pairs, extents, count, self._take_scratch, size)
            self.run = chain.run(self._require_apart)
        elif len(launches) == 1:
            # The kernel makes the same check on its own.
            self.run = self._launched[0]
        elif self._launched:
            self.run = self._run_all

    def _run_all(self, addresses: list[int]) -> None:
        """Run several launches; overlaps across them are no launch's business but ours."""
        if self._meet(addresses):
            self._require_apart(addresses)
        # Fresh for each call, so that calls from several threads never share it.
        held = self._take_scratch(addresses)
        for launch in self._launched:
            launch(addresses)
        del held

    @property
    def unfilled(self) -> tuple[Number | None, ...]:
        """What the outputs have yet to be filled with after `run`, on a device of their own."""
        on_host = all(info.device == "cpu" for info in self._infos[self._count :])
        return () if self._launched or on_host else tuple(self._values)

    def _fill(self, addresses: Addresses) -> None:
        """Give each output of the host the value that it has without a launch."""
        outputs = zip(self._infos[self._count :], addresses[self._count :], strict=True)
        for (info, address), value in zip(outputs, self._values, strict=True):
            if info.size and info.device == "cpu":
                as_numpy(info._replace(address=address))[...] = value

    def _require_apart(self, addresses: Addresses) -> None:
        moved = [
            info._replace(address=address)
            for info, address in zip(self._infos, addresses, strict=True)
        ]
        for first, second, low, high in self._pairs:
            meet = low < addresses[second] - addresses[first] < high
            if meet and arrays.overlap(moved[first], moved[second]) == "partial":
                raise ArgumentError(
                    "A005", f"an output of {self._name} shares memory with another array"
                )


def _scratch_of(infos: Sequence[ArrayInfo]) -> Callable[[list[int]], object]:
    """Return what makes these arrays for one call: it appends their addresses and returns them.

    On the host they are parts of one block, each from a multiple of a line on, as asking for memory
    and for its address costs more than a short launch.
    """
    if any(info.device != "cpu" for info in infos):

        def one_by_one(addresses: list[int]) -> object:
            made = [
                arrays.empty_like_framework(each.framework, each.shape, each.dtype, each.device)
                for each in infos
            ]
            probe_made(made, [], addresses)
            return made

        return one_by_one
    sizes = [aligned(info.size * info.itemsize) for info in infos]
    total, offsets = sum(sizes), [sum(sizes[:at]) for at in range(len(sizes))]

    def together(addresses: list[int]) -> object:
        block = np.empty(total, np.uint8)
        start = address_of(from_buffer(block))
        addresses += [start + offset for offset in offsets]
        return block

    return together


def _pairs(infos: Sequence[ArrayInfo], count: int) -> list[tuple[int, int, int, int]]:
    """Return each output beside each other array, with the distances at which they overlap."""
    found = []
    spans = [arrays.extent(info) for info in infos]
    for output in range(count, len(infos)):
        low, high = spans[output]
        for other in range(output):
            other_low, other_high = spans[other]
            if low != high and other_low != other_high:
                found.append((output, other, low - other_high, high - other_low))
    return found
