"""The certificates that come with the package, and which laws they certify.

A certificate is read and checked when it is first asked for, once a process; one that does not
check certifies nothing.  A law has the certificate of its name only when it is that built-in law,
term for term, and the checker compares the terms again by their digest.  Laws of authors are proved
as kernels are traced (`certile.search.authors`), and this process remembers their digests.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Final

from certile.ir.dtypes import DType
from certile.ir.laws import BUILTIN, SOFTMAX_SUM, Law, is_built_in
from certile.ir.meanings import Action, Meaning, meaning_of
from certile.proof.check import check, goals, heading
from certile.proof.check.certificate import FUEL, Json
from certile.proof.check.rules import Step
from certile.proof.check.terms import Table
from certile.proof.document import certificate
from certile.proof.integers import holds_for_integers

_FOLDER: Final = "certificates"


_authors: Final[dict[tuple[Law, DType], str]] = {}


def certificate_of(law: Law, dtype: DType) -> str | None:
    """The SHA-256 of the certificate of a law for values of `dtype`, or None if it has none."""
    if not is_built_in(law):
        return _authors.get((law, dtype))
    if not dtype.is_float and not _for_integers(law, dtype):
        return None
    return _checked(law)


def remember(law: Law, dtype: DType, certificate: str) -> None:
    """Note the certificate of an author's law, which has been checked, as its JSON text."""
    _authors[law, dtype] = digest_of(certificate)


def digest_of(certificate: str) -> str:
    """What plans call a certificate by."""
    return hashlib.sha256(certificate.encode()).hexdigest()


def shipped(name: str) -> str:
    """The text of the certificate of a built-in law; raises `KeyError` if there is none."""
    if name not in BUILTIN:
        raise KeyError(name)
    return (files("certile.proof") / _FOLDER / f"{name}.json").read_text(encoding="utf-8")


def certificate_text(law: Law) -> str:
    """The text of the certificate of a built-in law; raises `KeyError` for any other.

    Columns that are equal but for their names share the proof of the first, so the certificate of
    more columns is that of one under another heading.  Of more values in order each obligation says
    that a term is itself, so the certificate of any number of them is written here.
    """
    meaning, text = _meant(law), shipped(law.name)
    if law == BUILTIN[law.name]:
        return text
    if law.name == SOFTMAX_SUM.name:
        content = json.loads(text) | heading(law, meaning)
    else:
        content = _by_reading(law, meaning)
    return json.dumps(content, separators=(",", ":")) + "\n"


def _by_reading(law: Law, meaning: Meaning | Action) -> Json:
    """The certificate in which both sides of each obligation are one term; it may not check."""
    table = Table(FUEL)
    obligations = goals(table, law, meaning)
    scripts: dict[str, list[Step]] = {name: [] for name, _ in obligations}
    return certificate(table, heading(law, meaning), obligations, scripts)


def _meant(law: Law) -> Meaning | Action:
    meaning = meaning_of(law)
    if meaning is None:
        raise KeyError(law.name)
    return meaning


@cache
def _checked(law: Law) -> str | None:
    text = certificate_text(law)
    return None if check(text, law, _meant(law)) is not None else digest_of(text)


@cache
def _for_integers(law: Law, dtype: DType) -> bool:
    return holds_for_integers(law, _meant(law), dtype)
