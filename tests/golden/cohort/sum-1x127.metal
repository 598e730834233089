#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void sum_kernel_3e372b86f9b5_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const long group = group_;
  const long v7 = group * n_x_stride0;
  float v8 = 0.0f;
  for (long i10 = 0L; i10 < 3L; i10 += 1L) {
    const long v11 = i10 * 32L;
    const long v12 = v7 + v11;
    const float v13 = p_x[v12 + lane];
    const float v14 = v8 + v13;
    v8 = v14;
  }
  const long v17 = (long)lane;
  const bool v19 = v17 < 31L;
  const long v20 = v7 + 96L;
  const float v21 = v19 ? p_x[v20 + lane] : 0.0f;
  const float v22 = v8 + v21;
  const float v23 = v19 ? v22 : v8;
  const float v24 = simd_sum(v23);
  if (lane == 0) p_y[group] = v24;
}
