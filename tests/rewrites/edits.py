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
from certile.proof.check.certificate import goal_text, heading
from certile.proof.check.regions import RegionReader
from certile.proof.check.terms import Fuel, Refused, Table
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


def edited(choose, certificate, others):
    """The certificate with one part changed; `others` are true certificates of other rewritings."""
    made = copy.deepcopy(certificate)
    path = choose.choice([path for path in places(made) if path])
    holder, key = at(made, path[:-1]), path[-1]
    match choose.randrange(7):
        case 0:
            holder[key] = copy.deepcopy(choose.choice(HOSTILE))
        case 1:
            del holder[key]
        case 2:
            _swap(choose, holder, key)
        case 3:
            other = choose.choice(others)
            found = choose.choice(list(places(other)))
            holder[key] = copy.deepcopy(at(other, found))
        case 4:
            # The same place of another certificate, where it has one.
            other = choose.choice(others)
            if path in set(places(other)):
                holder[key] = copy.deepcopy(at(other, path))
        case 5:
            _nudge(choose, holder, key)
        case 6:
            if isinstance(holder, list):
                holder.insert(choose.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
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
        "lift": list(law.lift_variables()),
        "merge": [f"{side}.{name}" for side in "ab" for name in state],
        "finalize": state,
        "closed": [*law.lift_variables(), *(f"state.{name}" for name in state)],
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
    reader = RegionReader(fold.over, fold.args)
    meaning = Meaning(
        closed=tuple(map(_term, entry["closed"])),
        specification=tuple(reader.term(each) for each in fallback.instead),
        domain=entry["domain"],
        nonempty=all(axis.extent >= 1 for axis in fold.over),
        bounded=True,
    )
    table = Table(Fuel(400_000))
    obligations = dict(goals(table, law, meaning))
    entry["certificate"] |= heading(law, meaning)
    for proof in entry["certificate"]["obligations"]:
        if proof["name"] in obligations:
            proof["goal"] = goal_text(table, obligations[proof["name"]])
