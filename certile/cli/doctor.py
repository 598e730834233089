"""`certile doctor`: what this machine can do, and the one command that adds what is missing.

In: the machine.  Out: plain data, and text.  Decides what counts as a fault: only what keeps the
CPU from working.  Everything else is optional and said to be so.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
from collections.abc import Callable
from typing import TypedDict

from certile import settings
from certile.diagnostics import CertileError


class Check(TypedDict):
    """One thing that was looked at; `fix` is empty where nothing is missing."""

    name: str
    state: str
    found: str
    fix: str


class Report(TypedDict):
    """Everything that was found; `ok` says that kernels run on this CPU."""

    ok: bool
    python: str
    platform: str
    checks: list[Check]
    packages: dict[str, str]
    settings: dict[str, str]


_PACKAGES = (
    "certile",
    "numpy",
    "llvmlite",
    "ml-dtypes",
    "typer",
    "rich",
    "torch",
    "mlx",
    "tokenizers",
)


def report() -> Report:
    """Look at everything."""
    checks = [_cpu(), _clang(), _cuda_text(), _cuda_device(), _torch(), _cache()]
    return {
        "ok": all(each["state"] != "fault" for each in checks),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "checks": checks,
        "packages": _packages(),
        "settings": {name: str(value) for name, value in settings.current().values().items()},
    }


def report_text(found: Report) -> str:
    """Return the report as text."""
    lines = [f"Python {found['python']} on {found['platform']}", ""]
    for check in found["checks"]:
        lines.append(f"{check['state']:<8} {check['name']}: {check['found']}")
        if check["fix"]:
            lines.append(f"{'':<8} to add it: {check['fix']}")
    shown = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    return "\n".join([*lines, "", shown])


def _check(name: str, state: str, found: str, fix: str = "") -> Check:
    return {"name": name, "state": state, "found": found, "fix": fix}


def _looked(name: str, look: Callable[[], str], *, needed: bool, fix: str) -> Check:
    """Return good with what `look` says, or what its error says."""
    try:
        return _check(name, "good", look())
    except (CertileError, ImportError, OSError, RuntimeError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        return _check(name, "fault" if needed else "absent", first, fix)


def _cpu() -> Check:
    """Run a kernel, which shows that compiling, loading and launching work."""

    def look() -> str:
        import numpy as np

        from certile import ops
        from certile.runtime.cpu.device import machine_sheet
        from certile.runtime.target import target

        with target("cpu"):
            y = ops.softmax(np.zeros((3, 8), np.float32))
        if not bool((y == np.float32(0.125)).all()):
            raise RuntimeError("softmax of zeros is wrong")
        sheet = machine_sheet()
        return f"kernels run; sheet {sheet.name}, {sheet.lanes} lanes, {sheet.cores} threads"

    return _looked("CPU", look, needed=True, fix="python -m pip install --upgrade llvmlite numpy")


def _clang() -> Check:
    def look() -> str:
        from certile.metalsim.toolchain import find_clang

        clang = find_clang()
        return f"{clang.path} ({clang.version.splitlines()[0]})"

    fix = "apt-get install clang-19, or set CERTILE_CLANG"
    return _looked("clang, for simulated Metal", look, needed=False, fix=fix)


def _cuda_text() -> Check:
    present = importlib.util.find_spec("cuda") is not None
    if present:
        return _check("NVRTC, to compile CUDA text", "good", "the cuda packages are installed")
    fix = "python -m pip install 'certile[cuda]'"
    return _check("NVRTC, to compile CUDA text", "absent", "no cuda packages", fix)


def _cuda_device() -> Check:
    tool = shutil.which("nvidia-smi")
    if tool is not None:
        return _check("NVIDIA GPU", "good", f"a driver is installed ({tool})")
    return _check("NVIDIA GPU", "absent", "no driver; CUDA text is still generated")


def _torch() -> Check:
    if importlib.util.find_spec("torch") is None:
        fix = "python -m pip install 'certile[torch]'"
        return _check("PyTorch", "absent", "not installed", fix)
    return _check("PyTorch", "good", importlib.metadata.version("torch"))


def _cache() -> Check:
    now = settings.current()
    if now.cache == "off":
        return _check("disk cache", "absent", "switched off", "unset CERTILE_CACHE")
    nearest = next(each for each in (now.cache_dir, *now.cache_dir.parents) if each.exists())
    if not (nearest.is_dir() and os.access(nearest, os.W_OK)):
        found = f"{now.cache_dir} cannot be written; every process compiles anew"
        return _check("disk cache", "absent", found, "set CERTILE_CACHE_DIR to a folder of yours")
    return _check("disk cache", "good", f"{now.cache_dir} ({now.cache})")


def _packages() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
