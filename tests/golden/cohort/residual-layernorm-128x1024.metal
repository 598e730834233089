#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_f5d96b18f1ce_0(
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
  float own_stripe0[32];
  float own_stripe1[32];
  const int v2 = (int)group;
  const int v5 = (int)n_x_stride0;
  const int v6 = v2 * v5;
  const float v7 = p_x[v6];
  const int v15 = (int)n_residual_stride0;
  const int v16 = v2 * v15;
  float v17 = 0.0f;
  #pragma unroll
  for (int i19 = 0; i19 < 8; i19 += 1) {
    const int v20 = i19 * 128;
    const int v21 = i19 * 4;
    const int v22 = v21 + 1;
    const int v23 = v21 + 2;
    const int v24 = v21 + 3;
    const int v25 = v6 + v20;
    const float4 pack0 = *(device const float4*)(p_x + (v25 + lane * 4));
    const float v26 = pack0.x;
    const int v27 = v16 + v20;
    const float4 pack1 = *(device const float4*)(p_residual + (v27 + lane * 4));
    const float v28 = pack1.x;
    const float v29 = v26 + v28;
    own_stripe0[v21] = v29;
    const float v30 = v29 - v7;
    const float v31 = v17 + v30;
    const int v32 = v25 + 1;
    const float v33 = pack0.y;
    const int v34 = v27 + 1;
    const float v35 = pack1.y;
    const float v36 = v33 + v35;
    own_stripe0[v22] = v36;
    const float v37 = v36 - v7;
    const float v38 = v31 + v37;
    const int v39 = v25 + 2;
    const float v40 = pack0.z;
    const int v41 = v27 + 2;
    const float v42 = pack1.z;
    const float v43 = v40 + v42;
    own_stripe0[v23] = v43;
    const float v44 = v43 - v7;
    const float v45 = v38 + v44;
    const int v46 = v25 + 3;
    const float v47 = pack0.w;
    const int v48 = v27 + 3;
    const float v49 = pack1.w;
    const float v50 = v47 + v49;
    own_stripe0[v24] = v50;
    const float v51 = v50 - v7;
    const float v52 = v45 + v51;
    v17 = v52;
  }
  const float v53 = simd_sum(v17);
  const float v55 = v53 / 1024.0f;
  const float v56 = -v7;
  float v58 = 0.0f;
  #pragma unroll
  for (int i60 = 0; i60 < 8; i60 += 1) {
    const int v61 = i60 * 4;
    const int v62 = v61 + 1;
    const int v63 = v61 + 2;
    const int v64 = v61 + 3;
    const float v65 = own_stripe0[v61];
    const float v66 = fma(v65, 1.0f, v56);
    const float v67 = v66 - v55;
    own_stripe1[v61] = v67;
    const float v68 = v67 * v67;
    const float v69 = v58 + v68;
    const float v70 = own_stripe0[v62];
    const float v71 = fma(v70, 1.0f, v56);
    const float v72 = v71 - v55;
    own_stripe1[v62] = v72;
    const float v73 = v72 * v72;
    const float v74 = v69 + v73;
    const float v75 = own_stripe0[v63];
    const float v76 = fma(v75, 1.0f, v56);
    const float v77 = v76 - v55;
    own_stripe1[v63] = v77;
    const float v78 = v77 * v77;
    const float v79 = v74 + v78;
    const float v80 = own_stripe0[v64];
    const float v81 = fma(v80, 1.0f, v56);
    const float v82 = v81 - v55;
    own_stripe1[v64] = v82;
    const float v83 = v82 * v82;
    const float v84 = v79 + v83;
    v58 = v84;
  }
  const float v85 = simd_sum(v58);
  const float v87 = v85 / 1024.0f;
  const float v88 = v87 + n_eps;
  const float v89 = precise::sqrt(v88);
  const float v90 = 1.0f / v89;
  const int v92 = (int)n_y_stride0;
  const int v93 = v2 * v92;
  #pragma unroll
  for (int i94 = 0; i94 < 8; i94 += 1) {
    const int v95 = i94 * 128;
    const int v96 = i94 * 4;
    const int v97 = v95 + 1;
    const int v98 = v96 + 1;
    const int v99 = v95 + 2;
    const int v100 = v96 + 2;
    const int v101 = v95 + 3;
    const int v102 = v96 + 3;
    const float4 pack2 = *(device const float4*)(p_bias + (v95 + lane * 4));
    const float v103 = pack2.x;
    const float4 pack3 = *(device const float4*)(p_weight + (v95 + lane * 4));
    const float v104 = pack3.x;
    const float v105 = own_stripe1[v96];
    const float v106 = v105 * v90;
    const float v107 = v106 * v104;
    const float v108 = v107 + v103;
    const int v109 = v93 + v95;
    const float v110 = pack2.y;
    const float v111 = pack3.y;
    const float v112 = own_stripe1[v98];
    const float v113 = v112 * v90;
    const float v114 = v113 * v111;
    const float v115 = v114 + v110;
    const int v116 = v109 + 1;
    const float v117 = pack2.z;
    const float v118 = pack3.z;
    const float v119 = own_stripe1[v100];
    const float v120 = v119 * v90;
    const float v121 = v120 * v118;
    const float v122 = v121 + v117;
    const int v123 = v109 + 2;
    const float v124 = pack2.w;
    const float v125 = pack3.w;
    const float v126 = own_stripe1[v102];
    const float v127 = v126 * v90;
    const float v128 = v127 * v125;
    const float v129 = v128 + v124;
    const int v130 = v109 + 3;
    *(device float4*)(p_y + (v109 + lane * 4)) = float4(v108, v115, v122, v129);
  }
}
