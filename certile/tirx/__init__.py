"""Kernels through TVM: as scheduled TIRx, compiled by TVM or launched from its text.

    exported = certile.tirx.export("softmax", (3, 4096), "llvm", noalias=True)
    exported.compile()(x, y)

The package needs the extra `tirx`; without it `UnsupportedError` U320 says how to get it.
"""

from certile.tirx.artifact import Argument, DeviceArtifact
from certile.tirx.compiled import Compiled
from certile.tirx.export import Exported, ExportedLaunch, export
from certile.tirx.recognition import Recognised, Reduction, recognise

__all__ = [
    "Argument",
    "Compiled",
    "DeviceArtifact",
    "Exported",
    "ExportedLaunch",
    "Recognised",
    "Reduction",
    "export",
    "recognise",
]
