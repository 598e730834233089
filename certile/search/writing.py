"""Terms of laws taken apart, put together and written from polynomials: helpers of fold fusion."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from certile.ir.terms import Apply, Lit, Term, Var, app


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


def negative(term: Term) -> bool:
    """Whether the numbers among the factors of a term say that it is taken away."""
    numbers = [each.value for each in factors(term) if isinstance(each, Lit)]
    return sum(isinstance(each, float | int) and each < 0 for each in numbers) % 2 == 1


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
