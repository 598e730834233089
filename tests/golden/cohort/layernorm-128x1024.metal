#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_3ccb037f802b_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    device const float* p_bias [[buffer(3)]],
    constant long& n_x_stride0 [[buffer(4)]],
    constant float& n_eps [[buffer(5)]],
    constant long& n_y_stride0 [[buffer(6)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const long group = group_;
  float own_stripe0[32];
  float own_stripe1[32];
  const long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  float v12 = 0.0f;
  #pragma unroll
  for (long i14 = 0L; i14 < 8L; i14 += 1L) {
    const long v15 = i14 * 128L;
    const long v16 = i14 * 4L;
    const long v17 = v16 + 1L;
    const long v18 = v16 + 2L;
    const long v19 = v16 + 3L;
    const long v20 = v4 + v15;
    const float4 pack0 = *(device const float4*)(p_x + v20 + lane * 4L);
    const float v21 = pack0.x;
    own_stripe0[v16] = v21;
    const float v22 = v21 - v5;
    const float v23 = v12 + v22;
    const long v24 = v20 + 1L;
    const float v25 = pack0.y;
    own_stripe0[v17] = v25;
    const float v26 = v25 - v5;
    const float v27 = v23 + v26;
    const long v28 = v20 + 2L;
    const float v29 = pack0.z;
    own_stripe0[v18] = v29;
    const float v30 = v29 - v5;
    const float v31 = v27 + v30;
    const long v32 = v20 + 3L;
    const float v33 = pack0.w;
    own_stripe0[v19] = v33;
    const float v34 = v33 - v5;
    const float v35 = v31 + v34;
    v12 = v35;
  }
  const float v36 = simd_sum(v12);
  const float v38 = v36 / 1024.0f;
  const float v39 = -v5;
  float v41 = 0.0f;
  #pragma unroll
  for (long i43 = 0L; i43 < 8L; i43 += 1L) {
    const long v44 = i43 * 4L;
    const long v45 = v44 + 1L;
    const long v46 = v44 + 2L;
    const long v47 = v44 + 3L;
    const float v48 = own_stripe0[v44];
    const float v49 = fma(v48, 1.0f, v39);
    const float v50 = v49 - v38;
    own_stripe1[v44] = v50;
    const float v51 = v50 * v50;
    const float v52 = v41 + v51;
    const float v53 = own_stripe0[v45];
    const float v54 = fma(v53, 1.0f, v39);
    const float v55 = v54 - v38;
    own_stripe1[v45] = v55;
    const float v56 = v55 * v55;
    const float v57 = v52 + v56;
    const float v58 = own_stripe0[v46];
    const float v59 = fma(v58, 1.0f, v39);
    const float v60 = v59 - v38;
    own_stripe1[v46] = v60;
    const float v61 = v60 * v60;
    const float v62 = v57 + v61;
    const float v63 = own_stripe0[v47];
    const float v64 = fma(v63, 1.0f, v39);
    const float v65 = v64 - v38;
    own_stripe1[v47] = v65;
    const float v66 = v65 * v65;
    const float v67 = v62 + v66;
    v41 = v67;
  }
  const float v68 = simd_sum(v41);
  const float v70 = v68 / 1024.0f;
  const float v71 = v70 + n_eps;
  const float v72 = precise::sqrt(v71);
  const float v73 = 1.0f / v72;
  const long v75 = group * n_y_stride0;
  #pragma unroll
  for (long i76 = 0L; i76 < 8L; i76 += 1L) {
    const long v77 = i76 * 128L;
    const long v78 = i76 * 4L;
    const long v79 = v77 + 1L;
    const long v80 = v78 + 1L;
    const long v81 = v77 + 2L;
    const long v82 = v78 + 2L;
    const long v83 = v77 + 3L;
    const long v84 = v78 + 3L;
    const float4 pack1 = *(device const float4*)(p_bias + v77 + lane * 4L);
    const float v85 = pack1.x;
    const float4 pack2 = *(device const float4*)(p_weight + v77 + lane * 4L);
    const float v86 = pack2.x;
    const float v87 = own_stripe1[v78];
    const float v88 = v87 * v73;
    const float v89 = v88 * v86;
    const float v90 = v89 + v85;
    const long v91 = v75 + v77;
    const float v92 = pack1.y;
    const float v93 = pack2.y;
    const float v94 = own_stripe1[v80];
    const float v95 = v94 * v73;
    const float v96 = v95 * v93;
    const float v97 = v96 + v92;
    const long v98 = v91 + 1L;
    const float v99 = pack1.z;
    const float v100 = pack2.z;
    const float v101 = own_stripe1[v82];
    const float v102 = v101 * v73;
    const float v103 = v102 * v100;
    const float v104 = v103 + v99;
    const long v105 = v91 + 2L;
    const float v106 = pack1.w;
    const float v107 = pack2.w;
    const float v108 = own_stripe1[v84];
    const float v109 = v108 * v73;
    const float v110 = v109 * v107;
    const float v111 = v110 + v106;
    const long v112 = v91 + 3L;
    *(device float4*)(p_y + v91 + lane * 4L) = float4(v90, v97, v104, v111);
  }
}
