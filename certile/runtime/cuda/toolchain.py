"""Compile CUDA C++ with NVRTC, on any machine.

In: an `Artifact` of format cuda and an architecture.  Out: PTX text or a cubin.  Decides the
options: no contraction, no flushing, correctly rounded division and square root; approximations are
spelled in the text of the kernels that allow them.  Leaves loading to `device`, and caching to the
caller.
"""

from types import ModuleType
from typing import Literal

from certile.codegen.artifact import Artifact
from certile.diagnostics import InternalError, UnsupportedError

__all__ = ["compile_cuda", "toolchain_version"]

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
    nvrtc = _nvrtc()
    if architecture.startswith("sm_") and form == "ptx":
        architecture = architecture.replace("sm_", "compute_")
    options = [f"--gpu-architecture={architecture}".encode(), *(o.encode() for o in _OPTIONS)]
    name = f"{artifact.entry}.cu".encode()
    status, program = nvrtc.nvrtcCreateProgram(artifact.text.encode(), name, 0, [], [])
    _check(nvrtc, status)
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = _fetch(nvrtc, program, "ProgramLog").decode(errors="replace")
            raise InternalError(
                "M012", f"NVRTC refuses {artifact.entry}", notes=log.strip("\0 \n").splitlines()
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
