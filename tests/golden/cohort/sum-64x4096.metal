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
  const long v7 = (long)subgroup;
  const long v9 = v7 * 128L;
  const long v13 = group * n_x_stride0;
  float v14 = 0.0f;
  for (long i16 = 0L; i16 < 2L; i16 += 1L) {
    const long v17 = i16 * 2048L;
    const long v18 = v17 + v9;
    const long v19 = v13 + v18;
    const float4 pack0 = *(device const float4*)(p_x + v19 + lane * 4L);
    const float v20 = pack0.x;
    const float v21 = v14 + v20;
    const long v22 = v19 + 1L;
    const float v23 = pack0.y;
    const float v24 = v21 + v23;
    const long v25 = v19 + 2L;
    const float v26 = pack0.z;
    const float v27 = v24 + v26;
    const long v28 = v19 + 3L;
    const float v29 = pack0.w;
    const float v30 = v27 + v29;
    v14 = v30;
  }
  const float v31 = simd_sum(v14);
  if (lane == 0) shared_partial0[v7] = v31;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const long v34 = (long)lane;
  const bool v35 = v34 < 16L;
  const float v36 = v35 ? shared_partial0[v34] : 0.0f;
  const float v37 = simd_sum(v36);
  const bool v38 = subgroup == 0;
  if (v38) {
    if (lane == 0) p_y[group] = v37;
  }
}
