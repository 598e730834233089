"""The disk store: damage, many processes, a full or forbidden folder, eviction."""

import contextlib
import errno
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from certile.store import Form, Mode, Store

CONTENT = bytes(range(256)) + b"machine code"
READ, LENT = Form((".x", ".y")), Form((".x", ".y"), lent=True)


@pytest.fixture(params=[READ, LENT], ids=["read", "lent"])
def form(request: pytest.FixtureRequest) -> Form:
    found: Form = request.param
    return found


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def aged(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_returns_what_was_published(tmp_path: Path, form: Form) -> None:
    store = Store(tmp_path / "deep" / "folder", form)
    assert store.find("a.x") is None
    assert store.publish("a.x", CONTENT)
    assert (store.folder / "a.x").read_bytes().startswith(CONTENT) == form.lent
    assert store.publish("b.y", b"")
    assert (store.find("a.x"), store.find("b.y")) == (CONTENT, b"")
    assert store.publish("a.x", b"other")
    assert Store(store.folder, form).find("a.x") == b"other"
    assert store.size() == (2, sum(path.stat().st_size for path in store.folder.iterdir()))
    assert store.folder.stat().st_mode & 0o077 == 0


def test_all_damage_is_found(tmp_path: Path, form: Form, caplog: pytest.LogCaptureFixture) -> None:
    store, path = Store(tmp_path, form), tmp_path / "a.x"
    store.publish("a.x", CONTENT)
    whole = path.read_bytes()
    cut = [whole[:length] for length in range(len(whole))]
    flipped = [
        whole[:place] + bytes([byte ^ 1 << place % 8]) + whole[place + 1 :]
        for place, byte in enumerate(whole)
    ]
    for wrong in (*cut, *flipped, whole + b"\0"):
        path.write_bytes(wrong)
        caplog.clear()
        assert store.damaged() == [path]
        assert store.find("a.x") is None
        assert [record.levelno for record in caplog.records] == [logging.WARNING]
        # Where files are lent, another process may have put a whole one there meanwhile.
        assert path.exists() == form.lent
    path.write_bytes(whole)
    assert store.find("a.x") == CONTENT
    assert store.damaged() == []
    path.rename(tmp_path / "b.x")
    assert store.find("b.x") is None, "the name is sealed as well"


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listener(path: Path) -> None:
    # The address of a socket holds some hundred characters, fewer than a path may have.
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


def folder_of_one(path: Path) -> None:
    path.mkdir()
    (path / "file").write_bytes(b"")


def link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.parent / "pipe")
    path.symlink_to("pipe")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_nothing(path: Path) -> None:
    path.symlink_to("nothing")


def link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


NO_FILES = [
    pipe,
    listener,
    Path.mkdir,
    folder_of_one,
    link_to_a_pipe,
    link_to_itself,
    link_to_nothing,
    link_to_a_device,
]


@pytest.mark.parametrize("make", NO_FILES)
def test_what_is_no_file_is_never_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "a.x"
    make(path)
    script = """
import sys
from pathlib import Path
from certile.store import Form, Store, read_file

path = Path(sys.argv[1])
try:
    read_file(path)
except OSError:
    print("no file")
for lent in (False, True):
    print(Store(path.parent, Form((".x",), lent), mode="readonly").find(path.name))
"""
    # A process of its own: what waits for a pipe cannot be interrupted here.
    ran = subprocess.run(
        [sys.executable, "-c", script, path], timeout=60, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split("\n") == ["no file", "None", "None", ""]
    assert ran.stderr.count(f"cache entry {path} is damaged and is rebuilt") == 2
    assert path.is_symlink() or path.exists(), "to read is not to change"


@pytest.mark.parametrize("make", NO_FILES)
def test_what_is_no_file_costs_its_own_entry_alone(
    tmp_path: Path, form: Form, make: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    make(tmp_path / "a.x")
    there = set(names(tmp_path)) - {"a.x"}
    store = Store(tmp_path, form)
    is_folder = (tmp_path / "a.x").is_dir()
    assert store.find("a.x") is None
    assert store.publish("a.x", CONTENT) is not is_folder
    assert store.find("a.x") == (None if is_folder else CONTENT)
    assert store.publish("b.x", CONTENT), "the others are kept as before"
    assert store.find("b.x") == CONTENT
    assert set(names(tmp_path)) == {*there, "a.x", "b.x"}
    texts = {record.getMessage() for record in caplog.records}
    assert texts == {f"cache entry {tmp_path / 'a.x'} is damaged and is rebuilt"}


def test_readonly_reads_and_never_writes(tmp_path: Path, form: Form) -> None:
    path = tmp_path / "a.x"
    Store(tmp_path, form).publish("a.x", CONTENT)
    os.utime(path, (1, 1))
    store = Store(tmp_path, form, mode="readonly")
    assert store.find("a.x") == CONTENT
    assert not store.publish("b.x", b"b")
    store.clear()
    assert [(path.name, path.stat().st_mtime) for path in tmp_path.iterdir()] == [("a.x", 1)]
    path.write_bytes(b"damage")
    assert store.find("a.x") is None
    assert path.read_bytes() == b"damage"


def test_off_holds_nothing(tmp_path: Path) -> None:
    Store(tmp_path, READ).publish("a.x", CONTENT)
    store = Store(tmp_path, READ, mode="off")
    assert store.find("a.x") is None
    assert not store.publish("b.x", b"b")
    assert names(tmp_path) == ["a.x"]


@pytest.mark.parametrize("mode", ["on", "readonly"])
def test_a_folder_that_cannot_be_used_costs_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: Mode
) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "folder", READ, mode=mode)
    for _ in range(3):
        assert not store.publish("a.x", CONTENT)
        assert store.find("a.x") is None
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert store.size() == (0, 0)


