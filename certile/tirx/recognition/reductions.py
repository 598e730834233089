"""The proof that a loop nest is a set of reductions, on the statements it is made of.

In: a loop in normal form.  Out: the nest's body as steps in order, each update of a carry replaced
by a `Fold`: the carry, the law, the contribution.  Decides that every carry is one scalar that
has exactly one update, `carry op contribution`, and that nothing else of the nest reads it or
stores anything; leaves the start value to the translation, which knows what the carry holds there.
Trusts no annotation.  Raises `NotShownError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from certile.ir.laws import ADD, FMAX, FMIN, MAXIMUM, MINIMUM, Law
from certile.records import record
from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import (
    Allocate,
    Apply,
    Assign,
    Bind,
    Branch,
    Buffer,
    Choice,
    Convert,
    Element,
    Expr,
    Loop,
    Number,
    Read,
    Stmt,
    Variable,
    expressions,
    is_small,
    parts,
    replaced,
    statements,
)

CLAIMED: dict[str, str] = {
    "add": "add",
    "maximum": "max",
    "fmax": "max",
    "minimum": "min",
    "fmin": "min",
}
# Types whose sums a program makes in float32.
_NARROW = ("float16", "bfloat16")
_DIRECT = {"add": ADD, "maximum": MAXIMUM, "minimum": MINIMUM}
# `condition ? contribution : carry` takes the contribution where it is beyond the carry; a NaN
# never is, so these ignore it.
_CHOSEN = {"gt": FMAX, "ge": FMAX, "lt": FMIN, "le": FMIN}
_MIRRORED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}


@record(slots=False)
class Fold:
    """One proved update: after the nest the carry is the law's fold of all contributions."""

    carry: Buffer
    law: Law
    contribution: Expr


@record(slots=False)
class Nest:
    """A proved nest: its loops, outermost first, and what their body does."""

    loops: tuple[Loop, ...]
    steps: tuple[Stmt | Fold, ...]

    @property
    def folds(self) -> tuple[Fold, ...]:
        return tuple(step for step in self.steps if isinstance(step, Fold))


def carried(loop: Loop) -> tuple[Buffer, ...]:
    """The one-element buffers whose value an iteration may take from the one before."""
    inside = {s.buffer for s in statements(loop.body) if isinstance(s, Allocate)}
    stored = {
        s.buffer
        for s in statements(loop.body)
        if isinstance(s, Assign) and s.buffer.is_scalar and s.buffer not in inside
    }
    found: dict[Buffer, None] = {}
    _first_reads(loop.body, stored, set(), found)
    return tuple(found)


def _first_reads(
    body: Iterable[Stmt], of: set[Buffer], known: set[Buffer], found: dict[Buffer, None]
) -> None:
    """Collect the buffers that are read before the iteration has certainly stored them."""
    for step in body:
        for buffer in read_by(step):
            if buffer in of and buffer not in known:
                found[buffer] = None
        match step:
            case Assign(buffer=buffer):
                known.add(buffer)
            case Loop(body=inner):
                # It runs at least once: normal form has no empty loop.
                _first_reads(inner, of, known, found)
            case Branch(yes=yes, no=no):
                _first_reads(yes, of, set(known), found)
                _first_reads(no, of, set(known), found)
            case _:
                pass


def read_by(step: Stmt) -> list[Buffer]:
    """The buffers that a statement's own expressions read."""
    return [
        part.buffer for e in expressions(step) for part in parts(e) if isinstance(part, Element)
    ]


def holds_reduction(body: Iterable[Stmt]) -> bool:
    """Whether a loop of the body carries a value."""
    return any(isinstance(step, Loop) and carried(step) for step in statements(tuple(body)))


def prove(loop: Loop) -> Nest:
    """The nest that starts with a loop that carries values; declines what is not canonical."""
    loops = [loop]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], Loop):
        loops.append(loops[-1].body[0])
    for inner in loops:
        if inner.kind == "parallel":
            missing = f"the loop over {inner.variable.name} is parallel"
            raise NotShownError("execution_nesting", "a reduction is a serial loop", missing)
    steps = _Body(carried(loop), loops[-1].body).steps()
    nest = Nest(tuple(loops), steps)
    _claims(nest)
    return nest


