"""Seeded faults: each must be reported, in its category, at its line."""

import numpy as np
import pytest

from certile.metalsim import Library, building
from tests.metalsim.texts import HEAD, ROW_SUM, SOFTMAX, changed, line_of, small

BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"


def run_softmax(text, mode="checked", seed=0, spare=0):
    x = np.random.default_rng(0).standard_normal((3, 512)).astype(np.float32)
    y = np.zeros(3 * 512 + spare, np.float32)
    kernel = Library(text, mode).kernel("softmax")
    return kernel.run({0: x, 1: y, 2: 512}, (3, 1, 1), (128, 1, 1), seed=seed)


def run_small(body, threads=64, groups=1, size=64, mode="checked", before="", **options):
    x = np.zeros(size, np.int32)
    kernel = Library(small(body, before=before), mode).kernel("k")
    return kernel.run({0: x}, (groups, 1, 1), (threads, 1, 1), **options), x


def only(report, category, **expected):
    """Return the one finding of the report; it has the category and the given fields."""
    assert len(report.findings) == 1, report
    (finding,) = report.findings
    assert finding.category == category, report
    assert {name: getattr(finding, name) for name in expected} == expected
    return finding


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("mark", "store", "load"),
    [
        ("// first", "maxima[sg] = m", "maxima[lane] :"),
        ("// second", "sums[sg] = s", "sums[lane] :"),
    ],
)
def test_dropped_barrier(mark, store, load, seed):
    text = changed(SOFTMAX, f"{BARRIER}  {mark}", mark)
    report = run_softmax(text, seed=seed)
    assert report.races, report
    pair = {line_of(text, store), line_of(text, load)}
    assert all({race.line, race.other_line} == pair for race in report.races), report
    assert all(race.threads[0] != race.threads[1] for race in report.races)


def test_a_write_after_many_reads_is_found_whoever_read_last():
    """Lane 0 reads last, then stores: only the earlier readers of the cell conflict."""
    body = """
    int v = x[0];
    v += simd_sum(v);
    if (lane == 0) { v += x[0]; x[0] = v + 1; }
"""
    report, _ = run_small(body, threads=32)
    finding = only(report, "races", line=line_of(small(body), "x[0] = v + 1"))
    assert "a store follows another thread's load" in finding.message


