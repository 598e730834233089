"""A content hash of a kernel: equal for kernels that say the same thing.

In: a kernel.  Out: 64 hexadecimal digits, the same in every process.  Decides what does not count:
locations, the identities of axes, and the names of the kernel, its parameters, axes and memories;
parameters count by position.  Leaves what else belongs in a cache key (plan, target, settings) to
the cache.
"""

import hashlib

from certile.ir.printer import Printer
from certile.ir.tile import Kernel


def fingerprint(kernel: Kernel) -> str:
    """Return the SHA-256 of the kernel's text with every name replaced by a number."""
    return hashlib.sha256(Printer(anonymous=True).kernel(kernel).encode()).hexdigest()
