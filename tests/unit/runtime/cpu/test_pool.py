"""The worker pool: every group runs once, whatever else goes on in the process."""

import ctypes
import itertools
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from certile.runtime.cpu import engine
from certile.runtime.cpu.pool import Pool, grain, pool
from certile.runtime.cpu.pool_ir import module_text
from certile.runtime.cpu.pool_system_ir import System
from tests.threads import in_threads
from tests.unit.runtime.cpu.launches import Call

ROOT = Path(__file__).parents[4]


pytestmark = pytest.mark.usefixtures("watchdog")

GROUPS_AND_GRAINS = [
    (0, 1), (1, 1), (2, 1), (7, 3), (100, 1), (100, 99), (64, 0), (64, -5), (10, 1 << 62), (-3, 1),
]  # fmt: skip


@pytest.mark.parametrize("threads", [-1, 0, 1, 2, 4, 9])
@pytest.mark.parametrize(("count", "size"), GROUPS_AND_GRAINS)
def test_each_group_runs_once(
    team: Pool, kernels: engine.Loaded, count: int, size: int, threads: int
) -> None:
    counts = (ctypes.c_int64 * 128)()
    call = Call(kernels.address("count"), counts, count=count, grain=size, threads=threads)
    for turn in range(1, 20):
        assert team.launch(call.address) == 0
        assert list(counts) == [turn] * max(count, 0) + [0] * (128 - max(count, 0))


def test_tasks_run_on_as_many_threads_as_asked(team: Pool, kernels: engine.Loaded) -> None:
    # Four tasks that wait for each other; with fewer threads this would never return.
    for _ in range(5):
        arrived = ctypes.c_int64(0)
        call = Call(kernels.address("meet"), arrived, 4, count=4)
        assert team.launch(call.address) == 0
        assert arrived.value == 4
    assert team.workers >= 3


def test_workers_wake_after_a_sleep(team: Pool, kernels: engine.Loaded) -> None:
    for _ in range(5):
        time.sleep(0.01)
        arrived = ctypes.c_int64(0)
        Call(kernels.address("meet"), arrived, 4, count=4).launch(team)
        assert arrived.value == 4


def test_no_more_threads_than_asked(team: Pool, kernels: engine.Loaded) -> None:
    who, where = (ctypes.c_uint64 * 64)(), (ctypes.c_uint64 * 64)()
    for threads in (2, 3):
        call = Call(kernels.address("report"), who, where, count=64, threads=threads)
        for _ in range(50):
            team.launch(call.address)
            assert 1 <= len(set(who)) <= threads
    call = Call(kernels.address("report"), who, where, count=64, threads=1)
    team.launch(call.address)
    assert who[0] == threading.get_ident()


def test_scratch_given_is_indexed_by_thread(team: Pool, kernels: engine.Loaded) -> None:
    who, where = (ctypes.c_uint64 * 64)(), (ctypes.c_uint64 * 64)()
    call = Call(kernels.address("report"), who, where, count=64)
    memory = (ctypes.c_byte * 1024)()
    call.block.scratch, call.block.scratch_stride = ctypes.addressof(memory), 128
    for _ in range(50):
        team.launch(call.address)
        owners = {(w, s) for w, s in zip(who, where, strict=True)}
        assert {s - ctypes.addressof(memory) for _, s in owners} <= {0, 128, 256, 384}
        assert len({s for _, s in owners}) == len(owners) == len({w for w, _ in owners})


@pytest.mark.parametrize("stride", [0, 64, 4096, 65536, 65600, 1 << 20])
def test_scratch_found_by_the_pool_is_private(
    team: Pool, kernels: engine.Loaded, stride: int
) -> None:
    who, where = (ctypes.c_uint64 * 64)(), (ctypes.c_uint64 * 64)()
    call = Call(kernels.address("report"), who, where, count=64)
    call.block.scratch_stride = stride
    for _ in range(20):
        assert team.launch(call.address) == 0
        owners = sorted({(s, w) for w, s in zip(who, where, strict=True)})
        assert len(owners) == len(set(who))
        assert stride == 0 or all(s % 64 == 0 for s, _ in owners)
        assert all(b - a >= stride for (a, _), (b, _) in itertools.pairwise(owners))


def test_scratch_without_memory_is_reported(team: Pool, kernels: engine.Loaded) -> None:
    counts = (ctypes.c_int64 * 128)()
    for threads in (1, 4):
        call = Call(kernels.address("count"), counts, count=8, threads=threads)
        call.block.scratch_stride = 1 << 60
        assert team.launch(call.address) == 12
    assert list(counts) == [0] * 128
    call.block.scratch_stride = 64
    assert team.launch(call.address) == 0
    assert list(counts[:8]) == [1] * 8


