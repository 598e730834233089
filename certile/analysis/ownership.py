"""The ownership audit: every element kept by a worker is read and written by that worker alone.

A second look at a finished row program, before anything is emitted from it.  It recomputes, for
each access of a stripe or a memory, which element is meant, as a linear form over the evaluated
domain, and compares it with the element the worker owns there; it also follows which round of the
loops around it a value belongs to, and that a carried tile is not read once it is overwritten.  It
shares no code with the analyses that chose the stripes; which steps share a sweep it is told, as
lowering is.  In: a `RowProgram`.  Out: None, or the first access that is not shown to be the
owner's.  Decides that a form it cannot compute is not shown, so a harmless permutation may be
refused too.  Leaves what to do instead to the planner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from certile.analysis.loops import fused
from certile.diagnostics import Refusal
from certile.ir.folds import tiles_of
from certile.ir.node import Node
from certile.ir.rows import RowProgram, Step, Stripe
from certile.ir.tile import (
    Broadcast,
    Carried,
    Cast,
    Const,
    Fallback,
    Gather,
    Iota,
    Load,
    Map,
    Memory,
    Parallel,
    Reduce,
    Relabel,
    Result,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
)
from certile.ir.types import Axis
from certile.records import record
from certile.source import Loc

# What the body of a fallback may be made of.
_AGAIN = frozenset({"reduce", "fold", "nest", "load", "gather", "assign", "fallback"})


@record(slots=False)
class Form:
    """A constant and integer coefficients of domain axes."""

    constant: int
    of: Mapping[Axis, int]

    def __add__(self, other: Form) -> Form:
        axes = dict.fromkeys([*self.of, *other.of])
        total = {axis: self.of.get(axis, 0) + other.of.get(axis, 0) for axis in axes}
        return Form(self.constant + other.constant, {a: c for a, c in total.items() if c})

    def __mul__(self, factor: int) -> Form:
        return Form(self.constant * factor, {a: c * factor for a, c in self.of.items() if factor})


ZERO = Form(0, {})
Place = Mapping[Axis, Form | None]


def audit(program: RowProgram) -> Refusal | None:
    """None when every access is proved to be the owner's; else why not."""
    return _Audit(program).run()


def element_number(axes: tuple[Axis, ...], place: Place) -> Form | None:
    """The linear element number at `place`, or None where a coordinate is not known."""
    total, stride = ZERO, 1
    for axis in reversed(axes):
        if axis.static != 1:
            at = place.get(axis)
            if at is None:
                return None
            total = total + at * stride
        stride *= axis.static
    return total


@record(slots=False, eq=False)
class _Loop:
    """A uniform loop that is open: two loops over one axis are different ones."""

    axis: Axis


