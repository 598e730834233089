"""rsqrt and recip from the target's correctly rounded division and square root.

In: an `Arith` builder and one value.  Out: the result in its format.  Decides: that no estimate
instruction is used, because those differ between targets.  Leaves to others: fast math.
"""

from certile.lower.math.arith import Arith, V


def recip(b: Arith[V], x: V) -> V:
    """Return 1 / x, correctly rounded."""
    return b.div(b.const(1.0), x)


def rsqrt(b: Arith[V], x: V) -> V:
    """Return 1 / sqrt(x): inf for 0, -inf for -0, NaN below, 0 for inf.

    Two correct roundings; the first one counts up to twice, which gives the bound of 1.5 ulp.
    """
    return b.div(b.const(1.0), b.sqrt(x))
