"""Correct kernels: right numbers and no finding, in every mode and schedule."""

import ml_dtypes
import numpy as np
import pytest

from certile.metalsim import Library
from tests.metalsim.texts import HEAD, ROW_SUM, SOFTMAX, small

MODES = ("fast", "bounds", "checked")


def rows(rng_seed=0, shape=(3, 4096)):
    return np.random.default_rng(rng_seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [0, 1, 7])
def test_softmax(mode, seed):
    x = rows()
    y = np.full_like(x, np.nan)
    kernel = Library(SOFTMAX, mode).kernel("softmax")
    report = kernel.run({0: x, 1: y, 2: 4096}, (3, 1, 1), (128, 1, 1), seed=seed)
    exact = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    exact /= exact.sum(axis=1, keepdims=True)
    assert np.max(np.abs(y - exact) / exact) < 2e-6
    assert report.ok, report
    assert (report.barriers, report.simd_ops) == (3 * 2, 3 * 4 * 4)
    assert report.threadgroup_bytes == 32
    assert report.threadgroups == 3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [0, 3])
def test_row_sum(mode, seed):
    x = rows(1)
    y = np.full(3, np.nan, np.float32)
    kernel = Library(ROW_SUM, mode).kernel("row_sum")
    report = kernel.run({0: x, 1: y, 2: 4096}, (3, 1, 1), (128, 1, 1), seed=seed)
    np.testing.assert_allclose(y, x.sum(axis=1, dtype=np.float64), rtol=0, atol=2e-4)
    assert report.ok, report
    assert report.barriers == 3


def test_extrema_skip_nan_as_the_device_does():
    text = small(
        "    y[tid] = simd_max(v[tid]); z[tid] = simd_min(v[tid]);\n"
        "    x[tid] = simd_any(isnan(v[tid]));",
        "device const float* v [[buffer(1)]], device float* y [[buffer(2)]],"
        "device float* z [[buffer(3)]],",
    )
    v = np.arange(64, dtype=np.float32)
    v[5] = v[31] = np.nan
    v[32:] = np.nan
    y, z, x = np.zeros(64, np.float32), np.zeros(64, np.float32), np.zeros(64, np.int32)
    report = Library(text).kernel("k").run({0: x, 1: v, 2: y, 3: z}, (1, 1, 1), (64, 1, 1))
    assert report.ok, report
    assert set(y[:32]) == {30.0}
    assert set(z[:32]) == {0.0}
    assert np.isnan(y[32:]).all()
    assert np.isnan(z[32:]).all()
    assert x.all()


CONVERSIONS = (
    HEAD
    + """
kernel void widen(device const half* h [[buffer(0)]], device const bfloat* b [[buffer(1)]],
                  device float* from_h [[buffer(2)]], device float* from_b [[buffer(3)]],
                  uint i [[thread_position_in_grid]]) {
    from_h[i] = float(h[i]);
    from_b[i] = float(b[i]);
}
kernel void narrow(device const float* x [[buffer(0)]], device half* h [[buffer(1)]],
                   device bfloat* b [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    h[i] = half(x[i]);
    b[i] = bfloat(x[i]);
}
"""
)


def test_every_16_bit_float_widens_exactly():
    bits = np.arange(65536, dtype=np.uint16)
    from_h, from_b = np.zeros(65536, np.float32), np.zeros(65536, np.float32)
    h, b = bits.view(np.float16), bits.view(ml_dtypes.bfloat16)
    kernel = Library(CONVERSIONS, "fast").kernel("widen")
    kernel.run({0: h, 1: b, 2: from_h, 3: from_b}, (64, 1, 1), (1024, 1, 1))
    np.testing.assert_array_equal(from_h, h.astype(np.float32))
    np.testing.assert_array_equal(from_b, b.astype(np.float32))


