"""`certile cache`: what the disk cache holds, whether it is whole, and an empty one.

In: an action.  Out: plain data, and text.  Decides that the parts of the cache, compiled kernels,
libraries of simulated Metal kernels and proofs, are treated alike.  Leaves files to
`certile.store`.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from certile import settings
from certile.metalsim import cache
from certile.runtime.cache import Cache
from certile.search import kept
from certile.store import Store

__all__ = ["Action", "Part", "Report", "act", "parts", "report_text"]

Action = Literal["info", "clear", "verify"]


# Damaged entries that a text names; JSON names all.
_SHOWN = 10


class Part(TypedDict):
    """One folder of the cache; `damaged` names entries, once these have been verified."""

    name: str
    folder: str
    entries: int
    bytes: int
    damaged: list[str]


class Report(TypedDict):
    """The state after an action; `ok` says that it did what it was to do."""

    action: Action
    ok: bool
    mode: str
    limit_bytes: int
    parts: list[Part]


def act(action: Action) -> Report:
    """Do what was asked, whatever CERTILE_CACHE says, and return the state afterwards.

    `verify` changes nothing: a damaged entry is rebuilt when it is needed.
    """
    now = settings.current()
    if action == "clear":
        for store in _stores().values():
            store.clear()
    found = parts(verified=action == "verify")
    empty = not any(part["entries"] for part in found)
    whole = not any(part["damaged"] for part in found)
    return {
        "action": action,
        "ok": empty if action == "clear" else whole,
        "mode": now.cache,
        "limit_bytes": now.cache_bytes,
        "parts": found,
    }


def parts(*, verified: bool = False) -> list[Part]:
    """Return the folders."""
    return [_part(name, store, verified) for name, store in _stores().items()]


def _stores() -> dict[str, Store]:
    now = settings.current()
    kernels = Cache(now.cache_dir, now.cache_bytes).store
    return {"kernels": kernels, "simulated Metal": cache.shared("on"), "proofs": kept.shared("on")}


def _part(name: str, store: Store, verified: bool) -> Part:
    entries, count = store.size()
    return {
        "name": name,
        "folder": str(store.folder),
        "entries": entries,
        "bytes": count,
        "damaged": [path.name for path in store.damaged()] if verified else [],
    }


def report_text(found: Report) -> str:
    """Return the report as text."""
    limit = f"{found['limit_bytes'] / 2**20:g} MiB each"
    lines = [f"disk cache: {found['mode']}, at most {limit}"]
    for part in found["parts"]:
        held = f"{part['entries']} entries, {part['bytes'] / 2**20:.1f} MiB"
        lines.append(f"  {part['name']:<16} {held:<28} {part['folder']}")
        lines += [f"    damaged: {name}" for name in part["damaged"][:_SHOWN]]
        if len(part["damaged"]) > _SHOWN:
            lines.append(f"    and {len(part['damaged']) - _SHOWN} more")
    if found["action"] == "verify":
        lines.append(
            "every entry is whole" if found["ok"] else "damaged entries are rebuilt on use"
        )
    elif found["action"] == "clear" and not found["ok"]:
        lines.append("some entries could not be removed")
    return "\n".join(lines)
