"""The machine interpreter: run a kernel of Machine IR and report what it may not do.

In: a verified `MachineKernel`, one-dimensional arrays, scalars and the number of programs.  Out:
the arrays changed in place, and a `Report`.  Decides nothing of the meaning but what Machine IR
leaves open: collectives combine by a butterfly.  All lanes, subgroups and groups run in step, as
axes of one array; that is sound because the order of subgroups shows only through a race, and races
are found whatever the order (`machine_memory`).  Leaves numerics to `machine_numeric`.

Values are arrays that broadcast to (groups, subgroups, lanes); a uniform one has one lane.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, i32, i64
from certile.ir.machine import (
    Address,
    ArrayLoad,
    ArrayStore,
    Ask,
    Barrier,
    Block,
    Buffer,
    Collective,
    Compute,
    Constant,
    Convert,
    For,
    If,
    Load,
    MachineKernel,
    Operation,
    Parameter,
    PrivateArray,
    ReadLane,
    Reinterpret,
    SharedArray,
    SharedLoad,
    SharedStore,
    Shuffle,
    ShuffleUp,
    Special,
    Store,
    Value,
)
from certile.ir.machine.printer import Printer
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.machine_memory import Cells, Findings
from certile.reference.machine_numeric import Array

__all__ = ["Report", "run_machine"]

# Threads run at once: enough to hide Python, few enough to stay in cache.
_BATCH = 1 << 15


@record
class Report:
    """What a run did wrong, a line a place, and how often a group met at a barrier."""

    races: tuple[str, ...] = ()
    divergence: tuple[str, ...] = ()
    uninitialised: tuple[str, ...] = ()
    out_of_bounds: tuple[str, ...] = ()
    barriers: int = 0
    misaligned: tuple[str, ...] = ()
    overflows: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was wrong."""
        wrong = (self.races, self.divergence, self.uninitialised, self.out_of_bounds)
        return not (any(wrong) or self.misaligned or self.overflows)


