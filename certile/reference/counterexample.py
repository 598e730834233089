"""Tests of a law that nobody has proved, on generated lists.

In: a law and the dtype it accumulates in.  Out: the first contradiction, or None.  Decides what is
tried: short lists of small numbers, whose states are folded from single elements.  On those states
the identity must change nothing on either side, merging must not depend on grouping (nor on order,
where the law says so), every grouping must finalize to what the fold in order gives, and the law's
invariants must hold.  Floats are computed in float64 and compared within the square root of the
rounding unit; integers exactly.  A law that passes is tested, not proved.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce

import numpy as np

from certile.ir.dtypes import DType, bool_, f64
from certile.ir.laws import Law
from certile.ir.terms import Term
from certile.records import record
from certile.reference.algebra import Algebra, State
from certile.reference.machine_numeric import Array
from certile.reference.values import Value

_LENGTHS = (1, 3, 0)
_LISTS = 24
_ASSOCIATIVE = "an operation that is not associative has no tree; fold it with fold_left"


@record
class Counterexample:
    """What does not hold, the values that show it, and what to do."""

    claim: str
    values: tuple[str, ...]
    hint: str


@lru_cache(maxsize=256)
def counterexample(
    law: Law, accumulate: DType, invariants: tuple[Term, ...] = ()
) -> Counterexample | None:
    """Return values on which a law with an identity contradicts itself, or None."""
    test = _Test(law, f64 if accumulate.is_float else accumulate, invariants)
    with np.errstate(all="ignore"):
        for lengths in itertools.product(_LENGTHS, repeat=3):
            for found in test.trial(lengths):
                return found
    return None


class _Test:
    """Lists of one dtype, and the claims about them."""

    def __init__(self, law: Law, dtype: DType, invariants: tuple[Term, ...]) -> None:
        self._law = law
        self._dtype = dtype
        self._invariants = invariants
        # A law's index counts the elements of a list; none here is long.
        self._algebra = Algebra(law, dtype, 0)
        self._random = np.random.default_rng(0)

    def trial(self, lengths: tuple[int, ...]) -> Iterator[Counterexample]:
        """Claims that do not hold for lists of three lengths, one after another."""
        operands = [self._numbers(sum(lengths)) for _ in range(self._law.operands)]
        leaves = self._leaves(operands)
        cuts = list(itertools.accumulate(lengths, initial=0))
        parts = [leaves[low:high] for low, high in itertools.pairwise(cuts)]
        a, b, c = (self._folded(part) for part in parts)
        merge = self._algebra.merge
        shown = _Shown(operands, cuts, [component.name for component in self._law.state])
        none = self._algebra.identity(2)
        hint = "identity() is the state that merge leaves out on either side"
        yield from shown.differ("merge(identity, a) is a", merge(none, a), a, hint)
        yield from shown.differ("merge(a, identity) is a", merge(a, none), a, hint)
        left, right = merge(merge(a, b), c), merge(a, merge(b, c))
        claim = "merge(merge(a, b), c) is merge(a, merge(b, c))"
        yield from shown.differ(claim, left, right, _ASSOCIATIVE)
        if self._law.commutative:
            hint = 'say commutative = False and reduce with policy="ordered_tree"'
            yield from shown.differ("merge(a, b) is merge(b, a)", merge(a, b), merge(b, a), hint)
        end, wanted = (self._algebra.finalize(s) for s in (right, self._folded(leaves)))
        shown = _Shown(operands, cuts, [f"result {k}" for k in range(len(end))])
        yield from shown.differ("every grouping finalizes alike", end, wanted, _ASSOCIATIVE)
        yield from self._broken(right, operands, cuts)

    def _broken(
        self, state: State, operands: Sequence[Array], cuts: Sequence[int]
    ) -> Iterator[Counterexample]:
        """Invariants that a state does not fulfil."""
        shown = _Shown(operands, cuts, ["it"])
        hint = "an invariant holds for the identity, each lift and each merge of such states"
        for held in self._algebra.conditions(self._invariants, state):
            true = Value(np.ones_like(held.data))
            yield from shown.differ("the invariants hold", (held,), (true,), hint)

    def _numbers(self, count: int) -> Array:
        """Halves from -4 to 4, or integers around 0."""
        drawn = self._random.integers(-8, 9, (_LISTS, count))
        if self._dtype.is_float:
            return drawn.astype(np.float64) / 2
        if self._dtype == bool_:
            return np.asarray(drawn > 0)
        unsigned = self._dtype.kind == "uint"
        kind = np.dtype(f"{'u' if unsigned else 'i'}{self._dtype.size}")
        return np.asarray(drawn + 8 * unsigned).astype(kind)

    def _leaves(self, operands: Sequence[Array]) -> list[State]:
        """The states of the elements, which know their places."""
        lifted = self._algebra.lift([Value(data) for data in operands])
        return [
            tuple(Value(value.data[:, k : k + 1]) for value in lifted)
            for k in range(operands[0].shape[-1])
        ]

    def _folded(self, leaves: Sequence[State]) -> State:
        if leaves:
            return reduce(self._algebra.merge, leaves)
        shape = (_LISTS, 1)
        identity = self._algebra.identity(2)
        return tuple(v.each(lambda d: np.broadcast_to(d, shape)) for v in identity)


@record
class _Shown:
    """How values are shown to the author: the lists a, b, c, and states by component."""

    operands: Sequence[Array]
    cuts: Sequence[int]
    names: Sequence[str]

    def differ(self, claim: str, left: State, right: State, hint: str) -> Iterator[Counterexample]:
        """The first list on which two states differ."""
        for one, other in zip(left, right, strict=True):
            differs = np.flatnonzero(~_alike(one.data, other.data).ravel())
            if len(differs):
                row = int(differs[0])
                sides = (f"{self._state(side, row)}" for side in (left, right))
                values = (*self._lists(row), "the sides are " + " and ".join(sides))
                yield Counterexample(f"not always {claim}", values, hint)
                return

    def _lists(self, row: int) -> Iterator[str]:
        for name, low, high in zip("abc", self.cuts, self.cuts[1:], strict=False):
            elements = [data[row, low:high].tolist() for data in self.operands]
            yield f"{name} is the state of {' with '.join(map(str, elements))}"

    def _state(self, state: State, row: int) -> str:
        shape = (_LISTS, 1)
        parts = [np.broadcast_to(value.data, shape)[row, 0].item() for value in state]
        return f"({', '.join(f'{n} {p:g}' for n, p in zip(self.names, parts, strict=True))})"


def _alike(a: Array, b: Array) -> Array:
    """Equal, both NaN, or as near as rounding explains."""
    a, b = np.broadcast_arrays(a, b)
    same = np.asarray((a == b) | ((a != a) & (b != b)))
    if a.dtype.kind != "f":
        return same
    size = np.maximum(np.maximum(np.abs(a), np.abs(b)), 1.0)
    return np.asarray(same | (np.abs(a - b) <= np.sqrt(np.finfo(a.dtype).eps) * size))
