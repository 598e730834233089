"""Where compiled libraries lie: shared, bounded, or this process's own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from certile.diagnostics import UnsupportedError
from certile.metalsim import Library, cache
from certile.store import Store

# Run by itself: what is printed when a process ends is the matter.
ENDS = """
import warnings
from certile.metalsim import cache
warnings.simplefilter("always")
print(cache._temporary_folder().name)
"""

MSL = """
#include <metal_stdlib>
using namespace metal;

kernel void twice(device float* y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  y[i + 64] = 2.0f * y[i];
}
"""


def test_the_folder_of_a_process_goes_with_it_without_a_warning() -> None:
    done = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert not Path(done.stdout.strip()).exists()


@pytest.fixture
def folder(cache_folder: Path) -> Path:
    return cache_folder / "metalsim"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "made"
    path.write_bytes(b"x" * 100)
    return path


def test_what_was_published_is_found_and_a_damaged_file_is_not(folder: Path, made: Path) -> None:
    path = cache.publish(made, "one.so")
    assert cache.find("one.so") == path == folder / "one.so"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert cache.find("one.so") is None
    assert cache.shared("on").damaged() == [path]


def test_a_process_that_may_not_write_has_a_folder_of_its_own(
    folder: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = cache.publish(made, "shared.so")
    monkeypatch.setenv("CERTILE_CACHE", "readonly")
    own = cache.publish(made, "own.so")
    assert own.parent != folder
    assert (cache.find("shared.so"), cache.find("own.so")) == (shared, own)
    monkeypatch.setenv("CERTILE_CACHE", "off")
    assert (cache.find("shared.so"), cache.find("own.so")) == (None, own)
    assert list(folder.iterdir()) == [shared]


def test_what_is_in_use_stays_however_small_the_limit_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CERTILE_CACHE_BYTES", "1")
    y = np.arange(128, dtype=np.float32)
    assert Library(MSL).kernel("twice").run({0: y}, (1, 1, 1), (64, 1, 1)).ok
    assert np.array_equal(y[64:], 2 * np.arange(64))
    then = time.time() - 1000
    for path in folder.iterdir():
        os.utime(path, (then, then))
    cache.publish(next(folder.iterdir()), "last.so")
    assert [path.name for path in folder.iterdir()] == ["last.so"]


def test_a_finding_has_its_line_though_the_library_was_dropped(folder: Path) -> None:
    library = Library(MSL)
    cache.shared("on").clear()
    assert list(folder.iterdir()) == []
    report = library.kernel("twice").run({0: np.zeros(100, np.float32)}, (1, 1, 1), (64, 1, 1))
    assert [finding.line for finding in report.findings] == [6]


def test_without_any_room_the_disk_is_blamed(
    folder: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Store, "write", full)
    with pytest.raises(UnsupportedError, match=r"X033.*No space left"):
        cache.publish(made, "one.so")
