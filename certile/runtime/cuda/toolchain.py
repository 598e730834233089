"""Compile CUDA C++ with NVRTC, on any machine.

In: an `Artifact` of format cuda and an architecture.  Out: PTX text or a cubin.  Decides the
options: no contraction, no flushing, correctly rounded division and square root; approximations are
spelled in the text of the kernels that allow them.  Leaves loading to `device`, and caching to the
caller.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from certile.codegen.artifact import Artifact
from certile.diagnostics import InternalError, UnsupportedError

if TYPE_CHECKING:
    # Whoever has such an artifact has imported its package, which costs time.
    from certile.tirx.artifact import DeviceArtifact

__all__ = ["compile_cuda", "compile_device", "toolchain_version"]

_OPTIONS = (
    "--std=c++17",
    "--fmad=false",
    "--ftz=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--device-as-default-execution-space",
    "--extra-device-vectorization",
)


def _nvrtc() -> ModuleType:
    try:
        from cuda.bindings import nvrtc
    except ImportError as error:
        raise UnsupportedError("U302", f"NVRTC is not available: {error}") from error
    module: ModuleType = nvrtc
    return module


def toolchain_version() -> str:
    """The version of NVRTC, part of the key of everything compiled with it."""
    nvrtc = _nvrtc()
    status, major, minor = nvrtc.nvrtcVersion()
    _check(nvrtc, status)
    return f"nvrtc-{major}.{minor}"


def compile_cuda(
    artifact: Artifact, architecture: str = "sm_90", form: Literal["cubin", "ptx"] = "cubin"
) -> bytes:
    """Compile one kernel.

    Raises:
        UnsupportedError: U302, when NVRTC is not installed.
        InternalError: M012, when the text does not compile; the compiler's log is in the notes.
    """
    if architecture.startswith("sm_") and form == "ptx":
        architecture = architecture.replace("sm_", "compute_")
    return _compiled(artifact.text, artifact.entry, architecture, form, _OPTIONS)


def compile_device(artifact: DeviceArtifact, architecture: str = "sm_90") -> bytes:
    """Compile a kernel that TVM wrote, whose text includes headers of the package cuda-cccl.

    Raises:
        UnsupportedError: U302, when NVRTC or its headers are not installed.
        InternalError: M012, when the text does not compile; the compiler's log is in the notes.
    """
    folders = [f"--include-path={folder}" for folder in _headers()]
    options = (*_OPTIONS, *folders)
    return _compiled(artifact.source, artifact.entry, architecture, "cubin", options)


def _headers() -> list[Path]:
    """The folders in which packages of NVIDIA, or a toolkit, keep the C++ library of devices."""
    spec = importlib.util.find_spec("nvidia")
    roots = [] if spec is None else list(spec.submodule_search_locations or ())
    found = [folder for root in roots for folder in Path(root).glob("*/include/cccl")]
    found = found or list(Path("/usr/local").glob("cuda/include/cccl"))
    if not found:
        raise UnsupportedError("U302", "the headers of nvidia-cuda-cccl are not installed")
    return [*found, *(folder.parent for folder in found)]


def _compiled(
    text: str,
    entry: str,
    architecture: str,
    form: Literal["cubin", "ptx"],
    flags: Sequence[str],
) -> bytes:
    nvrtc = _nvrtc()
    options = [f"--gpu-architecture={architecture}".encode(), *(o.encode() for o in flags)]
    name = f"{entry}.cu".encode()
    status, program = nvrtc.nvrtcCreateProgram(text.encode(), name, 0, [], [])
    _check(nvrtc, status)
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = _fetch(nvrtc, program, "ProgramLog").decode(errors="replace")
            raise InternalError(
                "M012", f"NVRTC refuses {entry}", notes=log.strip("\0 \n").splitlines()
            )
        return _fetch(nvrtc, program, "PTX" if form == "ptx" else "CUBIN")
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _fetch(nvrtc: ModuleType, program: object, what: str) -> bytes:
    status, size = getattr(nvrtc, f"nvrtcGet{what}Size")(program)
    _check(nvrtc, status)
    data = bytes(size)
    (status,) = getattr(nvrtc, f"nvrtcGet{what}")(program, data)
    _check(nvrtc, status)
    return data


def _check(nvrtc: ModuleType, status: object) -> None:
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise InternalError("M012", f"NVRTC fails: {status}")
