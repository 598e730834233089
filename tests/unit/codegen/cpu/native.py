"""Build small machine kernels, run their CPU text, and put memory in front of unreadable pages."""

import ctypes
import mmap
from dataclasses import dataclass, replace

import numpy as np

from certile.codegen.cpu.emit import emit
from certile.ir.dtypes import i64
from certile.ir.machine import MachineKernel, ScalarParameter
from certile.ir.machine.verify import check_machine
from certile.runtime.cpu.engine import compile_module, has_feature, host, load_object
from certile.targets.cpu import CPU_AVX2, CPU_AVX512, CPU_NEON

ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
COUNT = ScalarParameter("count", i64)
# Every vector width; the widest instructions only where this machine has them.
WIDEST = replace(CPU_AVX512, narrows_bf16=has_feature("avx512bf16"))
SHEETS = tuple(
    sheet for sheet in (WIDEST, CPU_AVX2, CPU_NEON) if sheet.lanes < 16 or host().vector_bits == 512
)
WIDTHS = tuple(sheet.lanes for sheet in SHEETS)


def sheet_of(lanes):
    return next(sheet for sheet in SHEETS if sheet.lanes == lanes)


def finish(builder, buffers, scalars=(), arrays=()):
    kernel = MachineKernel(
        "k",
        builder.lanes,
        builder.subgroups,
        1,
        tuple(buffers),
        tuple(scalars),
        tuple(arrays),
        (),
        builder.block(),
    )
    return check_machine(kernel)


@dataclass
class Native:
    """Machine code of one kernel, callable with addresses."""

    artifact: object
    loaded: object

    def __call__(self, arrays, scalars=(), groups=1, first=0):
        """Run groups; `arrays` are NumPy arrays (their first element is the base) or addresses."""
        slots = np.zeros(max(1, len(arrays) + len(scalars)), np.int64)
        for k, array in enumerate(arrays):
            slots[k] = array if isinstance(array, int) else array.ctypes.data
        for k, value in enumerate(scalars, start=len(arrays)):
            one = np.asarray(value)
            slots[k : k + 1].view(one.dtype)[:1] = one
        size = self.artifact.scratch_bytes
        scratch = np.full(size + 64, 0xA5, np.uint8)
        base = scratch.ctypes.data + -scratch.ctypes.data % 64
        entry = ENTRY(self.loaded.address(self.artifact.entry))
        entry(slots.ctypes.data, first, groups, base)


def native(kernel, sheet=None):
    """Compile a kernel for this machine."""
    artifact = emit(kernel, sheet or sheet_of(kernel.lanes))
    return Native(artifact, load_object(compile_module(artifact.text)))


class Guarded:
    """`size` bytes that end where a page begins that nobody may touch.

    With `begins` that page ends where the bytes begin.
    """

    def __init__(self, size, *, begins=False):
        page = mmap.PAGESIZE
        pages = -(-max(1, size) // page)
        self._map = mmap.mmap(-1, (pages + 1) * page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        if libc.mprotect(start if begins else start + pages * page, page, 0):
            raise OSError(ctypes.get_errno(), "mprotect")
        self.address = start + page if begins else start + pages * page - size
        self.bytes = (ctypes.c_char * size).from_address(self.address)

    def array(self, dtype):
        return np.frombuffer(self.bytes, dtype)

    @classmethod
    def holding(cls, values, **options):
        made = cls(values.nbytes, **options)
        made.array(np.uint8)[:] = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        return made
