"""Merge states across accumulators, lanes and subgroups: the trees of each reduction policy.

In: the states that accumulators, lanes or subgroups hold, and the machine of their law.  Out: one
state.  Decides the order of merges.  Unordered trees use a collective where the hardware has one,
else a butterfly of shuffles.  Ordered trees keep the left operand the earlier one.  The
reproducible tree is the one of the language reference, whatever the lanes and subgroups are.
Leaves where states lie, and the barriers between subgroups, to `reductions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.ir.dtypes import i32, i64
from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.ir.tile import REPRODUCIBLE_DISTANCES
from certile.lower.state import State, StateMachine
from certile.plan.ownership.layout import fold_block


def balanced(states: Sequence[State], merge: Callable[[State, State], State]) -> State:
    """Merge neighbours pairwise until one is left, earlier elements on the left."""
    level = list(states)
    while len(level) > 1:
        pairs = [merge(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(level) & ~1 :]
    return level[0]


def blocks_in_order(states: Sequence[State], merge: Callable[[State, State], State]) -> State:
    """The largest power of two below the count against the rest, recursively."""
    if len(states) == 1:
        return states[0]
    half = 1 << ((len(states) - 1).bit_length() - 1)
    return merge(blocks_in_order(states[:half], merge), blocks_in_order(states[half:], merge))


def butterfly(builder: Builder, machine: StateMachine, state: State, masks: Sequence[int]) -> State:
    """Merge lanes by xor with each mask in turn, the lower lane on the left; all lanes agree."""
    commutes = machine.law.builtin is not None
    for mask in masks:
        other = tuple(builder.shuffle(value, mask) for value in state)
        if commutes:
            state = machine.merge(state, other)
            continue
        bit = builder.compute("bit_and", builder.lane(), builder.const(mask, i32))
        lower = builder.eq(bit, 0)
        state = machine.merge(
            builder.select_all(lower, state, other), builder.select_all(lower, other, state)
        )
    return state


def lanes_any_order(builder: Builder, machine: StateMachine, state: State) -> State:
    """One state for the subgroup, merged in any order."""
    if not any(value.varying for value in state):
        state = tuple(_vary(builder, value) for value in state)
    if machine.law.builtin is not None:
        return (builder.collective(machine.law.builtin, state[0]),)
    return lanes_in_order(builder, machine, state)


def lanes_in_order(builder: Builder, machine: StateMachine, state: State) -> State:
    """One state for the subgroup, lane order kept."""
    masks = [1 << k for k in range(builder.lanes.bit_length() - 1)]
    merged = butterfly(builder, machine, state, masks)
    return tuple(builder.first_lane(value) for value in merged)


def _vary(builder: Builder, value: Value) -> Value:
    """A uniform value as a varying one: lane 0 decides nothing, all lanes hold it."""
    always = builder.ge(builder.lane(), 0)
    return builder.select(always, value, value)


class OrderedStack:
    """Merge states that arrive in order by a balanced tree, without keeping them all.

    A binary counter: level k holds a tree of 2**k arrivals.  The state of the stack is a flat tuple
    of values, so that a run-time loop can carry it.
    """

    def __init__(self, builder: Builder, machine: StateMachine, count: int) -> None:
        self._builder = builder
        self._machine = machine
        self._count = count
        self.levels = max(1, count.bit_length())

    def empty(self) -> tuple[Value, ...]:
        """The stack before anything arrived; the contents do not matter."""
        return self._machine.identity() * self.levels

    def _split(self, flat: Sequence[Value]) -> list[State]:
        width = len(self._machine.dtypes)
        return [tuple(flat[k * width : (k + 1) * width]) for k in range(self.levels)]

    def push(self, flat: Sequence[Value], number: Value, state: State) -> tuple[Value, ...]:
        """The stack after arrival `number` (a uniform i64, counted from 0)."""
        builder, machine = self._builder, self._machine
        levels = self._split(flat)
        carrying = builder.true()
        for k, held in enumerate(levels):
            bit = builder.compute("bit_and", builder.compute("shr", number, k), 1)
            full = builder.eq(bit, 1)
            lands = builder.compute("bit_and", carrying, builder.not_(full))
            carrying = builder.compute("bit_and", carrying, full)
            levels[k] = builder.select_all(lands, state, held)
            state = builder.select_all(carrying, machine.merge(held, state), state)
        return tuple(value for level in levels for value in level)

    def finish(self, flat: Sequence[Value]) -> State:
        """The one state of all arrivals: the larger trees on the left."""
        held = [level for k, level in enumerate(self._split(flat)) if self._count >> k & 1]
        result = held[0]
        for left in held[1:]:
            result = self._machine.merge(left, result)
        return result


def in_order(
    builder: Builder,
    machine: StateMachine,
    count: int,
    state_at: Callable[[Value], State],
    last: Callable[[], State] | None = None,
    *,
    varying: bool = False,
) -> State:
    """Merge `state_at(0 .. count - 1)`, then `last()` if given, in order by a balanced tree.

    A long list is merged in a run-time loop; `varying` says that lanes hold different states.
    """
    if count <= 8:
        states = [state_at(builder.const(k, i64)) for k in range(count)]
        states += [] if last is None else [last()]
        return blocks_in_order(states, machine.merge)
    stack = OrderedStack(builder, machine, count + (last is not None))

    def body(index: Value, flat: tuple[Value, ...]) -> tuple[Value, ...]:
        return stack.push(flat, index, state_at(index))

    flat = builder.for_(0, count, 1, stack.empty(), body, varying=varying)
    if last is not None:
        flat = stack.push(flat, builder.const(count, i64), last())
    return stack.finish(flat)


def in_blocks(
    builder: Builder,
    count: int,
    identity: State,
    run: Callable[[Value, int], State],
    merge: Callable[[State, State], State],
    *,
    varying: bool,
) -> State:
    """Fold `count` leaves in blocks: `run(start, length)` each, merged one after another.

    Nothing is gained by it but digits: a sum of n elements rounds 2 sqrt(n) times instead of n.
    """
    size = fold_block(count)
    full, rest = divmod(count, size)
    if full <= 1:
        return run(builder.const(0, i64), count)

    def block(number: Value, state: State) -> State:
        return merge(state, run(builder.mul(number, size), size))

    total = builder.for_(0, full, 1, identity, block, varying=varying)
    if not rest:
        return total
    return merge(total, run(builder.const(full * size, i64), rest))


def reproducible_lanes(
    builder: Builder, machine: StateMachine, accumulators: Sequence[State], subgroups: int
) -> State:
    """Merge a block's accumulators up to the subgroup's own part of the tree.

    Accumulator a of lane l of subgroup s has index a * W + s * L + l with W = L * subgroups.  Bits
    that live in subgroups are left to the caller (they are the last ones of the order).
    """
    lanes, workers = builder.lanes, builder.lanes * subgroups
    held = dict(enumerate(accumulators))
    for bit in REPRODUCIBLE_DISTANCES:
        if bit < lanes:
            held = {a: butterfly(builder, machine, state, (bit,)) for a, state in held.items()}
        elif bit >= workers:
            step = bit // workers
            held = {
                a: machine.merge(state, held[a + step]) for a, state in held.items() if not a & step
            }
    return tuple(builder.first_lane(value) for value in held[0])


def reproducible_subgroups(machine: StateMachine, states: Sequence[State]) -> State:
    """Merge the parts of 1, 2 or 4 subgroups: bits 64 and 32 of the accumulator index."""
    held = list(states)
    while len(held) > 1:
        half = len(held) // 2
        held = [machine.merge(held[k], held[k + half]) for k in range(half)]
    return held[0]
