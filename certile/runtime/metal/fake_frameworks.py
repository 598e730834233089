"""What MLX and PyTorch do with Metal text, on a CPU.

In: the arguments of `mlx.core.fast.metal_kernel` and `torch.mps.compile_shader`.  Out: kernels that
run through `certile.metalsim` on arrays of those frameworks.  Decides the signature that MLX writes
around a body, from its documentation: inputs, outputs, and the attributes that the body names.
Leaves everything that a kernel does to the text.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from certile import metalsim

__all__ = ["compile_shader", "metal_kernel"]

# The packages are optional, so their names cannot be imported for their types.
Array: TypeAlias = Any

# Inputs of fewer elements stand in constant memory.
_CONSTANT_ELEMENTS = 8

_ATTRIBUTES = {
    "simdgroup_index_in_threadgroup": "uint",
    "thread_index_in_simdgroup": "uint",
    "threadgroup_position_in_grid": "uint3",
}
_TYPES = {
    "bool": "bool",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float16": "half",
    "float32": "float",
    "bfloat16": "bfloat",
}


class _MlxKernel:
    """A custom kernel of MLX; its text depends on the arrays of a call."""

    def __init__(
        self,
        name: str,
        input_names: Sequence[str],
        output_names: Sequence[str],
        source: str,
        header: str,
    ) -> None:
        self.name = f"custom_kernel_{name}"
        self.input_names = input_names
        self.output_names = output_names
        self.source = source
        self.header = header

    def text(self, inputs: Sequence[Array], output_dtypes: Sequence[Any]) -> str:
        """The whole text for inputs and outputs of these types."""
        parameters = []
        for name, array in zip(self.input_names, inputs, strict=True):
            place = "constant" if array.size < _CONSTANT_ELEMENTS else "device"
            shape = "&" if array.ndim == 0 else "*"
            parameters.append(f"const {place} {_type(array.dtype)}{shape} {name}")
        for name, dtype in zip(self.output_names, output_dtypes, strict=True):
            parameters.append(f"device {_type(dtype)}* {name}")
        bound = [f"{each} [[buffer({index})]]" for index, each in enumerate(parameters)]
        bound += [
            f"{kind} {name} [[{name}]]" for name, kind in _ATTRIBUTES.items() if name in self.source
        ]
        signature = ",\n  ".join(bound)
        return f"{self.header}\nkernel void {self.name}(\n  {signature}) {{\n{self.source}\n}}\n"

    def __call__(
        self,
        *,
        inputs: Sequence[Array],
        grid: tuple[int, int, int],
        threadgroup: tuple[int, int, int],
        output_shapes: Sequence[Sequence[int]],
        output_dtypes: Sequence[Any],
        stream: object,
    ) -> list[Array]:
        """Run it; the outputs are fresh, and hold what nobody wrote until it has."""
        mlx = sys.modules["mlx.core"]
        library = metalsim.Library(self.text(inputs, output_dtypes))
        held = [_bytes_of_mlx(array) for array in inputs]
        made = []
        for shape, dtype in zip(output_shapes, output_dtypes, strict=True):
            made.append(mlx.array(np.full(shape, 77, np.float32)).astype(dtype))
            mlx.eval(made[-1])
            held.append(_bytes_of_mlx(made[-1]))
        groups = tuple(-(-n // size) for n, size in zip(grid, threadgroup, strict=True))
        _run(library.kernel(self.name), held, groups, threadgroup)
        return made


def metal_kernel(
    name: str,
    input_names: Sequence[str],
    output_names: Sequence[str],
    source: str,
    header: str = "",
    ensure_row_contiguous: bool = True,
    compile_options: dict[str, str] | None = None,
) -> _MlxKernel:
    """Stand in for `mlx.core.fast.metal_kernel`, of the versions that know `compile_options`."""
    assert not ensure_row_contiguous, "the inputs would be copied"
    assert compile_options is not None
    return _MlxKernel(name, input_names, output_names, source, header)


class _Shaders:
    """A library of PyTorch's; its functions are attributes."""

    def __init__(self, text: str) -> None:
        self._library = metalsim.Library(text)

    def __getattr__(self, name: str) -> _Shader:
        if name not in self._library.names:
            raise AttributeError(f"no function {name}")
        return _Shader(self._library.kernel(name))


class _Shader:
    """A function of PyTorch's library."""

    max_threads_per_threadgroup = 1024

    def __init__(self, kernel: metalsim.LoadedKernel) -> None:
        self._kernel = kernel

    def __call__(
        self, *tensors: Array, threads: tuple[int, int, int], group_size: tuple[int, int, int]
    ) -> None:
        groups = tuple(-(-n // size) for n, size in zip(threads, group_size, strict=True))
        _run(self._kernel, [_bytes_of_torch(each) for each in tensors], groups, group_size)


def compile_shader(text: str) -> _Shaders:
    """Stand in for `torch.mps.compile_shader`; tensors of the CPU play those on `mps`."""
    return _Shaders(text)


def _run(
    kernel: metalsim.LoadedKernel,
    held: Sequence[npt.NDArray[np.uint8]],
    groups: Sequence[int],
    threads: Sequence[int],
) -> None:
    arguments = {index: held[index].view(dtype) for index, dtype in kernel.dtypes.items()}
    report = kernel.run(arguments, groups, threads)
    if not report.ok:
        raise RuntimeError("\n".join(map(str, report.findings)))


def _type(dtype: object) -> str:
    return _TYPES[str(dtype).rpartition(".")[2]]


def _bytes_of_mlx(array: Array) -> npt.NDArray[np.uint8]:
    """The bytes of an array from its first element to its last, in its own buffer."""
    from certile.runtime import arrays
    from certile.runtime.bind import as_numpy

    info = arrays.describe(array)
    size = max(arrays.extent(info)[1], info.itemsize)
    flat = info._replace(dtype="u8", itemsize=1, shape=(size,), strides=(1,))
    return as_numpy(flat)


def _bytes_of_torch(tensor: Array) -> npt.NDArray[np.uint8]:
    torch = sys.modules["torch"]
    seen: npt.NDArray[np.uint8] = tensor.view(torch.uint8).numpy()
    return seen
