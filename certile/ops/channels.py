"""Groups of channels where the channels of a place adjoin in memory, as in `channels_last`.

In: the arrays of a normalisation by name, which axis counts channels, and the number of groups.
Out: launches, and the memory that they pass to each other.  Decides how many places stand side by
side as one row of memory, and into how many parts the places are cut so that threads have some.
Leaves the formulas to `certile.ops.kernels.channels`.

The elements of a group are short runs with gaps between them: a row program would gather them.
Here each channel is reduced by itself, which reads whole rows of memory; the states of the channels
of a group are merged; and the result is made element by element.  That is two readings and one
writing, as of a row that does not stay in a cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from certile.ops.call import Result
from certile.ops.kernels.channels import factors_kernel, moments_kernel, scaled_kernel
from certile.ops.launch import Launch, Seen
from certile.ops.layout import Steps, Strided, collapsed
from certile.records import record
from certile.runtime.arrays import ArrayInfo

__all__ = ["Adjoining", "adjoining"]

# A row program takes a smaller array in less time than three launches do: this many elements where
# it has to gather them, more where the channels of a group are a run of memory that fills vectors.
_FEWEST_GATHERED: Final = 1 << 13
_FEWEST_IN_RUNS: Final = 1 << 17
# What is reduced stands in runs of this length at least, which fill vectors and lines; longer ones
# would only be more states to merge.  What is written is one long run, or several of this length,
# because a change of rows costs as much as some vectors.
_RUN_BYTES: Final = 256
_WIDEST_BYTES: Final = 2048
# Runs and parts of an example together, so that threads have some.  In its place the number of
# threads, or that of examples, would change the last bits of results.
_SHARES: Final = 8
# Fewer rows cost more to merge than they give to other threads.
_FEWEST_ROWS: Final = 16

_STATES: Final = ("first", "mean", "variance")
_VECTORS: Final = ("start", "factor", "summand")


@record
class Adjoining:
    """How examples, places and channels are cut.

    `steps` are the strides along examples and channels of the arrays that have an element for each
    of x's, by name.  `places` are the dimensions of places, outermost first, each an extent with a
    stride for each of these arrays.  Of the innermost, `read` places stand side by side where
    channels are reduced, `written` where results are made.  The outermost is cut into `parts`.
    """

    examples: int
    groups: int
    channels: int
    steps: Mapping[str, tuple[int, int]]
    places: tuple[tuple[int, Steps], ...]
    read: int
    written: int
    parts: int

    def scratch(self, dtype: str) -> tuple[Result, ...]:
        """Return the states of channels, and after them the vectors that are made of them."""
        states = Result((self.examples, self.parts, self.read * self.channels), dtype)
        vectors = Result((self.examples, self.written * self.channels), dtype)
        return (states,) * len(_STATES) + (vectors,) * len(_VECTORS)

    def launches(
        self, names: Sequence[str], arrays: Sequence[ArrayInfo], eps: float
    ) -> tuple[Launch, ...]:
        """Return the launches for the arrays of these names, which the scratch follows."""
        at = {name: place for place, name in enumerate((*names, *_STATES, *_VECTORS))}

        def seen(layouts: Mapping[str, Strided]) -> dict[str, object]:
            return {name: Seen(at[name], layout) for name, layout in layouts.items()}

        each = self.channels // self.groups
        weights: dict[str, Strided] = {
            name: Strided((self.groups, each), (step * each, step))
            for name in ("weight", "bias")
            if name in at
            for step in arrays[at[name]].strides
        }
        reduced = {name: self._columns(name) for name in self.steps if name in ("x", "residual")}
        rows = {name: self._rows(name) for name in self.steps}
        states = Strided.contiguous(self.examples, self.parts, self.read * self.channels)
        shared = Strided.contiguous(self.examples, self.written * self.channels)
        factors: dict[str, Strided] = {
            **dict.fromkeys(_STATES, self._by_group(self.parts * self.read)),
            **dict.fromkeys(_VECTORS, self._by_group(self.written)),
            **weights,
        }
        moments = seen({**reduced, **dict.fromkeys(_STATES, states)})
        scaled = seen({**rows, **dict.fromkeys(_VECTORS, shared)})
        return (
            Launch(moments_kernel, {**moments, "kept": 3}),
            Launch(factors_kernel, {**seen(factors), "eps": eps, "kept": 2}),
            Launch(scaled_kernel, {**scaled, "kept": 1 + len(self.places)}),
        )

    def _rows(self, name: str) -> Strided:
        """Return an array as examples and places, by the channels of places side by side."""
        example, channel = self.steps[name]
        extents, steps = self._places(name, self.written)
        wide = self.written * self.channels
        return Strided((self.examples, *extents, wide), (example, *steps, channel))

    def _columns(self, name: str) -> Strided:
        """Return an array as examples, parts and channels of places side by side, by places."""
        example, channel = self.steps[name]
        (n, *extents), (step, *steps) = self._places(name, self.read)
        n //= self.parts
        return Strided(
            (self.examples, self.parts, self.read * self.channels, n, *extents),
            (example, step * n, channel, step, *steps),
        )

    def _places(self, name: str, together: int) -> tuple[list[int], list[int]]:
        """Return the extents and strides of places of which so many stand side by side."""
        at = list(self.steps).index(name)
        extents = [n for n, _ in self.places]
        steps = [int(steps[at] or 0) for _, steps in self.places]
        return [*extents[:-1], extents[-1] // together], [*steps[:-1], steps[-1] * together]

    def _by_group(self, count: int) -> Strided:
        """Return scratch as examples and groups, by `count` times the channels of a group."""
        each = self.channels // self.groups
        return Strided(
            (self.examples, self.groups, count, each),
            (count * self.channels, each, self.channels, 1),
        )


def adjoining(
    names: Sequence[str], arrays: Sequence[ArrayInfo], axis: int, groups: int
) -> Adjoining | None:
    """Return how groups of the channels along `axis` are cut.

    None where channels do not adjoin in the first array, where a group is one run of memory, and on
    devices that share a row among neighbouring threads.
    """
    x = arrays[0]
    channels = x.shape[axis]
    whole = {n: a for n, a in zip(names, arrays, strict=False) if n not in ("weight", "bias")}
    dims = [dim for dim, n in enumerate(x.shape) if dim not in (0, axis) and n > 1]
    if x.device != "cpu" or channels == 1 or x.strides[axis] != 1 or not _worth(x, axis, groups):
        return None
    dims.sort(key=lambda dim: -abs(x.strides[dim]))
    places = collapsed(x.shape, dims, [array.strides for array in whole.values()])
    read = written = 1
    if all(a.strides[axis] == 1 and a.strides[dims[-1]] == channels for a in whole.values()):
        read, written = _side_by_side(places[-1][0], channels, x.itemsize)
    fewest = -(-_SHARES // -(-read * channels * x.itemsize // _RUN_BYTES))
    rows = places[0][0] // (read if len(places) == 1 else 1)
    parts = _divisor(rows, range(fewest, rows // _FEWEST_ROWS + 1)) if fewest > 1 else 1
    steps = {name: (array.strides[0], array.strides[axis]) for name, array in whole.items()}
    return Adjoining(x.shape[0], groups, channels, steps, tuple(places), read, written, parts)


def _worth(x: ArrayInfo, axis: int, groups: int) -> bool:
    """Whether there are elements enough, and enough of them for each state."""
    in_runs = x.shape[axis] // groups * x.itemsize >= _RUN_BYTES
    fewest = _FEWEST_IN_RUNS if in_runs else _FEWEST_GATHERED
    return x.size >= max(fewest, x.shape[0] * x.shape[axis] * _FEWEST_ROWS)


def _side_by_side(n: int, channels: int, itemsize: int) -> tuple[int, int]:
    """Return how many of n places stand side by side where they are read, and where written."""
    place = channels * itemsize
    most = min(n // _FEWEST_ROWS, _WIDEST_BYTES // place)
    read = _divisor(n, range(-(-_RUN_BYTES // place), most + 1))
    return read, _divisor(n, range(most, 1, -1))


def _divisor(n: int, tried: range) -> int:
    """Return the first of some numbers that divides n; 1 if none does."""
    return next((number for number in tried if n % number == 0), 1)
