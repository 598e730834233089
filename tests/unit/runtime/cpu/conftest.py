"""What tests of the pool share: machine code of its kernels, teams of threads, a watchdog."""

import faulthandler
import sys
from collections.abc import Iterator

import pytest

from certile.runtime.cache import Cache
from certile.runtime.cpu import engine
from certile.runtime.cpu.pool import Pool
from certile.runtime.cpu.pool_system_ir import System
from tests.unit.runtime.cpu.launches import KERNELS


@pytest.fixture(scope="module")
def kernels() -> engine.Loaded:
    return engine.load_object(engine.compile_module(KERNELS))


@pytest.fixture(scope="module", params=["linux", "posix"])
def team(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pool:
    """A pool of four threads, on this system's way of waiting and on the portable one."""
    system: System = request.param
    if system == "linux" and sys.platform != "linux":
        pytest.skip("futexes exist on Linux only")
    return Pool(Cache(tmp_path_factory.mktemp("cache")), 4, system)


@pytest.fixture
def watchdog() -> Iterator[None]:
    """A hanging pool hangs in machine code, where no Python time-out helps."""
    faulthandler.dump_traceback_later(60, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
