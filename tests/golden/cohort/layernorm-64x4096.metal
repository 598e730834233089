#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(64)]]
kernel void layer_norm_kernel_66f96c68e4a1_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    device const float* p_bias [[buffer(3)]],
    constant long& n_x_stride0 [[buffer(4)]],
    constant float& n_eps [[buffer(5)]],
    constant long& n_y_stride0 [[buffer(6)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[2];
  threadgroup float shared_partial1[2];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  float own_stripe0[64];
  const int v5 = (int)n_x_stride0;
  const int v6 = group * v5;
  const float v7 = p_x[v6];
  const int v11 = subgroup * 128;
  float v16 = 0.0f;
  #pragma unroll
  for (int i18 = 0; i18 < 16; i18 += 1) {
    const int v19 = i18 * 256;
    const int v20 = v19 + v11;
    const int v21 = i18 * 4;
    const int v22 = v21 + 1;
    const int v23 = v21 + 2;
    const int v24 = v21 + 3;
    const int v25 = v6 + v20;
    const float4 pack0 = *(device const float4*)(p_x + (v25 + lane * 4));
    const float v26 = pack0.x;
    own_stripe0[v21] = v26;
    const float v27 = v26 - v7;
    const float v28 = v16 + v27;
    const int v29 = v25 + 1;
    const float v30 = pack0.y;
    own_stripe0[v22] = v30;
    const float v31 = v30 - v7;
    const float v32 = v28 + v31;
    const int v33 = v25 + 2;
    const float v34 = pack0.z;
    own_stripe0[v23] = v34;
    const float v35 = v34 - v7;
    const float v36 = v32 + v35;
    const int v37 = v25 + 3;
    const float v38 = pack0.w;
    own_stripe0[v24] = v38;
    const float v39 = v38 - v7;
    const float v40 = v36 + v39;
    v16 = v40;
  }
  const float v41 = simd_sum(v16);
  if (lane == 0) shared_partial0[subgroup] = v41;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v43 = lane < 2;
  const float v44 = v43 ? shared_partial0[lane] : 0.0f;
  const float v45 = simd_sum(v44);
  const float v47 = v45 / 4096.0f;
  const float v48 = -v7;
  float v50 = 0.0f;
  #pragma unroll
  for (int i52 = 0; i52 < 16; i52 += 1) {
    const int v53 = i52 * 4;
    const int v54 = v53 + 1;
    const int v55 = v53 + 2;
    const int v56 = v53 + 3;
    const float v57 = own_stripe0[v53];
    const float v58 = fma(v57, 1.0f, v48);
    const float v59 = v58 - v47;
    const float v60 = v59 * v59;
    const float v61 = v50 + v60;
    const float v62 = own_stripe0[v54];
    const float v63 = fma(v62, 1.0f, v48);
    const float v64 = v63 - v47;
    const float v65 = v64 * v64;
    const float v66 = v61 + v65;
    const float v67 = own_stripe0[v55];
    const float v68 = fma(v67, 1.0f, v48);
    const float v69 = v68 - v47;
    const float v70 = v69 * v69;
    const float v71 = v66 + v70;
    const float v72 = own_stripe0[v56];
    const float v73 = fma(v72, 1.0f, v48);
    const float v74 = v73 - v47;
    const float v75 = v74 * v74;
    const float v76 = v71 + v75;
    v50 = v76;
  }
  const float v77 = simd_sum(v50);
  if (lane == 0) shared_partial1[subgroup] = v77;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v78 = v43 ? shared_partial1[lane] : 0.0f;
  const float v79 = simd_sum(v78);
  const float v81 = v79 / 4096.0f;
  const float v82 = v81 + n_eps;
  const float v83 = precise::sqrt(v82);
  const float v84 = 1.0f / v83;
  const int v86 = (int)n_y_stride0;
  const int v87 = group * v86;
  #pragma unroll
  for (int i88 = 0; i88 < 16; i88 += 1) {
    const int v89 = i88 * 256;
    const int v90 = v89 + v11;
    const int v91 = i88 * 4;
    const int v92 = v90 + 1;
    const int v93 = v91 + 1;
    const int v94 = v90 + 2;
    const int v95 = v91 + 2;
    const int v96 = v90 + 3;
    const int v97 = v91 + 3;
    const float4 pack1 = *(device const float4*)(p_bias + (v90 + lane * 4));
    const float v98 = pack1.x;
    const float4 pack2 = *(device const float4*)(p_weight + (v90 + lane * 4));
    const float v99 = pack2.x;
    const float v100 = own_stripe0[v91];
    const float v101 = fma(v100, 1.0f, v48);
    const float v102 = v101 - v47;
    const float v103 = v102 * v84;
    const float v104 = v103 * v99;
    const float v105 = v104 + v98;
    const int v106 = v87 + v90;
    const float v107 = pack1.y;
    const float v108 = pack2.y;
    const float v109 = own_stripe0[v93];
    const float v110 = fma(v109, 1.0f, v48);
    const float v111 = v110 - v47;
    const float v112 = v111 * v84;
    const float v113 = v112 * v108;
    const float v114 = v113 + v107;
    const int v115 = v106 + 1;
    const float v116 = pack1.z;
    const float v117 = pack2.z;
    const float v118 = own_stripe0[v95];
    const float v119 = fma(v118, 1.0f, v48);
    const float v120 = v119 - v47;
    const float v121 = v120 * v84;
    const float v122 = v121 * v117;
    const float v123 = v122 + v116;
    const int v124 = v106 + 2;
    const float v125 = pack1.w;
    const float v126 = pack2.w;
    const float v127 = own_stripe0[v97];
    const float v128 = fma(v127, 1.0f, v48);
    const float v129 = v128 - v47;
    const float v130 = v129 * v84;
    const float v131 = v130 * v126;
    const float v132 = v131 + v125;
    const int v133 = v106 + 3;
    *(device float4*)(p_y + (v106 + lane * 4)) = float4(v105, v114, v123, v132);
  }
}
