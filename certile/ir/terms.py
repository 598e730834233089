"""The term language of laws: small typed expressions over named variables.

A term is a variable, a literal or an application of a function of `functions.FUNCTIONS`, or of a
conversion, `as_` and the name of a dtype.  It prints as an S-expression, and as nested lists in
JSON.  Literals may be numbers or one of the names `lowest`, `highest`, `inf`, `-inf`, `nan`,
`-0.0`, `last_index`, whose value may depend on the dtype they are used at.  Among the names of
dtypes, `acc` is the one that the reduction accumulates in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from certile.records import record

_V = TypeVar("_V")


@record
class Var:
    """A variable: `x`, `x0` …, `i` in lift; `a.NAME`, `b.NAME` in merge; `NAME` in finalize."""

    name: str

    def __str__(self) -> str:
        return self.name


@record
class Lit:
    """A literal: a number, or a name whose value depends on the dtype.

    `dtype` names the dtype it has by itself; without one it takes that of the operands beside it.
    """

    value: bool | int | float | str
    dtype: str | None = None

    def __str__(self) -> str:
        return str(self.value)


@record
class Apply:
    """`fn` of the argument terms."""

    fn: str
    args: tuple[Term, ...]

    def __str__(self) -> str:
        return f"({' '.join([self.fn, *map(str, self.args)])})"


Term = Var | Lit | Apply


def app(fn: str, *args: Term | bool | int | float | str) -> Apply:
    """Build an application; strings are variables, numbers are literals."""

    def term(arg: Term | bool | int | float | str) -> Term:
        if isinstance(arg, str):
            return Var(arg)
        return Lit(arg) if isinstance(arg, bool | int | float) else arg

    return Apply(fn, tuple(term(arg) for arg in args))


def evaluate(
    term: Term,
    variables: Mapping[str, _V],
    literal: Callable[[Lit, _V | None], _V],
    apply: Callable[[str, tuple[_V, ...]], _V],
    memo: dict[Term, _V] | None = None,
) -> _V:
    """The value of a term in any domain: NumPy arrays, Machine IR values, symbols.

    `literal(lit, beside)` makes a literal of its own dtype, else of the type of `beside`, the first
    non-literal argument of the same application (None when it stands alone).  Equal subterms are
    evaluated once.
    """
    memo = {} if memo is None else memo
    if term in memo:
        return memo[term]
    if isinstance(term, Var):
        return variables[term.name]
    if isinstance(term, Lit):
        return literal(term, None)
    made: list[_V | None] = [
        None if isinstance(arg, Lit) else evaluate(arg, variables, literal, apply, memo)
        for arg in term.args
    ]
    # In (where c a b) the literal arms take the type of the other arm, not of the condition, which
    # is a truth as a literal as well.
    typed = made
    if term.fn == "where":
        typed, condition = made[1:], term.args[0]
        if isinstance(condition, Lit):
            made[0] = literal(Lit(condition.value, "bool"), None)
    beside = next((value for value in typed if value is not None), None)
    args = tuple(
        literal(arg, beside) if isinstance(arg, Lit) and value is None else value
        for arg, value in zip(term.args, made, strict=True)
    )
    # Only literals were left None, and they have been made.
    memo[term] = apply(term.fn, args)  # type: ignore[arg-type]
    return memo[term]


def applications(terms: Iterable[Term]) -> Iterator[Apply]:
    """Every application in some terms, each before those among its arguments."""
    for term in terms:
        if isinstance(term, Apply):
            yield term
            yield from applications(term.args)


def variables(terms: Iterable[Term]) -> frozenset[str]:
    """The names of all variables that some terms read."""
    terms = list(terms)
    leaves = (*terms, *(arg for at in applications(terms) for arg in at.args))
    return frozenset(leaf.name for leaf in leaves if isinstance(leaf, Var))


def substituted(term: Term, by: Mapping[str, Term]) -> Term:
    """The term with variables replaced."""
    match term:
        case Var(name):
            return by.get(name, term)
        case Apply(fn, args):
            return Apply(fn, tuple(substituted(arg, by) for arg in args))
        case _:
            return term


def replaced(term: Term, by: Mapping[Term, Term]) -> Term:
    """The term with parts replaced; of two parts, one in the other, the greater one."""
    if term in by:
        return by[term]
    if isinstance(term, Apply):
        return Apply(term.fn, tuple(replaced(arg, by) for arg in term.args))
    return term


def to_json(term: Term) -> object:
    """The term as nested lists."""
    if isinstance(term, Apply):
        return [term.fn, *map(to_json, term.args)]
    if isinstance(term, Var):
        return term.name
    return {"lit": term.value} | ({} if term.dtype is None else {"dtype": term.dtype})
