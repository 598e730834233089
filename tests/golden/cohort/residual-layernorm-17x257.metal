#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(320)]]
kernel void layer_norm_kernel_50db34b5ceca_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    device const float* p_bias [[buffer(3)]],
    device const float* p_residual [[buffer(4)]],
    constant long& n_residual_stride0 [[buffer(5)]],
    constant long& n_x_stride0 [[buffer(6)]],
    constant float& n_eps [[buffer(7)]],
    constant long& n_y_stride0 [[buffer(8)]],
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
  const int v4 = (int)n_residual_stride0;
  const int v5 = group * v4;
  const float v6 = p_residual[v5];
  const int v8 = (int)n_x_stride0;
  const int v9 = group * v8;
  const float v10 = p_x[v9];
  const float v11 = v10 + v6;
  const int v14 = subgroup * 32;
  const int v16 = v14 + lane;
  const bool v18 = v16 < 257;
  const int v19 = v9 + v14;
  const float v20 = v18 ? p_x[v19 + lane] : 0.0f;
  const int v21 = v5 + v14;
  const float v22 = v18 ? p_residual[v21 + lane] : 0.0f;
  const float v23 = v20 + v22;
  own_stripe0[0] = v23;
  const float v24 = v23 - v11;
  const float v25 = 0.0f + v24;
  const float v26 = v18 ? v25 : 0.0f;
  const float v27 = simd_sum(v26);
  if (lane == 0) shared_partial0[subgroup] = v27;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v29 = lane < 10;
  const float v30 = v29 ? shared_partial0[lane] : 0.0f;
  const float v31 = simd_sum(v30);
  const float v33 = v31 / 257.0f;
  const float v34 = -v11;
  const float v36 = own_stripe0[0];
  const float v37 = fma(v36, 1.0f, v34);
  const float v38 = v37 - v33;
  own_stripe1[0] = v38;
  const float v39 = v38 * v38;
  const float v40 = 0.0f + v39;
  const float v41 = v18 ? v40 : 0.0f;
  const float v42 = simd_sum(v41);
  if (lane == 0) shared_partial1[subgroup] = v42;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v43 = v29 ? shared_partial1[lane] : 0.0f;
  const float v44 = simd_sum(v43);
  const float v46 = v44 / 257.0f;
  const float v47 = v46 + n_eps;
  const float v48 = precise::sqrt(v47);
  const float v49 = 1.0f / v48;
  const float v50 = v18 ? p_bias[v14 + lane] : 0.0f;
  const float v51 = v18 ? p_weight[v14 + lane] : 0.0f;
  const float v52 = own_stripe1[0];
  const float v53 = v52 * v49;
  const float v54 = v53 * v51;
  const float v55 = v54 + v50;
  const int v57 = (int)n_y_stride0;
  const int v58 = group * v57;
  const int v59 = v58 + v14;
  if (v18) p_y[v59 + lane] = v55;
}
