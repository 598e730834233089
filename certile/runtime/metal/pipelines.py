"""From an artifact to a pipeline that the device is sure to run.

In: artifacts of format `msl`.  Out: pipelines, one an artifact.  Decides that a text is compiled by
the offline compiler where there is one and at run time otherwise, never with fast math where the
artifact forbids it, and that a pipeline which allows fewer threads than its plan launches is
refused: a smaller launch would compute something else.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from pathlib import Path

from certile.codegen.artifact import Artifact
from certile.diagnostics import UnsupportedError
from certile.runtime.metal.errors import short_of_threads, translated
from certile.runtime.metal.protocol import CompileOptions, Device, DeviceError, Library, Pipeline
from certile.runtime.metal.toolchain import Offline

__all__ = ["LANGUAGE", "Pipelines"]

# What code generation prints: bfloat came with 3.1.
LANGUAGE = (3, 1)

# What every plan for Metal assumes.
_SIMD_WIDTH = 32


class Pipelines:
    """The pipelines of a device, made once for each artifact."""

    def __init__(self, device: Device, offline: Offline | None) -> None:
        self._device = device
        self._offline = offline
        self._known: dict[str, Pipeline] = {}
        # Two threads that meet an artifact would write one file while the other reads it.
        self._lock = threading.Lock()
        # Metal may map a library's file as long as the library lives.
        self._folder: Path | None = None

    def of(self, artifact: Artifact) -> Pipeline:
        """Return the pipeline of an artifact.

        Raises `UnsupportedError` U403 when the device cannot run it as planned, `InternalError`
        M012 when the compiler refuses the text, and what else `errors.translated` makes of Metal's
        errors.
        """
        with self._lock:
            known = self._known.get(artifact.fingerprint)
            if known is None:
                known = self._known[artifact.fingerprint] = self._make(artifact)
            return known

    def _make(self, artifact: Artifact) -> Pipeline:
        try:
            with self._device.scope():
                function = self._library(artifact).function(artifact.entry)
                pipeline = self._device.pipeline(function)
        except DeviceError as error:
            raise translated(error, f"kernel {artifact.entry}") from error
        self._require(artifact, pipeline)
        return pipeline

    def _library(self, artifact: Artifact) -> Library:
        facts = self._device.facts
        if facts.language < LANGUAGE:
            has, needed = (".".join(map(str, each)) for each in (facts.language, LANGUAGE))
            message = f"{facts.system} compiles Metal {has}; kernels are of Metal {needed}"
            raise UnsupportedError("U403", message, hint=f"macOS 14 or later has Metal {needed}")
        options = CompileOptions(fast_math=not artifact.requires_precise_math, language=LANGUAGE)
        if self._offline is None:
            return self._device.compile(artifact.text, options)
        data = self._offline.library(artifact.text, options)
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="certile-metal-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        path = self._folder / f"{artifact.fingerprint}.metallib"
        path.write_bytes(data)
        return self._device.load(path)

    def _require(self, artifact: Artifact, pipeline: Pipeline) -> None:
        """Refuse a pipeline that would not run the plan as it is."""
        name, facts = artifact.entry, self._device.facts
        if pipeline.simd_width != _SIMD_WIDTH:
            has = f"SIMD groups of {pipeline.simd_width} threads"
            message = f"{has} run {name}, planned for {_SIMD_WIDTH}"
            raise UnsupportedError("U403", message, hint="use metal-sim")
        if pipeline.max_threads < artifact.threads:
            raise short_of_threads(facts.name, artifact, pipeline.max_threads)
        if pipeline.shared_bytes > facts.shared_bytes:
            message = (
                f"{name} needs {pipeline.shared_bytes} bytes of threadgroup memory; "
                f"{facts.name} has {facts.shared_bytes}"
            )
            raise UnsupportedError("U403", message, hint="plan with a sheet of this device")
