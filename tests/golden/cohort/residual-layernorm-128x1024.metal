#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(64)]]
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
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[2];
  threadgroup float shared_partial1[2];
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
    const int v23 = i22 * 256;
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
  const bool v59 = lane < 2;
  const float v60 = v59 ? shared_partial0[lane] : 0.0f;
  const float v61 = simd_sum(v60);
  const float v63 = v61 / 1024.0f;
  const float v64 = -v12;
  float v66 = 0.0f;
  #pragma unroll
  for (int i68 = 0; i68 < 4; i68 += 1) {
    const int v69 = i68 * 4;
    const int v70 = v69 + 1;
    const int v71 = v69 + 2;
    const int v72 = v69 + 3;
    const float v73 = own_stripe0[v69];
    const float v74 = fma(v73, 1.0f, v64);
    const float v75 = v74 - v63;
    own_stripe1[v69] = v75;
    const float v76 = v75 * v75;
    const float v77 = v66 + v76;
    const float v78 = own_stripe0[v70];
    const float v79 = fma(v78, 1.0f, v64);
    const float v80 = v79 - v63;
    own_stripe1[v70] = v80;
    const float v81 = v80 * v80;
    const float v82 = v77 + v81;
    const float v83 = own_stripe0[v71];
    const float v84 = fma(v83, 1.0f, v64);
    const float v85 = v84 - v63;
    own_stripe1[v71] = v85;
    const float v86 = v85 * v85;
    const float v87 = v82 + v86;
    const float v88 = own_stripe0[v72];
    const float v89 = fma(v88, 1.0f, v64);
    const float v90 = v89 - v63;
    own_stripe1[v72] = v90;
    const float v91 = v90 * v90;
    const float v92 = v87 + v91;
    v66 = v92;
  }
  const float v93 = simd_sum(v66);
  if (lane == 0) shared_partial1[subgroup] = v93;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v94 = v59 ? shared_partial1[lane] : 0.0f;
  const float v95 = simd_sum(v94);
  const float v97 = v95 / 1024.0f;
  const float v98 = v97 + n_eps;
  const float v99 = precise::sqrt(v98);
  const float v100 = 1.0f / v99;
  const int v102 = (int)n_y_stride0;
  const int v103 = group * v102;
  #pragma unroll
  for (int i104 = 0; i104 < 4; i104 += 1) {
    const int v105 = i104 * 256;
    const int v106 = v105 + v16;
    const int v107 = i104 * 4;
    const int v108 = v106 + 1;
    const int v109 = v107 + 1;
    const int v110 = v106 + 2;
    const int v111 = v107 + 2;
    const int v112 = v106 + 3;
    const int v113 = v107 + 3;
    const float4 pack2 = *(device const float4*)(p_bias + (v106 + lane * 4));
    const float v114 = pack2.x;
    const float4 pack3 = *(device const float4*)(p_weight + (v106 + lane * 4));
    const float v115 = pack3.x;
    const float v116 = own_stripe1[v107];
    const float v117 = v116 * v100;
    const float v118 = v117 * v115;
    const float v119 = v118 + v114;
    const int v120 = v103 + v106;
    const float v121 = pack2.y;
    const float v122 = pack3.y;
    const float v123 = own_stripe1[v109];
    const float v124 = v123 * v100;
    const float v125 = v124 * v122;
    const float v126 = v125 + v121;
    const int v127 = v120 + 1;
    const float v128 = pack2.z;
    const float v129 = pack3.z;
    const float v130 = own_stripe1[v111];
    const float v131 = v130 * v100;
    const float v132 = v131 * v129;
    const float v133 = v132 + v128;
    const int v134 = v120 + 2;
    const float v135 = pack2.w;
    const float v136 = pack3.w;
    const float v137 = own_stripe1[v113];
    const float v138 = v137 * v100;
    const float v139 = v138 * v136;
    const float v140 = v139 + v135;
    const int v141 = v120 + 3;
    *(device float4*)(p_y + (v120 + lane * 4)) = float4(v119, v126, v133, v140);
  }
}
