"""A compiled program bound to one layout of arguments: what a launch needs besides addresses.

In: a compiled program, or a kernel for the reference interpreter, and described arguments.  Out: a
`Launcher`, called with one word an argument: an array's address, or a number.  Decides how
argument slots are laid out and filled, so that a call packs them at once and makes one foreign call
a launch.  Leaves checks of the arguments to `certile.runtime.dispatch`.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from certile.diagnostics import InternalError
from certile.ir.array_types import numpy_dtype, plain_dtype
from certile.ir.dtypes import BY_NAME, DType, bf16, bool_
from certile.ir.host import ALIGNMENT_BYTES, HostValue, aligned
from certile.ir.tile import Kernel
from certile.records import record
from certile.runtime.arrays import ArrayInfo
from certile.runtime.cpu.pool import NO_SCRATCH, LaunchBlock, pool
from certile.runtime.cpu.pool import grain as pool_grain
from certile.runtime.programs import CpuLaunch, CpuProgram

Words = Sequence[Any]


class Launcher(Protocol):
    """Runs a program on arguments of one layout; safe to call from several threads at once."""

    def __call__(self, words: Words) -> None:
        """Run it on these addresses and numbers, one an argument, in the kernel's order."""

    def frozen(self, words: Words) -> Callable[[], object]:
        """Return a call without arguments that runs it on these words each time."""


@record(slots=False)
class Arguments:
    """Described arguments: arrays by name, numbers by name, and where each stands in a call."""

    arrays: Mapping[str, ArrayInfo]
    numbers: Mapping[str, DType]
    positions: Mapping[str, int]

    def evaluate(self, value: HostValue) -> int:
        """Return a host value that depends on layouts only."""
        return int(value.evaluate(self._extent, self._stride, self._number))

    def _extent(self, view: str, dim: int) -> int:
        return self.arrays[view].shape[dim]

    def _stride(self, view: str, dim: int) -> int:
        info = self.arrays[view]
        # What code is told of strides holds of those that move, and 0 is a multiple of anything.
        return info.strides[dim] if info.shape[dim] > 1 else 0

    def _number(self, name: str) -> int:
        raise InternalError("M011", f"the number {name} is no part of a layout")


class Nothing:
    """The launcher of a program without any instance, and of the target that runs nothing."""

    def __call__(self, words: Words) -> None:
        """Do nothing."""

    def frozen(self, words: Words) -> Callable[[], object]:
        """Return a call that does nothing."""
        return _nothing


def _nothing() -> None:
    return None


class Interpreted:
    """The launcher of the reference interpreter."""

    def __init__(self, kernel: Kernel, arguments: Arguments) -> None:
        # Most processes never interpret, and the import takes as long as loading a kernel.
        from certile.lower.math.portable import PORTABLE
        from certile.reference import run

        functions = PORTABLE if kernel.math == "portable" else None
        self._run = partial(run, functions=functions)
        self._kernel = kernel
        self._arguments = arguments

    def __call__(self, words: Words) -> None:
        """Run the interpreter on the arrays at these addresses, in place."""
        made: dict[str, Any] = {}
        for name, info in self._arguments.arrays.items():
            made[name] = as_numpy(info._replace(address=words[self._arguments.positions[name]]))
        for name, dtype in self._arguments.numbers.items():
            word = words[self._arguments.positions[name]]
            # A number beyond the dtype's range is infinity, as where it is packed for a device.
            with np.errstate(over="ignore"):
                made[name] = np.asarray(word).astype(numpy_dtype(dtype.name))[()]
        self._run(self._kernel, made)

    def frozen(self, words: Words) -> Callable[[], object]:
        """Return a call that interprets the kernel again."""
        kept = tuple(words)
        return lambda: self(kept)


class _Addressed:
    """Memory at an address under NumPy's array interface."""

    def __init__(self, info: ArrayInfo) -> None:
        dtype = plain_dtype(info.dtype)
        self.__array_interface__ = {
            "version": 3,
            "data": (info.address, info.readonly),
            "shape": info.shape,
            "strides": tuple(step * info.itemsize for step in info.strides),
            "typestr": dtype.str,
        }


def as_numpy(info: ArrayInfo) -> np.ndarray[Any, Any]:
    """Return a NumPy array over the memory of a described array; it keeps nothing alive."""
    seen = np.asarray(_Addressed(info))
    dtype = numpy_dtype(info.dtype)
    return seen if dtype == seen.dtype else seen.view(dtype)


