"""What a search found, kept in the cache folder for later processes.

In: a name, made from everything that a finding depends on, and a JSON document.  Out: the document.
Decides where files lie.  An entry that is damaged or no JSON counts as absent; one that is whole
proves nothing, so whoever reads it has it checked.
"""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import Final

from certile import settings
from certile.store import Form, Mode, Store

_FORM: Final = Form((".proof",))


def find(name: str) -> object:
    """The document that was kept under a name, or None."""
    data = shared(settings.current().cache).find(_file(name))
    if data is None:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def keep(name: str, document: object) -> None:
    """Keep a document under a name; a folder that takes no file keeps nothing."""
    data = json.dumps(document, separators=(",", ":")).encode()
    shared(settings.current().cache).publish(_file(name), data)


def shared(mode: Mode) -> Store:
    """The store that processes share; equal settings and modes give the same object."""
    now = settings.current()
    return _shared(now.cache_dir / "proofs", now.cache_bytes, mode)


def _file(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest() + _FORM.suffixes[0]


@functools.cache
def _shared(folder: Path, limit_bytes: int, mode: Mode) -> Store:
    return Store(folder, _FORM, limit_bytes, mode)
