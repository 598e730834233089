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
  const int v3 = (int)group;
  const int v7 = subgroup * 32;
  const int v10 = (int)n_x_stride0;
  const int v11 = v3 * v10;
  const int v12 = v11 + v7;
  const float v13 = p_x[v12 + lane];
  own_stripe0[0] = v13;
  const float v14 = v13 * v13;
  const float v15 = 0.0f + v14;
  const int v16 = v7 + 160;
  const int v18 = v7 + lane;
  const bool v20 = v18 < 97;
  const int v21 = v12 + 160;
  const float v22 = v20 ? p_x[v21 + lane] : 0.0f;
  own_stripe0[1] = v22;
  const float v23 = v22 * v22;
  const float v24 = v15 + v23;
  const float v25 = v20 ? v24 : v15;
  const float v26 = simd_sum(v25);
  if (lane == 0) shared_partial0[subgroup] = v26;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v28 = lane < 5;
  const float v29 = v28 ? shared_partial0[lane] : 0.0f;
  const float v30 = simd_sum(v29);
  const float v33 = v30 / 257.0f;
  const float v34 = v33 + n_eps;
  const float v36 = precise::sqrt(v34);
  const float v37 = 1.0f / v36;
  const float v38 = p_weight[v7 + lane];
  const float v39 = own_stripe0[0];
  const float v40 = v39 * v37;
  const float v41 = v40 * v38;
  const int v43 = (int)n_y_stride0;
  const int v44 = v3 * v43;
  const int v45 = v44 + v7;
  p_y[v45 + lane] = v41;
  const float v46 = v20 ? p_weight[v16 + lane] : 0.0f;
  const float v47 = own_stripe0[1];
  const float v48 = v47 * v37;
  const float v49 = v48 * v46;
  const int v50 = v45 + 160;
  if (v20) p_y[v50 + lane] = v49;
}