class _Block:
    """Argument slots of all launches of a program, and the launch blocks that point into them.

    `chain` is the address of what runs all of them by `Pool.launch_chain`.  `passed` are the
    addresses of the memory that they pass on, of so many bytes each.
    """

    __slots__ = ("_keep", "addresses", "chain", "launches", "passed", "slots")

    def __init__(
        self,
        slots: int,
        starts: Sequence[int],
        launches: Sequence[LaunchBlock],
        passed: Sequence[int],
    ) -> None:
        # One slot more than needed, so that a program without arguments has an address too.
        self.slots = (_SLOT * (slots + 1))()
        base = _address(self.slots)
        self.launches = tuple(LaunchBlock.from_buffer_copy(launch) for launch in launches)
        for launch, start in zip(self.launches, starts, strict=True):
            launch.args = base + 8 * start
        self.addresses = tuple(_address(launch) for launch in self.launches)
        # Tables of no pairs of arguments: what may meet was asked before.
        tables = [_SLOT_PAIR(address, 0) for address in self.addresses]
        chain = (_SLOT * (1 + len(tables)))(len(tables), *map(_address, tables))
        memory = (ctypes.c_char * (sum(passed) + ALIGNMENT_BYTES))()
        places = accumulate(passed[:-1], initial=aligned(_address(memory)))
        self.passed = tuple(places) if passed else ()
        self.chain, self._keep = _address(chain), (chain, tables, memory)


