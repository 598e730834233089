"""The Metal sheet: an Apple GPU as every Apple silicon generation guarantees it.

In: nothing.  Out: `METAL`.  Decides the limits that plans for Metal obey.  Leaves a larger device
to a sheet measured on it.
"""

from __future__ import annotations

from certile.ir import dtypes
from certile.targets.sheet import Sheet

METAL = Sheet(
    name="metal",
    kind="metal",
    lanes=32,
    max_threads=1024,
    shared_bytes=32768,
    stripe_scalars=64,
    dtypes=frozenset(dtypes.ALL) - {dtypes.f64},
    private_bytes=65536,
    wave=64,
    vector_bytes=16,
    registers=53248,
    cache_bytes=(8192, 8388608),
    bandwidth=60.0,
    cache_bandwidth=(650.0, 200.0),
    multiprocessors=8,
    resident_threads=1024,
    resident_groups=24,
    lane_registers=128,
    issue_rate=5.1,
    memory_latency=500.0,
    flushes_subnormals=True,
    exact_division=True,
    architecture="apple7",
    native_functions=frozenset({"fmod"}),
    fast_functions=frozenset(
        {"exp", "exp2", "log", "log2", "rsqrt", "tanh", "sin", "cos", "tan", "pow"}
    ),
    provenance={
        "lanes": "threadExecutionWidth of Apple GPUs, Metal Feature Set Tables",
        "max_threads": "threads per threadgroup, Metal Feature Set Tables, Apple4 and later",
        "shared_bytes": "maximum threadgroup memory, Metal Feature Set Tables, Apple4 and later",
        "stripe_scalars": "a budget of this compiler, not a hardware limit: 64 words a worker",
        "private_bytes": "a budget of this compiler: no limit is documented",
        "dtypes": "Metal Shading Language Specification 2.1: no double; bfloat since 3.1",
        "native_functions": "MSL specification 8 allows more than 2 ulp to its own exp, log and "
        "tanh, 4 to sin and cos, 6 to tan and 16 to pow, and has no erf, expm1 or log1p: "
        "expansions serve them all.  fmod is exact",
        "fast_functions": "MSL specification 8: functions with a variant in namespace fast",
        "wave": "the analytic policy's constant; no Apple device was measured",
        "vector_bytes": "four floats, the widest vector type of the MSL specification",
        **dict.fromkeys(
            (
                *("registers", "cache_bytes", "bandwidth", "cache_bandwidth", "multiprocessors"),
                *("resident_threads", "resident_groups", "lane_registers", "issue_rate"),
                "memory_latency",
            ),
            "uncalibrated default: the proportions of a small Apple GPU, which its maker does not "
            "document; no Apple device was measured",
        ),
        "flushes_subnormals": "MSL specification 8: single precision may flush",
        "exact_division": "MSL specification 8: correctly rounded without fast math",
    },
)
