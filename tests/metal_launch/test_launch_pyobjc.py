"""The device behind PyObjC, against modules that record every message.

The stand-ins take only selectors and constants that Apple's documentation of Metal has, in PyObjC's
spelling: a colon is an underscore, an error by reference is a second result.
"""

import ctypes
import mmap
import platform
import sys
import weakref
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import CertileError, UnsupportedError
from certile.runtime.metal import context, pyobjc
from certile.runtime.metal.protocol import CompileOptions, DeviceError
from tests.metal_launch.kernels import at_page, numbers, plus

# Class by class, the selectors of Metal that the launch path may send.
SELECTORS = {
    "MTLDevice": {
        *("name", "supportsFamily:", "maxThreadsPerThreadgroup", "maxThreadgroupMemoryLength"),
        *("maxBufferLength", "hasUnifiedMemory", "newCommandQueue"),
        *("newLibraryWithSource:options:error:", "newLibraryWithURL:error:"),
        *("newComputePipelineStateWithFunction:error:", "newBufferWithLength:options:"),
        "newBufferWithBytesNoCopy:length:options:deallocator:",
    },
    "MTLLibrary": {"newFunctionWithName:"},
    "MTLComputePipelineState": {
        *("maxTotalThreadsPerThreadgroup", "threadExecutionWidth", "staticThreadgroupMemoryLength")
    },
    "MTLBuffer": {"contents", "length"},
    "MTLCommandQueue": {"commandBuffer"},
    "MTLCommandBuffer": {
        *("computeCommandEncoderWithDispatchType:", "commit", "waitUntilCompleted", "status"),
        *("error", "GPUStartTime", "GPUEndTime"),
    },
    "MTLComputeCommandEncoder": {
        *("setComputePipelineState:", "setBuffer:offset:atIndex:", "setBytes:length:atIndex:"),
        *("memoryBarrierWithScope:", "endEncoding"),
        "dispatchThreadgroups:threadsPerThreadgroup:",
    },
    "MTLCompileOptions": {
        *("setLanguageVersion:", "setMathMode:", "setMathFloatingPointFunctions:"),
        *("setFastMathEnabled:", "respondsToSelector:"),
    },
    "NSError": {"code", "domain", "localizedDescription"},
}


class Stub:
    """An object of Objective-C: answers what it was given, refuses every other selector."""

    def __init__(self, kind, log, answers):
        self._kind, self._log, self._answers = kind, log, answers

    def __getattr__(self, name):
        selector = name.replace("_", ":")
        if selector not in SELECTORS[self._kind]:
            raise AttributeError(f"{self._kind} has no {selector}")
        assert name.endswith("_") == (":" in selector)

        def send(*arguments):
            assert len(arguments) == selector.count(":")
            self._log.append((selector, arguments))
            answer = self._answers.get(selector)
            return answer(*arguments) if callable(answer) else answer

        return send


class Contents:
    """What PyObjC gives for a pointer of C."""

    def __init__(self, address):
        self.address = address

    def as_buffer(self, length):
        return memoryview((ctypes.c_char * length).from_address(self.address)).cast("B")


