#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(512)]]
kernel void sum_kernel_3aed11b7522e_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[16];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const long group = group_;
  const int v4 = (int)group;
  const int v9 = subgroup * 128;
  const int v13 = (int)n_x_stride0;
  const int v14 = v4 * v13;
  float v15 = 0.0f;
  #pragma unroll
  for (int i17 = 0; i17 < 2; i17 += 1) {
    const int v18 = i17 * 2048;
    const int v19 = v18 + v9;
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
  const bool v35 = lane < 16;
  const float v36 = v35 ? shared_partial0[lane] : 0.0f;
  const float v37 = simd_sum(v36);
  const bool v38 = subgroup == 0;
  if (v38) {
    if (lane == 0) p_y[v4] = v37;
  }
}
