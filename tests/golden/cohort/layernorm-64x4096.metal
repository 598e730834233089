#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(256)]]
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
  threadgroup float shared_partial0[8];
  threadgroup float shared_partial1[8];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  float own_stripe0[16];
  float own_stripe1[16];
  const int v5 = (int)n_x_stride0;
  const int v6 = group * v5;
  const float v7 = p_x[v6];
  const int v11 = subgroup * 128;
  float v15 = 0.0f;
  #pragma unroll
  for (int i17 = 0; i17 < 4; i17 += 1) {
    const int v18 = i17 * 1024;
    const int v19 = v18 + v11;
    const int v20 = i17 * 4;
    const int v21 = v20 + 1;
    const int v22 = v20 + 2;
    const int v23 = v20 + 3;
    const int v24 = v6 + v19;
    const float4 pack0 = *(device const float4*)(p_x + (v24 + lane * 4));
    const float v25 = pack0.x;
    own_stripe0[v20] = v25;
    const float v26 = v25 - v7;
    const float v27 = v15 + v26;
    const int v28 = v24 + 1;
    const float v29 = pack0.y;
    own_stripe0[v21] = v29;
    const float v30 = v29 - v7;
    const float v31 = v27 + v30;
    const int v32 = v24 + 2;
    const float v33 = pack0.z;
    own_stripe0[v22] = v33;
    const float v34 = v33 - v7;
    const float v35 = v31 + v34;
    const int v36 = v24 + 3;
    const float v37 = pack0.w;
    own_stripe0[v23] = v37;
    const float v38 = v37 - v7;
    const float v39 = v35 + v38;
    v15 = v39;
  }
  const float v40 = simd_sum(v15);
  if (lane == 0) shared_partial0[subgroup] = v40;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v43 = lane < 8;
  const float v44 = v43 ? shared_partial0[lane] : 0.0f;
  const float v45 = simd_sum(v44);
  const float v47 = v45 / 4096.0f;
  const float v48 = -v7;
  float v50 = 0.0f;
  #pragma unroll
  for (int i52 = 0; i52 < 4; i52 += 1) {
    const int v53 = i52 * 4;
    const int v54 = v53 + 1;
    const int v55 = v53 + 2;
    const int v56 = v53 + 3;
    const float v57 = own_stripe0[v53];
    const float v58 = fma(v57, 1.0f, v48);
    const float v59 = v58 - v47;
    own_stripe1[v53] = v59;
    const float v60 = v59 * v59;
    const float v61 = v50 + v60;
    const float v62 = own_stripe0[v54];
    const float v63 = fma(v62, 1.0f, v48);
    const float v64 = v63 - v47;
    own_stripe1[v54] = v64;
    const float v65 = v64 * v64;
    const float v66 = v61 + v65;
    const float v67 = own_stripe0[v55];
    const float v68 = fma(v67, 1.0f, v48);
    const float v69 = v68 - v47;
    own_stripe1[v55] = v69;
    const float v70 = v69 * v69;
    const float v71 = v66 + v70;
    const float v72 = own_stripe0[v56];
    const float v73 = fma(v72, 1.0f, v48);
    const float v74 = v73 - v47;
    own_stripe1[v56] = v74;
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
  for (int i88 = 0; i88 < 4; i88 += 1) {
    const int v89 = i88 * 1024;
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
    const float v100 = own_stripe1[v91];
    const float v101 = v100 * v84;
    const float v102 = v101 * v99;
    const float v103 = v102 + v98;
    const int v104 = v87 + v90;
    const float v105 = pack1.y;
    const float v106 = pack2.y;
    const float v107 = own_stripe1[v93];
    const float v108 = v107 * v84;
    const float v109 = v108 * v106;
    const float v110 = v109 + v105;
    const int v111 = v104 + 1;
    const float v112 = pack1.z;
    const float v113 = pack2.z;
    const float v114 = own_stripe1[v95];
    const float v115 = v114 * v84;
    const float v116 = v115 * v113;
    const float v117 = v116 + v112;
    const int v118 = v104 + 2;
    const float v119 = pack1.w;
    const float v120 = pack2.w;
    const float v121 = own_stripe1[v97];
    const float v122 = v121 * v84;
    const float v123 = v122 * v120;
    const float v124 = v123 + v119;
    const int v125 = v104 + 3;
    *(device float4*)(p_y + (v104 + lane * 4)) = float4(v103, v110, v117, v124);
  }
}