class Metal:
    """The module `Metal`, with a device that records."""

    def __init__(self, **answers):
        self.log, self.memory, self.told = [], [], {}
        self.MTLCompileOptions = self
        self.MTLSizeMake = lambda *extents: extents
        self.families = {1001, 1007, 1008, 5001}
        self.device = self.stub(
            "MTLDevice",
            **{
                "name": "Apple M2",
                "supportsFamily:": self.families.__contains__,
                "maxThreadsPerThreadgroup": SimpleNamespace(width=1024, height=1024, depth=1024),
                "maxThreadgroupMemoryLength": 32768,
                "maxBufferLength": 1 << 33,
                "hasUnifiedMemory": True,
                "newLibraryWithSource:options:error:": lambda *_: (self.library(), None),
                "newLibraryWithURL:error:": lambda *_: (self.library(), None),
                "newComputePipelineStateWithFunction:error:": lambda *_: (self.pipeline(), None),
                "newBufferWithLength:options:": lambda length, _: self.buffer(length),
                "newBufferWithBytesNoCopy:length:options:deallocator:": (
                    lambda memory, length, *_: self.stub(
                        "MTLBuffer", contents=Contents(ctypes.addressof(memory)), length=length
                    )
                ),
                "newCommandQueue": self.queue,
                **answers,
            },
        )
        self.mathmode = True
        self.status, self.error = 4, None

    def stub(self, kind, **answers):
        return Stub(kind, self.log, answers)

    def MTLCreateSystemDefaultDevice(self):  # noqa: N802 - Apple's name
        return self.device

    def alloc(self):
        return self

    def init(self):
        return self.stub(
            "MTLCompileOptions",
            **{"respondsToSelector:": lambda name: name == "setMathMode:" and self.mathmode},
        )

    def library(self):
        function = object()
        return self.stub(
            "MTLLibrary", **{"newFunctionWithName:": lambda name: function if name else None}
        )

    def pipeline(self):
        return self.stub(
            "MTLComputePipelineState",
            maxTotalThreadsPerThreadgroup=1024,
            threadExecutionWidth=32,
            staticThreadgroupMemoryLength=64,
        )

    def buffer(self, length):
        self.memory.append((ctypes.c_char * length)())
        contents = Contents(ctypes.addressof(self.memory[-1]))
        return self.stub("MTLBuffer", contents=contents, length=length)

    def queue(self):
        return self.stub("MTLCommandQueue", commandBuffer=self.commands)

    def commands(self):
        return self.stub(
            "MTLCommandBuffer",
            **{
                "computeCommandEncoderWithDispatchType:": lambda kind: self.stub(
                    "MTLComputeCommandEncoder"
                ),
                "status": lambda: self.status,
                "error": lambda: self.error,
                "GPUStartTime": 1.0,
                "GPUEndTime": 1.5,
            },
        )

    def failure(self, domain, code):
        return self.stub("NSError", domain=domain, code=code, localizedDescription="words")

    def sent(self, selector):
        return [arguments for name, arguments in self.log if name == selector]


def install(monkeypatch, metal):
    foundation = SimpleNamespace(
        NSURL=SimpleNamespace(fileURLWithPath_=lambda path: f"file://{path}")
    )
    monkeypatch.setitem(sys.modules, "Metal", metal)
    monkeypatch.setitem(
        sys.modules,
        "objc",
        SimpleNamespace(
            autorelease_pool=nullcontext,
            registerMetaDataForSelector=lambda kind, selector, types: metal.told.update(
                {(kind, selector.decode()): types}
            ),
        ),
    )
    monkeypatch.setitem(sys.modules, "Foundation", foundation)
    monkeypatch.setattr(platform, "mac_ver", lambda: ("15.1", ("", "", ""), "arm64"))
    return metal


@pytest.fixture
def metal(monkeypatch):
    return install(monkeypatch, Metal())


def test_what_a_device_says_of_itself(metal, monkeypatch):
    facts = pyobjc.default_device().facts
    assert (facts.name, facts.family, facts.max_threads) == ("Apple M2", 8, 1024)
    assert facts.shared_bytes == 32768
    assert facts.max_buffer_bytes == 1 << 33
    assert facts.unified_memory
    assert not facts.metal4
    assert (facts.language, facts.system) == ((3, 2), "macOS 15.1")
    metal.families.add(5002)
    for version, language in (("26.0", (4, 0)), ("14.7", (3, 1)), ("13.0", (3, 0)), ("", (2, 3))):
        monkeypatch.setattr(platform, "mac_ver", lambda v=version: (v, ("", "", ""), "arm64"))
        assert pyobjc.default_device().facts.language == language
    assert pyobjc.default_device().facts.metal4


def test_without_pyobjc_or_a_device(monkeypatch):
    monkeypatch.setitem(sys.modules, "Metal", None)
    with pytest.raises(UnsupportedError) as caught:
        pyobjc.default_device()
    assert caught.value.code == "U402"
    assert "certile[metal]" in str(caught.value)
    metal = install(monkeypatch, Metal())
    metal.device = None
    with pytest.raises(UnsupportedError) as caught:
        pyobjc.default_device()
    assert caught.value.code == "U402"


