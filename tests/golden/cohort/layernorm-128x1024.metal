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
  const int group = group_;
  float own_stripe0[32];
  float own_stripe1[32];
  const int v4 = (int)n_x_stride0;
  const int v5 = group * v4;
  const float v6 = p_x[v5];
  float v13 = 0.0f;
  #pragma unroll
  for (int i15 = 0; i15 < 8; i15 += 1) {
    const int v16 = i15 * 128;
    const int v17 = i15 * 4;
    const int v18 = v17 + 1;
    const int v19 = v17 + 2;
    const int v20 = v17 + 3;
    const int v21 = v5 + v16;
    const float4 pack0 = *(device const float4*)(p_x + (v21 + lane * 4));
    const float v22 = pack0.x;
    own_stripe0[v17] = v22;
    const float v23 = v22 - v6;
    const float v24 = v13 + v23;
    const int v25 = v21 + 1;
    const float v26 = pack0.y;
    own_stripe0[v18] = v26;
    const float v27 = v26 - v6;
    const float v28 = v24 + v27;
    const int v29 = v21 + 2;
    const float v30 = pack0.z;
    own_stripe0[v19] = v30;
    const float v31 = v30 - v6;
    const float v32 = v28 + v31;
    const int v33 = v21 + 3;
    const float v34 = pack0.w;
    own_stripe0[v20] = v34;
    const float v35 = v34 - v6;
    const float v36 = v32 + v35;
    v13 = v36;
  }
  const float v37 = simd_sum(v13);
  const float v39 = v37 / 1024.0f;
  const float v40 = -v6;
  float v42 = 0.0f;
  #pragma unroll
  for (int i44 = 0; i44 < 8; i44 += 1) {
    const int v45 = i44 * 4;
    const int v46 = v45 + 1;
    const int v47 = v45 + 2;
    const int v48 = v45 + 3;
    const float v49 = own_stripe0[v45];
    const float v50 = fma(v49, 1.0f, v40);
    const float v51 = v50 - v39;
    own_stripe1[v45] = v51;
    const float v52 = v51 * v51;
    const float v53 = v42 + v52;
    const float v54 = own_stripe0[v46];
    const float v55 = fma(v54, 1.0f, v40);
    const float v56 = v55 - v39;
    own_stripe1[v46] = v56;
    const float v57 = v56 * v56;
    const float v58 = v53 + v57;
    const float v59 = own_stripe0[v47];
    const float v60 = fma(v59, 1.0f, v40);
    const float v61 = v60 - v39;
    own_stripe1[v47] = v61;
    const float v62 = v61 * v61;
    const float v63 = v58 + v62;
    const float v64 = own_stripe0[v48];
    const float v65 = fma(v64, 1.0f, v40);
    const float v66 = v65 - v39;
    own_stripe1[v48] = v66;
    const float v67 = v66 * v66;
    const float v68 = v63 + v67;
    v42 = v68;
  }
  const float v69 = simd_sum(v42);
  const float v71 = v69 / 1024.0f;
  const float v72 = v71 + n_eps;
  const float v73 = precise::sqrt(v72);
  const float v74 = 1.0f / v73;
  const int v76 = (int)n_y_stride0;
  const int v77 = group * v76;
  #pragma unroll
  for (int i78 = 0; i78 < 8; i78 += 1) {
    const int v79 = i78 * 128;
    const int v80 = i78 * 4;
    const int v81 = v79 + 1;
    const int v82 = v80 + 1;
    const int v83 = v79 + 2;
    const int v84 = v80 + 2;
    const int v85 = v79 + 3;
    const int v86 = v80 + 3;
    const float4 pack1 = *(device const float4*)(p_bias + (v79 + lane * 4));
    const float v87 = pack1.x;
    const float4 pack2 = *(device const float4*)(p_weight + (v79 + lane * 4));
    const float v88 = pack2.x;
    const float v89 = own_stripe1[v80];
    const float v90 = v89 * v74;
    const float v91 = v90 * v88;
    const float v92 = v91 + v87;
    const int v93 = v77 + v79;
    const float v94 = pack1.y;
    const float v95 = pack2.y;
    const float v96 = own_stripe1[v82];
    const float v97 = v96 * v74;
    const float v98 = v97 * v95;
    const float v99 = v98 + v94;
    const int v100 = v93 + 1;
    const float v101 = pack1.z;
    const float v102 = pack2.z;
    const float v103 = own_stripe1[v84];
    const float v104 = v103 * v74;
    const float v105 = v104 * v102;
    const float v106 = v105 + v101;
    const int v107 = v93 + 2;
    const float v108 = pack1.w;
    const float v109 = pack2.w;
    const float v110 = own_stripe1[v86];
    const float v111 = v110 * v74;
    const float v112 = v111 * v109;
    const float v113 = v112 + v108;
    const int v114 = v93 + 3;
    *(device float4*)(p_y + (v93 + lane * 4)) = float4(v92, v99, v106, v113);
  }
}
