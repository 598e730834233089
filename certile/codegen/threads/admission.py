"""Which kernels fit a target whose threads keep arrays of their own.

In: a machine kernel and the target's sheet.  Out: nothing, or an error.  Decides by the size of the
arrays alone: whether they lie in registers or in memory is the toolchain's matter.
"""

from certile.codegen.threads.spelling import NARROW
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import f32
from certile.ir.machine import MachineKernel
from certile.targets.sheet import Sheet

__all__ = ["require_private_memory"]


def require_private_memory(kernel: MachineKernel, sheet: Sheet) -> None:
    """Raise `UnsupportedError` U313 when one thread's arrays exceed what the sheet grants."""
    if sheet.private_bytes is None:
        return
    wanted = sum(
        array.slots * (f32 if array.dtype.name in NARROW else array.dtype).size
        for array in kernel.arrays
    )
    if wanted > sheet.private_bytes:
        message = (
            f"kernel {kernel.name} keeps {wanted} bytes a thread; "
            f"{sheet.name} has {sheet.private_bytes}"
        )
        raise UnsupportedError("U313", message)