@pytest.mark.parametrize("fast", [False, True])
def test_compile_options(metal, fast):
    device = pyobjc.default_device()
    device.compile("text", CompileOptions(fast, (3, 1)))
    assert metal.sent("setLanguageVersion:") == [((3 << 16) + 1,)]
    assert metal.sent("setMathMode:") == [(2 if fast else 0,)]
    # Unset, `exp` would be the fast one: MTLMathFloatingPointFunctionsFast is 0 and the default.
    assert metal.sent("setMathFloatingPointFunctions:") == [(0 if fast else 1,)]
    assert not metal.sent("setFastMathEnabled:")
    metal.mathmode = False
    device.compile("text", CompileOptions(fast, (3, 1)))
    assert metal.sent("setFastMathEnabled:") == [(fast,)]
    assert metal.sent("newLibraryWithSource:options:error:")[0][0] == "text"


def test_what_methods_make_is_owned_by_the_caller(metal):
    made = {name for names in SELECTORS.values() for name in names if name.startswith("new")}
    pyobjc.default_device()
    assert {selector for _, selector in metal.told} == made
    for (kind, selector), types in metal.told.items():
        assert kind == b"NSObject"
        assert types["retval"] == {"type": b"@", "already_retained": True}
        # PyObjC counts the receiver and the selector as 0 and 1.
        assert list(types["arguments"]) == list(range(2, 2 + selector.count(":")))
        last = types["arguments"].get(1 + selector.count(":"), {})
        # An error by reference is a result; unless that is said it is an argument.
        assert (last.get("type_modifier") == b"o") == selector.endswith("error:")


def test_a_library_of_a_file(metal, tmp_path):
    device = pyobjc.default_device()
    function = device.load(tmp_path).function("f")
    assert metal.sent("newLibraryWithURL:error:") == [(f"file://{tmp_path}", None)]
    pipeline = device.pipeline(function)
    assert (pipeline.max_threads, pipeline.simd_width, pipeline.shared_bytes) == (1024, 32, 64)
    with pytest.raises(DeviceError) as caught:
        device.load(tmp_path).function("")
    assert (caught.value.domain, caught.value.value) == ("library", 5)


@pytest.mark.parametrize(
    ("selector", "domain", "name"),
    [
        ("newLibraryWithSource:options:error:", "library", "MTLLibraryErrorDomain"),
        ("newComputePipelineStateWithFunction:error:", "pipeline", "MTLRenderPipelineErrorDomain"),
    ],
)
def test_errors_by_reference(monkeypatch, selector, domain, name):
    failed = []
    metal = install(monkeypatch, Metal(**{selector: lambda *_: (None, failed.pop())}))
    device = pyobjc.default_device()

    def made():
        library = device.compile("text", CompileOptions(fast_math=False))
        device.pipeline(library.function("f"))

    for error, value in (
        (metal.failure(name, 3), 3),
        (metal.failure("CompilerError", 3), None),
        (None, None),
    ):
        failed.append(error)
        with pytest.raises(DeviceError) as caught:
            made()
        assert (caught.value.domain, caught.value.value) == (domain, value)
        assert ("words" in caught.value.text) == (error is not None)


def test_warnings_come_beside_a_library(monkeypatch):
    metal = install(monkeypatch, Metal())
    warned = (metal.library(), metal.failure("MTLLibraryErrorDomain", 4))
    metal.device._answers["newLibraryWithSource:options:error:"] = lambda *_: warned
    assert pyobjc.default_device().compile("text", CompileOptions(fast_math=False)).function("f")


def test_objects_that_metal_does_not_give(monkeypatch):
    nothing = dict.fromkeys(
        (
            *("newBufferWithLength:options:", "newCommandQueue"),
            "newBufferWithBytesNoCopy:length:options:deallocator:",
        )
    )
    install(monkeypatch, Metal(**nothing))
    device = pyobjc.default_device()
    assert device.buffer(16) is None
    assert device.queue() is None
    assert device.wrap(at_page(64).ctypes.data, 256) is None


