"""What is found out about a device, and what a call does where there is none."""

import os
import platform
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import UnsupportedError
from certile.runtime import target
from certile.runtime.array_info import ArrayInfo
from certile.runtime.kernel import frozen_of
from certile.runtime.metal import context, fake, frameworks, pyobjc
from certile.runtime.metal.sheet import sheet_of
from certile.targets import DEFAULTS
from tests.metal_launch.kernels import numbers, on_fake, plus, softmax


@pytest.fixture(autouse=True)
def no_device(monkeypatch):
    monkeypatch.setattr(context, "_current", None)


def test_a_sheet_says_what_was_queried():
    facts = replace(fake.FACTS, family=9, max_threads=512, shared_bytes=16384)
    sheet = sheet_of(facts)
    assert (sheet.max_threads, sheet.shared_bytes) == (512, 16384)
    assert (sheet.name, sheet.architecture) == ("metal-apple9", "apple9")
    assert sheet.provenance["max_threads"].startswith("queried: a CPU")
    shipped = DEFAULTS["metal"]
    assert sheet.bandwidth == shipped.bandwidth
    assert sheet.provenance["bandwidth"] == shipped.provenance["bandwidth"]


@pytest.mark.parametrize("figures", [{"family": 6}, {"family": 0}, {"unified_memory": False}])
def test_a_gpu_that_is_too_old(figures):
    with pytest.raises(UnsupportedError) as caught:
        context.Context(fake.FakeDevice(facts=replace(fake.FACTS, **figures)))
    assert caught.value.code == "U403"


def test_plans_obey_the_device():
    x = numbers(4, 4096)
    with on_fake(facts=replace(fake.FACTS, max_threads=64)):
        call = softmax.prepare(x, np.zeros_like(x))
    mapping = call.plans[0].mapping
    assert 32 * mapping.subgroups_per_program * mapping.programs_per_group <= 64
    mapping = call.plans[0].mapping


def test_a_system_whose_metal_is_too_old():
    x = numbers(8)
    with on_fake(facts=replace(fake.FACTS, language=(3, 0))), pytest.raises(UnsupportedError) as at:
        plus(x, np.zeros_like(x), 1.0)
    assert at.value.code == "U403"
    assert "macOS 14" in str(at.value)


def test_without_macos_a_call_says_what_to_do(monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    x, y = numbers(8), np.zeros(8, np.float32)
    with ct.target("metal"), pytest.raises(UnsupportedError) as caught:
        plus(x, y, 1.0)
    assert caught.value.code == "U402"
    assert "metal-sim" in str(caught.value)
    assert not y.any()


def test_the_device_is_looked_for_once(monkeypatch):
    found = []

    def look():
        found.append(fake.FakeDevice())
        return found[-1]

    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(pyobjc, "default_device", look)
    monkeypatch.setenv("PATH", "")
    assert context.current() is context.current()
    assert context.current().offline is None
    assert len(found) == 1
    assert context.planning_sheet().name == "metal-apple7"


def test_the_device_of_another_process_is_refused(monkeypatch):
    held = context._lock
    with held:
        context._after_fork()
    assert context._lock is not held
    with on_fake():
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with pytest.raises(UnsupportedError) as caught:
            context.current()
    assert caught.value.code == "U404"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_child_of_a_fork_has_no_device_and_does_not_hang():
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with context._lock:
            entered.set()
            leave.wait()

    holder = threading.Thread(target=hold)
    with on_fake():
        holder.start()
        entered.wait()
        child = os.fork()
        if child == 0:
            code = ""
            try:
                context.current()
            except UnsupportedError as error:
                code = error.code
            os._exit(code != "U404")
        leave.set()
        holder.join()
        assert os.waitpid(child, 0)[1] == 0


def test_threads_that_meet_an_artifact_make_it_once():
    x = numbers(8)
    with on_fake() as device:
        call = plus.prepare(x, np.zeros_like(x), 1.0)
    artifact = frozen_of(call)._launcher._launches[0][0].artifact
    with on_fake() as device:
        pipelines = context.current().pipelines
        start = threading.Barrier(4)

        def make():
            start.wait()
            pipelines.of(artifact)

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert device.done["pipeline"] == 1


class Drives:
    """A framework's module that has a Metal device, or not."""

    def __init__(self, *, available):
        self.metal = self.mps = self
        self.backends = SimpleNamespace(mps=self)
        self.compile_shader = None
        self.is_available = lambda: available


def test_a_framework_that_drives_the_gpu_is_planned_for(monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setitem(sys.modules, "mlx.core", Drives(available=False))
    monkeypatch.setitem(sys.modules, "torch", Drives(available=False))
    assert not frameworks.mlx_drives_metal()
    assert not frameworks.torch_drives_metal()
    with pytest.raises(UnsupportedError):
        context.planning_sheet()
    monkeypatch.setitem(sys.modules, "torch", Drives(available=True))
    assert context.planning_sheet() == DEFAULTS["metal"]
    monkeypatch.setitem(sys.modules, "mlx.core", Drives(available=True))
    assert context.planning_sheet() == DEFAULTS["metal"]


def info(framework, device="cpu"):
    return ArrayInfo(0, "f32", (4,), (1,), 4, False, framework, device)


def test_which_arrays_run_on_metal_by_themselves(monkeypatch):
    assert target.resolve([info("torch", "mps:0")]) == "metal"
    monkeypatch.setitem(sys.modules, "mlx.core", Drives(available=True))
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    assert target.resolve([info("mlx")]) == "cpu"
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert target.resolve([info("mlx"), info("mlx")]) == "metal"
    assert target.resolve([info("mlx"), info("numpy")]) == "cpu"
    assert target.resolve([]) == "cpu"
    with ct.target("cpu"):
        assert target.resolve([info("mlx")]) == "cpu"
    monkeypatch.setitem(sys.modules, "mlx.core", Drives(available=False))
    assert target.resolve([info("mlx")]) == "cpu"
