"""Where compiled libraries lie, and what a compiler says of itself: in the cache, or beside it.

In: names, made from everything a file depends on, and files.  Out: paths.  Decides that a process
which may not write to the shared folder, `metalsim` in the cache folder of the settings, has one of
its own that goes with it.  Leaves files to `certile.store`, and compiling to
`certile.metalsim.building`, which can rebuild whatever is asked for.
"""

import atexit
import functools
import tempfile
from pathlib import Path

from certile import settings
from certile.diagnostics import UnsupportedError
from certile.store import Form, Mode, Store

__all__ = ["find", "publish", "recall", "remember", "shared"]

# Sealed, though a compiler made them: neither linker nor loader reads beyond the sections of an
# object, and a damaged library would crash while a kernel runs.
_FORM = Form((".so", ".o", ".clang"), lent=True)


def find(name: str) -> Path | None:
    """Return a file that was published under a name, if it still holds what was written."""
    for store in (shared(settings.current().cache), _own()):
        if store.find(name) is not None:
            return store.folder / name
    return None


def publish(made: Path, name: str) -> Path:
    """Put a file under a name, in the cache or where that cannot be in this process's own folder.

    Raises:
        UnsupportedError: if no folder takes the file, such as where disks are full.
    """
    content = made.read_bytes()
    store = shared(settings.current().cache)
    if not store.publish(name, content):
        store = _own()
        try:
            store.write(name, content)
        except OSError as error:
            message = f"a compiled kernel cannot be written to {store.folder}: {error.strerror}"
            raise UnsupportedError("X033", message) from error
    return store.folder / name


def recall(name: str) -> str | None:
    """Return what was remembered under a name."""
    content = shared(settings.current().cache).find(name)
    return None if content is None else content.decode()


def remember(name: str, text: str) -> None:
    """Keep a text under a name in the shared folder, where that takes it."""
    shared(settings.current().cache).publish(name, text.encode())


def shared(mode: Mode) -> Store:
    """Return the store that processes share; equal settings and modes give the same object."""
    now = settings.current()
    return _shared(now.cache_dir / "metalsim", now.cache_bytes, mode)


@functools.cache
def _shared(folder: Path, limit_bytes: int, mode: Mode) -> Store:
    return Store(folder, _FORM, limit_bytes, mode)


def _own() -> Store:
    """Return a store that goes with the process."""
    return Store(Path(_temporary_folder().name), _FORM)


@functools.lru_cache(maxsize=1)
def _temporary_folder() -> "tempfile.TemporaryDirectory[str]":
    folder = tempfile.TemporaryDirectory(prefix="certile-metalsim-")
    # Left to its finalizer, it would go with a ResourceWarning.
    atexit.register(folder.cleanup)
    return folder
