#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_64d6963907b4_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    device const float* p_bias [[buffer(3)]],
    constant long& n_x_stride0 [[buffer(4)]],
    constant float& n_eps [[buffer(5)]],
    constant long& n_y_stride0 [[buffer(6)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const long group = group_;
  float own_stripe0[4];
  float own_stripe1[4];
  const long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  float v9 = 0.0f;
  #pragma unroll
  for (long i11 = 0L; i11 < 3L; i11 += 1L) {
    const long v12 = i11 * 32L;
    const long v13 = v4 + v12;
    const float v14 = p_x[v13 + lane];
    own_stripe0[i11] = v14;
    const float v15 = v14 - v5;
    const float v16 = v9 + v15;
    v9 = v16;
  }
  const long v19 = (long)lane;
  const bool v21 = v19 < 31L;
  const long v22 = v4 + 96L;
  const float v23 = v21 ? p_x[v22 + lane] : 0.0f;
  own_stripe0[3L] = v23;
  const float v24 = v23 - v5;
  const float v25 = v9 + v24;
  const float v26 = v21 ? v25 : v9;
  const float v27 = simd_sum(v26);
  const float v29 = v27 / 127.0f;
  const float v30 = -v5;
  float v32 = 0.0f;
  #pragma unroll
  for (long i34 = 0L; i34 < 3L; i34 += 1L) {
    const float v35 = own_stripe0[i34];
    const float v36 = fma(v35, 1.0f, v30);
    const float v37 = v36 - v29;
    own_stripe1[i34] = v37;
    const float v38 = v37 * v37;
    const float v39 = v32 + v38;
    v32 = v39;
  }
  const float v40 = own_stripe0[3L];
  const float v41 = fma(v40, 1.0f, v30);
  const float v42 = v41 - v29;
  own_stripe1[3L] = v42;
  const float v43 = v42 * v42;
  const float v44 = v32 + v43;
  const float v45 = v21 ? v44 : v32;
  const float v46 = simd_sum(v45);
  const float v48 = v46 / 127.0f;
  const float v49 = v48 + n_eps;
  const float v50 = precise::sqrt(v49);
  const float v51 = 1.0f / v50;
  const long v53 = group * n_y_stride0;
  #pragma unroll
  for (long i54 = 0L; i54 < 3L; i54 += 1L) {
    const long v55 = i54 * 32L;
    const float v56 = p_bias[v55 + lane];
    const float v57 = p_weight[v55 + lane];
    const float v58 = own_stripe1[i54];
    const float v59 = v58 * v51;
    const float v60 = v59 * v57;
    const float v61 = v60 + v56;
    const long v62 = v53 + v55;
    p_y[v62 + lane] = v61;
  }
  const float v63 = v21 ? p_bias[96L + lane] : 0.0f;
  const float v64 = v21 ? p_weight[96L + lane] : 0.0f;
  const float v65 = own_stripe1[3L];
  const float v66 = v65 * v51;
  const float v67 = v66 * v64;
  const float v68 = v67 + v63;
  const long v69 = v53 + 96L;
  if (v21) p_y[v69 + lane] = v68;
}
