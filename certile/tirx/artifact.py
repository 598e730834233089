"""A kernel that TVM generated, as data that a runtime can launch.

In: TVM's text and the kernel it came from.  Out: an immutable `DeviceArtifact`.  Decides the
fingerprint, which names this text and nothing else.  Leaves compiling and launching to a runtime.
"""

from __future__ import annotations

import hashlib
from typing import Literal

from certile.records import record

__all__ = ["Argument", "DeviceArtifact", "fingerprint_of"]

Format = Literal["msl", "cuda", "llvm-ir"]


@record
class Argument:
    """What is bound at an index of a device function.

    `dtype` is our name of the element type: a bool is passed as bytes, bf16 (and on CUDA f16) as 16
    bits.  A buffer is flat, has `count` elements, and its first element is aligned to `alignment`
    bytes.  A scalar is a value on CUDA; on Metal the bytes of one element.  `written` says that the
    kernel may store to the buffer.
    """

    name: str
    kind: Literal["buffer", "scalar"]
    dtype: str
    index: int
    count: int = 1
    alignment: int = 1
    written: bool = True


@record
class DeviceArtifact:
    """One launch as text, with all that is static of it.

    A launch has `grid` groups of `block` threads.  With `requires_precise_math` the text may not be
    compiled with fast math; products are never contracted into sums.  `requires_metal4` says that
    the text needs Metal 4, which none does that this package writes.
    """

    format: Format
    entry: str
    source: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple[Argument, ...]
    requires_precise_math: bool
    requires_metal4: bool
    fingerprint: str


def fingerprint_of(
    format_: Format,
    entry: str,
    source: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
) -> str:
    """A digest of everything that a launch of the text depends on but its arguments."""
    identity = f"{format_}\0{entry}\0{grid}\0{block}\0{source}"
    return hashlib.sha256(identity.encode()).hexdigest()
