#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(160)]]
kernel void layer_norm_kernel_2e6f459d6eaa_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    device const float* p_bias [[buffer(3)]],
    device const float* p_residual [[buffer(4)]],
    constant long& n_x_stride0 [[buffer(5)]],
    constant long& n_residual_stride0 [[buffer(6)]],
    constant float& n_eps [[buffer(7)]],
    constant long& n_y_stride0 [[buffer(8)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[5];
  threadgroup float shared_partial1[5];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const long group = group_;
  float own_stripe0[2];
  float own_stripe1[2];
  const int v3 = (int)group;
  const int v6 = (int)n_x_stride0;
  const int v7 = v3 * v6;
  const float v8 = p_x[v7];
  const int v11 = subgroup * 32;
  const int v13 = v7 + v11;
  const float v14 = p_x[v13 + lane];
  const int v16 = (int)n_residual_stride0;
  const int v17 = v3 * v16;
  const int v18 = v17 + v11;
  const float v19 = p_residual[v18 + lane];
  const float v20 = v14 + v19;
  own_stripe0[0] = v20;
  const float v21 = v20 - v8;
  const float v22 = 0.0f + v21;
  const int v23 = v11 + 160;
  const int v25 = v11 + lane;
  const bool v27 = v25 < 97;
  const int v28 = v13 + 160;
  const float v29 = v27 ? p_x[v28 + lane] : 0.0f;
  const int v30 = v18 + 160;
  const float v31 = v27 ? p_residual[v30 + lane] : 0.0f;
  const float v32 = v29 + v31;
  own_stripe0[1] = v32;
  const float v33 = v32 - v8;
  const float v34 = v22 + v33;
  const float v35 = v27 ? v34 : v22;
  const float v36 = simd_sum(v35);
  if (lane == 0) shared_partial0[subgroup] = v36;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v38 = lane < 5;
  const float v39 = v38 ? shared_partial0[lane] : 0.0f;
  const float v40 = simd_sum(v39);
  const float v42 = v40 / 257.0f;
  const float v43 = -v8;
  const float v45 = own_stripe0[0];
  const float v46 = fma(v45, 1.0f, v43);
  const float v47 = v46 - v42;
  own_stripe1[0] = v47;
  const float v48 = v47 * v47;
  const float v49 = 0.0f + v48;
  const float v50 = own_stripe0[1];
  const float v51 = fma(v50, 1.0f, v43);
  const float v52 = v51 - v42;
  own_stripe1[1] = v52;
  const float v53 = v52 * v52;
  const float v54 = v49 + v53;
  const float v55 = v27 ? v54 : v49;
  const float v56 = simd_sum(v55);
  if (lane == 0) shared_partial1[subgroup] = v56;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v57 = v38 ? shared_partial1[lane] : 0.0f;
  const float v58 = simd_sum(v57);
  const float v60 = v58 / 257.0f;
  const float v61 = v60 + n_eps;
  const float v62 = precise::sqrt(v61);
  const float v63 = 1.0f / v62;
  const float v64 = p_bias[v11 + lane];
  const float v65 = p_weight[v11 + lane];
  const float v66 = own_stripe1[0];
  const float v67 = v66 * v63;
  const float v68 = v67 * v65;
  const float v69 = v68 + v64;
  const int v71 = (int)n_y_stride0;
  const int v72 = v3 * v71;
  const int v73 = v72 + v11;
  p_y[v73 + lane] = v69;
  const float v74 = v27 ? p_bias[v23 + lane] : 0.0f;
  const float v75 = v27 ? p_weight[v23 + lane] : 0.0f;
  const float v76 = own_stripe1[1];
  const float v77 = v76 * v63;
  const float v78 = v77 * v75;
  const float v79 = v78 + v74;
  const int v80 = v73 + 160;
  if (v27) p_y[v80 + lane] = v79;
}
