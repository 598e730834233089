"""How far the state of a law may be from the exact one after any tree of merges of some shape.

In: a law with closed forms, its operands with their bounds, and the shape of the tree.  Out: the
exact results with a bound each, or None where none is stated.  Decides the bounds of sums that are
rescaled at merges and of moments; leaves which merges these are to `merges`, plain sums to
`envelope`.

With u the unit of the accumulation, d the levels and g(k) = k u / (1 - k u):

* a sum of y whose sides are multiplied by factors: a merge rounds a contribution by `steps` units,
  so sum e + g(steps d) sum(|y| + e).  e, the bound of the element's own term, has room for what
  arguments of exponentials round: the differences on a path add up to the term's own exponent.
* moments, sums of products of factors with slopes a, at most F over all r in a hull of length R:
  an error of T_k, the sum of the k-th derivatives over k!, reaches the sum itself times R^k, so a
  merge costs at most g(steps) G with G = sum prod(F + 2 |a| R).  A sum that is left out, being zero
  at the exact mean, is off by its derivative times E, the error of a mean: at most E D, D = G'.
  With several r, |a| R and E D are sums over them: T_k has an order in each, and so has its reach.
* squares of distances to a mean: a merge whose sides have means off by e_a and e_b (in units of u
  max|x|) is off by 2 w |delta| (e_a + e_b), w = n_a n_b / (n_a + n_b), and as the w delta^2 of a
  tree add up to M2, all merges together by 2 u X sqrt(V M2) with V = sum w (e_a + e_b)^2
  (Cauchy-Schwarz); second-order terms are added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field, replace
from itertools import product

import numpy as np

from certile.ir.dtypes import DType, f64
from certile.ir.terms import Lit, Term
from certile.ir.tile import Reduce
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.algebra import Algebra, Typed
from certile.reference.bounding import Freedom
from certile.reference.envelope import extreme_error, growth, settled, sum_error, whole
from certile.reference.machine_numeric import Array
from certile.reference.merges import Centre, Part, factors, parts_of, slopes, summands
from certile.reference.trees import Tree
from certile.reference.values import LARGEST, LEAST_NORMAL, UNIT, Value, wide

__all__ = ["Results", "apart", "state_results"]


@record
class Results:
    """The exact results of a reduction with a bound each; `lost` where the state is not finite."""

    values: tuple[Value, ...]
    lost: Array


def state_results(node: Reduce, args: Sequence[Value], how: Freedom, tree: Tree) -> Results | None:
    """The exact results of a reduction, each with a bound for every tree of the shape of `tree`.

    `args` have the leaves along the last dimension, and parameters behind them.  None where no
    bound is stated for the law.
    """
    parts, count = parts_of(node.law), args[0].data.shape[-1]
    dtype = node.accumulate
    if parts is None or count == 0 or node.init or not dtype.is_float:
        return None
    if any(part.centres for part in parts) and count * UNIT[dtype] > 1:
        return None  # The counts of a mean would be rounded.
    widened = [replace(arg, data=numeric.convert(arg.data, dtype, f64)).full() for arg in args]
    free = replace(how, unit=dtype, always=True)
    leaves, given = apart(node, widened)
    made = _State(Algebra(node.law, f64, count, free, given=given), leaves, dtype, tree)
    for part in parts:
        made.add(part)
    state = tuple(made.values[part.name] for part in parts)
    lost = np.zeros(state[0].data.shape, np.bool_)
    for value in state:
        lost = lost | ~np.isfinite(value.data)
    for shared in given:
        lost = lost | ~np.isfinite(shared.data[..., 0])
    found = made.algebra.finalize(tuple(value.each(lambda a: a[..., None]) for value in state))
    return Results(tuple(value.each(lambda a: a[..., 0]) for value in found), lost)


def apart(node: Reduce, args: Sequence[Value]) -> tuple[Sequence[Value], Sequence[Value]]:
    """The operands of a reduction, and the parameters of its law behind them."""
    return args[: node.law.operands], args[node.law.operands :]


@record
class _State:
    """The components made so far; `values` are exact but for the float64 of the reference."""

    algebra: Algebra
    args: Sequence[Value]
    dtype: DType
    tree: Tree
    values: dict[str, Value] = field(default_factory=dict)

    @property
    def unit(self) -> float:
        return UNIT[self.dtype]

    def add(self, part: Part) -> None:
        """Make one more component."""
        leaves = self.elements(part.body)
        x, e = wide(leaves.data), leaves.errors()
        if part.kind == "mean":
            self.values[part.name] = self._mean(x, e)
            return
        if part.kind != "sum":
            self.values[part.name] = self._extreme(part, x, e)
            return
        center = np.asarray(x.sum(axis=-1))
        if not part.centres:
            depth = math.ceil(max(1.0, part.steps) * self.tree.depth)
            error = sum_error(x, e, center, self.dtype, depth, whole)
        else:
            error = self._moments(part, (x, e), center)
        if self.algebra.may_flush:
            error = error + 2 * x.shape[-1] * LEAST_NORMAL[self.dtype]
        self.values[part.name] = Value(center, error=error)

    def _extreme(self, part: Part, x: Array, e: Array) -> Value:
        sign = -1.0 if part.kind == "min" else 1.0
        center = np.asarray((sign * x).max(axis=-1))
        error = extreme_error(sign * x, e, center, whole)
        if part.kind == "absmax":
            center = np.maximum(center, 0.0)
        return Value(sign * center, error=error)

    def _mean(self, x: Array, e: Array) -> Value:
        center = np.asarray(x.mean(axis=-1))
        size = (np.abs(x) + e).max(axis=-1)
        made = growth(self.tree.drift, self.unit) * size + e.mean(axis=-1)
        apart = (x.max(axis=-1) - x.min(axis=-1) + 2 * e.max(axis=-1)) * 1.001
        unsure = ~(apart <= LARGEST[self.dtype]) & np.isfinite(x).all(axis=-1)
        return Value(center, error=settled(made, center, (x, e), self.dtype, unsure))

    def elements(self, term: Term, instead: dict[Term, Typed] | None = None) -> Value:
        """A term at every element, with its bound; `instead` gives some terms a value."""
        names = self.algebra.law.lift_variables()
        variables = dict(self.algebra.shared)
        variables |= {name: Typed(f64, arg) for name, arg in zip(names, self.args, strict=True)}
        for name, value in self.values.items():
            spread = value.each(lambda array: array[..., None])
            variables[f"state.{name}"] = Typed(f64, spread)
        shape = self.args[0].data.shape
        if isinstance(term, Lit):
            return Value(np.full(shape, float(term.value)))
        made = self.algebra.term(term, variables, instead or {})
        return made.each(lambda array: np.broadcast_to(array, shape)).full()

    def _moments(self, part: Part, leaves: tuple[Array, Array], center: Array) -> Array:
        """Sum e and what the merges of moments round."""
        x, e = leaves
        inherited, levels = e.sum(axis=-1), self.tree.depth + 1
        about = [self.elements(centre.key) for centre in part.centres]
        hulls = [
            self._hull(centre, wide(key.data), key.errors())
            for centre, key in zip(part.centres, about, strict=True)
        ]
        rounding = growth(part.steps * levels, self.unit)
        sizes, moved = self._sizes(part, hulls)
        made = rounding * sizes + (1 + rounding) * levels * moved
        if part.squares:
            made = np.minimum(made, self._squares(rounding, wide(about[0].data), center))
        bad = ~(sizes * (1 + rounding) <= LARGEST[self.dtype]) & np.isfinite(center)
        return settled(np.asarray(inherited + made), center, (x, e), self.dtype, bad)

    def _hull(self, centre: Centre, key: Array, e: Array) -> tuple[Array, Array, Array]:
        """The ends between which every partial value of the centre lies, and how far it is off."""
        safe = np.where(np.isfinite(key), key, 0.0)
        reach = np.where(np.isfinite(e), e, 0.0)
        low, high = (safe - reach).min(axis=-1), (safe + reach).max(axis=-1)
        if centre.kind == "absmax":
            return np.zeros_like(low), high, np.zeros_like(low)
        if centre.is_exact:
            return low, high, np.zeros_like(low)
        size = np.abs(safe) + reach
        if centre.kind == "mean":
            off = growth(self.tree.drift, self.unit) * size.max(axis=-1)
        else:
            total = size.sum(axis=-1)
            low, high, off = -total, total, growth(self.tree.depth, self.unit) * total
        return low - off, high + off, off

    def _sizes(
        self, part: Part, hulls: Sequence[tuple[Array, Array, Array]]
    ) -> tuple[Array, Array]:
        """G, and E D, of the module's text, each summed over the elements."""
        terms = [centre.term for centre in part.centres]
        lengths = [(high - low)[..., None] for low, high, _ in hulls]
        corners = [
            {term: Typed(f64, Value(end[..., None])) for term, end in zip(terms, ends, strict=True)}
            for ends in product(*((low, high) for low, high, _ in hulls))
        ]
        total = moved = np.zeros(self.args[0].data.shape)
        for summand in summands(part.body):
            whole_of, off_by = np.ones(total.shape), np.zeros(total.shape)
            for factor in factors(summand):
                rates = [abs(rate) for rate in slopes(factor, terms) or ()]
                at = [np.abs(wide(self.elements(factor, dict(ends)).data)) for ends in corners]
                size = np.max(at, axis=0)
                off = np.zeros(total.shape)
                for rate, length, (_, _, error) in zip(rates, lengths, hulls, strict=True):
                    size = size + 2 * rate * length
                    off = off + rate * error[..., None]
                off_by = off_by * size + whole_of * off
                whole_of = whole_of * size
            total, moved = total + whole_of, moved + off_by
        return total.sum(axis=-1), moved.sum(axis=-1)

    def _squares(self, rounding: float, x: Array, center: Array) -> Array:
        """What merges round of a sum of squared distances to the mean."""
        tree, count = self.tree, x.shape[-1]
        scale = self.unit * np.abs(x).max(axis=-1)
        off = growth(tree.drift, self.unit) / self.unit
        spread = np.maximum(center, 0.0)
        moved = 2 * scale * np.sqrt(tree.coupling * spread)
        moved = moved + scale * scale * (2 * tree.coupling + 9 * count * (tree.depth + 1) * off)
        return np.asarray(rounding * (spread + moved) + moved + count * (scale * off) ** 2)
