"""A folder of sealed files that threads and processes share: the one way certile caches on disk.

In: names and bytes.  Out: the bytes under a name, or None.  Decides how a file is published and
verified, and what is dropped when the folder is full.  Leaves to others what a file means and how
it is named; a caller must be able to rebuild whatever it asks for.

A file is written beside its place and renamed, so a reader sees a whole one or none.  Its seal is a
digest over name and content; a file that does not verify is reported with one log line, and the
caller rebuilds it.  So is what stands in the place of a file and is none, such as a pipe.  The seal
guards against accidents; a folder made here is readable by its owner only, since it holds machine
code.

No failure of the disk reaches the caller of a store, `Store.write` apart: a folder that cannot be
made, read or written is done without by this process, with one warning in the log.
"""

import errno
import hashlib
import logging
import os
import stat
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from certile.records import record

__all__ = ["Form", "Mode", "Store", "read_file", "write_file"]

Mode = Literal["on", "off", "readonly"]

_log = logging.getLogger(__name__)

_MAGIC: Final = b"certile1"
_HEADER: Final = struct.Struct("<8sQ32s")
_DIGEST_BYTES: Final = hashlib.sha256().digest_size
_TEMPORARY: Final = ".part"

# A pipe without a writer, or a device, must not be waited for, and a terminal not be taken over.
_READ_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

# A temporary file of this age belongs to a process that died before it could rename it.
_STALE_SECONDS: Final = 3600

# A lent file that was used this lately stays: another process may be about to link or load it.
_LENT_SECONDS: Final = 60

# After an eviction this share of the limit is in use, so that the next file does not scan again.
_EVICTION_TARGET: Final = 0.8

# Other processes write too, so the folder's size is taken afresh after this many own files.
_FILES_BETWEEN_SCANS: Final = 64


@record
class Form:
    """What the files of a store are: their suffixes, and whether they are lent.

    A lent file is used through its path, by a linker or a loader, so its content begins where the
    file does and the seal follows; other files are read through the store and begin with a header.
    """

    suffixes: tuple[str, ...]
    lent: bool = False