def test_launch_from_inside_a_kernel(team: Pool, kernels: engine.Loaded) -> None:
    counts = (ctypes.c_int64 * 128)()
    inner = Call(kernels.address("count"), counts, count=128, grain=4)
    outer = Call(kernels.address("call"), team.launch_address, inner.address, count=1)
    assert team.launch(outer.address) == 0
    assert list(counts) == [1] * 128
    tables = [(ctypes.c_int64 * 64)() for _ in range(6)]
    inners = [Call(kernels.address("count"), table, count=64) for table in tables]
    middle = [
        Call(kernels.address("call"), team.launch_address, i.address, count=1) for i in inners
    ]
    blocks = (ctypes.c_int64 * 6)(*(m.address for m in middle))
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
    # A Python callback as kernel: it runs on the pool's threads and launches from there.
    body = run(
        lambda _, first, last, __: [team.launch(blocks[i]) for i in range(first, last)] and None
    )
    address = ctypes.cast(body, ctypes.c_void_p).value
    assert address is not None
    assert Call(address, count=6).launch(team) == 0
    assert all(list(table) == [1] * 64 for table in tables)


def test_exception_in_a_callback_does_not_lock_the_pool(
    team: Pool, kernels: engine.Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: seen.append(raised.exc_type))

    def fail(*_: object) -> None:
        raise KeyError

    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
    body = run(fail)
    address = ctypes.cast(body, ctypes.c_void_p).value
    assert address is not None
    assert Call(address, count=4).launch(team) == 0
    assert seen == [KeyError] * 4
    arrived = ctypes.c_int64(0)
    Call(kernels.address("meet"), arrived, 4, count=4).launch(team)
    assert arrived.value == 4


def test_threads_launch_at_once(team: Pool, kernels: engine.Loaded) -> None:
    tables = [(ctypes.c_int64 * 256)() for _ in range(6)]

    def work(table: object) -> None:
        call = Call(kernels.address("count"), table, count=256, grain=8)
        call.block.scratch_stride = 256
        for _ in range(300):
            assert team.launch(call.address) == 0

    in_threads(work, tables)
    assert all(list(table) == [300] * 256 for table in tables)


def test_one_prepared_launch_from_many_threads_has_private_scratch(
    team: Pool, kernels: engine.Loaded
) -> None:
    """One block, launched at once: scratch of different threads must never be the same memory."""
    text = """
    define void @own(ptr %args, i64 %first, i64 %last, ptr %scratch) {
    entry:
      %bad = load ptr, ptr %args
      %here = alloca i8
      %me = ptrtoint ptr %here to i64
      store volatile i64 %me, ptr %scratch
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %next, %loop ]
      %next = add i64 %i, 1
      %more = icmp slt i64 %next, 2000
      br i1 %more, label %loop, label %look
    look:
      %found = load volatile i64, ptr %scratch
      %wrong = icmp ne i64 %found, %me
      %one = zext i1 %wrong to i64
      %before = atomicrmw add ptr %bad, i64 %one monotonic
      ret void
    }"""
    own = engine.load_object(engine.compile_module(text))
    bad = ctypes.c_int64(0)
    call = Call(own.address("own"), bad, count=16)
    call.block.scratch_stride = 64

    def work() -> None:
        for _ in range(200):
            team.launch(call.address)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bad.value == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_gives_the_child_its_own_threads(team: Pool, kernels: engine.Loaded) -> None:
    arrived = ctypes.c_int64(0)
    meeting = Call(kernels.address("meet"), arrived, 4, count=4)
    assert team.launch(meeting.address) == 0
    child = os.fork()
    if child == 0:
        arrived.value = 0
        started = team.workers
        code = team.launch(meeting.address)
        os._exit(0 if (started, code, arrived.value, team.workers) == (0, 0, 4, 3) else 1)
    assert wait_for(child) == 0
    arrived.value = 0
    assert team.launch(meeting.address) == 0
    assert arrived.value == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_other_threads_launch(team: Pool, kernels: engine.Loaded) -> None:
    stop = threading.Event()
    table = (ctypes.c_int64 * 4096)()
    busy = Call(kernels.address("count"), table, count=4096, grain=16)

    def work() -> None:
        while not stop.is_set():
            team.launch(busy.address)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                arrived = ctypes.c_int64(0)
                meeting = Call(kernels.address("meet"), arrived, 4, count=4)
                os._exit(0 if team.launch(meeting.address) == 0 and arrived.value == 4 else 1)
            assert wait_for(child) == 0
    finally:
        stop.set()
        thread.join()


