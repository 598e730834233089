"""Where large expressions are cut, and that what is computed stays the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

import certile as ct
from certile.ir.dtypes import f32
from certile.jitting.cuts import cut
from certile.jitting.graph import (
    Constant,
    Kept,
    Node,
    Source,
    apply,
    inner,
    reachable,
    reduce,
)

LONGEST_CHAIN, MOST_NODES = 64, 256
X = Source(shape=(3, 5), dtype=f32, position=0)


def number(value: float) -> Node:
    return Constant(shape=(), dtype=f32, value=value)


def chain(links: int) -> Node:
    """Each link reads the one before it."""
    node: Node = X
    for at in range(links):
        node = apply("add", (node, number(float(at))))
    return node


def braid(links: int) -> Node:
    """Each link reads the two before it, twice each."""
    a, b = apply("neg", (X,)), apply("abs", (X,))
    for _ in range(links):
        a, b = b, apply("where", (apply("lt", (a, b)), apply("add", (a, b)), b))
    return b


def fan(links: int) -> Node:
    """Several expressions read each link, and make the next."""
    node: Node = X
    for at in range(links):
        large = apply("lt", (number(float(at)), node))
        small = apply("lt", (node, X))
        inside = apply("where", (small, apply("exp", (node,)), X))
        node = apply("where", (large, node, inside))
    return node


def tree(leaves: int) -> Node:
    """A balanced sum of reductions: many nodes, no long chain."""
    level = [reduce("add", apply("mul", (X, number(float(at)))), [1]) for at in range(leaves)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [apply("add", pair) for pair in pairs]
    return level[0]


def expressions(roots: Sequence[Node]) -> list[Node]:
    """What is computed in one go: the roots, and what each kept node keeps."""
    kept = [node.operand for node in reachable(roots) if isinstance(node, Kept)]
    return [*roots, *kept]


def within(root: Node) -> list[Node]:
    """The nodes of an expression down to what lies in memory, operands first."""
    if isinstance(root, Kept):
        return [root]
    found, waiting = {root}, [root]
    while waiting:
        for each in inner(waiting.pop()):
            if each not in found:
                found.add(each)
                if not isinstance(each, Kept):
                    waiting.append(each)
    return sorted(found, key=lambda node: node.order)


def links(root: Node) -> int:
    """The links of the longest chain of an expression."""
    depth: dict[Node, int] = {}
    for node in within(root):
        leaf = isinstance(node, Source | Constant | Kept)
        depth[node] = 0 if leaf else 1 + max(depth[each] for each in inner(node))
    return depth[root]


@pytest.mark.parametrize("make", [chain, braid, fan])
def test_no_expression_is_a_long_chain(make: Callable[[int], Node]) -> None:
    roots = cut([make(500)])
    assert max(map(links, expressions(roots))) <= LONGEST_CHAIN


def test_no_expression_has_very_many_nodes() -> None:
    roots = cut([tree(1024)])
    numbers = (Source, Constant, Kept)
    sizes = [
        sum(not isinstance(node, numbers) for node in within(each)) for each in expressions(roots)
    ]
    assert max(sizes) <= MOST_NODES


@pytest.mark.parametrize(("make", "most"), [(chain, 1.25), (braid, 2.0), (fan, 1.25)])
def test_expressions_together_are_not_much_more_than_the_graph(
    make: Callable[[int], Node], most: float
) -> None:
    """What several read is kept in one place, not made again in the expression of each.

    A braid is two values at every place; their expressions, which share what they read, are counted
    one by one here, and computed together.
    """
    root = make(500)
    made = sum(len(within(each)) for each in expressions(cut([root])))
    assert made <= most * len(list(reachable([root])))


def test_what_is_small_stays_as_it_is() -> None:
    roots = [chain(20), fan(8), X]
    assert all(a is b for a, b in zip(cut(roots), roots, strict=True))


def test_kept_nodes_come_after_what_they_read() -> None:
    for node in reachable(cut([fan(200), braid(200)])):
        assert all(each.order < node.order for each in inner(node))


def wheres(x: np.ndarray, y: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    a = x
    for at in range(60):
        a = np.where((a > at / 50) & (y < at), np.where(y > 0, a - x, y), np.where(a < x, a + y, x))
    return a


def test_a_long_function_computes_what_numpy_computes() -> None:
    rng = np.random.default_rng(7)
    x, y = (rng.standard_normal((3, 37)).astype(np.float32) for _ in range(2))
    for target in ("cpu", "reference"):
        np.testing.assert_array_equal(ct.jit(target=target)(wheres)(x, y), wheres(x, y))


def pair(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:  # type: ignore[type-arg]
    for _ in range(100):
        a, b = np.abs(a - b), (a + b) * 0.5
    return a, b


def sums(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:  # type: ignore[type-arg]
    """A second chain reads each link of the first, and makes no part of it."""
    c = b
    for _ in range(100):
        a, b = np.abs(a - b), (a + b) * 0.5
        c = c + a
    return a, c


def late(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:  # type: ignore[type-arg]
    """A value that is made in the middle is read at the end."""
    c = b
    for at in range(100):
        a, b = np.abs(a - b), (a + b) * 0.5
        if at == 40:
            c = np.maximum(b, a)
    return a + c, b * c


def relative(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:  # type: ignore[type-arg]
    """One chain reads a reduction and itself; the other reads both chains."""
    largest = a.max(-1, keepdims=True)
    for _ in range(100):
        a, b = np.abs(a - largest), (a + b) * 0.5
    return a, b


@pytest.mark.parametrize(
    ("python", "counts"),
    [
        (pair, {"abs": 100, "add": 100, "mul": 100}),
        # The last mean is read by nothing.
        (sums, {"abs": 100, "add": 199, "mul": 99}),
        (late, {"abs": 100, "add": 101, "mul": 101, "maximum": 1}),
        (relative, {"abs": 100, "add": 100, "mul": 100}),
    ],
)
def test_what_lives_at_a_cut_is_computed_once(
    python: Callable[..., tuple[np.ndarray, ...]],  # type: ignore[type-arg]
    counts: dict[str, int],
) -> None:
    rng = np.random.default_rng(9)
    a, b = (rng.standard_normal((3, 37)).astype(np.float32) for _ in range(2))
    function = ct.jit(python)
    shown = function.explain(a, b)
    assert {name: shown.count(f" = {name}(") for name in counts} == counts
    for found, wanted in zip(function(a, b), python(a, b), strict=True):
        np.testing.assert_array_equal(found, wanted)


def many(x: np.ndarray) -> tuple[np.ndarray, ...]:  # type: ignore[type-arg]
    return tuple(x * at for at in range(1, 101))


def test_many_results_are_of_several_launches() -> None:
    x = np.random.default_rng(8).standard_normal((3, 37)).astype(np.float32)
    function = ct.jit(many)
    assert function.explain(x).startswith("many: 4 launches")
    for found, wanted in zip(function(x), many(x), strict=True):
        np.testing.assert_array_equal(found, wanted)
