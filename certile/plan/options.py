"""What a caller may ask of the planner, by the names of the command line's flags.

Apart from the plan's record, because every call names its options and few calls plan anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Materialization = Literal["preserve", "expensive-only", "nothing"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of the planner; None leaves the choice to it.

    `policy` "service" estimates times and searches every form of the program.  "analytic" counts
    rounds; it plans the program as written, with V = 1 and no cached inputs where nothing is asked.
    `phase` "on" asks for an ownership that follows the alignment of each row, "off" forbids it; the
    analytic policy has none.
    """

    max_threads: int | None = None
    shared_bytes: int | None = None
    lane_elements: int | None = None
    programs_per_group: int | None = None
    threads: int | None = None
    max_stripe: int | None = None
    max_thread_candidates: int = 32
    unroll: int = 1
    materialization: Materialization | None = None
    cache_inputs: bool | None = None
    subgroup_reductions: Literal["auto", "on", "off"] = "auto"
    phase: Literal["auto", "on", "off"] = "auto"
    policy: Literal["analytic", "service"] = "service"
    alpha: float = 1.0
    beta: float = 2.0
    gamma: float = 16.0
