"""Check and run Metal Shading Language text on a CPU.

In: MSL text of the documented subset (SUBSET.md).  Out: diagnostics of the text, and reports of
launches: numbers, races, uninitialised and out-of-bounds accesses, divergent barriers and
collectives.  Decides by executing the exact text with the semantics of threadgroups and 32-lane
SIMD groups.  Leaves to a device what only it can show: acceptance by Apple's compiler, registers,
speed, memory order between threadgroups.

Needs clang 16 or later; nothing is looked for before the first call.
"""

from certile.metalsim.checker import check
from certile.metalsim.findings import Diagnostic, Finding, Report
from certile.metalsim.joining import joined
from certile.metalsim.library import Library, LoadedKernel

__all__ = ["Diagnostic", "Finding", "Library", "LoadedKernel", "Report", "check", "joined"]
