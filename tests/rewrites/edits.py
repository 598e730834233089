"""Edits of rewritten kernels and of their certificates, as an adversary would make them.

An edited kernel comes with a certificate that fits it as well as one can make it: digests are those
of the edited kernel, goals those of its law, and only the proofs are old.
"""

import copy
from dataclasses import replace

from certile.ir import laws
from certile.ir.dtypes import bool_
from certile.ir.fingerprint import fingerprint
from certile.ir.meanings import Meaning
from certile.ir.terms import Apply, Lit, Var
from certile.ir.tile import Const, Iota, Load, Map, Reduce, Result
from certile.ir.types import Axis, TileType
from certile.ir.walk import parallel_regions, substitute, values
from certile.proof.check import goals
from certile.proof.check.certificate import heading
from certile.proof.check.regions import RegionReader
from certile.proof.check.terms import Refused, Table
from certile.proof.goal_text import rows
from tests import terms as law_terms
from tests.rewrites.forms import fallbacks, folded

HOSTILE = (
    None,
    True,
    -1,
    0,
    7,
    2**80,
    1e400,
    "",
    "inf",
    "1e999999999",
    "1/0",
    "9" * 700,
    [],
    {},
    [[[[[[]]]]]],
    {"lit": "nan"},
    ["exp", ["exp", "x"]],
    "x",
    "list.sum",
    ["list.sum", "x"],
    "state.r",
)
_SWAPS = (
    ("add", "sub", "mul", "div"),
    ("maximum", "minimum", "add"),
    ("lt", "gt", "eq", "ne"),
    ("list.sum", "list.max", "list.min"),
    ("exp", "abs", "neg"),
    ("bit_and", "bit_or"),
)


# Certificates.


def places(content, path=()):
    """The path of every part of some JSON."""
    yield path
    if isinstance(content, dict | list):
        parts = content.items() if isinstance(content, dict) else enumerate(content)
        for key, part in parts:
            yield from places(part, (*path, key))


def at(content, path):
    """The part at a path."""
    for key in path:
        content = content[key]
    return content


class Parts:
    """A certificate and the paths of its parts, listed once for many edits."""

    def __init__(self, content):
        self.content = content
        self.paths = list(places(content))
        self.known = set(self.paths)


def _opened(content, path):
    """A copy of the content, and what holds the part at a path; other parts are shared."""
    made = copy.copy(content)
    holder = made
    for key in path[:-1]:
        holder[key] = copy.copy(holder[key])
        holder = holder[key]
    return made, holder


def edited(choose, certificate, others):
    """The content with one part changed; `others` are the parts of other true certificates."""
    path = choose.choice(certificate.paths[1:])
    made, holder = _opened(certificate.content, path)
    key = path[-1]
    match choose.randrange(7):
        case 0:
            holder[key] = choose.choice(HOSTILE)
        case 1:
            del holder[key]
        case 2:
            _swap(choose, holder, key)
        case 3:
            other = choose.choice(others)
            holder[key] = at(other.content, choose.choice(other.paths))
        case 4:
            # The same place of another certificate, where it has one.
            other = choose.choice(others)
            if path in other.known:
                holder[key] = at(other.content, path)
        case 5:
            _nudge(choose, holder, key)
        case 6:
            if isinstance(holder, list):
                holder.insert(choose.randrange(len(holder) + 1), holder[key])
            else:
                holder[f"{key}_"] = holder[key]
    return made


def _swap(choose, holder, key):
    other = choose.choice(list(range(len(holder)) if isinstance(holder, list) else holder))
    holder[key], holder[other] = holder[other], holder[key]


def _nudge(choose, holder, key):
    value = holder[key]
    if isinstance(value, bool) or value is None:
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = value + choose.choice((-1, 1))
    elif isinstance(value, str) and value:
        place = choose.randrange(len(value))
        holder[key] = value[:place] + choose.choice("0axr1 ") + value[place + 1 :]
    elif isinstance(value, list):
        holder[key] = value[: choose.randrange(len(value) + 1)]


# Kernels.


