"""The certificates that come with the package, and which laws they certify.

A certificate is read and checked when it is first asked for, once a process; one that does not
check certifies nothing.  A law has the certificate of its name only when it is that built-in law,
term for term, and the checker compares the terms again by their digest.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Final

from certile.ir.dtypes import DType
from certile.ir.laws import BUILTIN, Law
from certile.ir.meanings import MEANINGS
from certile.proof.check import check
from certile.proof.integers import holds_for_integers

_FOLDER: Final = "certificates"


def certificate_of(law: Law, dtype: DType) -> str | None:
    """The SHA-256 of the certificate of a law for values of `dtype`, or None if it has none."""
    if BUILTIN.get(law.name) != law or law.name not in MEANINGS:
        return None
    if not dtype.is_float and not _for_integers(law.name):
        return None
    return _checked(law.name)


def shipped(name: str) -> str:
    """The text of the certificate of a built-in law; raises `KeyError` if there is none."""
    if name not in MEANINGS:
        raise KeyError(name)
    return (files("certile.proof") / _FOLDER / f"{name}.json").read_text(encoding="utf-8")


@cache
def _checked(name: str) -> str | None:
    text = shipped(name)
    if check(text, BUILTIN[name], MEANINGS[name]) is not None:
        return None
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _for_integers(name: str) -> bool:
    return holds_for_integers(BUILTIN[name], MEANINGS[name])
