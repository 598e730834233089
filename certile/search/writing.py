"""Terms of laws taken apart, put together and written from polynomials.

In: terms of the language of laws, and numbers that a program has.  Out: terms.  Decides by which of
these numbers another one is written, so that a law computes it from constants of the program.
Leaves to fold fusion which terms are wanted, and to the checker whether they mean the same.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product as choices
from typing import Final

from certile.ir.terms import Apply, Lit, Term, Var, app

# How many numbers of a program another one is written by, and to what power.
_KNOWN: Final = 3
_POWER: Final = 3


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


def numbers(terms: Iterable[Term]) -> tuple[Fraction, ...]:
    """The sizes of the numbers in terms, without 0 and 1."""
    found, waiting = dict[Fraction, None](), list(terms)
    while waiting:
        match waiting.pop():
            case Lit(float() as value) if math.isfinite(value) and abs(value) not in (0, 1):
                found[abs(Fraction(value))] = None
            case Apply(_, args):
                waiting += args
            case _:
                pass
    return tuple(found)


def scaled(value: Fraction, term: Term, known: Sequence[Fraction] = ()) -> Term:
    """A number times a term; by products and quotients of known numbers where f32 has it not.

    What a program says in two numbers may have a product that no literal of it is.
    """
    known = known[:_KNOWN]
    powers = sorted(choices(range(-_POWER, _POWER + 1), repeat=len(known)), key=_sizes)
    written = ((value / math.prod(map(operator.pow, known, by)), by) for by in powers)
    rest, by = next((each for each in written if _is_exact(each[0])), (value, (0,) * len(known)))
    sides = [
        [
            Lit(float(number))
            for number, power in zip(known, by, strict=True)
            for _ in range(s * power)
        ]
        for s in (1, -1)
    ]
    above = product([Lit(float(rest)), *sides[0], term])
    return app("div", above, product(sides[1])) if sides[1] else above


def _sizes(powers: Iterable[int]) -> int:
    return sum(map(abs, powers))


def _is_exact(value: Fraction) -> bool:
    """Whether a number is one of f32."""
    return value == 0 or (
        2.0**-126 <= abs(value) < 2.0**127
        and struct.unpack("f", struct.pack("f", value))[0] == value
    )


def either(conditions: Iterable[Term | None]) -> Term | None:
    """Whether one of some conditions holds; None of none."""
    kept = [condition for condition in conditions if condition is not None]
    return reduce(lambda a, b: app("bit_or", a, b), kept) if kept else None
