"""The measured rows of a GPU as cases of the planner: kernels, layouts, and a time for each plan.

In: `benchmarks/results/2026-11-30-h200-rows.json`, and `-race.json` beside it.  Out: cases with the
options that each measured plan was asked for, and the times of raced plans by name.  A plan that
the service policy chose is named by what it asked for.  Flat plans, which no policy scores, are
left out, and derived programs, which nobody can ask for.
"""

import json
import re
from dataclasses import replace
from functools import cache
from math import prod
from pathlib import Path

from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from certile.ir.host import layout_facts, row_major_facts
from certile.ir.walk import parallel_regions
from certile.ops.kernels.elementwise import gelu_kernel, silu_kernel
from certile.ops.kernels.losses import cross_entropy_kernel
from certile.ops.kernels.reductions import argmax_kernel, logsumexp_kernel, max_kernel, sum_kernel
from certile.ops.kernels.rows import (
    layer_norm_kernel,
    log_softmax_kernel,
    rms_norm_kernel,
    softmax_kernel,
)
from certile.plan.record import Options

FILE = Path(__file__).parents[3] / "benchmarks/results/2026-11-30-h200-rows.json"
RACE = FILE.with_name("2026-11-30-h200-race.json")
_PLAN = re.compile(
    r"(?:default: )?V(\d) S(\d+) Q(\d)( cached)?(?: (preserve|expensive-only|nothing))?"
)

# Kernel and its views; an upper-case name has a result of the shape of x, "s" one value a row.
_ROWS = {
    "softmax": (softmax_kernel, ("x", "y")),
    "log_softmax": (log_softmax_kernel, ("x", "y")),
    "rms_norm": (rms_norm_kernel, ("x", "weight", "y")),
    "layer_norm": (layer_norm_kernel, ("x", "weight", "bias", "y")),
    "residual rms_norm": (rms_norm_kernel, ("x", "weight", "residual", "y", "h")),
    "gelu": (gelu_kernel, ("x", "y")),
    "silu": (silu_kernel, ("x", "y")),
}
_REDUCED = {
    "logsumexp": logsumexp_kernel,
    "sum": sum_kernel,
    "max": max_kernel,
    "argmax": argmax_kernel,
}


def _views(op, rows, columns, dtype):
    if op in _ROWS:
        kernel, names = _ROWS[op]
        row = {"weight": (columns,), "bias": (columns,)}
        return kernel, {n: Shaped(dtype, row.get(n, (rows, columns))) for n in names}
    whole, single = Shaped(dtype, (rows, columns)), (rows,)
    if op == "cross_entropy":
        labels = Shaped(BY_NAME["i64"], single)
        made = {"logits": whole, "labels": labels, "loss": Shaped(dtype, single)}
        return cross_entropy_kernel, made
    result = BY_NAME["i64"] if op == "argmax" else dtype
    return _REDUCED[op], {"x": whole, "y": Shaped(result, single)}


def _facts(shaped):
    # The flat map suits dense rows, and no policy scores it.
    return replace(row_major_facts(shaped.shape, shaped.dtype.size), dense=None)


def _odd_facts(shaped):
    steps = [prod(shaped.shape[dim + 1 :]) for dim in range(len(shaped.shape))]
    return layout_facts(shaped.shape, steps, shaped.dtype.size)


@cache
def launch(op, shape, dtype, *, odd=False):
    """Kernel, region, programs and layouts of a case; of `odd` rows all that is known of them."""
    rows, columns = map(int, shape.split("x"))
    function, views = _views(op, rows, columns, BY_NAME[dtype])
    numbers = {"eps": 1e-5} if "norm" in op else {}
    kernel = function.tile_ir({**views, **numbers})
    facts = {name: (_odd_facts if odd else _facts)(view) for name, view in views.items()}
    return kernel, parallel_regions(kernel)[0], rows, facts


def options_of(plan):
    """What the measured plan was asked for."""
    if plan == "analytic":
        return Options(policy="analytic")
    lane_elements, subgroups, packed, cached, kept = _PLAN.fullmatch(plan).groups()
    return Options(
        policy="analytic",
        lane_elements=int(lane_elements),
        programs_per_group=int(packed),
        threads=32 * int(subgroups) * int(packed),
        cache_inputs=cached is not None,
        materialization=kept,
    )


@cache
def cases():
    """(op, shape, dtype) -> plan -> microseconds, of the plans that gave right results.

    Times are those of the rounds in which all plans competed.  The default plan is named in the
    rounds against the framework, minutes later perhaps, and only its name is taken from there.
    """
    found, names = {}, {}
    for row in json.loads(FILE.read_text())["rows"]:
        case = (row["op"], row["shape"], row["dtype"])
        if row["contestant"] == "certile" and row["passed"]:
            found.setdefault(case, {})[row["plan"]] = row["median_us"]
        elif row["contestant"] == "certile default":
            names[case] = row["plan"]
    for case, times in found.items():
        default = times.pop("default", None)
        asked = not any(word in names[case] for word in (" flat ", " derived"))
        if default is not None and asked:
            times[names[case]] = default
    return found


@cache
def raced():
    """(op, shape, dtype) -> plan -> microseconds, of the race among plans the model finds near."""
    found = {}
    for row in json.loads(RACE.read_text())["rows"]:
        case = (row["op"], row["shape"], row["dtype"])
        found.setdefault(case, {})[row["plan"]] = row["median_us"]
    return found


def name_of(plan):
    """What a plan of the subgroup family is called in the race."""
    mapping = plan.mapping
    form = "derived" if plan.derivation is not None else plan.materialization
    words = [f"V{mapping.lane_elements}", f"S{mapping.subgroups_per_program}"]
    words += [f"Q{mapping.programs_per_group}", *["phase"] * mapping.phase]
    words += [*["cached"] * plan.cache_inputs, form]
    return " ".join(words + [f"U{mapping.unroll}"] * (mapping.unroll > 1))