class CpuLauncher:
    """The launcher of machine code on the worker pool.

    Slots hold addresses, extents and strides, and the caller's numbers.  All are packed in one
    step; those that follow from the layout are constants of that step.  A block is taken for the
    length of a call, so that calls from several threads never share one, nor the memory that
    launches pass on.  A launcher keeps its program, whose code the blocks name by address.
    """

    def __init__(self, program: CpuProgram, arguments: Arguments) -> None:
        self._program = program
        workers = pool()
        # PyTorch may have been imported since the last program was bound.
        workers.adopt_torch_team()
        self._launch, self._launch_chain = workers.launch, workers.launch_chain
        layout = _Layout(arguments, [name for name, _ in program.workspace])
        sizes = (arguments.evaluate(size) for _, size in program.workspace)
        self._passed = list(map(aligned, sizes))
        self._starts: list[int] = []
        self._prototypes: list[LaunchBlock] = []
        for launch, function in zip(program.launches, program.functions, strict=True):
            count = -(-arguments.evaluate(launch.programs) // launch.programs_per_group)
            if count == 0:
                continue
            self._starts.append(layout.count)
            layout.add(launch)
            self._prototypes.append(_prototype(launch, function, count, workers.threads))
        self._slots = layout.count
        self._pack_all = struct.Struct(layout.format).pack_into
        self._pick_all = layout.picker()
        self._constants = tuple(layout.constants)
        self._convert = layout.conversions
        self._always = tuple(c for c in layout.conversions if c[1] in _CHANGING)
        # With one launch and no numbers only the leading addresses differ from call to call.
        self._leading = layout.leading_addresses() if len(self._starts) == 1 else ()
        self._only_addresses = bool(self._leading) and not layout.conversions
        self._pick_addresses = _picker(self._leading)
        self._pack_addresses = struct.Struct("=" + "Q" * len(self._leading)).pack_into
        self._spare: list[_Block] = []

    def __call__(self, words: Words) -> None:
        """Launch the program."""
        try:
            block = self._spare.pop()
        except IndexError:
            block = self._new_block(words)
        else:
            if self._only_addresses:
                self._pack_addresses(block.slots, 0, *self._pick_addresses(words))
            else:
                self._fill_all(block, words)
        if self._launch_chain(block.chain):
            raise MemoryError(NO_SCRATCH)
        self._spare.append(block)

    def frozen(self, words: Words) -> Callable[[], object]:
        """Return a call that launches a block of its own, filled once."""
        block = self._new_block(words)
        alone = len(block.addresses) == 1
        launch = self._launch if alone else self._launch_chain
        address = block.addresses[0] if alone else block.chain

        def run(block: _Block = block, keep: CpuLauncher = self) -> None:
            if launch(address):
                raise MemoryError(NO_SCRATCH)

        return run

    def with_numbers(self, words: Words) -> ByAddress | None:
        """Return the launcher for calls that bring the numbers of `words` and other addresses.

        None for a program of several launches, whose addresses do not lie together.
        """
        if not self._leading:
            return None
        return ByAddress(self._leading, self._pack_addresses, lambda: self._new_block(words))

    def _new_block(self, words: Words) -> _Block:
        block = _Block(self._slots, self._starts, self._prototypes, self._passed)
        self._fill_all(block, words)
        return block

    def _fill_all(self, block: _Block, words: Words) -> None:
        if self._always:
            words = _converted(words, self._always)
        try:
            self._pack_all(
                block.slots, 0, *self._pick_all((*words, *block.passed, *self._constants))
            )
        except (struct.error, OverflowError, TypeError):
            # Numbers that packing does not take as they are, such as a NumPy bool or 1e300 as f32.
            others = [each for each in self._convert if each not in self._always]
            words = _converted(words, others)
            self._pack_all(
                block.slots, 0, *self._pick_all((*words, *block.passed, *self._constants))
            )


class Ready(NamedTuple):
    """Slots for the addresses of a call, and the address of a table for `Pool.launch_apart`.

    For one call at a time; `held` keeps all of it.
    """

    slots: Any
    table: int
    held: object


class ByAddress:
    """A launcher that takes addresses only: those of the arguments at `positions`, in that order.

    The numbers and layouts stand in its blocks already.  Whoever launches takes what is `ready`,
    fills its slots by `pack`, and keeps it for the next call.
    """

    __slots__ = ("_new_block", "pack", "positions")

    def __init__(
        self,
        positions: tuple[int, ...],
        pack: Callable[..., None],
        new_block: Callable[[], _Block],
    ) -> None:
        self.positions = positions
        self.pack = pack
        self._new_block = new_block

    def ready(self, pairs: Sequence[tuple[int, int, int, int]]) -> Ready:
        """Return a block and its table.

        `pairs` are (place, other place, low, high), places among `positions`: the difference of
        the two addresses may not lie between the others.
        """
        block = self._new_block()
        words = [block.addresses[0], len(pairs), *(number for pair in pairs for number in pair)]
        table = (ctypes.c_int64 * len(words))(*words)
        return Ready(block.slots, _address(table), (block, table))


class _Layout:
    """Builds the one packing step of a program: a format, and where each packed value is from.

    They are the words of a call, the addresses of the memory `passed` on, and constants.
    """

    def __init__(self, arguments: Arguments, passed: Sequence[str]) -> None:
        self.format = "="
        self.count = 0
        self.constants: list[int] = []
        self.conversions: list[tuple[int, Callable[[Any], Any]]] = []
        self._buffers = 0
        self._sources: list[int] = []
        self._arguments = arguments
        self._words = len(arguments.positions) + len(passed)
        places = range(len(arguments.positions), self._words)
        self._places = {**arguments.positions, **dict(zip(passed, places, strict=True))}

    def add(self, launch: CpuLaunch) -> None:
        """Append the slots of a launch: its buffers, then its scalars."""
        self._buffers = self._buffers if self.count else len(launch.buffers)
        for name in launch.buffers:
            self._slot("Q", self._places[name])
        for value, dtype in launch.scalars:
            if value.kind == "argument":
                position = self._arguments.positions[value.view]
                self._slot(_FORMATS[dtype.name], position)
                self._convert(position, dtype)
            else:
                self.constants.append(self._arguments.evaluate(value))
                self._slot("q", self._words + len(self.constants) - 1)

    def picker(self) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        """Return the function that picks the packed values out of words and constants."""
        return _picker(self._sources)

    def leading_addresses(self) -> tuple[int, ...]:
        """Return where the slots of the first launch's buffers are from; they lead."""
        return tuple(self._sources[: self._buffers])

    def _slot(self, code: str, source: int) -> None:
        self.format += code
        self._sources.append(source)
        self.count += 1

    def _convert(self, position: int, dtype: DType) -> None:
        convert = _CONVERSIONS.get(dtype.name, int)
        if all(position != known for known, _ in self.conversions):
            self.conversions.append((position, convert))


def _picker(sources: Sequence[int]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what picks the values at these places, as a tuple whatever their number."""
    if len(sources) > 1:
        return itemgetter(*sources)
    return lambda values: tuple(values[source] for source in sources)


def _converted(
    words: Words, conversions: Sequence[tuple[int, Callable[[Any], Any]]]
) -> Sequence[Any]:
    """Return the words with those numbers replaced that are converted."""
    changed = list(words)
    for position, convert in conversions:
        changed[position] = convert(changed[position])
    return changed


def _prototype(launch: CpuLaunch, function: int, count: int, threads: int) -> LaunchBlock:
    stride = -(-launch.scratch_bytes // 64) * 64
    wanted = threads if count > launch.serial_groups else 1
    return LaunchBlock(
        fn=function,
        args=None,
        count=count,
        grain=count if wanted == 1 else pool_grain(count, wanted),
        scratch=None,
        scratch_stride=stride,
        threads=wanted,
    )


def _nearest_f32(value: Any) -> float:  # noqa: ANN401 - any number
    """Return a number that packs as f32: beyond the greatest finite one is infinity.

    Packing rounds, but raises where rounding overflows.
    """
    number = float(value)
    if abs(number) < _OVERFLOWS_F32 or number != number:
        return number
    return math.copysign(math.inf, number)


def _half_bits(value: Any) -> int:  # noqa: ANN401 - any number
    with np.errstate(over="ignore"):
        return int(np.float16(value).view(np.uint16))


def _bf16_bits(value: Any) -> int:  # noqa: ANN401 - any number
    return int(np.asarray(value).astype(numpy_dtype("bf16")).view(np.uint16))


# Halfway from the greatest f32 to the next power of two; from here on rounding gives infinity.
_OVERFLOWS_F32 = float.fromhex("0x1.ffffffp127")

# A slot is eight bytes; a narrower number stands in the low ones.
_SLOT = ctypes.c_uint64
_SLOT_PAIR = _SLOT * 2
_address = ctypes.addressof
_FORMATS = {
    **{name: "q" if dtype.kind == "int" else "Q" for name, dtype in BY_NAME.items()},
    "f32": "f4x",
    "f64": "d",
}
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    bool_.name: bool,
    "f16": _half_bits,
    bf16.name: _bf16_bits,
    "f32": _nearest_f32,
    "f64": float,
}
# These give other numbers than packing does; the rest only take more kinds of numbers.
_CHANGING = (_half_bits, _bf16_bits)
