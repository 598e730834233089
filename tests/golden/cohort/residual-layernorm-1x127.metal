#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_d2f2a86fc986_0(
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
  float own_stripe0[4];
  float own_stripe1[4];
  const int v2 = (int)group;
  const int v5 = (int)n_x_stride0;
  const int v6 = v2 * v5;
  const float v7 = p_x[v6];
  const int v13 = lane * 4;
  const bool v15 = v13 < 124;
  const float2 pack0 = *(device const float2*)(p_x + (v6 + lane * 4));
  const float v16 = pack0.x;
  const int v18 = (int)n_residual_stride0;
  const int v19 = v2 * v18;
  const float2 pack1 = *(device const float2*)(p_residual + (v19 + lane * 4));
  const float v20 = pack1.x;
  const float v21 = v16 + v20;
  own_stripe0[0] = v21;
  const float v22 = v21 - v7;
  const float v23 = 0.0f + v22;
  const int v24 = v6 + 1;
  const float v25 = pack0.y;
  const int v26 = v19 + 1;
  const float v27 = pack1.y;
  const float v28 = v25 + v27;
  own_stripe0[1] = v28;
  const float v29 = v28 - v7;
  const float v30 = v23 + v29;
  const int v31 = v6 + 2;
  const float v32 = p_x[v31 + lane * 4];
  const int v33 = v19 + 2;
  const float v34 = p_residual[v33 + lane * 4];
  const float v35 = v32 + v34;
  own_stripe0[2] = v35;
  const float v36 = v35 - v7;
  const float v37 = v30 + v36;
  const int v38 = v6 + 3;
  const float v39 = v15 ? p_x[v38 + lane * 4] : 0.0f;
  const int v40 = v19 + 3;
  const float v41 = v15 ? p_residual[v40 + lane * 4] : 0.0f;
  const float v42 = v39 + v41;
  own_stripe0[3] = v42;
  const float v43 = v42 - v7;
  const float v44 = v37 + v43;
  const float v45 = v15 ? v44 : v37;
  const float v46 = simd_sum(v45);
  const float v48 = v46 / 127.0f;
  const float v49 = -v7;
  const float v51 = own_stripe0[0];
  const float v52 = fma(v51, 1.0f, v49);
  const float v53 = v52 - v48;
  own_stripe1[0] = v53;
  const float v54 = v53 * v53;
  const float v55 = 0.0f + v54;
  const float v56 = own_stripe0[1];
  const float v57 = fma(v56, 1.0f, v49);
  const float v58 = v57 - v48;
  own_stripe1[1] = v58;
  const float v59 = v58 * v58;
  const float v60 = v55 + v59;
  const float v61 = own_stripe0[2];
  const float v62 = fma(v61, 1.0f, v49);
  const float v63 = v62 - v48;
  own_stripe1[2] = v63;
  const float v64 = v63 * v63;
  const float v65 = v60 + v64;
  const float v66 = own_stripe0[3];
  const float v67 = fma(v66, 1.0f, v49);
  const float v68 = v67 - v48;
  own_stripe1[3] = v68;
  const float v69 = v68 * v68;
  const float v70 = v65 + v69;
  const float v71 = v15 ? v70 : v65;
  const float v72 = simd_sum(v71);
  const float v74 = v72 / 127.0f;
  const float v75 = v74 + n_eps;
  const float v76 = precise::sqrt(v75);
  const float v77 = 1.0f / v76;
  const float2 pack2 = *(device const float2*)(p_bias + (lane * 4));
  const float v78 = pack2.x;
  const float2 pack3 = *(device const float2*)(p_weight + (lane * 4));
  const float v79 = pack3.x;
  const float v80 = own_stripe1[0];
  const float v81 = v80 * v77;
  const float v82 = v81 * v79;
  const float v83 = v82 + v78;
  const int v85 = (int)n_y_stride0;
  const int v86 = v2 * v85;
  const float v87 = pack2.y;
  const float v88 = pack3.y;
  const float v89 = own_stripe1[1];
  const float v90 = v89 * v77;
  const float v91 = v90 * v88;
  const float v92 = v91 + v87;
  const int v93 = v86 + 1;
  *(device float2*)(p_y + (v86 + lane * 4)) = float2(v83, v92);
  const float v94 = p_bias[2 + lane * 4];
  const float v95 = p_weight[2 + lane * 4];
  const float v96 = own_stripe1[2];
  const float v97 = v96 * v77;
  const float v98 = v97 * v95;
  const float v99 = v98 + v94;
  const int v100 = v86 + 2;
  p_y[v100 + lane * 4] = v99;
  const float v101 = v15 ? p_bias[3 + lane * 4] : 0.0f;
  const float v102 = v15 ? p_weight[3 + lane * 4] : 0.0f;
  const float v103 = own_stripe1[3];
  const float v104 = v103 * v77;
  const float v105 = v104 * v102;
  const float v106 = v105 + v101;
  const int v107 = v86 + 3;
  if (v15) p_y[v107 + lane * 4] = v106;
}
