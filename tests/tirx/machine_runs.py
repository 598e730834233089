"""Compiled kernels of recognised functions, executed on the machine that watches every access."""

from math import prod

import numpy as np

from certile.plan.options import Options
from certile.reference.machine import run_machine
from certile.tirx.recognition.recognised import Recognised


def run_compiled(
    made: Recognised, arrays: dict[str, np.ndarray], options: Options | None = None
) -> None:
    """Run every launch in place; nothing that the machine watches may be reported."""
    flat = {name: array.reshape(-1) for name, array in arrays.items()}
    for compiled, programs in zip(made.compile(options).launches, made.programs, strict=True):
        kernel, launch = compiled.launch.kernel, compiled.launch
        scalars = {
            scalar.name: host.evaluate(
                lambda view, dim: made.shapes[view][dim],
                lambda view, dim: prod(made.shapes[view][dim + 1 :]),
                {}.get,
            )
            for scalar, host in zip(kernel.scalars, launch.scalars, strict=True)
        }
        pairs = zip(kernel.buffers, launch.buffers, strict=True)
        buffers = {buffer.name: flat[name] for buffer, name in pairs}
        report = run_machine(kernel, buffers, scalars, programs)
        assert report.ok, report
