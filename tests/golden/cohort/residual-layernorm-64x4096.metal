#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(256)]]
kernel void layer_norm_kernel_1235bbbf3336_0(
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
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[8];
  threadgroup float shared_partial1[8];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  float own_stripe0[16];
  float own_stripe1[16];
  const int v5 = (int)n_residual_stride0;
  const int v6 = group * v5;
  const float v7 = p_residual[v6];
  const int v9 = (int)n_x_stride0;
  const int v10 = group * v9;
  const float v11 = p_x[v10];
  const float v12 = v11 + v7;
  const int v16 = subgroup * 128;
  float v20 = 0.0f;
  #pragma unroll
  for (int i22 = 0; i22 < 4; i22 += 1) {
    const int v23 = i22 * 1024;
    const int v24 = v23 + v16;
    const int v25 = i22 * 4;
    const int v26 = v25 + 1;
    const int v27 = v25 + 2;
    const int v28 = v25 + 3;
    const int v29 = v10 + v24;
    const float4 pack0 = *(device const float4*)(p_x + (v29 + lane * 4));
    const float v30 = pack0.x;
    const int v31 = v6 + v24;
    const float4 pack1 = *(device const float4*)(p_residual + (v31 + lane * 4));
    const float v32 = pack1.x;
    const float v33 = v30 + v32;
    own_stripe0[v25] = v33;
    const float v34 = v33 - v12;
    const float v35 = v20 + v34;
    const int v36 = v29 + 1;
    const float v37 = pack0.y;
    const int v38 = v31 + 1;
    const float v39 = pack1.y;
    const float v40 = v37 + v39;
    own_stripe0[v26] = v40;
    const float v41 = v40 - v12;
    const float v42 = v35 + v41;
    const int v43 = v29 + 2;
    const float v44 = pack0.z;
    const int v45 = v31 + 2;
    const float v46 = pack1.z;
    const float v47 = v44 + v46;
    own_stripe0[v27] = v47;
    const float v48 = v47 - v12;
    const float v49 = v42 + v48;
    const int v50 = v29 + 3;
    const float v51 = pack0.w;
    const int v52 = v31 + 3;
    const float v53 = pack1.w;
    const float v54 = v51 + v53;
    own_stripe0[v28] = v54;
    const float v55 = v54 - v12;
    const float v56 = v49 + v55;
    v20 = v56;
  }
  const float v57 = simd_sum(v20);
  if (lane == 0) shared_partial0[subgroup] = v57;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v60 = lane < 8;
  const float v61 = v60 ? shared_partial0[lane] : 0.0f;
  const float v62 = simd_sum(v61);
  const float v64 = v62 / 4096.0f;
  const float v65 = -v12;
  float v67 = 0.0f;
  #pragma unroll
  for (int i69 = 0; i69 < 4; i69 += 1) {
    const int v70 = i69 * 4;
    const int v71 = v70 + 1;
    const int v72 = v70 + 2;
    const int v73 = v70 + 3;
    const float v74 = own_stripe0[v70];
    const float v75 = fma(v74, 1.0f, v65);
    const float v76 = v75 - v64;
    own_stripe1[v70] = v76;
    const float v77 = v76 * v76;
    const float v78 = v67 + v77;
    const float v79 = own_stripe0[v71];
    const float v80 = fma(v79, 1.0f, v65);
    const float v81 = v80 - v64;
    own_stripe1[v71] = v81;
    const float v82 = v81 * v81;
    const float v83 = v78 + v82;
    const float v84 = own_stripe0[v72];
    const float v85 = fma(v84, 1.0f, v65);
    const float v86 = v85 - v64;
    own_stripe1[v72] = v86;
    const float v87 = v86 * v86;
    const float v88 = v83 + v87;
    const float v89 = own_stripe0[v73];
    const float v90 = fma(v89, 1.0f, v65);
    const float v91 = v90 - v64;
    own_stripe1[v73] = v91;
    const float v92 = v91 * v91;
    const float v93 = v88 + v92;
    v67 = v93;
  }
  const float v94 = simd_sum(v67);
  if (lane == 0) shared_partial1[subgroup] = v94;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v95 = v60 ? shared_partial1[lane] : 0.0f;
  const float v96 = simd_sum(v95);
  const float v98 = v96 / 4096.0f;
  const float v99 = v98 + n_eps;
  const float v100 = precise::sqrt(v99);
  const float v101 = 1.0f / v100;
  const int v103 = (int)n_y_stride0;
  const int v104 = group * v103;
  #pragma unroll
  for (int i105 = 0; i105 < 4; i105 += 1) {
    const int v106 = i105 * 1024;
    const int v107 = v106 + v16;
    const int v108 = i105 * 4;
    const int v109 = v107 + 1;
    const int v110 = v108 + 1;
    const int v111 = v107 + 2;
    const int v112 = v108 + 2;
    const int v113 = v107 + 3;
    const int v114 = v108 + 3;
    const float4 pack2 = *(device const float4*)(p_bias + (v107 + lane * 4));
    const float v115 = pack2.x;
    const float4 pack3 = *(device const float4*)(p_weight + (v107 + lane * 4));
    const float v116 = pack3.x;
    const float v117 = own_stripe1[v108];
    const float v118 = v117 * v101;
    const float v119 = v118 * v116;
    const float v120 = v119 + v115;
    const int v121 = v104 + v107;
    const float v122 = pack2.y;
    const float v123 = pack3.y;
    const float v124 = own_stripe1[v110];
    const float v125 = v124 * v101;
    const float v126 = v125 * v123;
    const float v127 = v126 + v122;
    const int v128 = v121 + 1;
    const float v129 = pack2.z;
    const float v130 = pack3.z;
    const float v131 = own_stripe1[v112];
    const float v132 = v131 * v101;
    const float v133 = v132 * v130;
    const float v134 = v133 + v129;
    const int v135 = v121 + 2;
    const float v136 = pack2.w;
    const float v137 = pack3.w;
    const float v138 = own_stripe1[v114];
    const float v139 = v138 * v101;
    const float v140 = v139 * v137;
    const float v141 = v140 + v136;
    const int v142 = v121 + 3;
    *(device float4*)(p_y + (v121 + lane * 4)) = float4(v120, v127, v134, v141);
  }
}
