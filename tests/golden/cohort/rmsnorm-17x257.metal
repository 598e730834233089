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
  const int group = group_;
  float own_stripe0[2];
  const int v6 = subgroup * 32;
  const int v9 = (int)n_x_stride0;
  const int v10 = group * v9;
  const int v11 = v10 + v6;
  const float v12 = p_x[v11 + lane];
  own_stripe0[0] = v12;
  const float v13 = v12 * v12;
  const float v14 = 0.0f + v13;
  const int v15 = v6 + 160;
  const int v17 = v6 + lane;
  const bool v19 = v17 < 97;
  const int v20 = v11 + 160;
  const float v21 = v19 ? p_x[v20 + lane] : 0.0f;
  own_stripe0[1] = v21;
  const float v22 = v21 * v21;
  const float v23 = v14 + v22;
  const float v24 = v19 ? v23 : v14;
  const float v25 = simd_sum(v24);
  if (lane == 0) shared_partial0[subgroup] = v25;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v27 = lane < 5;
  const float v28 = v27 ? shared_partial0[lane] : 0.0f;
  const float v29 = simd_sum(v28);
  const float v32 = v29 / 257.0f;
  const float v33 = v32 + n_eps;
  const float v35 = precise::sqrt(v33);
  const float v36 = 1.0f / v35;
  const float v37 = p_weight[v6 + lane];
  const float v38 = own_stripe0[0];
  const float v39 = v38 * v36;
  const float v40 = v39 * v37;
  const int v42 = (int)n_y_stride0;
  const int v43 = group * v42;
  const int v44 = v43 + v6;
  p_y[v44 + lane] = v40;
  const float v45 = v19 ? p_weight[v15 + lane] : 0.0f;
  const float v46 = own_stripe0[1];
  const float v47 = v46 * v36;
  const float v48 = v47 * v45;
  const int v49 = v44 + 160;
  if (v19) p_y[v49 + lane] = v48;
}