def run_machine(
    kernel: MachineKernel,
    buffers: Mapping[str, Array],
    scalars: Mapping[str, bool | int | float],
    programs: int,
    *,
    wide: Mapping[Operation, int] | None = None,
) -> Report:
    """Run ceil(programs / programs_per_group) groups; buffers change in place.

    `buffers` maps names to contiguous arrays of one dimension (bf16: ml_dtypes.bfloat16 or 16-bit
    integers).  The scalar `programs` may be left out of `scalars`.  `wide` are loads and stores at
    which a target accesses several elements at once, with the bytes of that access: each address in
    the arrays as they lie must be a multiple of them.

    Raises:
        InternalError: M011, when an array or a scalar is missing or does not fit.
    """
    memory = {b: _bind(b, buffers, kernel.subgroups) for b in kernel.buffers}
    groups = -(-programs // kernel.programs_per_group)
    values = {"programs": programs, **scalars}
    _require_scalars(kernel, values)
    findings = Findings()
    step = max(1, _BATCH // (kernel.lanes * kernel.subgroups))
    barriers = 0
    with np.errstate(all="ignore"):
        for first in range(0, groups, step):
            share = range(first, min(first + step, groups))
            run = _Run(kernel, memory, values, findings, share, wide or {})
            run.block(kernel.body, None)
            barriers = max(barriers, run.barriers)
    return Report(
        findings.of("races"),
        findings.of("divergence"),
        findings.of("uninitialised"),
        findings.of("out_of_bounds"),
        barriers,
        findings.of("misaligned"),
        findings.of("overflows"),
    )


def _require_scalars(kernel: MachineKernel, values: Mapping[str, bool | int | float]) -> None:
    """Raise `InternalError` M011 for a scalar without a value, or outside what is known of it."""
    missing = [scalar.name for scalar in kernel.scalars if scalar.name not in values]
    if missing:
        raise InternalError("M011", f"no value for {', '.join(missing)}")
    for scalar in kernel.scalars:
        if scalar.known and not scalar.known[0] <= values[scalar.name] <= scalar.known[1]:
            message = f"{scalar.name} is {values[scalar.name]}, which the kernel is not made for"
            raise InternalError("M011", message)


def _bind(buffer: Buffer, buffers: Mapping[str, Array], subgroups: int) -> Cells:
    array = buffers.get(buffer.name)
    expected = numeric.storage(buffer.dtype)
    if array is None or array.ndim != 1 or array.dtype.itemsize != expected.itemsize:
        raise InternalError("M011", f"{buffer.name} needs a one-dimensional array of {expected}")
    cells = Cells(buffer.name, array.view(expected), initialised=True)
    if buffer.written:
        cells.track(subgroups, across_groups=True)
    return cells


# The lanes that run: None for all of them, else bools that broadcast to all.
_Active = Array | None


def _both(a: _Active, b: _Active) -> _Active:
    if a is None or b is None:
        return a if b is None else b
    return a & b


@dataclass
class _Run:
    """One batch of groups.  `environment` holds the values in scope."""

    kernel: MachineKernel
    memory: dict[Buffer, Cells]
    scalars: Mapping[str, bool | int | float]
    findings: Findings
    groups: range
    wide: Mapping[Operation, int]
    environment: dict[Value, Array] = field(default_factory=dict)
    barriers: int = 0

    def __post_init__(self) -> None:
        kernel = self.kernel
        self.shape = (len(self.groups), kernel.subgroups, kernel.lanes)
        group, subgroup, _ = np.indices((*self.shape[:2], 1), dtype=np.int64)
        self.group = group
        self.who = group * kernel.subgroups + subgroup
        self.lane = np.arange(kernel.lanes, dtype=np.int64).reshape(1, 1, -1)
        self.first_lane = self.lane == 0
        self.printer = Printer()
        self.places: dict[Operation, str] = {}
        self.shared = {a: self._shared_cells(a) for a in kernel.shared}
        self.private = {a: self._slots(a) for a in kernel.arrays}
        for cells in self.memory.values():
            if cells.by_subgroup is not None:
                cells.by_subgroup.reset(np.ones(self.who.size, np.bool_))

    def _shared_cells(self, array: SharedArray) -> Cells:
        cells = Cells(array.name, self._undefined(array.count, array.dtype), initialised=False)
        cells.track(self.kernel.subgroups, across_groups=False)
        return cells

    def _undefined(self, count: int, dtype: DType) -> Array:
        """Group memory of every group, with contents that no result survives."""
        filler = math.nan if dtype.is_float else 1
        return np.full(len(self.groups) * count, filler, numeric.carrier(dtype))

    def _slots(self, array: PrivateArray) -> tuple[Array, Array]:
        full = (array.slots, *self.shape)
        data = np.full(full, math.nan if array.dtype.is_float else 1, numeric.carrier(array.dtype))
        return data, np.zeros(full, np.bool_)

    def place(self, operation: Operation) -> str:
        """The text of an operation, as the kernel prints it."""
        if not self.places:
            list(self.printer.block(self.kernel.body, ""))
        if operation not in self.places:
            self.places[operation] = next(iter(self.printer.operation(operation, "")), "")
        return self.places[operation]

    def block(self, block: Block, active: _Active) -> None:
        for operation in block.operations:
            _EXECUTE[type(operation)](self, operation, active)

    def _set(self, value: Value, array: Array) -> None:
        self.environment[value] = array

    def _get(self, value: Value | None) -> Array | None:
        return None if value is None else self.environment[value]

    # Pure operations.

    def constant(self, operation: Constant, active: _Active) -> None:
        carrier = numeric.carrier(operation.result.dtype)
        exact = np.asarray(operation.value, np.float64) if carrier.kind == "f" else None
        value = np.asarray(operation.value, carrier) if exact is None else exact.astype(carrier)
        self._set(operation.result, value.reshape(1, 1, 1))

    def parameter(self, operation: Parameter, active: _Active) -> None:
        value = np.asarray(self.scalars[operation.parameter.name])
        array = value.astype(numeric.carrier(operation.parameter.dtype))
        self._set(operation.result, array.reshape(1, 1, 1))

    def special(self, operation: Special, active: _Active) -> None:
        value: Array
        match operation.kind:
            case "lane":
                value = self.lane.astype(np.int32)
            case "subgroup":
                value = np.arange(self.shape[1], dtype=np.int32).reshape(1, -1, 1)
            case "group":
                number = self.groups.start + np.arange(self.shape[0]).reshape(-1, 1, 1)
                value = number.astype(numeric.carrier(operation.result.dtype))
                self._exact(operation, number, value, active)
        self._set(operation.result, value)

    def compute(self, operation: Compute, active: _Active) -> None:
        args = tuple(self.environment[value] for value in operation.args)
        result = numeric.compute(operation.fn, operation.args[-1].dtype, args)
        if operation.exact:
            # Of 64-bit operands no sum can be told from its wrapped one here: none is exact.
            wide = tuple(arg.astype(np.int64) for arg in args)
            self._exact(operation, numeric.compute(operation.fn, i64, wide), result, active)
        self._set(operation.result, result)

    def _exact(self, operation: Operation, whole: Array, made: Array, active: _Active) -> None:
        """Note the lanes in which an integer that is proved to fit its type does not."""
        off = np.asarray(whole != made)
        if off.any():
            off = np.broadcast_to(off if active is None else off & active, self.shape)
            self.findings.add("overflows", self.place(operation), int(np.count_nonzero(off)))

    def convert(self, operation: Convert, active: _Active) -> None:
        source, target = operation.value.dtype, operation.result.dtype
        value = numeric.convert(self.environment[operation.value], source, target)
        if operation.exact:
            self._exact(operation, self.environment[operation.value], value, active)
        self._set(operation.result, value)

    def reinterpret(self, operation: Reinterpret, active: _Active) -> None:
        source, target = operation.value.dtype, operation.result.dtype
        value = numeric.reinterpret(self.environment[operation.value], source, target)
        self._set(operation.result, value)

    # Between lanes.

    def _lanes(self, value: Value) -> Array:
        array = self.environment[value]
        return np.broadcast_to(array, (*array.shape[:2], self.shape[2]))

    def collective(self, operation: Collective, active: _Active) -> None:
        value = self._lanes(operation.value)
        self._set(operation.result, numeric.combine(operation.fn, operation.value.dtype, value))

    def shuffle(self, operation: Shuffle, active: _Active) -> None:
        partner = np.arange(self.shape[2]) ^ operation.mask
        self._set(operation.result, self._lanes(operation.value)[..., partner])

    def shuffle_up(self, operation: ShuffleUp, active: _Active) -> None:
        lane = np.arange(self.shape[2])
        source = np.where(lane < operation.distance, lane, lane - operation.distance)
        self._set(operation.result, self._lanes(operation.value)[..., source])

    def read_lane(self, operation: ReadLane, active: _Active) -> None:
        lane = operation.lane
        self._set(operation.result, self._lanes(operation.value)[..., lane : lane + 1])

    # Memory.

    def _index(self, address: Address) -> Array:
        # In 64 bits, so that a sum that leaves 32 is seen.
        index = self.environment[address.base].astype(np.int64)
        if address.lane_stride is not None:
            stride = address.lane_stride
            step = self.environment[stride] if isinstance(stride, Value) else np.int64(stride)
            index = index + self.lane * step
        if address.offset is not None:
            index = index + self.environment[address.offset]
        return index

    def _element(self, operation: Load | Store, active: _Active) -> Array:
        """The element index of an access; where the address has 32 bits, its bytes fit them."""
        index = self._index(operation.address)
        if operation.address.dtype == i32:
            nbytes = index * operation.buffer.dtype.size
            self._exact(operation, nbytes, nbytes.astype(np.int32), active)
        return index

    def _check_aligned(
        self, operation: Load | Store, cells: Cells, index: Array, asked: _Active
    ) -> None:
        """Note lanes whose access begins at no multiple of its bytes, if the target takes many."""
        size = self.wide.get(operation)
        if size is None:
            return
        places = cells.data.ctypes.data + index * cells.data.itemsize
        off = places % size != 0
        found = off if asked is None else off & asked
        self.findings.add("misaligned", self.place(operation), int(np.count_nonzero(found)))

    def _who(self, asked: Array) -> tuple[Array, Array]:
        """Subgroup and group numbers of the lanes that are asked, flat; groups of the launch."""
        full = asked.shape
        subgroup = np.broadcast_to(self.who, full)[asked]
        return subgroup, np.broadcast_to(self.group, full)[asked] + self.groups.start

    def _read(
        self, cells: Cells, index: Array, limit: int, asked: _Active, operation: Operation
    ) -> tuple[Array, Array | None]:
        """Read `limit` cells a group (or all) at `index`; also which lanes got a value, None: all.

        Group memory of several groups lies in one array: `index` is already offset by then.
        """
        place = self.place(operation)
        offset = self._offset(cells, limit)
        if asked is None and index.size and index.min() >= 0 and index.max() < limit:
            got = None
            flat = index + offset
        else:
            wanted = np.broadcast_to(
                True if asked is None else asked, self._broadcast(index, asked)
            )
            index = np.broadcast_to(index, wanted.shape)
            got = cells.inside(index, wanted, limit, self.findings, place)
            flat = np.where(got, index, 0) + offset
        if cells.by_subgroup is not None:
            lanes = np.broadcast_to(True if got is None else got, self._full(flat))
            subgroup, group = self._who(lanes)
            cells.note_read(
                np.broadcast_to(flat, lanes.shape)[lanes], subgroup, group, self.findings, place
            )
        if not cells.data.size:
            return np.zeros(flat.shape, cells.data.dtype), got
        return cells.data[flat], got

    def _broadcast(self, index: Array, asked: _Active) -> tuple[int, ...]:
        return np.broadcast_shapes(index.shape, () if asked is None else asked.shape)

    def _full(self, index: Array) -> tuple[int, ...]:
        """All groups and subgroups, and the lanes the index has."""
        return np.broadcast_shapes(index.shape, (*self.shape[:2], 1))

    def _offset(self, cells: Cells, limit: int) -> Array:
        in_group = cells.data.size == limit * len(self.groups) and cells.valid is not None
        return self.group * limit if in_group else np.zeros((1, 1, 1), np.int64)

    def _write(
        self, cells: Cells, index: Array, value: Array, asked: _Active, operation: Operation
    ) -> None:
        """Store `value`; a uniform index is written once a subgroup."""
        place = self.place(operation)
        limit = cells.data.size // (len(self.groups) if cells.valid is not None else 1)
        full = np.broadcast_shapes(index.shape, (*self.shape[:2], 1))
        wanted = np.broadcast_to(
            True if asked is None else asked[..., :1] if full[-1] == 1 else asked, full
        )
        index = np.broadcast_to(index, full)
        got = cells.inside(index, wanted, limit, self.findings, place)
        flat = (index + self._offset(cells, limit))[got]
        subgroup, group = self._who(got)
        cells.note_write(flat, subgroup, group, self.findings, place)
        cells.data[flat] = np.broadcast_to(value, full)[got].astype(cells.data.dtype)

    def _filled(self, operation: Load | SharedLoad, value: Array, got: Array | None) -> Array:
        value = value.astype(numeric.carrier(operation.result.dtype), copy=False)
        fill = self._get(operation.fill)
        if got is None or fill is None:
            return value
        return np.where(got, value, fill)

    def load(self, operation: Load, active: _Active) -> None:
        asked = _both(active, self._get(operation.mask))
        cells = self.memory[operation.buffer]
        index = self._element(operation, active)
        self._check_aligned(operation, cells, index, asked)
        value, got = self._read(cells, index, cells.data.size, asked, operation)
        self._set(operation.result, self._filled(operation, value, got))

    def store(self, operation: Store, active: _Active) -> None:
        asked = _both(active, self._get(operation.mask))
        value = self.environment[operation.value]
        index, cells = self._element(operation, active), self.memory[operation.buffer]
        self._check_aligned(operation, cells, index, asked)
        self._write(cells, index, value, asked, operation)

    def shared_load(self, operation: SharedLoad, active: _Active) -> None:
        asked = _both(active, self._get(operation.mask))
        index = self.environment[operation.index].astype(np.int64)
        cells = self.shared[operation.array]
        value, got = self._read(cells, index, operation.array.count, asked, operation)
        self._set(operation.result, self._filled(operation, value, got))

    def shared_store(self, operation: SharedStore, active: _Active) -> None:
        asked = _both(active, self._get(operation.mask))
        index = self.environment[operation.index].astype(np.int64)
        value = self.environment[operation.value]
        self._write(self.shared[operation.array], index, value, asked, operation)

    def _slot(self, operation: ArrayLoad | ArrayStore, active: _Active) -> tuple[Array, _Active]:
        """Slot numbers in range, and the lanes for which they are meant."""
        slot = self.environment[operation.slot]
        inside = (slot >= 0) & (slot < operation.array.slots)
        if not inside.all():
            asked = np.broadcast_to(True if active is None else active, (*self.shape[:2], 1))
            outside = int(np.count_nonzero(asked & ~inside))
            self.findings.add("out_of_bounds", self.place(operation), outside * self.shape[2])
            return np.where(inside, slot, 0), _both(active, inside)
        return slot, active

    def _pick(self, slot: Array) -> tuple[Array, ...] | int:
        """An index that selects one slot for each subgroup."""
        if slot.size == 1:
            return int(slot.reshape(()))
        return tuple(np.broadcast_arrays(slot, *np.indices(self.shape, sparse=True)))

    def array_load(self, operation: ArrayLoad, active: _Active) -> None:
        slot, asked = self._slot(operation, active)
        data, valid = self.private[operation.array]
        pick = self._pick(slot)
        known = valid[pick]
        if not known.all():
            read = np.broadcast_to(True if asked is None else asked, known.shape)
            self.findings.add(
                "uninitialised", self.place(operation), int(np.count_nonzero(read & ~known))
            )
        self._set(operation.result, data[pick].copy())

    def array_store(self, operation: ArrayStore, active: _Active) -> None:
        slot, asked = self._slot(operation, active)
        data, valid = self.private[operation.array]
        pick = self._pick(slot)
        value = self.environment[operation.value]
        if asked is None:
            data[pick] = value
            valid[pick] = True
            return
        data[pick] = np.where(asked, value, data[pick])
        valid[pick] |= asked

    # Control.

    def barrier(self, operation: Barrier, active: _Active) -> None:
        here = np.broadcast_to(True if active is None else active, self.who.shape)
        arrived = here.any(axis=(1, 2))
        torn = int(np.count_nonzero(arrived & ~here.all(axis=(1, 2))))
        self.findings.add("divergence", self.place(operation), torn)
        self.barriers += 1
        subgroups = here.reshape(-1)
        for cells in (*self.shared.values(), *self.memory.values()):
            if cells.by_subgroup is not None:
                cells.by_subgroup.reset(subgroups)

    def branch(self, operation: If, active: _Active) -> None:
        condition = self.environment[operation.condition]
        for block, taken in ((operation.then, condition), (operation.otherwise, ~condition)):
            if not block.operations:
                continue
            inner = _both(active, taken)
            if inner is None or inner.all():
                self.block(block, active)
            elif inner.any():
                self.block(block, inner)

    def loop(self, operation: For, active: _Active) -> None:
        start, stop, step = (
            self.environment[value] for value in (operation.start, operation.stop, operation.step)
        )
        carried = [self.environment[value] for value in operation.inits]
        index = start
        while True:
            runs = np.asarray(index < stop)
            inner = active if runs.all() else _both(active, runs)
            if not runs.any() or (inner is not None and not inner.any()):
                break
            self._set(operation.index, index)
            for param, value in zip(operation.params, carried, strict=True):
                self._set(param, value)
            self.block(operation.body, inner)
            onward = [self.environment[value] for value in operation.yields]
            if inner is not active:
                pairs = zip(onward, carried, strict=True)
                onward = [np.where(runs, after, before) for after, before in pairs]
            carried = onward
            index = index + step
        for result, value in zip(operation.results, carried, strict=True):
            self._set(result, value)


# Any: each method takes the class that it is listed under.
_EXECUTE: dict[type[Operation], Callable[[_Run, Any, _Active], None]] = {
    Constant: _Run.constant,
    Parameter: _Run.parameter,
    Special: _Run.special,
    Compute: _Run.compute,
    Convert: _Run.convert,
    Reinterpret: _Run.reinterpret,
    Collective: _Run.collective,
    Shuffle: _Run.shuffle,
    ShuffleUp: _Run.shuffle_up,
    ReadLane: _Run.read_lane,
    Load: _Run.load,
    Ask: lambda *_: None,
    Store: _Run.store,
    SharedLoad: _Run.shared_load,
    SharedStore: _Run.shared_store,
    ArrayLoad: _Run.array_load,
    ArrayStore: _Run.array_store,
    Barrier: _Run.barrier,
    If: _Run.branch,
    For: _Run.loop,
}
