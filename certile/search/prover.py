"""The prover: tactics tried in order on each goal, with backtracking where a choice may be wrong.

Splitting into kinds and comparing lose nothing, so what follows them decides; going to the operands
or bodies of both sides may lose a true goal, so it is undone when it fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.replay import Goal, Step
from certile.proof.check.terms import JOIN, LISTS, Refused, Table
from certile.search.algebra import difference, product, ratio, spread, total
from certile.search.script import Script, minuend_and_subtrahend

SEARCH_FUEL: Final = 3_000_000
_DEPTH: Final = 60
_GROUPS: Final = (kinds.NINF, kinds.FINITE, kinds.PINF, kinds.NAN)
_DECIDED: Final = (kinds.ZERO, kinds.POS)
_EXTREMA: Final = frozenset({"top", "bottom"})
# Where the kind of an operand decides the kind of the result.
_ARITHMETIC: Final = frozenset({"add", "mul", "div", "exp", "log", "abs", "kind", "sum", "prod"})

Tactic = Callable[[Script], bool]


def prove_goal(table: Table, goal: Goal) -> tuple[Step, ...] | None:
    """The steps that prove a goal, or None; the table's fuel bounds the search."""
    script = Script(table, goal)
    try:
        return tuple(script.steps) if _solve(script, _DEPTH) else None
    except Refused:
        return None


def search_table(fuel: int = SEARCH_FUEL) -> Table:
    """A table with fuel for a search."""
    return Table(fuel)


def _solve(script: Script, depth: int) -> bool:
    """Prove the goal on top; on failure the script is as it was."""
    mark, floor = script.mark(), script.open - 1
    script.simplify()
    if _finish(script):
        return True
    if depth:
        here = script.mark()
        if _factored(script) and _solve_down_to(script, floor, depth - 1):
            return True
        script.back(here)
        for tactic in _CERTAIN:
            if tactic(script):
                if _solve_down_to(script, floor, depth - 1):
                    return True
                script.back(mark)
                return False
        here = script.mark()
        for tactic in _DOUBTFUL:
            if tactic(script) and _solve_down_to(script, floor, depth - 1):
                return True
            script.back(here)
    script.back(mark)
    return False


def _solve_down_to(script: Script, floor: int, depth: int) -> bool:
    while script.open > floor:
        if not _solve(script, depth):
            return False
    return True


def _finish(script: Script) -> bool:
    """Close a goal whose sides are one term up to order or finite algebra, or that cannot be."""
    goal = script.goal
    if goal.left == goal.right:
        script.take("close")
        return True
    for term in (*script.reach(), *goal.context.kinds):
        if not goal.context.kind(term):
            # A split without cases: the facts contradict.
            script.take("split", terms=(term,))
            return True
    mark = script.mark()
    for name in ("regroup", "ring"):
        if script.attempt(name, (0,), (goal.right,)) and script.attempt("close"):
            return True
        script.back(mark)
    if _multiply_out(script):
        return True
    script.back(mark)
    return False


def _multiply_out(script: Script) -> bool:
    """Distribute finite factors, sort products, compare the sums: their terms may be infinite."""
    rows = script.table.rows
    products = [rows[t].args for t in script.reach() if rows[t].op == "mul"]
    if not any(rows[arg].op == "add" for args in products for arg in args):
        return False
    for side in (0, 1):
        _multiply_out_at(script, (side,))
    return script.attempt("regroup", (0,), (script.goal.right,)) and script.attempt("close")


def _multiply_out_at(script: Script, path: tuple[int, ...]) -> None:
    table = script.table
    row = table.rows[script.at(path)[1]]
    if row.op == "mul" and table.rows[row.args[0]].op == "add":
        script.attempt("regroup", path, (table.make("mul", *reversed(row.args)),))
    script.attempt("distribute", path)
    _, term = script.at(path)
    if table.rows[term].op == "mul":
        script.attempt("regroup", path, (product(table, sorted(table.flat("mul", term))),))
    elif table.rows[term].op == "add":
        for child in (0, 1):
            _multiply_out_at(script, (*path, child))


