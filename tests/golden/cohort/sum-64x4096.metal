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
  const int group = group_;
  const int v8 = subgroup * 128;
  const int v12 = (int)n_x_stride0;
  const int v13 = group * v12;
  float v14 = 0.0f;
  #pragma unroll
  for (int i16 = 0; i16 < 2; i16 += 1) {
    const int v17 = i16 * 2048;
    const int v18 = v17 + v8;
    const int v19 = v13 + v18;
    const float4 pack0 = *(device const float4*)(p_x + (v19 + lane * 4));
    const float v20 = pack0.x;
    const float v21 = v14 + v20;
    const int v22 = v19 + 1;
    const float v23 = pack0.y;
    const float v24 = v21 + v23;
    const int v25 = v19 + 2;
    const float v26 = pack0.z;
    const float v27 = v24 + v26;
    const int v28 = v19 + 3;
    const float v29 = pack0.w;
    const float v30 = v27 + v29;
    v14 = v30;
  }
  const float v31 = simd_sum(v14);
  if (lane == 0) shared_partial0[subgroup] = v31;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v34 = lane < 16;
  const float v35 = v34 ? shared_partial0[lane] : 0.0f;
  const float v36 = simd_sum(v35);
  const bool v37 = subgroup == 0;
  if (v37) {
    if (lane == 0) p_y[group] = v36;
  }
}
