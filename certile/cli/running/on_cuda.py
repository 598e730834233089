"""A subject on an NVIDIA GPU: arrays are copied there, and what was stored is copied back.

In: the subject, planner options.  Out: runners, native and for the texts that TVM wrote.  Decides
that the arrays of the device are tensors of PyTorch, as in calls, and that a machine without such a
device is told so before any data is made.  Leaves compiling and launching to `certile.runtime`.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from certile.cli.memory import too_large
from certile.cli.output import first_line
from certile.cli.subject import Subject
from certile.diagnostics import UnsupportedError
from certile.ir.array_types import FULL_NAMES
from certile.ir.dtypes import BY_NAME
from certile.plan.record import Options
from certile.runtime.target import target
from certile.tirx.artifact import DeviceArtifact

__all__ = ["device_runner", "runner", "torch_with_device"]

Arguments = dict[str, Any]
Array = np.ndarray[Any, Any]


def torch_with_device() -> Any:  # noqa: ANN401 - a module that is optional
    """Return PyTorch, which sees a CUDA device; raises `UnsupportedError` U303 otherwise."""
    if importlib.util.find_spec("torch") is None:
        message = "arrays on a CUDA device are tensors of PyTorch, which is not installed"
        raise UnsupportedError("U303", message, hint="install certile[torch,cuda]")
    torch: Any = importlib.import_module("torch")
    if not torch.cuda.is_available():
        raise UnsupportedError("U303", "PyTorch sees no CUDA device; CUDA text is still generated")
    return torch


def runner(subject: Subject, options: Options) -> Callable[[Arguments], list[str]]:
    """Return what runs the subject on the device and gives no complaints.

    Raises `UnsupportedError` U303 without a device; the runner U506 where its memory is too small.
    """
    torch = torch_with_device()

    def launch(given: Arguments) -> None:
        call = {**subject.arguments, **given}
        with target("cuda"):
            if options == Options():
                subject.function(**call)
            else:
                subject.function.prepare(**call, plan=options)()

    return _moving(torch, subject, launch)


def device_runner(
    subject: Subject, artifacts: Sequence[DeviceArtifact]
) -> Callable[[Arguments], list[str]]:
    """Return what launches TVM's texts on the device; raises as `runner` does."""
    from certile.runtime.cuda.device import DeviceKernel, architecture
    from certile.runtime.cuda.toolchain import compile_device

    torch = torch_with_device()
    # There is no context before the first allocation.
    torch.empty(1, device="cuda")
    place = architecture()
    kernels = [DeviceKernel(each, compile_device(each, place)) for each in artifacts]

    def launch(given: Arguments) -> None:
        stream = int(torch.cuda.current_stream().cuda_stream)
        for kernel in kernels:
            kernel.launch(_packed(kernel.artifact, given), stream)

    return _moving(torch, subject, launch)


def _packed(artifact: DeviceArtifact, given: Mapping[str, Any]) -> dict[str, bool | int | float]:
    """Return the addresses of tensors, and numbers as they are packed: narrow floats as bits."""
    from certile.runtime.launching import scalar_argument

    packed: dict[str, bool | int | float] = {}
    for each in artifact.arguments:
        if each.kind == "buffer":
            packed[each.name] = given[each.name].data_ptr()
            continue
        number = scalar_argument(given[each.name], BY_NAME[each.dtype])
        packed[each.name] = (number.view(np.uint16) if each.dtype == "f16" else number).item()
    return packed


def _moving(
    torch: Any,  # noqa: ANN401 - a module that is optional
    subject: Subject,
    launch: Callable[[Arguments], None],
) -> Callable[[Arguments], list[str]]:
    """Return a launch on tensors as one on arrays, which it changes in place."""
    names = {view.name: view.dtype.name for view in subject.kernel.views}
    stored = [view.name for view in subject.kernel.outputs]

    def run(arguments: Arguments) -> list[str]:
        try:
            given = {
                name: _to_device(torch, value, names[name]) if name in names else value
                for name, value in arguments.items()
            }
            launch(given)
            torch.cuda.synchronize()
        except torch.OutOfMemoryError as error:
            raise too_large(first_line(error)) from error
        for name in stored:
            _from_device(torch, given[name], arguments[name])
        return []

    return run


def _to_device(torch: Any, array: Array, dtype: str) -> Any:  # noqa: ANN401 - a tensor
    """Return a tensor of the same bits; NumPy has types that PyTorch does not take from it."""
    bits = torch.from_numpy(array.view(f"i{array.itemsize}"))
    return bits.to("cuda", copy=True).view(getattr(torch, FULL_NAMES[dtype]))


def _from_device(torch: Any, tensor: Any, array: Array) -> None:  # noqa: ANN401 - a tensor
    """Overwrite an array with the bits of a tensor."""
    bits = array.view(f"i{array.itemsize}")
    bits[...] = tensor.view(getattr(torch, f"int{8 * array.itemsize}")).cpu().numpy()
