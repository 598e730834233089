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
  const long v7 = (long)subgroup;
  const long v9 = v7 * 128L;
  const long v14 = group * n_x_stride0;
  float v15 = 0.0f;
  for (long i17 = 0L; i17 < 2L; i17 += 1L) {
    const long v18 = i17 * 512L;
    const long v19 = v18 + v9;
    const long v20 = v14 + v19;
    const float4 pack0 = *(device const float4*)(p_x + v20 + lane * 4L);
    const float v21 = pack0.x;
    const float v22 = v15 + v21;
    const long v23 = v20 + 1L;
    const float v24 = pack0.y;
    const float v25 = v22 + v24;
    const long v26 = v20 + 2L;
    const float v27 = pack0.z;
    const float v28 = v25 + v27;
    const long v29 = v20 + 3L;
    const float v30 = pack0.w;
    const float v31 = v28 + v30;
    v15 = v31;
  }
  const float v32 = simd_sum(v15);
  if (lane == 0) shared_partial0[v7] = v32;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const long v34 = (long)lane;
  const bool v35 = v34 < 4L;
  const float v36 = v35 ? shared_partial0[v34] : 0.0f;
  const float v37 = simd_sum(v36);
  const bool v38 = subgroup == 0;
  if (v38) {
    if (lane == 0) p_y[group] = v37;
  }
}
