"""MSL texts that the tests run, and the faults seeded into them."""

HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"

SOFTMAX = (
    HEAD
    + """
kernel void softmax(device const float* x [[buffer(0)]],
                    device float* y [[buffer(1)]],
                    constant uint& n [[buffer(2)]],
                    uint group [[threadgroup_position_in_grid]],
                    uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]],
                    uint sg [[simdgroup_index_in_threadgroup]]) {
    threadgroup float maxima[4];
    threadgroup float sums[4];
    device const float* row = x + group * n;
    float m = -INFINITY;
    for (uint i = tid; i < n; i += 128) m = fmax(m, row[i]);
    m = simd_max(m);
    if (lane == 0) maxima[sg] = m;
    threadgroup_barrier(mem_flags::mem_threadgroup);  // first
    m = simd_max(lane < 4 ? maxima[lane] : -INFINITY);
    float s = 0.0;
    for (uint i = tid; i < n; i += 128) s += exp(row[i] - m);
    s = simd_sum(s);
    if (lane == 0) sums[sg] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);  // second
    s = simd_sum(lane < 4 ? sums[lane] : 0.0f);
    for (uint i = tid; i < n; i += 128) y[group * n + i] = exp(row[i] - m) / s;
}
"""
)

ROW_SUM = (
    HEAD
    + """
static inline float tree(float value) {
    for (ushort step = 16; step > 0; step /= 2) value += simd_shuffle_xor(value, step);
    return value;
}

[[max_total_threads_per_threadgroup(128)]]
kernel void row_sum(device const float* x [[buffer(0)]],
                    device float* y [[buffer(1)]],
                    constant long& n [[buffer(2)]],
                    uint3 group [[threadgroup_position_in_grid]],
                    uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]],
                    uint sg [[simdgroup_index_in_threadgroup]]) {
    threadgroup float partial[4];
    device const float4* row = (device const float4*)(x + long(group.x) * n);
    float4 sum = float4(0.0f);
    for (long i = tid; i < n / 4; i += 128) sum = sum + row[i];
    float s = tree((sum.x + sum.y) + (sum.z + sum.w));
    if (lane == 0) partial[sg] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = tree(lane < 4 ? partial[lane] : 0.0f);
    if (tid == 0) y[group.x] = s;
}
"""
)


def line_of(text, part):
    """Return the line, from 1, of the first occurrence of `part`."""
    return text[: text.index(part)].count("\n") + 1


def changed(text, old, new):
    """Return `text` with one place changed, which must be there."""
    assert old in text
    return text.replace(old, new, 1)


def small(body, parameters="", before=""):
    """Return a kernel `k` with buffer 0 `x` (int, read and written) and the usual indices."""
    return f"""{HEAD}{before}
kernel void k(device int* x [[buffer(0)]], {parameters}
              uint group [[threadgroup_position_in_grid]],
              uint tid [[thread_index_in_threadgroup]],
              uint lane [[thread_index_in_simdgroup]],
              uint sg [[simdgroup_index_in_threadgroup]]) {{
{body}
}}
"""
