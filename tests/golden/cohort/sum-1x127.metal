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
  const int v1 = (int)group;
  const int v8 = lane * 4;
  const bool v10 = v8 < 124;
  const int v12 = (int)n_x_stride0;
  const int v13 = v1 * v12;
  const float2 pack0 = *(device const float2*)(p_x + (v13 + lane * 4));
  const float v14 = pack0.x;
  const float v15 = 0.0f + v14;
  const int v16 = v13 + 1;
  const float v17 = pack0.y;
  const float v18 = v15 + v17;
  const int v19 = v13 + 2;
  const float v20 = p_x[v19 + lane * 4];
  const float v21 = v18 + v20;
  const int v22 = v13 + 3;
  const float v23 = v10 ? p_x[v22 + lane * 4] : 0.0f;
  const float v24 = v21 + v23;
  const float v25 = v10 ? v24 : v21;
  const float v26 = simd_sum(v25);
  if (lane == 0) p_y[v1] = v26;
}
