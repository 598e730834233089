"""Whether a function is well formed: every name is defined once, before it is used, around its use.

In: the records of a function.  Out: nothing, or `NotShownError`.  Decides scopes alone, so that
what follows may move statements without asking what a name means there.  TVM does not check this
when a function is made.
"""

from __future__ import annotations

from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import (
    Allocate,
    Assign,
    Attribute,
    Bind,
    Branch,
    Buffer,
    Element,
    Function,
    Loop,
    Read,
    Stmt,
    Variable,
    expressions,
    parts,
)

_Names = set[Variable | Buffer]


def well_formed(function: Function) -> None:
    """Decline a function with a name that is not in scope, or is defined while it is."""
    known: _Names = set()
    for parameter in function.parameters:
        _define(parameter, known)
    _body(function.body, known)


def is_well_formed(function: Function) -> bool:
    """Whether `well_formed` has nothing to decline."""
    try:
        well_formed(function)
    except NotShownError:
        return False
    return True


def _body(body: tuple[Stmt, ...], around: _Names) -> None:
    known = set(around)
    for step in body:
        _uses(step, known)
        match step:
            case Bind(variable=name):
                _define(name, known)
            case Allocate(buffer=buffer):
                _define(buffer, known)
            case Loop(variable=name, body=inner):
                inside = set(known)
                _define(name, inside)
                _body(inner, inside)
            case Attribute(body=inner):
                _body(inner, known)
            case Branch(yes=yes, no=no):
                _body(yes, known)
                _body(no, known)
            case _:
                pass


def _define(name: Variable | Buffer, known: _Names) -> None:
    if name in known:
        raise NotShownError("control", f"{name.name} has one meaning", "it is defined twice")
    known.add(name)


def _uses(step: Stmt, known: _Names) -> None:
    used: list[Variable | Buffer] = [step.buffer] if isinstance(step, Assign) else []
    for expr in expressions(step):
        for part in parts(expr):
            if isinstance(part, Read):
                used.append(part.variable)
            elif isinstance(part, Element):
                used.append(part.buffer)
    for name in used:
        if name not in known:
            raise NotShownError("control", f"{name.name} has a meaning", "it is not in scope")
