"""The trees that a plan's reductions merge in, as far as rounding depends on them.

In: a reduction and how its plan maps it.  Out: a `Tree`: how far means may be off and what merges
weigh, found by walking the tree that lowering builds, with numbers of elements in place of states.
Decides nothing; where lowering merges equal subtrees many times they are counted, not repeated.

A node of the tree has n elements and a drift e: its mean is off by at most e u max|x|.  A merge of
a before b with share s = n_b / n, as of means or of sums divided by counts, gives (1 - s) e_a + s
e_b + 2 + 6 s: the difference of two means of at most max|x| each is rounded, multiplied by s, which
is rounded too, and added; one unit more is for what divides a sum.  A side without elements changes
nothing.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from certile.diagnostics import InternalError
from certile.ir.tile import (
    REPRODUCIBLE_ACCUMULATORS,
    REPRODUCIBLE_BLOCK,
    REPRODUCIBLE_DISTANCES,
    Reduce,
)
from certile.plan.blocks import RUN, chunks_of_round, forms_of
from certile.plan.columns import row_block
from certile.plan.mapping import Mapping
from certile.plan.ownership.layout import ORDERED_RUN, fold_block
from certile.records import record
from certile.reference.trees import Tree

__all__ = ["walked"]

Array: TypeAlias = npt.NDArray[Any]


@record
class _Nodes:
    """Nodes side by side: elements and drift of each."""

    n: Array
    e: Array

    def at(self, which: int | slice | Array) -> _Nodes:
        return _Nodes(self.n[which], self.e[which])


def walked(
    node: Reduce, mapping: Mapping, lanes: int, depth: int, *, swept: int, alone: bool = False
) -> Tree:
    """The tree of a reduction; `depth` is its longest path.

    `swept` are the leaves of one sweep, of which a loop may make several into the same partials;
    `alone` says that one lane folds them all.  Where ownership has a phase, no phase is worse.
    """
    mapping = Mapping("reference") if alone else mapping
    drift = coupling = weight = 0.0
    for phase in range(mapping.lane_elements if mapping.phase else 1):
        walk = _Walk(node, lanes, swept, phase)
        root = walk.by_all(mapping)
        if float(root.n) != node.leaves:
            message = f"a tree of {root.n} leaves, not {node.leaves}"
            raise InternalError("M020", message, loc=node.loc)
        drift, coupling = max(drift, walk.drift), max(coupling, walk.coupling)
        weight = max(weight, walk.weight)
    return Tree(depth, drift, coupling, weight)


class _Walk:
    """One walk through a tree, adding up what its merges weigh."""

    def __init__(self, node: Reduce, lanes: int, swept: int, phase: int) -> None:
        self._node, self._lanes, self._phase = node, lanes, phase
        self._count, self._swept = node.leaves, swept
        self.drift = self.coupling = self.weight = 0.0

    def by_all(self, mapping: Mapping) -> _Nodes:
        """The tree of the policy, under a mapping."""
        policy = self._node.policy
        if policy == "reproducible":
            return self._reproducible()
        if policy == "ordered_tree":
            return self._ordered(mapping)
        if policy in ("fold_left", "fold_right"):
            return self._chain(_leaf(), self._count, backwards=policy == "fold_right")
        if mapping.family == "reference":
            return self._blocks_in_order()
        return self._parts(mapping) if mapping.family == "columns" else self._subgroups(mapping)

    def _blocks_in_order(self) -> _Nodes:
        """One lane merges blocks of leaves, then the blocks, one after another."""
        size = fold_block(self._count)
        whole, rest = divmod(self._count, size)
        if whole <= 1:
            return self._chain(_leaf(), self._count)
        block = self._chain(_leaf(), size, times=float(whole))
        return self._merge(self._chain(block, whole), self._chain(_leaf(), rest))

    # Merges.

    def _merge(self, a: _Nodes, b: _Nodes, times: float = 1.0) -> _Nodes:
        n = a.n + b.n
        share = b.n / np.maximum(n, 1.0)
        both = (a.n > 0) & (b.n > 0)
        e = np.where(both, (1 - share) * a.e + share * b.e + 2 + 6 * share, np.maximum(a.e, b.e))
        self._add(a.n * share, a.e + b.e, e, times)
        return _Nodes(n, e)

    def _add(self, weight: Array, off: Array, e: Array, times: float) -> None:
        if times > 0:
            self.weight += times * float(weight.sum())
            self.coupling += times * float((weight * off * off).sum())
            self.drift = max(self.drift, float(np.max(e, initial=0.0)))

    def _chain(
        self,
        link: _Nodes,
        counts: Array | int,
        *,
        times: float = 1.0,
        backwards: bool = False,
    ) -> _Nodes:
        """Equal nodes merged one after another from nothing, as many as `counts` says.

        With j nodes the share of the last is 1 / j, so j e_j = (j - 1) e_(j-1) + e + 2 j + 6; where
        it comes before the others their share is the rest.
        """
        counts = np.asarray(counts)
        j = np.arange(2.0, max(2, int(counts.max(initial=0)) + 1))
        size, own = float(link.n), float(link.e)
        added = own + 2 * j + 6 * ((j - 1) if backwards else 1.0)
        drifts = np.concatenate([[0.0, own], (own + np.cumsum(added)) / j])
        weights = size * (j - 1) / j
        off = drifts[1:-1] + own
        sums = [np.concatenate([[0.0, 0.0], np.cumsum(w)]) for w in (weights, weights * off * off)]
        if times > 0:
            self.weight += times * float(sums[0][counts].sum())
            self.coupling += times * float(sums[1][counts].sum())
            self.drift = max(self.drift, float(drifts[: int(counts.max(initial=0)) + 1].max()))
        return _Nodes(size * counts, drifts[counts])

    def _balanced(self, nodes: _Nodes, times: float = 1.0) -> _Nodes:
        """Neighbours along the first axis merged pairwise until one is left."""
        while (count := len(nodes.n)) > 1:
            even = count & ~1
            pairs = self._merge(nodes.at(slice(0, even, 2)), nodes.at(slice(1, even, 2)), times)
            nodes = _Nodes(
                np.concatenate([pairs.n, nodes.n[even:]]), np.concatenate([pairs.e, nodes.e[even:]])
            )
        return nodes.at(0)

    def _several(self, count: int, times: float = 1.0) -> _Nodes:
        """Single elements in a balanced tree."""
        if count == 0:
            return _empty()
        return self._balanced(_Nodes(np.ones(count), np.zeros(count)), times)

    # The subgroup family.

    def _subgroups(self, mapping: Mapping) -> _Nodes:
        parts, lanes = mapping.subgroups_per_program, self._lanes
        if mapping.block > 1 and forms_of(self._node) is not None:
            held = self._blocks(mapping)
        else:
            held = self._chain(_leaf(), self._slots(mapping))
        own = self._balanced(held)
        subgroups = self._balanced(
            _Nodes(own.n.reshape(parts, lanes).T, own.e.reshape(parts, lanes).T)
        )
        return self._balanced(subgroups)

    def _slots(self, mapping: Mapping) -> Array:
        """The elements of each accumulator (first axis) of each worker."""
        width, held = mapping.lane_elements, mapping.accumulators
        workers = self._lanes * mapping.subgroups_per_program
        full, rest = divmod(self._swept + self._phase, workers * width)
        turns = np.arange(held)[:, None]
        own = width * (full // held + (turns < full % held)) + np.zeros((held, workers), np.int64)
        own[full % held] += np.clip(rest - width * np.arange(workers), 0, width)
        own[0, 0] -= self._phase
        return np.asarray(own * self._sweeps)

    @property
    def _sweeps(self) -> int:
        return max(1, self._count // max(1, self._swept))

    def _blocks(self, mapping: Mapping) -> _Nodes:
        """The accumulators of every worker after blocks of elements were merged into them."""
        width, held = mapping.lane_elements, mapping.accumulators
        workers = self._lanes * mapping.subgroups_per_program
        places = width * np.arange(workers)
        chunks = chunks_of_round(mapping, blocks=True)
        full = self._swept // (workers * width)
        # A phase leaves the first chunk to itself.
        head = np.zeros(workers, np.int64)
        if mapping.phase:
            head, full = np.clip(self._swept + self._phase - places, 0, width), max(1, full)
        rounds, left = divmod(full - mapping.phase, chunks)
        of_round, over = divmod(chunks * width, mapping.block)
        turns = np.arange(held)
        each = of_round // held + (turns < of_round % held)
        counts = self._sweeps * rounds * each
        block = self._several(mapping.block, times=float(workers * max(0, counts.sum())))
        one = self._runs(block, each, rounds, float(workers))
        made = _Nodes(*(np.repeat(a[:, None], workers, axis=1) for a in (one.n, one.e)))
        if rounds and over:
            made = self._short_blocks(made, np.full(workers, over), rounds, of_round % held)
        # What fills no round is one run, the elements of its masked chunk last.
        rest = self._swept + self._phase - full * workers * width - places
        last = left * width + np.clip(rest, 0, width)
        last += np.clip(rest - workers * width, 0, width)
        for run, missing in ((head, self._phase), (last, 0)):
            lacks = np.where(places == 0, missing, 0)
            for number in range(-(-int(run.max()) // mapping.block)):
                sizes = _within(run, number, mapping.block) - _within(lacks, number, mapping.block)
                made = self._short_blocks(made, sizes, 1, number % held)
        return made

    def _runs(self, block: _Nodes, each: Array, rounds: int, workers: float) -> _Nodes:
        """Each accumulator after all rounds, of which each merges `each` blocks into it."""
        if rounds <= RUN:
            return self._chain(block, self._sweeps * rounds * each, times=workers)
        whole, rest = divmod(rounds, RUN)
        run = self._chain(block, RUN * each, times=workers * self._sweeps * whole)
        last = self._chain(block, rest * each, times=workers * self._sweeps)
        made = _Nodes(np.zeros(len(each)), np.zeros(len(each)))
        for _ in range(self._sweeps):
            for part in (*(run,) * whole, last):
                made = self._merge(made, part, workers)
        return made

    def _short_blocks(self, made: _Nodes, sizes: Array, many: int, turn: int) -> _Nodes:
        """One accumulator after blocks of so many elements of each worker, as often as `many`."""
        for size in sorted(set(sizes.tolist()) - {0}):
            mine = np.where(sizes == size, many * self._sweeps, 0)
            small = self._several(size, times=float(mine.sum()))
            made = self._into(made, turn, self._chain(small, mine))
        return made

    def _into(self, made: _Nodes, turn: int, added: _Nodes) -> _Nodes:
        merged = self._merge(made.at(turn), added)
        n, e = made.n.copy(), made.e.copy()
        n[turn], e[turn] = merged.n, merged.e
        return _Nodes(n, e)

    # Other maps and orders.

    def _parts(self, mapping: Mapping) -> _Nodes:
        """Rows of each part, and the parts one after another."""
        at_once = mapping.rows_at_once
        part = min(mapping.part_rows or self._count, self._count)
        block = row_block(part, at_once)
        whole, last = divmod(self._count, part) if part else (0, 0)
        if whole <= 1 and not last:
            return self._rows(self._count, at_once, block)
        full = self._rows(part, at_once, block, times=float(whole))
        return self._merge(self._chain(full, whole), self._rows(last, at_once, block))

    def _rows(self, count: int, at_once: int, block: int, times: float = 1.0) -> _Nodes:
        """Rows walked in rounds and blocks, and those that fill no round."""
        whole = count // at_once * at_once
        blocks, left = divmod(whole, block)
        leaf = self._several(at_once, times=times * (whole // at_once))
        full = self._chain(leaf, block // at_once, times=times * blocks)
        made = self._chain(full, blocks, times=times)
        made = self._merge(made, self._chain(leaf, left // at_once, times=times), times)
        return self._merge(made, self._several(count - whole, times=times), times)

    def _ordered(self, mapping: Mapping) -> _Nodes:
        if mapping.family == "reference":
            whole, rest = divmod(self._count, ORDERED_RUN)
            run = self._chain(_leaf(), ORDERED_RUN, times=float(whole))
            parts = _repeated(run, whole)
            return self._balanced(_joined(parts, self._chain(_leaf(), rest)))
        size = mapping.lane_elements * self._lanes
        whole, rest = divmod(self._count, size)
        chunk = self._several(size, times=float(whole))
        return self._balanced(_joined(_repeated(chunk, whole), self._several(rest)))

    def _reproducible(self) -> _Nodes:
        whole, rest = divmod(self._count, REPRODUCIBLE_BLOCK)
        block = self._block(REPRODUCIBLE_BLOCK, float(whole)) if whole else _empty()
        last = self._block(rest, 1.0) if rest else _empty()
        return self._balanced(_joined(_repeated(block, whole), last))

    def _block(self, elements: int, times: float) -> _Nodes:
        turns = np.arange(REPRODUCIBLE_ACCUMULATORS)
        counts = elements // len(turns) + (turns < elements % len(turns))
        held = self._chain(_leaf(), counts, times=times)
        places = turns
        for distance in REPRODUCIBLE_DISTANCES:
            lower = (places & distance) == 0
            held = self._merge(held.at(lower), held.at(~lower), times)
            places = places[lower]
        return held.at(0)


def _within(elements: Array, number: int, block: int) -> Array:
    """How many of the first so many elements lie in a block."""
    return np.asarray(np.clip(elements - number * block, 0, block))


def _leaf() -> _Nodes:
    return _Nodes(np.asarray(1.0), np.asarray(0.0))


def _empty() -> _Nodes:
    return _Nodes(np.asarray(0.0), np.asarray(0.0))


def _repeated(node: _Nodes, count: int) -> _Nodes:
    return _Nodes(np.full(count, float(node.n)), np.full(count, float(node.e)))


def _joined(nodes: _Nodes, last: _Nodes) -> _Nodes:
    """Nodes and one more, if that has elements."""
    if float(last.n) == 0 and len(nodes.n):
        return nodes
    return _Nodes(np.append(nodes.n, last.n), np.append(nodes.e, last.e))
