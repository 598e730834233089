"""The whole space of the subgroup family, and what is legal in it.

In: a row program, the number of programs, a sheet and options.  Out: every legal (S, Q) in search
order and a rejection for every width or pack that breaks a limit, or the reason why the request
fits nothing.  Legality comes before cost.  A request is never rounded, clamped or cut short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from certile.analysis.effects import trips
from certile.analysis.fences import agrees_unasked
from certile.analysis.nests import flat
from certile.diagnostics import ArgumentError, Refusal
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import REPRODUCIBLE_ACCUMULATORS, REPRODUCIBLE_BLOCK, Reduce, Serial
from certile.plan.mapping import Mapping
from certile.plan.ownership.layout import slots
from certile.plan.record import Declined, Options, Rejection, Rule
from certile.plan.scopes import bound_to_one_subgroup
from certile.plan.subgroup.sorting import sort_layout
from certile.records import record
from certile.targets.sheet import Sheet

MAX_SUBGROUPS = 32
MAX_AUTOMATIC_PACK = 8
LANE_ELEMENTS = (1, 2, 4, 8)
# The widths and packs that the service policy searches: every small one, then coarser steps.  Packs
# make no group larger than this, since larger ones only wait for each other.
SERVICE_WIDTHS = (*range(1, 9), 10, 12, 14, 16, 20, 24, 28, 32)
SERVICE_PACKS = (1, 2, 4, 8)
PACKED_THREADS = 256
# A condition as a word of group memory.
CONDITION_BYTES = 4
# The accumulators of a block are 4, 2 or 1 a lane of 32.
REPRODUCIBLE_WIDTHS = (1, 2, 4)


@record
class Space:
    """Legal (S, Q) in search order, what was rejected, and why packs were left out, if any."""

    legal: tuple[tuple[int, int], ...]
    rejected: tuple[Rejection, ...]
    refusals: tuple[Refusal, ...] = ()


@record
class Limits:
    """The limits of one request: the sheet's, or tighter ones."""

    threads: int
    shared_bytes: int
    stripe: int
    lanes: int

    @property
    def widest(self) -> int:
        """The most subgroups of a program: one lane of the second collective reads each partial."""
        return min(MAX_SUBGROUPS, self.lanes, self.threads // self.lanes)


def limits_of(sheet: Sheet, options: Options) -> Limits:
    """The limits of a request; raises ArgumentError P001 for one above the sheet's."""
    asked = (
        ("max_threads", options.max_threads, sheet.max_threads),
        ("shared_bytes", options.shared_bytes, sheet.shared_bytes),
    )
    for name, value, limit in asked:
        if value is not None and not 0 <= value <= limit:
            raise ArgumentError("P001", f"{name} is {value}; {sheet.name} allows 0 to {limit}")
    return Limits(
        sheet.max_threads if options.max_threads is None else options.max_threads,
        sheet.shared_bytes if options.shared_bytes is None else options.shared_bytes,
        sheet.stripe_scalars if options.max_stripe is None else options.max_stripe,
        sheet.lanes,
    )


def check_options(options: Options) -> None:
    """Raise ArgumentError P001 for an option outside its domain."""
    positive = {
        "threads": options.threads,
        "programs_per_group": options.programs_per_group,
        "max_thread_candidates": options.max_thread_candidates,
    }
    for name, value in positive.items():
        if value is not None and value < 1:
            raise ArgumentError("P001", f"{name} is {value}; it counts from 1")
    if options.lane_elements not in (None, *LANE_ELEMENTS):
        raise ArgumentError("P001", f"lane_elements is {options.lane_elements}; it is 1, 2, 4 or 8")
    if options.phase == "on" and options.policy == "analytic":
        raise ArgumentError("P001", "phase is on; ownership has none under the analytic policy")
    if not 1 <= options.unroll <= 16:
        raise ArgumentError("P001", f"unroll is {options.unroll}; it is 1 to 16")
    if options.max_stripe is not None and options.max_stripe < 0:
        raise ArgumentError("P001", f"max_stripe is {options.max_stripe}; it is 0 or more")


def require_few(widths: Sequence[int], options: Options) -> None:
    """Raise ArgumentError P002 for more widths than the options let a planner search."""
    if len(widths) > options.max_thread_candidates:
        raise ArgumentError(
            "P002",
            f"{len(widths)} widths are to be searched and max_thread_candidates is "
            f"{options.max_thread_candidates}",
        )


def stripe_scalars(
    rows: RowProgram, workers: int, lane_elements: int, *, phase: bool = False
) -> int:
    """The 4-byte words a worker keeps: its slots of every stripe, and of trees it makes alone."""
    kept = [(tile.type.elements, 1, tile.dtype) for tile in rows.kept_scans]
    kept += [(s.elements, s.copies, dtype) for s in rows.stripes for dtype in s.dtypes]
    ordered = sum(sort_layout(node, workers).words for node in rows.sorts)
    alone = sum(tree_words(node) for node in rows.folds if node.policy == "reproducible")
    return (
        ordered
        + alone
        + sum(
            slots(count, workers, lane_elements, phase=phase) * copies * max(1, dtype.size // 4)
            for count, copies, dtype in kept
        )
    )


def tree_words(reduction: Reduce) -> int:
    """The words of the accumulators of a reproducible tree that one lane makes alone."""
    dtypes = reduction.law.state_dtypes(reduction.accumulate, reduction.leaves)
    return REPRODUCIBLE_ACCUMULATORS * sum(max(1, dtype.size // 4) for dtype in dtypes)


def shared_bytes(rows: RowProgram, mapping: Mapping, lanes: int) -> int:
    """The group memory of all partial results: Q * S states a reduction, none when S = 1.

    A fixed order keeps its parts apart: one set a block of the reproducible tree, one a chunk of an
    ordered tree.  A reduction in a loop without rounds has none.  What a fallback computes needs
    its own, and so does a condition that subgroups do not see alike.
    """
    subgroups, packed = mapping.subgroups_per_program, mapping.programs_per_group
    if subgroups == 1:
        return 0
    chunk = lanes * subgroups * mapping.lane_elements
    usual = zip(rows.reductions, rows.reduction_extents, rows.reduction_trips, strict=True)
    made = [(reduction, extent) for reduction, extent, trips in usual if trips]
    made += zip(rows.apart, rows.apart_extents, strict=True)
    asked = sum(not agrees_unasked(fallback) for fallback in rows.fallbacks)
    return asked * CONDITION_BYTES + (
        packed
        * subgroups
        * sum(
            _parts(reduction, extent, chunk)
            * reduction.law.state_bytes(reduction.accumulate, extent)
            for reduction, extent in made
        )
    )


def _parts(reduction: Reduce, extent: int, chunk: int) -> int:
    match reduction.policy:
        case "reproducible":
            return -(-extent // REPRODUCIBLE_BLOCK)
        case "ordered_tree":
            return -(-extent // chunk)
        case _:
            return 1


def enumerate_space(
    rows: RowProgram,
    programs: int,
    sheet: Sheet,
    options: Options,
    wide: int | None = None,
    *,
    phase: bool = False,
) -> Space | Declined:
    """Every legal (S, Q): S ascending, then Q ascending.

    `wide` are the elements that a lane owns, those of the request (one without) by default, and
    `phase` says whether ownership has one.
    """
    wide = (options.lane_elements or 1) if wide is None else wide
    limits = limits_of(sheet, options)
    if limits.stripe == 0:
        return Declined("budget", "the private budget is 0, which switches the family off")
    widths = _widths(rows, limits, options)
    if isinstance(widths, Declined):
        return widths
    require_few(widths, options)
    packing = packing_refusal(rows)
    legal: list[tuple[int, int]] = []
    rejected: list[Rejection] = []
    refusals: tuple[Refusal, ...] = ()
    for width in widths:
        asked = Mapping("subgroup", width, options.programs_per_group or 1, wide, phase=phase)
        for packed in _packed(rows, programs, asked, limits, options, packing):
            if isinstance(packed, Rejection):
                rejected.append(packed)
            elif not isinstance(packed, Refusal):
                legal.append((width, packed))
            elif options.programs_per_group is not None:
                # Nobody asked for the packs of a search, so that none of those is worth a word.
                refusals = (packed,)
    if not legal:
        return _nothing_legal(rejected, refusals)
    return Space(tuple(legal), tuple(rejected), refusals)


def _packed(
    rows: RowProgram,
    programs: int,
    asked: Mapping,
    limits: Limits,
    options: Options,
    packing: Refusal | None,
) -> Iterator[int | Rejection | Refusal]:
    """Each Q of a width that is legal, or the limit that it breaks, or `packing` in its place.

    `packing` says why programs of several subgroups share no group; None where they may.
    """
    width = asked.subgroups_per_program
    broken = _width_rejection(rows, asked) or _stripe_rejection(rows, asked, limits)
    if broken is not None:
        yield broken
        return
    for packed in _packs(width, programs, limits, options):
        if width > 1 and packed > 1 and packing is not None:
            yield packing
        else:
            mapping = replace(asked, programs_per_group=packed)
            yield _shared_rejection(rows, mapping, limits) or packed


@record
class NothingLegal(Declined):
    """A request every candidate of which broke a limit."""

    rejected: tuple[Rejection, ...] = ()
    refusals: tuple[Refusal, ...] = ()


def _nothing_legal(rejected: list[Rejection], refusals: tuple[Refusal, ...]) -> NothingLegal:
    if rejected:
        # The widest candidate came nearest, of those that may be wide at all.
        nearest = [no for no in rejected if no.rule != "width"] or rejected
        return NothingLegal("budget", nearest[-1].reason, tuple(rejected), refusals)
    return NothingLegal("admission", refusals[0].text, (), refusals)


def _widths(rows: RowProgram, limits: Limits, options: Options) -> list[int] | Declined:
    """The S to search: all that fit, or the one an exact request fixes."""
    policies = {reduction.policy for reduction in (*rows.reductions, *rows.apart)}
    family: range | tuple[int, ...] = range(1, limits.widest + 1)
    if "reproducible" in policies:
        family = REPRODUCIBLE_WIDTHS
    elif options.policy != "analytic" and options.threads is None:
        family = SERVICE_WIDTHS
    packed = options.programs_per_group or 1
    if options.threads is not None:
        return _exact(options.threads, packed, family, limits)
    widths = [
        width
        for width in family
        if width <= limits.widest and limits.lanes * width * packed <= limits.threads
    ]
    if not widths:
        needed = limits.lanes * packed
        return Declined("threads", f"a group needs {needed} threads and may have {limits.threads}")
    return widths


def _exact(
    threads: int, packed: int, family: range | tuple[int, ...], limits: Limits
) -> list[int] | Declined:
    width, rest = divmod(threads, limits.lanes * packed)
    if rest or width not in family or threads > limits.threads or width > limits.widest:
        return Declined(
            "threads",
            f"{threads} threads are not {limits.lanes} * S * {packed} for a legal S "
            f"within {limits.threads} threads",
        )
    return [width]


def _packs(width: int, programs: int, limits: Limits, options: Options) -> Iterator[int]:
    """The Q to search at a width.

    Without a pack that was asked for, the analytic family packs only programs of one subgroup, and
    the service family any that make small groups.
    """
    if options.programs_per_group is not None:
        yield options.programs_per_group
    elif options.policy != "analytic" and options.threads is None:
        most = min(limits.threads, PACKED_THREADS) // (limits.lanes * width)
        yield from (q for q in SERVICE_PACKS if q == 1 or q <= min(most, max(1, programs)))
    elif width > 1 or options.threads is not None:
        yield 1
    else:
        most = min(max(1, programs), MAX_AUTOMATIC_PACK, limits.threads // limits.lanes)
        yield from range(1, most + 1)


def _width_rejection(rows: RowProgram, mapping: Mapping) -> Rejection | None:
    """Reject programs of several subgroups whose values move within one subgroup only."""
    width, wide = mapping.subgroups_per_program, mapping.lane_elements
    if width > 1 and bound_to_one_subgroup(rows.parallel):
        reason = f"a scope binds a program to one subgroup, and not to {width}"
        return _rejected(mapping, "width", _Figures(width, width, 1), reason)
    if width > 1 and rows.lanes is not None:
        reason = f"results over a kept axis are made within one subgroup, not among {width}"
        return _rejected(mapping, "width", _Figures(width, width, 1), reason)
    if width > 1 and (rows.sorts or rows.scans):
        what = "a sort exchanges elements" if rows.sorts else "a scan passes results on"
        reason = f"{what} within one subgroup, not among {width}"
        return _rejected(mapping, "width", _Figures(width, width, 1), reason)
    if wide > 1 and rows.scans:
        reason = f"a scan gives a lane every {wide}th element of a chunk, not {wide} in a row"
        return _rejected(mapping, "width", _Figures(wide, 1, 1), reason)
    return None


def _stripe_rejection(rows: RowProgram, mapping: Mapping, limits: Limits) -> Rejection | None:
    workers = limits.lanes * mapping.subgroups_per_program
    value = stripe_scalars(rows, workers, mapping.lane_elements, phase=mapping.phase)
    if value <= limits.stripe:
        return None
    found = _Figures(value, stripe_scalars(rows, workers, 1), limits.stripe)
    reason = f"a worker of {workers} would keep {value} words; {limits.stripe} allowed"
    return _rejected(mapping, "stripe", found, reason)


def _shared_rejection(rows: RowProgram, mapping: Mapping, limits: Limits) -> Rejection | None:
    value = shared_bytes(rows, mapping, limits.lanes)
    if value <= limits.shared_bytes:
        return None
    alone = shared_bytes(rows, replace(mapping, lane_elements=1), limits.lanes)
    reason = f"partial results take {value} bytes; {limits.shared_bytes} allowed"
    return _rejected(mapping, "shared", _Figures(value, alone, limits.shared_bytes), reason)


class _Figures(NamedTuple):
    """What a mapping comes to, what it would with one element a lane, and what is allowed."""

    value: int
    with_one: int
    limit: int


def _rejected(mapping: Mapping, rule: Rule, found: _Figures, reason: str) -> Rejection:
    """The rejection of a mapping; it names V where another V has another figure."""
    by_width = found.value != found.with_one
    return Rejection(
        mapping.subgroups_per_program,
        mapping.programs_per_group,
        rule,
        found.value,
        found.limit,
        reason,
        lane_elements=mapping.lane_elements if by_width else None,
        phase=mapping.phase and by_width,
    )


def packing_refusal(rows: RowProgram) -> Refusal | None:
    """Why programs of several subgroups may not share a group, or None.

    Slots of a group without a program replay the last one, so that barriers stay uniform: what they
    read must not be what others write, and their barriers must come equally often.  Programs that
    differ in whether they compute a row again do not come to barriers equally often.
    """
    claim = "a slot without a program may replay the last one"
    if rows.read_and_written:
        missing = "a view is both read and written"
        return Refusal("plan", "packing", claim, missing, loc=rows.parallel.loc)
    for fallback in rows.fallbacks:
        missing = "a row may be computed again, in some of the programs of a group alone"
        return Refusal("plan", "packing", claim, missing, loc=fallback.loc)
    for loop in _loops_with_reductions(rows.steps):
        if trips(loop) != 1 or loop.step != 1:
            missing = "a reduction stands in a loop that repeats"
            return Refusal("plan", "packing", claim, missing, loc=loop.loc)
    return None


def _loops_with_reductions(steps: tuple[Step, ...]) -> Iterator[Serial]:
    for step in steps:
        if isinstance(step.node, Serial):
            if any(isinstance(inner.node, Reduce) for inner in flat(step.body)):
                yield step.node
            yield from _loops_with_reductions(step.body)
