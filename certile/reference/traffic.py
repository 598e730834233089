"""How much memory a kernel has to touch, whatever the plan: the elements, each counted once.

In: a kernel and its arguments.  Out: the bytes of the elements that are loaded and stored.  Decides
that an element counts once for all loads and once for all stores, however often a program comes
back to it.  Leaves what a kernel means to `tile`.
"""

from __future__ import annotations

import numpy as np

from certile.ir.tile import Buffer, Kernel, Load, Store
from certile.ir.types import join_axes
from certile.reference.evaluate import Arguments
from certile.reference.machine_numeric import Array
from certile.reference.tile import Interpreter, unified
from certile.reference.values import Value

__all__ = ["least_traffic"]

# For each array, which of its elements were touched.
_Seen = dict[Buffer, Array]


def least_traffic(kernel: Kernel, arguments: Arguments) -> int:
    """The bytes of memory that every run of `kernel` on these arguments loads and stores.

    The arguments stay as they are.  Raises as `run` does.
    """
    merged, found = unified(kernel, arguments)
    private = dict(found)
    for view in merged.outputs:
        private[view.name] = np.array(found[view.name], copy=True)
    counting = _Counting(merged, private)
    with np.errstate(all="ignore"):
        counting.run()
    return counting.bytes


class _Counting(Interpreter):
    """An execution that notes which elements of arrays it touches; a program's own are none."""

    def __init__(self, kernel: Kernel, arguments: Arguments) -> None:
        super().__init__(kernel, arguments)
        arrays = self.storage.items()
        self._loaded: _Seen = {view: np.zeros(at.data.size, np.bool_) for view, at in arrays}
        self._stored: _Seen = {view: np.zeros(at.data.size, np.bool_) for view, at in arrays}

    @property
    def bytes(self) -> int:
        """The bytes of what was touched so far."""
        return sum(
            int(np.count_nonzero(touched)) * buffer.dtype.size
            for seen in (self._loaded, self._stored)
            for buffer, touched in seen.items()
        )

    def _load(self, at: Load) -> Value:
        self._note(at, self._loaded)
        return super()._load(at)

    def _store(self, at: Store) -> None:
        self._note(at, self._stored)
        super()._store(at)

    def _note(self, at: Load | Store, seen: _Seen) -> None:
        """Mark the elements of an access."""
        if at.buffer not in seen:
            return
        axes = at.axes if at.mask is None else join_axes(at.axes, at.mask.axes)
        indices, mask = self._indices(at, axes)
        on = None if mask is None else mask.data
        storage = self.storage[at.buffer]
        flat = storage.flat(storage.places([index.data for index in indices], on, at.loc))
        if on is not None:
            shape = np.broadcast_shapes(flat.shape, on.shape)
            flat = np.broadcast_to(flat, shape)[np.broadcast_to(on, shape)]
        seen[at.buffer][flat] = True
