"""PyTorch's thread team: adopted only where it fits, right results on it, never in a child."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from certile.runtime.cpu import torch_team

ROOT = Path(__file__).parents[4]

PREAMBLE = """
import ctypes, faulthandler, os, sys, time
faulthandler.dump_traceback_later(60, exit=True)
from certile.runtime.cache import Cache
from certile.runtime.cpu import engine, pool
team = pool.Pool(Cache(sys.argv[1]), 2)
text = '''
declare i64 @pthread_self()
define void @who(ptr %args, i64 %first, i64 %last, ptr %scratch) {
entry:
  %self = call i64 @pthread_self()
  %who = load ptr, ptr %args
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %who, i64 %i
  store i64 %self, ptr %p
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}'''
kernel = engine.load_object(engine.compile_module(text))
who = (ctypes.c_uint64 * 64)()
args = (ctypes.c_uint64 * 1)(ctypes.addressof(who))
block = pool.LaunchBlock(kernel.address("who"), ctypes.addressof(args), 64, 1, 0, 0, 2)
def launch():
    who[:] = [0] * 64
    assert team.launch(ctypes.addressof(block)) == 0
    assert all(who)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this library")


def run(code: str, folder: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", PREAMBLE + code, str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    subprocess.run(command, check=True, cwd=ROOT, env=environment, timeout=90)


def test_adopts_uses_and_leaves_the_team(tmp_path: Path) -> None:
    run(
        """
assert not team.adopt_torch_team()
launch()
assert team.workers == 1
import torch
from certile.runtime.cpu import torch_team
if torch_team.fits(2):
    assert team.adopt_torch_team() and team.adopt_torch_team()
    x = torch.zeros(256, 4096)
    for _ in range(30):
        torch.add(x, x, out=x)
        launch()
        assert len(set(who)) <= 2
    torch.set_num_threads(1)
    assert not team.adopt_torch_team()
    launch()
    torch.set_num_threads(2)
    assert team.adopt_torch_team()
    launch()
""",
        tmp_path,
    )


def test_a_forked_child_keeps_to_its_own_workers(tmp_path: Path) -> None:
    run(
        """
import torch
x = torch.zeros(256, 4096)
torch.add(x, x, out=x)
team.adopt_torch_team()
for _ in range(20):
    torch.add(x, x, out=x)
    launch()
child = os.fork()
if child == 0:
    assert not team.adopt_torch_team()
    for _ in range(20):
        launch()
    os._exit(0 if team.workers == 1 else 1)
for _ in range(2000):
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        break
    time.sleep(0.01)
else:
    os.kill(child, 9)
    raise AssertionError("the child hangs")
assert os.waitstatus_to_exitcode(status) == 0
launch()
""",
        tmp_path,
    )


def test_other_threads_launch_while_a_team_is_adopted(tmp_path: Path) -> None:
    run(
        """
import threading, torch
team.adopt_torch_team()
x = torch.zeros(256, 4096)
bad = []
def work():
    mine = (ctypes.c_uint64 * 64)()
    slots = (ctypes.c_uint64 * 1)(ctypes.addressof(mine))
    own = pool.LaunchBlock(kernel.address("who"), ctypes.addressof(slots), 64, 1, 0, 0, 2)
    for _ in range(200):
        mine[:] = [0] * 64
        code = team.launch(ctypes.addressof(own))
        # Alone, the kernel gets all groups in one call and writes only the first.
        if code or not mine[0]:
            bad.append(list(mine))
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
for _ in range(100):
    torch.add(x, x, out=x)
    team.launch(ctypes.addressof(block))
[thread.join() for thread in threads]
assert not bad
""",
        tmp_path,
    )


def test_mapped_files_are_found_by_name() -> None:
    found = {path.name for path in torch_team._mapped("libc")}
    assert any(name.startswith(("libc.", "libc-")) for name in found)
    assert not list(torch_team._mapped("no such library"))
