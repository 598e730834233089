"""CPU plans: a subgroup is a vector, a group is one program, a task of the pool is several groups.

In: a row program, the number of programs, a measured or shipped sheet.  Out: the mapping (S = Q = V
= 1), its accumulators, blocks and streaming stores, and how many programs one thread runs alone.
Decides from counts and the sheet; the priors below are a prototype's measurements.  Leaves legality
of the reduction trees to admission, and tasks to the pool.
"""

from __future__ import annotations

from collections.abc import Iterator

from certile.analysis.effects import trips
from certile.analysis.nests import step_roots
from certile.analysis.sharing import is_expensive
from certile.analysis.views import visit
from certile.ir.node import Node
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import (
    REPRODUCIBLE_ACCUMULATORS,
    Fallback,
    Parallel,
    Reduce,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
    View,
)
from certile.plan.blocks import block_of, forms_of
from certile.plan.mapping import Mapping
from certile.plan.ownership.layout import slots
from certile.plan.record import Options
from certile.plan.subgroup.counts import rounds
from certile.plan.subgroup.sorting import sort_layout
from certile.plan.work import arithmetic_of
from certile.targets.sheet import Sheet

# Chains that hide the latency of one vector addition; several values in flight halve it.
MOST_ACCUMULATORS = 8
SHARED_ACCUMULATORS = 4
# A law with a state of its own keeps several vectors and its merge is long: two chains are enough,
# and one is where a merge serves a whole block, whose elements fill the time of the chain.
LAW_ACCUMULATORS = 2
BLOCK_ACCUMULATORS = 1

# Vectors a round of a loop without accumulators: an in-place add of 4096x1024 gained 5 to 10 %.
ELEMENTWISE_UNROLL = 4
# Functions of a round, over all its vectors: more hide no latency, and compile and load longer.
UNROLLED_FUNCTIONS = 256

# Nanoseconds of one vector round on one core, streaming from cache.  A transcendental function,
# which is expanded, takes as long as so many others (0.45 ns an element of 16 lanes).  A second
# thread pays from about 20 microseconds of work.
ROUND_NS = 1.0
FUNCTIONS_OF_A_CALL = 7
PARALLEL_NS = 20_000.0


def has_elements(rows: RowProgram) -> bool:
    """Whether some domain has more than one element, so that a vector has something to hold."""
    return max((*rows.domains, *rows.reduction_extents), default=0) > 1


def mapping_of(rows: RowProgram, sheet: Sheet, options: Options) -> Mapping:
    """The one mapping of a CPU row program."""
    chains, block = rows.reductions or rows.scans, block_of(rows, sheet)
    return Mapping(
        "subgroup",
        unroll=options.unroll if chains else max(options.unroll, _unroll(rows)),
        accumulators=accumulators(rows, sheet.lanes, block),
        block=block,
        streaming=streams(rows),
    )


def _unroll(rows: RowProgram) -> int:
    """Vectors a round of a loop without accumulators: fewer where an element takes long by itself.

    A transcendental function counts as `FUNCTIONS_OF_A_CALL` others.
    """
    found = (
        node
        for step in _sweeps(rows.steps)
        for node, _ in visit(step_roots(step), _ends_a_sweep, enter=step.node)
    )
    total = arithmetic_of(dict.fromkeys(found))
    functions = total.plain + total.calls * FUNCTIONS_OF_A_CALL
    unroll = ELEMENTWISE_UNROLL
    while unroll > 1 and functions * unroll > UNROLLED_FUNCTIONS:
        unroll //= 2
    return unroll


def _ends_a_sweep(node: Node) -> bool:
    return isinstance(node, Fallback | Reduce | Scan | Sort)


