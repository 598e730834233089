"""The plan: an immutable record of one execution map, with every candidate and reason.

Lowering follows its `Mapping`; `GroupPlan` holds what people and tests ask about it too.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from certile.diagnostics import Refusal
from certile.ir.groups import GroupProgram
from certile.ir.rows import RowProgram
from certile.ir.tile import Reduce
from certile.plan.mapping import Mapping
from certile.plan.options import Materialization, Options
from certile.plan.parts import launches_of
from certile.records import record
from certile.targets.sheet import Sheet

if TYPE_CHECKING:
    from certile.plan.work import Work
    from certile.search.regions import Rewrite

__all__ = [
    "Candidate",
    "Declined",
    "Form",
    "GroupPlan",
    "Materialization",
    "Options",
    "Rejection",
    "Rule",
]

# What a mapping may break: a limit of a worker's or a group's memory, or of how many may share.
Rule = Literal["stripe", "shared", "width"]


@record
class Candidate:
    """A legal mapping with its score and the terms of it."""

    mapping: Mapping
    score: float
    kernel_score: float
    terms: dict[str, float] = field(hash=False)


@record
class Rejection:
    """A mapping that is not legal, the rule it broke, the value it had and the limit.

    `lane_elements` is its V where the value would be another with one element a lane, else None;
    `phase` says whether its ownership had a phase then.
    """

    subgroups_per_program: int
    programs_per_group: int
    rule: Rule
    value: int
    limit: int
    reason: str
    lane_elements: int | None = None
    phase: bool = False


@record
class Declined:
    """Why there is no mapping of lanes that share a program.

    The code is `admission`, `budget`, `phase`, `scope`, `threads`, `target` or `off`.
    """

    code: str
    reason: str


@record
class Form:
    """One form of the program that was planned, and the best candidate it has.

    As written it keeps what `materialization` says, and its inputs with `cache_inputs`; `derived`
    is the program whose reductions a proved law fuses.  `reason` says why there is no candidate.
    """

    materialization: Materialization
    cache_inputs: bool
    derived: bool
    considered: int
    best: Candidate | None
    reason: str = ""


@record(slots=False)
class GroupPlan:
    """The decision for one row program at one number of programs.

    `mapping` is None only when nothing can run it (an explicit request that is not legal).  When
    admission declines and the reference map serves, `mapping.family` is `reference` and `declined`
    says why.  `rows` is what lowering follows: it holds the materialisation this plan chose, and
    the kernel as it was rewritten where `derivation` says so.  `forms` are all that were planned,
    this one among them; candidates and rejections are those of this one.  `work` is what a program
    does.
    `group` are the steps of a program that a group runs; then there are no `rows`.
    `second_fences` are reductions in a loop that need one more barrier before they write their
    scratch again.  On a CPU one thread runs a launch of at most `serial_groups` groups alone.
    """

    rows: RowProgram | None
    sheet: Sheet
    options: Options
    programs: int
    mapping: Mapping | None
    declined: Declined | None
    score: float | None = None
    kernel_score: float | None = None
    score_terms: dict[str, float] = field(default_factory=dict)
    considered: int = 0
    candidates: tuple[Candidate, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    materialization: Materialization = "preserve"
    cache_inputs: bool = False
    derivation: Rewrite | None = None
    forms: tuple[Form, ...] = ()
    work: Work | None = None
    group: GroupProgram | None = None
    shared_bytes: int = 0
    stripe_scalars: int = 0
    rounds: int = 0
    barriers: int = 0
    useful_elements: int = 0
    second_fences: tuple[Reduce, ...] = ()
    serial_groups: int = 1

    @property
    def refused_as(self) -> str:
        """Why there is no subgroup mapping, with the code of the error where nothing may serve."""
        assert self.declined is not None
        return self.declined.code if self.mapping is not None else f"P004, {self.declined.code}"

    @property
    def workers(self) -> int:
        """W, the lanes that cooperate on one program."""
        if self._chosen.family == "group":
            return self._chosen.group_threads
        return 1 if self._own_lane else self.sheet.lanes * self._chosen.subgroups_per_program

    @property
    def threads(self) -> int:
        """The lanes of a group."""
        share = self._chosen.subgroups_per_program * self._chosen.programs_per_group
        return self.sheet.lanes * (1 if self._own_lane else share)

    @property
    def group_programs(self) -> int:
        """The programs of a full group: one a lane of each vector, or Q that share lanes."""
        if self._own_lane:
            return self.sheet.lanes * self._chosen.group_vectors
        return self._chosen.programs_per_group

    @property
    def blocks(self) -> int:
        """The groups that programs fill, which are those of a launch of all rows."""
        if self._chosen.family == "flat":
            return -(-self.launched_elements // self.group_elements)
        return -(-self.programs // self.group_programs)

    @property
    def launched_groups(self) -> tuple[int, ...]:
        """The groups of each launch: those of programs, once for each part of the rows."""
        if self.rows is None or not self._chosen.part_rows:
            return (self.blocks,)
        return tuple(self.blocks * take.parts for take in launches_of(self.rows, self._chosen))

    @property
    def active_programs_last_block(self) -> int:
        """The programs of the last group (0 when there is none)."""
        return self.programs - max(0, self.blocks - 1) * self.group_programs

    @property
    def independent_subgroups(self) -> bool:
        """Whether no subgroup waits for another; false when several share a program."""
        return self._chosen.subgroups_per_program == 1

    @property
    def lane_utilization(self) -> float:
        """Useful elements over the slots the workers walk: elements / (rounds * W)."""
        if self._chosen.family == "flat":
            return self.launched_elements / max(1, self.blocks * self.group_elements)
        walked = self.rounds * self.workers
        return self.useful_elements / walked if walked else 0.0

    @property
    def _own_lane(self) -> bool:
        """Whether each program has one lane to itself."""
        return self._chosen.family in ("columns", "reference")

    @property
    def launched_elements(self) -> int:
        """The elements of all programs."""
        return self.programs * self.useful_elements

    @property
    def group_elements(self) -> int:
        """The elements that a full group takes under the flat map."""
        return self.threads * self._chosen.lane_elements * self._chosen.unroll

    @property
    def _chosen(self) -> Mapping:
        if self.mapping is None:
            raise ValueError("the plan was declined and has no mapping")
        return self.mapping
