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
  const long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  const long v13 = group * n_residual_stride0;
  float v14 = 0.0f;
  #pragma unroll
  for (long i16 = 0L; i16 < 8L; i16 += 1L) {
    const long v17 = i16 * 128L;
    const long v18 = i16 * 4L;
    const long v19 = v18 + 1L;
    const long v20 = v18 + 2L;
    const long v21 = v18 + 3L;
    const long v22 = v4 + v17;
    const float4 pack0 = *(device const float4*)(p_x + v22 + lane * 4L);
    const float v23 = pack0.x;
    const long v24 = v13 + v17;
    const float4 pack1 = *(device const float4*)(p_residual + v24 + lane * 4L);
    const float v25 = pack1.x;
    const float v26 = v23 + v25;
    own_stripe0[v18] = v26;
    const float v27 = v26 - v5;
    const float v28 = v14 + v27;
    const long v29 = v22 + 1L;
    const float v30 = pack0.y;
    const long v31 = v24 + 1L;
    const float v32 = pack1.y;
    const float v33 = v30 + v32;
    own_stripe0[v19] = v33;
    const float v34 = v33 - v5;
    const float v35 = v28 + v34;
    const long v36 = v22 + 2L;
    const float v37 = pack0.z;
    const long v38 = v24 + 2L;
    const float v39 = pack1.z;
    const float v40 = v37 + v39;
    own_stripe0[v20] = v40;
    const float v41 = v40 - v5;
    const float v42 = v35 + v41;
    const long v43 = v22 + 3L;
    const float v44 = pack0.w;
    const long v45 = v24 + 3L;
    const float v46 = pack1.w;
    const float v47 = v44 + v46;
    own_stripe0[v21] = v47;
    const float v48 = v47 - v5;
    const float v49 = v42 + v48;
    v14 = v49;
  }
  const float v50 = simd_sum(v14);
  const float v52 = v50 / 1024.0f;
  const float v53 = -v5;
  float v55 = 0.0f;
  #pragma unroll
  for (long i57 = 0L; i57 < 8L; i57 += 1L) {
    const long v58 = i57 * 4L;
    const long v59 = v58 + 1L;
    const long v60 = v58 + 2L;
    const long v61 = v58 + 3L;
    const float v62 = own_stripe0[v58];
    const float v63 = fma(v62, 1.0f, v53);
    const float v64 = v63 - v52;
    own_stripe1[v58] = v64;
    const float v65 = v64 * v64;
    const float v66 = v55 + v65;
    const float v67 = own_stripe0[v59];
    const float v68 = fma(v67, 1.0f, v53);
    const float v69 = v68 - v52;
    own_stripe1[v59] = v69;
    const float v70 = v69 * v69;
    const float v71 = v66 + v70;
    const float v72 = own_stripe0[v60];
    const float v73 = fma(v72, 1.0f, v53);
    const float v74 = v73 - v52;
    own_stripe1[v60] = v74;
    const float v75 = v74 * v74;
    const float v76 = v71 + v75;
    const float v77 = own_stripe0[v61];
    const float v78 = fma(v77, 1.0f, v53);
    const float v79 = v78 - v52;
    own_stripe1[v61] = v79;
    const float v80 = v79 * v79;
    const float v81 = v76 + v80;
    v55 = v81;
  }
  const float v82 = simd_sum(v55);
  const float v84 = v82 / 1024.0f;
  const float v85 = v84 + n_eps;
  const float v86 = precise::sqrt(v85);
  const float v87 = 1.0f / v86;
  const long v89 = group * n_y_stride0;
  #pragma unroll
  for (long i90 = 0L; i90 < 8L; i90 += 1L) {
    const long v91 = i90 * 128L;
    const long v92 = i90 * 4L;
    const long v93 = v91 + 1L;
    const long v94 = v92 + 1L;
    const long v95 = v91 + 2L;
    const long v96 = v92 + 2L;
    const long v97 = v91 + 3L;
    const long v98 = v92 + 3L;
    const float4 pack2 = *(device const float4*)(p_bias + v91 + lane * 4L);
    const float v99 = pack2.x;
    const float4 pack3 = *(device const float4*)(p_weight + v91 + lane * 4L);
    const float v100 = pack3.x;
    const float v101 = own_stripe1[v92];
    const float v102 = v101 * v87;
    const float v103 = v102 * v100;
    const float v104 = v103 + v99;
    const long v105 = v89 + v91;
    const float v106 = pack2.y;
    const float v107 = pack3.y;
    const float v108 = own_stripe1[v94];
    const float v109 = v108 * v87;
    const float v110 = v109 * v107;
    const float v111 = v110 + v106;
    const long v112 = v105 + 1L;
    const float v113 = pack2.z;
    const float v114 = pack3.z;
    const float v115 = own_stripe1[v96];
    const float v116 = v115 * v87;
    const float v117 = v116 * v114;
    const float v118 = v117 + v113;
    const long v119 = v105 + 2L;
    const float v120 = pack2.w;
    const float v121 = pack3.w;
    const float v122 = own_stripe1[v98];
    const float v123 = v122 * v87;
    const float v124 = v123 * v121;
    const float v125 = v124 + v120;
    const long v126 = v105 + 3L;
    *(device float4*)(p_y + v105 + lane * 4L) = float4(v104, v111, v118, v125);
  }
}
