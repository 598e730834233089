"""The disk cache: keys, damage, many processes, a full or forbidden folder, eviction."""

import errno
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from certile.runtime.cache import Cache, key

PAYLOAD = bytes(range(256)) + b"machine code"


def only_entry(folder: Path) -> Path:
    (entry,) = folder.glob("*.entry")
    return entry


def test_key_tells_types_and_borders_apart() -> None:
    groups = [
        (True,), (1,), (1.0,), ("1",), (b"1",), (None,), ("True",), (False,), (0,), (-0.0,), (0.0,),
        ("ab", "c"), ("a", "bc"), ("abc",), (("ab", "c"),), (("ab",), "c"), (["ab"], ["c"]),
        ({"a": 1},), ({"a": 1, "b": 2},), (("a", 1),), (), ((),), ("",),
    ]  # fmt: skip
    assert len({key(*parts) for parts in groups}) == len(groups)


def test_key_depends_on_values_only() -> None:
    assert key({"a": 1, "b": (2,)}, "x") == key({"b": (2,), "a": 1}, "x")


def test_key_refuses_what_it_cannot_tell_apart() -> None:
    with pytest.raises(TypeError, match="object"):
        key(object())  # type: ignore[arg-type]


def test_returns_what_was_put(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "folder")
    assert cache.get("a") is None
    cache.put("a", PAYLOAD)
    cache.put("b", b"")
    assert cache.get("a") == PAYLOAD
    assert cache.get("b") == b""
    cache.put("a", b"other")
    assert Cache(tmp_path / "deep" / "folder").get("a") == b"other"
    assert cache.size()[0] == 2


def test_folder_is_private(tmp_path: Path) -> None:
    Cache(tmp_path / "made").put("a", PAYLOAD)
    assert (tmp_path / "made").stat().st_mode & 0o077 == 0


def test_every_truncation_is_found(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(tmp_path)
    cache.put("a", PAYLOAD)
    path = only_entry(tmp_path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        caplog.clear()
        assert cache.get("a") is None, length
        assert len(caplog.records) == 1
        assert not path.exists()
    path.write_bytes(whole + b"\0")
    assert cache.get("a") is None
    path.write_bytes(whole)
    assert cache.get("a") == PAYLOAD


def test_every_flipped_byte_is_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("a", PAYLOAD)
    path = only_entry(tmp_path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        assert cache.get("a") is None, place


def test_entry_under_another_name_is_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("a", PAYLOAD)
    a = only_entry(tmp_path)
    cache.put("b", b"b")
    (b,) = set(tmp_path.glob("*.entry")) - {a}
    b.write_bytes(a.read_bytes())
    assert cache.get("b") is None
    assert cache.get("a") == PAYLOAD


def test_readonly_reads_and_never_writes(tmp_path: Path) -> None:
    Cache(tmp_path).put("a", PAYLOAD)
    path = only_entry(tmp_path)
    os.utime(path, (1, 1))
    cache = Cache(tmp_path, mode="readonly")
    assert cache.get("a") == PAYLOAD
    cache.put("b", b"b")
    cache.clear()
    assert [p.stat().st_mtime for p in tmp_path.iterdir()] == [1]
    path.write_bytes(b"damage")
    assert cache.get("a") is None
    assert path.read_bytes() == b"damage"


def test_off_holds_nothing(tmp_path: Path) -> None:
    Cache(tmp_path).put("a", PAYLOAD)
    cache = Cache(tmp_path, mode="off")
    assert cache.get("a") is None
    cache.put("b", b"b")
    assert len(list(tmp_path.iterdir())) == 1


def test_folder_that_cannot_be_made_costs_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "folder")
    for _ in range(3):
        cache.put("a", PAYLOAD)
        assert cache.get("a") is None
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_full_disk_costs_one_warning_and_leaves_no_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path)
    cache.put("kept", PAYLOAD)

    def half_then_full(path: Path, data: bytes) -> int:
        with open(path, "wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", half_then_full)
    cache.put("a", PAYLOAD)
    cache.put("b", PAYLOAD)
    assert len(caplog.records) == 1
    assert len(list(tmp_path.iterdir())) == 1
    assert cache.get("kept") == PAYLOAD


def test_least_recently_used_entries_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit_bytes=10_000)
    for number in range(9):
        cache.put(str(number), bytes(1000))
        path = next(p for p in tmp_path.iterdir() if p.stat().st_mtime > 1000)
        os.utime(path, (number + 1, number + 1))
    assert cache.get("0") is not None
    cache.put("more", bytes(1000))
    held = {name for name in map(str, range(9)) if cache.get(name) is not None}
    assert cache.size()[1] <= 10_000
    assert "0" in held
    assert cache.get("more") is not None
    assert held == {"0"} | {str(n) for n in range(10 - len(held), 9)}


def test_stale_temporary_files_are_removed(tmp_path: Path) -> None:
    stale, fresh = tmp_path / "x.1.2.part", tmp_path / "y.1.2.part"
    stale.write_bytes(b"")
    fresh.write_bytes(b"")
    os.utime(stale, (1, 1))
    Cache(tmp_path).put("a", PAYLOAD)
    assert not stale.exists()
    assert fresh.exists()


HAMMER = """
import sys
from certile.runtime.cache import Cache
cache = Cache(sys.argv[1], limit_bytes=20_000)
for turn in range(60):
    for name in range(5):
        expected = (f"{name}:" * 200).encode()
        found = cache.get(str(name))
        assert found in (None, expected)
        cache.put(str(name), expected)
"""


def test_eight_processes_at_once(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", HAMMER, str(tmp_path / "cache")],
            cwd=root,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert errors == ""
    assert Cache(tmp_path / "cache").get("3") == b"3:" * 200
    assert not list((tmp_path / "cache").glob("*.part"))