def test_every_reader_counts_not_only_the_last():
    """Three SIMD groups read a cell, the first of them stores to it: the others are in conflict."""
    body = """
    threadgroup int shared[1];
    if (tid == 0) shared[0] = 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    int v = shared[0];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    if (tid == 64) shared[0] = 2;
    x[tid] = v;
"""
    for seed in range(4):
        report, _ = run_small(body, threads=96, size=96, seed=seed)
        assert "race" in str(report), report
        line = line_of(small(body), "shared[0] = 2")
        assert all(line in (race.line, race.other_line) for race in report.races), report
        assert all(race.threads[0] // 32 != race.threads[1] // 32 for race in report.races)


def test_a_reader_of_an_earlier_threadgroup_counts():
    """Group 0 reads, group 1 stores behind a barrier of its own: nothing orders two groups."""
    body = """
    int v = x[0];
    threadgroup_barrier(mem_flags::mem_device);
    if (group == 1 && tid == 0) x[0] = v + 1;
"""
    report, _ = run_small(body, threads=32, groups=2)
    finding = only(report, "races", line=line_of(small(body), "x[0] = v"))
    assert (finding.group, finding.other_group) == (1, 0)


def test_a_load_is_watched_where_it_stands():
    """The value counts in 31 lanes only; the load is made by all."""
    body = """
    int v = x[tid + 33];
    bool inside = tid < 31;
    int w = inside ? v : 0;
    x[tid] = w;
"""
    report, _ = run_small(body, threads=32, size=64)
    finding = only(report, "out_of_bounds", line=line_of(small(body), "x[tid + 33]"))
    assert (finding.threads, finding.lanes) == ((31,), 1 << 31)


def test_the_lanes_of_an_access_are_those_of_all_that_made_it():
    report, _ = run_small("    if (lane % 8 == 3) x[tid + 64] = 1;", threads=64, size=64)
    finding = only(report, "out_of_bounds", count=8)
    assert finding.lanes == 0x08080808
    assert "lanes 0x08080808; 8x" in str(finding)


def test_collective_in_a_loop_that_lanes_leave_at_different_times():
    body = """
    int v = 0;
    for (uint i = 0; i <= lane / 16; ++i) v += simd_sum(1);
    x[tid] = v;
"""
    report, x = run_small(body, threads=32)
    line = line_of(small(body), "simd_sum")
    finding = only(report, "divergence", line=line, lanes=0xFFFF0000, missing=0x0000FFFF)
    assert "take no part" in finding.message
    assert set(x[16:32]) == {48}


def test_barrier_in_a_loop_that_simdgroups_leave_at_different_times():
    body = f"    for (uint i = 0; i <= sg; ++i) {BARRIER}\n    x[tid] = 1;"
    report, _ = run_small(body)
    finding = only(report, "divergence", line=line_of(small(body), "threadgroup_barrier"))
    assert "32 threads never arrive" in finding.message


def test_declared_and_given_threadgroup_memory_count_together():
    text = small(
        "    threadgroup float big[4096];\n    big[tid] = 1.0f;\n    room[tid] = big[tid];",
        "threadgroup float* room [[threadgroup(0)]],",
    )
    kernel = Library(text).kernel("k")
    launch = {"grid": (1, 1, 1), "threads": (32, 1, 1)}
    fits = kernel.run({0: np.zeros(32, np.int32)}, **launch, threadgroup_bytes=16384)
    assert (fits.ok, fits.threadgroup_bytes) == (True, 32768)
    report = kernel.run({0: np.zeros(32, np.int32)}, **launch, threadgroup_bytes=16388)
    finding = only(report, "out_of_bounds", line=line_of(text, "float big"))
    assert "32772 bytes of threadgroup memory" in finding.message
    assert report.stopped


def test_barrier_that_one_lane_reaches():
    text = changed(SOFTMAX, f"{BARRIER}  // first", f"if (lane == 0) {BARRIER}  // first")
    report = run_softmax(text)
    assert report.divergence, report
    line = line_of(text, "if (lane == 0) threadgroup_barrier")
    assert any(line in (d.line, d.other_line) and d.missing == 1 for d in report.divergence), report


def test_different_barriers_by_simdgroup():
    body = f"    if (sg == 0) {{\n {BARRIER} // a\n }} else {{\n {BARRIER} // b\n }}"
    report, _ = run_small(body)
    text = small(body)
    only(report, "divergence", line=line_of(text, "// a"), other_line=line_of(text, "// b"))


@pytest.mark.parametrize("flags", ["mem_none", "mem_device"])
def test_barrier_without_the_memory_it_should_order(flags):
    text = changed(SOFTMAX, f"{BARRIER}  // first", f"threadgroup_barrier(mem_flags::{flags});")
    report = run_softmax(text)
    assert report.races, report
    assert not report.divergence


@pytest.mark.parametrize(
    ("flags", "ordered"),
    [
        ("mem_device", True),
        ("mem_device | mem_flags::mem_threadgroup", True),
        ("mem_threadgroup", False),
        ("mem_none", False),
    ],
)
def test_barrier_flags_order_device_memory(flags, ordered):
    body = f"""
    x[tid] = int(tid);
    threadgroup_barrier(mem_flags::{flags});
    int v = x[63 - tid];
    x[64 + tid] = v;
"""
    report, x = run_small(body, size=128)
    assert bool(report.races) != ordered, report
    assert report.ok == ordered
    np.testing.assert_array_equal(x[64:], np.arange(64)[::-1])


def test_simdgroup_barrier_does_not_order_simdgroups():
    body = """
    threadgroup int shared[64];
    shared[tid] = int(tid);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    x[tid] = shared[63 - tid];
"""
    report, _ = run_small(body)
    assert {f.category for f in report.findings} <= {"races", "uninitialised"}
    assert report.races, report


def test_collective_under_a_condition():
    text = changed(SOFTMAX, "s = simd_sum(s);", "if (tid < 100) s = simd_sum(s);")
    report = run_softmax(text)
    line = line_of(text, "if (tid < 100)")
    finding = only(report, "divergence", line=line, lanes=0xF, missing=0xFFFFFFF0)
    assert "simd_sum" in finding.message
    assert finding.threads[0] == 96


def test_lanes_that_return_early():
    text = changed(SOFTMAX, "    float m =", "    if (lane > 29) return;\n    float m =")
    report = run_softmax(text)
    missing = {d.missing for d in report.divergence if "simd" in d.message}
    assert missing == {0xC0000000}
    assert any("threads never arrive" in d.message for d in report.divergence)


def test_two_different_collectives_meet():
    body = """
    int v = 0;
    if (lane < 16) {
        v = simd_sum(1);
    } else {
        v = simd_max(2);
    }
    x[tid] = v;
"""
    report, x = run_small(body, threads=32)
    finding = report.divergence[0]
    text = small(body)
    assert (finding.line, finding.other_line) == (
        line_of(text, "simd_sum"),
        line_of(text, "simd_max"),
    )
    assert finding.lanes == 0xFFFF
    assert set(x[:16]) == {16}
    assert set(x[16:32]) == {2}


def test_one_collective_in_two_branches_is_not_merged():
    body = (
        "    int v;\n    if (lane < 8) v = simd_sum(1);\n    else v = simd_sum(1);\n    x[tid] = v;"
    )
    for mode in ("fast", "checked"):
        report, x = run_small(body, threads=32, mode=mode)
        assert report.divergence, report
        assert set(x[:8]) == {8}


def test_shuffle_from_a_lane_that_takes_no_part():
    report, _ = run_small("    x[tid] = simd_shuffle_xor(int(tid), 16);", threads=48)
    finding = only(report, "divergence", lanes=0xFFFF)
    assert "takes no part" in finding.message


def test_broadcast_lane_that_differs():
    report, _ = run_small("    x[tid] = simd_broadcast(int(tid), ushort(lane / 16));")
    assert "must be uniform" in only(report, "divergence").message


@pytest.mark.parametrize("value", ["tid", "lane"])
def test_all_lanes_store_to_one_cell(value):
    report, _ = run_small(f"    x[0] = int({value});")
    finding = only(report, "races", line=line_of(small(""), "{\n") + 1)
    assert "two threads store" in finding.message


def test_uninitialised_partial():
    text = changed(SOFTMAX, "if (lane == 0) sums[sg] = s;", "if (tid == 0) sums[sg] = s;")
    report = run_softmax(text)
    finding = only(report, "uninitialised", line=line_of(text, "sums[lane] :"))
    assert finding.message.startswith("sums:")


def test_threadgroup_memory_does_not_outlive_its_threadgroup():
    body = """
    threadgroup int shared[64];
    if (group == 0) shared[tid] = 1;
    x[group * 64 + tid] = shared[tid];
"""
    report, _ = run_small(body, groups=2, size=128)
    only(report, "uninitialised", group=1)


def test_threadgroups_that_overlap():
    text = changed(SOFTMAX, "y[group * n + i] =", "y[group * (n - 1) + i] =")
    finding = only(run_softmax(text), "races")
    assert "two threadgroups" in finding.message
    assert abs(finding.group - finding.other_group) == 1


def test_a_threadgroup_reads_what_another_stores():
    body = "    int v = x[(group * 32 + tid + 32) % 64];\n    x[64 + group * 32 + tid] = v;\n"
    assert run_small(body, threads=32, groups=2, size=128)[0].ok
    body += "    x[group * 32 + tid] = v;"
    for seed in (0, 1, 2):
        report, _ = run_small(body, threads=32, groups=2, size=128, seed=seed)
        assert report.races, report
        assert all(race.group != race.other_group for race in report.races)


@pytest.mark.parametrize("mode", ["checked", "bounds"])
def test_out_of_bounds(mode):
    report, _ = run_small(
        "    int v = x[tid + 1];\n    x[tid] = v;", threads=32, size=32, mode=mode
    )
    finding = report.out_of_bounds[0]
    assert finding.message == "buffer 00: load of 4 bytes outside it"
    assert finding.threads == (31,)
    report, x = run_small("    x[tid + 60] = 1;", threads=8, size=64, mode=mode)
    assert only(report, "out_of_bounds").count == 4
    assert x.sum() == 4


def test_out_of_bounds_of_a_row_and_of_the_buffer():
    """One element too many: the next row's first, and after the last row none."""
    text = changed(SOFTMAX, "i < n; i += 128) y[group", "i <= n; i += 128) y[group")
    report = run_softmax(text)
    assert {f.category for f in report.findings} == {"races", "out_of_bounds"}
    names = {f.message.partition(":")[0] for f in report.out_of_bounds}
    assert names == {"buffer 00", "buffer 01"}


def test_far_out_of_bounds_stops_the_run():
    report, _ = run_small("    x[long(tid) << 40] = 1;", threads=2)
    assert report.stopped
    assert only(report, "out_of_bounds").line == line_of(small(""), "{\n") + 1


def test_a_crash_in_fast_mode_is_reported_and_the_process_lives():
    report, _ = run_small("    x[(long(tid) + 1) << 44] = 1;", threads=2, mode="fast")
    assert report.stopped
    assert report.out_of_bounds


def test_array_index_out_of_bounds():
    body = """
    threadgroup int shared[32];
    threadgroup int other[32];
    int own[4];
    for (int i = 0; i < 4; ++i) own[i] = i;
    if (tid < 32) { shared[tid] = own[tid % 5]; other[tid] = 0; }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x[tid] = shared[tid / 2];
    threadgroup int* p = shared + 16;
    if (tid == 63) p[16] = 2;
"""
    text = small(body)
    report, _ = run_small(body)
    lines = {finding.line for finding in report.out_of_bounds}
    assert lines == {line_of(text, "own[tid % 5]"), line_of(text, "p[16] = 2")}


def test_store_to_a_read_only_buffer():
    text = HEAD + (
        "kernel void k(device const int* x [[buffer(0)]], device int* y [[buffer(1)]],"
        " uint i [[thread_position_in_grid]])\n{ y[i] = x[i]; *const_int(x) = 1; }"
    )
    helper = "static inline device int* const_int(device const int* p) { return (device int*)p; }\n"
    with pytest.raises(ValueError, match="X007"):
        Library(changed(text, "kernel", helper + "kernel"))


def test_undefined_integer_operations():
    report, _ = run_small("    x[tid] = 1 << (int(tid) + x[0] + 1);", threads=32, size=32)
    assert [f.category for f in report.findings if f.category == "undefined"]
    report, _ = run_small("    x[tid] = int(1.0e10f * float(tid));", threads=8)
    assert "float outside" in only(report, "undefined").message
    for mode in ("fast", "checked"):
        report, _ = run_small("    x[tid] = 7 / x[tid];", mode=mode)
        assert report.stopped
        assert only(report, "undefined").message.startswith("integer division")


def test_misaligned_vector():
    body = "    device int4* p = (device int4*)(x + 1);\n    p[0].x = int(tid);"
    report, _ = run_small(body, threads=1)
    assert "not aligned" in only(report, "undefined", line=line_of(small(body), "int4*)")).message


def test_stack_overflow_is_reported():
    body = "    float big[40000];\n    for (int i = 0; i < 40000; ++i) big[i] = float(x[i % 64]);\n"
    body += "    for (int i = 0; i < 40000; i += 7) x[i % 64] += int(big[39999 - i]);"
    report, _ = run_small(body, threads=1)
    assert report.stopped
    assert report.out_of_bounds


def test_row_sum_with_a_ragged_vector_row():
    text = changed(
        ROW_SUM, "(device const float4*)(x + long(group.x) * n)", "(device const float4*)(x + 2)"
    )
    x, y = np.ones((3, 512), np.float32), np.zeros(3, np.float32)
    kernel = Library(text).kernel("row_sum")
    report = kernel.run({0: x, 1: y, 2: 512}, (3, 1, 1), (128, 1, 1))
    assert "not aligned" in only(report, "undefined").message


def test_findings_do_not_depend_on_the_schedule():
    text = changed(SOFTMAX, f"{BARRIER}  // second", "")
    for seed in range(6):
        assert run_softmax(text, seed=seed).races


def test_code_far_from_the_start_of_a_large_library_has_lines(monkeypatch, cache_folder):
    """As where hundreds of kernels are one library: of an earlier access few bits are kept."""
    monkeypatch.setattr(building, "_LINKED", (*building._LINKED, "--section-start=.text=0x1234560"))
    text = small("    x[0] = int(tid);\n    x[1] = 1;")
    report = Library(text).kernel("k").run({0: np.zeros(2, np.int32)}, (1, 1, 1), (2, 1, 1))
    lines = [line_of(text, "x[0] ="), line_of(text, "x[1] =")]
    assert [(race.line, race.other_line) for race in report.races] == [(n, n) for n in lines]