def accumulators(rows: RowProgram, lanes: int, block: int = 1) -> int:
    """The partial results of a worker: a power of two that the row can fill.

    `block` elements become one state before they are merged, where a law permits it.  Fixed orders
    fix theirs; where free and fixed ones meet, the number is that of the free ones.
    """
    pairs = zip(rows.reductions, rows.reduction_extents, strict=True)
    free = [(r, extent) for r, extent in pairs if r.policy == "unordered_tree"]
    if not free:
        fixed = any(reduction.policy == "reproducible" for reduction in rows.reductions)
        return REPRODUCIBLE_ACCUMULATORS // lanes if fixed else 1
    if block > 1 and all(forms_of(reduction) is not None for reduction, _ in free):
        most = BLOCK_ACCUMULATORS
    elif any(reduction.law.builtin is None for reduction, _ in free):
        most = LAW_ACCUMULATORS
    else:
        alone = max(rows.domains, default=1) == 1 and len(rows.reductions) == 1
        most = MOST_ACCUMULATORS if alone else SHARED_ACCUMULATORS
    chunks = max(1, -(-max(extent for _, extent in free) // lanes))
    return 1 << (min(most, chunks).bit_length() - 1)


def streams(rows: RowProgram) -> bool:
    """Whether stores may bypass the cache: whole rows that the program does not read again.

    They do so where rows are proved to start at 16 bytes, which is proved only of outputs that half
    the last-level cache cannot hold; so one plan serves every number of programs of its class.
    """
    if rows.read_and_written:
        return False
    return any(
        isinstance(step.node, Store) and isinstance(step.node.buffer, View) and step.elements > 1
        for step in _sweeps(rows.steps)
    )


def _sweeps(steps: tuple[Step, ...]) -> Iterator[Step]:
    """The steps that a program runs once for each coordinate of its kept axes."""
    for step in steps:
        if step.kind == "nest":
            yield from _sweeps(step.body)
        else:
            yield step


def serial_programs(rows: RowProgram, sheet: Sheet) -> int:
    """The most programs that one thread finishes before a second one would have helped.

    A launch of few short rows is one, and how many programs a launch has is known when it is bound:
    the number that stands for their class says nothing of it.
    """
    return max(1, int(PARALLEL_NS / max(1.0, program_ns(rows, sheet.lanes))))


def program_ns(rows: RowProgram, lanes: int) -> float:
    """A prior for the time of one program on one core."""
    kept = frozenset(rows.materialized)
    plain = rounds(rows, lanes, 1) * ROUND_NS
    plain += sum(exchanges(node, lanes) for node in rows.sorts) * ROUND_NS
    return plain + sum(_expensive_ns(step, kept, lanes, 1) for step in rows.steps)


def exchanges(node: Sort, lanes: int) -> int:
    """The exchanges of vectors that order a row, or the vectors that are read of one that streams.

    Every vector goes through all stages of a bitonic network, of which there are about half the
    square of the logarithm of the elements.
    """
    layout = sort_layout(node, lanes)
    depth = (layout.vectors * lanes).bit_length()
    stages = layout.vectors * depth * (depth - 1) // 2
    return stages + (-(-node.over.static // lanes) if layout.streamed else 0)


def _expensive_ns(step: Step, kept: frozenset[Tile], lanes: int, again: int) -> float:
    """The transcendental functions a step evaluates an element, over its rounds."""
    if isinstance(step.node, Serial):
        again *= trips(step.node)
    if isinstance(step.node, Parallel):
        again *= step.node.over[0].static
    if isinstance(step.node, Fallback):
        return 0.0
    if step.body:
        return sum(_expensive_ns(inner, kept, lanes, again) for inner in step.body)

    def stops(node: Node) -> bool:
        return _ends_a_sweep(node) or node in kept

    evaluated = {node for node, _ in visit(step_roots(step), stops, enter=step.node)}
    calls = sum(is_expensive(node) for node in evaluated - (kept - {step.node}))
    functions = calls * FUNCTIONS_OF_A_CALL * slots(step.elements, lanes)
    return functions * ROUND_NS * again * step.repeats
