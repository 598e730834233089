"""Loading, binding, caching and the command."""

import json
import subprocess

import ml_dtypes
import numpy as np
import pytest

from certile.diagnostics import ArgumentError, KernelError, UnsupportedError
from certile.metalsim import Library, toolchain
from certile.metalsim.__main__ import main
from tests.metalsim.texts import HEAD, ROW_SUM, SOFTMAX, small

ADD = HEAD + (
    "kernel void add(device const bfloat* x [[buffer(0)]], device float* y [[buffer(2)]],"
    " constant int& n [[buffer(1)]], uint i [[thread_position_in_grid]])"
    " { y[i] = float(x[i]) + float(n); }\n"
)


def run_add(x=None, n=3, y=None, **options):
    x = np.ones(32, ml_dtypes.bfloat16) if x is None else x
    y = np.zeros(32, np.float32) if y is None else y
    launch = {"grid": (1, 1, 1), "threads": (32, 1, 1), **options}
    report = Library(ADD).kernel("add").run({0: x, 1: n, 2: y}, **launch)
    return report, y


def test_arguments_that_fit():
    for x in (np.full(32, 1, ml_dtypes.bfloat16), np.full(32, 0x3F80, np.uint16)):
        for n in (3, np.int32(3), np.array([3], np.int32), np.array(3, np.int32)):
            report, y = run_add(x, n)
            assert report.ok
            assert set(y) == {4.0}


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"x": np.ones(32, np.float32)}, "needs bfloat16 or uint16"),
        ({"x": np.ones(64, np.uint16)[::2]}, "not C-contiguous"),
        ({"x": 1.0}, "needs an array"),
        ({"n": 1 << 40}, "does not fit"),
        ({"n": "3"}, "cannot be"),
        ({"n": np.int64(3)}, "needs int32"),
        ({"n": np.zeros(0, np.int32)}, "holds 0 bytes"),
        ({"grid": (0, 1, 1)}, "three positive numbers"),
        ({"grid": (1, 1)}, "three positive numbers"),
        ({"threads": (1025, 1, 1)}, "1025 threads"),
        ({"constants": {0: 1}}, "function constants"),
        ({"threadgroup_bytes": 64}, "[[threadgroup]] lengths"),
        ({"grid": ("a", 1, 1)}, "grid is three positive numbers, not ('a', 1, 1)"),
        ({"threads": 32}, "threads is three positive numbers, not 32"),
        ({"seed": "a"}, "a seed is a whole number from 0 to 2**64 - 1, not 'a'"),
        ({"seed": 1.5}, "not 1.5"),
        ({"seed": -1}, "not -1"),
        ({"seed": 1 << 64}, "a seed is a whole number"),
    ],
)
def test_arguments_that_do_not_fit(options, part):
    with pytest.raises(ArgumentError) as caught:
        run_add(**options)
    assert caught.value.code == "X020"
    assert part in str(caught.value)


def test_read_only_overlapping_and_missing_buffers():
    y = np.zeros(32, np.float32)
    y.flags.writeable = False
    with pytest.raises(ArgumentError, match="read-only"):
        run_add(y=y)
    memory = np.zeros(192, np.uint8)
    with pytest.raises(ArgumentError, match="overlap"):
        run_add(memory[:64].view(np.uint16), y=memory[32:160].view(np.float32))
    with pytest.raises(ArgumentError, match=r"buffers \[0, 1, 2\] are needed"):
        Library(ADD).kernel("add").run({0: np.ones(32, np.uint16)}, (1, 1, 1), (32, 1, 1))


def test_read_only_buffers_may_overlap():
    text = HEAD + (
        "kernel void pairs(device const float* x [[buffer(0)]],"
        " device const float* w [[buffer(1)]], device float* y [[buffer(2)]],"
        " uint i [[thread_position_in_grid]]) { y[i] = x[i] + w[i]; }\n"
    )
    x, y = np.arange(33, dtype=np.float32), np.zeros(32, np.float32)
    kernel = Library(text).kernel("pairs")
    assert kernel.run({0: x, 1: x[1:], 2: y}, (1, 1, 1), (32, 1, 1)).ok
    assert np.array_equal(y, x[:-1] + x[1:])
    # The third buffer is the first, so the second overlaps what is stored to.
    with pytest.raises(ArgumentError, match="overlap"):
        kernel.run({0: x, 1: x[1:], 2: x}, (1, 1, 1), (32, 1, 1))


BACKWARDS = HEAD + (
    "kernel void backwards(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],"
    " uint i [[thread_position_in_grid]]) { y[i] = x[-int(i)]; }\n"
)


@pytest.mark.parametrize("mode", ["checked", "bounds", "fast"])
def test_a_pointer_that_begins_inside_its_buffer(mode):
    kernel = Library(BACKWARDS, mode).kernel("backwards")
    x, y = np.arange(9, dtype=np.float32), np.zeros(12, np.float32)
    report = kernel.run({0: x, 1: y}, (1, 1, 1), (8, 1, 1), offsets={0: 28, 1: 16})
    assert report.ok
    assert y.tolist() == [0, 0, 0, 0, *range(7, -1, -1)]
    for offset in (-4, 40):
        with pytest.raises(ArgumentError, match="does not begin at byte"):
            kernel.run({0: x, 1: y}, (1, 1, 1), (8, 1, 1), offsets={0: offset})


