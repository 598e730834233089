"""`check_rewrite`: whether a certificate proves that one program may run for another.

A rewrite puts one reduction of a derived law beside the reductions of a chain, which are computed
where its final state is not finite.  What the law has to give is read off the reductions
themselves, by `RegionReader`; the certificate (JSON, `certile.rewrite/1`) supplies the closed forms
of its state and the proof.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import Final

from certile.ir.fingerprint import fingerprint
from certile.ir.folds import fold_of, value_of_fold
from certile.ir.laws import Law, parameter_names
from certile.ir.meanings import OF_REWRITES, Meaning
from certile.ir.node import Node
from certile.ir.terms import Apply, Term, Var, app, replaced, to_json
from certile.ir.tile import Fallback, Kernel, Reduce, Result, effects, roots
from certile.ir.verify import verify
from certile.ir.walk import at_once, erasures, substitute, values
from certile.proof.check.certificate import Json, check, document_of, fields_of, list_of
from certile.proof.check.divided import divided_by, results_among
from certile.proof.check.limits import Limit, apart, divisors, limits, unknown
from certile.proof.check.region_terms import (
    RegionReader,
    parameter_domain,
    require_numbers,
    require_regrouped,
)
from certile.proof.check.terms import Refused, require

SCHEMA: Final = "certile.rewrite/1"
_LENGTH: Final = 4_000_000


def conjunction(law: Law, results: Sequence[Term] = (), asked: Sequence[Limit] = ()) -> Term:
    """Whether a state, all parameters and results are finite, and limits are met.

    It is the last result of a derived law, whose others are `results` over the list: a limit is
    computed as it is written, but for what the state and the results give.
    """
    state = [Var(component.name) for component in law.state]
    made = [term for term in law.finalize if isinstance(term, Apply)]
    numbers: dict[Term, None] = dict.fromkeys([*state, *map(Var, law.parameters), *made])
    by: dict[Term, Term] = dict(zip(law.closed or (), state, strict=False))
    by |= zip(results, law.finalize, strict=False)
    tests: list[Term] = [app("isfinite", each) for each in numbers]
    tests += [replaced(limit.test, by) for limit in asked]
    return reduce(lambda a, b: app("bit_and", a, b), tests)


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
    require(not verify(after), "the kernel after is not well formed")
    found = [at for at in values(after) if isinstance(at, Fallback)]
    laws = list_of(content["laws"], "the laws")
    require(0 < len(laws) == len(found), "there must be one law for each fallback")
    tried = set(at_once(root for step in effects(after.body) for root in roots(step)))
    divided = list(divided_by(after))
    for at, law in zip(found, laws, strict=True):
        claim = fields_of(law, ("closed", "domain", "certificate"), "a law")
        refused = check(claim["certificate"], *claimed(at, claim, divided, tried))
        require(refused is None, str(refused))


def claimed(
    at: Fallback, claim: Json, divided: Iterable[Node], tried: Container[Node] = ()
) -> tuple[Law, Meaning]:
    """The law that a fallback tries, and what it has to mean; raises `Refused` for what is none.

    `divided` are the divisors of its kernel; none of the reductions that it replaces is `tried`.
    """
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
    domain = fields_of(claim["domain"], law.lift_variables(), "the domain")
    finite = [name for name, kind in domain.items() if kind == "finite"]
    asked = limits(law, specification, finite) + apart(
        specification[k] for k in results_among(at, divided)
    )
    specification += unknown(asked, {*closed, *specification})
    # That there is a result for each specification is an obligation of the law.
    told = fused.law.finalize[-1:] == (conjunction(law, specification, asked),)
    require(told, "the last result does not say whether the state is finite and nothing overflows")
    divide = divisors((limit.size for limit in asked), {*closed, *specification})
    return law, Meaning(
        closed=closed,
        specification=specification,
        domain={name: "finite" if name in finite else "any" for name in law.lift_variables()},
        discharges=OF_REWRITES,
        parameters={
            name: parameter_domain(tile, divides=name in divide)
            for name, tile in zip(law.parameters, fused.given, strict=True)
        },
        nonempty=fused.leaves > 0,
        bounded=True,
    )


def _fused(at: Fallback) -> Reduce:
    """The one reduction whose results a fallback tries, and whose last result decides."""
    fused = fold_of(at)
    if fused is None:
        raise Refused("the condition of a fallback is not that some state of a fold is not finite")
    law = fused.law
    # The types of the values are those of the reductions; that of the last result is no number.
    plain = law.builtin is None and {component.type for component in law.state} == {"acc"}
    require(plain, "a derived law has a type or a merge of its own")
    named = law.parameters == parameter_names(len(fused.given))
    require(named, "a derived law has other names for its parameters")
    parts = (law.identity or (), law.lift, law.merge, law.finalize, law.closed or ())
    require_numbers(chain.from_iterable(parts), fused.accumulate)
    require_regrouped(fused)
    kept = zip(range(len(law.results)), (each.axes for each in at.instead), strict=False)
    given = tuple(value_of_fold(fused, *each) for each in kept)
    require(at.values == given, "a fallback tries other values than the results of its reduction")
    # Where these keep fewer axes the elements do not differ along the others, so the results of the
    # fold do not either: any of them will do, if there is one.
    apart = {axis for each in at.instead for axis in fused.spanned if axis not in each.axes}
    some = all(isinstance(axis.extent, int) and axis.extent > 0 for axis in apart)
    require(some, "an axis that the fold alone keeps may have no element")
    return fused