def test_a_full_disk_costs_one_warning_and_leaves_no_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path, READ)
    store.publish("kept.x", CONTENT)

    def half_then_full(path: Path, data: bytes) -> int:
        with open(path, "wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", half_then_full)
    assert not store.publish("a.x", CONTENT)
    assert not store.publish("b.x", CONTENT)
    with pytest.raises(OSError, match="No space left"):
        store.write("a.x", CONTENT)
    assert len(caplog.records) == 1
    assert names(tmp_path) == ["kept.x"]
    assert store.find("kept.x") == CONTENT


def test_least_recently_used_files_go_first(tmp_path: Path, form: Form) -> None:
    store = Store(tmp_path, form, limit_bytes=10_000)
    for number in range(9):
        store.publish(f"{number}.x", bytes(1000))
        aged(tmp_path / f"{number}.x", 1000 - number)
    assert store.find("0.x") is not None, "this marks it as used"
    store.publish("more.x", bytes(1000))
    # Seven files with their seals fit into four fifths of the limit.
    assert names(tmp_path) == ["0.x", "4.x", "5.x", "6.x", "7.x", "8.x", "more.x"]


def test_what_was_lent_lately_stays_however_small_the_limit_is(tmp_path: Path) -> None:
    Store(tmp_path / "read", READ, limit_bytes=1).publish("a.x", CONTENT)
    assert names(tmp_path / "read") == []
    store = Store(tmp_path / "lent", LENT, limit_bytes=1)
    for name in ("a.x", "b.x"):
        store.publish(name, CONTENT)
    assert names(store.folder) == ["a.x", "b.x"]
    aged(store.folder / "a.x", 1000)
    store.publish("b.x", CONTENT)
    assert names(store.folder) == ["b.x"]


def test_what_is_left_of_dead_processes_and_what_others_keep(tmp_path: Path) -> None:
    for name in ("stale.part", "fresh.part", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "folder.x").mkdir()
    os.utime(tmp_path / "stale.part", (1, 1))
    store = Store(tmp_path, READ)
    store.publish("a.x", CONTENT)
    assert names(tmp_path) == ["a.x", "folder.x", "fresh.part", "notes.txt"]
    assert store.size() == (1, (tmp_path / "a.x").stat().st_size)
    store.clear()
    assert names(tmp_path) == ["folder.x", "notes.txt"]


HAMMER = """
import sys
from pathlib import Path
from certile.store import Form, Store
store = Store(Path(sys.argv[1]), Form((".x",)), limit_bytes=20_000)
for turn in range(60):
    for number in range(5):
        name, expected = f"{number}.x", (f"{number}:" * 200).encode()
        assert store.find(name) in (None, expected)
        store.publish(name, expected)
"""


def test_eight_processes_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HAMMER, str(tmp_path / "made")]
    root = Path(__file__).parents[2]
    processes = [
        subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True) for _ in range(8)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")
    assert names(tmp_path / "made") == [f"{number}.x" for number in range(5)]
    assert Store(tmp_path / "made", READ).find("3.x") == b"3:" * 200