class _Audit:
    """One walk over the steps in execution order."""

    def __init__(self, program: RowProgram) -> None:
        self._program = program
        self._stripes = frozenset(program.materialized)
        self._records = {stripe.key: stripe for stripe in program.stripes}
        self._scalars = frozenset(
            step.node for step in _all(program.steps) if step.kind in ("load", "gather")
        )
        # Where each stripe and each reduction was made, as the uniform loops around it.
        self._filled: dict[Node, tuple[_Loop, ...]] = {}
        self._open: tuple[_Loop, ...] = ()
        self._serial: list[Serial] = []
        # The fallbacks whose bodies are under examination.
        self._again: list[Fallback] = []
        self._overwritten: set[Node] = set()
        # The steps that share the sweep under examination.
        self._sweep: frozenset[Node] = frozenset()

    def run(self) -> Refusal | None:
        fills = [step.node for step in _all(self._program.steps) if step.kind == "materialize"]
        if len(fills) != len(set(fills)) or set(fills) != self._stripes:
            return _refusal(
                "a stripe is allocated and filled once", "its steps do not", Loc.UNKNOWN
            )
        return self._body(self._program.steps)

    def _body(self, steps: tuple[Step, ...]) -> Refusal | None:
        outside = self._sweep
        for group in fused(steps):
            self._sweep = frozenset(step.node for step in group)
            for step in group:
                refusal = self._step(step)
                if refusal is not None:
                    return refusal
        self._sweep = outside
        return None

    def _step(self, step: Step) -> Refusal | None:
        node, own = step.node, self._own(step)
        if isinstance(node, Tile) and step.kind in ("materialize", "assign"):
            return self._fill(node, step, own)
        if step.kind == "nest":
            assert isinstance(node, Parallel)
            around = self._open
            self._open = (*around, _Loop(node.over[0]))
            refusal = self._body(step.body)
            self._open = around
            return refusal
        if isinstance(node, Serial):
            return self._loop(node, step)
        if isinstance(node, Fallback):
            return self._fallback(node, step)
        if isinstance(node, Store) and isinstance(node.buffer, Memory):
            refusal = self._memory(node, step, own)
            if refusal is not None:
                return refusal
        inside: list[Node] = [node] if step.kind in ("load", "gather") else [*node.operands()]
        refusal = self._walk(inside, step, own, entering=node)
        if isinstance(node, Scan | Sort | Reduce):
            self._filled[node] = self._open
        if isinstance(node, Reduce) and node in self._records:
            refusal = refusal or self._owned(self._records[node], step, own, node.loc)
        return refusal

    def _own(self, step: Step) -> Place:
        """The element that a worker owns in a step's domain, loops around it included."""
        around = (loop.axis for loop in self._open)
        return {axis: Form(0, {axis: 1}) for axis in (*step.axes, *step.inner, *around)}

    def _loop(self, loop: Serial, step: Step) -> Refusal | None:
        self._overwritten.difference_update(loop.params)
        scalar: list[Node] = [init for init in loop.inits if not init.axes]
        after: list[Node] = [value for value in loop.yields if not value.axes]
        self._serial.append(loop)
        refusal = (
            self._walk(scalar, step, {}) or self._body(step.body) or self._walk(after, step, {})
        )
        self._serial.pop()
        return refusal

    def _fallback(self, node: Fallback, step: Step) -> Refusal | None:
        """What the body of a fallback makes is known inside alone; it stores nothing.

        Nor does it keep anything but the elements of the tiles that it replaces.
        """
        replaced: dict[Node, Tile | None] = {}
        for inner in _all(step.body):
            if inner.kind not in _AGAIN:
                claim = "a row that is computed again keeps and stores nothing"
                return _refusal(claim, f"a step of kind {inner.kind} is inside", inner.node.loc)
            if inner.kind == "assign":
                replaced[inner.node] = inner.value
        wanted = {tile: node.instead[tile.index] for tile in tiles_of(node)}
        if any(replaced.get(tile) is not value for tile, value in wanted.items()):
            claim = "every tile of a fallback is replaced where it is computed again"
            return _refusal(claim, "one is not", node.loc)
        refusal = self._walk(_single(node.tried), step, {})
        outside = dict(self._filled)
        self._again.append(node)
        refusal = refusal or self._body(step.body) or self._walk(_single(node.instead), step, {})
        self._again.pop()
        self._filled = {**outside, node: self._open}
        return refusal

    def _fill(self, node: Tile, step: Step, own: Place) -> Refusal | None:
        """A kept tile is made, or a carried tile takes its first or next elements."""
        refusal = self._owned(self._record(node), step, own, node.loc)
        if refusal is not None:
            return refusal
        if step.value is None:
            refusal = self._walk([node], step, own, entering=node)
        else:
            refusal = self._walk([step.value], step, own)
        if isinstance(node, Result):
            refusal = refusal or self._of_fallback(node, step)
        self._filled[node] = self._open
        if self._serial and node in self._serial[-1].params:
            self._overwritten.add(node)
        return refusal

    def _of_fallback(self, node: Result, step: Step) -> Refusal | None:
        """A tile of a fallback takes its value first, and in its body what stands instead."""
        of = node.of
        if isinstance(of, Fallback):
            inside = of in self._again
            sides = of.instead if inside else of.values
            if step.value is sides[node.index] and (node in self._filled) == inside:
                return None
        claim = "a tile of a fallback takes its value, and then what stands instead"
        return _refusal(claim, "it takes another one", node.loc)

    def _record(self, key: Tile | Memory) -> Stripe:
        """The stripe of a value; one without a record of its own lies as its elements do."""
        return self._records.get(key, Stripe(key, (), (), key.axes))

    def _owned(self, stripe: Stripe, step: Step, place: Place, loc: Loc) -> Refusal | None:
        """Refuse unless the element of the stripe at `place` is the one its worker owns there."""
        own = self._own(step)
        uniform = {*step.inner, *(loop.axis for loop in self._open)}
        alike = all(
            axis in uniform and place.get(axis) == Form(0, {axis: 1}) for axis in stripe.outer
        )
        at, owner = element_number(stripe.axes, place), element_number(step.axes, own)
        if alike and at is not None and (at == owner or not stripe.axes):
            return None
        key = stripe.key
        return _refusal(
            "every access of a kept tile is at the worker's own element",
            f"an element of {key.type if isinstance(key, Tile) else key.name} is reached that is "
            "not shown to be the owner's",
            loc,
        )

    def _walk(
        self,
        roots: list[Node] | tuple[Node, ...],
        step: Step,
        own: Place,
        entering: Node | None = None,
    ) -> Refusal | None:
        """Check everything evaluated for `roots`, following how coordinates are replaced."""
        stack: list[tuple[Node, Place]] = [(root, own) for root in roots]
        seen: set[tuple[Node, frozenset[tuple[Axis, str]]]] = set()
        while stack:
            node, place = stack.pop()
            key = (node, frozenset((axis, repr(form)) for axis, form in place.items()))
            if key in seen:
                continue
            seen.add(key)
            kept = self._kept(node)
            if kept is not None and node is not entering:
                refusal = self._stripe(kept, node, step, place)
                if refusal is not None:
                    return refusal
                continue
            made = node is entering or node in self._filled or node in self._program.inline
            if isinstance(node, Fallback | Reduce) and not made:
                claim = "a reduction is made before it is read, and where it is read"
                return _refusal(claim, "it is made later, or inside a fallback", node.loc)
            if isinstance(node, Load) and isinstance(node.buffer, Memory):
                refusal = self._memory(node, step, place)
                if refusal is not None:
                    return refusal
            stack += self._below(node, place, entering)
        return None

    def _below(self, node: Node, place: Place, entering: Node | None) -> list[tuple[Node, Place]]:
        """What a node reads, and at which coordinates."""
        known = isinstance(node, Fallback | Reduce | Serial) or node in self._scalars
        known = known and node not in self._program.inline
        if known and node is not entering:
            return []
        match node:
            case Relabel(value=value, old=old, new=new):
                return [(value, {**place, old: place.get(new)})]
            case Gather(value=value, index=index, fill=fill, axis=axis):
                at = _form(index, place)
                return [(index, place), (fill, place), (value, {**place, axis: at})]
            case _:
                return [(operand, place) for operand in node.operands()]

    def _kept(self, node: Node) -> Tile | None:
        """The key of the stripe, or the reduction, that a node reads; None for other nodes."""
        match node:
            case _ if node in self._program.inline:
                return None
            case Result(of=Serial(params=params), index=index) if node.axes:
                return params[index]
            case Result(of=Fallback()) if node.axes:
                return node
            case Carried() | Scan() | Sort() if node.axes:
                return node
            case Reduce() if any(axis.extent != 1 for axis in node.spanned):
                return node
            case Tile() if node in self._stripes:
                return node
            case _:
                return None

    def _stripe(self, key: Tile, node: Node, step: Step, place: Place) -> Refusal | None:
        loc = key.loc
        if key not in self._filled:
            return _refusal("a stripe is filled before it is read", "it is not", loc)
        if isinstance(key, Result) and key.of not in self._filled:
            claim = "a tile of a fallback is read when its condition has been looked at"
            return _refusal(claim, "it is read before", loc)
        if node is key and key in self._overwritten:
            claim = "a carried tile is read before it takes its next elements"
            return _refusal(claim, "it is read later", loc)
        made = self._filled[key]
        if isinstance(key, Reduce) and key not in self._records:
            # No stripe: the one value at hand is that of this round of the loops around it, and
            # where lanes made their own ones, of this element of their sweep.
            wanted = [axis for axis in key.spanned if axis.extent != 1]
            own = tuple(axis for axis in wanted if key in self._sweep and axis in step.axes)
            stripe = Stripe(key, (), tuple(axis for axis in wanted if axis not in own), own)
            left = made != self._open[: len(made)]
        else:
            stripe = self._record(key)
            left = any(loop not in self._open and loop.axis not in stripe.outer for loop in made)
        if left:
            claim = "what is read outside the loop that makes it is kept for all its rounds"
            return _refusal(claim, "it is kept for one", loc)
        return self._owned(stripe, step, place, loc)

    def _memory(self, access: Load | Store, step: Step, place: Place) -> Refusal | None:
        memory = access.buffer
        assert isinstance(memory, Memory)
        forms = {
            axis: _form(index, place)
            for axis, index in zip(memory.axes, access.indices, strict=True)
        }
        if self._owned(self._record(memory), step, forms, access.loc) is not None:
            return _refusal(
                f"every access of {memory.name} is by the owner of the element",
                "an index is not shown to be the worker's own coordinate",
                access.loc,
            )
        return None


def _form(index: Tile, place: Place) -> Form | None:
    """The linear form of an index; None when it is not one."""
    match index:
        case Const(value=int(value)):
            return Form(int(value), {})
        case Iota(axis=axis):
            return ZERO if axis.static == 1 else place.get(axis)
        case Broadcast(value=value) | Cast(value=value) if index.dtype.is_integer:
            return _form(value, place)
        case Map(fn="add", args=(a, b)):
            left, right = _form(a, place), _form(b, place)
            return None if left is None or right is None else left + right
        case Map(fn="mul", args=(a, Const(value=int(factor)))):
            inner = _form(a, place)
            return None if inner is None else inner * int(factor)
        case _:
            return None


def _single(values: tuple[Tile, ...]) -> list[Node]:
    """Those of some values that have one element."""
    return [value for value in values if not value.axes]


def _all(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all(step.body)


def _refusal(claim: str, missing: str, loc: Loc) -> Refusal:
    return Refusal("admission", "private_storage", claim, missing, loc=loc)
