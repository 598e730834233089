"""The measurements behind `certile bench --budgets`, each in a process of its own.

In: the name of a budget, on the command line.  Out: figures by name, as JSON on standard output.
Decides what is run.  Leaves bars and verdicts to `certile.cli.budgets.bars`.

A figure of a case is `OP SHAPE DTYPE RIVAL`: the rival's time over that of certile with its output
given, the median over rounds; `… copy` is the fraction of a copy's bandwidth that certile reaches,
`… own allocation` certile's time with new outputs over that with given ones in the same memory;
`… mlx fresh` the time of MLX over that of certile with arrays of MLX, both allocating.  `ceiling
FIGURE` is what the figure would be if certile took the time of its own copy of the bytes that the
case has to move.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from certile.cli.output import say

Figures = dict[str, float]

_SECONDS_A_CASE = 1.2
_FIRST_CALLS = 3
_NORMS = ("rms_norm", "layer_norm", "residual_layer_norm", "residual_rms_norm", "cross_entropy")
# Outputs of 64 MB: what allocates less is no allocation that anybody notices.
_LARGE = ("softmax", "rms_norm", "layer_norm", "residual_layer_norm", "residual_rms_norm")
_ALLOCATIONS = 24
_MLX_OPS = ("softmax", "rms_norm", "layer_norm")
_BOTH = ("4096x4096", "65536x256")


def rows() -> Figures:
    """Measure the row operations beside PyTorch and NumPy."""
    found: Figures = {}

    def race(op: str, shape: str, dtype: str, *against: str) -> None:
        found.update(_raced(op, shape, dtype, against))

    for shape in _BOTH:
        for op in ("softmax", "sum", *_NORMS):
            race(op, shape, "f32", "torch", *(("numpy",) if op == "softmax" else ()))
        race("softmax", shape, "bf16", "torch")
        for op in _MLX_OPS if importlib.util.find_spec("mlx") else ():
            race(op, shape, "f32", "mlx")
    for op in ("layer_norm", "rms_norm", "residual_layer_norm"):
        race(op, "4096x4096", "bf16", "torch")
    race("softmax", "1x1048576", "f32", "torch")
    found["softmax 3x4096 prepared"] = _prepared_beside_torch()
    found |= _leading()
    found |= _summaries(found)
    return found


def _raced(op: str, shape: str, dtype: str, against: Sequence[str]) -> Figures:
    """Return the figures of one case."""
    from certile.cli.bench.contest import Case, Race
    from certile.cli.options import parse_shape

    race_of_case = Race(Case(op, parse_shape(shape), dtype), against)
    figures = race_of_case.run(_SECONDS_A_CASE)
    for figure in figures:
        if figure.wrong and figure.contestant.startswith("certile"):
            raise RuntimeError(f"{op} {shape} {dtype} is wrong: {figure.wrong}")
    case, given = f"{op} {shape} {dtype}", figures[0]
    found: Figures = {}
    if op in _LARGE and dtype == "f32" and shape in _BOTH:
        found[f"{case} own allocation"] = race_of_case.allocating_to_given(_ALLOCATIONS)
    for figure in figures[1:]:
        found[f"{case} {figure.contestant}"] = figure.to_first
        found[f"ceiling {case} {figure.contestant}"] = figure.ceiling
    if given.copy_speed is not None:
        found[f"{case} copy"] = given.speed / given.copy_speed
        found[f"ceiling {case} copy"] = given.own_copy_speed / given.copy_speed
    if "mlx" in against:
        found[f"{case} mlx fresh"] = found[f"{case} mlx"] / found[f"{case} certile mlx"]
        found[f"ceiling {case} mlx fresh"] = found[f"ceiling {case} mlx"]
    return found


def _summaries(found: Figures) -> Figures:
    """Return the figures that are made of several others."""
    own = [found[f"{op} {shape} f32 own allocation"] for op in _LARGE for shape in _BOTH]
    usual = [f"{op} {shape} f32" for op in _NORMS for shape in _BOTH]
    six = [f"{op} {shape} f32" for op in (*_LARGE, "cross_entropy") for shape in _BOTH]
    theirs = [found[f"{case} torch"] / found[f"{case} certile"] for case in six]
    mean = statistics.geometric_mean
    return {
        "usual": mean(found[f"{case} torch"] for case in usual),
        "ceiling usual": mean(found[f"ceiling {case} torch"] for case in usual),
        "own allocation": max(own),
        "allocating": mean(theirs),
        "ceiling allocating": mean(found[f"ceiling {case} torch"] for case in six),
    }


def _prepared_beside_torch() -> float:
    """Return the time of a prepared softmax of 3x4096 over that of PyTorch with `out=`."""
    import torch

    from certile.ops.kernels.rows import softmax_kernel

    x = torch.randn(3, 4096)
    y = torch.empty_like(x)
    prepared = softmax_kernel.prepare(x, y)
    ours, theirs = [], []
    for _ in range(9):
        ours.append(_microseconds(prepared, 2000))
        theirs.append(_microseconds(lambda: torch.softmax(x, -1, out=y), 2000))
    return statistics.median(ours) / statistics.median(theirs)


def _leading() -> Figures:
    """Measure reductions over a leading axis."""
    from certile.cli.budgets.leading import figures

    return figures()


def call() -> Figures:
    """Measure what a call costs besides the kernel."""
    import numpy as np

    from certile import ops
    from certile.ops.kernels.rows import layer_norm_kernel, softmax_kernel

    def arrays(make: Callable[[Any], Any]) -> list[Any]:
        shapes = ((1, 16), (1, 16), (16,), (16,))
        return [make(np.ones(shape, np.float32)) for shape in shapes]

    found: Figures = {}
    makers: dict[str, Callable[[Any], Any]] = {"numpy": np.asarray}
    with contextlib.suppress(ImportError):
        makers["torch"] = importlib.import_module("torch").from_numpy
    if importlib.util.find_spec("mlx"):
        found |= _calls_with_mlx()
    for name, make in makers.items():
        x, y, weight, bias = arrays(make)
        two = softmax_kernel.prepare(x, y)
        four = layer_norm_kernel.prepare(x, y, 1e-5, weight, bias)
        found[f"overhead {name} 2"] = _least(partial(ops.softmax, x, out=y)) - _least(two)
        found[f"overhead {name} 4"] = _least(
            partial(ops.layer_norm, x, weight, bias, out=y)
        ) - _least(four)
        found[f"overhead {name} others"] = _slowest_of_others(make) - _least(two)
        found["prepared"] = max(_least(two), found.get("prepared", 0.0))
    return found


def _slowest_of_others(make: Callable[[Any], Any]) -> float:
    """Return what the slowest call takes of the operations that look at more than signatures.

    They read labels and indices, add up what a launch makes, or have an option that is a number.
    None is given more than four arrays, and their kernels count as the softmax that is taken off,
    which is the shortest.
    """
    import numpy as np

    from certile import ops

    x, y = make(np.ones((1, 16), np.float32)), make(np.empty((1, 16), np.float32))
    loss, number = make(np.empty(1, np.float32)), make(np.array([0]))
    weight, four = make(np.ones(16, np.float32)), make(np.empty((1, 4), np.float32))
    places, codes = make(np.empty((1, 4), np.int64)), make(np.empty((1, 16), np.int8))
    total = make(np.empty((), np.float32))
    calls = (
        partial(ops.cross_entropy, x, number, reduction="none", out=loss),
        partial(ops.cross_entropy, x, number, reduction="none", weight=weight, out=loss),
        partial(ops.cross_entropy, x, number, out=total),
        partial(ops.embedding, x, number, out=y),
        partial(ops.group_norm, x, 4, weight, weight, out=y),
        partial(ops.topk, x, 4, out=(four, places)),
        partial(ops.quantize_rows, x, out=(codes, loss)),
        partial(ops.norm_quantize, x, weight, out=(codes, loss)),
        partial(ops.var, x, -1, correction=1, out=loss),
    )
    return max(map(_least, calls))


def _calls_with_mlx() -> Figures:
    """Measure the same with arrays of MLX, whose results are new: they cannot be stored to.

    The prepared calls, which take the kernel's time off, are of NumPy arrays.
    """
    import numpy as np

    from certile import ops
    from certile.ops.kernels.rows import layer_norm_kernel, softmax_kernel

    mx: Any = importlib.import_module("mlx.core")
    x, y = np.ones((1, 16), np.float32), np.ones((1, 16), np.float32)
    weight, bias = np.ones(16, np.float32), np.ones(16, np.float32)
    two = softmax_kernel.prepare(x, y)
    four = layer_norm_kernel.prepare(x, y, 1e-5, weight, bias)
    theirs = [mx.array(each) for each in (x, weight, bias)]
    mx.eval(*theirs)
    return {
        "overhead mlx 2": _least(partial(ops.softmax, theirs[0])) - _least(two),
        "overhead mlx 4": _least(partial(ops.layer_norm, *theirs)) - _least(four),
    }


def _least(work: Callable[[], object]) -> float:
    """Return the least microseconds a call of `work` took in a short while; noise only adds."""
    return min(_microseconds(work, 200) for _ in range(200))


def _microseconds(work: Callable[[], object], count: int) -> float:
    return 1e6 * timeit.timeit(work, number=count) / count


_FIRST_CALL = """
import os, sys, time
sys.dont_write_bytecode = False
os.environ["CERTILE_CACHE_DIR"] = sys.argv[1]
import numpy as np, llvmlite.binding
import certile as ct
from certile.runtime.cpu.pool import pool
pool()

