#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(160)]]
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
  threadgroup float shared_partial0[5];
  threadgroup float shared_partial1[5];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  float own_stripe0[2];
  float own_stripe1[2];
  const int v5 = (int)n_residual_stride0;
  const int v6 = group * v5;
  const float v7 = p_residual[v6];
  const int v9 = (int)n_x_stride0;
  const int v10 = group * v9;
  const float v11 = p_x[v10];
  const float v12 = v11 + v7;
  const int v15 = subgroup * 32;
  const int v17 = v10 + v15;
  const float v18 = p_x[v17 + lane];
  const int v19 = v6 + v15;
  const float v20 = p_residual[v19 + lane];
  const float v21 = v18 + v20;
  own_stripe0[0] = v21;
  const float v22 = v21 - v12;
  const float v23 = 0.0f + v22;
  const int v24 = v15 + 160;
  const int v26 = v15 + lane;
  const bool v28 = v26 < 97;
  const int v29 = v17 + 160;
  const float v30 = v28 ? p_x[v29 + lane] : 0.0f;
  const int v31 = v19 + 160;
  const float v32 = v28 ? p_residual[v31 + lane] : 0.0f;
  const float v33 = v30 + v32;
  own_stripe0[1] = v33;
  const float v34 = v33 - v12;
  const float v35 = v23 + v34;
  const float v36 = v28 ? v35 : v23;
  const float v37 = simd_sum(v36);
  if (lane == 0) shared_partial0[subgroup] = v37;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v39 = lane < 5;
  const float v40 = v39 ? shared_partial0[lane] : 0.0f;
  const float v41 = simd_sum(v40);
  const float v43 = v41 / 257.0f;
  const float v44 = -v12;
  const float v46 = own_stripe0[0];
  const float v47 = fma(v46, 1.0f, v44);
  const float v48 = v47 - v43;
  own_stripe1[0] = v48;
  const float v49 = v48 * v48;
  const float v50 = 0.0f + v49;
  const float v51 = own_stripe0[1];
  const float v52 = fma(v51, 1.0f, v44);
  const float v53 = v52 - v43;
  own_stripe1[1] = v53;
  const float v54 = v53 * v53;
  const float v55 = v50 + v54;
  const float v56 = v28 ? v55 : v50;
  const float v57 = simd_sum(v56);
  if (lane == 0) shared_partial1[subgroup] = v57;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v58 = v39 ? shared_partial1[lane] : 0.0f;
  const float v59 = simd_sum(v58);
  const float v61 = v59 / 257.0f;
  const float v62 = v61 + n_eps;
  const float v63 = precise::sqrt(v62);
  const float v64 = 1.0f / v63;
  const float v65 = p_bias[v15 + lane];
  const float v66 = p_weight[v15 + lane];
  const float v67 = own_stripe1[0];
  const float v68 = v67 * v64;
  const float v69 = v68 * v66;
  const float v70 = v69 + v65;
  const int v72 = (int)n_y_stride0;
  const int v73 = group * v72;
  const int v74 = v73 + v15;
  p_y[v74 + lane] = v70;
  const float v75 = v28 ? p_bias[v24 + lane] : 0.0f;
  const float v76 = v28 ? p_weight[v24 + lane] : 0.0f;
  const float v77 = own_stripe1[1];
  const float v78 = v77 * v64;
  const float v79 = v78 * v76;
  const float v80 = v79 + v75;
  const int v81 = v74 + 160;
  if (v28) p_y[v81 + lane] = v80;
}