class Store:
    """The files of one form in a folder.

    `limit_bytes` bounds their size: beyond it, those not used for longest are dropped.  `mode`
    "readonly" never changes the folder; "off" holds nothing.
    """

    def __init__(
        self, folder: Path, form: Form, limit_bytes: int = 1 << 30, mode: Mode = "on"
    ) -> None:
        self.folder = folder
        self._form = form
        self._limit_bytes = limit_bytes
        self._readable = mode != "off"
        self._writable = mode == "on"
        self._warned = False
        self._lock = threading.Lock()
        self._bytes = 0
        self._files_until_scan = 0

    def find(self, name: str) -> bytes | None:
        """Return the content of a file that holds what was written, and mark it as used."""
        if not self._readable:
            return None
        path = self.folder / name
        try:
            data = read_file(path)
        except OSError as error:
            if _is_no_file(path):
                data = b""
            elif isinstance(error, FileNotFoundError):
                return None
            else:
                self._readable = False
                self._give_up(error)
                return None
        content = self._content(name, data)
        if content is not None:
            self._touch(path)
            return content
        _log.warning("cache entry %s is damaged and is rebuilt", path)
        # Another process may have replaced a lent file meanwhile, and be about to open it.
        if self._writable and not self._form.lent:
            _remove(path)
        return None

    def publish(self, name: str, content: bytes) -> bool:
        """Put content under a name, replacing what was there; return whether the folder took it."""
        if not self._writable:
            return False
        try:
            written = self.write(name, content)
        except OSError as error:
            # A folder in the place of one file says nothing of the others.
            if not _is_no_file(self.folder / name):
                self._give_up(error)
            return False
        self._account(written)
        return True

    def write(self, name: str, content: bytes) -> int:
        """Write a file, whatever the mode and the limit are, and return its size.

        Raises:
            OSError: if the folder does not take it; then nothing is left of it.
        """
        data = self._sealed(name, content)
        write_file(self.folder / name, data)
        return len(data)

    def clear(self) -> None:
        """Remove every file of this form; what others keep in the folder stays."""
        if self._writable:
            for path, _ in self._files((*self._form.suffixes, _TEMPORARY)):
                _remove(path)

    def size(self) -> tuple[int, int]:
        """Return how many files the folder holds and their bytes."""
        sizes = [status.st_size for _, status in self._files(self._form.suffixes)]
        return len(sizes), sum(sizes)

    def damaged(self) -> list[Path]:
        """Return the files that do not hold what was written; they are rebuilt when needed."""
        return [path for path, _ in self._files(self._form.suffixes) if self._is_damaged(path)]

    def _is_damaged(self, path: Path) -> bool:
        try:
            return self._content(path.name, read_file(path)) is None
        except OSError:
            # Dropped meanwhile, or not ours to read.
            return False

    def _sealed(self, name: str, content: bytes) -> bytes:
        """Cover the name too, so that a file copied over another one does not verify."""
        digest = hashlib.sha256(name.encode() + b"\0" + content).digest()
        if self._form.lent:
            return content + digest
        return _HEADER.pack(_MAGIC, len(content), digest) + content

    def _content(self, name: str, data: bytes) -> bytes | None:
        """Return what a file's bytes seal, or None when they are not what was written."""
        content = data[:-_DIGEST_BYTES] if self._form.lent else data[_HEADER.size :]
        return content if data == self._sealed(name, content) else None

    def _touch(self, path: Path) -> None:
        """Mark a file as used; its modification time is the order of eviction."""
        if not self._writable:
            return
        try:
            os.utime(path)
        except FileNotFoundError:
            # Another process dropped it meanwhile; the bytes in hand are good all the same.
            return
        except OSError as error:
            self._give_up(error)

    def _account(self, added: int) -> None:
        """Count a file; look at the folder when the count may exceed the limit.

        Whoever finds another thread at it leaves the count alone: it is an estimate between scans,
        and a child forked meanwhile must not wait for a thread that it does not have.
        """
        if not self._lock.acquire(blocking=False):
            return
        try:
            self._bytes += added
            self._files_until_scan -= 1
            if self._files_until_scan <= 0 or self._bytes > self._limit_bytes:
                self._files_until_scan = _FILES_BETWEEN_SCANS
                self._bytes = self._evict()
        finally:
            self._lock.release()

    def _evict(self) -> int:
        """Drop the oldest files if the folder is over its limit; return the bytes left."""
        now = time.time()
        for path, status in self._files((_TEMPORARY,)):
            if status.st_mtime < now - _STALE_SECONDS:
                _remove(path)
        files = sorted(self._files(self._form.suffixes), key=lambda file: file[1].st_mtime_ns)
        total = sum(status.st_size for _, status in files)
        if total <= self._limit_bytes:
            return total
        for path, status in files:
            in_use = self._form.lent and status.st_mtime > now - _LENT_SECONDS
            if in_use or total <= self._limit_bytes * _EVICTION_TARGET:
                break
            _remove(path)
            total -= status.st_size
        return total

    def _files(self, suffixes: tuple[str, ...]) -> Iterator[tuple[Path, os.stat_result]]:
        try:
            with os.scandir(self.folder) as listing:
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

    def _give_up(self, error: OSError) -> None:
        """Leave the folder as it is from here on."""
        self._writable = False
        if not self._warned:
            self._warned = True
            _log.warning("going on without the cache folder %s: %s", self.folder, error)


def read_file(path: Path) -> bytes:
    """Return what a regular file holds, and never wait for what is none.

    Raises:
        OSError: if there is no such file, or something else in its place.
    """
    descriptor = os.open(path, _READ_FLAGS)
    try:
        # Asked of what was opened: what the path leads to may have become something else.
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def write_file(path: Path, data: bytes) -> None:
    """Put a whole file at a path, in place of what was there; its folder is made where missing.

    Raises:
        OSError: if the folder does not take it; then nothing is left of it.
    """
    temporary = path.with_name(f"{path.name}.{os.urandom(8).hex()}{_TEMPORARY}")
    try:
        try:
            temporary.write_bytes(data)
        except FileNotFoundError:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError:
        _remove(temporary)
        raise


def _is_no_file(path: Path) -> bool:
    """Whether something stands at a path that is no regular file, be it a link that leads to one.

    A link is replaced like a file; what it leads to is left alone.
    """
    try:
        return not stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.debug("cannot remove %s: %s", path, error)
