"""A seeded sample of plans: operations, shapes and types under mappings the planner finds legal.

Each is a `Request`; a translation unit has a hundred.  Rows are probes: small integers, whose sums
are exact in every order, and rows with one element set where the plan changes hands.
"""

from dataclasses import dataclass
from functools import cache
from itertools import islice
from random import Random

import numpy as np

from certile.diagnostics import CertileError
from certile.ops.kernels import BARE_OPS, bare
from certile.plan.options import Options
from certile.reference.probes import exact_probes, index_ranges, row_dimensions, thresholds
from certile.targets.metal import METAL
from tests.metal_suite.suite import Request

COUNT, UNIT = 600, 100
LENGTHS = (1, 2, 31, 32, 33, 64, 96, 127, 257, 260, 512, 1000, 1025, 1999, 2056)
DTYPES = ("f32", "f32", "bf16", "f16")
# The second is another name of the first.
OPS = tuple(op for op in BARE_OPS if op != "minmax")
KEPT = ("preserve", "expensive-only", "nothing")


@dataclass(frozen=True)
class Sampled:
    """An operation in a type at a shape, and exactly what is asked of the planner."""

    op: str
    rows: int
    length: int
    dtype: str
    options: Options

    def __str__(self):
        o = self.options
        subgroups = o.threads // (METAL.lanes * o.programs_per_group)
        kept = f"{o.materialization}{'-cached' if o.cache_inputs else ''}"
        mapping = f"S{subgroups}Q{o.programs_per_group}V{o.lane_elements}U{o.unroll}"
        return f"{self.op}-{self.rows}x{self.length}-{self.dtype}-{mapping}-{kept}"

    def request(self):
        """The request, with integers as its arguments."""
        made = bare(self.op, (self.rows, self.length), self.dtype)
        (probe,) = exact_probes(made.kernel, made.shapes, count=1, seed=self.length)
        return Request(made.kernel, poisoned(made.kernel, probe.arguments), self.options)


def drawn(random):
    """One draw; most are legal."""
    op = random.choice(OPS)
    packed = random.choice((1, 1, 2, 3, 8))
    subgroups = random.randint(1, min(32, 32 // packed))
    # Narrow programs are as likely as wide ones.
    subgroups = random.choice((1, min(2, subgroups), subgroups))
    length = random.choice(LENGTHS)
    return Sampled(
        op,
        random.choice((1, 5, 2 * packed + 1)),
        length + length % 2 if op == "rope" else length,
        random.choice(DTYPES),
        Options(
            policy="analytic",
            threads=METAL.lanes * subgroups * packed,
            programs_per_group=packed,
            lane_elements=random.choice((1, 1, 2, 4, 8)),
            unroll=random.choice((1, 1, 2, 4, 16)),
            materialization=random.choice(KEPT),
            cache_inputs=random.random() < 0.4,
        ),
    )


def legal(sampled):
    """Whether the planner maps the request to subgroups exactly as it was asked."""
    try:
        plan = sampled.request().plan()
    except CertileError:
        return False
    return plan.mapping is not None and plan.mapping.family == "subgroup"


@cache
def sample(seed=0):
    """The plans, each once."""
    random = Random(seed)

    def found():
        seen = set()
        while True:
            sampled = drawn(random)
            if sampled not in seen and legal(sampled):
                seen.add(sampled)
                yield sampled

    return tuple(islice(found(), COUNT))


def poisoned(kernel, arguments):
    """The arguments with outputs that nobody has written."""
    made = dict(arguments)
    for view in kernel.outputs:
        poison = np.nan if view.dtype.is_float else -1
        made[view.name] = np.full_like(made[view.name], poison)
    return made


def one_hot(request, mapping):
    """Zeros, and in each row one element set at a threshold of the mapping; vectors are ones."""
    kernel = request.case.specialised
    workers = METAL.lanes * mapping.subgroups_per_program
    sizes = (mapping.lane_elements, METAL.lanes * mapping.lane_elements)
    chunk = workers * mapping.lane_elements
    ranges = index_ranges(kernel, request.shapes)
    made = dict(request.arguments)
    for view in kernel.inputs:
        if view.name in ranges:
            continue
        array = np.zeros_like(made[view.name])
        dims = row_dimensions(kernel, view)
        if len(dims) == array.ndim:
            array[...] = 1
        else:
            flat = array.reshape(array.shape[0], -1)
            places = thresholds(flat.shape[1], *sizes, chunk, chunk * mapping.unroll)
            for row in range(flat.shape[0]):
                # Few rows do not reach every threshold: the last ones, of the tail, come first.
                flat[row, places[-1 - row % len(places)]] = 3
        made[view.name] = array
    return made
