"""Several calls as one command buffer, where a person asks for it.

In: calls that are prepared, or kernels with their arguments.  Out: effects on the arrays when the
block ends.  Decides that the block completes what it holds when it ends well and drops it when it
ends by an error.  Leaves barriers, buffers and completion to `certile.runtime.metal.batch`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from certile.diagnostics import ArgumentError, UnsupportedError
from certile.runtime.bind import Nothing
from certile.runtime.kernel import Prepared, TileKernel, frozen_of
from certile.runtime.metal.batch import Batch
from certile.runtime.metal.context import current
from certile.runtime.metal.launcher import FrozenLaunch
from certile.runtime.target import target

__all__ = ["Calls", "batch"]


class Calls:
    """The calls of one block.  Their arrays are held, and have results when the block has ended."""

    def __init__(self, made: Batch) -> None:
        self._batch = made
        self._open = True

    @property
    def barriers(self) -> int:
        """How many barriers stand between the launches so far."""
        return self._batch.barriers

    @property
    def seconds(self) -> float:
        """How long the device took for what is complete."""
        return self._batch.seconds

    def add(self, prepared: Prepared) -> None:
        """Add a prepared call; it may follow others whose results it reads.

        Raises `UnsupportedError` U407 for one that this process's device does not run: it was
        prepared for another target, or its arrays are of a framework that launches by itself.
        Raises `ArgumentError` A012 after the block, when nothing would ever run it.
        """
        if not self._open:
            message = f"{prepared.kernel.name} is added to a batch that has ended"
            raise ArgumentError("A012", message)
        frozen = frozen_of(prepared)
        if frozen is _IDLE:
            return
        if not isinstance(frozen, FrozenLaunch):
            message = f"the call of {prepared.kernel.name} is not one for this process's device"
            raise UnsupportedError(
                "U407", message, hint="prepare it on NumPy arrays under ct.target('metal')"
            )
        frozen.encode(self._batch, prepared)

    def call(self, kernel: TileKernel, *arguments: object) -> None:
        """Add a call of a kernel; raises as preparing it does."""
        with target("metal"):
            self.add(kernel.prepare(*arguments))

    def close(self) -> None:
        """Take no more calls."""
        self._open = False


# What a call without any instance runs.
_IDLE = Nothing().frozen(())


@contextmanager
def batch() -> Iterator[Calls]:
    """Run the calls of a block together: one command buffer, barriers only where data flows.

    The arrays may not be read or changed inside the block.  Raises what a launch raises when the
    block ends.  If the block itself raises, nothing runs that has not gone to the device: the calls
    of a long block go in parts, and so do those before one that takes a part of an earlier array
    and more.
    """
    made = current().batch()
    calls = Calls(made)
    try:
        yield calls
    except BaseException:
        made.abandon()
        raise
    finally:
        calls.close()
    made.complete()
