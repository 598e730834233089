"""The machine's sheet: measured once, kept as JSON, read only when it fits."""

import json
import os
import threading
from pathlib import Path

import pytest

from certile.runtime.cpu import device, engine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CERTILE_THREADS", "2")
    return tmp_path / "cache"


def kept(folder: Path) -> Path:
    (path,) = folder.glob("cpu-sheet-*.json")
    return path


def test_measures_and_keeps(folder: Path) -> None:
    found = device.measure_sheet()
    assert found.vector_bits == engine.host().vector_bits
    assert found.threads == 2
    assert found.cache_bytes[1] == engine.host().l2_bytes
    data = json.loads(kept(folder).read_text())
    assert data["schema"] == device.SCHEMA
    data["cache_bytes"][2] = 12345
    kept(folder).write_text(json.dumps(data))
    assert device.measure_sheet().cache_bytes[2] == 12345


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "null",
        '{"schema": "certile.cpu-sheet/0"}',
        '{"schema": "certile.cpu-sheet/1"}',
    ],
)
def test_a_file_that_does_not_fit_is_measured_again(folder: Path, text: str) -> None:
    found = device.measure_sheet()
    kept(folder).write_text(text)
    assert device.measure_sheet() == found
    assert json.loads(kept(folder).read_text())["schema"] == device.SCHEMA


@pytest.mark.parametrize(
    "wrong",
    [{"threads": None}, {"threads": 0}, {"vector_bits": "512"}, {"cache_bytes": [1, -1, 1]}],
)
def test_numbers_that_no_machine_has_are_measured_again(
    folder: Path, wrong: dict[str, object]
) -> None:
    found = device.measure_sheet()
    kept(folder).write_text(json.dumps({**found.to_json(), **wrong}))
    assert device.measure_sheet() == found


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(folder: Path) -> None:
    found = device.measure_sheet()
    path = kept(folder)
    path.unlink()
    os.mkfifo(path)
    # A reader that waits does so until the last writer has gone.
    writer = os.open(path, os.O_RDWR)
    gone = threading.Event()
    timer = threading.Timer(20, lambda: (gone.set(), os.close(writer)))
    timer.start()
    assert device.measure_sheet() == found
    timer.cancel()
    assert not gone.is_set()
    os.close(writer)
    assert path.is_file()


def test_another_machine_or_thread_count_has_its_own_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device.measure_sheet()
    data = json.loads(kept(folder).read_text())
    kept(folder).write_text(json.dumps({**data, "machine": "other", "cpu": "other"}))
    assert device.measure_sheet().cpu == engine.host().cpu
    monkeypatch.setenv("CERTILE_THREADS", "3")
    assert device.measure_sheet().threads == 3
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("mode", ["off", "readonly"])
def test_a_cache_that_is_off_stays_untouched(
    folder: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("CERTILE_CACHE", mode)
    assert device.measure_sheet().threads == 2
    assert not folder.exists()


def test_a_forbidden_folder_only_costs_the_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert device.measure_sheet().vector_bits == engine.host().vector_bits


def test_bandwidth_is_measured_on_request(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_LEAST_COPY", 1 << 16)
    monkeypatch.setattr(device, "_MOST_COPY", 1 << 20)
    assert device.measure_sheet().copy_bytes_per_second == 0.0
    speed = device.measure_sheet(bandwidth=True).copy_bytes_per_second
    assert 1e8 < speed < 1e13
    assert device.measure_sheet().copy_bytes_per_second == speed


def test_sheet_has_the_machines_numbers(folder: Path) -> None:
    sheet = device.machine_sheet()
    here = engine.host()
    assert sheet.kind == "cpu"
    assert sheet.vector_bytes == here.vector_bits // 8
    assert (sheet.cores, sheet.wave) == (2, 2)
    assert sheet.cache_bytes == (here.l1_bytes, here.l2_bytes, here.l3_bytes)
    assert here.cpu in sheet.provenance["cores"]
    assert "measured" not in sheet.provenance["registers"]
