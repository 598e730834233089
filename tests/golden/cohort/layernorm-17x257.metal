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
  const int group = group_;
  float own_stripe0[9];
  float own_stripe1[9];
  const int v4 = (int)n_x_stride0;
  const int v5 = group * v4;
  const float v6 = p_x[v5];
  float v11 = 0.0f;
  #pragma unroll
  for (int i13 = 0; i13 < 4; i13 += 1) {
    const int v14 = i13 * 64;
    const int v15 = i13 * 2;
    const int v16 = v15 + 1;
    const int v17 = v5 + v14;
    const float v18 = p_x[v17 + lane * 2];
    own_stripe0[v15] = v18;
    const float v19 = v18 - v6;
    const float v20 = v11 + v19;
    const int v21 = v17 + 1;
    const float v22 = p_x[v21 + lane * 2];
    own_stripe0[v16] = v22;
    const float v23 = v22 - v6;
    const float v24 = v20 + v23;
    v11 = v24;
  }
  const int v28 = lane * 2;
  const bool v29 = v28 < 2;
  const int v30 = v5 + 256;
  const float v31 = v29 ? p_x[v30 + lane * 2] : 0.0f;
  own_stripe0[8] = v31;
  const float v32 = v31 - v6;
  const float v33 = v11 + v32;
  const float v34 = v29 ? v33 : v11;
  const float v35 = simd_sum(v34);
  const float v37 = v35 / 257.0f;
  const float v38 = -v6;
  float v40 = 0.0f;
  #pragma unroll
  for (int i42 = 0; i42 < 4; i42 += 1) {
    const int v43 = i42 * 2;
    const int v44 = v43 + 1;
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
  const float v55 = own_stripe0[8];
  const float v56 = fma(v55, 1.0f, v38);
  const float v57 = v56 - v37;
  own_stripe1[8] = v57;
  const float v58 = v57 * v57;
  const float v59 = v40 + v58;
  const float v60 = v29 ? v59 : v40;
  const float v61 = simd_sum(v60);
  const float v63 = v61 / 257.0f;
  const float v64 = v63 + n_eps;
  const float v65 = precise::sqrt(v64);
  const float v66 = 1.0f / v65;
  const int v68 = (int)n_y_stride0;
  const int v69 = group * v68;
  #pragma unroll
  for (int i70 = 0; i70 < 4; i70 += 1) {
    const int v71 = i70 * 64;
    const int v72 = i70 * 2;
    const int v73 = v71 + 1;
    const int v74 = v72 + 1;
    const float2 pack0 = *(device const float2*)(p_bias + (v71 + lane * 2));
    const float v75 = pack0.x;
    const float2 pack1 = *(device const float2*)(p_weight + (v71 + lane * 2));
    const float v76 = pack1.x;
    const float v77 = own_stripe1[v72];
    const float v78 = v77 * v66;
    const float v79 = v78 * v76;
    const float v80 = v79 + v75;
    const int v81 = v69 + v71;
    p_y[v81 + lane * 2] = v80;
    const float v82 = pack0.y;
    const float v83 = pack1.y;
    const float v84 = own_stripe1[v74];
    const float v85 = v84 * v66;
    const float v86 = v85 * v83;
    const float v87 = v86 + v82;
    const int v88 = v81 + 1;
    p_y[v88 + lane * 2] = v87;
  }
  const float v89 = v29 ? p_bias[256 + lane * 2] : 0.0f;
  const float v90 = v29 ? p_weight[256 + lane * 2] : 0.0f;
  const float v91 = own_stripe1[8];
  const float v92 = v91 * v66;
  const float v93 = v92 * v90;
  const float v94 = v93 + v89;
  const int v95 = v69 + 256;
  if (v29) p_y[v95 + lane * 2] = v94;
}
