"""The columns map of a CPU: neighbouring programs are the lanes, rows are walked outermost.

In: a row program, the layouts of its views, a sheet.  Out: whether the family `columns` suits it,
and its mapping.  Decides from layouts whether neighbouring programs touch neighbouring elements,
and from counts how wide a strip of programs is, how many rows meet in one round, and how long a
block of rows is.  Leaves legality of the row program to admission, and loops to lowering.

A reduction along a leading axis reads rows of memory that belong to different programs.  A group
takes a strip of programs and reads each row of the strip as one run, so that memory is read in long
runs; states of all programs of the strip stay in the nearest cache.  A scan along a leading axis
gives each program its results as the rows go by.

Where sweeps read the rows again, strips are narrow enough that a strip of all rows stays in the
core's own cache.  Where the narrowest does not, every sweep reads memory, and a run of four lines
from each row is the slowest way to do so: then strips are wide and keep nothing.

Sweeps that read memory are taken in parts of the rows (`parts`): threads share rows, which lie in
one piece, before they share the programs of a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Final

from certile.analysis.affine import affine
from certile.analysis.instances import is_coordinate
from certile.analysis.sharing import is_expensive
from certile.ir.host import ViewFacts
from certile.ir.node import Node, reach
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import Fallback, Iota, Load, Reduce, Scan, Store, View, effects
from certile.ir.types import Axis
from certile.plan.blocks import rows_of
from certile.plan.mapping import Mapping as ExecutionMapping
from certile.plan.parts import part_rows
from certile.plan.subgroup.cpu import streams
from certile.targets.sheet import Sheet

# Fewer programs do not fill the vectors.
FEWEST_PROGRAMS: Final = 8
# The run of a row that one group reads: four lines at least, so that whole lines and the next are
# used; a page at most, beyond which longer runs gain nothing.  Where threads share rows, two pages:
# of rows of 8 and 16 KB, reductions took a tenth less time, and no less with four.
LEAST_RUN: Final = 256
_LINE_BYTES: Final = 64
LONGEST_RUN: Final = 4096
LONGEST_RUN_OF_PARTS: Final = 8192
# The programs of the narrowest strip, if their elements have four bytes.
_LEAST_PROGRAMS: Final = LEAST_RUN // 4
# Vectors in flight in one round: eight loads hide their latency and leave registers for sums.  Of
# eight rows, because a round reads and writes the states of the strip once.
ROWS_AT_ONCE: Final = 8
# Long expressions fill a round by themselves, as merges without closed forms do.
EXPENSIVE_ROWS_AT_ONCE: Final = 2
# Rows between one that is read and the one that memory is asked for meanwhile: processors foresee
# rows that adjoin, and no others.  With 8 or 32 it took as long.  The lines of a row are asked for
# one after another: line by line of all rows in a round, a sum of rows of 1 KB took a fifth longer.
ROWS_AHEAD: Final = 16
# Steps that a program can take one row at a time.
_KNOWN: Final = frozenset({"load", "gather", "materialize", "reduce", "scan", "store"})
# Blocks of fewer rounds than this would only move states about.
_LEAST_ROUNDS: Final = 16


def suits(rows: RowProgram, facts: Mapping[str, ViewFacts], programs: int) -> bool:
    """Whether the steps of a row program and the layouts of its views are made for this map."""
    return _shape_suits(rows, programs) and bool(_unit_accesses(rows, facts))


def keeps_too_much(rows: RowProgram, sheet: Sheet) -> bool:
    """Whether the narrowest strip would keep more tiles than any cache holds."""
    return _LEAST_PROGRAMS * _kept_bytes(rows) > max(sheet.cache_bytes)


def mapping_of(rows: RowProgram, facts: Mapping[str, ViewFacts], sheet: Sheet) -> ExecutionMapping:
    """The columns mapping of a row program that suits it."""
    unit = _unit_accesses(rows, facts) or []
    size = _element_bytes(unit)
    group = max(1, LEAST_RUN // (size * sheet.lanes))
    resident = _reads_again(rows) and not leaves_cache(rows, facts, sheet)
    asked = asking(rows, facts)
    part = part_rows(rows) if asked and not resident else 0
    longest = LONGEST_RUN_OF_PARTS if part else LONGEST_RUN
    most = max(group, longest // (size * sheet.lanes))
    if resident:
        # What a later pass reads again is to be in the core's own cache still.  Where it cannot
        # be, every pass reads memory, which wants long runs.
        most = min(most, _resident_programs(rows, unit, sheet) // sheet.lanes)
    strip = max(group, most // group * group)
    block = rows_of(rows, sheet)
    # The merge of a block is what costs, and there is one a round.
    at_once = max(EXPENSIVE_ROWS_AT_ONCE if _merges_at_length(rows) else ROWS_AT_ONCE, block)
    return ExecutionMapping(
        "columns",
        block=min(at_once, block),
        group_vectors=group,
        strip_vectors=strip,
        rows_at_once=at_once,
        streaming=_streams(rows, facts),
        ahead=ROWS_AHEAD if asked else 0,
        part_rows=part,
    )


def leaves_cache(rows: RowProgram, facts: Mapping[str, ViewFacts], sheet: Sheet) -> bool:
    """Whether rows are read again that even the narrowest strip finds in its cache no longer."""
    if not _reads_again(rows):
        return False
    unit = _unit_accesses(rows, facts) or []
    return _resident_programs(rows, unit, sheet) * _element_bytes(unit) < LEAST_RUN


def keeps_far(rows: RowProgram, facts: Mapping[str, ViewFacts], sheet: Sheet) -> bool:
    """Whether tiles are kept that leave the cache, so that keeping them moves more memory."""
    return bool(rows.materialized) and leaves_cache(rows, facts, sheet)


def asking(rows: RowProgram, facts: Mapping[str, ViewFacts]) -> frozenset[Load]:
    """The loads that ask memory for a row to come: whole rows, of arrays that no cache holds.

    They ask in every sweep: the columns of a strip that is wide enough seldom fit the core's cache.
    """
    if not (rows.reductions or rows.scans):
        return frozenset()
    unit = _unit_accesses(rows, facts) or []
    loads = (access for access in unit if isinstance(access, Load))
    return frozenset(load for load in loads if facts[load.buffer.name].large)


def _streams(rows: RowProgram, facts: Mapping[str, ViewFacts]) -> bool:
    """Whether stores may bypass the cache: the strips of every row begin where lines do.

    Neighbouring strips are written at other times, so that they may not share a line.  With an axis
    of the launch outside the strip's, strips begin anywhere.
    """
    stored = (s.node.buffer for s in rows.steps if isinstance(s.node, Store))
    views = [buffer.name for buffer in stored if isinstance(buffer, View)]
    apart = all(facts[name].alignment >= _LINE_BYTES for name in views)
    return apart and len(rows.parallel.over) == 1 and streams(rows)


def rows_of_round(nodes: Sequence[Node], mapping: ExecutionMapping) -> int:
    """How many rows meet in a round of a sweep that makes these nodes.

    A scan needs its rows in order, and who writes rows finishes one before the next, so that lines
    of memory fill at once.
    """
    together = all(isinstance(node, Reduce) for node in nodes)
    return vectors_of_round(nodes, mapping) if together else 1


def vectors_of_round(nodes: Sequence[Node], mapping: ExecutionMapping) -> int:
    """How many vectors, of one row or several, a round of a sweep that makes these nodes takes."""
    most = mapping.rows_at_once
    return min(most, EXPENSIVE_ROWS_AT_ONCE) if _evaluates_functions(nodes) else most


def row_block(count: int, rows_at_once: int) -> int:
    """The rows whose states are merged apart, of `count`: a power of two near the best depth.

    A path runs through the rounds of a block and then through the blocks, count / block of them.
    """
    block = rows_at_once * _LEAST_ROUNDS
    while block * block < count * rows_at_once:
        block *= 2
    return block


def _shape_suits(rows: RowProgram, programs: int) -> bool:
    """Whether steps are sweeps and scalars only, and no reduction fixes its order."""
    if rows.lanes is not None or rows.memories or rows.sorts:
        return False
    if programs < FEWEST_PROGRAMS:
        return False
    made = (*rows.reductions, *rows.apart)
    if any(reduction.policy != "unordered_tree" for reduction in made):
        return False
    return all(map(_is_known, rows.steps))


def _is_known(step: Step) -> bool:
    """Whether a strip can take a step; what is computed again are scalars, by steps it can take."""
    if isinstance(step.node, Fallback):
        scalars = not any(value.axes for value in step.node.values)
        return scalars and all(map(_is_known, step.body))
    walks = not isinstance(step.node, Scan) or step.node.over in step.axes
    return step.kind in _KNOWN and walks


def _unit_accesses(rows: RowProgram, facts: Mapping[str, ViewFacts]) -> list[Load | Store] | None:
    """The accesses that neighbouring programs make side by side; None if others are strided.

    Only accesses of whole rows count: what a program touches once may lie anywhere.
    """
    strip = rows.parallel.over[-1]
    found: list[Load | Store] = []
    for access in _row_accesses(rows):
        kind = _kind(access, strip, facts)
        if kind == "strided":
            return None
        if kind == "unit":
            found.append(access)
    return found


def _row_accesses(rows: RowProgram) -> Iterator[Load | Store]:
    for effect in effects((rows.parallel,)):
        if isinstance(effect, Load | Store) and isinstance(effect.buffer, View) and effect.axes:
            yield effect


def _kind(access: Load | Store, strip: Axis, facts: Mapping[str, ViewFacts]) -> str:
    """`unit`: the next program touches the next element; `shared`: the same one; or `strided`."""
    assert isinstance(access.buffer, View)
    strides = facts[access.buffer.name].strides
    unit = rows_adjoin = False
    for index, stride in zip(access.indices, strides, strict=True):
        form = affine(index)
        if form is None:
            if _depends_on(index, strip):
                return "strided"
            continue
        own = sum(c for at, c in form.terms.items() if is_coordinate(at, strip))
        others = [at for at in form.terms if not is_coordinate(at, strip)]
        if any(_depends_on(at, strip) for at in others):
            return "strided"
        along = any(isinstance(at, Iota) and at.axis.extent != 1 for at in others)
        rows_adjoin = rows_adjoin or (along and stride == 1)
        if own:
            if unit or own != 1 or stride != 1:
                return "strided"
            unit = True
    if unit and rows_adjoin:
        # A program's own row lies in one piece as well, which its lanes read as well as any.
        return "strided"
    return "unit" if unit else "shared"


def _depends_on(node: Node, strip: Axis) -> bool:
    """Whether programs side by side along `strip` may see different values of a node."""
    return any(is_coordinate(at, strip) for at in reach([node]))


def _swept(rows: RowProgram) -> list[Step]:
    return [step for step in rows.steps if step.axes and step.elements > 1]


def _reads_again(rows: RowProgram) -> bool:
    """Whether some pass over the rows needs the result of another, and so comes after it."""
    return bool(rows.kept_scans) or any(
        isinstance(node, Reduce) and node is not step.node
        for step in _swept(rows)
        for node in reach(step.node.operands())
    )


def _column_bytes(rows: RowProgram, unit: list[Load | Store]) -> int:
    """The bytes one program touches in a pass, with what it keeps."""
    views = {access.buffer: access for access in unit}
    touched = sum(
        prod(axis.static for axis in access.axes) * view.dtype.size
        for view, access in views.items()
    )
    return touched + _kept_bytes(rows)


def _element_bytes(unit: list[Load | Store]) -> int:
    """The bytes that the widest access of a row moves for each program."""
    return max((access.buffer.dtype.size for access in unit), default=1)


def _resident_programs(rows: RowProgram, unit: list[Load | Store], sheet: Sheet) -> int:
    """How many programs have all they touch in half of the core's own cache."""
    return sheet.cache_bytes[1] // 2 // max(1, _column_bytes(rows, unit))


def _kept_bytes(rows: RowProgram) -> int:
    kept = (*rows.materialized, *rows.kept_scans)
    return sum(tile.type.elements * max(1, tile.dtype.size) for tile in kept)


def _merges_at_length(rows: RowProgram) -> bool:
    """Whether the program folds by a law whose merge is more than one operation."""
    folded = (*rows.reductions, *(scan.total for scan in rows.scans))
    return any(node.law.builtin is None for node in folded)


def _evaluates_functions(nodes: Sequence[Node]) -> bool:
    """Whether the loop that makes these nodes evaluates a transcendental function of elements."""

    def below(at: Node) -> Iterable[Node]:
        elsewhere = isinstance(at, Fallback | Reduce | Scan) and at not in nodes
        return () if elsewhere else at.operands()

    return any(map(is_expensive, reach(nodes, below)))
