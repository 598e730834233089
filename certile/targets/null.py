"""The null sheet: a target that plans and lowers like a GPU and runs nothing.

In: nothing.  Out: `NULL`.  Decides round numbers that no device constrains, so that a contract test
can walk every stage but execution.
"""

from __future__ import annotations

from certile.ir import dtypes
from certile.targets.sheet import Sheet

NULL = Sheet(
    name="null",
    kind="null",
    lanes=32,
    max_threads=1024,
    shared_bytes=32768,
    stripe_scalars=64,
    dtypes=frozenset(dtypes.ALL),
    architecture="null",
    provenance={
        "lanes": "chosen: the width of both GPU targets",
        "max_threads": "chosen: the limit of both GPU targets",
        "shared_bytes": "chosen: the smaller limit of the GPU targets",
        "stripe_scalars": "a budget of this compiler: 64 words a worker",
        "dtypes": "chosen: all",
        "wave": "the analytic policy's constant",
    },
)