def _number(choose, value):
    return choose.choice((0.0, 2.0, -1.0)) if value in (1, 1.0) else 1.0


def _law_edited(choose, law):
    """The law with one node of a part changed."""
    state = [component.name for component in law.state]
    names = {
        "identity": ["x"],
        "lift": [*law.lift_variables(), *law.parameters],
        "merge": [*(f"{side}.{name}" for side in "ab" for name in state), *law.parameters],
        "finalize": [*state, *law.parameters],
        "closed": [
            *(*law.lift_variables(), *law.parameters),
            *(f"state.{name}" for name in state),
        ],
    }
    part = choose.choice(("identity", "lift", "merge", "merge", "finalize", "closed"))
    terms = list(getattr(law, part))
    place = choose.randrange(len(terms))
    path = choose.choice(list(law_terms.places(terms[place])))
    terms[place] = law_terms.changed(choose, terms[place], path, names[part], _SWAPS, _number)
    if part == "identity" and isinstance(terms[place], Var):
        terms[place] = Lit(1.0)
    return replace(law, **{part: tuple(terms)})


def _instead(after, old, new):
    """The kernel with one value for another; None where they are the same."""
    return None if new is old else substitute(after, {old: new})


def another_law(choose, after, pick):
    """One node of the law changed: of the identity, lift, merge, finalize or closed forms."""
    fold = folded(pick)
    return _instead(after, fold, fold.with_(law=_law_edited(choose, fold.law)))


def another_operand(choose, after, pick):
    """The fold reads something else: another array, or the elements changed."""
    fold = folded(pick)
    args = list(fold.args)
    k = choose.randrange(len(args))
    loads = [v for v in values(after) if isinstance(v, Load) and v.type == args[k].type]
    others = [load for load in loads if load is not args[k]]
    doubled = Map(fn="add", args=(args[k], args[k]), type=args[k].type)
    negated = Map(fn="neg", args=(args[k],), type=args[k].type)
    args[k] = choose.choice([*others, doubled, negated])
    return _instead(after, fold, fold.with_(args=tuple(args)))


def another_number(choose, after, pick):
    """The fold is given another number, or one more; without one it is an operand's double."""
    fold = folded(pick)
    if not fold.given:
        return another_operand(choose, after, pick)
    given, one = list(fold.given), Const(value=1.0, type=fold.given[0].type)
    k = choose.randrange(len(given))
    negated = Map(fn="neg", args=(given[k],), type=given[k].type)
    elements = [v for v in values(after) if isinstance(v, Load) and v.dtype == given[k].dtype]
    given[k] = choose.choice([one, negated, *elements])
    return _instead(after, fold, fold.with_(given=tuple(given)))


def another_axis(choose, after, pick):
    """The fold runs over the first elements of the row alone."""
    fold = folded(pick)
    (axis,) = fold.over
    part = Axis.fresh("part", max(1, axis.extent - choose.randint(1, 3)))
    (region,) = parallel_regions(after)
    loads = {}
    for load in (v for v in values(after) if isinstance(v, Load) and axis in v.axes):
        at_part = Iota(axis=part, type=TileType(load.indices[-1].dtype, (part,)))
        loads[load] = load.with_(
            indices=(*load.indices[:-1], at_part), type=TileType(load.dtype, (part,))
        )
    if not all(arg in loads for arg in fold.args):
        return None
    made = fold.with_(args=tuple(loads[arg] for arg in fold.args), over=(part,))
    body = (*loads.values(), *region.body)
    wider = replace(
        after,
        body=tuple(step.with_(body=body) if step is region else step for step in after.body),
    )
    return substitute(wider, {fold: made})


