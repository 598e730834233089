"""This machine as a CPU target: what it is, measured once and kept as JSON.

In: the host, as the engine sees it, and the settings.  Out: a `Measurement`, and the `Sheet` that
plans for this machine are made with.  Decides what is asked of the machine and when a kept answer
is still good.  Leaves limits that belong to an instruction set to the shipped sheets.

The file lies in the cache folder, one for each processor, feature set and thread count, so that a
folder on a network drive serves unlike machines.  A file that cannot be read or written only costs
the measurement again.
"""

import contextlib
import dataclasses
import datetime
import functools
import json
import time
from pathlib import Path
from typing import Final

import numpy as np

from certile import settings
from certile.records import record
from certile.runtime.cache import key
from certile.runtime.cpu import engine
from certile.store import read_file, write_file
from certile.targets.cpu import CPU_AVX2, CPU_AVX512, CPU_NEON
from certile.targets.sheet import Sheet

__all__ = ["SCHEMA", "Measurement", "machine_sheet", "measure_sheet"]

SCHEMA: Final = "certile.cpu-sheet/1"

# The copy that measures bandwidth moves at least this much, and several times the last cache.
_LEAST_COPY: Final = 32 << 20
_MOST_COPY: Final = 256 << 20
_COPY_ROUNDS: Final = 3


@record
class Measurement:
    """What a measurement found; the fields of the JSON file.

    `threads` is the pool's, the launcher included.  `cache_bytes` are the data caches from the
    first level up.  `copy_bytes_per_second` counts bytes read and written by one thread copying
    memory to memory, 0.0 where it was not measured.
    """

    machine: str
    cpu: str
    vector_bits: int
    threads: int
    cache_bytes: tuple[int, int, int]
    copy_bytes_per_second: float
    date: str

    def to_json(self) -> dict[str, object]:
        """Return the measurement as plain data."""
        return {"schema": SCHEMA, **dataclasses.asdict(self)}


def measure_sheet(bandwidth: bool = False) -> Measurement:
    """Return this machine's numbers, from the cache folder where they are known.

    `bandwidth` asks for the speed of a copy too, which takes about a tenth of a second.
    """
    now = settings.current()
    machine = key(SCHEMA, *engine.environment(), now.threads)[:16]
    path = now.cache_dir / f"cpu-sheet-{machine}.json"
    kept = _load(path, machine) if now.cache != "off" else None
    if kept is not None and (kept.copy_bytes_per_second > 0 or not bandwidth):
        return kept
    here = engine.host()
    found = Measurement(
        machine=machine,
        cpu=here.cpu,
        vector_bits=here.vector_bits,
        threads=now.threads,
        cache_bytes=(here.l1_bytes, here.l2_bytes, here.l3_bytes),
        copy_bytes_per_second=_copy_speed(here.l3_bytes) if bandwidth else 0.0,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
    )
    if now.cache == "on":
        _save(path, found)
    return found


def machine_sheet() -> Sheet:
    """Return the sheet of this machine: the shipped one of its vectors, with measured numbers."""
    now = settings.current()
    return _known_sheet(now.cache_dir, now.cache, now.threads)


@functools.cache
def _known_sheet(*_settings: object) -> Sheet:
    """Return the sheet under these settings, which decide where it is kept, read only once."""
    found = measure_sheet()
    base = _shipped_sheet(found.vector_bits)
    source = f"measured on {found.cpu}, {found.date}"
    narrows = engine.has_feature("avx512bf16")
    return dataclasses.replace(
        base,
        name=f"{base.name}-host",
        wave=found.threads,
        cores=found.threads,
        cache_bytes=found.cache_bytes,
        narrows_bf16=narrows,
        provenance={
            **base.provenance,
            **dict.fromkeys(("wave", "cores", "cache_bytes"), source),
            "narrows_bf16": "AVX512_BF16 among the features that the processor reports",
        },
    )


def _shipped_sheet(vector_bits: int) -> Sheet:
    # 128-bit registers without AVX2 are planned like NEON's: four f32 lanes, 16 byte alignment.
    return {512: CPU_AVX512, 256: CPU_AVX2}.get(vector_bits, CPU_NEON)


def _load(path: Path, machine: str) -> Measurement | None:
    """Read a kept measurement; None where there is none of this schema and machine."""
    try:
        data = json.loads(read_file(path))
        if data.pop("schema") != SCHEMA or data["machine"] != machine:
            return None
        l1, l2, l3 = data.pop("cache_bytes")
        found = Measurement(cache_bytes=(int(l1), int(l2), int(l3)), **data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return found if _is_plausible(found) else None


def _is_plausible(found: Measurement) -> bool:
    """Whether a measurement holds numbers that a plan can be made with."""
    counts = (found.vector_bits, found.threads, *found.cache_bytes)
    if any(type(count) is not int or count < 0 for count in counts):
        return False
    return found.threads > 0 and isinstance(found.copy_bytes_per_second, int | float)


def _save(path: Path, found: Measurement) -> None:
    # The cache says once that its folder does not take files; nothing is lost here.
    with contextlib.suppress(OSError):
        write_file(path, (json.dumps(found.to_json(), indent=2) + "\n").encode())


def _copy_speed(last_cache: int) -> float:
    """Copy memory that no cache holds, and return bytes read plus written per second."""
    size = min(max(_LEAST_COPY, 2 * last_cache), _MOST_COPY)
    source, target = np.ones(size, np.uint8), np.zeros(size, np.uint8)
    best = float("inf")
    for _ in range(_COPY_ROUNDS):
        begin = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - begin)
    return 2 * size / best
