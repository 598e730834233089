"""Compile and run programs that are no operation; print what came out, as JSON.

Run as a process of its own, from a copy of the package that may lack the operations.
"""

import hashlib
import json
import sys

import numpy as np

import certile as ct
from certile.diagnostics import UnsupportedError
from certile.ir.host import ViewFacts
from certile.ir.types import Dim
from certile.ir.walk import parallel_regions, specialise
from certile.pipeline import compile_program
from certile.reference.generate import corpus
from certile.targets.cpu import CPU_AVX2
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL

COUNT = 20
SHEETS = {"cpu": CPU_AVX2, "cuda": CUDA_SM90, "metal": METAL}


@ct.tile_kernel
def scaled(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        row = x[r, cols]
        y[r, cols] = row / (1.0 + ct.reduce(ct.abs(row), cols, ct.maximum))


def texts_of(program):
    """The text of every launch for each target, or the code of why there is none."""
    kernel = specialise(program.kernel, program.shapes)
    facts = {v.name: ViewFacts((*(None,) * (v.rank - 1), 1)[: v.rank], 4) for v in kernel.views}
    counts = [count(region, program.shapes) for region in parallel_regions(kernel)]
    made = {}
    for name, sheet in SHEETS.items():
        try:
            compiled = compile_program(kernel, facts, counts, sheet)
        except UnsupportedError as error:
            made[name] = error.code
        else:
            made[name] = "\n".join(launch.artifact.text for launch in compiled.launches)
    return made


def count(region, shapes):
    extents = [axis.extent for axis in region.over]
    return int(np.prod([shapes[e.view][e.dim] if isinstance(e, Dim) else e for e in extents]))


def run():
    x = np.linspace(-3, 3, 7 * 100, dtype=np.float32).reshape(7, 100)
    y = np.zeros_like(x)
    scaled(x, y)
    assert (y == x / (np.float32(1) + np.abs(x).max(axis=1, keepdims=True))).all()
    return hashlib.sha256(y.tobytes()).hexdigest()


def main():
    texts = [texts_of(program) for program in corpus(COUNT)]
    found = {
        "package": ct.__file__,
        "texts": texts,
        "result": run(),
        "loaded": sorted(name for name in sys.modules if name.startswith("certile.ops")),
    }
    try:
        found["ops"] = bool(ct.ops)
    except ImportError:
        found["ops"] = False
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
