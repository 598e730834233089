"""The cache of compiled kernels: bytes under a key, in the cache folder of the settings.

In: a key, made by `key` from everything the bytes depend on.  Out: the bytes, or None.  Decides
what tells two keys apart and what an entry's file is called.  Leaves files to `certile.store`, and
what an entry means to its callers, who must be able to rebuild whatever they ask for.
"""

import functools
import hashlib
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from certile import settings
from certile.store import Form, Mode, Store

__all__ = ["Cache", "Part", "default_cache", "key"]

Part: TypeAlias = (
    "str | bytes | int | float | bool | tuple[Part, ...] | list[Part] | Mapping[str, Part] | None"
)

_SUFFIX = ".entry"


def key(*parts: Part) -> str:
    """Return a SHA-256 over typed, length-prefixed parts.

    Parts of different types or with different borders give different keys: True, 1 and 1.0 differ,
    and so do ("ab", "c") and ("a", "bc").  Mappings count in the order of their keys.  A part of
    any other type raises TypeError, since its text might not tell two values apart.
    """
    digest = hashlib.sha256()
    for part in parts:
        _feed(part, digest.update)
    return digest.hexdigest()


class Cache:
    """Entries of a folder, whose limit and mode are those of its store."""

    def __init__(
        self, directory: Path | str, limit_bytes: int = 1 << 30, mode: Mode = "on"
    ) -> None:
        self.store = Store(Path(directory), Form((_SUFFIX,)), limit_bytes, mode)

    def get(self, entry_key: str) -> bytes | None:
        """Return the bytes stored under `entry_key`, or None."""
        return self.store.find(_name(entry_key))

    def put(self, entry_key: str, data: bytes) -> None:
        """Store `data` under `entry_key`, replacing what was there."""
        self.store.publish(_name(entry_key), data)


def _name(entry_key: str) -> str:
    """Hash once more: a key is any text, a file name is not."""
    return hashlib.sha256(entry_key.encode()).hexdigest() + _SUFFIX


def default_cache() -> Cache:
    """Return the cache that the settings describe; equal settings give the same object."""
    now = settings.current()
    return _shared(now.cache_dir, now.cache_bytes, now.cache)


@functools.cache
def _shared(directory: Path, limit_bytes: int, mode: Mode) -> Cache:
    return Cache(directory, limit_bytes, mode)


def _feed(part: Part, update: Callable[[bytes], None]) -> None:
    """Give a digest one part, with its type and its length in front."""
    match part:
        case None:
            tag, body = b"n", b""
        case bool():
            tag, body = b"b", b"1" if part else b"0"
        case int():
            tag, body = b"i", str(part).encode()
        case float():
            tag, body = b"f", struct.pack("<d", part)
        case str():
            tag, body = b"s", part.encode()
        case bytes():
            tag, body = b"y", part
        case tuple() | list():
            update(b"t%d:" % len(part))
            for item in part:
                _feed(item, update)
            return
        case Mapping():
            update(b"m%d:" % len(part))
            for name in sorted(part):
                _feed(name, update)
                _feed(part[name], update)
            return
        case _:
            raise TypeError(f"a cache key has no part of type {type(part).__name__}")
    update(b"%s%d:" % (tag, len(body)) + body)