def test_what_lies_before_a_buffer_is_outside_it():
    kernel = Library(BACKWARDS).kernel("backwards")
    x, y = np.arange(9, dtype=np.float32), np.zeros(8, np.float32)
    report = kernel.run({0: x, 1: y}, (1, 1, 1), (8, 1, 1), offsets={0: 24})
    (finding,) = report.findings
    assert (finding.category, finding.threads) == ("out_of_bounds", (7,))
    assert finding.message == "buffer 00: load of 4 bytes outside it"


def test_one_buffer_bound_at_two_places():
    kernel = Library(BACKWARDS).kernel("backwards")
    x = np.arange(16, dtype=np.float32)
    assert kernel.run({0: x, 1: x}, (1, 1, 1), (8, 1, 1), offsets={0: 28, 1: 32}).ok
    assert x.tolist() == [*range(8), *range(7, -1, -1)]


def test_the_declared_thread_limit_holds():
    kernel = Library(ROW_SUM).kernel("row_sum")
    x, y = np.ones((1, 256), np.float32), np.zeros(1, np.float32)
    with pytest.raises(ArgumentError, match="allows 128"):
        kernel.run({0: x, 1: y, 2: 256}, (1, 1, 1), (256, 1, 1))


def test_several_kernels_in_one_text():
    library = Library(ADD + ADD[len(HEAD) :].replace("void add", "void more"))
    assert library.names == ("add", "more")
    with pytest.raises(ArgumentError, match="no kernel 'less'"):
        library.kernel("less")


def test_text_with_a_fault_is_not_loaded():
    with pytest.raises(KernelError) as caught:
        Library(small("    x[tid] = nothing;"))
    assert caught.value.code == "X010"
    assert "line 9" in str(caught.value)


def test_unknown_mode():
    with pytest.raises(ArgumentError, match="no mode 'quick'"):
        Library(ADD, "quick")


def test_a_library_is_compiled_once(cache_folder, monkeypatch):
    Library(ADD, "fast")
    built = sorted(cache_folder.rglob("*.so"))
    assert len(built) == 1
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("clang was called"))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("clang was called"))
    Library(ADD, "fast")
    assert sorted(cache_folder.rglob("*.so")) == built


def test_texts_that_differ_in_address_spaces_only_are_told_apart(cache_folder):
    body = "    threadgroup int s[64];\n    s[tid] = 1;\n    {} int* p = s;\n    x[tid] = p[tid];"
    assert Library(small(body.format("threadgroup"))).names == ("k",)
    with pytest.raises(KernelError):
        Library(small(body.format("device")))


def test_without_cache_nothing_is_left(cache_folder, monkeypatch):
    monkeypatch.setenv("CERTILE_CACHE", "off")
    assert run_add()[0].ok
    assert not list(cache_folder.rglob("*.so"))


def test_a_missing_clang_is_named(monkeypatch):
    monkeypatch.setenv("CERTILE_CLANG", "/nowhere/clang")
    with pytest.raises(UnsupportedError) as caught:
        toolchain.find_clang()
    assert caught.value.code == "X030"
    assert "/nowhere/clang" in str(caught.value)


@pytest.fixture
def softmax_file(tmp_path):
    path = tmp_path / "softmax.metal"
    path.write_text(SOFTMAX)
    return path


def test_command_check(softmax_file, capsys):
    assert main(["check", str(softmax_file)]) == 0
    assert capsys.readouterr().out.startswith("no finding")
    softmax_file.write_text(SOFTMAX.replace("simd_sum", "simd_smu"))
    assert main(["check", str(softmax_file), "--json"]) == 1
    assert {d["code"] for d in json.loads(capsys.readouterr().out)} == {"X010"}
    assert main(["check", str(softmax_file.parent / "absent.metal")]) == 2
    good = softmax_file.parent / "row_sum.metal"
    good.write_text(ROW_SUM)
    assert main(["check", str(good), str(softmax_file)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert {line.partition(":")[0] for line in shown} == {str(softmax_file)}


def test_command_run(softmax_file, capsys):
    x = softmax_file.parent / "x.npy"
    np.save(x, np.zeros((2, 256), np.float32))
    saved = softmax_file.parent / "y.npy"
    launch = ["--grid", "2,1,1", "--threads", "128,1,1", "--json"]
    buffers = ["--buffer", f"0={x}", "--buffer", "1=zeros:float32:512", "--buffer", "2=256"]
    arguments = ["run", str(softmax_file), *launch, *buffers]
    assert main([*arguments, "--save", f"1={saved}"]) == 0
    assert json.loads(capsys.readouterr().out)["barriers"] == 4
    assert set(np.load(saved)) == {np.float32(1 / 256)}
    softmax_file.write_text(SOFTMAX.replace("mem_threadgroup", "mem_none"))
    assert main(arguments) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0]["category"] == "races"
    assert main([*arguments, "--buffer", "7=oops"]) == 2
