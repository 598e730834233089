"""Launches that go to the device as one command buffer.

In: dispatches, with the addresses that each reads and stores to.  Out: effects on the arrays, once
the batch is complete.  Decides where a barrier stands: before a dispatch that meets, in a way that
matters, what one since the last barrier touched; all others may run at once.  Holds the arrays
until the device is done with them, and copies out what was stored to copies.  Leaves compiling to
`certile.runtime.metal.pipelines`.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.records import record
from certile.runtime.array_info import ArrayInfo
from certile.runtime.metal.errors import lacking, translated
from certile.runtime.metal.memory import Region, Span, copy_out, lend, merged
from certile.runtime.metal.protocol import (
    CommandBuffer,
    Device,
    DeviceError,
    Encoder,
    Extent,
    Pipeline,
    Queue,
)

__all__ = ["Batch", "Dispatch", "Placed"]

# Dispatches after which a batch goes to the device: a person waits for none of them for long.
_MOST_DISPATCHES = 256


@record
class Placed:
    """An array at the address that a call gives it, and the addresses it spans."""

    info: ArrayInfo
    span: Span


@record
class Dispatch:
    """One launch: what each index is bound to, buffers first, and how many groups run."""

    entry: str
    pipeline: Pipeline
    buffers: tuple[Placed, ...]
    scalars: tuple[bytes, ...]
    groups: Extent
    threads: Extent


class Batch:
    """Dispatches that are encoded and not yet done.

    `complete` commits them and waits; an error leaves no array changed that was copied, and what
    those hold that were lent is not known.  For one thread.
    """

    def __init__(self, device: Device, queue: Queue) -> None:
        self._device = device
        self._queue = queue
        self._regions: list[Region] = []
        self._stored: list[tuple[Region, ArrayInfo]] = []
        self._held: list[object] = []
        self._entries: list[str] = []
        self._commands: CommandBuffer | None = None
        self._encoder: Encoder | None = None
        self._since_barrier: list[Span] = []
        self.barriers = 0
        self.seconds = 0.0

    def run(self, dispatches: Sequence[Dispatch], held: object = None) -> None:
        """Encode the launches of one call, in order; `held` lives until the device is done.

        What earlier launches of the batch stored is seen.  Raises as `lend` does, and what Metal's
        errors mean.
        """
        placed = [each for dispatch in dispatches for each in dispatch.buffers]
        with self._device.scope():
            self._reserve([each.span for each in placed])
            self._held.append(held)
            for dispatch in dispatches:
                self._encode(dispatch)
        for each in placed:
            region = self._region(each.span)
            if each.span.written and region.copied:
                self._stored.append((region, each.info))
        if len(self._entries) >= _MOST_DISPATCHES:
            self.complete()

    def launch(self, dispatches: Sequence[Dispatch]) -> None:
        """Run the launches of one call, and wait; raises as `run` and `complete` do."""
        try:
            self.run(dispatches)
            self.complete()
        except BaseException:
            self.abandon()
            raise

    def complete(self) -> None:
        """Run everything and wait; the arrays have their results then.

        Raises what `errors.translated` makes of an error of the command buffer.
        """
        commands, encoder, entries = self._commands, self._encoder, self._entries
        stored = self._stored
        try:
            if commands is None or encoder is None:
                return
            with self._device.scope():
                encoder.end()
                commands.commit()
                commands.wait()
                self.seconds += commands.seconds
            for region, info in stored:
                copy_out(region, info)
        except DeviceError as error:
            names = ", ".join(dict.fromkeys(entries))
            raise translated(error, f"a launch of {names}") from error
        finally:
            self._forget()

    def abandon(self) -> None:
        """Drop what was encoded: none of it runs."""
        if self._encoder is not None:
            # Metal wants every encoder closed, of a command buffer that is never committed too.
            self._encoder.end()
        self._forget()

    def _forget(self) -> None:
        self._commands = self._encoder = None
        self._regions, self._stored, self._held = [], [], []
        self._entries, self._since_barrier = [], []

    def _reserve(self, spans: Sequence[Span]) -> None:
        """Make buffers for what has none."""
        ranges = merged(spans)
        if any(not self._known(low, high) and self._met(low, high) for low, high in ranges):
            # One buffer has a part of the range, perhaps as a copy: the rest is not in it.
            self.complete()
        for low, high in ranges:
            if not self._known(low, high):
                self._regions.append(lend(self._device, low, high))

    def _known(self, low: int, high: int) -> bool:
        return any(region.holds(low, high) for region in self._regions)

    def _met(self, low: int, high: int) -> bool:
        return any(region.meets(low, high) for region in self._regions)

    def _region(self, span: Span) -> Region:
        return next(region for region in self._regions if region.holds(span.low, span.high))

    def _open(self) -> Encoder:
        if self._encoder is None:
            self._commands = self._queue.command_buffer()
            if self._commands is None:
                raise lacking("command buffer")
            self._encoder = self._commands.encoder()
            if self._encoder is None:
                raise lacking("compute encoder")
        return self._encoder

    def _encode(self, dispatch: Dispatch) -> None:
        encoder = self._open()
        spans = [each.span for each in dispatch.buffers]
        if any(_conflict(span, before) for span in spans for before in self._since_barrier):
            encoder.barrier()
            self.barriers += 1
            self._since_barrier = []
        encoder.set_pipeline(dispatch.pipeline)
        for index, each in enumerate(dispatch.buffers):
            region = self._region(each.span)
            encoder.set_buffer(region.buffer, each.info.address - region.base, index)
        for index, data in enumerate(dispatch.scalars, len(dispatch.buffers)):
            encoder.set_bytes(data, index)
        encoder.dispatch(dispatch.groups, dispatch.threads)
        self._since_barrier += spans
        self._entries.append(dispatch.entry)


def _conflict(one: Span, other: Span) -> bool:
    return (one.written or other.written) and one.meets(other)
