"""The target sheet: what the compiler knows about a device, as data.

The compiler never asks a machine.  Every number carries where it comes from, so that a plan can be
explained on any computer.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final, Literal

from certile.ir.dtypes import DType
from certile.records import record

# Half of the last cache where a sheet does not know it.
_LARGE_BYTES: Final = 16 << 20


@record(slots=False)
class Sheet:
    """Limits and abilities of one target.

    `lanes` is the subgroup width.  On a CPU it is the f32 elements of a vector, `max_threads` the
    lanes (one subgroup a group) and `cores` the threads of the pool.  `private_bytes` is the
    most that the arrays of one lane may hold (None: any).  `wave` is the number of programs that
    fill the device once.  `native_functions` are the transcendental functions the target's own
    library provides (None: all); lowering expands the others.  Under `math="fast"` the target's own
    `fast_functions` serve as well.  `nan_extremes` says that a maximum that gives NaN for a NaN is
    one instruction, `scales_widely` that the one which scales an f32 by a power of two takes any
    exponent, `narrows_bf16` that one rounds normal f32 to bf16.  `provenance` says, field by field,
    where a number is from.

    What the service policy reads: `vector_bytes` is the widest access, of a vector on a CPU and of
    one lane on a GPU; `registers` are a core's vector registers, or the 32-bit ones that the lanes
    of a multiprocessor share, of which one lane has `lane_registers` at most.  `cache_bytes` are
    the caches from the nearest up, the last one shared by all.  `bandwidth` is what memory moves in
    bytes a nanosecond, for one core of a CPU (0: not known, so the policy cannot be had), and
    `cache_bandwidth` what each of `cache_bytes` gives, on a GPU to all multiprocessors together.
    `multiprocessors` of a GPU hold `resident_threads` in at most `resident_groups` each, issue
    `issue_rate` instructions of a subgroup a nanosecond, and wait `memory_latency` nanoseconds for
    memory.  A device that is full takes the next group `dispatch` nanoseconds after the last one.
    """

    name: str
    kind: Literal["cpu", "metal", "cuda", "null"]
    lanes: int
    max_threads: int
    shared_bytes: int
    stripe_scalars: int
    dtypes: frozenset[DType]
    private_bytes: int | None = None
    wave: int = 64
    cores: int = 1
    vector_bytes: int = 0
    registers: int = 0
    cache_bytes: tuple[int, ...] = ()
    bandwidth: float = 0.0
    cache_bandwidth: tuple[float, ...] = ()
    multiprocessors: int = 1
    resident_threads: int = 1024
    resident_groups: int = 16
    lane_registers: int = 255
    issue_rate: float = 1.0
    memory_latency: float = 0.0
    dispatch: float = 0.0
    flushes_subnormals: bool = False
    exact_division: bool = True
    nan_extremes: bool = False
    scales_widely: bool = False
    narrows_bf16: bool = False
    architecture: str = ""
    native_functions: frozenset[str] | None = None
    fast_functions: frozenset[str] = frozenset()
    provenance: dict[str, str] = field(default_factory=dict, hash=False, compare=False)

    @property
    def large_bytes(self) -> int:
        """Arrays of more bytes come from memory: half of what the last cache holds."""
        return self.cache_bytes[-1] // 2 if self.cache_bytes else _LARGE_BYTES
