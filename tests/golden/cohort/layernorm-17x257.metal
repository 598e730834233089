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
  const int v2 = (int)group;
  const int v5 = (int)n_x_stride0;
  const int v6 = v2 * v5;
  const float v7 = p_x[v6];
  float v12 = 0.0f;
  #pragma unroll
  for (int i14 = 0; i14 < 4; i14 += 1) {
    const int v15 = i14 * 64;
    const int v16 = i14 * 2;
    const int v17 = v16 + 1;
    const int v18 = v6 + v15;
    const float v19 = p_x[v18 + lane * 2];
    own_stripe0[v16] = v19;
    const float v20 = v19 - v7;
    const float v21 = v12 + v20;
    const int v22 = v18 + 1;
    const float v23 = p_x[v22 + lane * 2];
    own_stripe0[v17] = v23;
    const float v24 = v23 - v7;
    const float v25 = v21 + v24;
    v12 = v25;
  }
  const int v29 = lane * 2;
  const bool v30 = v29 < 2;
  const int v31 = v6 + 256;
  const float v32 = v30 ? p_x[v31 + lane * 2] : 0.0f;
  own_stripe0[8] = v32;
  const float v33 = v32 - v7;
  const float v34 = v12 + v33;
  const float v35 = v30 ? v34 : v12;
  const float v36 = simd_sum(v35);
  const float v38 = v36 / 257.0f;
  const float v39 = -v7;
  float v41 = 0.0f;
  #pragma unroll
  for (int i43 = 0; i43 < 4; i43 += 1) {
    const int v44 = i43 * 2;
    const int v45 = v44 + 1;
    const float v46 = own_stripe0[v44];
    const float v47 = fma(v46, 1.0f, v39);
    const float v48 = v47 - v38;
    own_stripe1[v44] = v48;
    const float v49 = v48 * v48;
    const float v50 = v41 + v49;
    const float v51 = own_stripe0[v45];
    const float v52 = fma(v51, 1.0f, v39);
    const float v53 = v52 - v38;
    own_stripe1[v45] = v53;
    const float v54 = v53 * v53;
    const float v55 = v50 + v54;
    v41 = v55;
  }
  const float v56 = own_stripe0[8];
  const float v57 = fma(v56, 1.0f, v39);
  const float v58 = v57 - v38;
  own_stripe1[8] = v58;
  const float v59 = v58 * v58;
  const float v60 = v41 + v59;
  const float v61 = v30 ? v60 : v41;
  const float v62 = simd_sum(v61);
  const float v64 = v62 / 257.0f;
  const float v65 = v64 + n_eps;
  const float v66 = precise::sqrt(v65);
  const float v67 = 1.0f / v66;
  const int v69 = (int)n_y_stride0;
  const int v70 = v2 * v69;
  #pragma unroll
  for (int i71 = 0; i71 < 4; i71 += 1) {
    const int v72 = i71 * 64;
    const int v73 = i71 * 2;
    const int v74 = v72 + 1;
    const int v75 = v73 + 1;
    const float2 pack0 = *(device const float2*)(p_bias + (v72 + lane * 2));
    const float v76 = pack0.x;
    const float2 pack1 = *(device const float2*)(p_weight + (v72 + lane * 2));
    const float v77 = pack1.x;
    const float v78 = own_stripe1[v73];
    const float v79 = v78 * v67;
    const float v80 = v79 * v77;
    const float v81 = v80 + v76;
    const int v82 = v70 + v72;
    p_y[v82 + lane * 2] = v81;
    const float v83 = pack0.y;
    const float v84 = pack1.y;
    const float v85 = own_stripe1[v75];
    const float v86 = v85 * v67;
    const float v87 = v86 * v84;
    const float v88 = v87 + v83;
    const int v89 = v82 + 1;
    p_y[v89 + lane * 2] = v88;
  }
  const float v90 = v30 ? p_bias[256 + lane * 2] : 0.0f;
  const float v91 = v30 ? p_weight[256 + lane * 2] : 0.0f;
  const float v92 = own_stripe1[8];
  const float v93 = v92 * v67;
  const float v94 = v93 * v91;
  const float v95 = v94 + v90;
  const int v96 = v70 + 256;
  if (v30) p_y[v96 + lane * 2] = v95;
}
