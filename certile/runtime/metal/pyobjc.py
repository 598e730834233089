"""A Metal device through PyObjC: the only file that imports Apple's frameworks.

In: the frameworks, imported when the first device is asked for.  Out: a `protocol.Device`.  Decides
how each step of the protocol is spelled in Metal's selectors.  Leaves everything that could be
decided without a device to the modules beside it, so that this one is as thin as it can be.  It is
written from Apple's documentation and has not run on Apple hardware.
"""

from __future__ import annotations

import ctypes
import importlib
import mmap
import platform
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeAlias

from certile.diagnostics import UnsupportedError
from certile.runtime.buffers import address_of, from_buffer
from certile.runtime.metal.errors import LibraryError
from certile.runtime.metal.protocol import (
    Buffer,
    CommandBuffer,
    CompileOptions,
    Device,
    DeviceError,
    DeviceFacts,
    Domain,
    Encoder,
    Extent,
    Function,
    Library,
    Pipeline,
    Queue,
)

__all__ = ["default_device"]

# Objects of Objective-C, which have no types here.
Object: TypeAlias = Any

# What PyObjC is told of an argument or a result.
Types: TypeAlias = dict[str, Any]

_DOMAINS: dict[str, Domain] = {
    "MTLLibraryErrorDomain": "library",
    "MTLRenderPipelineErrorDomain": "pipeline",
    "MTLCommandBufferErrorDomain": "command",
}

# MTLGPUFamilyApple1 is 1001, MTLGPUFamilyMetal4 is 5002.
_APPLE_FAMILIES = range(1001, 1021)
_METAL4_FAMILY = 5002
# By whether math is fast: MTLMathModeSafe or Fast, MTLMathFloatingPointFunctionsPrecise or Fast, of
# macOS 15 and later.  The second decides what `exp` in a text is, and is fast unless it is set.
_MATH_MODES = {False: 0, True: 2}
_MATH_FUNCTIONS = {False: 1, True: 0}
# MTLResourceStorageModeShared, with the CPU's default cache mode and tracked hazards.
_SHARED = 0
# MTLDispatchTypeConcurrent, MTLBarrierScopeBuffers, MTLCommandBufferStatusCompleted.
_CONCURRENT = 1
_BUFFERS = 1
_COMPLETED = 4
# The language that each macOS compiles: its first number, and MTLLanguageVersion in parts.
_LANGUAGES = ((26, (4, 0)), (15, (3, 2)), (14, (3, 1)), (13, (3, 0)), (12, (2, 4)))
_OLDEST_LANGUAGE = (2, 3)

# Selectors whose result the caller owns, with the types of their arguments.
_OBJECT: Types = {"type": b"@"}
_NUMBER: Types = {"type": b"Q"}
_ERROR: Types = {"type": b"^@", "type_modifier": b"o"}
_BYTES: Types = {"type": b"^v", "type_modifier": b"n", "c_array_length_in_arg": 3}
_BLOCK: Types = {
    "type": b"@?",
    "callable": {
        "retval": {"type": b"v"},
        "arguments": {0: {"type": b"^v"}, 1: {"type": b"^v"}, 2: _NUMBER},
    },
}
_OWNED: dict[bytes, tuple[Types, ...]] = {
    b"newCommandQueue": (),
    b"newBufferWithLength:options:": (_NUMBER, _NUMBER),
    b"newBufferWithBytesNoCopy:length:options:deallocator:": (_BYTES, _NUMBER, _NUMBER, _BLOCK),
    b"newLibraryWithSource:options:error:": (_OBJECT, _OBJECT, _ERROR),
    b"newLibraryWithURL:error:": (_OBJECT, _ERROR),
    b"newFunctionWithName:": (_OBJECT,),
    b"newComputePipelineStateWithFunction:error:": (_OBJECT, _ERROR),
}


