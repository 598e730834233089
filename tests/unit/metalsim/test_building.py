"""How a text becomes a library: who links it, what clang is asked, and what complaints leave."""

import re
import subprocess

import numpy as np
import pytest

from certile.diagnostics import KernelError
from certile.metalsim import Library, building, toolchain
from tests.metalsim.texts import HEAD, small

TEXT = HEAD + (
    "kernel void k(device float* y [[buffer(0)]], uint i [[thread_position_in_grid]])"
    " { y[i] = fmod(y[i], 3.0f) + exp2(y[i]); }\n"
)


def doubled(mode):
    y = np.arange(16, dtype=np.float32)
    report = Library(TEXT, mode).kernel("k").run({0: y}, (1, 1, 1), (16, 1, 1))
    assert report.ok, report
    return y


@pytest.mark.parametrize("mode", ["fast", "checked"])
def test_the_driver_links_where_the_linker_alone_does_not(mode, cache_folder, monkeypatch):
    expected = np.fmod(np.arange(16), 3) + np.exp2(np.arange(16))
    np.testing.assert_array_equal(doubled(mode), expected)
    for path in cache_folder.rglob("*.so"):
        path.unlink()
    monkeypatch.setattr(building.shutil, "which", lambda _name: None)
    np.testing.assert_array_equal(doubled(mode), expected)


def test_a_linker_that_fails_is_replaced(cache_folder, monkeypatch):
    monkeypatch.setattr(building.shutil, "which", lambda _name: "/bin/false")
    assert doubled("fast")[1] == 3


def test_a_compiler_is_asked_for_its_version_once(cache_folder, monkeypatch):
    asked = []
    run = subprocess.run

    def counted(command, **options):
        asked.append(command[1:])
        return run(command, **options)

    monkeypatch.setattr(toolchain.subprocess, "run", counted)
    toolchain._find_clang.cache_clear()
    first = toolchain.find_clang()
    toolchain._find_clang.cache_clear()
    assert toolchain.find_clang() == first
    assert asked == [["--version"]]
    assert "clang version" in first.version


def test_both_halves_of_the_check_are_heard_before_anything_is_kept(cache_folder):
    body = "    threadgroup int* p = (threadgroup int*)x;\n    p[0] = 1;\n    int z; x[0] = z;"
    with pytest.raises(KernelError) as caught:
        Library(small(body))
    assert caught.value.code == "X007"
    assert re.findall(r"error\[(X\d+)\]", str(caught.value)) == ["X007", "X011"]
    assert not list(cache_folder.rglob("*.so"))
