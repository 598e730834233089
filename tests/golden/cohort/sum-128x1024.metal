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
  const long group = group_;
  const int v4 = (int)group;
  const int v9 = subgroup * 128;
  const int v14 = (int)n_x_stride0;
  const int v15 = v4 * v14;
  float v16 = 0.0f;
  #pragma unroll
  for (int i18 = 0; i18 < 2; i18 += 1) {
    const int v19 = i18 * 512;
    const int v20 = v19 + v9;
    const int v21 = v15 + v20;
    const float4 pack0 = *(device const float4*)(p_x + (v21 + lane * 4));
    const float v22 = pack0.x;
    const float v23 = v16 + v22;
    const int v24 = v21 + 1;
    const float v25 = pack0.y;
    const float v26 = v23 + v25;
    const int v27 = v21 + 2;
    const float v28 = pack0.z;
    const float v29 = v26 + v28;
    const int v30 = v21 + 3;
    const float v31 = pack0.w;
    const float v32 = v29 + v31;
    v16 = v32;
  }
  const float v33 = simd_sum(v16);
  if (lane == 0) shared_partial0[subgroup] = v33;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v35 = lane < 4;
  const float v36 = v35 ? shared_partial0[lane] : 0.0f;
  const float v37 = simd_sum(v36);
  const bool v38 = subgroup == 0;
  if (v38) {
    if (lane == 0) p_y[v4] = v37;
  }
}
