"""The sheet of the Metal device at hand.

In: what a device says of itself.  Out: a `Sheet`.  Decides that limits are the device's where it
states them, and everything else stays as the shipped sheet has it: a query tells no bandwidth and
no number of cores, so what plans are scored with is uncalibrated still.
"""

from __future__ import annotations

from dataclasses import replace

from certile.diagnostics import UnsupportedError
from certile.runtime.metal.protocol import DeviceFacts
from certile.targets import DEFAULTS, Sheet

__all__ = ["LEAST_FAMILY", "sheet_of"]

# SIMD-group reductions of compute functions: Metal Feature Set Tables, Apple7 and later.
LEAST_FAMILY = 7

_SHIPPED = DEFAULTS["metal"]


def sheet_of(facts: DeviceFacts) -> Sheet:
    """Return the sheet of a device.

    Raises `UnsupportedError` U403 for one that lacks SIMD-group reductions or memory that the host
    shares.
    """
    if facts.family < LEAST_FAMILY or not facts.unified_memory:
        message = f"{facts.name} is no Apple GPU of family {LEAST_FAMILY} or later"
        raise UnsupportedError("U403", message, hint="use a Mac with Apple silicon, or metal-sim")
    source = f"queried: {facts.name}, {facts.system}"
    queried = ("max_threads", "shared_bytes", "architecture")
    return replace(
        _SHIPPED,
        name=f"metal-apple{facts.family}",
        max_threads=facts.max_threads,
        shared_bytes=facts.shared_bytes,
        architecture=f"apple{facts.family}",
        provenance={**_SHIPPED.provenance, **dict.fromkeys(queried, source)},
    )
