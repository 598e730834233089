"""Laws that an author wrote: read, and proved or tested before elements are regrouped by them.

In: a `UserLaw` of the language and the dtype a reduction accumulates in.  Out: an ordinary `Law`.
Decides that a law which says what it means (`spec`, or `step` where order matters) is proved, and
refused where it is not so; and that any other is tested on generated lists, which proves nothing.
Leaves the methods to `certile.frontend.law_methods`, the proof to `certile.search.authors` and the
test to `certile.reference.counterexample`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from certile.frontend.claims import Claim, claim
from certile.frontend.law_methods import Methods
from certile.frontend.state import State
from certile.ir.dtypes import DType
from certile.ir.laws import Law
from certile.ir.meanings import Action, Meaning
from certile.ir.terms import Term
from certile.ir.tile import FOLD_POLICIES, ORDERED_POLICIES, Policy
from certile.language.laws import UserLaw

if TYPE_CHECKING:
    from certile.search.laws import Unproved


def user_law(state: State, written: UserLaw, policy: Policy, accumulate: DType) -> Law:
    """Return the law for values of `accumulate`, proved or tested if the policy is a tree.

    Raises `KernelError` K020 for a policy that does not keep the order that the law needs, K041 for
    a method that does not fit, K042 for a law that its own elements contradict, K043 for one that
    is not proved to be what its author says.
    """
    if not written.commutative and policy not in ORDERED_POLICIES:
        message = f"{policy} permutes the elements, and law {written.name} is not commutative"
        hint = 'use policy="ordered_tree"'
        raise state.fault("K020", message, hint=hint)
    methods = Methods(state, written, accumulate)
    law, invariants = methods.law(), methods.invariants()
    if policy in FOLD_POLICIES:
        return law
    claimed = claim(methods, law)
    proved = None if claimed is None else _prove(state, claimed, accumulate)
    if invariants or proved is None:
        _test(state, law, invariants, accumulate)
    return law if proved is None else proved


def _prove(state: State, claimed: Claim, accumulate: DType) -> Law | None:
    """The law with its closed forms and a certificate; None where no proof reaches the dtype."""
    # The checker and the search take longer to import than most kernels to trace.
    from certile.proof.integers import holds_for_integers
    from certile.proof.registry import remember
    from certile.search.authors import certify
    from certile.search.laws import Unproved

    found = certify(claimed.law, claimed.meaning)
    if isinstance(found, Unproved):
        raise _not_proved(state, found)
    if not accumulate.is_float and not holds_for_integers(found.law, found.meaning, accumulate):
        return None
    law = replace(claimed.original, closed=_at_hand(claimed, found.meaning))
    remember(law, accumulate, found.certificate)
    return law


def _at_hand(claimed: Claim, proved: Meaning | Action) -> tuple[Term, ...] | None:
    """The closed forms, where a kernel can evaluate them in the dtype that it accumulates in.

    They stand for merges there: so they are proved for infinite elements and NaN as well, and round
    no worse.  A mean that is a sum over a count overflows where merged means do not.
    """
    from certile.proof.check.region_terms import require_numbers
    from certile.proof.check.terms import Refused
    from certile.reference.merges import parts_of

    meaning, law = claimed.meaning, claimed.law
    plain = law == claimed.original and all(part.type == "acc" for part in law.state)
    if not plain or not isinstance(meaning, Meaning):
        return None
    if "finite" in proved.domain.values() or parts_of(replace(law, closed=meaning.closed)) is None:
        return None
    try:
        # A proof reads a truth that was converted to a number as the truth.
        require_numbers(meaning.closed)
    except Refused:
        return None
    return meaning.closed


def _not_proved(state: State, refused: Unproved) -> Exception:
    message = f"law {refused.law} is not what it is said to be: {refused.obligation} is not proved"
    hint = "without spec and step a law is tested on generated lists, and not proved"
    return state.fault("K043", message, notes=refused.notes(), hint=hint)


def _test(state: State, law: Law, invariants: tuple[Term, ...], accumulate: DType) -> None:
    # Laws of authors are few, and the interpreter takes longer to import than a kernel to load.
    from certile.reference.counterexample import counterexample

    found = counterexample(law, accumulate, invariants)
    if found is not None:
        message = f"law {law.name} is contradicted by a test: {found.claim}"
        raise state.fault("K042", message, notes=found.values, hint=found.hint)
