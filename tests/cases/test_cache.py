"""What is remembered between calls, threads and processes, and when it is not."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import certile as ct
from certile.runtime import programs
from tests.cases.everywhere import refused
from tests.threads import in_threads

X = np.arange(3, dtype=np.float32)


def result(kernel, x=X, target=None):
    y = np.zeros(len(x), np.float32)
    if target is None:
        kernel(x, y)
    else:
        with ct.target(target):
            kernel(x, y)
    return y.tolist()


@pytest.fixture
def forgetful(monkeypatch):
    """Return a function that makes this process forget its machine code."""

    def forget():
        monkeypatch.setattr(programs, "_code", {})

    forget()
    return forget


def probe(body):
    def probe(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = body(x[r])

    return ct.tile_kernel(probe)


@pytest.mark.parametrize("target", ["cpu", "metal-sim"])
def test_two_kernels_of_one_name(target):
    twice, far = probe(lambda v: v * 2), probe(lambda v: v + 100)
    for _ in range(2):
        assert result(twice, target=target) == [0, 2, 4]
        assert result(far, target=target) == [100, 101, 102]


def test_helpers_that_change_are_followed():
    class Box:
        pass

    by_name, listed, box = {"f": lambda v: v * 2}, [lambda v: v * 2], Box()
    box.f = lambda v: v * 2

    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = by_name["f"](x[r]) + listed[0](x[r]) + box.f(x[r])

    assert result(kernel) == [0, 6, 12]
    by_name["f"] = lambda v: v * 3
    assert result(kernel) == [0, 7, 14]
    listed[0] = lambda v: v * 4
    assert result(kernel) == [0, 9, 18]
    box.f = lambda v: v * 5
    assert result(kernel) == [0, 12, 24]


SCRIPT = """
import numpy as np, certile as ct
from helper import CHOICE, body
@ct.tile_kernel
def kernel(x, y):
    for r in ct.parallel(ct.axis("rows", x.shape[0])):
        y[r] = body[CHOICE](x[r])
y = np.zeros(3, np.float32)
kernel(np.arange(3, dtype=np.float32), y)
print(y.tolist())
"""


def in_process(folder, *arguments, **environment):
    known = {**os.environ, "PYTHONPATH": os.getcwd(), **environment}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**known, "PYTHONPATH": f"{os.getcwd()}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_helper_edited_between_processes(tmp_path):
    (tmp_path / "main.py").write_text(SCRIPT)
    for factor in (2, 5, 2):
        (tmp_path / "helper.py").write_text(
            f"CHOICE = 'a'\nbody = {{'a': lambda v: v * {factor}}}\n"
        )
        # Two edits within one second may leave the byte code of the first.
        ran = in_process(tmp_path, "-B", "main.py", CERTILE_CACHE_DIR=str(tmp_path / "cache"))
        assert ran.stdout.split() == ["[0.0,", f"{factor}.0,", f"{2 * factor}.0]"], ran.stderr


MANY = """
import sys, numpy as np, certile as ct
def make(n):
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r] * n
    return ct.tile_kernel(kernel)
x = np.arange(3, dtype=np.float32)
for n in range(8):
    y = np.zeros(3, np.float32)
    make(float(n))(x, y)
    assert (y == x * n).all(), (n, y)
