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
  const int group = group_;
  const int v7 = lane * 4;
  const bool v9 = v7 < 124;
  const int v11 = (int)n_x_stride0;
  const int v12 = group * v11;
  const float2 pack0 = *(device const float2*)(p_x + (v12 + lane * 4));
  const float v13 = pack0.x;
  const float v14 = 0.0f + v13;
  const int v15 = v12 + 1;
  const float v16 = pack0.y;
  const float v17 = v14 + v16;
  const int v18 = v12 + 2;
  const float v19 = p_x[v18 + lane * 4];
  const float v20 = v17 + v19;
  const int v21 = v12 + 3;
  const float v22 = v9 ? p_x[v21 + lane * 4] : 0.0f;
  const float v23 = v20 + v22;
  const float v24 = v9 ? v23 : v20;
  const float v25 = simd_sum(v24);
  if (lane == 0) p_y[group] = v25;
}
