#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(320)]]
kernel void layer_norm_kernel_9c953c2e3adb_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    device const float* p_bias [[buffer(3)]],
    constant long& n_x_stride0 [[buffer(4)]],
    constant float& n_eps [[buffer(5)]],
    constant long& n_y_stride0 [[buffer(6)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[10];
  threadgroup float shared_partial1[10];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  float own_stripe0[1];
  float own_stripe1[1];
  const int v4 = (int)n_x_stride0;
  const int v5 = group * v4;
  const float v6 = p_x[v5];
  const int v9 = subgroup * 32;
  const int v11 = v9 + lane;
  const bool v13 = v11 < 257;
  const int v14 = v5 + v9;
  const float v15 = v13 ? p_x[v14 + lane] : 0.0f;
  own_stripe0[0] = v15;
  const float v16 = v15 - v6;
  const float v17 = 0.0f + v16;
  const float v18 = v13 ? v17 : 0.0f;
  const float v19 = simd_sum(v18);
  if (lane == 0) shared_partial0[subgroup] = v19;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v21 = lane < 10;
  const float v22 = v21 ? shared_partial0[lane] : 0.0f;
  const float v23 = simd_sum(v22);
  const float v25 = v23 / 257.0f;
  const float v26 = -v6;
  const float v28 = own_stripe0[0];
  const float v29 = fma(v28, 1.0f, v26);
  const float v30 = v29 - v25;
  own_stripe1[0] = v30;
  const float v31 = v30 * v30;
  const float v32 = 0.0f + v31;
  const float v33 = v13 ? v32 : 0.0f;
  const float v34 = simd_sum(v33);
  if (lane == 0) shared_partial1[subgroup] = v34;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v35 = v21 ? shared_partial1[lane] : 0.0f;
  const float v36 = simd_sum(v35);
  const float v38 = v36 / 257.0f;
  const float v39 = v38 + n_eps;
  const float v40 = precise::sqrt(v39);
  const float v41 = 1.0f / v40;
  const float v42 = v13 ? p_bias[v9 + lane] : 0.0f;
  const float v43 = v13 ? p_weight[v9 + lane] : 0.0f;
  const float v44 = own_stripe1[0];
  const float v45 = v44 * v41;
  const float v46 = v45 * v43;
  const float v47 = v46 + v42;
  const int v49 = (int)n_y_stride0;
  const int v50 = group * v49;
  const int v51 = v50 + v9;
  if (v13) p_y[v51 + lane] = v47;
}
