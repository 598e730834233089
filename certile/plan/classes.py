"""Row classes: a launch never uses its exact number of programs, only the class it falls into.

In: a number of programs and the programs that fill the device once.  Out: the class and the number
that stands for it in planning.  So a kernel has at most five plans, whatever it is called with; the
fifth is for launches whose programs 32 bits do not number.
"""

from __future__ import annotations

from typing import Literal

from certile.ir.host import NEAR_PROGRAMS
from certile.plan.options import Options
from certile.records import record
from certile.targets.sheet import Sheet

# The analytic policy counts in waves of 64 programs on every GPU.
ANALYTIC_WAVE = 64
FEW = 8
# The waves of the class without an upper end.
MANY_WAVES = 64


@record
class RowClass:
    """A class of launches and the number of programs it is planned for."""

    name: Literal["few", "part", "waves", "many", "vast"]
    representative: int


def wave(sheet: Sheet, options: Options) -> int:
    """The programs that fill the device once: the pool's threads on a CPU."""
    if sheet.kind == "cpu":
        return sheet.cores
    return ANALYTIC_WAVE if options.policy == "analytic" else sheet.wave


def row_class(programs: int, wave: int) -> RowClass:
    """The class of a number of programs."""
    if programs < FEW:
        return RowClass("few", FEW - 1)
    if programs < wave:
        return RowClass("part", wave)
    if programs <= 8 * wave:
        return RowClass("waves", 8 * wave)
    if programs <= NEAR_PROGRAMS:
        return RowClass("many", MANY_WAVES * wave)
    return RowClass("vast", max(2 * NEAR_PROGRAMS, MANY_WAVES * wave))
