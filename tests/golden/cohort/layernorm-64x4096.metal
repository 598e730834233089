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
  const long group = group_;
  float own_stripe0[64];
  const int v3 = (int)group;
  const int v6 = (int)n_x_stride0;
  const int v7 = v3 * v6;
  const float v8 = p_x[v7];
  const int v12 = subgroup * 128;
  float v17 = 0.0f;
  #pragma unroll
  for (int i19 = 0; i19 < 16; i19 += 1) {
    const int v20 = i19 * 256;
    const int v21 = v20 + v12;
    const int v22 = i19 * 4;
    const int v23 = v22 + 1;
    const int v24 = v22 + 2;
    const int v25 = v22 + 3;
    const int v26 = v7 + v21;
    const float4 pack0 = *(device const float4*)(p_x + (v26 + lane * 4));
    const float v27 = pack0.x;
    own_stripe0[v22] = v27;
    const float v28 = v27 - v8;
    const float v29 = v17 + v28;
    const int v30 = v26 + 1;
    const float v31 = pack0.y;
    own_stripe0[v23] = v31;
    const float v32 = v31 - v8;
    const float v33 = v29 + v32;
    const int v34 = v26 + 2;
    const float v35 = pack0.z;
    own_stripe0[v24] = v35;
    const float v36 = v35 - v8;
    const float v37 = v33 + v36;
    const int v38 = v26 + 3;
    const float v39 = pack0.w;
    own_stripe0[v25] = v39;
    const float v40 = v39 - v8;
    const float v41 = v37 + v40;
    v17 = v41;
  }
  const float v42 = simd_sum(v17);
  if (lane == 0) shared_partial0[subgroup] = v42;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v44 = lane < 2;
  const float v45 = v44 ? shared_partial0[lane] : 0.0f;
  const float v46 = simd_sum(v45);
  const float v48 = v46 / 4096.0f;
  const float v49 = -v8;
  float v51 = 0.0f;
  #pragma unroll
  for (int i53 = 0; i53 < 16; i53 += 1) {
    const int v54 = i53 * 4;
    const int v55 = v54 + 1;
    const int v56 = v54 + 2;
    const int v57 = v54 + 3;
    const float v58 = own_stripe0[v54];
    const float v59 = fma(v58, 1.0f, v49);
    const float v60 = v59 - v48;
    const float v61 = v60 * v60;
    const float v62 = v51 + v61;
    const float v63 = own_stripe0[v55];
    const float v64 = fma(v63, 1.0f, v49);
    const float v65 = v64 - v48;
    const float v66 = v65 * v65;
    const float v67 = v62 + v66;
    const float v68 = own_stripe0[v56];
    const float v69 = fma(v68, 1.0f, v49);
    const float v70 = v69 - v48;
    const float v71 = v70 * v70;
    const float v72 = v67 + v71;
    const float v73 = own_stripe0[v57];
    const float v74 = fma(v73, 1.0f, v49);
    const float v75 = v74 - v48;
    const float v76 = v75 * v75;
    const float v77 = v72 + v76;
    v51 = v77;
  }
  const float v78 = simd_sum(v51);
  if (lane == 0) shared_partial1[subgroup] = v78;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v79 = v44 ? shared_partial1[lane] : 0.0f;
  const float v80 = simd_sum(v79);
  const float v82 = v80 / 4096.0f;
  const float v83 = v82 + n_eps;
  const float v84 = precise::sqrt(v83);
  const float v85 = 1.0f / v84;
  const int v87 = (int)n_y_stride0;
  const int v88 = v3 * v87;
  #pragma unroll
  for (int i89 = 0; i89 < 16; i89 += 1) {
    const int v90 = i89 * 256;
    const int v91 = v90 + v12;
    const int v92 = i89 * 4;
    const int v93 = v91 + 1;
    const int v94 = v92 + 1;
    const int v95 = v91 + 2;
    const int v96 = v92 + 2;
    const int v97 = v91 + 3;
    const int v98 = v92 + 3;
    const float4 pack1 = *(device const float4*)(p_bias + (v91 + lane * 4));
    const float v99 = pack1.x;
    const float4 pack2 = *(device const float4*)(p_weight + (v91 + lane * 4));
    const float v100 = pack2.x;
    const float v101 = own_stripe0[v92];
    const float v102 = fma(v101, 1.0f, v49);
    const float v103 = v102 - v48;
    const float v104 = v103 * v85;
    const float v105 = v104 * v100;
    const float v106 = v105 + v99;
    const int v107 = v88 + v91;
    const float v108 = pack1.y;
    const float v109 = pack2.y;
    const float v110 = own_stripe0[v94];
    const float v111 = fma(v110, 1.0f, v49);
    const float v112 = v111 - v48;
    const float v113 = v112 * v85;
    const float v114 = v113 * v109;
    const float v115 = v114 + v108;
    const int v116 = v107 + 1;
    const float v117 = pack1.z;
    const float v118 = pack2.z;
    const float v119 = own_stripe0[v96];
    const float v120 = fma(v119, 1.0f, v49);
    const float v121 = v120 - v48;
    const float v122 = v121 * v85;
    const float v123 = v122 * v118;
    const float v124 = v123 + v117;
    const int v125 = v107 + 2;
    const float v126 = pack1.w;
    const float v127 = pack2.w;
    const float v128 = own_stripe0[v98];
    const float v129 = fma(v128, 1.0f, v49);
    const float v130 = v129 - v48;
    const float v131 = v130 * v85;
    const float v132 = v131 * v127;
    const float v133 = v132 + v126;
    const int v134 = v107 + 3;
    *(device float4*)(p_y + (v107 + lane * 4)) = float4(v106, v115, v124, v133);
  }
}
