"""Terms of laws taken apart, put together and written from polynomials: helpers of fold fusion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from certile.ir.terms import Apply, Lit, Term, Var, app


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


def mentions(term: Term, *names: str) -> bool:
    """Whether a term reads one of the variables."""
    match term:
        case Var(name):
            return name in names
        case Apply(_, args):
            return any(mentions(arg, *names) for arg in args)
        case _:
            return False


def summands(term: Term) -> list[Term]:
    """The terms whose sum a term is."""
    match term:
        case Apply("add", (a, b)):
            return [*summands(a), *summands(b)]
        case Apply("sub", (a, b)):
            return [*summands(a), *(product([Lit(-1.0), each]) for each in summands(b))]
        case Apply("neg", (a,)):
            return [product([Lit(-1.0), each]) for each in summands(a)]
        case _:
            return [term]


def factors(term: Term) -> list[Term]:
    """The terms whose product a term is."""
    match term:
        case Apply("mul", (a, b)):
            return [*factors(a), *factors(b)]
        case _:
            return [term]


def product(terms: Iterable[Term]) -> Term:
    """The product from left to right; 1 of none."""
    kept = [term for term in terms if term != Lit(1.0)]
    return reduce(lambda a, b: app("mul", a, b), kept) if kept else Lit(1.0)


def total(terms: Iterable[Term]) -> Term:
    """The sum from left to right; 0 of none."""
    kept = list(terms)
    return reduce(lambda a, b: app("add", a, b), kept) if kept else Lit(0.0)


def scaled(value: float, term: Term) -> Term:
    """A number times a term."""
    return product([Lit(value), term])
