"""Target sheets: what the compiler knows about devices, as data.

In: nothing.  Out: `SHEETS` by name, and `DEFAULTS`, the sheet of a target that names none.  Decides
which sheets ship.  Leaves a sheet of the machine at hand to the runtime that measures it.
"""

from certile.targets.cpu import CPU_AVX2, CPU_AVX512, CPU_NEON
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from certile.targets.null import NULL
from certile.targets.sheet import Sheet

__all__ = ["DEFAULTS", "SHEETS", "Sheet"]

SHEETS: dict[str, Sheet] = {
    sheet.name: sheet for sheet in (METAL, CUDA_SM90, CPU_AVX512, CPU_AVX2, CPU_NEON, NULL)
}

DEFAULTS: dict[str, Sheet] = {
    "metal": METAL,
    "metal-sim": METAL,
    "cuda": CUDA_SM90,
    "cpu": CPU_AVX2,
    "null": NULL,
}