def _parents(script: Script) -> dict[int, set[str]]:
    """The operations that each term of the goal is an operand of."""
    rows = script.table.rows
    parents: dict[int, set[str]] = {}
    for term in script.table.reach(script.goal.left, script.goal.right):
        for arg in rows[term].args:
            parents.setdefault(arg, set()).add(rows[term].op)
    return parents


def _split_special(script: Script, *ops: str) -> bool:
    """Split a term with several groups of kinds into -inf, finite, +inf and NaN."""
    parents = _parents(script)
    for term in script.reach():
        if script.table.rows[term].op not in ops:
            continue
        mask = script.goal.context.kind(term)
        groups = tuple(mask & group for group in _GROUPS if mask & group)
        matters = mask & kinds.NAN or parents.get(term, set()) & _ARITHMETIC
        known = term in script.goal.context.kinds or script.table.rows[term].op in ("elem", "sym")
        if matters and (len(groups) > 1 or not known):
            script.take("split", terms=(term,), masks=groups)
            return True
    return False


def _split_extrema(script: Script) -> bool:
    return _split_special(script, *_EXTREMA)


def _split_elements(script: Script) -> bool:
    return _split_special(script, "elem", "sym")


def _split_sums(script: Script) -> bool:
    return _split_special(script, "sum", "prod")


def _split_counts(script: Script) -> bool:
    """Tell an empty list from one with elements where its count is spoken of."""
    one = script.table.num(1)
    for term in script.reach():
        row = script.table.rows[term]
        if row.op == "sum" and row.args == (one,):
            mask = script.goal.context.kind(term)
            if mask == kinds.ZERO | kinds.POS:
                script.take("split", terms=(term,), masks=(kinds.ZERO, kinds.POS))
                return True
    return False


def _attain(script: Script) -> bool:
    """Narrow a sum by the element that is the maximum, or infinite."""
    context, rows = script.goal.context, script.table.rows
    terms = script.reach()
    sums = [term for term in terms if rows[term].op == "sum"]
    extremes = {term for term in {*terms, *context.kinds} if rows[term].op in JOIN}
    for over in sums:
        for extreme in sorted(extremes):
            mark = script.mark()
            if rows[extreme].value != rows[over].value:
                continue
            if script.attempt("attain", terms=(extreme, over)):
                if script.goal.context.kind(over) != context.kind(over):
                    return True
                script.back(mark)
    return False


def _relate(script: Script) -> bool:
    """Write a sum of the left as a factor times a sum of the right, after proving it."""
    rows, goal = script.table.rows, script.goal
    left, right = (
        [t for t in script.table.reach(side) if rows[t].op == "sum"]
        for side in (goal.left, goal.right)
    )
    for over in left:
        for under in right:
            if over in right or rows[over].value != rows[under].value or under in left:
                continue
            factor = ratio(script.table, rows[over].args[0], rows[under].args[0])
            if factor is not None and _relate_by(script, over, factor, under):
                return True
    return False


def _relate_by(script: Script, over: int, factor: int, under: int) -> bool:
    """Prove over = factor * under for each element, and use it."""
    mark, floor = script.mark(), script.open
    one = script.table.num(1)
    written = under if factor == one else script.table.make("mul", factor, under)
    if not script.attempt("have", terms=(over, written)):
        return False
    moved = factor == one or script.attempt("factor_in", (1,))
    if moved and script.attempt("operands") and _solve_down_to(script, floor, _DEPTH):
        return script.replace(over, written)
    script.back(mark)
    return False


def _split_sizes(script: Script) -> bool:
    """Split what has a size that is known to be 0 by its kinds: all but 0 contradict."""
    context, rows = script.goal.context, script.table.rows
    for term in context.kinds:
        if rows[term].op == "abs" and context.kind(term) == kinds.ZERO:
            (of,) = rows[term].args
            masks = tuple(kinds.single(context.kind(of)))
            if len(masks) > 1 and script.attempt("split", terms=(of,), masks=masks):
                return True
    return False


