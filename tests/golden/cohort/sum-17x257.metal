#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void sum_kernel_89f17e8f9535_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const int group = group_;
  const int v7 = (int)n_x_stride0;
  const int v8 = group * v7;
  float v9 = 0.0f;
  for (int i11 = 0; i11 < 8; i11 += 1) {
    const int v12 = i11 * 32;
    const int v13 = v8 + v12;
    const float v14 = p_x[v13 + lane];
    const float v15 = v9 + v14;
    v9 = v15;
  }
  const bool v18 = lane < 1;
  const int v19 = v8 + 256;
  const float v20 = v18 ? p_x[v19 + lane] : 0.0f;
  const float v21 = v9 + v20;
  const float v22 = v18 ? v21 : v9;
  const float v23 = simd_sum(v22);
  if (lane == 0) p_y[group] = v23;
}
