"""Reductions of few long rows in two launches, so that all threads take part.

In: a call's arrays, the parts that its rows are cut into, a kernel for the parts and one for each
result.  Out: launches.  Decides which memory lies between them.  Leaves the lengths of parts to
`certile.ops.layout`, and what a kernel makes of its rows to the operation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from certile.ops.launch import Launch, Seen
from certile.ops.layout import Parts, Strided
from certile.records import record
from certile.runtime.kernel import TileKernel

__all__ = ["Half", "in_two"]


@record
class Half:
    """A kernel of one of the two launches, the names of its results, and its constants."""

    kernel: TileKernel
    results: tuple[str, ...] = ("y",)
    constants: Mapping[str, object] = field(default_factory=dict)

    def launch(self, x: Seen, kept: int, results: Sequence[Seen]) -> Launch:
        """Return the launch that reduces `x`, whose first `kept` dimensions count rows."""
        named = dict(zip(self.results, results, strict=True))
        return Launch(self.kernel, {"x": x, "kept": kept, **named, **self.constants})


def in_two(
    parts: Parts, results: Sequence[Strided], first: Half, then: Sequence[Half]
) -> tuple[Launch, ...]:
    """Return a launch over the parts, and one for each result over what the parts gave.

    The first array is reduced; `results` are the layouts of the next ones; the scratch follows
    them, an array for each.
    """
    count = 1 + len(results)
    made = [Seen(count + k, parts.made) for k in range(len(results))]
    launches = [first.launch(Seen(0, parts.cut), parts.cut_kept, made)]
    for k, (half, layout) in enumerate(zip(then, results, strict=True)):
        read = Seen(count + k, parts.read)
        launches.append(half.launch(read, parts.kept, [Seen(1 + k, layout)]))
    return tuple(launches)
