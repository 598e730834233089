"""What simulated Metal costs: text to result, the same from the disk cache, and a large launch.

In: nothing.  Out: figures by name, in milliseconds.  Decides what is counted: the text is there,
clang has been looked for and the simulator's runtime is compiled, as after any first kernel; from
then on checking, compiling, loading and running all count.  The caller gives the process a cache
folder of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from certile.cli.subject import facts_of
from certile.codegen.artifact import Artifact
from certile.metalsim import Library
from certile.metalsim.library import RunMode
from certile.ops.kernels import bare
from certile.pipeline import compile_program
from certile.runtime import metal_sim
from certile.targets.metal import METAL

_OP = "softmax"
_FEW, _MANY = (3, 4096), (256, 4096)
_TEXTS, _LAUNCHES = 5, 9


def figures() -> dict[str, float]:
    """Measure; each figure is the least of several runs."""
    few, many = _artifact(_FEW), _artifact(_MANY)
    _launch(few, _FEW, "checked")
    texts = [replace(few, text=f"{few.text}// {number}\n") for number in range(_TEXTS)]
    first = [_milliseconds(partial(_launch, each, _FEW, "checked")) for each in texts]
    again = [_milliseconds(partial(_reload, each)) for each in texts]
    _launch(many, _MANY, "fast")
    large = [_milliseconds(partial(_launch, many, _MANY, "fast")) for _ in range(_LAUNCHES)]
    return {"text to result": min(first), "cached": min(again), "fast": min(large)}


def _artifact(shape: tuple[int, int]) -> Artifact:
    form = bare(_OP, shape)
    facts = facts_of(form.kernel, form.shapes)
    (launch,) = compile_program(form.kernel, facts, form.programs, METAL).launches
    return launch.artifact


def _launch(artifact: Artifact, shape: tuple[int, int], mode: RunMode) -> None:
    x = np.ones(shape, np.float32)
    y = np.empty_like(x)
    strides = [shape[1]] * len(artifact.scalars)
    report = metal_sim.run(artifact, [x, y], strides, shape[0], mode=mode)
    assert report is not None
    assert report.ok, report
    assert np.allclose(y, 1 / shape[1])


def _reload(artifact: Artifact) -> None:
    """Load the library from the disk cache, and launch it."""
    Library(artifact.text, "checked")
    _launch(artifact, _FEW, "checked")


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - started)
