"""A serial loop that all workers of a program walk together.

In: the loop, the start values of its scalars, and what lowers a round.  Out: a loop of Machine IR.
Decides what is carried in registers: scalars alone.  Leaves tiles that a loop carries to the map,
which keeps them elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.ir.machine import Value
from certile.ir.tile import Serial
from certile.lower.coordinates import Coordinate
from certile.lower.evaluate import Evaluator

__all__ = ["carried_scalars", "walk"]


def carried_scalars(loop: Serial) -> list[int]:
    """Which of a loop's parameters are scalars, by position."""
    return [k for k, param in enumerate(loop.params) if not param.axes]


def walk(
    evaluator: Evaluator, loop: Serial, inits: Sequence[Value], round_: Callable[[], None]
) -> None:
    """Write the loop; `inits` are of its scalars, which become results of the loop."""
    scalars = carried_scalars(loop)

    def body(index: Value, params: tuple[Value, ...]) -> Sequence[Value]:
        with evaluator.scope({loop.axis: Coordinate(index, exists=True)}) as scope:
            scope.memo.update({loop.params[k]: v for k, v in zip(scalars, params, strict=True)})
            round_()
            return [evaluator.value(loop.yields[k]) for k in scalars]

    results = evaluator.builder.for_(0, loop.axis.static, loop.step, inits, body)
    evaluator.results.update({(loop, k): v for k, v in zip(scalars, results, strict=True)})
