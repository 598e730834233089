"""The interpreter of Tile IR: what a kernel means.

In: a kernel and NumPy arrays and scalars for its parameters.  Out: the arrays, changed in place.
Decides the order of effects, masks, poison and conflicts between instances; all instances of a
`parallel` region run at once as one more array dimension, in slices that fit the cache.  Leaves
arithmetic to `functions`, reductions to `laws`, memory to `memory`.

A call with one and the same array for two views means one view.  Other overlaps, where one of the
two is stored, are refused (A005).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from certile.diagnostics import ArgumentError, Diagnostic
from certile.ir.tile import (
    Buffer,
    Effect,
    Kernel,
    Load,
    Memory,
    Parallel,
    Serial,
    Store,
    View,
    effects,
)
from certile.ir.types import Axis, join_axes
from certile.ir.walk import replace_view
from certile.reference import machine_numeric as numeric
from certile.reference.access import is_private, largest_tile
from certile.reference.bounding import Freedom
from certile.reference.evaluate import Arguments, Depth, Evaluator
from certile.reference.functions import Overrides
from certile.reference.machine_numeric import Array
from certile.reference.memory import Owners, Storage, poison_fault
from certile.reference.values import LEAST_NORMAL, Value, either, wide

# Elements of the largest tile that are worked on at once.
_SLICE = 1 << 19


def run(kernel: Kernel, arguments: Arguments, *, functions: Overrides | None = None) -> None:
    """Execute a kernel on NumPy arrays and scalars, by parameter name, in place.

    Arrays have the parameter's dtype (bf16 as `ml_dtypes.bfloat16`), rank and any strides.
    `functions` replaces inexact functions, as `math="portable"` defines them.  Raises `KernelError`
    for an index outside its view (K090), a conflict between instances (K091), a use of an element
    without a value (K092), a store that writes a place twice (K093), and `ArgumentError`
    for a missing argument (A001), a wrong dtype (A003) or rank (A004), and an overlap (A005).
    """
    how = Freedom(overrides=functions) if functions else None
    kernel, arguments = unified(kernel, arguments)
    with np.errstate(all="ignore"):
        Interpreter(kernel, arguments, how).run()


def unified(kernel: Kernel, arguments: Arguments) -> tuple[Kernel, Arguments]:
    """The kernel for arguments of which two may be one view; checks dtypes, ranks and overlaps."""
    arrays: dict[View, Array] = {}
    for param in kernel.params:
        given = arguments.get(param.name)
        if given is None:
            raise _argument("A001", f"{param.name} is missing")
        if isinstance(param, View):
            arrays[param] = _checked(param, given)
    written = set(kernel.outputs)
    for new in list(arrays):
        for old in list(arrays):
            if old is new or old not in arrays or new not in arrays:
                continue
            if not written & {old, new} or not np.shares_memory(arrays[old], arrays[new]):
                continue
            if not _one_view(arrays[old], arrays[new]) or old.dtype != new.dtype:
                raise _argument(
                    "A005", f"{old.name} and {new.name} overlap and one of them is stored to"
                )
            kernel = replace_view(kernel, old, new)
            written = set(kernel.outputs)
            del arrays[old]
    return kernel, arguments


def _checked(view: View, given: object) -> Array:
    if not isinstance(given, np.ndarray) or given.dtype != numeric.storage(view.dtype):
        raise _argument("A003", f"{view.name} is no array of {view.dtype}")
    if given.ndim != view.rank:
        raise _argument("A004", f"{view.name} has rank {given.ndim}, not {view.rank}")
    return given


def _one_view(a: Array, b: Array) -> bool:
    return (a.ctypes.data, a.shape, a.strides) == (b.ctypes.data, b.shape, b.strides)


def _argument(code: str, message: str) -> ArgumentError:
    return ArgumentError(Diagnostic(code, message))


class Interpreter(Evaluator):
    """One execution of a kernel: its memory and its effects, in order.

    With `how` every value carries a bound on how far a legal result may be; `depth` bounds the
    levels of tree reductions (None: the number of leaves).
    """

    def __init__(
        self, kernel: Kernel, arguments: Arguments, how: Freedom | None = None, depth: Depth = None
    ) -> None:
        super().__init__(arguments, how, depth)
        self._kernel = kernel
        self.storage: dict[Buffer, Storage] = {}
        for view in kernel.views:
            array = arguments[view.name]
            assert isinstance(array, np.ndarray)
            # A view of rank 0 counts as one row of one element, so that accesses have places.
            self.storage[view] = Storage(view.name, view.dtype, array if view.rank else array[None])
        self._instances: list[Array] = []
        self._private: dict[View, bool] = {}

    def run(self) -> None:
        """Execute every launch in order."""
        for step in self._kernel.body:
            self._effect(step)

    # Regions.

    def _body(self, body: Sequence[Effect]) -> None:
        for step in body:
            self._effect(step)

    def _effect(self, step: Effect) -> None:
        match step:
            case Load():
                self._bind(step, (self._load(step),))
            case Store():
                self._store(step)
            case Parallel() if self._instances:
                self._nested(step)
            case Parallel():
                self._launch(step)
            case Serial():
                self._serial(step)
            case _:
                raise NotImplementedError(step.mnemonic)

    def _launch(self, region: Parallel) -> None:
        """A top-level region, a slice of its instances at a time."""
        extents = tuple(map(self.extent, region.over))
        programs = prod(extents)
        self._private = {view: is_private(region, view, self.extent) for view in self._kernel.views}
        self._watch(region, [v for v in self._kernel.views if not self._private[v]])
        size = max(1, _SLICE // max(1, largest_tile(region, self.extent)))
        for start in range(0, programs, size):
            ids = np.arange(start, min(start + size, programs))
            for memory in self._kernel.memories:
                self._place(memory, len(ids))
            with_coordinates = zip(region.over, np.unravel_index(ids, extents), strict=True)
            self._instances.append(ids)
            self._open(1, {axis: Value(at, levels=1) for axis, at in with_coordinates})
            self._body(region.body)
            self._close()
            self._instances.pop()
        self._unwatch()

    def _nested(self, region: Parallel) -> None:
        """A region inside another: one more dimension."""
        level = len(self._instances)
        extents = tuple(map(self.extent, region.over))
        count = prod(extents)
        if count == 0:
            return
        inner = np.arange(count)
        self._watch(region, list(self.storage))
        self._instances = [ids[..., None] for ids in self._instances]
        self._instances.append(self._instances[-1] * count + inner)
        shape = (1,) * level + (count,)
        coordinates = zip(region.over, np.unravel_index(inner, extents), strict=True)
        values = {axis: Value(at.reshape(shape), level + 1) for axis, at in coordinates}
        self._open(level + 1, values)
        self._body(region.body)
        self._close()
        self._instances = [ids[..., 0] for ids in self._instances[:-1]]
        self._unwatch()

    def _serial(self, loop: Serial) -> None:
        """Iterations in order; what they carry is bound anew in each."""
        levels = self._frames[-1].levels
        carried = tuple(self._whole(init, init.axes) for init in loop.inits)
        for k in range(0, self.extent(loop.axis), loop.step):
            at = Value(np.full((1,) * levels, k), levels=levels)
            self._open(levels, {loop.axis: at})
            for param, value in zip(loop.params, carried, strict=True):
                self._bind(param, (value,))
            self._body(loop.body)
            carried = tuple(self._whole(after, after.axes) for after in loop.yields)
            self._close()
        self._bind(loop, carried)

    def _place(self, memory: Memory, instances: int) -> None:
        shape = (instances, *map(self.extent, memory.axes))
        data = np.zeros(shape, numeric.storage(memory.dtype))
        poison = np.ones(shape, np.bool_)
        self.storage[memory] = Storage(memory.name, memory.dtype, data, poison)

    def _watch(self, region: Parallel, buffers: Sequence[Buffer]) -> None:
        stored = {e.buffer for e in effects(region.body) if isinstance(e, Store)}
        level = len(self._instances)
        for buffer in buffers:
            if buffer in stored:
                self.storage[buffer].owners[level] = Owners(self.storage[buffer].data.size)

    def _unwatch(self) -> None:
        for storage in self.storage.values():
            storage.owners.pop(len(self._instances), None)

    # Accesses.

    def _indices(self, at: Load | Store, axes: Sequence[Axis]) -> tuple[list[Value], Value | None]:
        levels = self._frames[-1].levels
        indices = [self._aligned(index, axes, levels) for index in at.indices]
        if isinstance(at.buffer, Memory):
            own = self._instances[0]
            local = (own - own.min()).reshape((own.shape[0],) + (1,) * (levels - 1 + len(axes)))
            indices.insert(0, Value(local, levels))
        elif not indices:
            indices.append(Value(np.zeros((1,) * (levels + len(axes)), np.int64), levels))
        mask = None if at.mask is None else self._aligned(at.mask, axes, levels)
        if mask is not None and mask.poison is not None and mask.poison.any():
            raise poison_fault("a mask", at.loc)
        for index in indices:
            active = index.poison
            if active is not None and mask is not None:
                active = active & mask.data
            if active is not None and active.any():
                raise poison_fault("an index", at.loc)
        return indices, mask

    def _load(self, at: Load) -> Value:
        storage = self.storage[at.buffer]
        levels = self._frames[-1].levels
        indices, mask = self._indices(at, at.axes)
        places = storage.places(
            [index.data for index in indices], None if mask is None else mask.data, at.loc
        )
        if storage.owners:
            self._record(storage, places, mask, at, stored=False)
        data, poison, error = storage.load(places)
        if mask is not None:
            data, poison, error = self._masked(at, mask, data, poison, error)
        if self._how is not None:
            error = self._load_error(at, data, error, [*indices, *([] if mask is None else [mask])])
        return Value(data, levels, _spread(poison, data), error)

    def _masked(
        self, at: Load, mask: Value, data: Array, poison: Array | None, error: Array | None
    ) -> tuple[Array, Array | None, Array | None]:
        """Fill where the mask is off; without a fill those elements do not exist."""
        on = mask.data
        poison = None if poison is None else poison & on
        if at.fill is None:
            return np.where(on, data, np.zeros_like(data)), either(~on, poison), error
        fill = self._aligned(at.fill, at.axes, self._frames[-1].levels)
        filled = np.where(on, data, fill.data).astype(data.dtype, copy=False)
        if error is not None or fill.error is not None:
            error = np.where(on, _zeros(filled, error), _zeros(filled, fill.error))
        return filled, either(poison, None if fill.poison is None else fill.poison & ~on), error

    def _load_error(
        self, at: Load, data: Array, error: Array | None, sources: Sequence[Value]
    ) -> Array | None:
        """An uncertain place or mask makes the element unknown; flushing may zero a subnormal."""
        assert self._how is not None
        for source in sources:
            if source.error is not None:
                error = np.where(source.error > 0, np.inf, _zeros(data, error))
        if self._how.flushed and at.dtype.is_float:
            small = (np.abs(wide(data)) < LEAST_NORMAL[at.dtype]) & (data != 0)
            error = _zeros(data, error) + np.where(small, LEAST_NORMAL[at.dtype], 0.0)
        return _spread(error, data)

    def _record(
        self,
        storage: Storage,
        places: tuple[Array, ...],
        mask: Value | None,
        at: Load | Store,
        *,
        stored: bool,
    ) -> None:
        """Tell the open regions who touches which element."""
        axes = at.axes
        shape = np.broadcast_shapes(
            *(place.shape for place in places),
            *(self._ids(level, len(axes)).shape for level in range(len(self._instances))),
        )
        flat = _flattener(shape, mask)
        ids = [flat(self._ids(level, len(axes))) for level in range(len(self._instances))]
        storage.record(tuple(map(flat, places)), ids, stored=stored, loc=at.loc)

    def _ids(self, level: int, rank: int) -> Array:
        ids = self._instances[level]
        return ids.reshape((*ids.shape, *(1,) * rank))

    def _store(self, at: Store) -> None:
        storage = self.storage[at.buffer]
        levels = self._frames[-1].levels
        axes = join_axes(at.axes, at.mask.axes if at.mask is not None else ())
        indices, mask = self._indices(at, axes)
        value = self._aligned(at.value, axes, levels)
        places = storage.places(
            [index.data for index in indices], None if mask is None else mask.data, at.loc
        )
        unsure = any(v is not None and v.error is not None for v in (*indices, mask))
        error = value.error
        if unsure:
            error = np.full((1,) * value.data.ndim, np.inf)
        if at.buffer in self._private and self._private[at.buffer] and mask is None:
            _reject_poison(value.poison, at)
            storage.store(places, value.data, error)
            return
        shape = (*self._sizes(), *map(self.extent, axes))
        flat = _flattener(shape, mask)
        _reject_poison(None if value.poison is None else flat(value.poison), at)
        listed = tuple(map(flat, places))
        ids = [flat(self._ids(level, len(axes))) for level in range(len(self._instances))]
        storage.record(listed, ids, stored=True, loc=at.loc)
        storage.check_distinct(listed, at.loc)
        storage.store(listed, flat(value.data), None if error is None else flat(error))

    def _sizes(self) -> tuple[int, ...]:
        return self._instances[-1].shape


def _flattener(shape: tuple[int, ...], mask: Value | None) -> Callable[[Array], Array]:
    """What lists the elements of arrays spread to `shape`, those where the mask is on."""
    on = None if mask is None else np.broadcast_to(mask.data, shape).ravel()

    def flat(array: Array) -> Array:
        spread = np.broadcast_to(array, shape).ravel()
        return spread if on is None else spread[on]

    return flat


def _reject_poison(poison: Array | None, at: Store) -> None:
    if poison is not None and poison.any():
        raise poison_fault("a store", at.loc)


def _zeros(like: Array, error: Array | None) -> Array:
    return np.zeros((1,) * like.ndim) if error is None else error


def _spread(array: Array | None, like: Array) -> Array | None:
    return None if array is None else np.broadcast_to(array, like.shape)
