"""What each target can do on this machine, found out by doing it.

In: the machine.  Out: an `Ability` a target.  Decides the self-test: a softmax of zeros, whose
result is known without computing.  A target that lacks a tool or a device is absent; one that has
them and fails is at fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict

import numpy as np

from certile import ops
from certile.cli.output import first_line
from certile.cli.running.on_cuda import torch_with_device
from certile.cli.subject import facts_of
from certile.codegen.artifact import Artifact
from certile.diagnostics import CertileError, UnsupportedError
from certile.ops.kernels import bare
from certile.pipeline import compile_program
from certile.runtime.metal import context
from certile.runtime.target import target
from certile.targets import DEFAULTS

__all__ = ["Ability", "abilities"]

State = Literal["good", "absent", "fault"]

# The architecture that CUDA text is compiled for where no device says another.
_ARCHITECTURE = "sm_90"


class Ability(TypedDict):
    """What a target can do: `runs` kernels, `compiles` them, prints `text`, or nothing."""

    target: str
    state: State
    can: str
    found: str
    fix: str


def abilities() -> list[Ability]:
    """Try every target."""
    clang = "apt-get install clang-19, or set CERTILE_CLANG"
    cuda = "python -m pip install 'certile[cuda]'"
    return [
        _tried("cpu", "runs", lambda: _runs("cpu"), "python -m pip install --upgrade llvmlite"),
        _tried("reference", "runs", lambda: _runs("reference"), ""),
        _tried("metal-sim", "runs", lambda: _runs("metal-sim"), clang),
        _metal(),
        _tried("cuda", "compiles", _compiles_cuda, cuda),
        _tried("cuda device", "runs", _runs_cuda, ""),
        _tried("null", "plans", _plans, ""),
    ]


def _tried(name: str, can: str, attempt: Callable[[], str], fix: str) -> Ability:
    """Return what an attempt says, or what stopped it."""
    try:
        return {"target": name, "state": "good", "can": can, "found": attempt(), "fix": ""}
    except UnsupportedError as error:
        return _failed(name, "absent", error, fix)
    except (CertileError, ImportError, OSError, RuntimeError, ValueError) as error:
        return _failed(name, "fault", error, fix)


def _metal() -> Ability:
    """Run on the device of this machine; where there is none, generate the text of a kernel."""
    try:
        context.current()
    except UnsupportedError as error:
        missing = error.diagnostic.message
        return _tried("metal", "text", lambda: f"{_prints('metal')}; {missing}", "")
    return _tried("metal", "runs", lambda: _runs("metal"), "")


def _failed(name: str, state: State, error: Exception, fix: str) -> Ability:
    found = error.diagnostic.message if isinstance(error, CertileError) else first_line(error)
    return {"target": name, "state": state, "can": "nothing", "found": found, "fix": fix}


def _runs(name: Literal["cpu", "reference", "metal-sim", "metal"]) -> str:
    with target(name):
        y = ops.softmax(np.zeros((3, 8), np.float32))
    if not bool((y == np.float32(0.125)).all()):
        raise RuntimeError("softmax of zeros is wrong")
    return "a kernel ran, and its result is right"


def _text(name: str) -> Artifact:
    subject = bare("softmax", (3, 8))
    facts = facts_of(subject.kernel, subject.shapes)
    compiled = compile_program(subject.kernel, facts, subject.programs, DEFAULTS[name])
    return compiled.launches[0].artifact


def _prints(name: str) -> str:
    lines = len(_text(name).text.splitlines())
    return f"a kernel was generated ({lines} lines)"


def _plans() -> str:
    with target("null"):
        ops.softmax(np.zeros((3, 8), np.float32))
    return "calls are checked and planned, and nothing runs"


def _compiles_cuda() -> str:
    from certile.runtime.cuda.toolchain import compile_cuda, toolchain_version

    cubin = compile_cuda(_text("cuda"), _ARCHITECTURE)
    return f"{toolchain_version()} compiled a kernel for {_ARCHITECTURE} ({len(cubin)} bytes)"


def _runs_cuda() -> str:
    """Run on tensors of PyTorch, which own the memory of a device."""
    torch = torch_with_device()
    y = ops.softmax(torch.zeros((3, 8), device="cuda"))
    if not bool((y == 0.125).all()):
        raise RuntimeError("softmax of zeros is wrong")
    return f"a kernel ran on {torch.cuda.get_device_name()}, and its result is right"
