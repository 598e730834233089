"""CPU sheets that ship as data, one a vector instruction set.

In: nothing.  Out: `CPU_AVX512`, `CPU_AVX2`, `CPU_NEON`.  Decides vector width, registers and
typical cache sizes.  Leaves cores and caches of this machine to a sheet measured on it.
"""

from __future__ import annotations

from certile.ir import dtypes
from certile.targets.sheet import Sheet

# Slots of one lane's stripe: 2**22 words a lane are 256 MiB of scratch at 16 lanes.  A row longer
# than that is not kept.
_STRIPE_SLOTS = 1 << 22


def _sheet(
    name: str,
    vector_bytes: int,
    registers: int,
    caches: tuple[int, ...],
    source: str,
    *,
    scales_widely: bool = False,
) -> Sheet:
    lanes = vector_bytes // 4
    return Sheet(
        name=name,
        kind="cpu",
        lanes=lanes,
        max_threads=lanes,
        shared_bytes=0,
        stripe_scalars=_STRIPE_SLOTS,
        dtypes=frozenset(dtypes.ALL),
        wave=1,
        cores=1,
        vector_bytes=vector_bytes,
        registers=registers,
        cache_bytes=caches,
        bandwidth=10.0,
        cache_bandwidth=(100.0, 50.0, 20.0),
        flushes_subnormals=False,
        exact_division=True,
        scales_widely=scales_widely,
        architecture=name.removeprefix("cpu-"),
        native_functions=frozenset(),
        provenance={
            "lanes": "f32 elements of a vector",
            "max_threads": "one subgroup, a vector, is a group",
            "shared_bytes": "one subgroup a group shares nothing",
            "stripe_scalars": "a budget of this compiler: scratch memory, not registers",
            "native_functions": "vector code calls no library; lowering expands every function",
            "vector_bytes": source,
            "registers": source,
            "cache_bytes": "typical server parts; a measured sheet replaces it",
            "bandwidth": "uncalibrated default: one core of a server part",
            "cache_bandwidth": "uncalibrated default: one core of a server part",
            "cores": "not a property of the instruction set; a measured sheet replaces it",
            "wave": "the threads of the pool, which are the cores",
            "flushes_subnormals": "the pool leaves the floating-point environment at its default",
            "exact_division": "IEEE 754 instructions",
            "scales_widely": "VSCALEFPS of AVX-512 takes every exponent; nothing else is known to",
        },
    )


CPU_AVX512 = _sheet(
    "cpu-avx512",
    64,
    32,
    (32 << 10, 1 << 20, 32 << 20),
    "Intel 64 and IA-32 Architectures Software Developer's Manual, AVX-512",
    scales_widely=True,
)
CPU_AVX2 = _sheet(
    "cpu-avx2",
    32,
    16,
    (32 << 10, 512 << 10, 16 << 20),
    "Intel 64 and IA-32 Architectures Software Developer's Manual, AVX2",
)
CPU_NEON = _sheet(
    "cpu-neon",
    16,
    32,
    (64 << 10, 1 << 20, 16 << 20),
    "Arm Architecture Reference Manual for A-profile, Advanced SIMD",
)
