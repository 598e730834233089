"""Unevaluated sums of two floats: a value, and what its rounding lost.

In: an `Arith` builder and values.  Out: pairs (high, low) whose exact sum is meant, low being at
most half a unit in the last place of high.  Decides: which of Dekker's and Knuth's sequences
serves (T. J. Dekker, "A floating-point technique for extending the available precision", 1971;
D. E. Knuth, The Art of Computer Programming 2, 4.2.2).  Leaves to others: what is kept so.
"""

from typing import TypeAlias

from certile.lower.math.arith import Arith, V

Pair: TypeAlias = tuple[V, V]


def sum_of(b: Arith[V], x: V, y: V) -> Pair[V]:
    """Return x + y exactly, whichever is larger."""
    total = b.add(x, y)
    other = b.sub(total, x)
    return total, b.add(b.sub(x, b.sub(total, other)), b.sub(y, other))


def ordered_sum(b: Arith[V], x: V, y: V) -> Pair[V]:
    """Return x + y exactly, where x is zero or y is no larger than it."""
    total = b.add(x, y)
    return total, b.sub(y, b.sub(total, x))


def product(b: Arith[V], x: V, y: V) -> Pair[V]:
    """Return x * y exactly, where its last bits are no less than the least subnormal."""
    high = b.mul(x, y)
    return high, b.fma(x, y, b.neg(high))


def pair_product(b: Arith[V], x: Pair[V], y: Pair[V]) -> Pair[V]:
    """Return x * y without the product of the low parts; the low result is rounded."""
    high, low = product(b, x[0], y[0])
    return high, b.fma(x[0], y[1], b.fma(x[1], y[0], low))
