#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_64d6963907b4_0(
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
  own_stripe0[0] = v16;
  const float v17 = v16 - v7;
  const float v18 = 0.0f + v17;
  const int v19 = v6 + 1;
  const float v20 = pack0.y;
  own_stripe0[1] = v20;
  const float v21 = v20 - v7;
  const float v22 = v18 + v21;
  const int v23 = v6 + 2;
  const float v24 = p_x[v23 + lane * 4];
  own_stripe0[2] = v24;
  const float v25 = v24 - v7;
  const float v26 = v22 + v25;
  const int v27 = v6 + 3;
  const float v28 = v15 ? p_x[v27 + lane * 4] : 0.0f;
  own_stripe0[3] = v28;
  const float v29 = v28 - v7;
  const float v30 = v26 + v29;
  const float v31 = v15 ? v30 : v26;
  const float v32 = simd_sum(v31);
  const float v34 = v32 / 127.0f;
  const float v35 = -v7;
  const float v37 = own_stripe0[0];
  const float v38 = fma(v37, 1.0f, v35);
  const float v39 = v38 - v34;
  own_stripe1[0] = v39;
  const float v40 = v39 * v39;
  const float v41 = 0.0f + v40;
  const float v42 = own_stripe0[1];
  const float v43 = fma(v42, 1.0f, v35);
  const float v44 = v43 - v34;
  own_stripe1[1] = v44;
  const float v45 = v44 * v44;
  const float v46 = v41 + v45;
  const float v47 = own_stripe0[2];
  const float v48 = fma(v47, 1.0f, v35);
  const float v49 = v48 - v34;
  own_stripe1[2] = v49;
  const float v50 = v49 * v49;
  const float v51 = v46 + v50;
  const float v52 = own_stripe0[3];
  const float v53 = fma(v52, 1.0f, v35);
  const float v54 = v53 - v34;
  own_stripe1[3] = v54;
  const float v55 = v54 * v54;
  const float v56 = v51 + v55;
  const float v57 = v15 ? v56 : v51;
  const float v58 = simd_sum(v57);
  const float v60 = v58 / 127.0f;
  const float v61 = v60 + n_eps;
  const float v62 = precise::sqrt(v61);
  const float v63 = 1.0f / v62;
  const float2 pack1 = *(device const float2*)(p_bias + (lane * 4));
  const float v64 = pack1.x;
  const float2 pack2 = *(device const float2*)(p_weight + (lane * 4));
  const float v65 = pack2.x;
  const float v66 = own_stripe1[0];
  const float v67 = v66 * v63;
  const float v68 = v67 * v65;
  const float v69 = v68 + v64;
  const int v71 = (int)n_y_stride0;
  const int v72 = v2 * v71;
  const float v73 = pack1.y;
  const float v74 = pack2.y;
  const float v75 = own_stripe1[1];
  const float v76 = v75 * v63;
  const float v77 = v76 * v74;
  const float v78 = v77 + v73;
  const int v79 = v72 + 1;
  *(device float2*)(p_y + (v72 + lane * 4)) = float2(v69, v78);
  const float v80 = p_bias[2 + lane * 4];
  const float v81 = p_weight[2 + lane * 4];
  const float v82 = own_stripe1[2];
  const float v83 = v82 * v63;
  const float v84 = v83 * v81;
  const float v85 = v84 + v80;
  const int v86 = v72 + 2;
  p_y[v86 + lane * 4] = v85;
  const float v87 = v15 ? p_bias[3 + lane * 4] : 0.0f;
  const float v88 = v15 ? p_weight[3 + lane * 4] : 0.0f;
  const float v89 = own_stripe1[3];
  const float v90 = v89 * v63;
  const float v91 = v90 * v88;
  const float v92 = v91 + v87;
  const int v93 = v72 + 3;
  if (v15) p_y[v93 + lane * 4] = v92;
}
