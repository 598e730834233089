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
  const int v2 = (int)group;
  const int v5 = (int)n_x_stride0;
  const int v6 = v2 * v5;
  const float v7 = p_x[v6];
  float v14 = 0.0f;
  #pragma unroll
  for (int i16 = 0; i16 < 8; i16 += 1) {
    const int v17 = i16 * 128;
    const int v18 = i16 * 4;
    const int v19 = v18 + 1;
    const int v20 = v18 + 2;
    const int v21 = v18 + 3;
    const int v22 = v6 + v17;
    const float4 pack0 = *(device const float4*)(p_x + (v22 + lane * 4));
    const float v23 = pack0.x;
    own_stripe0[v18] = v23;
    const float v24 = v23 - v7;
    const float v25 = v14 + v24;
    const int v26 = v22 + 1;
    const float v27 = pack0.y;
    own_stripe0[v19] = v27;
    const float v28 = v27 - v7;
    const float v29 = v25 + v28;
    const int v30 = v22 + 2;
    const float v31 = pack0.z;
    own_stripe0[v20] = v31;
    const float v32 = v31 - v7;
    const float v33 = v29 + v32;
    const int v34 = v22 + 3;
    const float v35 = pack0.w;
    own_stripe0[v21] = v35;
    const float v36 = v35 - v7;
    const float v37 = v33 + v36;
    v14 = v37;
  }
  const float v38 = simd_sum(v14);
  const float v40 = v38 / 1024.0f;
  const float v41 = -v7;
  float v43 = 0.0f;
  #pragma unroll
  for (int i45 = 0; i45 < 8; i45 += 1) {
    const int v46 = i45 * 4;
    const int v47 = v46 + 1;
    const int v48 = v46 + 2;
    const int v49 = v46 + 3;
    const float v50 = own_stripe0[v46];
    const float v51 = fma(v50, 1.0f, v41);
    const float v52 = v51 - v40;
    own_stripe1[v46] = v52;
    const float v53 = v52 * v52;
    const float v54 = v43 + v53;
    const float v55 = own_stripe0[v47];
    const float v56 = fma(v55, 1.0f, v41);
    const float v57 = v56 - v40;
    own_stripe1[v47] = v57;
    const float v58 = v57 * v57;
    const float v59 = v54 + v58;
    const float v60 = own_stripe0[v48];
    const float v61 = fma(v60, 1.0f, v41);
    const float v62 = v61 - v40;
    own_stripe1[v48] = v62;
    const float v63 = v62 * v62;
    const float v64 = v59 + v63;
    const float v65 = own_stripe0[v49];
    const float v66 = fma(v65, 1.0f, v41);
    const float v67 = v66 - v40;
    own_stripe1[v49] = v67;
    const float v68 = v67 * v67;
    const float v69 = v64 + v68;
    v43 = v69;
  }
  const float v70 = simd_sum(v43);
  const float v72 = v70 / 1024.0f;
  const float v73 = v72 + n_eps;
  const float v74 = precise::sqrt(v73);
  const float v75 = 1.0f / v74;
  const int v77 = (int)n_y_stride0;
  const int v78 = v2 * v77;
  #pragma unroll
  for (int i79 = 0; i79 < 8; i79 += 1) {
    const int v80 = i79 * 128;
    const int v81 = i79 * 4;
    const int v82 = v80 + 1;
    const int v83 = v81 + 1;
    const int v84 = v80 + 2;
    const int v85 = v81 + 2;
    const int v86 = v80 + 3;
    const int v87 = v81 + 3;
    const float4 pack1 = *(device const float4*)(p_bias + (v80 + lane * 4));
    const float v88 = pack1.x;
    const float4 pack2 = *(device const float4*)(p_weight + (v80 + lane * 4));
    const float v89 = pack2.x;
    const float v90 = own_stripe1[v81];
    const float v91 = v90 * v75;
    const float v92 = v91 * v89;
    const float v93 = v92 + v88;
    const int v94 = v78 + v80;
    const float v95 = pack1.y;
    const float v96 = pack2.y;
    const float v97 = own_stripe1[v83];
    const float v98 = v97 * v75;
    const float v99 = v98 * v96;
    const float v100 = v99 + v95;
    const int v101 = v94 + 1;
    const float v102 = pack1.z;
    const float v103 = pack2.z;
    const float v104 = own_stripe1[v85];
    const float v105 = v104 * v75;
    const float v106 = v105 * v103;
    const float v107 = v106 + v102;
    const int v108 = v94 + 2;
    const float v109 = pack1.w;
    const float v110 = pack2.w;
    const float v111 = own_stripe1[v87];
    const float v112 = v111 * v75;
    const float v113 = v112 * v110;
    const float v114 = v113 + v109;
    const int v115 = v94 + 3;
    *(device float4*)(p_y + (v94 + lane * 4)) = float4(v93, v100, v107, v114);
  }
}
