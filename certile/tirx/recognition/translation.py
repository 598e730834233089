"""From a function in normal form to a kernel of the compiler, with every reduction proved.

In: a function.  Out: a `Translation`: the kernel, how many programs each launch has, and the
reductions.  Decides which loops are launches, which are repeated in order, which range over
elements; a loop that carries a value has to be a reduction.  Loops over equally many elements
share an axis, so that a row that several loops walk is one row.  Raises `NotShownError`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from math import isnan, prod

from certile.analysis.affine import affine, spans, undetermined
from certile.analysis.bounds import check_bounds
from certile.diagnostics import InternalError
from certile.ir.build import Builder
from certile.ir.dtypes import f32
from certile.ir.laws import ADD, MAXIMUM, MINIMUM, Law, literal_value
from certile.ir.terms import Lit
from certile.ir.tile import Const, Iota, Kernel, Tile, View
from certile.ir.types import Axis, join_axes
from certile.ir.verify import verify
from certile.ir.walk import parallel_regions
from certile.records import record
from certile.tirx.recognition.dependence import independent_iterations, independent_programs
from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import (
    Allocate,
    Assign,
    Bind,
    Branch,
    Buffer,
    Function,
    Loop,
    Stmt,
    Variable,
    statements,
)
from certile.tirx.recognition.reductions import (
    CLAIMED,
    Fold,
    at_zero,
    carried,
    holds_reduction,
    prove,
)
from certile.tirx.recognition.storage import Storage
from certile.tirx.recognition.values import Guard, Surroundings, Values, meant, stored


@record
class Reduction:
    """A reduction that was proved: its kind, its carry, the loops it ranges over."""

    kind: str
    law: str
    carry: str
    loops: tuple[str, ...]
    extents: tuple[int, ...]


@record(slots=False)
class Translation:
    """A kernel and what belongs to it."""

    kernel: Kernel
    programs: tuple[int, ...]
    reductions: tuple[Reduction, ...]


def translate(function: Function, *, kept: bool) -> Translation:
    """The kernel of a function; declines, with the first reason, where no reading is proved.

    Loops around reductions that carry nothing are repeated in order; `kept`, they range over
    elements, and the reductions keep these.
    """
    refused: NotShownError | None = None
    for launches in _readings(function.body):
        try:
            return _Translator(function, kept=kept).translation(launches)
        except NotShownError as declined:
            refused = refused or declined
    assert refused is not None
    raise refused


@record(slots=False)
class _Launch:
    """Loops whose iterations are programs, and what one program does."""

    loops: tuple[Loop, ...]
    body: tuple[Stmt, ...]


def _readings(body: tuple[Stmt, ...]) -> Iterator[tuple[_Launch, ...]]:
    """The ways to read a body as launches: as many loops as may be, the outermost, the whole.

    A buffer that is allocated outside loops is private to each of their iterations unless one
    reads what another left; then it has no value where it is read, which is declined.
    """
    loops = [step for step in body if isinstance(step, Loop)]
    plain = all(isinstance(step, Loop | Allocate) for step in body)
    if loops and plain and not any(map(carried, loops)):
        nests = [_nest(loop) for loop in loops]
        yield tuple(_Launch(nest, _with_shared(body, nest)) for nest in nests)
        if any(len(nest) > 1 for nest in nests):
            yield tuple(_Launch(nest[:1], _with_shared(body, nest[:1])) for nest in nests)
        if len(loops) == len(body):
            return
    yield (_Launch((), body),)


def _with_shared(body: tuple[Stmt, ...], nest: tuple[Loop, ...]) -> tuple[Stmt, ...]:
    """What a program of a nest does, the allocations before the nest among it."""
    before = takewhile(lambda step: step is not nest[0], body)
    return (*(step for step in before if isinstance(step, Allocate)), *nest[-1].body)


def _nest(loop: Loop) -> tuple[Loop, ...]:
    """A root loop and the loops it holds alone, without the innermost and those that carry."""
    found = [loop]
    while len(found[-1].body) == 1:
        (inner,) = found[-1].body
        if not isinstance(inner, Loop) or carried(inner):
            break
        if not any(isinstance(step, Loop) for step in statements(inner.body)):
            break
        found.append(inner)
    return tuple(found)


class _Translator:
    """One reading of one function."""

    def __init__(self, function: Function, *, kept: bool) -> None:
        self._function = function
        self._kept = kept
        self._b = Builder(_identifier(function.name))
        self._views: dict[Buffer, View] = {}
        self._variables: dict[Variable, Tile] = {}
        self._reductions: list[Reduction] = []
        self._axes: list[Axis] = []
        self._numbers = 0
        self._enter(())

    def _enter(self, programs: tuple[Axis, ...]) -> None:
        """Start a launch: nothing is allocated, nothing is loaded."""
        self._around = Surroundings(programs)
        self._storage = Storage(self._b)
        self._values = Values(self._b, self._views, self._storage, self._variables, self._around)

    def translation(self, launches: Sequence[_Launch]) -> Translation:
        """The whole kernel, checked."""
        self._parameters()
        for launch in launches:
            self._launch(launch)
        kernel = self._b.build()
        for region in parallel_regions(kernel):
            independent_programs(region)
        complaints = verify(kernel)
        if complaints:
            raise InternalError(complaints[0])
        shapes = {view.name: buffer.shape for buffer, view in self._views.items()}
        for diagnostic in check_bounds(kernel, shapes):
            raise NotShownError("guarded_views", "every access is inside", diagnostic.message)
        counts = tuple(prod(axis.static for axis in r.over) for r in parallel_regions(kernel))
        return Translation(kernel, counts, tuple(self._reductions))

    def _parameters(self) -> None:
        names: set[str] = set()
        for number, parameter in enumerate(self._function.parameters):
            name = _identifier(parameter.name)
            name = f"{name}_{number}" if name in names else name
            names.add(name)
            if isinstance(parameter, Variable):
                dtype = meant(parameter.dtype)
                narrow = self._b.scalar(name, stored(_like(parameter)))
                self._variables[parameter] = self._b.cast(narrow, dtype)
            else:
                rank = len(parameter.shape)
                self._views[parameter] = self._b.view(name, stored(parameter), rank)

    def _launch(self, launch: _Launch) -> None:
        for loop in launch.loops:
            self._unclaimed(loop)
        named = [(_identifier(loop.variable.name), loop.count) for loop in launch.loops]
        over = tuple(self._b.axis(name, count) for name, count in named or [("program", 1)])
        self._enter(over)
        with self._b.parallel(*over):
            for loop, axis in zip(launch.loops, over, strict=bool(launch.loops)):
                self._variables[loop.variable] = self._b.index(axis)
            self._body(launch.body, ())
        for loop in launch.loops:
            del self._variables[loop.variable]

    # Statements.

    def _body(self, body: Iterable[Stmt], guard: Guard) -> None:
        """Translate statements; what they bind and allocate ends with them."""
        steps = tuple(body)
        for step in steps:
            self._statement(step, guard)
        self._end(steps)

    def _end(self, body: Iterable[Stmt]) -> None:
        for step in body:
            match step:
                case Bind(variable=variable):
                    self._variables.pop(variable, None)
                case Allocate(buffer=buffer):
                    self._storage.free(buffer)
                case _:
                    pass

    def _statement(self, step: Stmt, guard: Guard) -> None:
        match step:
            case Allocate(buffer=buffer):
                stored(buffer)
                self._storage.allocate(buffer, self._around.axes)
            case Bind(variable=variable, value=value):
                self._variables[variable] = self._values.value(value, guard)
            case Assign():
                self._assign(step, guard)
            case Branch():
                self._branch(step, guard)
            case Loop():
                self._loop(step, guard)
            case _:
                raise NotShownError(
                    "dynamic_control", "every statement is known", type(step).__name__
                )

    def _assign(self, step: Assign, guard: Guard) -> None:
        buffer = step.buffer
        if step.value.dtype != buffer.dtype or len(step.indices) != len(buffer.shape):
            missing = f"{step.value.dtype} is stored at {len(step.indices)} indices"
            claim = f"a store to {buffer.name} has its type and rank"
            raise NotShownError("reduction_type", claim, missing)
        value = self._values.value(step.value, guard)
        if buffer not in self._storage:
            self._store(step, value, guard)
        elif guard:
            missing = "it stands under a condition"
            raise NotShownError(
                "private_storage", f"a store to {buffer.name} always happens", missing
            )
        elif buffer.is_scalar:
            if not at_zero(step.indices):
                missing = "its index is not 0"
                raise NotShownError("private_storage", f"{buffer.name} has one element", missing)
            self._storage.set_scalar(buffer, value)
        else:
            indices = self._values.indices(step.indices, guard)
            around = self._around
            self._storage.set_row(buffer, indices, value, around.axes, around.loops)

    def _store(self, step: Assign, value: Tile, guard: Guard) -> None:
        view = self._views.get(step.buffer)
        if view is None:
            missing = "it belongs to no program"
            raise NotShownError("private_storage", f"{step.buffer.name} is in scope", missing)
        indices = self._values.indices(step.indices, guard)
        mask = self._values.every(guard)
        spanned = join_axes(*(index.axes for index in indices))
        needed = join_axes(value.axes, () if mask is None else mask.axes)
        if not set(needed) <= set(spanned):
            missing = "iterations of a loop that is not in its place store it"
            claim = f"stores to {view.name} write distinct elements"
            raise NotShownError("global_effects", claim, missing)
        self._distinct(view, indices)
        self._b.store(view, indices, value, mask=mask)
        self._values.forget(view)

    def _distinct(self, view: View, indices: Sequence[Tile]) -> None:
        """Decline a place that two iterations of the element loops around it share.

        One of them would be the last, and might see what the other stored.
        """
        own = spans(self._around.axes)
        shared = undetermined([affine(index) for index in indices], own)
        if shared is not None:
            assert isinstance(shared, Iota)
            missing = f"iterations over {shared.axis.name} share a place"
            claim = f"stores to {view.name} write distinct elements"
            raise NotShownError("global_effects", claim, missing)

    def _branch(self, step: Branch, guard: Guard) -> None:
        if holds_reduction((*step.yes, *step.no)):
            raise NotShownError("control", "no conditional contains a reduction", "one does")
        if step.condition.dtype != "bool":
            raise NotShownError("control", "a condition is bool", f"one is {step.condition.dtype}")
        condition = self._values.value(step.condition, guard)
        self._body(step.yes, (*guard, condition))
        if step.no:
            self._body(step.no, (*guard, self._b.map("bit_not", condition)))

    # Loops.

    def _loop(self, loop: Loop, guard: Guard) -> None:
        if loop.kind == "parallel":
            missing = f"the loop over {loop.variable.name} is parallel"
            raise NotShownError(
                "execution_nesting", "a program has no parallel loop inside", missing
            )
        if carried(loop):
            if guard:
                raise NotShownError("control", "no conditional contains a reduction", "one does")
            self._reduction(loop)
            return
        self._unclaimed(loop)
        if holds_reduction(loop.body) and not self._kept:
            self._repeated(loop)
        else:
            self._elements(loop, guard)

    def _unclaimed(self, loop: Loop) -> None:
        if loop.claim is not None:
            missing = f"it is marked {loop.claim} and carries no value"
            raise NotShownError(
                "marker", f"the loop over {loop.variable.name} is a reduction", missing
            )

    def _elements(self, loop: Loop, guard: Guard) -> None:
        independent_iterations(loop)
        with self._open((loop,)):
            self._body(loop.body, guard)
        name = loop.variable.name
        why = f"the loop over {name} leaves the value of its last iteration, and is no reduction"
        scalars = (buffer for buffer in _assigned(loop) if buffer.is_scalar)
        self._storage.forget(scalars, why)

    def _repeated(self, loop: Loop) -> None:
        """A loop of the program: what it holds is done in order, once an iteration."""
        if self._around.elements:
            missing = f"the loop over {loop.variable.name} holds a reduction and carries nothing"
            raise NotShownError("control", "a reduction's body repeats no reduction", missing)
        private = [buffer for buffer in _assigned(loop) if buffer in self._storage]
        why = f"iterations of the loop over {loop.variable.name} would take it from one another"
        self._storage.forget(private, why)
        for buffer in _assigned(loop):
            if buffer in self._views:
                self._values.forget(self._views[buffer])
        before = dict(self._values.loads)
        axis = self._b.axis(_identifier(loop.variable.name), loop.count)
        with self._b.serial(axis):
            self._around.repeated.append(axis)
            self._variables[loop.variable] = self._b.index(axis)
            self._body(loop.body, ())
            self._around.repeated.pop()
            del self._variables[loop.variable]
        # What the loop loaded is not in scope behind it; what it stored was forgotten before.
        self._values.loads = before
        self._storage.forget(private, why)

    def _reduction(self, loop: Loop) -> None:
        nest = prove(loop)
        starts = {fold.carry: self._start(fold) for fold in nest.folds}
        contributions: list[tuple[Fold, Tile]] = []
        with self._open(nest.loops) as over:
            for step in nest.steps:
                if isinstance(step, Fold):
                    contributions.append((step, self._values.value(step.contribution)))
                else:
                    self._statement(step, ())
            self._end(step for step in nest.steps if not isinstance(step, Fold))
        for fold, contribution in contributions:
            spread = join_axes(contribution.axes, over)
            if spread != contribution.axes:
                contribution = self._b.broadcast(contribution, *spread)
            made = self._folded(contribution, over, fold.law, starts[fold.carry])
            self._storage.set_scalar(fold.carry, made)
            self._reductions.append(
                Reduction(
                    CLAIMED[fold.law.name],
                    fold.law.name,
                    fold.carry.name,
                    tuple(inner.variable.name for inner in nest.loops),
                    tuple(inner.count for inner in nest.loops),
                )
            )

    def _folded(self, contribution: Tile, over: tuple[Axis, ...], law: Law, start: Tile) -> Tile:
        """The carry after its loop; one of 16 bits is an element, so nothing is rounded."""
        made = self._b.reduce(self._b.cast(contribution, f32), over, law)
        if not _is_identity(start, law):
            made = self._b.map(law.name, self._b.cast(start, f32), made)
        return self._b.cast(made, contribution.dtype)

    def _start(self, fold: Fold) -> Tile:
        """What a carry holds before its loop; declines what a reduction in any order cannot merge.

        That is the identity of a sum, by its bits.  An extremum takes whatever it starts as beside
        the others; one that passes over a NaN has to start as a number, for it would keep a NaN.
        """
        name = fold.carry.name
        if fold.carry not in self._storage:
            missing = "it is memory of the caller"
            raise NotShownError("canonical_state", f"the carry {name} is local", missing)
        start = self._storage.scalar(fold.carry)
        is_number = isinstance(start, Const) and not isnan(start.value)
        if _is_identity(start, fold.law) or fold.law in (MAXIMUM, MINIMUM):
            return start
        if fold.law is not ADD and is_number:
            return start
        held = start.value if isinstance(start, Const) else "no constant"
        missing = f"it starts as {held}, the identity is {_identity(fold.law)}"
        raise NotShownError("canonical_state", f"{name} starts as its exact identity", missing)

    @contextmanager
    def _open(self, loops: Sequence[Loop]) -> Iterator[tuple[Axis, ...]]:
        """Range over elements: each loop has an axis that no loop around it has."""
        over: list[Axis] = []
        for loop in loops:
            axis = self._axis(loop)
            self._numbers += 1
            self._around.elements.append((self._numbers, axis))
            self._variables[loop.variable] = self._b.index(axis)
            over.append(axis)
        yield tuple(over)
        del self._around.elements[-len(loops) :]
        for loop in loops:
            del self._variables[loop.variable]

    def _axis(self, loop: Loop) -> Axis:
        for axis in self._axes:
            if axis.static == loop.count and axis not in self._around.axes:
                return axis
        self._axes.append(self._b.axis(_identifier(loop.variable.name), loop.count))
        return self._axes[-1]


def _identity(law: Law) -> float:
    (term,) = law.identity or (None,)
    assert isinstance(term, Lit)
    return float(literal_value(term.value, f32))


def _is_identity(start: Tile, law: Law) -> bool:
    """Whether a start is the identity by its bits: a sum of nothing is no negative zero."""
    if not isinstance(start, Const):
        return False
    return struct.pack("<d", float(start.value)) == struct.pack("<d", _identity(law))


def _assigned(loop: Loop) -> list[Buffer]:
    """The buffers that a loop stores and does not allocate."""
    inside = {step.buffer for step in statements(loop.body) if isinstance(step, Allocate)}
    stores = (step for step in statements(loop.body) if isinstance(step, Assign))
    return list(dict.fromkeys(step.buffer for step in stores if step.buffer not in inside))


def _like(parameter: Variable) -> Buffer:
    return Buffer(-1, parameter.name, parameter.dtype, (1,))


def _identifier(name: str) -> str:
    made = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
    return f"_{made}" if made[0].isdigit() else made
