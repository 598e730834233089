"""A function in the one shape that the prover reads.

In: the records of a function.  Out: the same function without unit loops, offsets of loops, bound
index arithmetic, attributes and initialisers that stand under a test of the first iteration.  Each
step keeps what the function does exactly.  Decides that every node is on the list and that control
is static; leaves what a loop computes to `reductions`.  Raises `NotShownError`.
"""

from __future__ import annotations

from dataclasses import replace

from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import (
    MARK,
    Alien,
    Allocate,
    Apply,
    Assign,
    Attribute,
    Bind,
    Branch,
    Buffer,
    Element,
    Expr,
    Foreign,
    Function,
    Loop,
    Number,
    Read,
    Stmt,
    Variable,
    expressions,
    is_small,
    parts,
    replaced,
    rewritten,
    statements,
)
from certile.tirx.recognition.scopes import well_formed
from certile.tirx.recognition.touches import FIRST, placed

CLAIMS = ("add", "max", "min")
# Attributes that say how a function is called or where it stands, nothing of what it computes.
_HARMLESS = {
    "global_symbol",
    "s_tir",
    "tirx.noalias",
    "tirx.is_entry_func",
    "tirx.is_global_func",
    "op_pattern",
    "layout_free_buffers",
}
_ADVICE = {"pragma_auto_unroll_max_step", "pragma_unroll_explicit"}
_MOST_ELEMENTS = 1 << 31
# Where an allocation may be placed: each execution of it is a buffer that nobody else sees.
_PRIVATE = ("local", "global")


def normal(function: Function) -> Function:
    """The function in normal form; declines what is not static or not on the list."""
    _listed(function)
    plain = _dimensioned(replace(function, body=_unattributed(function.body)))
    well_formed(plain)
    return replace(plain, body=_Loops().body(_inlined(plain.body, {})))


def _listed(function: Function) -> None:
    claim = "every node is one the recogniser knows"
    for attribute in function.attributes:
        if attribute not in _HARMLESS:
            raise NotShownError(
                "target_binding", claim, f"the function has the attribute {attribute}"
            )
    for parameter in function.parameters:
        if isinstance(parameter, Buffer):
            _compact(parameter)
    for step in statements(function.body):
        if isinstance(step, Alien):
            raise NotShownError("dynamic_control", claim, step.what)
        if isinstance(step, Allocate):
            _compact(step.buffer)
            if step.buffer.scope not in _PRIVATE:
                missing = f"{step.buffer.name} is placed in {step.buffer.scope} memory"
                raise NotShownError("manual_resources", "allocations are private", missing)
        for expr in expressions(step):
            for part in parts(expr):
                if isinstance(part, Foreign):
                    raise NotShownError("contribution", claim, part.what)


def _compact(buffer: Buffer) -> None:
    if buffer.problem is not None:
        missing = f"{buffer.name} {buffer.problem}"
        raise NotShownError("kernel_abi", "every buffer is compact", missing)
    if buffer.extents:
        read = (part for extent in buffer.extents for part in parts(extent))
        named = [part.variable.name for part in read if isinstance(part, Read)]
        what = named[0] if named else "what is computed"
        missing = f"{buffer.name} has {what} in its shape (give shapes={{...}} to read it at one)"
        raise NotShownError("kernel_abi", "every shape is constant", missing)
    size = 1
    for length in buffer.shape:
        size *= length
    if not 0 < size < _MOST_ELEMENTS:
        missing = f"{buffer.name} has {size} elements"
        raise NotShownError("kernel_abi", "a buffer has elements, fewer than 2**31", missing)


