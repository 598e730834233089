"""Values of a region of a program as terms over the list of its elements.

What is read is what a program says; whether two programs may stand for one another is `regions`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from certile.ir.build import rounded
from certile.ir.dtypes import DType, bool_, f32, f64
from certile.ir.laws import operand_names, parameter_names
from certile.ir.meanings import Domain, Meaning, meaning_of
from certile.ir.terms import Apply, Lit, Term, Var, app, applications, substituted
from certile.ir.tile import Broadcast, Cast, Const, Map, Reduce, Result, Tile
from certile.ir.types import Axis
from certile.proof.check.elaborate import CONNECTIVES, is_truth
from certile.proof.check.finite import require_short
from certile.proof.check.terms import Refused, require

_LONGEST: Final = 2_000
DEPTH: Final = 60
_NEVER_NEGATIVE: Final = frozenset({"sqrt", "exp"})


class RegionReader:
    """Reads values as terms over the list of a region's elements.

    An element has one field for each of the `operands`, tiles along the axes `over`.  Axes that an
    operand has beside these are *columns*: there is one list for each of their coordinates, and a
    term speaks of any of them.  Scalars that are `given` are parameters, `c0` ….  `reductions` are
    those that were read, and `types` those of the floats that were computed with.
    """

    def __init__(
        self, over: tuple[Axis, ...], operands: Sequence[Tile], given: Sequence[Tile] = ()
    ) -> None:
        self._over = over
        self._leaves = math.prod(axis.static for axis in over)
        names = (*operand_names(len(operands)), *parameter_names(len(given)))
        self._fields = dict(zip((*operands, *given), map(Var, names), strict=True))
        self._known: dict[Tile, Term] = {}
        self._depth = 0
        self.reductions: dict[Reduce, None] = {}
        self.types = set[DType]()

    def term(self, tile: Tile) -> Term:
        """The term; raises `Refused` for what has none."""
        if tile not in self._known:
            self._depth += 1
            require(self._depth <= DEPTH, "a value is nested too deeply")
            term = self._read(tile)
            self._depth -= 1
            require_short([term], _LONGEST)
            self._known[tile] = term
        return self._known[tile]

    def _read(self, tile: Tile) -> Term:
        match tile:
            case _ if tile in self._fields:
                return self._fields[tile]
            case Const(value=bool() as value):
                return Lit(value)
            case Const(value=float() as value):
                return Lit(value if math.isfinite(value) else str(value))
            case Cast(value=Const(value=int() as value)):
                holds = tile.dtype.is_float and _holds(tile.dtype, value)
                require(holds, "a constant is rounded")
                return Lit(float(value))
            case Cast(value=value):
                widens = value.dtype.is_float and tile.dtype.is_float
                widens = widens and value.dtype.bits < tile.dtype.bits
                require(widens, f"a conversion of {value.dtype} to {tile.dtype} rounds")
                return self.term(value)
            case Broadcast(value=value):
                return self.term(value)
            case Map():
                return self._mapped(tile)
            case Reduce():
                return self._reduced(tile, 0)
            case Result(of=Reduce() as of, index=index):
                return self._reduced(of, index)
            case _:
                raise Refused(f"{tile.mnemonic} is no element-wise function of the operands")

    def _mapped(self, tile: Map) -> Term:
        exact = tile.dtype in (f32, f64, bool_)
        require(exact, f"{tile.fn} of {tile.dtype} rounds, or is of integers")
        self.types |= {each.dtype for each in (tile, *tile.args) if each.dtype.is_float}
        match tile.fn, tile.args:
            case "fma", (a, Const(value=1.0), Map(fn="neg", args=(b,))):
                # The same number, rounded once, and the same node where the program has it.
                return self.term(Map(fn="sub", args=(a, b), type=tile.type))
            case "fma", (a, b, c):
                return app("add", app("mul", self.term(a), self.term(b)), self.term(c))
            case "recip", (a,):
                return app("div", 1.0, self.term(a))
            case "div", (a, b):
                above, below = self.term(a), self.term(b)
                lists = any(each.fn.startswith("list.") for each in applications((above,)))
                mean = below == Lit(float(self._leaves)) and lists
                return app("div", above, app("list.sum", 1.0) if mean else below)
            case fn, args:
                return Apply(fn, tuple(map(self.term, args)))

    def _reduced(self, at: Reduce, index: int) -> Term:
        meaning = meaning_of(at.law)
        if not isinstance(meaning, Meaning) or at.law.results[index] != "acc":
            raise Refused(f"a reduction by {at.law.name} has no term over numbers")
        require(at.over == self._over, "a reduction is over other axes")
        everywhere = set(meaning.domain.values()) == {"any"}
        require(everywhere, f"{at.law.name} means what it says of some elements only")
        require_regrouped(at)
        self.reductions[at] = None
        by = dict(zip(at.law.lift_variables(), map(self.term, at.args), strict=True))
        return substituted(meaning.specification[index], by)


def parameter_domain(tile: Tile, *, divides: bool) -> Domain:
    """What a number that all elements share may be where it is finite, and not 0 if it divides."""
    if isinstance(tile, Map) and tile.fn in _NEVER_NEGATIVE:
        return "positive" if divides else "natural"
    return "nonzero" if divides else "finite"


def require_regrouped(at: Reduce) -> None:
    """The premises under which any tree may fold the elements of a reduction: of all its axes.

    Its operands have the type that it accumulates in, as it is well formed: in a narrower one a
    lift would round.
    """
    require(at.policy == "unordered_tree", f"a reduction has the policy {at.policy}")
    require(not at.init, "a reduction has a start value")
    spanned = {axis for arg in at.args for axis in arg.axes}
    require(spanned >= set(at.over), "a reduction repeats its elements along an axis")
    require(at.accumulate.is_float, f"a reduction in {at.accumulate} is of integers")


def _holds(dtype: DType, value: float) -> bool:
    """Whether `value` is a number of `dtype`, as a kernel takes it, or no finite one."""
    if abs(value) < 2**1000:
        return value == rounded(float(value), dtype)
    return value - value != 0


def require_numbers(terms: Iterable[Term], dtype: DType | None = None) -> None:
    """That terms are computed as they are read: by numbers of one type, where truths only decide.

    A literal takes the type of what it stands beside: beside a truth it would become one.
    """
    terms = list(terms)
    applied = list(applications(terms))
    for leaf in (*terms, *(arg for at in applied for arg in at.args)):
        if isinstance(leaf, Lit):
            own = leaf.dtype not in (None, "acc")
            require(not own, "a literal of a derived law has a type of its own")
            exact = dtype is None or isinstance(leaf.value, str) or _holds(dtype, leaf.value)
            require(exact, f"a literal of a derived law is no number of {dtype}")
    for at in applied:
        numbers = at.args[1:] if at.fn == "where" else at.args
        fits = all(is_truth(arg) == (at.fn in CONNECTIVES) for arg in numbers)
        require(fits, f"{at.fn} of a derived law computes with truths")
