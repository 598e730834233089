"""Every value of Metal's error enumerations, injected where it can come, and every missing object.

The values and their names are those of Apple's documentation of MTLLibraryError,
MTLRenderPipelineError and MTLCommandBufferError.
"""

import numpy as np
import pytest

from certile.diagnostics import CertileError, InternalError, UnsupportedError
from certile.runtime.metal import context, fake
from certile.runtime.metal.errors import (
    CommandError,
    LibraryError,
    PipelineError,
    translated,
)
from certile.runtime.metal.protocol import DeviceError
from tests.metal_launch.kernels import fast_exp, numbers, on_fake, plus

_LIBRARY = {1: "U403", 2: "M013", 3: "M012", 5: "M013", 6: "M013"}
_PIPELINE = {1: "M013", 2: "U403", 3: "M013"}
_COMMAND = {
    0: "M013",
    1: "M013",
    2: "U405",
    3: "M013",
    4: "U404",
    7: "U404",
    8: "U406",
    9: "M013",
    10: "U406",
    11: "U404",
    12: "M013",
}


def outcome(*faults, **figures):
    """Give the error of a call that meets these faults; the call after it is served."""
    x, y = numbers(16), np.zeros(16, np.float32)
    with on_fake(*faults, **figures):
        with pytest.raises(CertileError) as caught:
            plus(x, y, 1.0)
        assert not y.any()
        plus(x, y, 1.0)
    np.testing.assert_array_equal(y, x + np.float32(1))
    return caught.value


def is_told(error, code):
    assert error.code == code
    assert isinstance(error, UnsupportedError if code[0] == "U" else InternalError)
    assert "hint:" in str(error)


@pytest.mark.parametrize("value", [v for v in LibraryError if v != LibraryError.COMPILE_WARNING])
def test_an_error_of_a_library(value):
    is_told(outcome(fake.Fault("compile", value)), _LIBRARY[value])


@pytest.mark.parametrize("value", LibraryError)
def test_an_error_of_a_library_that_was_compiled_before(value):
    if value == LibraryError.COMPILE_WARNING:
        return
    error = outcome(fake.Fault("load", value), offline=fake.offline())
    is_told(error, _LIBRARY[value])


def test_warnings_beside_a_library_stop_nothing():
    x, y = numbers(16), np.zeros(16, np.float32)
    with on_fake(fake.Fault("compile", LibraryError.COMPILE_WARNING)):
        plus(x, y, 1.0)
    np.testing.assert_array_equal(y, x + np.float32(1))


def test_warnings_without_a_library():
    error = translated(DeviceError("library", LibraryError.COMPILE_WARNING, "w"), "kernel f")
    assert error.code == "M012"


def test_a_function_that_is_not_there():
    is_told(outcome(fake.Fault("function")), "M013")


@pytest.mark.parametrize("value", PipelineError)
def test_an_error_of_a_pipeline(value):
    is_told(outcome(fake.Fault("pipeline", value)), _PIPELINE[value])


@pytest.mark.parametrize("stage", ["commit", "complete"])
@pytest.mark.parametrize("value", CommandError)
def test_an_error_of_a_command_buffer(value, stage):
    is_told(outcome(fake.Fault(stage, value)), _COMMAND[value])


@pytest.mark.parametrize("value", [None, 5, 99])
def test_an_error_that_no_enumeration_has(value):
    is_told(outcome(fake.Fault("complete", value)), "M013")
    is_told(outcome(fake.Fault("pipeline", value)), "M013")


@pytest.mark.parametrize(
    ("stage", "code"), [("command_buffer", "M013"), ("encoder", "M013"), ("buffer", "U406")]
)
def test_an_object_that_metal_does_not_give(stage, code):
    is_told(outcome(fake.Fault(stage)), code)


def test_no_queue():
    with pytest.raises(InternalError, match="command queue"):
        context.Context(fake.FakeDevice([fake.Fault("queue")]))


def test_the_words_of_metal_are_notes():
    error = translated(DeviceError("command", 3, "first line\nsecond line"), "a launch of f")
    assert error.diagnostic.notes == ("first line", "second line")
    assert "a launch of f accessed memory" in str(error)


@pytest.mark.parametrize(
    "figures", [{"max_threads": 16}, {"simd_width": 16}, {"shared_bytes": 65536}]
)
def test_a_pipeline_that_would_not_run_the_plan(figures):
    x, y = numbers(16), np.zeros(16, np.float32)
    with on_fake(**figures), pytest.raises(UnsupportedError) as caught:
        plus(x, y, 1.0)
    is_told(caught.value, "U403")
    assert not y.any()


def test_a_text_that_the_compiler_refuses():
    device = fake.FakeDevice()
    with pytest.raises(DeviceError) as caught:
        device.compile("kernel void f(device double* x [[buffer(0)]]) {}", None)
    assert caught.value.value == LibraryError.COMPILE_FAILURE


def test_a_run_that_shows_a_fault_is_one_of_the_device():
    device = fake.FakeDevice()
    text = (
        "#include <metal_stdlib>\nusing namespace metal;\n"
        "kernel void f(device float* x [[buffer(0)]]) { x[4096] = 1.0f; }\n"
    )
    pipeline = device.pipeline(device.compile(text, None).function("f"))
    commands = device.queue().command_buffer()
    encoder = commands.encoder()
    encoder.set_pipeline(pipeline)
    encoder.set_buffer(device.buffer(16), 0, 0)
    encoder.dispatch((1, 1, 1), (1, 1, 1))
    encoder.end()
    commands.commit()
    with pytest.raises(DeviceError) as caught:
        commands.wait()
    assert caught.value.value == CommandError.PAGE_FAULT


def test_fast_math_only_where_the_kernel_allows_it():
    x, y = numbers(16), np.zeros(16, np.float32)
    with on_fake() as device:
        plus(x, y, 1.0)
        fast_exp(x, y)
    assert [options.fast_math for options in device.compiled] == [False, True]
    np.testing.assert_allclose(y, np.exp(x.astype(np.float64)), rtol=1e-5)
