"""Launch compiled CUDA kernels through the driver, in the context that is current.

In: a cubin, addresses and scalars.  Out: effects in device memory.  Decides how arguments are
packed.  Leaves contexts, streams and memory to the framework whose arrays are used: the primary
context it made current is the one that kernels are loaded into.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

from certile.codegen.artifact import Artifact
from certile.diagnostics import InternalError, UnsupportedError

if TYPE_CHECKING:
    # Whoever has such an artifact has imported its package, which costs time.
    from certile.tirx.artifact import DeviceArtifact

__all__ = ["CudaKernel", "DeviceKernel", "architecture"]

_C_TYPES: dict[str, type] = {
    "bool": ctypes.c_bool,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64,
    # Narrow floats travel as their bits.
    "f16": ctypes.c_uint16,
    "bf16": ctypes.c_uint16,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


_Extent: TypeAlias = tuple[int, int, int]


def _driver() -> ModuleType:
    try:
        from cuda.bindings import driver
    except ImportError as error:
        raise UnsupportedError("U302", f"the CUDA driver is not available: {error}") from error
    module: ModuleType = driver
    return module


def architecture(device: int = 0) -> str:
    """The architecture of a device, for example sm_90."""
    driver = _driver()
    _check(driver, driver.cuInit(0)[0])
    attributes = driver.CUdevice_attribute
    numbers = []
    for name in ("MAJOR", "MINOR"):
        attribute = getattr(attributes, f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{name}")
        status, number = driver.cuDeviceGetAttribute(attribute, device)
        _check(driver, status)
        numbers.append(number)
    return f"sm_{numbers[0]}{numbers[1]}"


class CudaKernel:
    """A loaded kernel; `launch` packs arguments as the artifact orders them."""

    def __init__(self, artifact: Artifact, cubin: bytes) -> None:
        self.artifact = artifact
        self._driver = _driver()
        self._module, self._function = _loaded(self._driver, cubin, artifact.entry)
        buffers = [ctypes.c_void_p for _ in artifact.buffers]
        self._types = (*buffers, *(_C_TYPES[s.dtype.name] for s in artifact.scalars))

    def launch(
        self,
        addresses: Sequence[int],
        scalars: Sequence[bool | int | float],
        programs: int,
        stream: int = 0,
    ) -> None:
        """Enqueue ceil(programs / programs_per_group) groups on a stream; none for no program."""
        groups = -(-programs // self.artifact.programs_per_group)
        if groups == 0:
            return
        grid, block = (groups, 1, 1), (self.artifact.threads, 1, 1)
        packed = ((*addresses, *scalars), self._types)
        _enqueue(self._driver, self._function, grid, block, packed, stream)

    def attribute(self, name: str) -> int:
        """A figure of the compiled function: NUM_REGS, LOCAL_SIZE_BYTES, SHARED_SIZE_BYTES."""
        attribute = getattr(self._driver.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")
        status, value = self._driver.cuFuncGetAttribute(attribute, self._function)
        _check(self._driver, status)
        return int(value)


class DeviceKernel:
    """A loaded kernel that TVM wrote; everything of its launch but the arguments is static."""

    def __init__(self, artifact: DeviceArtifact, cubin: bytes) -> None:
        self.artifact = artifact
        self._driver = _driver()
        self._module, self._function = _loaded(self._driver, cubin, artifact.entry)
        self._types = tuple(
            ctypes.c_void_p if each.kind == "buffer" else _C_TYPES[each.dtype]
            for each in artifact.arguments
        )

    def launch(self, arguments: Mapping[str, bool | int | float], stream: int = 0) -> None:
        """Enqueue the launch on addresses and numbers, by the names of the kernel's parameters."""
        packed = (tuple(arguments[each.name] for each in self.artifact.arguments), self._types)
        grid, block = self.artifact.grid, self.artifact.block
        _enqueue(self._driver, self._function, grid, block, packed, stream)


def _loaded(driver: ModuleType, cubin: bytes, entry: str) -> tuple[object, object]:
    """A module and its function, in the current context."""
    status, module = driver.cuModuleLoadData(cubin)
    _check(driver, status)
    status, function = driver.cuModuleGetFunction(module, entry.encode())
    _check(driver, status)
    return module, function


def _enqueue(
    driver: ModuleType,
    function: object,
    grid: _Extent,
    block: _Extent,
    packed: tuple[tuple[object, ...], tuple[type, ...]],
    stream: int,
) -> None:
    """Launch a function; `packed` are its arguments and their types in C."""
    (status,) = driver.cuLaunchKernel(function, *grid, *block, 0, stream, packed, 0)
    _check(driver, status)


def _check(driver: ModuleType, status: object) -> None:
    if status != driver.CUresult.CUDA_SUCCESS:
        _, text = driver.cuGetErrorString(status)
        raise InternalError("M012", f"the CUDA driver fails: {(text or b'').decode()}")