@ct.tile_kernel
def kernel(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)

x = np.ones((64, 1000), np.float32)
y = np.empty_like(x)
started = time.perf_counter()
kernel(x, y)
print(time.perf_counter() - started)
"""


def compile() -> Figures:  # noqa: A001 - the budget's name
    """Measure the first call of a row kernel, without and with the disk cache.

    The worker pool, which is made once for all kernels, and llvmlite are there before, and so is
    the bytecode of every module, as it is in an installed package.  Each figure is the least of
    several processes; noise only adds.
    """
    first, again = [], []
    with tempfile.TemporaryDirectory() as folder:
        _python(_FIRST_CALL, f"{folder}/unmeasured", bytecode=folder)
        for number in range(_FIRST_CALLS):
            cache = f"{folder}/cache-{number}"
            first.append(float(_python(_FIRST_CALL, cache, bytecode=folder)))
            again.append(float(_python(_FIRST_CALL, cache, bytecode=folder)))
    return {"first call": 1e3 * min(first), "from disk": 1e3 * min(again)}


def import_() -> Figures:
    """Measure `import certile`, the interpreter's own start taken off, from bytecode."""
    times = []
    with tempfile.TemporaryDirectory() as bytecode:
        _python("import sys; sys.dont_write_bytecode = False; import certile", bytecode=bytecode)
        for _ in range(5):
            pair = []
            for program in ("import certile", "pass"):
                started = time.perf_counter()
                _python(program, bytecode=bytecode)
                pair.append(time.perf_counter() - started)
            times.append(pair[0] - pair[1])
    return {"import": statistics.median(times)}


