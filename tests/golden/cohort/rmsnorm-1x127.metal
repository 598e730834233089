#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void rms_norm_kernel_c56920be72e0_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    constant long& n_x_stride0 [[buffer(3)]],
    constant float& n_eps [[buffer(4)]],
    constant long& n_y_stride0 [[buffer(5)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const long group = group_;
  float own_stripe0[4];
  const long v7 = group * n_x_stride0;
  float v8 = 0.0f;
  #pragma unroll
  for (long i10 = 0L; i10 < 3L; i10 += 1L) {
    const long v11 = i10 * 32L;
    const long v12 = v7 + v11;
    const float v13 = p_x[v12 + lane];
    own_stripe0[i10] = v13;
    const float v14 = v13 * v13;
    const float v15 = v8 + v14;
    v8 = v15;
  }
  const long v18 = (long)lane;
  const bool v20 = v18 < 31L;
  const long v21 = v7 + 96L;
  const float v22 = v20 ? p_x[v21 + lane] : 0.0f;
  own_stripe0[3L] = v22;
  const float v23 = v22 * v22;
  const float v24 = v8 + v23;
  const float v25 = v20 ? v24 : v8;
  const float v26 = simd_sum(v25);
  const float v29 = v26 / 127.0f;
  const float v30 = v29 + n_eps;
  const float v32 = precise::sqrt(v30);
  const float v33 = 1.0f / v32;
  const long v35 = group * n_y_stride0;
  #pragma unroll
  for (long i36 = 0L; i36 < 3L; i36 += 1L) {
    const long v37 = i36 * 32L;
    const float v38 = p_weight[v37 + lane];
    const float v39 = own_stripe0[i36];
    const float v40 = v39 * v33;
    const float v41 = v40 * v38;
    const long v42 = v35 + v37;
    p_y[v42 + lane] = v41;
  }
  const float v43 = v20 ? p_weight[96L + lane] : 0.0f;
  const float v44 = own_stripe0[3L];
  const float v45 = v44 * v33;
  const float v46 = v45 * v43;
  const long v47 = v35 + 96L;
  if (v20) p_y[v47 + lane] = v46;
}
