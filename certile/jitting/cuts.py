"""Where a graph of expressions is cut, so that none takes the compiler long.

In: the nodes that are asked for.  Out: the same, in which some nodes are computed once and kept in
memory.  Decides which.  Leaves to `certile.jitting.schedule` what shares a launch, and what lies in
memory for other reasons.

What walks an expression, here and in the compiler, takes some of Python's stack for every link of
its longest chain, and a kernel of very many values runs out of registers long before.  A chain is
cut where few values live, all of which are kept, those of other chains that share nodes with it
too: what comes later reads them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from math import inf
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
# Values that are kept at one place: each is written once and read once.
_MOST_LIVING: Final = 8
# Nodes before the end of a chain among which others are looked for that share nodes with it.
_MOST_RELATED: Final = 512
# Places, the best first, among which one is looked for where nothing is computed twice.
_MOST_PLACES: Final = 8


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
        self._nodes = nodes
        self._position = {node: at for at, node in enumerate(nodes)}
        self._uses = Counter(roots)
        # By whomever, of this expression or of another.
        self._last_use: dict[Node, float] = dict.fromkeys(nodes, inf)
        for node in nodes:
            self._uses.update(set(inner(node)))
            self._last_use.update(dict.fromkeys(inner(node), node.order))
        self._last_use.update(dict.fromkeys(roots, inf))
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
                self.kept.update(self._in_chain(node))
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
        found = self._expression(node)
        for each in found:
            self._bound(each)
        self._count[node] = len(found)

    def _expression(self, node: Node, ends: Container[Node] = ()) -> list[Node]:
        """Return the nodes of an expression, each behind those that it is made of.

        The expression reads `ends`, as what is kept, and does not compute them.
        """
        found = {node}
        waiting = [node]
        while waiting:
            below = self._below(waiting.pop())
            new = [each for each in below if each not in found and each not in ends]
            found.update(new)
            waiting.extend(new)
        return sorted(found, key=lambda each: each.order)

    def _related(self, node: Node) -> list[Node]:
        """Return an expression and what else was made of its nodes before its root, in order."""
        found = set(self._expression(node))
        end = self._position[node]
        first = min(self._position[each] for each in found)
        for each in self._nodes[max(first, end - _MOST_RELATED) : end]:
            if each not in self.kept and not found.isdisjoint(inner(each)):
                found.add(each)
        return sorted(found, key=lambda each: each.order)

    def _in_chain(self, node: Node) -> Iterable[Node]:
        """Return what is kept of an expression whose longest chain has too many links.

        That is all that lives at one place among the last links, in this expression and in others
        that share nodes with it: what comes later is made of nothing else.  The fewest are kept,
        and of several places that keep as many, the most read, or the last; but one of the best
        places where nothing is computed twice comes first.  Where too many live, those of this
        expression alone are kept, and another may compute again what it shares with it.
        """
        links: list[Node] = []
        at = node
        while len(links) < _CONSIDERED and (below := self._below(at)):
            at = max(below, key=self._links.__getitem__)
            links.append(at)
        for nodes in (self._related(node), self._expression(node)):
            lives = self._lives(nodes, at.order, node.order)
            lives.sort(key=lambda live: (len(live), -sum(map(self._uses.__getitem__, live))))
            if lives:
                return next(filter(self._is_computed_once, lives[:_MOST_PLACES]), lives[0])
        # A view may be larger than what it shows, so that is kept in its place.
        plain = [each for each in links if not isinstance(each, View)]
        return [max(plain or links, key=self._uses.__getitem__)]

    def _lives(self, nodes: Sequence[Node], first: int, end: int) -> list[list[Node]]:
        """Return what lives behind each of some nodes from one order to another, the last first.

        Places where a view lives, or more than few values, are left out.
        """
        lives: list[list[Node]] = []
        live: list[Node] = []
        for place in nodes:
            # Most nodes are read soon, and live at no place that is looked at.
            if place.order < end and self._last_use[place] > first:
                live = [each for each in live if self._last_use[each] > place.order]
                live.append(place)
                few = first <= place.order and len(live) <= _MOST_LIVING
                if few and not any(isinstance(each, View) for each in live):
                    lives.append(live.copy())
        return lives[::-1]

    def _is_computed_once(self, live: Sequence[Node]) -> bool:
        """Say whether nodes that are kept, in order, have no node in common in several launches.

        One that is made of another is computed by a later launch, which reads the other.
        """
        launch: dict[Node, int] = {}
        for node in live:
            found = self._expression(node, launch.keys() & set(live))
            read = {below for each in found for below in self._below(each)}.intersection(live)
            at = max((launch[each] + 1 for each in read - set(found)), default=0)
            if any(launch.setdefault(each, at) != at for each in found):
                return False
        return True
