"""Chains of reductions in a program, read as the chains that fold fusion derives laws for.

In: reductions, later ones over the same elements that use their results, and which results are
read outside of them.  Out: the ways to read them as a `chain_terms.Chain`, each with the tiles that
are the fields of an element.  Decides where the element-wise part of the program is cut: all that
does not depend on a result of the chain stays in the operands, or, where terms share too much,
everything down to what is no arithmetic is read.  Leaves the derivation to `fusion`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from certile.ir.functions import COMPARISONS, FLOAT_TESTS
from certile.ir.laws import operand_names, parameter_names
from certile.ir.node import Node, reach
from certile.ir.terms import Apply, Lit, Term, Var, app, replaced, substituted
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Cast,
    Const,
    Iota,
    Load,
    Map,
    Reduce,
    Relabel,
    Result,
    Tile,
)
from certile.proof.check.region_terms import DEPTH, RegionReader, parameter_domain
from certile.proof.check.terms import Refused, require
from certile.records import record
from certile.search.chain_terms import Beside, Chain
from certile.search.outer import COUNT, PLAIN, Outer
from certile.search.shifts import R, centre
from certile.search.writing import mentions, product, total

# Element-wise functions that have terms, and what else an operand may be made of.
_READ: Final = (
    COMPARISONS
    | FLOAT_TESTS
    | {
        *("add", "sub", "mul", "div", "neg", "exp", "log", "abs", "fma", "recip"),
        *("maximum", "minimum", "where", "bit_and", "bit_or", "bit_not"),
    }
)
_MADE_OF: Final = (Map, Cast, Bitcast, Broadcast, Relabel, Load, Iota, Const, Reduce, Result)
# Functions of the outer result that are read as one number: the algebra does not look into them.
_OPAQUE: Final = frozenset({"where", "maximum", "minimum", "abs"})


@record
class Found:
    """Reductions of a region; `wanted` are the places read outside of them.

    The first `outers` of them read no other one.  `depends` are the reductions that each value is
    computed from.
    """

    members: tuple[Reduce, ...]
    wanted: tuple[int, ...]
    depends: Mapping[Node, frozenset[Reduce]]
    outers: int = 1


@record
class Reading:
    """A chain of terms, the fields of its elements, and which members of `Found` it holds.

    `given` are the numbers that all elements share, the chain's parameters.
    """

    chain: Chain
    operands: tuple[Tile, ...]
    given: tuple[Tile, ...]
    wanted: tuple[Reduce, ...]


def readings(found: Found) -> Iterator[Reading | Refused]:
    """The ways to read a chain, those with the simplest terms first; or why one is none."""
    seen: list[Reading] = []
    for deep in (False, True):
        for free in (False, True):
            try:
                made = _Reader(found, deep).reading(free)
            except Refused as refusal:
                yield refusal
                continue
            if made not in seen:
                seen.append(made)
                yield made


class _Reader:
    """Cuts the element-wise part of a chain and reads what is left."""

    def __init__(self, found: Found, deep: bool) -> None:
        self._found, self._deep = found, deep
        self._members = frozenset(found.members)
        self._operands: dict[Tile, None] = {}
        self._scalars: dict[Tile, None] = {}
        # A value is met once for each way to it, of which there may be very many.
        self._met: set[Tile] = set()
        self._known: dict[Tile, list[Tile]] = {}
        self._depth = 0

    def reading(self, free: bool) -> Reading:
        """The chain; `free`: factors of outer results alone are taken out of the sums."""
        for member in self._found.members:
            for arg in member.args:
                self._cut(arg)
        operands = tuple(self._operands)
        _require_elementwise(operands)
        terms = self._terms(operands)
        names = [f"{R}{place}" for place in range(len(terms))]
        count = self._found.outers
        sums: dict[int, tuple[_Share, ...]] = {}
        for place, term in enumerate(terms[count:], count):
            known = {other: Var(names[k]) for k, other in enumerate(terms[:place])}
            body, earlier = replaced(_summand(term), known), names[count:place]
            taken = names[:place] if free else earlier
            sums[place] = _shares(body, self._elements(), earlier, taken)
        return self._made(terms, sums)

    def _made(self, terms: Sequence[Term], sums: Mapping[int, tuple[_Share, ...]]) -> Reading:
        found, count = self._found, self._found.outers
        kept = _needed(found.wanted, sums)
        # The places in the chain of each outer reduction, and of the shares of each sum kept.
        places: dict[int, tuple[int, ...]] = {place: (place,) for place in range(count)}
        for place in kept:
            start = sum(map(len, places.values()))
            places[place] = tuple(range(start, start + len(sums[place])))
        shares = [share for place in kept for share in sums[place]]
        values, later = _values([share.body for share in shares], self._elements(), count)
        first, *beside = (
            Beside(*_outer(term), value) for term, value in zip(terms[:count], values, strict=True)
        )
        moved = {
            f"{R}{place}": total(Var(f"{R}{k}") for k in given) for place, given in places.items()
        }
        chain = Chain(
            first.outer,
            first.key,
            tuple(later),
            operands=len(self._operands),
            nonempty=found.members[0].leaves > 0,
            value=first.value,
            outside=tuple(substituted(share.factor, moved) for share in shares),
            wanted=tuple(places[place] for place in found.wanted),
            specification=tuple(terms[place] for place in found.wanted),
            beside=tuple(beside),
            written=tuple((terms[place], places[place]) for place in places),
        )
        chain, given = self._parametrised(chain)
        wanted = tuple(found.members[place] for place in found.wanted)
        return Reading(chain, tuple(self._operands), given, wanted)

    def _parametrised(self, chain: Chain) -> tuple[Chain, tuple[Tile, ...]]:
        """The chain with the scalars that it speaks of as parameters, in order; and these."""
        spoken = [
            (name, tile)
            for name, tile in zip(self._shared(), self._scalars, strict=True)
            if any(mentions(each, name) for each in chain.terms())
        ]
        accumulate = self._found.members[0].accumulate
        for _, tile in spoken:
            alike = tile.dtype == accumulate
            require(alike, f"a number in a sum is {tile.dtype}, which is not {accumulate}")
        names = parameter_names(len(spoken))
        by = {name: Var(to) for (name, _), to in zip(spoken, names, strict=True)}
        domains = (parameter_domain(tile, divides=False) for _, tile in spoken)
        parameters = dict(zip(names, domains, strict=True))
        made = replace(chain.substituted(by), parameters=parameters)
        return made, tuple(tile for _, tile in spoken)

    def _elements(self) -> tuple[str, ...]:
        return operand_names(len(self._operands))

    def _shared(self) -> tuple[str, ...]:
        """The names of the scalars that are no constants."""
        return parameter_names(len(self._scalars))

    def _terms(self, operands: tuple[Tile, ...]) -> list[Term]:
        """What each member is, with scalars that are no constants as parameters."""
        reader = RegionReader(self._found.members[0].over, operands, tuple(self._scalars))
        return list(map(reader.term, self._found.members))

    def _cut(self, tile: Tile) -> None:
        """Note what the reader has to stop at."""
        if tile in self._met:
            return
        self._met.add(tile)
        require(self._depth < DEPTH, "a value is nested too deeply")
        self._depth += 1
        self._note(tile)
        self._depth -= 1

    def _note(self, tile: Tile) -> None:
        free = self._found.depends[tile].isdisjoint(self._members)
        tile = _plain(tile)
        if isinstance(tile, Const) or (isinstance(tile, Cast) and isinstance(tile.value, Const)):
            return
        if free and tile.axes:
            self._operands |= dict.fromkeys(self._leaves(tile) if self._deep else (tile,))
        elif free and not (self._deep and isinstance(tile, Map) and _is_read(tile)):
            self._scalars[tile] = None
        elif isinstance(tile, Map | Cast | Broadcast):
            for below in tile.operands():
                assert isinstance(below, Tile)
                self._cut(below)
        elif tile not in self._members:
            what = f"{tile.mnemonic} stands between the reductions"
            raise Refused(f"{what}, and is no element-wise function of their operands")

    def _leaves(self, tile: Tile) -> list[Tile]:
        """What a tile is computed from by functions that have terms; the tile where that fails."""
        if tile not in self._known:
            require(self._depth < DEPTH, "a value is nested too deeply")
            self._depth += 1
            self._known[tile] = list(dict.fromkeys(self._below(tile)))
            self._depth -= 1
        return self._known[tile]

    def _below(self, tile: Tile) -> list[Tile]:
        tile = _plain(tile)
        if not _is_read(tile):
            return [tile]
        out: list[Tile] = []
        for below in tile.operands():
            assert isinstance(below, Tile)
            if below.axes:
                out += self._leaves(below)
            elif not isinstance(below, Const) and not _is_integer(below):
                self._cut(below)
        usable = out and all(leaf.dtype.is_float for leaf in out)
        casts = isinstance(tile, Cast) and out == [tile.value]
        return out if usable and not casts else [tile]


def _is_integer(tile: Tile) -> bool:
    return isinstance(tile, Cast) and isinstance(tile.value, Const)


def _is_read(tile: Tile) -> bool:
    match tile:
        case Map(fn=fn):
            return fn in _READ
        case Cast(value=value):
            wider = value.dtype.bits < tile.dtype.bits
            return value.dtype.is_float and tile.dtype.is_float and wider
        case _:
            return isinstance(tile, Broadcast)


def _plain(tile: Tile) -> Tile:
    """A difference that the program writes as `fma` of 1, as the difference it is."""
    match tile:
        case Map(fn="fma", args=(a, Const(value=1.0), Map(fn="neg", args=(b,)))):
            return Map(fn="sub", args=(a, b), type=tile.type)
        case _:
            return tile


def _require_elementwise(operands: Sequence[Tile]) -> None:
    if not operands:
        raise Refused("no operand of the chain spans its axes")
    for at in reach(operands):
        if isinstance(at, Tile) and at.axes and not isinstance(at, _MADE_OF):
            raise Refused(f"an operand is computed by {at.mnemonic}, element by element by nothing")


def _outer(term: Term) -> tuple[Outer, Term]:
    """The kind of the outer reduction, and its key."""
    match term:
        case Apply("maximum", (Lit(0.0), Apply("list.max", (Apply("abs", (key,)),)))):
            return "absmax", key
        case Apply("list.max", (Apply("abs", (key,)),)):
            return "absmax", key
        case Apply("list.max", (key,)):
            return "max", key
        case Apply("list.min", (key,)):
            return "min", key
        case Apply("list.sum", (key,)):
            return "add", key
        case _:
            raise Refused("the outer reduction is neither a sum nor an extremum")


def _summand(term: Term) -> Term:
    match term:
        case Apply("list.sum", (body,)):
            return body
        case _:
            raise Refused("a later reduction is no sum")


@record
class _Share:
    """A sum of `body` times `factor`, which no element is in: a part of a later reduction."""

    body: Term
    factor: Term


def _shares(
    body: Term, fields: Sequence[str], earlier: Sequence[str], taken: Sequence[str]
) -> tuple[_Share, ...]:
    """The sum of a body, cut where it adds what earlier sums give.

    Factors that no element is in leave the sum where they read one of `taken`, which are results
    that were reduced before, `earlier` sums among them.
    """
    own: list[Term] = []
    shares: list[_Share] = []
    for part in _parts(body, earlier):
        if not mentions(part, *earlier):
            own.append(part)
        elif not mentions(part, *fields):
            shares.append(_Share(Lit(1.0), part))
        else:
            shares.append(_Share(*_pulled(part, frozenset(fields), taken)))
    if own:
        shares.insert(0, _Share(*_pulled(total(own), frozenset(fields), taken)))
    if any(mentions(share.body, *earlier) for share in shares):
        raise Refused("a sum reads an earlier sum other than by a factor or a summand")
    return tuple(shares)


def _parts(term: Term, names: Sequence[str]) -> list[Term]:
    """The terms whose sum a term is, spread as far as summands read one of `names`."""
    if not mentions(term, *names):
        return [term]
    match term:
        case Apply("add", (a, b)):
            return [*_parts(a, names), *_parts(b, names)]
        case Apply("sub", (a, b)):
            return [*_parts(a, names), *(product([Lit(-1.0), each]) for each in _parts(b, names))]
        case Apply("mul", (a, b)):
            return [app("mul", p, q) for p in _parts(a, names) for q in _parts(b, names)]
        case Apply("div", (a, b)) if mentions(a, *names):
            return [app("div", each, b) for each in _parts(a, names)]
        case _:
            return [term]


def _needed(wanted: Sequence[int], sums: Mapping[int, tuple[_Share, ...]]) -> list[int]:
    """The places of the sums that are read, or that such a sum reads."""
    needed = set(wanted)
    for place in sorted(sums, reverse=True):
        if place in needed:
            factors = [share.factor for share in sums[place]]
            needed |= {k for k in sums if any(mentions(f, f"{R}{k}") for f in factors)}
    kept = [place for place in sums if place in needed]
    if not kept:
        raise Refused("no sum of the chain is read")
    return kept


def _pulled(term: Term, fields: frozenset[str], names: Sequence[str]) -> tuple[Term, Term]:
    """A term without the factors that no element is in and that read `names`; and these."""

    def taken(part: Term) -> bool:
        return mentions(part, *names) and not mentions(part, *fields)

    match term:
        case Apply("mul", (a, b)) if taken(a) or taken(b):
            rest, factor = _pulled(*((b, fields, names) if taken(a) else (a, fields, names)))
            other = a if taken(a) else b
            return rest, other if factor == Lit(1.0) else app("mul", factor, other)
        case Apply("mul", (a, b)):
            (a, over), (b, under) = _pulled(a, fields, names), _pulled(b, fields, names)
            both = [each for each in (over, under) if each != Lit(1.0)]
            joined = both[0] if len(both) == 1 else app("mul", over, under)
            return app("mul", a, b), joined if both else Lit(1.0)
        case Apply("div", (a, b)):
            rest, factor = _pulled(a, fields, names)
            if taken(b):
                return rest, app("div", factor, b)
            return app("div", rest, b), factor
        case _:
            return term, Lit(1.0)


def _values(
    bodies: Sequence[Term], fields: tuple[str, ...], outers: int
) -> tuple[list[Term], list[Term]]:
    """The function of each outer result that all summands read, and they over these as `r`, ….

    A result that no summand reads other than by a factor outside of it is its own function.
    """
    results = [f"{R}{place}" for place in range(outers)]
    found: list[dict[Term, None]] = [{} for _ in results]

    def named(place: int, term: Term) -> Term:
        found[place][substituted(term, {results[place]: Var(R)})] = None
        return Var(centre(place))

    def hoisted(term: Term) -> Term:
        read = [place for place, result in enumerate(results) if mentions(term, result)]
        if not read or isinstance(term, Var):
            return named(read[0], term) if read else term
        assert isinstance(term, Apply)
        alone = len(read) == 1 and not mentions(term, *fields)
        if alone and (term.fn in _OPAQUE or (term.fn == "div" and term.args[1] == COUNT)):
            return named(read[0], term)
        return Apply(term.fn, tuple(map(hoisted, term.args)))

    later = [hoisted(body) for body in bodies]
    if max(map(len, found)) > 1:
        raise Refused("the sums read several functions of the outer result")
    return [next(iter(each), PLAIN) for each in found], later
