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
  const long v5 = group * n_x_stride0;
  const float v6 = p_x[v5];
  const long v8 = (long)subgroup;
  const long v10 = v8 * 32L;
  const long v12 = v5 + v10;
  const float v13 = p_x[v12 + lane];
  const long v15 = group * n_residual_stride0;
  const long v16 = v15 + v10;
  const float v17 = p_residual[v16 + lane];
  const float v18 = v13 + v17;
  own_stripe0[0L] = v18;
  const float v19 = v18 - v6;
  const float v20 = 0.0f + v19;
  const long v21 = v10 + 160L;
  const long v23 = (long)lane;
  const long v24 = v10 + v23;
  const bool v26 = v24 < 97L;
  const long v27 = v12 + 160L;
  const float v28 = v26 ? p_x[v27 + lane] : 0.0f;
  const long v29 = v16 + 160L;
  const float v30 = v26 ? p_residual[v29 + lane] : 0.0f;
  const float v31 = v28 + v30;
  own_stripe0[1L] = v31;
  const float v32 = v31 - v6;
  const float v33 = v20 + v32;
  const float v34 = v26 ? v33 : v20;
  const float v35 = simd_sum(v34);
  if (lane == 0) shared_partial0[v8] = v35;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v37 = v23 < 5L;
  const float v38 = v37 ? shared_partial0[v23] : 0.0f;
  const float v39 = simd_sum(v38);
  const float v41 = v39 / 257.0f;
  const float v42 = -v6;
  const float v44 = own_stripe0[0L];
  const float v45 = fma(v44, 1.0f, v42);
  const float v46 = v45 - v41;
  own_stripe1[0L] = v46;
  const float v47 = v46 * v46;
  const float v48 = 0.0f + v47;
  const float v49 = own_stripe0[1L];
  const float v50 = fma(v49, 1.0f, v42);
  const float v51 = v50 - v41;
  own_stripe1[1L] = v51;
  const float v52 = v51 * v51;
  const float v53 = v48 + v52;
  const float v54 = v26 ? v53 : v48;
  const float v55 = simd_sum(v54);
  if (lane == 0) shared_partial1[v8] = v55;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v56 = v37 ? shared_partial1[v23] : 0.0f;
  const float v57 = simd_sum(v56);
  const float v59 = v57 / 257.0f;
  const float v60 = v59 + n_eps;
  const float v61 = precise::sqrt(v60);
  const float v62 = 1.0f / v61;
  const float v63 = p_bias[v10 + lane];
  const float v64 = p_weight[v10 + lane];
  const float v65 = own_stripe1[0L];
  const float v66 = v65 * v62;
  const float v67 = v66 * v64;
  const float v68 = v67 + v63;
  const long v70 = group * n_y_stride0;
  const long v71 = v70 + v10;
  p_y[v71 + lane] = v68;
  const float v72 = v26 ? p_bias[v21 + lane] : 0.0f;
  const float v73 = v26 ? p_weight[v21 + lane] : 0.0f;
  const float v74 = own_stripe1[1L];
  const float v75 = v74 * v62;
  const float v76 = v75 * v73;
  const float v77 = v76 + v72;
  const long v78 = v71 + 160L;
  if (v26) p_y[v78 + lane] = v77;
}
