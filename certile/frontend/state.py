"""The state of one trace: open regions, memories, and extents that were taken as numbers.

In: calls from the other modules of this package.  Out: located IR values and errors.  Decides
which values may be used where, by the region they were made in.  Leaves to the other modules what
is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CodeType

from certile.diagnostics import KernelError
from certile.frontend.handles import Region, TileHandle
from certile.frontend.spec import Weak
from certile.ir.tile import Effect
from certile.ir.tile import Memory as IrMemory
from certile.ir.tile import Tile as IrTile
from certile.ir.types import Axis, Dim
from certile.records import record
from certile.source import Loc


@record
class Specialised:
    """An extent that the kernel's code took as a number, so that the trace holds for it only."""

    dim: Dim
    value: int
    loc: Loc

    def __str__(self) -> str:
        return f"{self.dim} was taken as the number {self.value} ({self.loc})"


class State:
    """What a trace has built so far."""

    def __init__(self, root: CodeType, shapes: Mapping[str, Sequence[int]] | None) -> None:
        self.root = root
        self.top = Region("top", (), None, Loc.of_code(root))
        self.regions = [self.top]
        self.memories: list[IrMemory] = []
        self.specialised: dict[Dim, Specialised] = {}
        self.carried_values = 0
        self._strided: dict[tuple[Axis, int], Axis] = {}
        self._shapes = shapes

    @property
    def region(self) -> Region:
        """The innermost open region."""
        return self.regions[-1]

    def loc(self) -> Loc:
        """Return the line of the kernel's code that runs now."""
        return Loc.of_user(self.root)

    def fault(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        notes: Sequence[str] = (),
        loc: Loc | None = None,
    ) -> KernelError:
        """Return the error `code` at the line that runs now, or at `loc`."""
        return KernelError(code, message, loc=loc or self.loc(), notes=notes, hint=hint)

    def tile(self, node: IrTile, weak: Weak | None = None) -> TileHandle:
        """Return a handle that belongs to the current region."""
        return TileHandle(node, self.region, weak)

    def emit(self, effect: Effect) -> None:
        """Append an effect to the current region."""
        self.region.body.append(effect)

    def use(self, handle: TileHandle) -> IrTile:
        """Return the value of a tile that may be used here; raises as `require_open` does."""
        if not handle.region.open:
            self.require_open(handle.region, f"a value made at {handle.node.loc}")
        return handle.node

    def require_open(self, region: Region, what: str) -> None:
        """Raise `KernelError` unless `region` is still being filled.

        K004 after a serial loop, K005 outside a parallel loop, K032 in another trace.
        """
        if region.open:
            return
        closed = [around for around in region.outwards() if not around.open][-1]
        names = ", ".join(axis.name for axis in closed.axes)
        if closed.kind == "serial":
            message = f"{what}, in the serial loop over {names}, is used after the loop"
            raise self.fault("K004", message)
        if closed.kind == "parallel":
            message = f"{what}, in the parallel loop over {names}, is used outside it"
            raise self.fault("K005", message)
        raise self.fault("K032", f"{what} was kept from an earlier run of a kernel")

    def within_parallel(self) -> bool:
        """Whether the current region is an instance of some `parallel`."""
        return any(region.kind == "parallel" for region in self.regions)

    def strided(self, axis: Axis, step: int, extent: int) -> Axis:
        """Return the axis of every `step`-th coordinate of another: one for all that ask for it."""
        return self._strided.setdefault((axis, step), Axis.fresh(axis.name, extent))

    def value_of(self, dim: Dim) -> int:
        """Return the value an extent has in this call, and remember that the trace depends on it.

        Raises `KernelError` K025 when the trace was asked for without shapes.
        """
        if self._shapes is None or dim.view not in self._shapes:
            raise self.fault("K025", f"the kernel's code needs the number that {dim} stands for")
        known = self.specialised.get(dim)
        if known is None:
            value = int(self._shapes[dim.view][dim.dim])
            known = self.specialised[dim] = Specialised(dim, value, self.loc())
        return known.value