@pytest.mark.parametrize("offset", [-1, 0, 1, 3])
def test_narrowing_rounds_to_nearest_even(offset):
    """Each 16-bit value, and floats just beside the middle between two of them."""
    bits = np.arange(65536, dtype=np.uint32)
    wide = [(bits << 16) + np.uint32(0x8000), bits << 16]
    wide.append(bits.astype(np.uint16).view(np.float16).astype(np.float32).view(np.uint32))
    wide.append(wide[2] + np.uint32(0x1000))
    x = np.concatenate([(w.astype(np.int64) + offset).astype(np.uint32) for w in wide])
    x = x.view(np.float32)
    h, b = np.zeros(x.size, np.float16), np.zeros(x.size, ml_dtypes.bfloat16)
    kernel = Library(CONVERSIONS, "fast").kernel("narrow")
    kernel.run({0: x, 1: h, 2: b}, (x.size // 1024, 1, 1), (1024, 1, 1))
    with np.errstate(all="ignore"):
        expected_h, expected_b = x.astype(np.float16), x.astype(ml_dtypes.bfloat16)
    number = ~np.isnan(x)
    np.testing.assert_array_equal(h.view(np.uint16)[number], expected_h.view(np.uint16)[number])
    np.testing.assert_array_equal(b.view(np.uint16)[number], expected_b.view(np.uint16)[number])
    assert np.isnan(h[~number]).all()
    assert np.isnan(b[~number].astype(np.float32)).all()


def test_half_arithmetic_rounds_each_operation():
    text = HEAD + (
        "kernel void k(device const half* x [[buffer(0)]], device half* y [[buffer(1)]],"
        " uint i [[thread_position_in_grid]]) { y[i] = (x[i] + x[i + 1]) * x[i] - 1.5h; }"
    )
    x = np.random.default_rng(3).standard_normal(1025).astype(np.float16)
    y = np.zeros(1024, np.float16)
    assert Library(text).kernel("k").run({0: x, 1: y}, (1, 1, 1), (1024, 1, 1)).ok
    np.testing.assert_array_equal(y, (x[:-1] + x[1:]) * x[:-1] - np.float16(1.5))


def test_floats_are_not_contracted_and_literals_are_float():
    text = HEAD + (
        "kernel void k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],"
        " uint i [[thread_position_in_grid]]) {"
        " y[i] = x[i] * x[i + 1] + x[i + 2] * 0.1; y[i + 1024] = fma(x[i], x[i + 1], x[i + 2]); }"
    )
    x = np.random.default_rng(4).standard_normal(1026).astype(np.float32)
    y = np.zeros(2048, np.float32)
    Library(text, "fast").kernel("k").run({0: x, 1: y}, (1, 1, 1), (1024, 1, 1))
    a, b, c = x[:-2], x[1:-1], x[2:]
    np.testing.assert_array_equal(y[:1024], a * b + c * np.float32(0.1))
    fused = (a.astype(np.float64) * b + c).astype(np.float32)
    assert np.mean(y[1024:] == fused) > 0.99


def test_ldexp_rounds_once():
    text = HEAD + (
        "kernel void k(device const float* x [[buffer(0)]], device const int* e [[buffer(1)]],"
        " device float* y [[buffer(2)]], uint i [[thread_position_in_grid]])"
        " { y[i] = ldexp(x[i], e[i]); }"
    )
    rng = np.random.default_rng(6)
    x = rng.integers(0, 1 << 32, 4096, dtype=np.uint64).astype(np.uint32).view(np.float32)
    e = rng.integers(-310, 310, 4096).astype(np.int32)
    x[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45]
    e[6:10] = [-(1 << 31), (1 << 31) - 1, 501, -501]
    y = np.zeros(4096, np.float32)
    Library(text, "fast").kernel("k").run({0: x, 1: e, 2: y}, (4, 1, 1), (1024, 1, 1))
    with np.errstate(all="ignore"):
        expected = np.ldexp(x, e)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(np.signbit(y), np.signbit(expected))


def test_collectives_and_shuffles():
    body = """
    int v = x[tid];
    y[0 * 64 + tid] = simd_sum(v);
    y[1 * 64 + tid] = simd_shuffle_xor(v, 5);
    y[2 * 64 + tid] = simd_shuffle_down(v, 3);
    y[3 * 64 + tid] = simd_shuffle_up(v, 3);
    y[4 * 64 + tid] = simd_broadcast(v, 7);
    y[5 * 64 + tid] = simd_broadcast_first(v);
    y[6 * 64 + tid] = simd_shuffle(v, ushort((lane * 7) % 32));
    y[7 * 64 + tid] = int(ulong(simd_vote::vote_t(simd_ballot(lane % 3 == 0))));
    y[8 * 64 + tid] = simd_prefix_exclusive_sum(v);
    y[9 * 64 + tid] = int(simd_any(lane == 9)) + 2 * int(simd_all(lane < 32));
    y[10 * 64 + tid] = simd_and(v) + simd_or(v) + simd_xor(v);
    uint2 pair = simd_shuffle_xor(as_type<uint2>(long(v) << 33), 1);
    y[11 * 64 + tid] = int(as_type<long>(pair) >> 33);
    y[12 * 64 + tid] = simd_max(v) - simd_min(v) + simd_product(lane == 0 ? 3 : 1);
"""
    text = small(body, "device int* y [[buffer(1)]],")
    x = np.random.default_rng(5).integers(0, 1000, 64).astype(np.int32)
    y = np.zeros((13, 64), np.int32)
    report = Library(text).kernel("k").run({0: x, 1: y}, (1, 1, 1), (64, 1, 1), seed=2)
    assert report.ok, report
    lane = np.arange(32)
    for sg in range(2):
        v, got = x[sg * 32 : sg * 32 + 32], y[:, sg * 32 : sg * 32 + 32]
        expected = [
            np.full(32, v.sum()),
            v[lane ^ 5],
            v[np.where(lane + 3 < 32, lane + 3, lane)],
            v[np.where(lane >= 3, lane - 3, lane)],
            np.full(32, v[7]),
            np.full(32, v[0]),
            v[lane * 7 % 32],
            np.full(32, sum(1 << i for i in range(0, 32, 3))),
            np.cumsum(v) - v,
            np.full(32, 3),
            np.full(
                32, np.bitwise_and.reduce(v) + np.bitwise_or.reduce(v) + np.bitwise_xor.reduce(v)
            ),
            v[lane ^ 1],
            np.full(32, v.max() - v.min() + 3),
        ]
        np.testing.assert_array_equal(got, np.array(expected).astype(np.int32))


def test_struct_function_constant_table_and_dynamic_memory():
    text = (
        HEAD
        + """
struct Params { int scale; uint count; float offset; };
constant float table[4] = {1.0, 2.0, 4.0, 8.0};
constant bool doubled [[function_constant(20)]];
kernel void k(device float* y [[buffer(3)]], constant Params& p [[buffer(0)]],
              threadgroup float* room [[threadgroup(0)]],
              uint tid [[thread_index_in_threadgroup]]) {
    room[tid] = table[tid % 4] * float(p.scale) + p.offset;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float v = room[(tid + 1) % p.count];
    y[tid] = doubled ? 2.0f * v : v;
}
"""
    )
    params = np.array([(3, 64, 0.5)], dtype=[("scale", "i4"), ("count", "u4"), ("offset", "f4")])
    y = np.zeros(64, np.float32)
    kernel = Library(text).kernel("k")
    launch = {"grid": (1, 1, 1), "threads": (64, 1, 1), "threadgroup_bytes": 256}
    report = kernel.run({3: y, 0: params}, **launch, constants={20: True})
    assert report.ok, report
    assert report.threadgroup_bytes == 256
    values = np.array([1, 2, 4, 8], np.float32)[(np.arange(64) + 1) % 64 % 4] * 3 + np.float32(0.5)
    np.testing.assert_array_equal(y, 2 * values)
    kernel.run({3: y, 0: params}, **launch, constants={20: False})
    np.testing.assert_array_equal(y, values)


def test_three_dimensional_launch_and_positions():
    text = HEAD + (
        "kernel void k(device uint* y [[buffer(0)]], uint3 p [[thread_position_in_grid]],"
        " uint3 size [[threads_per_grid]], ushort3 t [[threads_per_threadgroup]],"
        " uint3 g [[threadgroup_position_in_grid]], uint3 gs [[threadgroups_per_grid]]) {"
        " uint at = (p.z * size.y + p.y) * size.x + p.x;"
        " y[at] = at + 1000 * ((g.z * gs.y + g.y) * gs.x + g.x) + 100000 * uint(t.z); }"
    )
    y = np.zeros((4, 6, 8), np.uint32)
    assert Library(text).kernel("k").run({0: y}, (2, 3, 1), (4, 2, 4), seed=5).ok
    z, row, column = np.indices(y.shape)
    group = (z // 4 * 3 + row // 2) * 2 + column // 4
    np.testing.assert_array_equal(y, np.arange(192).reshape(y.shape) + 1000 * group + 400000)


def test_one_array_bound_twice_is_one_memory():
    text = HEAD + (
        "kernel void k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],"
        " uint i [[thread_position_in_grid]]) { y[i] = x[i] + 1.0f; }"
    )
    for mode in MODES:
        x = np.arange(64, dtype=np.float32)
        assert Library(text, mode).kernel("k").run({0: x, 1: x}, (2, 1, 1), (32, 1, 1)).ok
        np.testing.assert_array_equal(x, np.arange(1, 65, dtype=np.float32))


def test_simdgroup_barrier_orders_its_own_lanes():
    body = """
    threadgroup int shared[64];
    shared[tid] = x[tid];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    x[tid] = shared[sg * 32 + (lane + 1) % 32];
"""
    x = np.arange(64, dtype=np.int32)
    report = Library(small(body)).kernel("k").run({0: x}, (1, 1, 1), (64, 1, 1), seed=4)
    assert report.ok, report
    assert report.simd_barriers == 2
    np.testing.assert_array_equal(x, np.roll(np.arange(64).reshape(2, 32), -1, axis=1).ravel())
