"""Which rows stay in a cache until they are read again.

In: the bytes of a program's row, how many programs run together, and a sheet.  Out: whether the row
is still near when it is read the next time.  Decides how much of a cache rows may take.  Leaves to
the service policies what that is worth.
"""

from __future__ import annotations

from certile.targets.sheet import Sheet

__all__ = ["fits", "is_next_to"]

# The share of a cache that a row may take, so that what is read next to it stays too.
CACHE_SHARE = 1 / 2
# The share of a multiprocessor's own cache that rows can fill: other reads pass through it.
OWN_CACHE_SHARE = 7 / 8


def fits(sheet: Sheet, row_bytes: int, programs_at_once: int = 1) -> bool:
    """Whether rows that are read again are still in a cache next to who reads them.

    That is the second cache of a core; on a GPU the share that a resident program has of the
    largest, which all multiprocessors use.
    """
    if sheet.kind == "cpu":
        return row_bytes <= CACHE_SHARE * sheet.cache_bytes[1]
    together = row_bytes * programs_at_once
    shared = together * sheet.multiprocessors
    return is_next_to(sheet, together) or shared <= CACHE_SHARE * sheet.cache_bytes[-1]


def is_next_to(sheet: Sheet, together: int) -> bool:
    """Whether the rows of all programs that a GPU's multiprocessor runs stay in its own cache."""
    return together <= OWN_CACHE_SHARE * sheet.cache_bytes[0]