def _python(program: str, *arguments: str, bytecode: str) -> str:
    """Run a program in a fresh interpreter and return what it printed; bytecode is kept apart."""
    command = [sys.executable, "-X", f"pycache_prefix={bytecode}", "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def streaming() -> Figures:
    """Measure rows that no cache holds."""
    from certile.cli.budgets.streamed import figures

    return figures()


def shared() -> Figures:
    """Measure calls beside a process that takes a core, and in turn with PyTorch."""
    from certile.cli.budgets.shared_cores import figures

    return figures()


def proofs() -> Figures:
    """Measure what checking and deriving cost."""
    from certile.cli.budgets.proofs import figures

    return figures()


_SIMULATION = """
import json, os, sys
os.environ["CERTILE_CACHE_DIR"] = sys.argv[1]
from certile.cli.budgets.simulation import figures
print(json.dumps(figures()))
"""


def sim() -> Figures:
    """Measure simulated Metal with a cache of its own."""
    with tempfile.TemporaryDirectory() as folder:
        found: Figures = json.loads(_python(_SIMULATION, f"{folder}/cache", bytecode=folder))
    return found


MEASURES: dict[str, Callable[[], Figures]] = {
    "rows": rows,
    "streaming": streaming,
    "shared": shared,
    "proofs": proofs,
    "call": call,
    "compile": compile,
    "import": import_,
    "sim": sim,
}


def main() -> None:
    """Measure the budget named by the argument."""
    found = MEASURES[sys.argv[1]]()
    say(json.dumps({name: value for name, value in found.items() if math.isfinite(value)}))


if __name__ == "__main__":
    main()
