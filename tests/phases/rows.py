"""Rows that begin anywhere: kernels, arrays at odd places, plans with a phase, ways to run them.

A matrix lies `skew` elements behind an aligned place, and its rows `pad` elements apart; what is
between them is large, so that a lane that took it for an element would be found out.
"""

from dataclasses import dataclass, field

import numpy as np

from certile.codegen import emitter_for
from certile.codegen.packs import packs
from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import BY_NAME, f32
from certile.ir.machine.fold import facts_of
from certile.ir.machine.verify import check_machine
from certile.ir.walk import parallel_regions, specialise
from certile.lower import lower_parallel
from certile.plan.choose import choose
from certile.plan.options import Options
from certile.plan.rounding.depth import depths
from certile.reference.agrees import agrees
from certile.reference.machine import run_machine
from certile.reference.machine_numeric import storage
from certile.runtime.array_info import ArrayInfo
from certile.runtime.dispatch import view_facts
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from tests import kernels

SHEETS = {"metal": METAL, "cuda": CUDA_SM90}
BETWEEN = {"bf16": 3e4, "f16": 3e4, "f32": 3e4, "u8": 255, "i32": 1 << 20}


def wide_sum(dtype=f32):
    """y[r] = the sum of x[r, :] in f32, whatever the elements are."""
    b = Builder("wide_sum")
    x = b.view("x", dtype, 2)
    rows, cols = kernels.matrix(b, x)
    with b.parallel(rows):
        y = b.view("y", f32, 1)
        b.store(y, rows, b.reduce(b.cast(b.load(x, rows, cols), f32), cols, laws.ADD))
    return b.build()


def stored_again(dtype=f32):
    """y is stored plainly, and then where x > 0 and where x < -1."""
    b = Builder("stored_again")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = kernels.matrix(b, x)
    with b.parallel(rows):
        own = b.load(x, rows, cols)
        b.store(y, (rows, cols), own)
        b.store(y, (rows, cols), b.map("mul", own, 2.0), mask=b.map("gt", own, 0.0))
        b.store(y, (rows, cols), b.map("mul", own, 4.0), mask=b.map("lt", own, -1.0))
    return b.build()


def stored_and_read(dtype=f32):
    """y is stored where x > 0, and z = x + y."""
    b = Builder("stored_and_read")
    x, y, z = (b.view(name, dtype, 2) for name in "xyz")
    rows, cols = kernels.matrix(b, x)
    with b.parallel(rows):
        own = b.load(x, rows, cols)
        b.store(y, (rows, cols), b.map("mul", own, 2.0), mask=b.map("gt", own, 0.0))
        b.store(z, (rows, cols), b.map("add", b.load(y, rows, cols), own))
    return b.build()


KERNELS = {
    "sum": wide_sum,
    "softmax": kernels.softmax,
    "layer_norm": kernels.layer_norm,
    "argmax": kernels.argmax,
    "min_max": kernels.min_max,
    "cross_entropy": kernels.cross_entropy,
}
OTHERS = {
    "stored_again": stored_again,
    "stored_and_read": stored_and_read,
    "scale_in_place": kernels.scale_in_place,
    "serial_tile": lambda dtype: kernels.serial_tile(3, dtype),
    "serial_reduction": kernels.serial_reduction,
    "residual_layer_norm": kernels.residual_layer_norm,
    "mean_var": kernels.mean_var,
    "logsumexp": kernels.logsumexp,
    "gelu": kernels.gelu,
}
NUMBERS = {"factor": 2.5}


def at_place(values, skew, pad, aligned=64):
    """A copy that begins `skew` elements behind an aligned place, and the memory from there on.

    `pad` elements lie between what neighbours along each axis but the last take.
    """
    size, steps = values.dtype.itemsize, [1]
    for extent in values.shape[:0:-1]:
        steps.insert(0, steps[0] * extent + pad)
    count = 1 + sum((n - 1) * step for n, step in zip(values.shape, steps, strict=True))
    raw = np.zeros((count + skew) * size + aligned, np.uint8)
    start = -raw.ctypes.data % aligned + skew * size
    memory = raw[start : start + count * size].view(values.dtype)
    memory[...] = BETWEEN.get(str(values.dtype).replace("bfloat", "bf").replace("float", "f"), 100)
    view = np.lib.stride_tricks.as_strided(memory, values.shape, [step * size for step in steps])
    view[...] = values
    return view, memory


def numbers(dtype, shape, seed):
    """Small numbers, and none twice in a row of a float type where that matters."""
    rng = np.random.default_rng(seed)
    if dtype.is_float:
        return rng.standard_normal(shape).astype(storage(dtype))
    return rng.integers(0, 100, shape).astype(storage(dtype))


