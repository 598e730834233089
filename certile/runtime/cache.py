"""The only disk cache: bytes under a key, in one folder that processes share.

In: a key, made by `key` from everything the bytes depend on.  Out: the bytes, or None.  Decides
where an entry lies, how it is published and verified, and what is dropped when the folder is full.
Leaves to others what an entry means; a caller must be able to rebuild whatever it asks for.

An entry is one file: a header with the payload's length and a digest over name and payload, then
the payload.  It is written to a temporary file and renamed, so a reader sees a whole entry or none.
An entry that does not verify is dropped with one log line, and the caller rebuilds it.  The digest
guards against accidents; the folder is readable by its owner only, since entries hold machine code.

No failure of the disk reaches the caller: a folder that cannot be made, read or written turns the
cache off for this process, with one warning in the log.
"""

import functools
import hashlib
import itertools
import logging
import os
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from certile import settings

__all__ = ["Cache", "Part", "default_cache", "key"]

Mode = Literal["on", "off", "readonly"]
Part: TypeAlias = (
    "str | bytes | int | float | bool | tuple[Part, ...] | list[Part] | Mapping[str, Part] | None"
)

_log = logging.getLogger(__name__)

_MAGIC: Final = b"certile1"
_HEADER: Final = struct.Struct("<8sQ32s")
_SUFFIX: Final = ".entry"
_TEMPORARY: Final = ".part"

# A temporary file of this age belongs to a process that died before it could rename it.
_STALE_SECONDS: Final = 3600

# After an eviction this share of the limit is in use, so that the next entry does not scan again.
_EVICTION_TARGET: Final = 0.8

# Other processes write too, so the folder's size is taken afresh after this many own entries.
_ENTRIES_BETWEEN_SCANS: Final = 64

_counter = itertools.count()


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
    """A folder of entries.

    `limit_bytes` bounds its size: beyond it, entries not used for longest are dropped.  `mode`
    "readonly" never changes the folder; "off" holds nothing.  Any number of threads and processes
    may use one folder at once.
    """

    def __init__(
        self, directory: Path | str, limit_bytes: int = 1 << 30, mode: Mode = "on"
    ) -> None:
        self.directory = Path(directory)
        self.limit_bytes = limit_bytes
        self._readable = mode != "off"
        self._writable = mode == "on"
        self._warned = False
        self._lock = threading.Lock()
        self._bytes = 0
        self._entries_until_scan = 0

    def get(self, entry_key: str) -> bytes | None:
        """Return the bytes stored under `entry_key`, or None."""
        if not self._readable:
            return None
        path = self._path(entry_key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._give_up_reading(error)
            return None
        payload = _unpack(path.name, data)
        if payload is None:
            self._discard(path)
            return None
        if self._writable:
            self._touch(path)
        return payload

    def put(self, entry_key: str, data: bytes) -> None:
        """Store `data` under `entry_key`, replacing what was there."""
        if not self._writable:
            return
        path = self._path(entry_key)
        temporary = path.with_name(f"{path.name}.{os.getpid()}.{next(_counter)}{_TEMPORARY}")
        packed = _pack(path.name, data)
        try:
            self._publish(temporary, path, packed)
            self._account(len(packed))
        except OSError as error:
            self._give_up_writing(error)

    def clear(self) -> None:
        """Remove every entry; entries of other programs in the folder stay."""
        if not self._writable:
            return
        for path, _ in self._files((_SUFFIX, _TEMPORARY)):
            _remove(path)

    def size(self) -> tuple[int, int]:
        """Return how many entries the folder holds and their bytes."""
        sizes = [status.st_size for _, status in self._files((_SUFFIX,))]
        return len(sizes), sum(sizes)

    def _path(self, entry_key: str) -> Path:
        # Hashed once more: a key is any text, a file name is not.
        return self.directory / (hashlib.sha256(entry_key.encode()).hexdigest() + _SUFFIX)

    def _publish(self, temporary: Path, path: Path, packed: bytes) -> None:
        try:
            try:
                temporary.write_bytes(packed)
            except FileNotFoundError:
                self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                temporary.write_bytes(packed)
            os.replace(temporary, path)
        except OSError:
            _remove(temporary)
            raise

    def _touch(self, path: Path) -> None:
        """Mark an entry as used; its modification time is the order of eviction."""
        try:
            os.utime(path)
        except FileNotFoundError:
            # Another process dropped it meanwhile; the bytes in hand are good all the same.
            return
        except OSError as error:
            self._give_up_writing(error)

    def _discard(self, path: Path) -> None:
        _log.warning("cache entry %s is damaged and is rebuilt", path)
        if self._writable:
            _remove(path)

    def _account(self, added: int) -> None:
        """Count a new entry; look at the folder when the count may exceed the limit.

        Whoever finds another thread at it leaves the count alone: it is an estimate between scans,
        and a child forked meanwhile must not wait for a thread that it does not have.
        """
        if not self._lock.acquire(blocking=False):
            return
        try:
            self._bytes += added
            self._entries_until_scan -= 1
            if self._entries_until_scan <= 0 or self._bytes > self.limit_bytes:
                self._entries_until_scan = _ENTRIES_BETWEEN_SCANS
                self._bytes = self._evict()
        finally:
            self._lock.release()

    def _evict(self) -> int:
        """Drop the oldest entries if the folder is over its limit; return the bytes left."""
        oldest_living = time.time() - _STALE_SECONDS
        for path, status in self._files((_TEMPORARY,)):
            if status.st_mtime < oldest_living:
                _remove(path)
        files = sorted(self._files((_SUFFIX,)), key=lambda file: file[1].st_mtime_ns)
        total = sum(status.st_size for _, status in files)
        if total <= self.limit_bytes:
            return total
        for path, status in files:
            if total <= self.limit_bytes * _EVICTION_TARGET:
                break
            _remove(path)
            total -= status.st_size
        return total

    def _files(self, suffixes: tuple[str, ...]) -> Iterable[tuple[Path, os.stat_result]]:
        try:
            with os.scandir(self.directory) as listing:
                for item in listing:
                    if not item.name.endswith(suffixes):
                        continue
                    try:
                        status = item.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    if stat.S_ISREG(status.st_mode):
                        yield Path(item.path), status
        except OSError:
            return

    def _give_up_reading(self, error: OSError) -> None:
        self._readable = False
        self._give_up_writing(error)

    def _give_up_writing(self, error: OSError) -> None:
        self._writable = False
        if not self._warned:
            self._warned = True
            _log.warning("going on without the cache folder %s: %s", self.directory, error)


def default_cache() -> Cache:
    """Return the cache that the settings describe; equal settings give the same object."""
    now = settings.current()
    return _shared(now.cache_dir, now.cache_bytes, now.cache)


@functools.cache
def _shared(directory: Path, limit_bytes: int, mode: Mode) -> Cache:
    return Cache(directory, limit_bytes, mode)


def _pack(name: str, payload: bytes) -> bytes:
    return _HEADER.pack(_MAGIC, len(payload), _digest(name, payload)) + payload


def _unpack(name: str, data: bytes) -> bytes | None:
    """Return the payload of an entry's bytes, or None when they are not what was written."""
    if len(data) < _HEADER.size:
        return None
    magic, length, digest = _HEADER.unpack_from(data)
    payload = data[_HEADER.size :]
    if magic != _MAGIC or length != len(payload) or digest != _digest(name, payload):
        return None
    return payload


def _digest(name: str, payload: bytes) -> bytes:
    """Cover the file's name too, so that an entry copied over another one does not verify."""
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.debug("cannot remove %s: %s", path, error)


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
