"""`check_rewrite`: whether a certificate proves that one program may run for another.

A rewrite puts one reduction of a derived law beside the reductions of a chain, which are computed
where its final state is not finite.  What the law has to give is read off the reductions
themselves, by `RegionReader`; the certificate (JSON, `certile.rewrite/1`) supplies the closed forms
of its state and the proof.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import Final

from certile.ir.fingerprint import fingerprint
from certile.ir.folds import deciding, unproved, value_of_fold
from certile.ir.laws import Law, StateType, parameter_names
from certile.ir.meanings import Discharge, Domain, Meaning
from certile.ir.node import Node
from certile.ir.terms import Apply, Term, Var, app, to_json
from certile.ir.tile import Fallback, Kernel, Reduce, Result, effects, roots
from certile.ir.verify import verify
from certile.ir.walk import at_once, erasures, substitute, values
from certile.proof.check.certificate import Json, check, document_of, fields_of, list_of
from certile.proof.check.finite import finite_fields
from certile.proof.check.limits import Limit, divisors, limits
from certile.proof.check.region_terms import (
    RegionReader,
    parameter_domain,
    require_numbers,
    require_regrouped,
)
from certile.proof.check.terms import Refused, require

SCHEMA: Final = "certile.rewrite/1"
# What floating point adds to a proof over V, and how every rewrite meets it.
_LOST: Final = (
    "a component of the final state that is not finite",
    "a written term that overflows",
)
DISCHARGES: Final = tuple(
    Discharge("dynamic", lost, "the row is computed again as written") for lost in _LOST
)
_LENGTH: Final = 4_000_000


def conjunction(law: Law, met: Sequence[Term] = ()) -> Term:
    """Whether a state, all parameters and results are finite, and tests of limits are met.

    It is the last result of a derived law.
    """
    names = (*(component.name for component in law.state), *law.parameters)
    results = zip(law.finalize, law.results, strict=True)
    made = [term for term, kind in results if kind == "acc" and isinstance(term, Apply)]
    numbers: dict[Term, None] = dict.fromkeys([*map(Var, names), *made])
    tests = [app("isfinite", each) for each in numbers]
    return reduce(lambda a, b: app("bit_and", a, b), (*tests, *met))


def check_rewrite(before: Kernel, after: Kernel, certificate: object) -> str | None:
    """None if the certificate proves that `after` may run for `before`; else why it does not.

    `certificate` is JSON text, or what `json.loads` makes of it.
    """
    try:
        _check(before, after, certificate)
    except Refused as refusal:
        return str(refusal)
    except RecursionError:
        return "a program or a law is nested too deeply"
    return None


def _check(before: Kernel, after: Kernel, certificate: object) -> None:
    content = document_of(certificate, _LENGTH, ("schema", "before", "after", "laws"))
    require(content["schema"] == SCHEMA, "the certificate is of another schema")
    allowed = before.rewrites == "proved" and before.math != "fast"
    require(allowed, "the kernel may not be rewritten: rewrites are off, or its math is fast")
    require(content["before"] == fingerprint(before), "the certificate is of another kernel")
    require(content["after"] == fingerprint(after), "the certificate is of another rewrite")
    same = fingerprint(substitute(after, erasures(values(after)))) == content["before"]
    require(same, "without its fallbacks the kernel after is not the one before")
    found = [at for at in values(after) if isinstance(at, Fallback)]
    laws = list_of(content["laws"], "the laws")
    require(0 < len(laws) == len(found), "there must be one law for each fallback")
    tried = set(at_once(root for step in effects(after.body) for root in roots(step)))
    for at, law in zip(found, laws, strict=True):
        claim = fields_of(law, ("closed", "domain", "certificate"), "a law")
        refused = check(claim["certificate"], *claimed(at, claim, tried))
        require(refused is None, str(refused))
    # What a fallback tries is in none of the programs that anything else has looked at.
    require(not verify(after), "the kernel after is not well formed")


def claimed(at: Fallback, claim: Json, tried: Container[Node] = ()) -> tuple[Law, Meaning]:
    """The law that a fallback tries, and what it has to mean; raises `Refused` for what is none."""
    fused = _fused(at)
    static = all(isinstance(axis.extent, int) for axis in fused.over)
    require(static, "the number of elements is not known")
    reader = RegionReader(fused.over, fused.args, fused.given)
    read = all(isinstance(each, Reduce | Result) for each in at.instead)
    require(read, "what is computed instead is no reduction")
    specification = tuple(map(reader.term, at.instead))
    for each in reader.reductions:
        require(each.accumulate == fused.accumulate, "a reduction accumulates in another type")
        require(each not in tried, "a reduction of the chain is read beside the fallback")
    alike = reader.types <= {fused.accumulate}
    require(alike, f"a value is not computed in {fused.accumulate}, as the law is")
    law = replace(fused.law, finalize=fused.law.finalize[:-1], results=fused.law.results[:-1])
    closed = law.closed or ()
    require(claim["closed"] == list(map(to_json, closed)), "the closed forms are not the law's")
    finite = finite_fields(law)
    asked = limits(law, specification, finite)
    law = _limited(law, _tests(fused.law), asked)
    divide = divisors(limit.size for limit in asked)
    return law, Meaning(
        closed=closed,
        specification=(*specification, *(limit.size for limit in asked)),
        domain=_domain(finite, law, claim["domain"]),
        discharges=DISCHARGES,
        parameters={
            name: parameter_domain(tile, divides=name in divide)
            for name, tile in zip(law.parameters, fused.given, strict=True)
        },
        nonempty=fused.leaves > 0,
        bounded=True,
    )


def _fused(at: Fallback) -> Reduce:
    """The one reduction whose results a fallback tries, and whose last result decides."""
    found = deciding(at.when)
    if found is None:
        raise Refused("the condition of a fallback is no result of a reduction")
    fused, last = found
    fits = last == len(at.values) == len(fused.law.results) - 1
    require(fits, "a fallback tries other values than the results of its reduction")
    law = fused.law
    plain = law.builtin is None and not law.indexed and law.commutative
    # That each component has its terms is looked at where they are read.
    whole = len(law.state) > 0 and len(law.finalize) == len(law.results)
    whole = whole and law.parameters == parameter_names(len(fused.given))
    require(whole, "a derived law lacks a term or a parameter")
    types = {component.type for component in law.state} | set(law.results[:-1])
    require(plain and types == {"acc"}, "a derived law has an index, a type or a merge of its own")
    _tests(law)
    parts = (law.identity or (), law.lift, law.merge, law.finalize, law.closed or ())
    require_numbers(chain.from_iterable(parts), fused.accumulate)
    require_regrouped(fused, fused.spanned)
    require(at.when is unproved(fused), "the condition does not speak of every state")
    for index, (value, instead) in enumerate(zip(at.values, at.instead, strict=True)):
        given = value_of_fold(fused, index, instead.axes)
        require(value is given, "a fallback tries other values than the results of its reduction")
        # Where that keeps fewer axes its elements do not differ along the others, so the results
        # of the fold do not either: any of them will do, if there is one.
        apart = (axis.extent for axis in fused.spanned if axis not in instead.axes)
        some = all(isinstance(extent, int) and extent > 0 for extent in apart)
        require(some, "an axis that the fold alone keeps may have no element")
    return fused


def _tests(law: Law) -> list[Term]:
    """What the last result of a law tests beside its state; raises `Refused` if not that."""
    whole, left, tests = conjunction(law), law.finalize[-1], list[Term]()
    while left != whole and isinstance(left, Apply) and left.fn == "bit_and":
        tests, left = [left.args[1], *tests], left.args[0]
    told = left == whole and law.results[-1] == "bool"
    require(told, "the last result does not say whether the state is finite")
    return tests


def _limited(law: Law, tests: Sequence[Term], asked: Sequence[Limit]) -> Law:
    """The law with the numbers that its tests compare with limits as further results."""
    sizes = [test.args[0] for test in tests if isinstance(test, Apply)]
    wanted = [limit.test(size) for limit, size in zip(asked, sizes, strict=False)]
    fits = wanted == tests and len(asked) == len(tests)
    require(fits, "the last result does not say whether a term as written may overflow")
    kept = dict(zip(law.closed or (), (Var(part.name) for part in law.state), strict=True))
    alike = all(
        _as_written(limit.size, size, kept) for limit, size in zip(asked, sizes, strict=True)
    )
    require(alike, "a limit is not computed as the program would compute it")
    types: tuple[StateType, ...] = tuple("acc" for _ in sizes)
    return replace(law, finalize=(*law.finalize, *sizes), results=(*law.results, *types))


def _as_written(size: Term, made: Term, kept: Mapping[Term, Term]) -> bool:
    """Whether a number is made as a limit is, but for aggregates and what the state keeps.

    Another form of it is the same number, and may not overflow where the one as written does.
    """
    match size, made:
        case Apply(fn=fn), _ if fn.startswith("list."):
            return True
        case Apply("maximum"), Var():
            return kept.get(size) == made
        case Apply(), Apply() if size.fn == made.fn and len(size.args) == len(made.args):
            pairs = zip(size.args, made.args, strict=True)
            return all(_as_written(a, b, kept) for a, b in pairs)
        case _:
            return size == made


def _domain(finite: Container[str], law: Law, claimed: object) -> dict[str, Domain]:
    """The domain, where a field is finite only if each of a list is for which the state is."""
    content = fields_of(claimed, law.lift_variables(), "the domain")
    for name, kind in content.items():
        holds = kind == "any" or (kind == "finite" and name in finite)
        require(holds, f"a finite state does not show that {name} is finite")
    return {name: "any" if content[name] == "any" else "finite" for name in content}
