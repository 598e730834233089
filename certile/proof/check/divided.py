"""What a program divides by, or takes a logarithm or a root of: it matters whether that is 0.

In: a kernel.  Out: the tiles in its divisors.  How large such a result has to be is `divisors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from certile.ir.node import Node
from certile.ir.tile import Broadcast, Cast, Const, Fallback, Kernel, Map, Relabel, Result, Tile
from certile.ir.walk import values

# The operand by which each function divides, or whose logarithm or root it takes: of what is near 0
# a root is NaN or not.
_DIVIDES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("div", "fmod", "mod", "floordiv"), 1),
    **dict.fromkeys(("recip", "rsqrt", "sqrt", "log", "log2", "pow"), 0),
}


def divided_by(kernel: Kernel) -> Iterator[Tile]:
    """Divisors in a kernel, and what element-wise functions make them of.

    What something is added to that is not 0 is no part of a divisor that could be.
    """
    waiting = [
        at.args[_DIVIDES[at.fn]]
        for at in values(kernel)
        if isinstance(at, Map) and at.fn in _DIVIDES
    ]
    seen = set[Tile]()
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        yield at
        match at:
            case Map(fn="add" | "sub" | "maximum" as fn, args=args) if any(
                _is_far(arg, fn) for arg in args
            ):
                pass
            case Map(args=args):
                waiting += args
            case Cast(value=value) | Broadcast(value=value) | Relabel(value=value):
                waiting.append(value)
            case _:
                pass


def results_among(fallback: Fallback, found: Iterable[Node]) -> list[int]:
    """Which results of a fallback are among some values, in order."""
    return sorted({at.index for at in found if isinstance(at, Result) and at.of is fallback})


def _is_far(tile: Tile, fn: str) -> bool:
    """Whether a value is a number beside which a small one may be 0 or not: it is not 0 itself."""
    return isinstance(tile, Const) and (tile.value > 0 if fn == "maximum" else tile.value != 0)
