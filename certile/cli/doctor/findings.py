"""`certile doctor`: what this machine can do, and the one command that adds what is missing.

In: the machine.  Out: plain data, and text.  Decides what counts as a fault: whatever is there and
fails.  What is not there is optional and said to be so, but for the CPU and the reference.  Leaves
trying the targets to `certile.cli.doctor.abilities`.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict

from certile import settings
from certile.cli.cache_command import Part, parts
from certile.cli.doctor.abilities import Ability, abilities
from certile.cli.output import first_line
from certile.diagnostics import CertileError

# Targets that need nothing but this package.
_NEEDED = ("cpu", "reference")


class Check(TypedDict):
    """One thing that was looked at; `fix` is empty where nothing is missing."""

    name: str
    state: str
    found: str
    fix: str


class Report(TypedDict):
    """Everything that was found; `ok` says that nothing that is there is at fault."""

    ok: bool
    python: str
    platform: str
    checks: list[Check]
    targets: list[Ability]
    caches: list[Part]
    packages: dict[str, str]
    settings: dict[str, str]
    changed: list[str]


_PACKAGES = (
    "certile",
    "numpy",
    "llvmlite",
    "ml-dtypes",
    "typer",
    "rich",
    "torch",
    "mlx",
    "matplotlib",
    "apache-tvm",
    "cuda-bindings",
    "pyobjc-framework-Metal",
    "tokenizers",
)


def report() -> Report:
    """Look at everything."""
    tried = abilities()
    checks = [_machine(), _clang(), *_frameworks(), _cache()]
    needed = all(each["state"] == "good" for each in tried if each["target"] in _NEEDED)
    faults = [each["state"] for each in (*checks, *tried)].count("fault")
    now = settings.current()
    return {
        "ok": needed and not faults,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "checks": checks,
        "targets": tried,
        "caches": parts(),
        "packages": _packages(),
        "settings": {name: str(value) for name, value in now.values().items()},
        "changed": list(_changed()),
    }


def report_text(found: Report) -> str:
    """Return the report as text."""
    lines = [f"Python {found['python']} on {found['platform']}", ""]
    for check in found["checks"]:
        lines += _paragraph(check["state"], check["name"], check["found"], check["fix"])
    lines += ["", "targets"]
    for each in found["targets"]:
        name = f"{each['target']} ({each['can']})" if each["state"] == "good" else each["target"]
        lines += _paragraph(each["state"], name, each["found"], each["fix"])
    lines += ["", "settings of the environment"]
    lines += [f"{'':<8} {name}={found['settings'][name]}" for name in found["changed"]] or [
        "  none"
    ]
    shown = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    lines += ["", shown, "", "nothing is wrong" if found["ok"] else "something is wrong; see above"]
    return "\n".join(lines)


def _paragraph(state: str, name: str, found: str, fix: str) -> Iterator[str]:
    yield f"{state:<8} {name}: {found}"
    if fix:
        yield f"{'':<8} to add it: {fix}"


def _changed() -> Iterator[str]:
    """Give the names of settings that are set to something."""
    return (each.name for each in settings.VARIABLES if settings.is_set(each.name))


def _check(name: str, state: str, found: str, fix: str = "") -> Check:
    return {"name": name, "state": state, "found": found, "fix": fix}


def _looked(name: str, look: Callable[[], str], *, needed: bool, fix: str) -> Check:
    """Return good with what `look` says, or what its error says."""
    try:
        return _check(name, "good", look())
    except (CertileError, ImportError, OSError, RuntimeError) as error:
        return _check(name, "fault" if needed else "absent", first_line(error), fix)


def _machine() -> Check:
    """Say what the compiler is told about this machine."""

    def look() -> str:
        from certile.runtime.cpu.device import machine_sheet

        sheet = machine_sheet()
        caches = ", ".join(f"{size >> 10} KiB" for size in sheet.cache_bytes)
        vector = f"vectors of {sheet.vector_bytes} bytes, {sheet.registers} registers"
        return f"sheet {sheet.name}: {sheet.cores} threads, {vector}, caches of {caches}"

    return _looked("CPU", look, needed=True, fix="python -m pip install --upgrade llvmlite numpy")


def _clang() -> Check:
    def look() -> str:
        from certile.metalsim.toolchain import find_clang

        clang = find_clang()
        return f"{clang.path} ({clang.version.splitlines()[0]})"

    fix = "apt-get install clang-19, or set CERTILE_CLANG"
    return _looked("clang, for simulated Metal", look, needed=False, fix=fix)


def _frameworks() -> Iterator[Check]:
    """Look for the frameworks whose arrays kernels take, without importing them."""
    for name, package in (("NumPy", "numpy"), ("PyTorch", "torch"), ("MLX", "mlx")):
        if importlib.util.find_spec(package) is None:
            fix = f"python -m pip install 'certile[{package}]'"
            yield _check(name, "absent", "not installed", fix)
        else:
            yield _check(name, "good", importlib.metadata.version(package))


def _cache() -> Check:
    now = settings.current()
    if now.cache == "off":
        return _check("disk cache", "absent", "switched off", "unset CERTILE_CACHE")
    nearest = next(each for each in (now.cache_dir, *now.cache_dir.parents) if each.exists())
    if not (nearest.is_dir() and _takes_files(nearest)):
        found = f"{now.cache_dir} cannot be written; every process compiles anew"
        return _check("disk cache", "absent", found, "set CERTILE_CACHE_DIR to a folder of yours")
    held = ", ".join(f"{part['entries']} entries of {part['name']}" for part in parts())
    return _check("disk cache", "good", f"{now.cache_dir} ({now.cache}; {held})")


def _takes_files(folder: Path) -> bool:
    """Whether a file can be made in a folder; permissions alone do not tell."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _packages() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
