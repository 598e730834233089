"""Samples of a space that show together what any two choices do to each other."""

from random import Random


def covering(points, pairs_of, seed=0):
    """Some of the points, which together have every pair that any of them has."""
    shuffled = list(points)
    Random(seed).shuffle(shuffled)
    covered, chosen = set(), []
    for point in shuffled:
        pairs = set(pairs_of(point))
        if not pairs <= covered:
            covered |= pairs
            chosen.append(point)
    return chosen


def rows_for(packed, least):
    """`least` rows or more that make a full group and one that is not full, where packs do."""
    return max(least, packed + (packed + 1) // 2)
