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
  const long v5 = group * n_x_stride0;
  const float v6 = p_x[v5];
  const long v9 = (long)subgroup;
  const long v11 = v9 * 128L;
  float v16 = 0.0f;
  #pragma unroll
  for (long i18 = 0L; i18 < 16L; i18 += 1L) {
    const long v19 = i18 * 256L;
    const long v20 = v19 + v11;
    const long v21 = i18 * 4L;
    const long v22 = v21 + 1L;
    const long v23 = v21 + 2L;
    const long v24 = v21 + 3L;
    const long v25 = v5 + v20;
    const float4 pack0 = *(device const float4*)(p_x + v25 + lane * 4L);
    const float v26 = pack0.x;
    own_stripe0[v21] = v26;
    const float v27 = v26 - v6;
    const float v28 = v16 + v27;
    const long v29 = v25 + 1L;
    const float v30 = pack0.y;
    own_stripe0[v22] = v30;
    const float v31 = v30 - v6;
    const float v32 = v28 + v31;
    const long v33 = v25 + 2L;
    const float v34 = pack0.z;
    own_stripe0[v23] = v34;
    const float v35 = v34 - v6;
    const float v36 = v32 + v35;
    const long v37 = v25 + 3L;
    const float v38 = pack0.w;
    own_stripe0[v24] = v38;
    const float v39 = v38 - v6;
    const float v40 = v36 + v39;
    v16 = v40;
  }
  const float v41 = simd_sum(v16);
  if (lane == 0) shared_partial0[v9] = v41;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const long v43 = (long)lane;
  const bool v44 = v43 < 2L;
  const float v45 = v44 ? shared_partial0[v43] : 0.0f;
  const float v46 = simd_sum(v45);
  const float v48 = v46 / 4096.0f;
  const float v49 = -v6;
  float v51 = 0.0f;
  #pragma unroll
  for (long i53 = 0L; i53 < 16L; i53 += 1L) {
    const long v54 = i53 * 4L;
    const long v55 = v54 + 1L;
    const long v56 = v54 + 2L;
    const long v57 = v54 + 3L;
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
  if (lane == 0) shared_partial1[v9] = v78;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v79 = v44 ? shared_partial1[v43] : 0.0f;
  const float v80 = simd_sum(v79);
  const float v82 = v80 / 4096.0f;
  const float v83 = v82 + n_eps;
  const float v84 = precise::sqrt(v83);
  const float v85 = 1.0f / v84;
  const long v87 = group * n_y_stride0;
  #pragma unroll
  for (long i88 = 0L; i88 < 16L; i88 += 1L) {
    const long v89 = i88 * 256L;
    const long v90 = v89 + v11;
    const long v91 = i88 * 4L;
    const long v92 = v90 + 1L;
    const long v93 = v91 + 1L;
    const long v94 = v90 + 2L;
    const long v95 = v91 + 2L;
    const long v96 = v90 + 3L;
    const long v97 = v91 + 3L;
    const float4 pack1 = *(device const float4*)(p_bias + v90 + lane * 4L);
    const float v98 = pack1.x;
    const float4 pack2 = *(device const float4*)(p_weight + v90 + lane * 4L);
    const float v99 = pack2.x;
    const float v100 = own_stripe0[v91];
    const float v101 = fma(v100, 1.0f, v49);
    const float v102 = v101 - v48;
    const float v103 = v102 * v85;
    const float v104 = v103 * v99;
    const float v105 = v104 + v98;
    const long v106 = v87 + v90;
    const float v107 = pack1.y;
    const float v108 = pack2.y;
    const float v109 = own_stripe0[v93];
    const float v110 = fma(v109, 1.0f, v49);
    const float v111 = v110 - v48;
    const float v112 = v111 * v85;
    const float v113 = v112 * v108;
    const float v114 = v113 + v107;
    const long v115 = v106 + 1L;
    const float v116 = pack1.z;
    const float v117 = pack2.z;
    const float v118 = own_stripe0[v95];
    const float v119 = fma(v118, 1.0f, v49);
    const float v120 = v119 - v48;
    const float v121 = v120 * v85;
    const float v122 = v121 * v117;
    const float v123 = v122 + v116;
    const long v124 = v106 + 2L;
    const float v125 = pack1.w;
    const float v126 = pack2.w;
    const float v127 = own_stripe0[v97];
    const float v128 = fma(v127, 1.0f, v49);
    const float v129 = v128 - v48;
    const float v130 = v129 * v85;
    const float v131 = v130 * v126;
    const float v132 = v131 + v125;
    const long v133 = v106 + 3L;
    *(device float4*)(p_y + v106 + lane * 4L) = float4(v105, v114, v123, v132);
  }
}
