"""A shadow cell keeps five touches; the answer must be that of keeping all of them."""

import ctypes
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import certile.metalsim
from certile.metalsim.toolchain import find_clang

HARNESS = """
#include "shadow.h"
static shadow::Cell cell;
extern "C" {
void start() { cell = {}; shadow::fences = {}; shadow::fences.begin_group(); }
void begin_group() { shadow::fences.begin_group(); }
void group_barrier(unsigned flags) { shadow::fences.group_barrier(flags); }
void simd_barrier(unsigned simdgroup, unsigned flags) {
  shadow::fences.simd_barrier(simdgroup, flags);
}
unsigned long remembered(unsigned long place, unsigned thread, unsigned long other) {
  shadow::Touch touch = {1, shadow::where(place, thread)};
  return touch.thread() == thread ? touch.place_near(other) : 0;
}
int touch(unsigned thread, int write, unsigned shared) {
  bool earlier_wrote;
  return shadow::note(cell, {shadow::fences.now, thread}, write, shared, earlier_wrote).stamp != 0;
}
}
"""
THREADS = (0, 1, 2, 32, 33, 64)


@pytest.fixture(scope="module")
def shadow(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shadow")
    (folder / "harness.cpp").write_text(HARNESS)
    shim = Path(certile.metalsim.__file__).parent / "shim"
    flags = ["-std=c++20", "-O1", "-fPIC", "-shared", f"-I{shim}"]
    output = folder / "harness.so"
    command = [find_clang().path, *flags, str(folder / "harness.cpp"), "-o", str(output)]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(output))


class EveryTouch:
    """The plain definition: remember every touch and every barrier."""

    def __init__(self, shared):
        self.kind = 2 if shared else 1
        self.shared = shared
        self.touches = []
        self.group = 0

    def begin_group(self):
        self.group += 1
        if self.shared:
            self.touches = []

    def barrier(self, flags, simdgroup=None):
        if not flags & self.kind:
            return
        for touch in self.touches:
            if touch["group"] != self.group:
                continue
            if simdgroup is None:
                touch["fenced"] = True
            elif touch["thread"] // 32 == simdgroup:
                touch["fenced_in_simdgroup"] = True

    def touch(self, thread, write):
        found = any(self.conflict(t, thread) for t in self.touches if write or t["write"])
        self.touches.append({"thread": thread, "write": write, "group": self.group})
        return found

    def conflict(self, touch, thread):
        if touch["group"] != self.group:
            return True
        if touch["thread"] == thread or touch.get("fenced"):
            return False
        same = touch["thread"] // 32 == thread // 32
        return not (same and touch.get("fenced_in_simdgroup"))


EVENTS = st.one_of(
    st.tuples(st.just("touch"), st.sampled_from(THREADS), st.booleans()),
    st.tuples(st.just("touch"), st.sampled_from(THREADS), st.just(False)),
    st.tuples(st.just("group_barrier"), st.integers(0, 3)),
    st.tuples(st.just("simd_barrier"), st.integers(0, 2), st.integers(0, 3)),
    st.tuples(st.just("begin_group")),
)


@settings(max_examples=1500)
@given(events=st.lists(EVENTS, max_size=14), shared=st.booleans())
def test_a_cell_answers_like_a_full_history(shadow, events, shared):
    shadow.start()
    history = EveryTouch(shared)
    for event in events:
        match event:
            case ("touch", thread, write):
                expected = history.touch(thread, write)
                assert bool(shadow.touch(thread, int(write), int(shared))) == expected
                if expected:
                    return
            case ("group_barrier", flags):
                history.barrier(flags)
                shadow.group_barrier(flags)
            case ("simd_barrier", simdgroup, flags):
                history.barrier(flags, simdgroup)
                shadow.simd_barrier(simdgroup, flags)
            case ("begin_group",):
                history.begin_group()
                shadow.begin_group()


@settings(max_examples=300)
@given(
    place=st.integers(1, 1 << 30),
    distance=st.integers(-(1 << 21) + 1, (1 << 21) - 1),
    thread=st.integers(0, 1023),
)
def test_a_place_is_known_again_beside_one_of_the_same_kernel(shadow, place, distance, thread):
    """Of the place only 22 bits are kept: that is enough next to a place less than 2 MiB away."""
    other = max(place + distance, 0)
    shadow.remembered.restype = ctypes.c_ulong
    arguments = [ctypes.c_ulong(place), thread, ctypes.c_ulong(other)]
    assert shadow.remembered(*arguments) == place
