"""Blocks: how many elements become one state before they are merged.

A law that keeps more than one number, or rescales what it keeps, pays for each merge: the sum of
exponentials of a streaming softmax costs two exponentials a merge.  Where the components of its
state are proved closed forms over a list (`ir.meanings`), the elements a worker has at hand become
one state by these, and the states of blocks are merged.  In: a row program, a sheet, the elements
of a round.  Out: the size of a block.  Decides which reductions make blocks; leaves the evaluation
of closed forms to lowering.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

from certile.ir.folds import alike_components
from certile.ir.meanings import closed_forms
from certile.ir.rows import RowProgram
from certile.ir.terms import Apply, Term, applications
from certile.ir.tile import Reduce
from certile.ir.types import Axis
from certile.plan.mapping import Mapping
from certile.targets.sheet import Sheet

# The elements of a block lie in registers together.  On a CPU a quarter of the vectors holds what
# the state is relative to, or what is made of it; the rest is for accumulators and coefficients.  A
# second operand is loaded where it is used.
REGISTER_SHARE = 4
# A lane of a GPU holds no more, however many elements a round has.
MOST_OF_A_LANE = 16
# Rounds after which a worker begins another state.  Merges one after another may all round the same
# way: where the greatest element grows all along a row, each rescales all that was added before.
RUN = 64
# The leaves of a block that a lane folds alone.
LEAVES = 8
# The words of states that a lane holds while it folds elements alone, by one loop over the leaves.
MOST_TOGETHER = 16


def forms_of(node: Reduce) -> tuple[Term, ...] | None:
    """The closed forms by which a reduction makes the state of a block; None where it makes none.

    A law that one instruction merges gains nothing, and what is chosen by rank is no tree of one
    operation.  Components of the accumulation dtype alone are evaluated so, and floating-point
    ones: the order of elements must be free, their index unused.
    """
    law = node.law
    if node.policy != "unordered_tree" or law.builtin is not None or law.indexed:
        return None
    if not node.accumulate.is_float or any(part.type != "acc" for part in law.state):
        return None
    forms = closed_forms(law)
    return None if forms is None or any(map(_by_rank, applications(forms))) else forms


def _by_rank(term: Apply) -> bool:
    return term.fn in ("list.largest", "list.smallest")


def block_of(rows: RowProgram, sheet: Sheet, lane_elements: int = 1, unroll: int = 1) -> int:
    """The elements of a block of one worker; 1 where no reduction of the program makes blocks.

    On a GPU these are all elements of a round.  On a CPU a round has one element a vector of the
    block, so the row must fill it.
    """
    made = _blocked(rows)
    if not made:
        return 1
    if sheet.kind != "cpu":
        return min(lane_elements * unroll, MOST_OF_A_LANE)
    return _filled(made, sheet, -(-max(made.values()) // sheet.lanes))


def rows_of(rows: RowProgram, sheet: Sheet) -> int:
    """The elements of a block where a lane of a CPU walks the elements of its own program."""
    made = _blocked(rows)
    return _filled(made, sheet, max(made.values())) if made else 1


def _blocked(rows: RowProgram) -> dict[Reduce, int]:
    """The reductions that make blocks, with the elements of a sweep."""
    pairs = zip(rows.reductions, rows.reduction_extents, strict=True)
    return {node: extent for node, extent in pairs if forms_of(node) is not None}


def _filled(made: Collection[Reduce], sheet: Sheet, vectors: int) -> int:
    """The largest block of at most so many vectors that registers hold, a power of two."""
    each = max(-(-node.law.operands // 2) * max(1, node.accumulate.size // 4) for node in made)
    most = min(sheet.registers // REGISTER_SHARE // each, vectors)
    return 1 << (max(1, most).bit_length() - 1)


def chunks_of_round(mapping: Mapping, *, blocks: bool) -> int:
    """The chunks that one round of a sweep takes; with `blocks`, a block for each accumulator."""
    plain = mapping.accumulators * mapping.unroll
    if not blocks or mapping.block == 1:
        return plain
    filled = -(-mapping.accumulators * mapping.block // mapping.lane_elements)
    return -(-plain // filled) * filled


def folded_together(fold: Reduce, axes: Collection[Axis]) -> int:
    """How many elements of `axes` a lane can fold by one loop: their states lie in registers.

    Components that do not differ along these axes are held once for all of them.
    """
    law = fold.law
    alike = alike_components(fold, axes)
    dtypes = law.state_dtypes(fold.accumulate, fold.leaves)
    words = {
        part.name: max(1, dtype.size // 4) for part, dtype in zip(law.state, dtypes, strict=True)
    }
    shared = sum(words[name] for name in alike)
    own = sum(words.values()) - shared
    return max(1, (MOST_TOGETHER - shared) // own) if own else MOST_TOGETHER


def chunks_of_folds(
    folds: Sequence[Reduce], axes: tuple[Axis, ...], mapping: Mapping, workers: int
) -> int:
    """The chunks that one round of a sweep takes whose lanes fold alone: all that have room."""
    wide = mapping.lane_elements
    owned = -(-prod(axis.static for axis in axes) // (workers * wide))
    room = min(folded_together(fold, axes) for fold in folds) // wide
    return max(chunks_of_round(mapping, blocks=False), min(owned, room))


def merges_of_blocks(slots: int, mapping: Mapping) -> int:
    """The most merges of blocks into one accumulator, of a worker that owns so many slots.

    Every round fills each accumulator as often as the first; the last one has what is left.  Many
    rounds are runs of `RUN`, whose states are merged one after another.
    """
    elements = chunks_of_round(mapping, blocks=True) * mapping.lane_elements
    rounds, rest = divmod(slots, elements)

    def of_round(count: int) -> int:
        return -(-count // (mapping.block * mapping.accumulators))

    runs = -(-rounds // RUN) if rounds > RUN else 0
    return min(rounds, RUN if runs else rounds) * of_round(elements) + runs + of_round(rest)
