"""The operations of Machine IR, the values between them, and the kernel around them.

In: values and attributes.  Out: immutable operations; a value is itself alone, equal to no other.
Decides what each reads and defines.  Leaves the rules to `verify`, and what is folded to `build`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from certile.ir.dtypes import DType
from certile.records import record

_serial = itertools.count()


@record
class MType:
    """The dtype of a value and whether lanes may hold different ones."""

    dtype: DType
    varying: bool = False

    def __str__(self) -> str:
        return f"{'varying' if self.varying else 'uniform'} {self.dtype}"


@record(eq=False)
class Value:
    """An SSA value; two are equal only when they are one."""

    type: MType
    name: str = ""
    serial: int = field(default_factory=lambda: next(_serial))

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def varying(self) -> bool:
        return self.type.varying


@record
class Buffer:
    """Global memory: a view argument.  `written` is false for read-only buffers.

    No two buffers of a kernel overlap.  `alignment` in bytes is proved for the place that lies
    `skew` elements before the base pointer; element `e` is as aligned as `e + skew` is a multiple.
    """

    name: str
    dtype: DType
    written: bool
    alignment: int = 1
    skew: int = 0

    @property
    def base_alignment(self) -> int:
        """The power of two, in bytes, that is proved to divide the base pointer itself."""
        offset = self.skew * self.dtype.size
        return min(self.alignment, offset & -offset) if offset else self.alignment


@record
class ScalarParameter:
    """A run-time scalar: an extent, a stride (in elements), the number of programs, an argument.

    An integer one is proved to be a multiple of `multiple`, which lets addresses keep an alignment,
    and to lie within `known`, both ends inclusive, where a kernel is specialised for that.
    """

    name: str
    dtype: DType
    multiple: int = 1
    known: tuple[int, int] | None = None


@record
class PrivateArray:
    """`slots` values a lane keeps to itself, indexed by uniform slot numbers (a worker stripe)."""

    name: str
    dtype: DType
    slots: int


@record
class SharedArray:
    """`count` elements all lanes of a group see; contents are undefined at the start."""

    name: str
    dtype: DType
    count: int


@record
class Address:
    """An element index into a buffer: base + lane · lane_stride + offset.

    `base` is a uniform integer.  `lane_stride` is an integer constant, a uniform integer, or None.
    `offset` is a varying integer or None.  With neither the address is uniform; a `lane_stride` of
    0 says that every lane has the one address, and each lane's mask decides.  A `lane_stride` of 1
    without offset is a contiguous access, which the CPU emitter turns into one vector access.

    All parts are of one type, that of the address: i64, or i32 where it is proved that the sum,
    each part of it, and the sum in bytes are values of i32 in every lane, whatever its mask.
    """

    base: Value
    lane_stride: int | Value | None = None
    offset: Value | None = None

    @property
    def dtype(self) -> DType:
        return self.base.dtype

    @property
    def varying(self) -> bool:
        return self.lane_stride is not None or self.offset is not None

    def values(self) -> Iterator[Value]:
        yield self.base
        if isinstance(self.lane_stride, Value):
            yield self.lane_stride
        if self.offset is not None:
            yield self.offset


class Operation:
    """The base of Machine IR operations."""

    __slots__ = ()

    def results_(self) -> tuple[Value, ...]:
        """The values this operation defines (region parameters not included)."""
        result = getattr(self, "result", None)
        return () if result is None else (result,)

    def reads(self) -> Iterator[Value]:
        """The values this operation reads itself; regions not included."""
        return iter(())

    def blocks(self) -> tuple[Block, ...]:
        return ()


@record
class Block:
    """Operations in order."""

    operations: tuple[Operation, ...]


@record(eq=False)
class Constant(Operation):
    """A uniform constant."""

    result: Value
    value: bool | int | float


@record(eq=False)
class Parameter(Operation):
    """The value of a scalar parameter: uniform."""

    result: Value
    parameter: ScalarParameter


@record(eq=False)
class Special(Operation):
    """`lane`: varying i32.  `subgroup`: uniform i32, in its group.  `group`: uniform i64, or i32.

    A kernel whose `group` is i32 is launched with no more groups than that counts.
    """

    result: Value
    kind: Literal["lane", "subgroup", "group"]


@record(eq=False)
class Compute(Operation):
    """An element-wise function of `functions.FUNCTIONS`.

    Operands have one dtype (`where`: a bool first); the result varies iff an operand does.
    Integers wrap; `exact` says that it is proved that this one does not.
    """

    result: Value
    fn: str
    args: tuple[Value, ...]
    exact: bool = False

    def reads(self) -> Iterator[Value]:
        return iter(self.args)


@record(eq=False)
class Convert(Operation):
    """Conversion to the result's dtype: saturating float to integer, round to even.

    `exact` says of integers that it is proved that the result has the value.
    """

    result: Value
    value: Value
    exact: bool = False

    def reads(self) -> Iterator[Value]:
        yield self.value


@record(eq=False)
class Reinterpret(Operation):
    """The same bits as another dtype of equal width."""

    result: Value
    value: Value

    def reads(self) -> Iterator[Value]:
        yield self.value


@record(eq=False)
class Load(Operation):
    """Read a buffer.  The result varies iff the address or the mask does.

    Where `mask` (uniform or varying bool) is false nothing is read and the result is `fill`; a
    masked load always has a fill.
    """

    result: Value
    buffer: Buffer
    address: Address
    mask: Value | None = None
    fill: Value | None = None

    def reads(self) -> Iterator[Value]:
        yield from self.address.values()
        yield from (value for value in (self.mask, self.fill) if value is not None)


@record(eq=False)
class Ask(Operation):
    """Say that the element at `place`, a uniform i64, is read soon, and once.

    It has no other meaning, and the element need not exist.  `near` says that so little is read
    until then that the nearest cache holds it.
    """

    buffer: Buffer
    place: Value
    near: bool = False

    def reads(self) -> Iterator[Value]:
        yield self.place


@record(eq=False)
class Store(Operation):
    """Write a buffer where `mask` is true.

    A uniform address with a uniform value is written once, by lane 0 of the executing subgroup.
    `streaming` says that the line is not read again soon.
    """

    buffer: Buffer
    address: Address
    value: Value
    mask: Value | None = None
    streaming: bool = False

    def reads(self) -> Iterator[Value]:
        yield from self.address.values()
        yield self.value
        if self.mask is not None:
            yield self.mask


@record(eq=False)
class ArrayLoad(Operation):
    """Each lane reads its own slot; `slot` is a uniform integer.  The result is varying."""

    result: Value
    array: PrivateArray
    slot: Value

    def reads(self) -> Iterator[Value]:
        yield self.slot


@record(eq=False)
class ArrayStore(Operation):
    """Each lane writes its own slot (a uniform value is written by every lane)."""

    array: PrivateArray
    slot: Value
    value: Value

    def reads(self) -> Iterator[Value]:
        yield self.slot
        yield self.value


@record(eq=False)
class SharedLoad(Operation):
    """Read group memory at a uniform or varying index; `fill` where `mask` is false."""

    result: Value
    array: SharedArray
    index: Value
    mask: Value | None = None
    fill: Value | None = None

    def reads(self) -> Iterator[Value]:
        yield self.index
        yield from (value for value in (self.mask, self.fill) if value is not None)


@record(eq=False)
class SharedStore(Operation):
    """Write group memory; with a uniform index and value lane 0 of the subgroup writes."""

    array: SharedArray
    index: Value
    value: Value
    mask: Value | None = None

    def reads(self) -> Iterator[Value]:
        yield self.index
        yield self.value
        if self.mask is not None:
            yield self.mask


@record(eq=False)
class Collective(Operation):
    """Combine the lanes' values in an order the target chooses; uniform result.

    `maximum` and `minimum` propagate NaN.  Only for reductions whose policy lets leaves permute.
    """

    result: Value
    fn: Literal["add", "mul", "maximum", "minimum", "any", "all"]
    value: Value

    def reads(self) -> Iterator[Value]:
        yield self.value


@record(eq=False)
class Shuffle(Operation):
    """Lane l receives the value of lane l xor `mask`; `mask` is a constant below L."""

    result: Value
    value: Value
    mask: int

    def reads(self) -> Iterator[Value]:
        yield self.value


@record(eq=False)
class ShuffleUp(Operation):
    """Lane l receives the value of lane l - `distance`; lanes below it keep their own.

    `distance` is a constant in 1 .. L - 1.
    """

    result: Value
    value: Value
    distance: int

    def reads(self) -> Iterator[Value]:
        yield self.value


@record(eq=False)
class ReadLane(Operation):
    """The value of lane `lane`, a constant below L: uniform."""

    result: Value
    value: Value
    lane: int

    def reads(self) -> Iterator[Value]:
        yield self.value


@record(eq=False)
class Barrier(Operation):
    """Every subgroup of the group arrives; shared memory written before is visible after."""


@record(eq=False)
class For(Operation):
    """`body` for index = start, start + step, … below stop, carrying values.

    Bounds are uniform integers of one dtype; step is positive.  `params[i]` starts as `inits[i]`
    and becomes `yields[i]`; after the loop it is `results[i]`.
    """

    index: Value
    start: Value
    stop: Value
    step: Value
    inits: tuple[Value, ...]
    params: tuple[Value, ...]
    body: Block
    yields: tuple[Value, ...]
    results: tuple[Value, ...]

    def results_(self) -> tuple[Value, ...]:
        return self.results

    def reads(self) -> Iterator[Value]:
        yield from (self.start, self.stop, self.step)
        yield from self.inits

    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


@record(eq=False)
class If(Operation):
    """`then` when the uniform condition holds, else `otherwise`; no value leaves a branch."""

    condition: Value
    then: Block
    otherwise: Block = Block(())

    def reads(self) -> Iterator[Value]:
        yield self.condition

    def blocks(self) -> tuple[Block, ...]:
        return (self.then, self.otherwise)


@record(slots=False)
class MachineKernel:
    """One kernel for one target.

    `lanes` a subgroup, `subgroups` a group, so threads = lanes · subgroups on a GPU.  The launch
    has ceil(programs / programs_per_group) groups; `programs` is a scalar parameter of that name.
    `precise_math`: an ordered or reproducible reduction or a NaN test forbids fast math.
    """

    name: str
    lanes: int
    subgroups: int
    programs_per_group: int
    buffers: tuple[Buffer, ...]
    scalars: tuple[ScalarParameter, ...]
    arrays: tuple[PrivateArray, ...]
    shared: tuple[SharedArray, ...]
    body: Block
    precise_math: bool = False
    math: Literal["precise", "fast", "portable"] = "precise"

    @property
    def may_approximate(self) -> bool:
        """Whether a target may use its fast functions and compile with fast math."""
        return self.math == "fast" and not self.precise_math

    @property
    def shared_bytes(self) -> int:
        return sum(array.count * array.dtype.size for array in self.shared)


def operations(block: Block) -> Iterator[Operation]:
    """Every operation of a block, nested ones after the one that holds them."""
    for operation in block.operations:
        yield operation
        for inner in operation.blocks():
            yield from operations(inner)