print("right")
"""


def test_processes_that_publish_together(tmp_path):
    (tmp_path / "many.py").write_text(MANY)
    environment = {
        **os.environ,
        "PYTHONPATH": os.getcwd(),
        "CERTILE_CACHE_DIR": str(tmp_path / "cache"),
    }
    command = [sys.executable, str(tmp_path / "many.py")]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    time.sleep(0.7)
    running[2].send_signal(signal.SIGKILL)
    outputs = [process.communicate(timeout=60)[0] for process in running]
    for number, (process, output) in enumerate(zip(running, outputs, strict=True)):
        assert number == 2 or (process.returncode, output) == (0, "right\n")
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert again.stdout == "right\n"
    # Only the process that was killed may have left a file that is no entry.
    assert len(list((tmp_path / "cache").rglob("*.part"))) <= 1


def test_errors_repeat_on_a_warm_cache(cache_folder, forgetful):
    def broken(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r + 1]

    def fine(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r]

    texts = set()
    for _ in range(2):
        forgetful()
        assert result(ct.tile_kernel(fine)) == X.tolist()
        texts.add(refused("K090", ct.tile_kernel(broken), X, np.zeros(3, np.float32)))
    assert len(texts) == 1


def test_settings_that_change_code(monkeypatch):
    kernel = probe(ct.exp)
    counts = []
    for mode in ("precise", "portable", "precise", "fast", "portable", "precise"):
        monkeypatch.setenv("CERTILE_MATH", mode)
        y = np.zeros(3, np.float32)
        kernel(X, y)
        np.testing.assert_allclose(y, np.exp(X), rtol=1e-6)
        counts.append(kernel.compilations)
    assert counts == sorted(counts)
    # Back at a setting that was met before, nothing is compiled.
    assert counts[2] == counts[1]
    assert counts[4] == counts[5] == counts[3]


def test_row_counts_share_code():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] + 1

    for count in (*range(1, 65), 1000, 3):
        x, y = np.ones((count, 5), np.float32), np.zeros((count, 5), np.float32)
        kernel(x, y)
        assert (y == 2).all()
    assert kernel.compilations <= 4


def test_threads_that_compile_together():
    count = 16
    own = [probe(lambda v, n=n: v * (n + 2)) for n in range(count)]
    shared, barrier, wrong = probe(lambda v: v - 1), threading.Barrier(count), []

    def work(number):
        barrier.wait()
        for target in ("cpu", "reference", "cpu"):
            if result(own[number], target=target) != (X * (number + 2)).tolist():
                wrong.append(number)
            if result(shared, target=target) != (X - 1).tolist():
                wrong.append(number)

    in_threads(work, range(count))
    assert not wrong
    assert shared.compilations == 1


def damaged(data):
    yield b""
    for length in {1, 7, 8, 47, 48, 49, len(data) // 2, len(data) - 1}:
        yield data[:length]
    for place in {0, 9, 40, len(data) // 3, len(data) - 1}:
        yield data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
    yield data + b"\0"


def test_damaged_entries_are_rebuilt(cache_folder, forgetful):
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r] * 7

    assert result(ct.tile_kernel(kernel)) == [0, 7, 14]
    files = {path: path.read_bytes() for path in cache_folder.rglob("*.entry")}
    assert files
    for path, data in files.items():
        for wrong in damaged(data):
            path.write_bytes(wrong)
            forgetful()
            assert result(ct.tile_kernel(kernel)) == [0, 7, 14]


def test_damaged_libraries_of_the_simulator_are_rebuilt(tmp_path):
    script = tmp_path / "main.py"
    script.write_text(
        MANY.replace("range(8)", "range(1, 2)").replace(
            "    make", "    with ct.target('metal-sim'): make"
        )
    )
    cache = tmp_path / "cache"
    # A library is mapped by the process that loads it, so each attempt is a process of its own.
    in_process(tmp_path, "main.py", CERTILE_CACHE_DIR=str(cache))
    (library,) = (cache / "metalsim").glob("*.so")
    data = library.read_bytes()
    for wrong in (b"", data[: len(data) // 2], data[:3000] + b"\x01" + data[3001:]):
        library.write_bytes(wrong)
        ran = in_process(tmp_path, "main.py", CERTILE_CACHE_DIR=str(cache))
        assert ran.stdout == "right\n", ran.stderr
        assert "is damaged and is rebuilt" in ran.stderr


def test_a_save_that_fails_changes_nothing_else(cache_folder, forgetful, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    kernel = probe(lambda v: v * 11)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert result(kernel) == [0, 11, 22]
    assert not list(cache_folder.rglob("*"))


@pytest.mark.parametrize("target", ["cpu", "metal-sim"])
@pytest.mark.parametrize("folder", ["a file", "below a file", "with ünïcode and spaces"])
def test_folders_that_are_none(tmp_path, monkeypatch, folder, target):
    file = tmp_path / "file"
    file.write_text("")
    paths = {"a file": file, "below a file": file / "x", "with ünïcode and spaces": None}
    path = paths[folder] or tmp_path / folder
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(path))
    number = 13.0 + len(folder)
    assert result(probe(lambda v: v * number), target=target) == (X * number).tolist()
    assert file.read_text() == ""


def test_what_a_kernel_keeps_is_bounded():
    @ct.tile_kernel
    def kernel(x, y, n: ct.constexpr):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r] + n

    kept = kernel._dispatcher
    y = np.zeros(3, np.float32)
    for n in range(260):
        with ct.target("null"):
            kernel(X, y, n)
    assert len(kept._traces) == 256
    kernel(X, y, 0)
    assert y.tolist() == [0, 1, 2]


def test_code_lives_as_long_as_a_prepared_call():

    kernel = probe(lambda v: v * 17)
    y = np.zeros(3, np.float32)
    run = kernel.prepare(X, y)._run
    del kernel
    gc.collect()
    run()
    assert y.tolist() == [0, 17, 34]


# Results and processes


@pytest.mark.parametrize("target", ["cpu", "reference", "metal-sim"])
def test_a_result_is_not_the_next_one(target):
    raised = ct.op(probe(lambda v: v + 1), outputs={"y": ct.like("x")})
    with ct.target(target):
        results = [raised(np.array([number], np.float32)) for number in (1.1, 1.2, 1.1)]
    assert [float(made[0]) for made in results] == [
        float(np.float32(number) + np.float32(1)) for number in (1.1, 1.2, 1.1)
    ]
    assert not np.shares_memory(results[0], results[2])


SPAWNED = """
import multiprocessing
import sys
import numpy as np
import certile as ct

