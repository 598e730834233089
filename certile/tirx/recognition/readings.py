"""Which of several functions that do the same is read as a kernel.

In: a function in normal form whose buffers do not alias.  Out: the `Translation` of one of its
readings: as written; with copies, accumulated elements and private buffers in their short forms;
with loops over the same rows joined.  Decides the order in which they are tried, and which refusal
is shown where none is proved.  Each reading does what the function does, so any may be taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from certile.tirx.recognition.copies import uncopied
from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import Function
from certile.tirx.recognition.promotion import promoted
from certile.tirx.recognition.rows import by_rows, contracted
from certile.tirx.recognition.scopes import is_well_formed
from certile.tirx.recognition.translation import Translation, translate


def read_as_kernel(function: Function) -> Translation:
    """The first reading that is proved and has programs, else the one that has most of them.

    Declines with what the last reading lacks whose refusal says more.
    """
    readings = tuple(_readings(function))
    refused: NotShownError | None = None
    found: list[Translation] = []
    for kept in (False, True):
        for reading, says_more in readings:
            try:
                found.append(translate(reading, kept=kept))
            except NotShownError as declined:
                refused = declined if refused is None or (says_more and not kept) else refused
                continue
            if _programs(found[-1]) > 1:
                return found[-1]
    if found:
        return max(found, key=_programs)
    assert refused is not None
    raise refused


def _programs(made: Translation) -> int:
    """How many programs a kernel has in each of its launches, at least."""
    return min(made.programs, default=0)


def _readings(function: Function) -> Iterator[tuple[Function, bool]]:
    """Functions that do the same, the one as written first, and whether its refusal says more.

    A loop that accumulates in an element is a refusal of the function as written, and what keeps
    it from being a reduction is seen where the element is a scalar.
    """
    yield function, True
    plain = uncopied(function)
    by_element = promoted(contracted(plain))
    if by_element != function:
        yield by_element, True
    for number, joined in enumerate(by_rows(plain)):
        # What two loops define under one name would be defined twice in one body.
        if is_well_formed(joined):
            yield promoted(contracted(joined)), number == 0
