#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(128)]]
kernel void layer_norm_kernel_68a12b4dc26c_0(
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
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[4];
  threadgroup float shared_partial1[4];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const long group = group_;
  float own_stripe0[32];
  float own_stripe1[32];
  const long v5 = group * n_x_stride0;
  const float v6 = p_x[v5];
  const long v9 = (long)subgroup;
  const long v11 = v9 * 128L;
  const long v17 = group * n_residual_stride0;
  float v18 = 0.0f;
  #pragma unroll
  for (long i20 = 0L; i20 < 8L; i20 += 1L) {
    const long v21 = i20 * 512L;
    const long v22 = v21 + v11;
    const long v23 = i20 * 4L;
    const long v24 = v23 + 1L;
    const long v25 = v23 + 2L;
    const long v26 = v23 + 3L;
    const long v27 = v5 + v22;
    const float4 pack0 = *(device const float4*)(p_x + v27 + lane * 4L);
    const float v28 = pack0.x;
    const long v29 = v17 + v22;
    const float4 pack1 = *(device const float4*)(p_residual + v29 + lane * 4L);
    const float v30 = pack1.x;
    const float v31 = v28 + v30;
    own_stripe0[v23] = v31;
    const float v32 = v31 - v6;
    const float v33 = v18 + v32;
    const long v34 = v27 + 1L;
    const float v35 = pack0.y;
    const long v36 = v29 + 1L;
    const float v37 = pack1.y;
    const float v38 = v35 + v37;
    own_stripe0[v24] = v38;
    const float v39 = v38 - v6;
    const float v40 = v33 + v39;
    const long v41 = v27 + 2L;
    const float v42 = pack0.z;
    const long v43 = v29 + 2L;
    const float v44 = pack1.z;
    const float v45 = v42 + v44;
    own_stripe0[v25] = v45;
    const float v46 = v45 - v6;
    const float v47 = v40 + v46;
    const long v48 = v27 + 3L;
    const float v49 = pack0.w;
    const long v50 = v29 + 3L;
    const float v51 = pack1.w;
    const float v52 = v49 + v51;
    own_stripe0[v26] = v52;
    const float v53 = v52 - v6;
    const float v54 = v47 + v53;
    v18 = v54;
  }
  const float v55 = simd_sum(v18);
  if (lane == 0) shared_partial0[v9] = v55;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const long v57 = (long)lane;
  const bool v58 = v57 < 4L;
  const float v59 = v58 ? shared_partial0[v57] : 0.0f;
  const float v60 = simd_sum(v59);
  const float v62 = v60 / 4096.0f;
  const float v63 = -v6;
  float v65 = 0.0f;
  #pragma unroll
  for (long i67 = 0L; i67 < 8L; i67 += 1L) {
    const long v68 = i67 * 4L;
    const long v69 = v68 + 1L;
    const long v70 = v68 + 2L;
    const long v71 = v68 + 3L;
    const float v72 = own_stripe0[v68];
    const float v73 = fma(v72, 1.0f, v63);
    const float v74 = v73 - v62;
    own_stripe1[v68] = v74;
    const float v75 = v74 * v74;
    const float v76 = v65 + v75;
    const float v77 = own_stripe0[v69];
    const float v78 = fma(v77, 1.0f, v63);
    const float v79 = v78 - v62;
    own_stripe1[v69] = v79;
    const float v80 = v79 * v79;
    const float v81 = v76 + v80;
    const float v82 = own_stripe0[v70];
    const float v83 = fma(v82, 1.0f, v63);
    const float v84 = v83 - v62;
    own_stripe1[v70] = v84;
    const float v85 = v84 * v84;
    const float v86 = v81 + v85;
    const float v87 = own_stripe0[v71];
    const float v88 = fma(v87, 1.0f, v63);
    const float v89 = v88 - v62;
    own_stripe1[v71] = v89;
    const float v90 = v89 * v89;
    const float v91 = v86 + v90;
    v65 = v91;
  }
  const float v92 = simd_sum(v65);
  if (lane == 0) shared_partial1[v9] = v92;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v93 = v58 ? shared_partial1[v57] : 0.0f;
  const float v94 = simd_sum(v93);
  const float v96 = v94 / 4096.0f;
  const float v97 = v96 + n_eps;
  const float v98 = precise::sqrt(v97);
  const float v99 = 1.0f / v98;
  const long v101 = group * n_y_stride0;
  #pragma unroll
  for (long i102 = 0L; i102 < 8L; i102 += 1L) {
    const long v103 = i102 * 512L;
    const long v104 = v103 + v11;
    const long v105 = i102 * 4L;
    const long v106 = v104 + 1L;
    const long v107 = v105 + 1L;
    const long v108 = v104 + 2L;
    const long v109 = v105 + 2L;
    const long v110 = v104 + 3L;
    const long v111 = v105 + 3L;
    const float4 pack2 = *(device const float4*)(p_bias + v104 + lane * 4L);
    const float v112 = pack2.x;
    const float4 pack3 = *(device const float4*)(p_weight + v104 + lane * 4L);
    const float v113 = pack3.x;
    const float v114 = own_stripe1[v105];
    const float v115 = v114 * v99;
    const float v116 = v115 * v113;
    const float v117 = v116 + v112;
    const long v118 = v101 + v104;
    const float v119 = pack2.y;
    const float v120 = pack3.y;
    const float v121 = own_stripe1[v107];
    const float v122 = v121 * v99;
    const float v123 = v122 * v120;
    const float v124 = v123 + v119;
    const long v125 = v118 + 1L;
    const float v126 = pack2.z;
    const float v127 = pack3.z;
    const float v128 = own_stripe1[v109];
    const float v129 = v128 * v99;
    const float v130 = v129 * v127;
    const float v131 = v130 + v126;
    const long v132 = v118 + 2L;
    const float v133 = pack2.w;
    const float v134 = pack3.w;
    const float v135 = own_stripe1[v111];
    const float v136 = v135 * v99;
    const float v137 = v136 * v134;
    const float v138 = v137 + v133;
    const long v139 = v118 + 3L;
    *(device float4*)(p_y + v118 + lane * 4L) = float4(v117, v124, v131, v138);
  }
}
