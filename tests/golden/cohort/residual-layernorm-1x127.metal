#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_d2f2a86fc986_0(
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
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const long group = group_;
  float own_stripe0[4];
  float own_stripe1[4];
  const long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  const long v10 = group * n_residual_stride0;
  float v11 = 0.0f;
  #pragma unroll
  for (long i13 = 0L; i13 < 3L; i13 += 1L) {
    const long v14 = i13 * 32L;
    const long v15 = v4 + v14;
    const float v16 = p_x[v15 + lane];
    const long v17 = v10 + v14;
    const float v18 = p_residual[v17 + lane];
    const float v19 = v16 + v18;
    own_stripe0[i13] = v19;
    const float v20 = v19 - v5;
    const float v21 = v11 + v20;
    v11 = v21;
  }
  const long v24 = (long)lane;
  const bool v26 = v24 < 31L;
  const long v27 = v4 + 96L;
  const float v28 = v26 ? p_x[v27 + lane] : 0.0f;
  const long v29 = v10 + 96L;
  const float v30 = v26 ? p_residual[v29 + lane] : 0.0f;
  const float v31 = v28 + v30;
  own_stripe0[3L] = v31;
  const float v32 = v31 - v5;
  const float v33 = v11 + v32;
  const float v34 = v26 ? v33 : v11;
  const float v35 = simd_sum(v34);
  const float v37 = v35 / 127.0f;
  const float v38 = -v5;
  float v40 = 0.0f;
  #pragma unroll
  for (long i42 = 0L; i42 < 3L; i42 += 1L) {
    const float v43 = own_stripe0[i42];
    const float v44 = fma(v43, 1.0f, v38);
    const float v45 = v44 - v37;
    own_stripe1[i42] = v45;
    const float v46 = v45 * v45;
    const float v47 = v40 + v46;
    v40 = v47;
  }
  const float v48 = own_stripe0[3L];
  const float v49 = fma(v48, 1.0f, v38);
  const float v50 = v49 - v37;
  own_stripe1[3L] = v50;
  const float v51 = v50 * v50;
  const float v52 = v40 + v51;
  const float v53 = v26 ? v52 : v40;
  const float v54 = simd_sum(v53);
  const float v56 = v54 / 127.0f;
  const float v57 = v56 + n_eps;
  const float v58 = precise::sqrt(v57);
  const float v59 = 1.0f / v58;
  const long v61 = group * n_y_stride0;
  #pragma unroll
  for (long i62 = 0L; i62 < 3L; i62 += 1L) {
    const long v63 = i62 * 32L;
    const float v64 = p_bias[v63 + lane];
    const float v65 = p_weight[v63 + lane];
    const float v66 = own_stripe1[i62];
    const float v67 = v66 * v59;
    const float v68 = v67 * v65;
    const float v69 = v68 + v64;
    const long v70 = v61 + v63;
    p_y[v70 + lane] = v69;
  }
  const float v71 = v26 ? p_bias[96L + lane] : 0.0f;
  const float v72 = v26 ? p_weight[96L + lane] : 0.0f;
  const float v73 = own_stripe1[3L];
  const float v74 = v73 * v59;
  const float v75 = v74 * v72;
  const float v76 = v75 + v71;
  const long v77 = v61 + 96L;
  if (v26) p_y[v77 + lane] = v76;
}