def another_reduction(choose, after, pick):
    """What stands in for a value is another reduction: law, policy, order or element."""
    instead = list(pick.instead)
    k = choose.randrange(len(instead))
    chosen = instead[k]
    if not isinstance(chosen, Reduce):
        return None
    match choose.randrange(4):
        case 0:
            other = laws.MINIMUM if chosen.law is laws.MAXIMUM else laws.MAXIMUM
            instead[k] = chosen.with_(law=other)
        case 1:
            instead[k] = chosen.with_(policy=choose.choice(("fold_left", "reproducible")))
        case 2:
            j = choose.randrange(len(instead))
            instead[k], instead[j] = instead[j], instead[k]
        case _:
            (arg,) = chosen.args
            instead[k] = chosen.with_(args=(Map(fn="add", args=(arg, arg), type=arg.type),))
    return _instead(after, pick, pick.with_(instead=tuple(instead)))


def another_condition(choose, after, pick):
    """The row is computed again never, always, or where it need not be."""
    fold = folded(pick)
    last = Result(of=fold, index=len(fold.law.finalize) - 1, type=TileType(bool_))
    never = Const(value=False, type=TileType(bool_))
    if choose.random() < 0.5:
        return _instead(after, pick, pick.with_(when=choose.choice((never, last))))
    # A component that need not be finite.
    whole = fold.law.finalize[-1]
    terms = (*fold.law.finalize[:-1], choose.choice([Lit(True), *getattr(whole, "args", ())]))
    return _instead(after, fold, fold.with_(law=replace(fold.law, finalize=terms)))


def another_reader(choose, after, pick):
    """A reader of a value reads the folded one, or the one as written, past the fallback."""
    k = choose.randrange(len(pick.values))
    through = Result(of=pick, index=k, type=pick.values[k].type)
    return _instead(after, through, choose.choice((pick.values[k], pick.instead[k])))


def another_order(choose, after, pick):
    """Values of the fallback changed among themselves, or results of the fold."""
    found = list(pick.values)
    choose.shuffle(found)
    if tuple(found) == pick.values:
        found[0] = found[-1]
    return _instead(after, pick, pick.with_(values=tuple(found)))


EDITS = (
    another_law,
    another_law,
    another_law,
    another_operand,
    another_number,
    another_axis,
    another_reduction,
    another_condition,
    another_reader,
    another_order,
)


def edited_kernel(choose, after):
    """The kernel with one edit, and the name of the edit; None where it does not apply."""
    edit = choose.choice(EDITS)
    made = edit(choose, after, choose.choice(fallbacks(after)))
    return None if made is None or made == after else (edit.__name__, made)


def redressed(before, after, certificate):
    """The certificate with every digest, goal and closed form of the edited kernel."""
    made = copy.deepcopy(certificate)
    made["before"], made["after"] = fingerprint(before), fingerprint(after)
    for each, fallback in zip(made["laws"], fallbacks(after), strict=False):
        try:
            _redress(each, fallback)
        except (Refused, ValueError, TypeError, KeyError, AssertionError):
            # What cannot be read has no goals: the certificate keeps those that it has.
            continue
    return made


def _term(content):
    """The term that JSON says."""
    match content:
        case [str(fn), *args]:
            return Apply(fn, tuple(map(_term, args)))
        case {"lit": value}:
            return Lit(value)
        case str(name):
            return Var(name)
    raise ValueError(content)


def _redress(entry, fallback):
    fold = folded(fallback)
    law = replace(fold.law, finalize=fold.law.finalize[:-1], results=fold.law.results[:-1])
    reader = RegionReader(fold.over, fold.args, fold.given)
    meaning = Meaning(
        closed=tuple(map(_term, entry["closed"])),
        specification=tuple(reader.term(each) for each in fallback.instead),
        domain=entry["domain"],
        parameters=dict.fromkeys(law.parameters, "finite"),
        nonempty=all(axis.extent >= 1 for axis in fold.over),
        bounded=True,
    )
    table = Table(400_000)
    obligations = dict(goals(table, law, meaning))
    entry["certificate"] |= heading(law, meaning)
    terms = entry["certificate"]["terms"]
    for proof in entry["certificate"]["obligations"]:
        if proof["name"] in obligations:
            goal = obligations[proof["name"]]
            used = table.reach(goal.left, goal.right)
            place = {term: len(terms) + number for number, term in enumerate(used)}
            terms += rows(table, used, place)
            proof["goal"] = [place[goal.left], place[goal.right]]
