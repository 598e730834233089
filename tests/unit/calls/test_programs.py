"""Programs on disk: found again without compiling, told apart, and rebuilt when broken."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import certile as ct
from certile import pipeline
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from certile.runtime import bind, programs
from certile.runtime.cache import default_cache
from certile.runtime.cpu.pool import pool


def double(x: ct.View, y: ct.View, n: ct.constexpr = 2):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * n


X = np.arange(12, dtype=np.float32).reshape(3, 4)


def run(n=2):
    y = np.zeros_like(X)
    kernel = ct.tile_kernel(double)
    kernel(X, y, n)
    np.testing.assert_array_equal(y, X * n)
    return kernel


@pytest.fixture
def counted(cache_folder, monkeypatch):
    """Count pipeline runs; each run() sees no machine code of this process."""
    runs = []
    compile_program = pipeline.compile_program
    monkeypatch.setattr(programs, "_code", {})
    monkeypatch.setattr(
        pipeline, "compile_program", lambda *args: runs.append(1) or compile_program(*args)
    )
    return runs


def test_a_known_program_is_not_compiled_again(counted, monkeypatch):
    assert run().compilations == 1
    monkeypatch.setattr(programs, "_code", {})
    assert run().compilations == 1
    assert len(counted) == 1
    run(3)
    assert len(counted) == 2


def test_settings_and_options_are_part_of_the_identity(counted, monkeypatch):
    run()
    monkeypatch.setenv("CERTILE_MATH", "portable")
    run()
    assert len(counted) == 2
    monkeypatch.delenv("CERTILE_MATH")
    run()
    assert len(counted) == 2
    ct.tile_kernel(double).prepare(X, X.copy(), plan={"subgroup_reductions": "off"})
    assert len(counted) == 3


def test_the_setting_of_rewrites_is_that_of_kernels_that_do_not_choose(monkeypatch):
    monkeypatch.setenv("CERTILE_REWRITES", "off")
    shaped = {name: Shaped(BY_NAME["f32"], (3, 4)) for name in ("x", "y")}
    found = [
        ct.tile_kernel(rewrites=chosen)(double).tile_ir(shaped).rewrites
        for chosen in (None, "proved", "off")
    ]
    assert found == ["off", "proved", "off"]
    run()


@pytest.mark.parametrize(
    ("rows", "columns", "shared"),
    [(8, 256, False), (1000, 256, False), (2000, 256, True), (30000, 16, True), (8, 1 << 18, True)],
)
def test_how_many_rows_there_are_decides_how_many_threads_take_them(
    rows, columns, shared, monkeypatch
):
    """Short rows have one plan however many they are, which does not know their number."""
    blocks, made = [], bind._prototype
    monkeypatch.setattr(
        bind, "_prototype", lambda *given: blocks.append(made(*given)) or blocks[-1]
    )
    x = np.ones((rows, columns), np.float32)
    ct.tile_kernel(double)(x, np.empty_like(x), 2)
    (block,) = blocks
    assert block.threads == (pool().threads if shared else 1)
    tasks = -(-rows // block.grain)
    assert tasks == 1 if not shared else tasks > 1


def test_watching_always_compiles(counted, monkeypatch, tmp_path):
    run()
    monkeypatch.setenv("CERTILE_DUMP", "all")
    monkeypatch.setenv("CERTILE_DUMP_DIR", str(tmp_path / "dump"))
    run()
    assert len(counted) == 2
    names = {path.name.partition("-")[2] for path in (tmp_path / "dump").glob("*/*")}
    assert {"tile.ir", "machine.ir", "kernel.ll"} <= names


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"launches": [{}]}', b"\xff"])
def test_a_broken_entry_is_rebuilt(counted, monkeypatch, content):
    keys = []
    kept = programs.kept
    monkeypatch.setattr(programs, "kept", lambda key, kernel: keys.append(key) or kept(key, kernel))
    run()
    default_cache().put(keys[0], content)
    run()
    assert len(counted) == 2
    assert json.loads(default_cache().get(keys[0]))["launches"]


def test_an_entry_whose_object_is_gone_is_rebuilt(counted, monkeypatch, cache_folder):
    run()
    for path in cache_folder.rglob("*.entry"):
        if b"ELF" in path.read_bytes()[:64] or b"\xcf\xfa" in path.read_bytes()[:64]:
            path.unlink()
    monkeypatch.setattr(programs, "_code", {})
    run()
    assert len(counted) == 2


def test_other_processes_find_the_same_entries(cache_folder):
    source = (
        "import numpy as np, certile as ct\n"
        "from tests_double import double\n"
        "x = np.ones((3, 4), np.float32); y = np.zeros_like(x)\n"
        "ct.tile_kernel(double)(x, y)\n"
        "assert (y == 2).all()\n"
    )
    script = cache_folder.parent / "script.py"
    script.write_text(source)
    body = "import certile as ct\n\n\n" + _source_of_double()
    (cache_folder.parent / "tests_double.py").write_text(body)
    counts = []
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()}
        subprocess.run([sys.executable, str(script)], env=environment, check=True, timeout=60)
        counts.append(len(list(cache_folder.rglob("*.entry"))))
    assert counts[0] == counts[1] == counts[2] > 0


def _source_of_double():
    import inspect

    return inspect.getsource(double)


_LOADS = """
import sys
import numpy as np
import certile as ct
from certile import ops

x = np.ones((3, 4), np.float32)
np.testing.assert_allclose(ops.softmax(x), x / 4)
compiler = ("pipeline", "lower", "plan.choose", "plan.record", "ir.machine", "codegen")
print([name for name in compiler if f"certile.{name}" in sys.modules])
"""


def test_a_known_program_needs_no_compiler(cache_folder):
    def loaded():
        command = [sys.executable, "-c", _LOADS]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "pipeline" in loaded()
    assert loaded() == "[]\n"