def _same_values(script: Script) -> bool:
    """Where an extreme of a list is 0, write a sum of it as that of one value, after proving it."""
    rows, context, table = script.table.rows, script.goal.context, script.table
    extremes = ((rows[term], mask) for term, mask in context.kinds.items())
    names = {row.value for row, mask in extremes if row.op in _EXTREMA and mask == kinds.ZERO}
    for term in script.reach():
        row = rows[term]
        if row.op != "sum" or row.value not in names or rows[row.args[0]].op == "num":
            continue
        for value in (table.num(0), table.num("nan")):
            mark, floor = script.mark(), script.open
            script.take("have", terms=(term, table.apply(row, (value,))))
            proved = script.attempt("operands") and _solve_down_to(script, floor, _DEPTH)
            if proved and script.replace(term, table.apply(row, (value,))):
                return True
            script.back(mark)
    return False


def _vanishing(script: Script) -> bool:
    """A sum against 0: that it is a sum of zeros, for each element."""
    rows, goal, table = script.table.rows, script.goal, script.table
    row = rows[goal.left]
    if row.op != "sum" or goal.right != table.num(0) or rows[row.args[0]].op == "num":
        return False
    floor, zeros = script.open, table.apply(row, (goal.right,))
    script.take("have", terms=(goal.left, zeros))
    proved = script.attempt("operands") and _solve_down_to(script, floor, _DEPTH)
    return proved and script.replace(goal.left, zeros)


def _difference(script: Script) -> bool:
    """Write what is compared with 0 as c·a, and c·a - c·b as c·(a - b): then their order counts."""
    rows, table = script.table.rows, script.table
    zero = table.num(0)
    for term in script.reach():
        if rows[term].op != "less" or rows[term].args[0] != zero:
            continue
        of, mark = rows[term].args[1], script.mark()
        rule, written = _multiple(script, of)
        if written is None or written == of:
            continue
        for path in list(script.occurrences(of)):
            script.attempt(rule, path, (written,))
        if script.mark()[1] != mark[1]:
            return True
    return False


def _multiple(script: Script, term: int) -> tuple[str, int | None]:
    """How to write a term as a multiple, positive factor first, and the rule that says so."""
    op, _, args = script.table.rows[term]
    if op == "mul" and script.goal.context.kind(args[1]) == kinds.POS:
        swapped = script.goal.context.kind(args[0]) != kinds.POS
        return "regroup", script.table.make("mul", *reversed(args)) if swapped else None
    if op == "div" and script.goal.context.kind(args[1]) == kinds.POS:
        share = script.table.make("div", script.table.num(1), args[1])
        return "ring", script.table.make("mul", share, args[0])
    return "ring", difference(script.table, term)


def _decide(script: Script) -> bool:
    """Split what an undecided condition, maximum or minimum asks, the smallest one first."""
    rows, context, table = script.table.rows, script.goal.context, script.table
    for term in sorted(script.reach(), key=lambda term: len(table.reach(term))):
        row = rows[term]
        if row.op == "kind":
            (of,) = row.args
            mask, among = context.kind(of), int(row.value)  # type: ignore[arg-type]
            if mask & among and mask & ~among:
                script.take("split", terms=(of,), masks=(mask & among, mask & ~among))
                return True
        elif row.op in ("same", "less", "max", "min"):
            a, b = row.args
            orders = [context.kind(table.make("less", *pair)) for pair in ((a, b), (b, a))]
            numbers = not (context.kind(a) | context.kind(b)) & kinds.NAN
            known = numbers and kinds.ZERO in orders
            decided = known if row.op in ("max", "min") else context.kind(term) in _DECIDED
            if not decided and (_ordered(script, a, b) or _decide_order(script, a, b)):
                return True
    return False


def _ordered(script: Script, a: int, b: int) -> bool:
    """Show the order of two terms by a summand of one of them, and use it."""
    return _not_below(script, a, b) or _not_below(script, b, a)