def wait_for(child: int) -> int:
    """Return the exit code of a child; kill it when it hangs, and say so."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child hangs")


@pytest.mark.skipif(
    engine.host().triple.split("-")[0] != "x86_64", reason="sets the control word of x86"
)
def test_floating_point_environment_is_the_default(team: Pool, kernels: engine.Loaded) -> None:
    text = """
    declare void @llvm.x86.sse.ldmxcsr(ptr)
    declare void @llvm.x86.sse.stmxcsr(ptr)
    define i64 @set(i64 %value) {
      %slot = alloca i32
      %word = trunc i64 %value to i32
      store i32 %word, ptr %slot
      call void @llvm.x86.sse.ldmxcsr(ptr %slot)
      ret i64 0
    }
    define i64 @get() {
      %slot = alloca i32
      call void @llvm.x86.sse.stmxcsr(ptr %slot)
      %word = load i32, ptr %slot
      %value = zext i32 %word to i64
      ret i64 %value
    }"""
    control = engine.load_object(engine.compile_module(text))
    write = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(control.address("set"))
    read = ctypes.CFUNCTYPE(ctypes.c_int64)(control.address("get"))
    tiny, half = struct.unpack("<2f", struct.pack("<2I", 1 << 9, 1 << 8))
    source, out = ctypes.c_float(tiny), (ctypes.c_float * 16)()
    usual = read()
    try:
        for threads in (1, 4):
            # Flush results and inputs to zero, as torch.set_flush_denormal does.
            write(usual | 0x8040)
            ctypes.memset(out, 0, 64)
            call = Call(kernels.address("subnormal"), source, out, count=16, threads=threads)
            team.launch(call.address)
            after = read()
            write(usual)
            assert list(out) == [half] * 16
            assert after & 0x8040 == 0x8040
    finally:
        write(usual)


def test_workers_leave_signals_to_python(team: Pool, kernels: engine.Loaded) -> None:
    seen: list[int] = []
    former = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        arrived = ctypes.c_int64(0)
        Call(kernels.address("meet"), arrived, 4, count=4).launch(team)
        os.kill(os.getpid(), signal.SIGUSR1)
        for _ in range(100):
            if seen:
                break
            time.sleep(0.001)
    finally:
        signal.signal(signal.SIGUSR1, former)
    assert seen == [signal.SIGUSR1]


def test_process_pool_is_one_and_follows_the_settings() -> None:
    code = (
        "from certile.runtime.cpu.pool import pool\n"
        "assert pool() is pool() and pool().threads == 3, pool().threads"
    )
    environment = {**os.environ, "CERTILE_THREADS": "3", "CERTILE_CACHE": "off"}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env=environment)
    assert pool().threads >= 1


def test_interpreter_ends_while_workers_sleep_or_spin(tmp_path: Path) -> None:
    code = """
import ctypes, sys
from certile.runtime.cpu import engine, pool
from certile.runtime.cache import Cache
team = pool.Pool(Cache(sys.argv[1]), 4)
kernel = engine.load_object(engine.compile_module(
    "define void @k(ptr %a, i64 %f, i64 %l, ptr %s) {\\n  ret void\\n}\\n"))
block = pool.LaunchBlock(kernel.address("k"), 0, 64, 1, 0, 0, 4)
for _ in range(1000):
    team.launch(ctypes.addressof(block))
assert team.workers == 3
"""
    for _ in range(3):
        command = [sys.executable, "-c", code, str(tmp_path)]
        subprocess.run(command, check=True, cwd=ROOT, timeout=30)


@pytest.mark.parametrize(("count", "threads"), [(1, 1), (5, 2), (16, 2), (1000, 2), (1000, 64)])
def test_grain_makes_enough_tasks(count: int, threads: int) -> None:
    size = grain(count, threads)
    tasks = -(-count // size)
    assert 1 <= size <= count
    assert tasks >= min(count, 32, 8 * threads) / 2
    assert tasks <= max(32, 8 * threads)


@pytest.mark.parametrize(("count", "size", "threads"), [(64, 1, 2), (1000, 7, 4), (90, 40, 3)])
def test_each_thread_has_a_range_of_tasks(
    team: Pool, kernels: engine.Loaded, count: int, size: int, threads: int
) -> None:
    """Whoever takes them, the tasks of a range follow each other, and none reaches into another."""
    sizes = (ctypes.c_int64 * 1024)()
    call = Call(kernels.address("size"), sizes, count=count, grain=size, threads=threads)
    team.launch(call.address)
    ranges = min(threads, -(-count // size))
    for index in range(ranges):
        first, end = count * index // ranges, count * (index + 1) // ranges
        while first < end:
            wanted = min(end - first, size)
            assert sizes[first] == wanted
            first += wanted
    assert sum(sizes) == count


def test_a_thread_begins_with_its_own_range(team: Pool, kernels: engine.Loaded) -> None:
    """The launcher with the first: both tasks wait for each other, so neither is taken by two."""
    mine = ctypes.c_uint64(0)
    Call(kernels.address("report"), mine, ctypes.c_uint64(0), count=1).launch(team)
    for _ in range(20):
        arrived, who = ctypes.c_int64(0), (ctypes.c_uint64 * 2)()
        call = Call(kernels.address("meet_and_tell"), arrived, who, count=2, threads=2)
        call.launch(team)
        assert who[0] == mine.value != who[1]


@pytest.mark.parametrize("system", ["linux", "darwin", "posix"])
@pytest.mark.parametrize("processor", ["x86_64", "aarch64", "other"])
def test_every_variant_has_no_open_name(system: System, processor: str) -> None:
    text = module_text(system, processor)  # type: ignore[arg-type]
    assert "$" not in text
    assert ("@syscall" in text) == (system == "linux")
    if processor == "other":
        engine.compile_module(text)