def _claims(nest: Nest) -> None:
    """Decline where an annotation says something else than what was proved."""
    for loop in nest.loops:
        for fold in nest.folds:
            if loop.claim not in (None, CLAIMED[fold.law.name]):
                missing = f"it is marked {loop.claim} and folds by {CLAIMED[fold.law.name]}"
                claim = f"the loop over {loop.variable.name} is what its mark says"
                raise NotShownError("marker", claim, missing)


class _Body:
    """The innermost body of a nest, statement by statement."""

    def __init__(self, carries: Sequence[Buffer], body: tuple[Stmt, ...]) -> None:
        self._carries = frozenset(carries)
        self._body = body
        self._private: set[Buffer] = set()
        self._named: dict[Variable, Expr] = {}
        self._stale: dict[Variable, Buffer] = {}
        self._used: set[Variable] = set()
        self._done: set[Buffer] = set()

    def steps(self) -> tuple[Stmt | Fold, ...]:
        """The steps in order; every carry has been updated once."""
        made: list[Stmt | Fold] = []
        for step in self._body:
            made += self._step(step)
        for carry in self._carries - self._done:
            missing = "no statement of the innermost loop updates it"
            raise NotShownError("canonical_state", f"{carry.name} has one update", missing)
        for variable in self._named.keys() - self._used:
            missing = f"{variable.name} reads a carry and the update does not read it"
            raise NotShownError("canonical_state", "only an update reads a carry", missing)
        return tuple(made)

    def _meant(self, expr: Expr) -> Expr:
        """The expression with what bound values of carries stand for."""
        used = {part.variable for part in parts(expr) if isinstance(part, Read)}
        for variable in used & self._stale.keys():
            missing = f"{self._stale[variable].name} is stored before the update"
            claim = f"{variable.name} is in the update what it was bound to"
            raise NotShownError("canonical_state", claim, missing)
        self._used |= used
        return replaced(expr, self._named)

    def _overwrites(self, step: Stmt) -> None:
        """What a name of a carry stands for is read with the update, so it must still be there."""
        stored = {each.buffer for each in statements((step,)) if isinstance(each, Assign)}
        for variable, value in self._named.items():
            for part in parts(value):
                if isinstance(part, Element) and part.buffer in stored:
                    self._stale[variable] = part.buffer

    def _step(self, step: Stmt) -> tuple[Stmt | Fold, ...]:
        match step:
            case Bind(variable=variable, value=value):
                meant = self._meant(value)
                if self._sees(meant):
                    if not is_small(meant):
                        missing = f"{variable.name}, which reads a carry, has many nodes"
                        raise NotShownError("contribution", "a bound update is small", missing)
                    # Whoever uses the name reads the carry, so it is judged in the reader's place.
                    self._named[variable] = meant
                    return ()
                return (Bind(variable, meant),)
            case Assign() if step.buffer in self._carries:
                return (self._update(step),)
            case Allocate(buffer=buffer):
                self._private.add(buffer)
            case Branch():
                missing = "a statement of its body is conditional"
                raise NotShownError("control", "a reduction's body is unconditional", missing)
            case _:
                pass
        self._innocent(step)
        self._overwrites(step)
        return (step,)

    def _sees(self, expr: Expr) -> bool:
        return any(isinstance(p, Element) and p.buffer in self._carries for p in parts(expr))

    def _innocent(self, step: Stmt) -> None:
        """Decline a statement that observes a carry, or stores what outlives the iteration."""
        own = set(self._private)
        for inner in statements((step,)):
            if isinstance(inner, Allocate):
                own.add(inner.buffer)
            for expr in expressions(inner):
                meant = self._meant(expr)
                if self._sees(meant):
                    missing = "another statement of the loop reads it"
                    seen = _first_carry(meant, self._carries)
                    claim = f"only its update reads the carry {seen}"
                    raise NotShownError("canonical_state", claim, missing)
            if isinstance(inner, Assign) and inner.buffer in self._carries:
                missing = "an inner loop updates it beside other statements"
                raise NotShownError(
                    "canonical_state", f"{inner.buffer.name} has one update", missing
                )
            if isinstance(inner, Assign) and inner.buffer not in own:
                claim = "a reduction's loop stores nothing but its carry"
                raise NotShownError("global_effects", claim, f"it stores to {inner.buffer.name}")

    def _update(self, step: Assign) -> Fold:
        carry = step.buffer
        if carry in self._done:
            missing = "the loop stores it twice"
            raise NotShownError("canonical_state", f"{carry.name} has one update", missing)
        self._done.add(carry)
        if not at_zero(step.indices):
            raise NotShownError(
                "canonical_state", f"{carry.name} is one scalar", "its index is not 0"
            )
        value = self._meant(step.value)
        law, contribution = _matched(carry, value)
        _typed(carry, law, contribution)
        if self._sees(contribution):
            seen = _first_carry(contribution, self._carries)
            missing = f"the update of {carry.name} reads {seen} in its contribution too"
            raise NotShownError("canonical_state", f"only its update reads {seen}, once", missing)
        return Fold(carry, law, contribution)


