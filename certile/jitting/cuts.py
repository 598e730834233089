"""Where a graph of expressions is cut, so that none takes the compiler long.

In: the nodes that are asked for.  Out: the same, in which some nodes are computed once and kept in
memory.  Decides which.  Leaves to `certile.jitting.schedule` what shares a launch, and what lies in
memory for other reasons.

What walks an expression, here and in the compiler, takes some of Python's stack for every link of
its longest chain, and a kernel of very many values runs out of registers long before.  A chain is
cut where most read it: then what they make of it is not computed again for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from certile.jitting.graph import (
    Constant,
    Kept,
    Node,
    Number,
    Source,
    Update,
    View,
    inner,
    reachable,
    with_inner,
)

__all__ = ["cut"]

# Links of a chain, and nodes of an expression, between what lies in memory.
_LONGEST_CHAIN: Final = 64
_MOST_NODES: Final = 256
# Links, from the end of a chain that is too long, among which it is cut.
_CONSIDERED: Final = 32


def cut(roots: Sequence[Node]) -> list[Node]:
    """Return the roots in the order given, made of expressions that are not too large."""
    nodes = sorted(reachable(roots), key=lambda node: node.order)
    if len(nodes) <= _LONGEST_CHAIN:
        return list(roots)
    kept = _Cuts(nodes, roots).kept
    if not kept:
        return list(roots)
    made: dict[Node, Node] = {}
    for node in nodes:
        before = inner(node)
        after = [made[each] for each in before]
        same = all(a is b for a, b in zip(after, before, strict=True))
        made[node] = new = node if same else with_inner(node, after)
        if node in kept:
            made[node] = Kept(shape=new.shape, dtype=new.dtype, operand=new)
    return [made[root] for root in roots]


class _Cuts:
    """The nodes that are kept; `nodes` come after those that they are made of."""

    def __init__(self, nodes: Sequence[Node], roots: Iterable[Node]) -> None:
        self.kept: set[Node] = set()
        self._uses = Counter(roots)
        for node in nodes:
            self._uses.update(set(inner(node)))
        # Bounds from above: nodes that are kept later, or read twice, make them too large.
        self._links: dict[Node, int] = {}
        self._count: dict[Node, int] = {}
        for node in nodes:
            self._add(node)

    def _add(self, node: Node) -> None:
        self._bound(node)
        while self._is_large(node):
            self._measure(node)
            if self._links[node] > _LONGEST_CHAIN:
                self.kept.add(self._in_chain(node))
            elif self._count[node] > _MOST_NODES:
                self.kept.add(max(self._below(node), key=self._count.__getitem__))

    def _is_large(self, node: Node) -> bool:
        return self._links[node] > _LONGEST_CHAIN or self._count[node] > _MOST_NODES

    def _below(self, node: Node) -> list[Node]:
        """Return what a node is made of, without what lies in memory or is written as a number."""
        return [
            each
            for each in dict.fromkeys(inner(node))
            if each not in self.kept and not isinstance(each, Source | Number | Constant | Update)
        ]

    def _bound(self, node: Node) -> None:
        below = self._below(node)
        self._links[node] = 1 + max((self._links[each] for each in below), default=0)
        self._count[node] = 1 + sum(self._count[each] for each in below)

    def _measure(self, node: Node) -> None:
        """Find the links and nodes of one expression anew, each node counted once."""
        found = {node}
        waiting = [node]
        while waiting:
            new = [each for each in self._below(waiting.pop()) if each not in found]
            found.update(new)
            waiting.extend(new)
        for each in sorted(found, key=lambda each: each.order):
            self._bound(each)
        self._count[node] = len(found)

    def _in_chain(self, node: Node) -> Node:
        """Return the most read of the last links of the longest chain, of several the last.

        A view may be larger than what it shows, so that is kept in its place.
        """
        links: list[Node] = []
        while len(links) < _CONSIDERED and (below := self._below(node)):
            node = max(below, key=self._links.__getitem__)
            links.append(node)
        plain = [each for each in links if not isinstance(each, View)]
        return max(plain or links, key=self._uses.__getitem__)
