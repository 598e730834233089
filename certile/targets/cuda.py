"""The CUDA sheet: compute capability 9.0 (H100, H200) with static shared memory.

In: nothing.  Out: `CUDA_SM90`.  Decides the limits that plans for CUDA obey.  Leaves the opt-in
shared memory above 48 KiB to kernels that ask for it at launch, which none does.
"""

from __future__ import annotations

from certile.ir import dtypes
from certile.ir.functions import FUNCTIONS
from certile.targets.sheet import Sheet

# What the library gives is more than 2 units in the last place off, in one precision or in both.
_EXPANDED = frozenset({"erfc", "exp2", "pow", "sigmoid", "tan"})
# The library chooses eight coefficients by selects, which issue at half the rate of products.
_SLOWER = frozenset({"erf"})
# The library has none; lowering composes it.
_COMPOSED = frozenset({"logaddexp"})
_LIBRARY = frozenset(f.name for f in FUNCTIONS.values() if f.expensive) - _COMPOSED

CUDA_SM90 = Sheet(
    name="cuda-sm90",
    kind="cuda",
    lanes=32,
    max_threads=1024,
    shared_bytes=49152,
    stripe_scalars=64,
    dtypes=frozenset(dtypes.ALL),
    private_bytes=524288,
    wave=1056,
    vector_bytes=16,
    registers=65536,
    cache_bytes=(262144, 52428800),
    bandwidth=4170.0,
    cache_bandwidth=(29600.0, 10000.0),
    multiprocessors=132,
    resident_threads=2048,
    resident_groups=32,
    lane_registers=255,
    issue_rate=6.9,
    memory_latency=450.0,
    dispatch=0.61,
    flushes_subnormals=False,
    exact_division=True,
    nan_extremes=True,
    architecture="sm_90",
    native_functions=_LIBRARY - _EXPANDED - _SLOWER,
    fast_functions=_EXPANDED,
    provenance={
        "lanes": "warp size, CUDA C++ Programming Guide, compute capabilities",
        "max_threads": "threads per block, CUDA C++ Programming Guide, compute capabilities",
        "shared_bytes": "static shared memory per block, CUDA C++ Programming Guide",
        "stripe_scalars": "a budget of this compiler, not a hardware limit: 64 words a worker",
        "private_bytes": "local memory per thread, CUDA C++ Programming Guide, technical "
        "specifications",
        "dtypes": "CUDA C++ Programming Guide, arithmetic types",
        "wave": "132 multiprocessors times 8 blocks of 256 threads (2048 threads each)",
        "registers": "32-bit registers per multiprocessor, CUDA C++ Programming Guide, 9.0",
        "cache_bytes": "unified L1 and L2 of the H200, NVIDIA Hopper architecture paper",
        "vector_bytes": "widest load of one thread, CUDA C++ Programming Guide, device memory",
        "bandwidth": "measured copy of an H200, 2026-11-29, bytes read and written",
        "cache_bandwidth": "128 bytes a clock and multiprocessor at 1.755 GHz; the second level is "
        "an uncalibrated default",
        "multiprocessors": "NVIDIA H200 data sheet",
        "resident_threads": "CUDA C++ Programming Guide, technical specifications, 9.0",
        "resident_groups": "CUDA C++ Programming Guide, technical specifications, 9.0",
        "lane_registers": "CUDA C++ Programming Guide, technical specifications, 9.0",
        "issue_rate": "four schedulers at 1.755 GHz",
        "memory_latency": "uncalibrated default; orders the plans measured on 2026-11-30",
        "dispatch": "an H200 takes 161 us for 262,144 groups of 64 threads, whatever they do",
        "flushes_subnormals": "compiled with -ftz=false",
        "native_functions": "CUDA C++ Programming Guide, mathematical functions: within 2 ulp in "
        "single and double precision, except tanf 4, erfcf 4, powf 4 and erfc 5.  Over all floats "
        "an H200 is within 1.93 with expf and 1.82 with tanhf, but 2.39 off with exp2f, where "
        "results are subnormal, and 3.46 with a quotient of expf as sigmoid.  Expansions serve "
        "these five in both precisions, and erf, which takes fewer instructions than erff",
        "fast_functions": "the library serves these, too, where the 2 ulp are not asked for",
        "exact_division": "compiled with -prec-div=true -prec-sqrt=true",
        "nan_extremes": "PTX ISA 8.0, max and min: .NaN from sm_80 on",
    },
)
