"""Apple's offline compiler: its command line, its cache, and what it does when it fails."""

import subprocess

import numpy as np
import pytest

from certile.diagnostics import InternalError
from certile.runtime.metal import fake, toolchain
from certile.runtime.metal.errors import LibraryError
from certile.runtime.metal.protocol import CompileOptions, DeviceError
from tests.metal_launch.kernels import numbers, on_fake, plus, twice

PRECISE = CompileOptions(fast_math=False)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(tmp_path / "cache"))


class Compiler:
    """Records command lines; writes a library where `status` is 0."""

    def __init__(self, status=0, said="", *, writes=True):
        self.commands, self.status, self.said, self.writes = [], status, said, writes

    def __call__(self, command):
        self.commands.append(list(command))
        if self.status == 0 and self.writes:
            with open(command[command.index("-o") + 1], "wb") as made:
                made.write(b"a library")
        return self.status, self.said


def test_the_command_line():
    run = Compiler()
    compiler = toolchain.Offline("1", run)
    assert compiler.library("text", PRECISE) == b"a library"
    assert compiler.library("text", CompileOptions(fast_math=True, language=(3, 2)))
    first, second = (" ".join(command) for command in run.commands)
    assert first.startswith("xcrun -sdk macosx metal -std=metal3.1")
    assert "-fno-fast-math" in first
    assert "-ffp-contract=off" in first
    assert "-std=metal3.2" in second
    assert "-ffast-math" in second


def test_a_library_is_made_once_for_text_flags_and_version():
    run = Compiler()
    for version in ("1", "1", "2"):
        for text in ("a", "b", "a"):
            toolchain.Offline(version, run).library(text, PRECISE)
    toolchain.Offline("1", run).library("a", CompileOptions(fast_math=True))
    assert len(run.commands) == 5


@pytest.mark.parametrize("compiler", [Compiler(1, "error: no"), Compiler(writes=False)])
def test_what_the_compiler_says_is_told(compiler):
    with pytest.raises(DeviceError) as caught:
        toolchain.Offline("1", compiler).library("text", PRECISE)
    assert caught.value.value == LibraryError.COMPILE_FAILURE
    assert caught.value.text == compiler.said
    x = numbers(8)
    with on_fake(offline=toolchain.Offline("1", compiler)), pytest.raises(InternalError) as at:
        plus(x, np.zeros_like(x), 1.0)
    assert at.value.code == "M012"


def test_a_compiler_that_does_not_run():
    def run(command):
        raise subprocess.TimeoutExpired(command, 1)

    with pytest.raises(DeviceError) as caught:
        toolchain.Offline("1", run).library("text", PRECISE)
    assert caught.value.value == LibraryError.INTERNAL


def test_a_library_runs_as_the_text_does():
    x = numbers(50)
    between, y = np.zeros(50, np.float32), np.zeros(50, np.float32)
    with on_fake(offline=fake.offline()) as device:
        twice(x, between, y)
    np.testing.assert_array_equal(y, (x + np.float32(1)) * 2)
    assert device.done["load"] == 2
    assert "compile" not in device.done


def test_a_file_that_is_no_library():
    x = numbers(8)
    with on_fake(offline=toolchain.Offline("1", Compiler())), pytest.raises(InternalError) as at:
        plus(x, np.zeros_like(x), 1.0)
    assert at.value.code == "M013"


@pytest.fixture
def xcrun(tmp_path, monkeypatch):
    """Give a function that puts an xcrun on an otherwise empty PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def write(status):
        path = tmp_path / "xcrun"
        path.write_text(f"#!/bin/sh\necho Apple metal version 1\nexit {status}\n")
        path.chmod(0o755)

    return write


def test_finding_the_compiler(xcrun):
    assert toolchain.find() is None
    xcrun(1)
    assert toolchain.find() is None
    xcrun(0)
    assert toolchain.find().version == "Apple metal version 1"

    def run(command):
        raise OSError("not a program")

    assert toolchain.find(run) is None
