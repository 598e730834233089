"""The JIT engine: compile, load, refuse, unload, describe the host."""

import ctypes
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from certile.diagnostics import InternalError
from certile.runtime.cache import Cache
from certile.runtime.cpu import engine
from tests.threads import in_threads

DOUBLE = "define i64 @double(i64 %x) {\n  %y = add i64 %x, %x\n  ret i64 %y\n}\n"
UNARY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


def test_compiles_loads_and_calls() -> None:
    loaded = engine.load_object(engine.compile_module(DOUBLE))
    assert UNARY(loaded.address("double"))(21) == 42
    assert loaded.address("double") == loaded.address("double")


@pytest.mark.parametrize("passes", [(), ("sroa", "instcombine", "simplifycfg")])
def test_passes_keep_the_meaning(passes: tuple[str, ...]) -> None:
    text = """
    define i64 @triple(i64 %x) {
      %slot = alloca i64
      store i64 %x, ptr %slot
      %a = load i64, ptr %slot
      %b = mul i64 %a, 3
      ret i64 %b
    }"""
    loaded = engine.load_object(engine.compile_module(text, passes=passes))
    assert UNARY(loaded.address("triple"))(14) == 42


def test_two_modules_may_export_one_name() -> None:
    first = engine.load_object(engine.compile_module(DOUBLE))
    second = engine.load_object(engine.compile_module(DOUBLE.replace("add", "mul")))
    assert UNARY(first.address("double"))(5) == 10
    assert UNARY(second.address("double"))(5) == 25
    del first
    gc.collect()
    assert UNARY(second.address("double"))(5) == 25


def test_symbols_of_the_process_are_found() -> None:
    text = "declare i64 @labs(i64)\ndefine i64 @f(i64 %x) {\n  %y = call i64 @labs(i64 %x)\n"
    loaded = engine.load_object(engine.compile_module(text + "  ret i64 %y\n}\n"))
    assert UNARY(loaded.address("f"))(-42) == 42


@pytest.mark.parametrize("text", ["define nonsense", "define i64 @f() {\n  ret i32 0\n}\n"])
def test_bad_text_is_refused(text: str) -> None:
    with pytest.raises(InternalError) as caught:
        engine.compile_module(text)
    assert caught.value.code == "V902"


def test_bytes_that_are_no_object_are_refused() -> None:
    with pytest.raises(InternalError) as caught:
        engine.load_object(b"not an object file")
    assert caught.value.code == "V903"


def test_missing_function_is_refused() -> None:
    loaded = engine.load_object(engine.compile_module(DOUBLE))
    with pytest.raises(InternalError) as caught:
        loaded.address("triple")
    assert caught.value.code == "V901"


def test_second_load_does_not_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    engine.load_or_compile(DOUBLE, cache)

    def refuse(*_: object, **__: object) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(engine, "compile_module", refuse)
    assert UNARY(engine.load_or_compile(DOUBLE, cache).address("double"))(3) == 6
    with pytest.raises(AssertionError):
        engine.load_or_compile(DOUBLE, cache, features="-avx")
    with pytest.raises(AssertionError):
        engine.load_or_compile(DOUBLE, cache, level=0)


def test_threads_compile_at_once() -> None:
    results: dict[int, int] = {}

    def work(number: int) -> None:
        text = f"define i64 @f(i64 %x) {{\n  %y = mul i64 %x, {number}\n  ret i64 %y\n}}\n"
        loaded = engine.load_object(engine.compile_module(text))
        results[number] = UNARY(loaded.address("f"))(10)

    in_threads(work, range(6))
    assert results == {n: 10 * n for n in range(6)}


def test_host_is_plausible() -> None:
    here = engine.host()
    assert here.vector_bits in (128, 256, 512)
    assert (here.vector_bits == 512) == ("+avx512f" in here.features.split(","))
    assert 1 <= here.cores <= (os.cpu_count() or 1)
    assert 8 << 10 <= here.l1_bytes <= here.l2_bytes
    assert here.cpu


def test_cache_sizes_come_from_the_files(tmp_path: Path) -> None:
    levels = [("1", "Data", "48K"), ("1", "Instruction", "32K"), ("2", "Unified", "2048K")]
    for number, (level, kind, size) in enumerate([*levels, ("3", "Unified", "30M")]):
        folder = tmp_path / f"index{number}"
        folder.mkdir()
        for name, value in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(value + "\n")
    assert engine._sysfs_caches(tmp_path) == (48 << 10, 2 << 20, 30 << 20)
    (tmp_path / "index3" / "size").write_text("unknown")
    assert engine._sysfs_caches(tmp_path)[:2] == (48 << 10, 2 << 20)


def test_import_does_not_load_llvm() -> None:
    code = (
        "import sys, certile.runtime.cpu.pool, certile.runtime.cpu.device, certile.runtime.arrays\n"
        "assert 'llvmlite' not in sys.modules and 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[4])
