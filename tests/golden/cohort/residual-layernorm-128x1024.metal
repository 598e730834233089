#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_7e63453e29e0_0(
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
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const int group = group_;
  float own_stripe0[32];
  float own_stripe1[32];
  const int v4 = (int)n_residual_stride0;
  const int v5 = group * v4;
  const float v6 = p_residual[v5];
  const int v8 = (int)n_x_stride0;
  const int v9 = group * v8;
  const float v10 = p_x[v9];
  const float v11 = v10 + v6;
  float v18 = 0.0f;
  #pragma unroll
  for (int i20 = 0; i20 < 8; i20 += 1) {
    const int v21 = i20 * 128;
    const int v22 = i20 * 4;
    const int v23 = v22 + 1;
    const int v24 = v22 + 2;
    const int v25 = v22 + 3;
    const int v26 = v9 + v21;
    const float4 pack0 = *(device const float4*)(p_x + (v26 + lane * 4));
    const float v27 = pack0.x;
    const int v28 = v5 + v21;
    const float4 pack1 = *(device const float4*)(p_residual + (v28 + lane * 4));
    const float v29 = pack1.x;
    const float v30 = v27 + v29;
    own_stripe0[v22] = v30;
    const float v31 = v30 - v11;
    const float v32 = v18 + v31;
    const int v33 = v26 + 1;
    const float v34 = pack0.y;
    const int v35 = v28 + 1;
    const float v36 = pack1.y;
    const float v37 = v34 + v36;
    own_stripe0[v23] = v37;
    const float v38 = v37 - v11;
    const float v39 = v32 + v38;
    const int v40 = v26 + 2;
    const float v41 = pack0.z;
    const int v42 = v28 + 2;
    const float v43 = pack1.z;
    const float v44 = v41 + v43;
    own_stripe0[v24] = v44;
    const float v45 = v44 - v11;
    const float v46 = v39 + v45;
    const int v47 = v26 + 3;
    const float v48 = pack0.w;
    const int v49 = v28 + 3;
    const float v50 = pack1.w;
    const float v51 = v48 + v50;
    own_stripe0[v25] = v51;
    const float v52 = v51 - v11;
    const float v53 = v46 + v52;
    v18 = v53;
  }
  const float v54 = simd_sum(v18);
  const float v56 = v54 / 1024.0f;
  const float v57 = -v11;
  float v59 = 0.0f;
  #pragma unroll
  for (int i61 = 0; i61 < 8; i61 += 1) {
    const int v62 = i61 * 4;
    const int v63 = v62 + 1;
    const int v64 = v62 + 2;
    const int v65 = v62 + 3;
    const float v66 = own_stripe0[v62];
    const float v67 = fma(v66, 1.0f, v57);
    const float v68 = v67 - v56;
    own_stripe1[v62] = v68;
    const float v69 = v68 * v68;
    const float v70 = v59 + v69;
    const float v71 = own_stripe0[v63];
    const float v72 = fma(v71, 1.0f, v57);
    const float v73 = v72 - v56;
    own_stripe1[v63] = v73;
    const float v74 = v73 * v73;
    const float v75 = v70 + v74;
    const float v76 = own_stripe0[v64];
    const float v77 = fma(v76, 1.0f, v57);
    const float v78 = v77 - v56;
    own_stripe1[v64] = v78;
    const float v79 = v78 * v78;
    const float v80 = v75 + v79;
    const float v81 = own_stripe0[v65];
    const float v82 = fma(v81, 1.0f, v57);
    const float v83 = v82 - v56;
    own_stripe1[v65] = v83;
    const float v84 = v83 * v83;
    const float v85 = v80 + v84;
    v59 = v85;
  }
  const float v86 = simd_sum(v59);
  const float v88 = v86 / 1024.0f;
  const float v89 = v88 + n_eps;
  const float v90 = precise::sqrt(v89);
  const float v91 = 1.0f / v90;
  const int v93 = (int)n_y_stride0;
  const int v94 = group * v93;
  #pragma unroll
  for (int i95 = 0; i95 < 8; i95 += 1) {
    const int v96 = i95 * 128;
    const int v97 = i95 * 4;
    const int v98 = v96 + 1;
    const int v99 = v97 + 1;
    const int v100 = v96 + 2;
    const int v101 = v97 + 2;
    const int v102 = v96 + 3;
    const int v103 = v97 + 3;
    const float4 pack2 = *(device const float4*)(p_bias + (v96 + lane * 4));
    const float v104 = pack2.x;
    const float4 pack3 = *(device const float4*)(p_weight + (v96 + lane * 4));
    const float v105 = pack3.x;
    const float v106 = own_stripe1[v97];
    const float v107 = v106 * v91;
    const float v108 = v107 * v105;
    const float v109 = v108 + v104;
    const int v110 = v94 + v96;
    const float v111 = pack2.y;
    const float v112 = pack3.y;
    const float v113 = own_stripe1[v99];
    const float v114 = v113 * v91;
    const float v115 = v114 * v112;
    const float v116 = v115 + v111;
    const int v117 = v110 + 1;
    const float v118 = pack2.z;
    const float v119 = pack3.z;
    const float v120 = own_stripe1[v101];
    const float v121 = v120 * v91;
    const float v122 = v121 * v119;
    const float v123 = v122 + v118;
    const int v124 = v110 + 2;
    const float v125 = pack2.w;
    const float v126 = pack3.w;
    const float v127 = own_stripe1[v103];
    const float v128 = v127 * v91;
    const float v129 = v128 * v126;
    const float v130 = v129 + v125;
    const int v131 = v110 + 3;
    *(device float4*)(p_y + (v110 + lane * 4)) = float4(v109, v116, v123, v130);
  }
}