def _unattributed(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """The body without attribute statements: a claim moves to its loop, nothing else may stand."""
    made: list[Stmt] = []
    for step in body:
        match step:
            case Attribute(key=key, value=value, body=(Loop() as loop,)) if key == MARK:
                marked = (*loop.marks, (MARK, value))
                made += _unattributed((_with_body(loop, loop.body, marked),))
            case Attribute(key=key):
                missing = f"a statement has the attribute {key}"
                raise NotShownError("target_binding", "attributes change nothing", missing)
            case Loop():
                made.append(_with_body(step, _unattributed(step.body)))
            case Branch():
                yes, no = _unattributed(step.yes), _unattributed(step.no)
                made.append(Branch(step.condition, yes, no))
            case _:
                made.append(step)
    return tuple(made)


def _dimensioned(function: Function) -> Function:
    """The function with one dimension, of one element, for each parameter that has none."""
    bare = {
        each: replace(each, shape=(1,))
        for each in function.parameters
        if isinstance(each, Buffer) and not each.shape
    }

    def place(at: Element) -> Element:
        return Element(bare[at.buffer], at.indices or (FIRST,)) if at.buffer in bare else at

    if not bare:
        return function
    given = tuple(
        bare[p] if isinstance(p, Buffer) and p in bare else p for p in function.parameters
    )
    return replace(function, parameters=given, body=placed(function.body, place))


def _with_body(
    loop: Loop, body: tuple[Stmt, ...], marks: tuple[tuple[str, str], ...] | None = None
) -> Loop:
    kept = loop.marks if marks is None else marks
    return Loop(loop.variable, loop.low, loop.extent, loop.step, loop.kind, body, kept)


def _inlined(body: tuple[Stmt, ...], known: dict[Variable, Expr]) -> tuple[Stmt, ...]:
    """The body with values that read no memory in the place of their names.

    A name ends with the body that binds it.
    """
    made: list[Stmt] = []
    known = dict(known)
    for step in body:
        match step:
            case Bind(variable=variable, value=value):
                meant = replaced(value, known)
                if any(isinstance(part, Element) for part in parts(meant)):
                    made.append(Bind(variable, meant))
                    known.pop(variable, None)
                else:
                    known[variable] = _small(variable, meant)
            case Loop():
                low, extent, stride = (replaced(part, known) for part in expressions(step))
                inner = _inlined(step.body, known)
                made.append(Loop(step.variable, low, extent, stride, step.kind, inner, step.marks))
            case Branch():
                condition = replaced(step.condition, known)
                made.append(Branch(condition, _inlined(step.yes, known), _inlined(step.no, known)))
            case _:
                made += rewritten((step,), known)
    return tuple(made)


def _small(variable: Variable, value: Expr) -> Expr:
    if not is_small(value):
        claim = "a bound value is small"
        raise NotShownError("contribution", claim, f"{variable.name} has many nodes")
    return value


class _Loops:
    """Checks loops and brings them to start at 0; needs to know nothing but the loop itself."""

    def body(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """A body whose loops are in normal form."""
        made: list[Stmt] = []
        for step in body:
            match step:
                case Loop():
                    made += self._loop(step)
                case Branch():
                    made += _decided(
                        Branch(step.condition, self.body(step.yes), self.body(step.no))
                    )
                case _:
                    made.append(step)
        return tuple(made)

    def _loop(self, loop: Loop) -> tuple[Stmt, ...]:
        _static(loop)
        assert isinstance(loop.low, Number)
        if loop.count == 1 and not loop.marks:
            return self.body(rewritten(loop.body, {loop.variable: loop.low}))
        first, rest = _first_iteration(self.body(loop.body), loop.variable, loop.low)
        if loop.low.value != 0:
            shifted = Apply("add", (Read(loop.variable), loop.low), loop.variable.dtype)
            rest = rewritten(rest, {loop.variable: shifted})
        zero = Number(0, loop.low.dtype)
        one = Number(1, loop.low.dtype)
        kept = Loop(loop.variable, zero, loop.extent, one, loop.kind, rest, loop.marks)
        return *self.body(first), kept


def _static(loop: Loop) -> None:
    """Decline a loop that is not serial, of unit step and of a constant positive extent."""
    name = loop.variable.name
    claim = f"the loop over {name} is a static serial loop of unit step"
    if loop.kind in ("vectorized", "thread"):
        kind = "vectorized" if loop.kind == "vectorized" else "bound to threads"
        raise NotShownError("control", claim, f"it is {kind}")
    for key, value in loop.marks:
        if key == MARK and value not in CLAIMS:
            raise NotShownError(
                "marker", f"a claim is one of {', '.join(CLAIMS)}", f"it is {value}"
            )
        if key != MARK and key not in _ADVICE:
            raise NotShownError("control", claim, f"it has the annotation {key}")
    for what, part in (("start", loop.low), ("extent", loop.extent), ("step", loop.step)):
        if isinstance(part, Number) and not isinstance(part.value, float):
            continue
        named = [inner.variable.name for inner in parts(part) if isinstance(inner, Read)]
        varies = f"varies with {named[0]}" if named else "is not a constant"
        raise NotShownError("control", claim, f"its {what} {varies}")
    assert isinstance(loop.step, Number)
    if loop.step.value != 1:
        raise NotShownError("control", claim, f"its step is {loop.step.value}")
    if loop.count < 1:
        raise NotShownError("control", claim, f"its extent is {loop.count}")


def _first_iteration(
    body: tuple[Stmt, ...], variable: Variable, low: Number
) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...]]:
    """What the first iteration alone does before anything else, and the rest of the body.

    `if v == low: …` at the head of a body runs once, before all else the loop does.
    """
    first: list[Stmt] = []
    while body and isinstance(body[0], Branch) and not body[0].no:
        head = body[0]
        conditions = _conjuncts(head.condition)
        others = [part for part in conditions if not _equals(part, variable, low)]
        assigns = all(isinstance(step, Assign) for step in head.yes)
        if len(others) == len(conditions) or not assigns:
            break
        by = {variable: low}
        inside = rewritten(head.yes, by)
        tests = [replaced(part, by) for part in others]
        first += [Branch(_conjunction(tests), inside, ())] if tests else inside
        body = body[1:]
    return tuple(first), body


def _equals(part: Expr, variable: Variable, low: Number) -> bool:
    match part:
        case (
            Apply(fn="eq", args=(Read(variable=found), Number(value=value)))
            | Apply(fn="eq", args=(Number(value=value), Read(variable=found)))
        ):
            return found == variable and value == low.value
        case _:
            return False


def _conjuncts(condition: Expr) -> list[Expr]:
    match condition:
        case Apply(fn="and", args=(left, right)):
            return [*_conjuncts(left), *_conjuncts(right)]
        case _:
            return [condition]


def _conjunction(conditions: list[Expr]) -> Expr:
    made = conditions[0]
    for other in conditions[1:]:
        made = Apply("and", (made, other), "bool")
    return made


def _decided(branch: Branch) -> tuple[Stmt, ...]:
    """The branch without conditions that constants decide to be true."""
    open_ = [part for part in _conjuncts(branch.condition) if not _holds(part)]
    if not open_:
        return branch.yes
    return (Branch(_conjunction(open_), branch.yes, branch.no),)


def _holds(condition: Expr) -> bool:
    match condition:
        case Apply(fn="eq", args=(Number(value=left), Number(value=right))):
            return left == right
        case Number(value=value):
            return value is True
        case _:
            return False