def test_no_commands_and_no_encoder(metal, monkeypatch):
    queue = pyobjc.default_device().queue()
    monkeypatch.setattr(metal, "stub", lambda kind, **_: Stub(kind, [], {}))
    assert queue.command_buffer().encoder() is None
    queue.made._answers["commandBuffer"] = None
    assert queue.command_buffer() is None


def test_lent_memory_is_whole_pages_at_its_own_address(metal):
    device = pyobjc.default_device()
    x = at_page(64)
    wrapped = device.wrap(x.ctypes.data, x.nbytes)
    assert wrapped.address == x.ctypes.data
    selector = "newBufferWithBytesNoCopy:length:options:deallocator:"
    ((memory, length, options, deallocator),) = metal.sent(selector)
    assert (length, options, deallocator) == (mmap.PAGESIZE, 0, None)
    assert ctypes.addressof(memory) == x.ctypes.data
    metal.device._answers[selector] = lambda memory, length, *_: metal.buffer(length)
    # A bridge that copies is found out.
    assert device.wrap(x.ctypes.data, x.nbytes) is None
    # A virtual machine gives a buffer of no bytes, which has no contents.
    metal.device._answers[selector] = lambda *_: metal.stub("MTLBuffer", contents=None, length=0)
    assert device.wrap(x.ctypes.data, x.nbytes) is None


@pytest.fixture
def on_metal(metal, monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(context, "_current", None)
    monkeypatch.setenv("PATH", "")
    with ct.target("metal"):
        yield metal


def fresh():
    """A kernel that remembers no call."""
    return ct.tile_kernel(plus.function)


def test_a_launch_message_by_message(on_metal):
    x, y = numbers(64), np.zeros(64, np.float32)
    fresh()(x, y, 1.5)
    encoded = [name for name, _ in on_metal.log]
    order = encoded[encoded.index("computeCommandEncoderWithDispatchType:") :]
    assert order == [
        "computeCommandEncoderWithDispatchType:",
        "setComputePipelineState:",
        *["setBuffer:offset:atIndex:"] * 2,
        *["setBytes:length:atIndex:"] * (len(order) - 11),
        "dispatchThreadgroups:threadsPerThreadgroup:",
        *("endEncoding", "commit", "waitUntilCompleted", "status", "GPUEndTime", "GPUStartTime"),
    ]
    assert on_metal.sent("computeCommandEncoderWithDispatchType:") == [(1,)]
    assert [index for *_, index in on_metal.sent("setBuffer:offset:atIndex:")] == [0, 1]
    scalars = on_metal.sent("setBytes:length:atIndex:")
    assert np.float32(1.5).tobytes() in [data for data, _, _ in scalars]
    assert all(len(data) == length for data, length, _ in scalars)
    assert [index for *_, index in scalars] == list(range(2, 2 + len(scalars)))
    ((groups, threads),) = on_metal.sent("dispatchThreadgroups:threadsPerThreadgroup:")
    assert groups[1:] == threads[1:] == (1, 1)
    # What was copied in is there, and copied out again.
    assert any(x.tobytes() in bytes(memory) for memory in on_metal.memory)


def test_a_barrier_of_buffers(on_metal):
    from certile.runtime.metal import batching

    x, y, z = numbers(8), np.zeros(8, np.float32), np.zeros(8, np.float32)
    kernel = fresh()
    with batching.batch() as calls:
        calls.call(kernel, x, y, 1.0)
        calls.call(kernel, y, z, 1.0)
    assert on_metal.sent("memoryBarrierWithScope:") == [(1,)]
    assert calls.seconds == 0.5


def test_an_error_of_a_command_buffer(on_metal):
    on_metal.status, on_metal.error = 5, on_metal.failure("MTLCommandBufferErrorDomain", 8)
    with pytest.raises(CertileError) as caught:
        fresh()(numbers(8), np.zeros(8, np.float32), 1.0)
    assert caught.value.code == "U406"


def test_nothing_keeps_an_array_after_its_launch(on_metal):
    x = numbers(8)
    alive = weakref.ref(x)
    fresh()(x, np.zeros(8, np.float32), 1.0)
    on_metal.log.clear()
    del x
    assert alive() is None
