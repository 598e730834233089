"""What code generation hands on: target text and what a runtime needs to compile and launch it.

In: a Machine IR kernel and its text.  Out: an immutable `Artifact`.  Decides the fingerprint, which
names this text and nothing else.  Leaves compiling and launching to `certile.runtime`.
"""

import hashlib
from typing import Literal

from certile.ir.machine import Buffer, MachineKernel, ScalarParameter
from certile.records import record

__all__ = ["Artifact", "Format", "artifact_of"]

Format = Literal["cuda", "msl", "llvm-ir"]


@record(slots=False)
class Artifact:
    """One kernel as text.

    Arguments are `buffers` in order, then `scalars` in order.  A launch has ceil(programs /
    programs_per_group) groups of `threads` threads (1 on a CPU, where a group is a call).  With
    `requires_precise_math` the text may not be compiled with fast math.  `scratch_bytes` is the
    memory a CPU thread needs beside its stack.
    """

    format: Format
    entry: str
    text: str
    threads: int
    programs_per_group: int
    shared_bytes: int
    buffers: tuple[Buffer, ...]
    scalars: tuple[ScalarParameter, ...]
    requires_precise_math: bool
    fingerprint: str
    scratch_bytes: int = 0


def artifact_of(
    kernel: MachineKernel, format_: Format, entry: str, text: str, threads: int
) -> Artifact:
    """Bind text to the kernel it was generated from; `threads` is what a group launches."""
    identity = f"{format_}\0{entry}\0{threads}\0{kernel.programs_per_group}\0{text}"
    return Artifact(
        format_,
        entry,
        text,
        threads,
        kernel.programs_per_group,
        kernel.shared_bytes,
        kernel.buffers,
        kernel.scalars,
        not kernel.may_approximate,
        hashlib.sha256(identity.encode()).hexdigest(),
    )
