#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(128)]]
kernel void sum_kernel_3cad2738b4a7_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[4];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  const int v8 = subgroup * 128;
  const int v13 = (int)n_x_stride0;
  const int v14 = group * v13;
  float v15 = 0.0f;
  #pragma unroll
  for (int i17 = 0; i17 < 2; i17 += 1) {
    const int v18 = i17 * 512;
    const int v19 = v18 + v8;
    const int v20 = v14 + v19;
    const float4 pack0 = *(device const float4*)(p_x + (v20 + lane * 4));
    const float v21 = pack0.x;
    const float v22 = v15 + v21;
    const int v23 = v20 + 1;
    const float v24 = pack0.y;
    const float v25 = v22 + v24;
    const int v26 = v20 + 2;
    const float v27 = pack0.z;
    const float v28 = v25 + v27;
    const int v29 = v20 + 3;
    const float v30 = pack0.w;
    const float v31 = v28 + v30;
    v15 = v31;
  }
  const float v32 = simd_sum(v15);
  if (lane == 0) shared_partial0[subgroup] = v32;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v34 = lane < 4;
  const float v35 = v34 ? shared_partial0[lane] : 0.0f;
  const float v36 = simd_sum(v35);
  const bool v37 = subgroup == 0;
  if (v37) {
    if (lane == 0) p_y[group] = v36;
  }
}