def default_device() -> Device:
    """Return the system's default device.

    Raises `UnsupportedError` U402 without PyObjC's Metal framework, or without a device.
    """
    try:
        metal, objc = importlib.import_module("Metal"), importlib.import_module("objc")
        foundation = importlib.import_module("Foundation")
    except ImportError as error:
        message = f"Metal is driven through PyObjC, which is not there: {error}"
        raise UnsupportedError(
            "U402", message, hint="python -m pip install 'certile[metal]'"
        ) from error
    _own_results(objc)
    device = metal.MTLCreateSystemDefaultDevice()
    if device is None:
        raise UnsupportedError("U402", "macOS gives this process no Metal device")
    return _Device(device, metal, objc, foundation)


def _own_results(objc: Object) -> None:
    """Tell PyObjC that what a method `new…` returns is the caller's already.

    It knows that of methods of classes and not of Metal's, which are those of objects: it would
    keep every buffer for ever (ronaldoussoren/pyobjc#690).  What is said here replaces what it
    knows of a selector, so that arguments are described as well; the first is number 2.
    """
    for selector, arguments in _OWNED.items():
        types = {
            "retval": {"type": b"@", "already_retained": True},
            "arguments": dict(enumerate(arguments, 2)),
        }
        objc.registerMetaDataForSelector(b"NSObject", selector, types)


def _failure(error: Object, domain: Domain) -> DeviceError:
    """Return an NSError that came where errors of `domain` do; None is an error without a word."""
    if error is None:
        return DeviceError(domain, None, "")
    value = int(error.code()) if _DOMAINS.get(str(error.domain())) == domain else None
    return DeviceError(domain, value, f"{error.domain()}: {error.localizedDescription()}")


