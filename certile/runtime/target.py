"""Which target a call runs on: what the thread asked for, the setting, or the arrays' device.

In: `with ct.target("reference"): …`, CERTILE_TARGET, the devices of arrays.  Out: a target's name.
Decides their order: the innermost `with` of this thread, then the setting, then the arrays, where
arrays of MLX stand for the GPU that MLX computes on.
Leaves what a target does with a kernel to `certile.runtime.bind`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import get_args

from certile import settings
from certile.diagnostics import ArgumentError
from certile.runtime.array_info import ArrayInfo
from certile.settings import Target

__all__ = ["Target", "chosen", "resolve", "target"]


# Where a call runs when nobody says so, and which arrays each target can address.
_HOMES: dict[str, Target] = {"cpu": "cpu", "cuda": "cuda", "mps": "metal"}
_HOST = frozenset(("cpu",))
_REACHED: dict[Target, frozenset[str]] = {
    "cpu": _HOST,
    "reference": _HOST,
    "metal-sim": _HOST,
    "metal": frozenset(("cpu", "mps")),
    "cuda": frozenset(("cuda",)),
    "null": frozenset(("cpu", "cuda", "mps")),
}


class _Chosen(threading.local):
    name: Target | None = None


chosen = _Chosen()


@contextmanager
def target(name: Target) -> Iterator[None]:
    """Run the kernels that this thread calls inside on the target `name`.

    Raises `ArgumentError` A009 for a name that is no target.
    """
    if name not in get_args(Target):
        message = f"{name!r} is no target"
        raise ArgumentError("A009", message, hint=f"use one of {', '.join(get_args(Target))}")
    before = chosen.name
    chosen.name = name
    try:
        yield
    finally:
        chosen.name = before


def resolve(infos: Iterable[ArrayInfo]) -> Target:
    """Return the target of a call on these arrays.

    Raises `ArgumentError` A006 when they live on several, A009 on one that no target serves.
    """
    described = list(infos)
    places = sorted({info.device for info in described})
    if len(places) > 1:
        raise ArgumentError("A006", f"the arrays live on {' and '.join(places)}")
    asked = chosen.name or settings.current().target
    device = places[0].partition(":")[0] if places else "cpu"
    if asked is not None and device not in _REACHED[asked]:
        message = f"the target {asked} does not reach arrays on {places[0]}"
        raise ArgumentError("A006", message, hint="move the arrays, or leave the target to them")
    if asked is not None:
        return asked
    if described and all(info.framework == "mlx" for info in described) and _mlx_on_gpu():
        return "metal"
    if device in _HOMES:
        return _HOMES[device]
    message = f"no target serves arrays on {places[0]}"
    raise ArgumentError("A009", message, hint="name one by ct.target, or move the arrays")


def _mlx_on_gpu() -> bool:
    """Whether this is a Mac with Apple silicon, where arrays of MLX live on the GPU as well."""
    # Asked once a kind of arguments; most processes have no array of MLX.
    import platform

    here = platform.system() == "Darwin" and platform.machine() == "arm64"
    return here and bool(sys.modules["mlx.core"].metal.is_available())
