"""Derivations of chains, remembered: those of the package's own kernels, and those made before.

In: a chain as a program says it.  Out: what `fusion.derive` gives.  Decides where it is looked for:
in this process, among the files that come with the package, in the cache folder.  What is found is
checked before it is used, and derived again where it does not check; what was derived is kept.  A
refusal is kept as well, since a large summand takes seconds to refuse: nothing checks one, so it is
believed only from the very same search and checker, and costs no more than a row read twice.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from certile.ir.meanings import Domain
from certile.ir.parser import law_from_json
from certile.ir.printer import law_to_json
from certile.ir.terms import Term, to_json
from certile.proof.check import check, terms
from certile.proof.check.certificate import Json
from certile.proof.check.limits import limits, unknown
from certile.proof.check.terms import Refused
from certile.search import assembly, chain_terms, fusion, kept, outer, shifts, sizes, writing
from certile.search.chain_terms import Chain, meaning
from certile.search.fusion import Fused, derive
from certile.search.laws import Unproved

SHIPPED: Final = "chains.json"
_DOMAINS: Final[dict[str, Domain]] = {"any": "any", "finite": "finite"}
_made: Final[dict[str, Fused | Unproved]] = {}


def remembered(chain: Chain) -> Fused | Unproved:
    """What became of the chain, whoever derived it."""
    name = digest(chain)
    if name not in _made:
        _made[name] = _found(chain, name) or _derived(chain, name)
    return _made[name]


def digest(chain: Chain) -> str:
    """What a chain is remembered by."""
    return hashlib.sha256(json.dumps(_plain(chain), sort_keys=True).encode()).hexdigest()


def document(fused: Fused) -> Json:
    """A derivation as plain data."""
    return {
        "law": law_to_json(fused.law),
        "domain": dict(fused.meaning.domain),
        "certificate": fused.certificate,
    }


def read(chain: Chain, content: object) -> Fused | None:
    """The derivation that plain data holds, if it is one of the chain and checks."""
    specification = chain.specification
    match content:
        case {"law": str(text), "domain": dict(words), "certificate": dict(certificate)} if (
            specification is not None and set(words) == set(chain.fields())
        ):
            try:
                law = law_from_json(text)
            except (ValueError, TypeError, KeyError, RecursionError):
                return None
            domain = {name: _DOMAINS.get(str(words[name]), "any") for name in chain.fields()}
            finite = [name for name, kind in domain.items() if kind == "finite"]
            try:
                asked = tuple(limits(law, specification, finite))
            except Refused:
                return None
            closed = law.closed or ()
            stated = (*specification, *unknown(asked, (*closed, *specification)))
            meant = meaning(chain, stated, closed, domain, asked)
            if check(certificate, law, meant) is None:
                return Fused(law, meant, certificate, asked)
    return None


def _found(chain: Chain, name: str) -> Fused | Unproved | None:
    found = read(chain, _shipped().get(name)) or read(chain, kept.find(_kept_as(name)))
    return found or _refusal(kept.find(_refused_as(name)))


def _derived(chain: Chain, name: str) -> Fused | Unproved:
    made = derive(chain)
    if isinstance(made, Unproved):
        kept.keep(_refused_as(name), _refusal_document(made))
    elif chain.specification is not None:
        kept.keep(_kept_as(name), document(made))
    return made


def _refusal_document(refusal: Unproved) -> Json:
    return {
        "law": refusal.law,
        "obligation": refusal.obligation,
        "goal": refusal.goal,
        "formulas": list(refusal.formulas),
        "said": refusal.shown,
    }


def _refusal(content: object) -> Unproved | None:
    """The refusal that plain data holds, if it is one."""
    match content:
        case {
            "law": str(law),
            "obligation": str(obligation),
            "goal": str(goal),
            "formulas": list(formulas),
            "said": str(said),
            **rest,
        } if not rest and obligation.partition(".")[0] in fusion.REACHED:
            lines = tuple(each for each in formulas if isinstance(each, str))
            if len(lines) == len(formulas):
                return Unproved(law, obligation, goal, None, lines, said)
    return None


def _kept_as(name: str) -> str:
    return f"chain {name} {_method()}"


def _refused_as(name: str) -> str:
    return f"refusal {name} {_searcher()}"


@cache
def _method() -> str:
    """A digest of how laws are derived: another method may derive other ones, as true."""
    sources = (assembly, chain_terms, fusion, outer, shifts, sizes, writing)
    texts = (Path(inspect.getfile(module)).read_bytes() for module in sources)
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


@cache
def _searcher() -> str:
    """A digest of all that decides what is refused: the search, and the checker it asks."""
    folders = (Path(inspect.getfile(module)).parent for module in (fusion, terms))
    paths = (path for folder in folders for path in sorted(folder.glob("*.py")))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()


@cache
def _shipped() -> Json:
    """The derivations that come with the package, by the digests of their chains."""
    path = files("certile.proof") / "certificates" / SHIPPED
    content = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def _plain(chain: Chain) -> Json:
    def listed(of: tuple[Term, ...] | None) -> object:
        return None if of is None else list(map(to_json, of))

    return {
        **{name: getattr(chain, name) for name in ("outer", "operands", "nonempty")},
        # A result at one place is named by it.
        "wanted": [each[0] if len(each) == 1 else each for each in chain.wanted or ()] or None,
        **{name: to_json(getattr(chain, name)) for name in ("key", "value")},
        **{name: listed(getattr(chain, name)) for name in ("later", "outside", "specification")},
        "parameters": dict(chain.parameters),
        "written": [[to_json(term), list(places)] for term, places in chain.written],
        **_more(chain),
    }


def _more(chain: Chain) -> Json:
    """Outer reductions beside the first one, if there are."""
    said = [[each.outer, to_json(each.key), to_json(each.value)] for each in chain.beside]
    return {"beside": said} if said else {}