class _Device:
    """MTLDevice."""

    def __init__(self, device: Object, metal: Object, objc: Object, foundation: Object) -> None:
        self._device = device
        self._metal = metal
        self._objc = objc
        self._foundation = foundation
        self.facts = _facts(device)

    def scope(self) -> AbstractContextManager[object]:
        pool: AbstractContextManager[object] = self._objc.autorelease_pool()
        return pool

    def compile(self, text: str, options: CompileOptions) -> Library:
        made = self._metal.MTLCompileOptions.alloc().init()
        major, minor = options.language
        made.setLanguageVersion_((major << 16) + minor)
        if made.respondsToSelector_("setMathMode:"):
            made.setMathMode_(_MATH_MODES[options.fast_math])
            made.setMathFloatingPointFunctions_(_MATH_FUNCTIONS[options.fast_math])
        else:
            made.setFastMathEnabled_(options.fast_math)
        found = self._device.newLibraryWithSource_options_error_(text, made, None)
        return self._library(*found)

    def load(self, path: Path) -> Library:
        url = self._foundation.NSURL.fileURLWithPath_(str(path))
        return self._library(*self._device.newLibraryWithURL_error_(url, None))

    def _library(self, library: Object, error: Object) -> Library:
        # Warnings come as an error beside a library.
        if library is None:
            raise _failure(error, "library")
        return _Library(library)

    def pipeline(self, function: Function) -> Pipeline:
        made, error = self._device.newComputePipelineStateWithFunction_error_(_of(function), None)
        if made is None:
            raise _failure(error, "pipeline")
        return _Pipeline(made)

    def buffer(self, length: int) -> Buffer | None:
        return _buffer(self._device.newBufferWithLength_options_(length, _SHARED), length)

    def wrap(self, address: int, length: int) -> Buffer | None:
        pages = -(-length // mmap.PAGESIZE) * mmap.PAGESIZE
        memory = (ctypes.c_char * pages).from_address(address)
        made = self._device.newBufferWithBytesNoCopy_length_options_deallocator_(
            memory, pages, _SHARED, None
        )
        wrapped = _buffer(made, pages)
        # A bridge that copied what it was given would show another address.
        return None if wrapped is None or wrapped.address != address else wrapped

    def queue(self) -> Queue | None:
        made = self._device.newCommandQueue()
        return None if made is None else _Queue(made, self._metal)


def _facts(device: Object) -> DeviceFacts:
    families = [number for number in _APPLE_FAMILIES if device.supportsFamily_(number)]
    system = platform.mac_ver()[0]
    major = int(system.partition(".")[0] or 0)
    return DeviceFacts(
        name=str(device.name()),
        family=max(families, default=1000) - 1000,
        max_threads=int(device.maxThreadsPerThreadgroup().width),
        shared_bytes=int(device.maxThreadgroupMemoryLength()),
        max_buffer_bytes=int(device.maxBufferLength()),
        unified_memory=bool(device.hasUnifiedMemory()),
        metal4=bool(device.supportsFamily_(_METAL4_FAMILY)),
        language=next((text for least, text in _LANGUAGES if major >= least), _OLDEST_LANGUAGE),
        system=f"macOS {system}",
    )


def _of(wrapper: object) -> Object:
    """Return the object of Objective-C behind one of ours."""
    return wrapper.made  # type: ignore[attr-defined]


class _Library:
    """MTLLibrary."""

    def __init__(self, made: Object) -> None:
        self.made = made

    def function(self, name: str) -> Function:
        found = self.made.newFunctionWithName_(name)
        if found is None:
            raise DeviceError("library", LibraryError.FUNCTION_NOT_FOUND, f"no function {name}")
        return _Function(found)


class _Function:
    """MTLFunction."""

    def __init__(self, made: Object) -> None:
        self.made = made


class _Pipeline:
    """MTLComputePipelineState."""

    def __init__(self, made: Object) -> None:
        self.made = made
        self.max_threads = int(made.maxTotalThreadsPerThreadgroup())
        self.simd_width = int(made.threadExecutionWidth())
        self.shared_bytes = int(made.staticThreadgroupMemoryLength())


class _Buffer:
    """MTLBuffer of shared storage."""

    def __init__(self, made: Object, address: int) -> None:
        self.made = made
        self.address = address


def _buffer(made: Object, length: int) -> _Buffer | None:
    """Return a buffer; None where Metal gave none, or one without its memory.

    Virtual machines lend no memory of the host, and give a buffer of no bytes instead.
    """
    if made is None or int(made.length()) < length:
        return None
    return _Buffer(made, address_of(from_buffer(made.contents().as_buffer(length))))


class _Encoder:
    """MTLComputeCommandEncoder."""

    def __init__(self, made: Object, metal: Object) -> None:
        self.made = made
        self._metal = metal

    def set_pipeline(self, pipeline: Pipeline) -> None:
        self.made.setComputePipelineState_(_of(pipeline))

    def set_buffer(self, buffer: Buffer, offset: int, index: int) -> None:
        self.made.setBuffer_offset_atIndex_(_of(buffer), offset, index)

    def set_bytes(self, data: bytes, index: int) -> None:
        self.made.setBytes_length_atIndex_(data, len(data), index)

    def barrier(self) -> None:
        self.made.memoryBarrierWithScope_(_BUFFERS)

    def dispatch(self, groups: Extent, threads: Extent) -> None:
        size = self._metal.MTLSizeMake
        self.made.dispatchThreadgroups_threadsPerThreadgroup_(size(*groups), size(*threads))

    def end(self) -> None:
        self.made.endEncoding()


class _CommandBuffer:
    """MTLCommandBuffer."""

    def __init__(self, made: Object, metal: Object) -> None:
        self.made = made
        self._metal = metal
        self.seconds = 0.0

    def encoder(self) -> Encoder | None:
        made = self.made.computeCommandEncoderWithDispatchType_(_CONCURRENT)
        return None if made is None else _Encoder(made, self._metal)

    def commit(self) -> None:
        self.made.commit()

    def wait(self) -> None:
        self.made.waitUntilCompleted()
        if int(self.made.status()) != _COMPLETED:
            raise _failure(self.made.error(), "command")
        self.seconds = float(self.made.GPUEndTime()) - float(self.made.GPUStartTime())


class _Queue:
    """MTLCommandQueue."""

    def __init__(self, made: Object, metal: Object) -> None:
        self.made = made
        self._metal = metal

    def command_buffer(self) -> CommandBuffer | None:
        made = self.made.commandBuffer()
        return None if made is None else _CommandBuffer(made, self._metal)