def _typed(carry: Buffer, law: Law, contribution: Expr) -> None:
    """Decline a state that is not float32, or one of 16 bits that is rounded in each step.

    An extremum is one of its operands, so it is the same in every type that holds them.
    """
    if carry.dtype not in ("float32", *_NARROW):
        missing = f"{carry.name} is {carry.dtype}"
        raise NotShownError("reduction_type", "a reduction's state is a float", missing)
    if carry.dtype in _NARROW and law is ADD:
        missing = (
            f"{carry.name} is {carry.dtype}, so every step of the loop rounds to it; "
            "add in float32 and convert the sum"
        )
        raise NotShownError("reduction_type", "a sum is made in float32", missing)
    if contribution.dtype != carry.dtype:
        missing = f"it is {contribution.dtype}"
        raise NotShownError("reduction_type", f"a contribution is {carry.dtype}", missing)


def _first_carry(expr: Expr, carries: frozenset[Buffer]) -> str:
    found = (p.buffer for p in parts(expr) if isinstance(p, Element) and p.buffer in carries)
    return next(found).name


def is_carry(expr: Expr, carry: Buffer) -> bool:
    """Whether an expression is the carry itself: its one element, not converted."""
    return isinstance(expr, Element) and expr.buffer == carry and at_zero(expr.indices)


def at_zero(indices: Sequence[Expr]) -> bool:
    """Whether indices are those of a buffer's one element."""
    return all(isinstance(index, Number) and index.value == 0 for index in indices)


def _matched(carry: Buffer, value: Expr) -> tuple[Law, Expr]:
    """The law of an update and its contribution."""
    claim = f"the update of {carry.name} is add, maximum or minimum of it and a contribution"
    match value:
        case Apply(fn=fn, args=(left, right)) if fn in _DIRECT:
            for one, other in ((left, right), (right, left)):
                if is_carry(one, carry):
                    return _DIRECT[fn], other
        case Choice():
            return _chosen(carry, value, claim)
        case _:
            pass
    for part in parts(value):
        if isinstance(part, Convert) and any(is_carry(p, carry) for p in parts(part)):
            missing = f"a conversion to {part.dtype} stands between the carry and its update"
            raise NotShownError("reduction_type", claim, missing)
    raise NotShownError("canonical_state", claim, "it has another form")


def _chosen(carry: Buffer, value: Choice, claim: str) -> tuple[Law, Expr]:
    """The law of `x beyond carry ? x : carry`."""
    condition = value.condition
    if not is_carry(value.no, carry):
        if is_carry(value.yes, carry):
            missing = "a contribution that is NaN would replace all that was folded before it"
            raise NotShownError("canonical_state", claim, missing)
        raise NotShownError("canonical_state", claim, "neither choice is the carry")
    if isinstance(condition, Apply) and condition.fn in _CHOSEN:
        left, right = condition.args
        fn = condition.fn
        if is_carry(left, carry):
            left, right, fn = right, left, _MIRRORED[fn]
        if is_carry(right, carry) and left == value.yes:
            return _CHOSEN[fn], value.yes
    raise NotShownError("canonical_state", claim, "the condition does not compare the two choices")
