"""Kernels that TVM generated from an export, launched as data."""

from dataclasses import replace

import numpy as np
import pytest

from certile.diagnostics import CertileError
from certile.runtime import arrays
from certile.runtime.metal import artifacts, context, fake
from certile.tirx.artifact import Argument, DeviceArtifact
from tests.metal_launch.kernels import exact_softmax, numbers, on_fake

TEXT = """#include <metal_stdlib>
using namespace metal;
kernel void scaled(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                   constant float& factor [[buffer(2)]],
                   uint3 group [[threadgroup_position_in_grid]],
                   uint3 thread_index [[thread_position_in_threadgroup]]) {
  uint i = (group.y * 2 + group.x) * 32 + thread_index.x;
  y[i] = x[i] * factor;
}
"""
SCALED = DeviceArtifact(
    format="msl",
    entry="scaled",
    source=TEXT,
    grid=(2, 3, 1),
    block=(32, 1, 1),
    arguments=(
        Argument("x", "buffer", "f32", 0, 192, 4, written=False),
        Argument("factor", "scalar", "f32", 2),
        Argument("y", "buffer", "f32", 1, 192, 4),
    ),
    requires_precise_math=True,
    requires_metal4=False,
    fingerprint="scaled",
)


def test_an_artifact_runs_on_its_arguments():
    x, y = numbers(12, 16), np.zeros((12, 16), np.float32)
    x.flags.writeable = False
    with on_fake() as device:
        artifacts.launch(SCALED, [x, 2.5, y])
    np.testing.assert_array_equal(y, x * np.float32(2.5))
    assert not device.compiled[0].fast_math


def refused(code, artifact, *arguments):
    with on_fake(), pytest.raises(CertileError) as caught:
        artifacts.launch(artifact, arguments)
    assert caught.value.code == code


def test_arguments_that_it_does_not_take():
    x, y = numbers(192), np.zeros(192, np.float32)
    refused("A001", SCALED, x, 2.5)
    refused("A002", SCALED, x, x, y)
    refused("A010", SCALED, x[:64], 2.5, y)
    refused("A010", SCALED, x.astype(np.int32), 2.5, y)
    refused("A010", SCALED, numbers(384)[::2], 2.5, y)
    arguments = (Argument("x", "buffer", "f32", 0, 192, 1 << 40), *SCALED.arguments[1:])
    refused("A010", replace(SCALED, arguments=arguments), x, 2.5, y)
    assert not y.any()


def test_an_output_that_may_not_be_written():
    x, y = numbers(192), np.zeros(192, np.float32)
    y.flags.writeable = False
    refused("A204", SCALED, x, 2.5, y)


def test_memory_of_another_device(monkeypatch):
    x, y = numbers(192), np.zeros(192, np.float32)
    describe = arrays.describe
    monkeypatch.setattr(arrays, "describe", lambda each: describe(each)._replace(device="cuda:0"))
    refused("A006", SCALED, x, 2.5, y)
    assert not y.any()


def test_inputs_are_not_written_back():
    x, y = numbers(192), np.zeros(192, np.float32)

    class Meddles(fake.FakeDevice):
        """Another thread changes an input while the kernel runs."""

        def reached(self, stage):
            if stage == "complete":
                x[:] = 5
            return super().reached(stage)

    before = x.copy()
    with context.use(Meddles()):
        artifacts.launch(SCALED, [x, 2.0, y])
    assert (x == 5).all()
    np.testing.assert_array_equal(y, before * np.float32(2))


def test_an_export_says_what_is_written():
    from certile import tirx

    made = tirx.export("softmax", (5, 70), "metal", noalias=True, capability=True).artifact()
    assert [argument.written for argument in made.arguments] == [False, True]


def test_artifacts_that_no_device_here_runs():
    x, y = numbers(192), np.zeros(192, np.float32)
    refused("U403", replace(SCALED, format="cuda"), x, 2.5, y)
    refused("U403", replace(SCALED, requires_metal4=True), x, 2.5, y)
    backwards = tuple(replace(each, index=2 - each.index) for each in SCALED.arguments)
    refused("U403", replace(SCALED, arguments=backwards), x, 2.5, y)


def test_what_tvm_makes_of_an_export_runs():
    from certile import tirx

    x = numbers(5, 70)
    y = np.zeros_like(x)
    made = tirx.export("softmax", (5, 70), "metal", noalias=True, capability=True).artifact()
    with on_fake():
        artifacts.launch(made, [x, y])
    np.testing.assert_allclose(y, exact_softmax(x), atol=1e-6, rtol=1e-5)
