#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(160)]]
kernel void rms_norm_kernel_027240339f71_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    constant long& n_x_stride0 [[buffer(3)]],
    constant float& n_eps [[buffer(4)]],
    constant long& n_y_stride0 [[buffer(5)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[5];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const long group = group_;
  float own_stripe0[2];
  const long v5 = (long)subgroup;
  const long v7 = v5 * 32L;
  const long v10 = group * n_x_stride0;
  const long v11 = v10 + v7;
  const float v12 = p_x[v11 + lane];
  own_stripe0[0L] = v12;
  const float v13 = v12 * v12;
  const float v14 = 0.0f + v13;
  const long v15 = v7 + 160L;
  const long v17 = (long)lane;
  const long v18 = v7 + v17;
  const bool v20 = v18 < 97L;
  const long v21 = v11 + 160L;
  const float v22 = v20 ? p_x[v21 + lane] : 0.0f;
  own_stripe0[1L] = v22;
  const float v23 = v22 * v22;
  const float v24 = v14 + v23;
  const float v25 = v20 ? v24 : v14;
  const float v26 = simd_sum(v25);
  if (lane == 0) shared_partial0[v5] = v26;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v28 = v17 < 5L;
  const float v29 = v28 ? shared_partial0[v17] : 0.0f;
  const float v30 = simd_sum(v29);
  const float v33 = v30 / 257.0f;
  const float v34 = v33 + n_eps;
  const float v36 = precise::sqrt(v34);
  const float v37 = 1.0f / v36;
  const float v38 = p_weight[v7 + lane];
  const float v39 = own_stripe0[0L];
  const float v40 = v39 * v37;
  const float v41 = v40 * v38;
  const long v43 = group * n_y_stride0;
  const long v44 = v43 + v7;
  p_y[v44 + lane] = v41;
  const float v45 = v20 ? p_weight[v15 + lane] : 0.0f;
  const float v46 = own_stripe0[1L];
  const float v47 = v46 * v37;
  const float v48 = v47 * v45;
  const long v49 = v44 + 160L;
  if (v20) p_y[v49 + lane] = v48;
}
