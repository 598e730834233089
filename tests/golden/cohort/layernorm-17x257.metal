#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_9c953c2e3adb_0(
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
  float own_stripe0[9];
  float own_stripe1[9];
  const long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  float v10 = 0.0f;
  #pragma unroll
  for (long i12 = 0L; i12 < 4L; i12 += 1L) {
    const long v13 = i12 * 64L;
    const long v14 = i12 * 2L;
    const long v15 = v14 + 1L;
    const long v16 = v4 + v13;
    const float v17 = p_x[v16 + lane * 2L];
    own_stripe0[v14] = v17;
    const float v18 = v17 - v5;
    const float v19 = v10 + v18;
    const long v20 = v16 + 1L;
    const float v21 = p_x[v20 + lane * 2L];
    own_stripe0[v15] = v21;
    const float v22 = v21 - v5;
    const float v23 = v19 + v22;
    v10 = v23;
  }
  const long v27 = (long)lane;
  const long v28 = v27 * 2L;
  const bool v29 = v28 < 2L;
  const long v30 = v4 + 256L;
  const float v31 = v29 ? p_x[v30 + lane * 2L] : 0.0f;
  own_stripe0[8L] = v31;
  const float v32 = v31 - v5;
  const float v33 = v10 + v32;
  const float v34 = v29 ? v33 : v10;
  const float v35 = simd_sum(v34);
  const float v37 = v35 / 257.0f;
  const float v38 = -v5;
  float v40 = 0.0f;
  #pragma unroll
  for (long i42 = 0L; i42 < 4L; i42 += 1L) {
    const long v43 = i42 * 2L;
    const long v44 = v43 + 1L;
    const float v45 = own_stripe0[v43];
    const float v46 = fma(v45, 1.0f, v38);
    const float v47 = v46 - v37;
    own_stripe1[v43] = v47;
    const float v48 = v47 * v47;
    const float v49 = v40 + v48;
    const float v50 = own_stripe0[v44];
    const float v51 = fma(v50, 1.0f, v38);
    const float v52 = v51 - v37;
    own_stripe1[v44] = v52;
    const float v53 = v52 * v52;
    const float v54 = v49 + v53;
    v40 = v54;
  }
  const float v55 = own_stripe0[8L];
  const float v56 = fma(v55, 1.0f, v38);
  const float v57 = v56 - v37;
  own_stripe1[8L] = v57;
  const float v58 = v57 * v57;
  const float v59 = v40 + v58;
  const float v60 = v29 ? v59 : v40;
  const float v61 = simd_sum(v60);
  const float v63 = v61 / 257.0f;
  const float v64 = v63 + n_eps;
  const float v65 = precise::sqrt(v64);
  const float v66 = 1.0f / v65;
  const long v68 = group * n_y_stride0;
  #pragma unroll
  for (long i69 = 0L; i69 < 4L; i69 += 1L) {
    const long v70 = i69 * 64L;
    const long v71 = i69 * 2L;
    const long v72 = v70 + 1L;
    const long v73 = v71 + 1L;
    const float2 pack0 = *(device const float2*)(p_bias + v70 + lane * 2L);
    const float v74 = pack0.x;
    const float2 pack1 = *(device const float2*)(p_weight + v70 + lane * 2L);
    const float v75 = pack1.x;
    const float v76 = own_stripe1[v71];
    const float v77 = v76 * v66;
    const float v78 = v77 * v75;
    const float v79 = v78 + v74;
    const long v80 = v68 + v70;
    p_y[v80 + lane * 2L] = v79;
    const float v81 = pack0.y;
    const float v82 = pack1.y;
    const float v83 = own_stripe1[v73];
    const float v84 = v83 * v66;
    const float v85 = v84 * v82;
    const float v86 = v85 + v81;
    const long v87 = v80 + 1L;
    p_y[v87 + lane * 2L] = v86;
  }
  const float v88 = v29 ? p_bias[256L + lane * 2L] : 0.0f;
  const float v89 = v29 ? p_weight[256L + lane * 2L] : 0.0f;
  const float v90 = own_stripe1[8L];
  const float v91 = v90 * v66;
  const float v92 = v91 * v89;
  const float v93 = v92 + v88;
  const long v94 = v68 + 256L;
  if (v29) p_y[v94 + lane * 2L] = v93;
}
