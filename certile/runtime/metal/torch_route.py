"""Kernels on tensors of PyTorch that live on `mps`, through `torch.mps.compile_shader`.

In: a compiled program and tensors.  Out: a launcher.  Decides that the text goes to PyTorch as it
is, that tensors are bound at their own offsets, and that numbers travel as tensors of their bytes,
which fit every type.  PyTorch runs it on the stream that it uses.

Needs PyTorch 2.7, the first with `compile_shader`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from certile import settings
from certile.codegen.artifact import Artifact
from certile.diagnostics import InternalError, UnsupportedError
from certile.pipeline import CompiledLaunch, CompiledProgram
from certile.runtime import torch_arrays
from certile.runtime.array_info import ArrayInfo, HeldAddress, extent
from certile.runtime.bind import Arguments, Words
from certile.runtime.launching import groups_of, scalar_argument, scalars_of
from certile.runtime.metal.errors import short_of_threads

__all__ = ["TorchLauncher"]

# The package is optional, so its names cannot be imported for their types.
Tensor: TypeAlias = Any
Shader: TypeAlias = Any

_FAST_MATH = "PYTORCH_MPS_FAST_MATH"

# Threads along one dimension of a grid, which Metal counts in 32 bits.
_MOST_THREADS = (1 << 32) - 1

# Numbers of the caller may differ in every call; the tensors of these are kept.
_MOST_NUMBERS = 256


class TorchLauncher:
    """Enqueues a program on PyTorch's stream of the device."""

    def __init__(self, compiled: CompiledProgram, arguments: Arguments) -> None:
        self._arguments = arguments
        self._steps = [
            (launch, _function(launch.artifact), _threads(launch, arguments))
            for launch in compiled.launches
        ]
        # Extents and strides are the same in every call, and each costs a transfer.
        self._numbers: dict[bytes, Tensor] = {}

    def __call__(self, words: Words) -> None:
        """Enqueue each launch in order."""
        for launch, function, threads in self._steps:
            if threads == 0:
                continue
            tensors = [
                _bound(words[self._arguments.positions[name]], self._arguments.arrays[name], name)
                for name in launch.launch.buffers
            ]
            values = scalars_of(launch, self._arguments, words)
            pairs = zip(values, launch.artifact.scalars, strict=True)
            numbers = [
                self._number(scalar_argument(value, scalar.dtype).tobytes(), tensors[0].device)
                for value, scalar in pairs
            ]
            size = (launch.artifact.threads, 1, 1)
            function(*tensors, *numbers, threads=(threads, 1, 1), group_size=size)

    def frozen(self, words: Words) -> Callable[[], object]:
        """Return a call that enqueues the program again."""
        return partial(self, tuple(words))

    def _number(self, data: bytes, device: object) -> Tensor:
        known = self._numbers.get(data)
        if known is None:
            torch = sys.modules["torch"]
            known = torch.tensor(list(data), dtype=torch.uint8, device=device)
            if len(self._numbers) < _MOST_NUMBERS:
                self._numbers[data] = known
        return known


def _function(artifact: Artifact) -> Shader:
    """Return PyTorch's function of an artifact.

    Raises `UnsupportedError` U407 where PyTorch cannot compile or run it as planned, and
    `InternalError` M012 where the compiler refuses the text.
    """
    torch = sys.modules["torch"]
    compile_shader = getattr(getattr(torch, "mps", None), "compile_shader", None)
    if compile_shader is None:
        message = f"PyTorch {torch.__version__} takes no Metal text"
        raise UnsupportedError("U407", message, hint="upgrade PyTorch to 2.7 or later")
    if artifact.requires_precise_math and settings.is_set(_FAST_MATH):
        message = f"{artifact.entry} needs precise math, and {_FAST_MATH} is set"
        raise UnsupportedError("U407", message, hint=f"unset {_FAST_MATH}")
    try:
        function = getattr(compile_shader(artifact.text), artifact.entry)
    except (RuntimeError, SyntaxError, AttributeError) as error:
        notes = str(error).strip().splitlines()
        message = f"PyTorch's compiler refuses {artifact.entry}"
        raise InternalError("M012", message, notes=notes) from error
    most = getattr(function, "max_threads_per_threadgroup", artifact.threads)
    if most < artifact.threads:
        raise short_of_threads("the device", artifact, most)
    return function


def _threads(launch: CompiledLaunch, arguments: Arguments) -> int:
    """The threads of a launch; raises `UnsupportedError` U403 for more than a grid has."""
    threads = groups_of(launch, arguments) * launch.artifact.threads
    if threads > _MOST_THREADS:
        message = f"{threads} threads; a grid of Metal has {_MOST_THREADS}"
        raise UnsupportedError("U403", message, hint="pass the tensor in parts")
    return threads


def _bound(word: object, info: ArrayInfo, name: str) -> Tensor:
    """Return a flat tensor that starts where the word says.

    Raises `UnsupportedError` U407 for an address alone: memory on `mps` has none that is of use.
    """
    if not isinstance(word, HeldAddress) or not torch_arrays.is_tensor(word.owner):
        message = f"{name} is given by its address, and PyTorch binds tensors"
        raise UnsupportedError("U407", message, hint="pass the tensor itself")
    tensor: Tensor = word.owner
    start = tensor.storage_offset() + word.distance // tensor.element_size()
    count = extent(info)[1] // info.itemsize
    return tensor.detach().as_strided((count,), (1,), start)
