"""Whether what a command is about to allocate fits this machine.

In: a number of bytes.  Out: nothing, or a refusal.  Decides what is available: what the system says
is free, and the limit of the control group that the process is in.  Systems overcommit memory, so
an allocation that does not fit may succeed, and the process that fills it is killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from certile.diagnostics import UnsupportedError

# Where Linux says how much memory there is; the second and third are those of control groups.
_MEMINFO = Path("/proc/meminfo")
_GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


def require_memory(needed: int, what: str) -> None:
    """Refuse what would not fit; `needed` is in bytes.

    Raises `UnsupportedError` U506.
    """
    available = available_bytes()
    if available is not None and needed > available:
        raise too_large(
            f"{what} takes about {_gigabytes(needed)}; {_gigabytes(available)} are free"
        )


def too_large(message: str) -> UnsupportedError:
    """Return the refusal of what does not fit memory."""
    return UnsupportedError("U506", message)


def available_bytes() -> int | None:
    """Return the bytes that may be allocated here; None where nobody says."""
    return min(_limits(), default=None)


def _limits() -> Iterator[int]:
    for line in _lines(_MEMINFO):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) << 10
            break
    else:
        if "SC_PHYS_PAGES" in os.sysconf_names:
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for limit, used in _GROUPS:
        most, now = _number(limit), _number(used)
        if most is not None and now is not None:
            yield max(0, most - now)


def _number(path: Path) -> int | None:
    """Return the number in a file; None where there is none, as for a group without a limit."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.3g} GB"
