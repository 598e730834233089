#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(64)]]
kernel void layer_norm_kernel_3ccb037f802b_0(
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
  float own_stripe0[16];
  float own_stripe1[16];
  const int v5 = (int)n_x_stride0;
  const int v6 = group * v5;
  const float v7 = p_x[v6];
  const int v11 = subgroup * 128;
  float v15 = 0.0f;
  #pragma unroll
  for (int i17 = 0; i17 < 4; i17 += 1) {
    const int v18 = i17 * 256;
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
  const bool v42 = lane < 2;
  const float v43 = v42 ? shared_partial0[lane] : 0.0f;
  const float v44 = simd_sum(v43);
  const float v46 = v44 / 1024.0f;
  const float v47 = -v7;
  float v49 = 0.0f;
  #pragma unroll
  for (int i51 = 0; i51 < 4; i51 += 1) {
    const int v52 = i51 * 4;
    const int v53 = v52 + 1;
    const int v54 = v52 + 2;
    const int v55 = v52 + 3;
    const float v56 = own_stripe0[v52];
    const float v57 = fma(v56, 1.0f, v47);
    const float v58 = v57 - v46;
    own_stripe1[v52] = v58;
    const float v59 = v58 * v58;
    const float v60 = v49 + v59;
    const float v61 = own_stripe0[v53];
    const float v62 = fma(v61, 1.0f, v47);
    const float v63 = v62 - v46;
    own_stripe1[v53] = v63;
    const float v64 = v63 * v63;
    const float v65 = v60 + v64;
    const float v66 = own_stripe0[v54];
    const float v67 = fma(v66, 1.0f, v47);
    const float v68 = v67 - v46;
    own_stripe1[v54] = v68;
    const float v69 = v68 * v68;
    const float v70 = v65 + v69;
    const float v71 = own_stripe0[v55];
    const float v72 = fma(v71, 1.0f, v47);
    const float v73 = v72 - v46;
    own_stripe1[v55] = v73;
    const float v74 = v73 * v73;
    const float v75 = v70 + v74;
    v49 = v75;
  }
  const float v76 = simd_sum(v49);
  if (lane == 0) shared_partial1[subgroup] = v76;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v77 = v42 ? shared_partial1[lane] : 0.0f;
  const float v78 = simd_sum(v77);
  const float v80 = v78 / 1024.0f;
  const float v81 = v80 + n_eps;
  const float v82 = precise::sqrt(v81);
  const float v83 = 1.0f / v82;
  const int v85 = (int)n_y_stride0;
  const int v86 = group * v85;
  #pragma unroll
  for (int i87 = 0; i87 < 4; i87 += 1) {
    const int v88 = i87 * 256;
    const int v89 = v88 + v11;
    const int v90 = i87 * 4;
    const int v91 = v89 + 1;
    const int v92 = v90 + 1;
    const int v93 = v89 + 2;
    const int v94 = v90 + 2;
    const int v95 = v89 + 3;
    const int v96 = v90 + 3;
    const float4 pack1 = *(device const float4*)(p_bias + (v89 + lane * 4));
    const float v97 = pack1.x;
    const float4 pack2 = *(device const float4*)(p_weight + (v89 + lane * 4));
    const float v98 = pack2.x;
    const float v99 = own_stripe1[v90];
    const float v100 = v99 * v83;
    const float v101 = v100 * v98;
    const float v102 = v101 + v97;
    const int v103 = v86 + v89;
    const float v104 = pack1.y;
    const float v105 = pack2.y;
    const float v106 = own_stripe1[v92];
    const float v107 = v106 * v83;
    const float v108 = v107 * v105;
    const float v109 = v108 + v104;
    const int v110 = v103 + 1;
    const float v111 = pack1.z;
    const float v112 = pack2.z;
    const float v113 = own_stripe1[v94];
    const float v114 = v113 * v83;
    const float v115 = v114 * v112;
    const float v116 = v115 + v111;
    const int v117 = v103 + 2;
    const float v118 = pack1.w;
    const float v119 = pack2.w;
    const float v120 = own_stripe1[v96];
    const float v121 = v120 * v83;
    const float v122 = v121 * v119;
    const float v123 = v122 + v118;
    const int v124 = v103 + 3;
    *(device float4*)(p_y + (v103 + lane * 4)) = float4(v102, v109, v116, v123);
  }
}