def _not_below(script: Script, a: int, b: int) -> bool:
    """Show that a is not below b, by a number between them or by a summand of a, and use it."""
    table = script.table
    less, zero = table.make("less", a, b), table.num(0)
    if script.goal.context.kind(less) == kinds.ZERO:
        return False
    if _shown(script, less, zero, "count_from_one"):
        return True
    beside = minuend_and_subtrahend(table, b)
    if a == zero and beside is not None:
        return _not_below(script, *reversed(beside))
    facts = script.goal.context.kinds.items()
    orders = [table.rows[term] for term, mask in facts if mask == kinds.ZERO]
    between = [row.args[1] for row in orders if row.op == "less" and row.args[0] == a]
    if any(_shown(script, less, zero, "not_below", each) for each in between):
        return True
    op, _, args = table.rows[a]
    if op != "add":
        return False
    mark = script.mark()
    _not_below(script, args[0], b)
    if _shown(script, less, zero, "sum_from_summand"):
        return True
    script.back(mark)
    return False


def _shown(script: Script, term: int, value: int, axiom: str, *given: int) -> bool:
    """Use that a term has a value, if an axiom says so."""
    mark = script.mark()
    if script.attempt("have", terms=(term, value)):
        if script.attempt(axiom, (0,), given) and script.attempt("close"):
            return True
        script.back(mark)
    return False


def _decide_order(script: Script, a: int, b: int) -> bool:
    context, rows = script.goal.context, script.table.rows
    x, y = context.kind(a), context.kind(b)
    for term, mask, other in ((a, x, y), (b, y, x)):
        if other in kinds.ONLY and rows[term].op != "num":
            sides = (other - 1, other, kinds.ANY & ~(2 * other - 1) & ~kinds.NAN, kinds.NAN)
            masks = tuple(mask & side for side in sides if mask & side)
            if len(masks) > 1:
                script.take("split", terms=(term,), masks=masks)
                return True
        if mask & kinds.NAN:
            if mask == kinds.NAN:
                return False
            script.take("split", terms=(term,), masks=(kinds.NAN, mask & ~kinds.NAN))
            return True
    if not x & y:
        return False
    # Two numbers: which one is less, if one is.
    less = script.table.make("less", a, b)
    if context.kind(less) in _DECIDED:
        less = script.table.make("less", b, a)
    return script.attempt("split", terms=(less,), masks=(kinds.POS, kinds.ZERO))


def _expand(script: Script) -> bool:
    """Spread each sum of a polynomial in the element over its monomials."""
    rows = script.table.rows
    return any(rows[term].op == "sum" and _expand_sum(script, term) for term in script.reach())


def _expand_sum(script: Script, term: int) -> bool:
    table = script.table
    (body,) = table.rows[term].args
    pairs = spread(table, body)
    if not pairs or pairs[0][1] == body:
        return False
    mark = script.mark()
    written = total(table, (product(table, pair) for pair in pairs))
    for path in list(script.occurrences(term)):
        if written == body or script.attempt("ring", (*path, 0), (written,)):
            _spread_at(script, path, len(pairs))
    if script.mark()[1] == mark[1]:
        script.back(mark)
        return False
    return True


def _spread_at(script: Script, path: tuple[int, ...], count: int) -> None:
    """Sum(a1 + … + an) becomes Sum a1 + … + Sum an, and each coefficient leaves its sum."""
    places = []
    for _ in range(count - 1):
        script.take("split_sum", path)
        places.append((*path, 1))
        path = (*path, 0)
    for place in [*places, path]:
        script.attempt("factor_out", place)


def _factored(script: Script) -> bool:
    """Sum against c * Sum: move the factor in, whatever it is, and compare the bodies."""
    rows, goal = script.table.rows, script.goal
    sides = [rows[goal.left].op, rows[goal.right].op]
    if sorted(sides) != ["mul", "sum"]:
        return False
    return script.attempt("factor_in", (sides.index("mul"),)) and script.attempt("operands")


def _bodies(script: Script) -> bool:
    left = script.table.rows[script.goal.left]
    return left.op in LISTS and script.attempt("operands")


def _operands(script: Script) -> bool:
    return script.attempt("operands")


_CERTAIN: Final[tuple[Tactic, ...]] = (
    _split_extrema,
    _split_sizes,
    _split_elements,
    _split_counts,
    _attain,
    _same_values,
    _relate,
)
_DOUBTFUL: Final[tuple[Tactic, ...]] = (
    _vanishing,
    _bodies,
    _expand,
    _operands,
    _difference,
    _decide,
    _split_sums,
)
