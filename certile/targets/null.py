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
    vector_bytes=16,
    registers=65536,
    cache_bytes=(65536, 8388608),
    bandwidth=100.0,
    cache_bandwidth=(1000.0, 300.0),
    multiprocessors=8,
    resident_threads=2048,
    resident_groups=32,
    lane_registers=255,
    issue_rate=4.0,
    memory_latency=500.0,
    provenance={
        "lanes": "chosen: the width of both GPU targets",
        "max_threads": "chosen: the limit of both GPU targets",
        "shared_bytes": "chosen: the smaller limit of the GPU targets",
        "stripe_scalars": "a budget of this compiler: 64 words a worker",
        "dtypes": "chosen: all",
        "wave": "the analytic policy's constant",
        **dict.fromkeys(
            (
                *("vector_bytes", "registers", "cache_bytes", "bandwidth", "cache_bandwidth"),
                *("multiprocessors", "resident_threads", "resident_groups", "lane_registers"),
                *("issue_rate", "memory_latency"),
            ),
            "chosen: between the two GPU targets",
        ),
    },
)