@dataclass
class Rows:
    """A kernel and its arguments, each matrix at its own place."""

    name: str
    length: int
    dtype: str = "f32"
    count: int = 5
    places: dict = field(default_factory=dict)
    default: tuple = (0, 0)
    x: object = None

    def __post_init__(self):
        dtype = BY_NAME[self.dtype]
        kernel = {**KERNELS, **OTHERS}[self.name](dtype)
        self.arrays, self.memory, self.facts, self.skews, shapes = {}, {}, {}, {}, {}
        for number, view in enumerate(kernel.views):
            shape = self._shape(view)
            values = numbers(view.dtype, shape, number)
            if view.name == "labels":
                values = np.arange(self.count, dtype=np.int64) * 7 % self.length
            if view.name == "x" and self.x is not None:
                values = self.x.astype(values.dtype)
            skew, pad = self.places.get(view.name, self.default if view.rank > 1 else (0, 0))
            array, memory = at_place(values, skew, pad)
            self.arrays[view.name], self.memory[view.name] = array, memory
            self.skews[view.name] = skew
            shapes[view.name] = shape
            size = array.itemsize
            strides = tuple(step // size for step in array.strides)
            info = ArrayInfo(
                array.ctypes.data, view.dtype.name, shape, strides, size, False, "numpy"
            )
            self.facts[view.name] = view_facts(info, aligned=True)
        self.kernel = specialise(kernel, shapes)
        (self.region,) = parallel_regions(self.kernel)

    def _shape(self, view):
        if view.rank > 1:
            return (3, self.count, self.length)[-view.rank :]
        per_column = view.name in ("weight", "bias", "w", "b")
        return (self.length,) if per_column else (self.count,)

    def plan(self, target="metal", **options):
        """The plan on request."""
        asked = Options(**options)
        return choose(self.kernel, self.region, self.count, SHEETS[target], asked, facts=self.facts)

    def lower(self, plan, name="k0"):
        launch = lower_parallel(name, self.kernel, self.region, plan, self.facts).launches[0]
        check_machine(launch.kernel)
        return launch

    def emit(self, plan, launch):
        return emitter_for(plan.sheet)(launch.kernel, plan.sheet)

    def scalars(self, launch):
        """The values of the scalar parameters, by name."""
        values = [
            source.evaluate(
                lambda view, dim: self.arrays[view].shape[dim],
                lambda view, dim: self.arrays[view].strides[dim] // self.arrays[view].itemsize,
                lambda name: NUMBERS[name],
            )
            for source in launch.scalars
        ]
        return dict(zip((p.name for p in launch.kernel.scalars), values, strict=True))

    def copied(self):
        """The memory of each argument again, as aligned as it was."""
        return {
            name: at_place(memory, self.skews[name], 0)[1] for name, memory in self.memory.items()
        }

    def interpret(self, plan, launch):
        """Run in the machine interpreter, judge the results, and return them.

        What the target accesses as one must be aligned in these arrays.
        """
        memory = self.copied()
        report = run_machine(
            launch.kernel,
            memory,
            self.scalars(launch),
            self.count,
            wide=wide_accesses(launch.kernel, 16),
        )
        assert report.ok, report
        return self.judge(plan, memory)

    def judge(self, plan, memory):
        """Compare memory after a run with the reference; what no row owns is as it was."""
        before = {name: array.copy() for name, array in self.arrays.items()}
        results, unowned = {}, {}
        for name, array in self.arrays.items():
            after = np.lib.stride_tricks.as_strided(memory[name], array.shape, array.strides)
            results[name] = after.copy()
            after[...] = before[name]
            unowned[name] = memory[name]
        for name, now in unowned.items():
            np.testing.assert_array_equal(now.view(np.uint8), self.memory[name].view(np.uint8))
        outputs = {view.name: results[view.name] for view in self.kernel.outputs}
        found = agrees(outputs, self.kernel, {**NUMBERS, **before}, depths(plan))
        assert found, str(found.worst)
        return outputs


def wide_accesses(kernel, most):
    """The accesses at which a target takes several elements, with the bytes of each."""
    facts = facts_of(kernel.body, kernel.lanes, kernel.subgroups)
    found, blocks = {}, [kernel.body]
    while blocks:
        block = blocks.pop()
        for pack in packs(block, facts, lambda dtype: most // dtype.size).values():
            first = pack.accesses[0]
            found[first] = len(pack.accesses) * first.buffer.dtype.size
        blocks += [inner for operation in block.operations for inner in operation.blocks()]
    return found