@ct.tile_kernel
def kernel(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2

def run(ended):
    x = np.ones((4000, 300), np.float32)
    y = np.zeros_like(x)
    kernel(x, y)
    ended.put(bool((y == 2).all()))

def child(how):
    context = multiprocessing.get_context(how)
    ended = context.SimpleQueue()
    process = context.Process(target=run, args=(ended,))
    process.start()
    process.join(60)
    return process.exitcode == 0 and ended.get()

if __name__ == "__main__":
    x = np.ones((4000, 300), np.float32)
    kernel(x, np.zeros_like(x))
    sys.stdout.write(f"{child(sys.argv[1])}")
"""


@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_a_process_started_after_a_parallel_kernel(tmp_path, how):
    (tmp_path / "spawned.py").write_text(SPAWNED)
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [
        sys.executable,
        "-W",
        "ignore::DeprecationWarning",
        str(tmp_path / "spawned.py"),
        how,
    ]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "True"


WITHOUT_HOME = """
import numpy as np
import certile as ct

def body(x, y):
    for r in ct.parallel(ct.axis("rows", x.shape[0])):
        y[r] = x[r] * 3

y = np.zeros(3, np.float32)
ct.tile_kernel(body)(np.ones(3, np.float32), y)
assert y.tolist() == [3, 3, 3]
"""


@pytest.mark.parametrize("home", [None, "", os.devnull])
def test_a_home_that_holds_no_cache(tmp_path, home):
    (tmp_path / "script.py").write_text(WITHOUT_HOME)
    names = ("HOME", "XDG_CACHE_HOME", "CERTILE_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"PYTHONPATH": os.getcwd()} | ({} if home is None else {"HOME": home})
    command = [sys.executable, "-W", "error", str(tmp_path / "script.py")]
    subprocess.run(command, env=environment, check=True, capture_output=True)
