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
  const int group = group_;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v4 = (int)n_x_stride0;
  const int v5 = group * v4;
  const float v6 = p_x[v5];
  const int v12 = lane * 4;
  const bool v14 = v12 < 124;
  const float2 pack0 = *(device const float2*)(p_x + (v5 + lane * 4));
  const float v15 = pack0.x;
  own_stripe0[0] = v15;
  const float v16 = v15 - v6;
  const float v17 = 0.0f + v16;
  const int v18 = v5 + 1;
  const float v19 = pack0.y;
  own_stripe0[1] = v19;
  const float v20 = v19 - v6;
  const float v21 = v17 + v20;
  const int v22 = v5 + 2;
  const float v23 = p_x[v22 + lane * 4];
  own_stripe0[2] = v23;
  const float v24 = v23 - v6;
  const float v25 = v21 + v24;
  const int v26 = v5 + 3;
  const float v27 = v14 ? p_x[v26 + lane * 4] : 0.0f;
  own_stripe0[3] = v27;
  const float v28 = v27 - v6;
  const float v29 = v25 + v28;
  const float v30 = v14 ? v29 : v25;
  const float v31 = simd_sum(v30);
  const float v33 = v31 / 127.0f;
  const float v34 = -v6;
  const float v36 = own_stripe0[0];
  const float v37 = fma(v36, 1.0f, v34);
  const float v38 = v37 - v33;
  own_stripe1[0] = v38;
  const float v39 = v38 * v38;
  const float v40 = 0.0f + v39;
  const float v41 = own_stripe0[1];
  const float v42 = fma(v41, 1.0f, v34);
  const float v43 = v42 - v33;
  own_stripe1[1] = v43;
  const float v44 = v43 * v43;
  const float v45 = v40 + v44;
  const float v46 = own_stripe0[2];
  const float v47 = fma(v46, 1.0f, v34);
  const float v48 = v47 - v33;
  own_stripe1[2] = v48;
  const float v49 = v48 * v48;
  const float v50 = v45 + v49;
  const float v51 = own_stripe0[3];
  const float v52 = fma(v51, 1.0f, v34);
  const float v53 = v52 - v33;
  own_stripe1[3] = v53;
  const float v54 = v53 * v53;
  const float v55 = v50 + v54;
  const float v56 = v14 ? v55 : v50;
  const float v57 = simd_sum(v56);
  const float v59 = v57 / 127.0f;
  const float v60 = v59 + n_eps;
  const float v61 = precise::sqrt(v60);
  const float v62 = 1.0f / v61;
  const float2 pack1 = *(device const float2*)(p_bias + (lane * 4));
  const float v63 = pack1.x;
  const float2 pack2 = *(device const float2*)(p_weight + (lane * 4));
  const float v64 = pack2.x;
  const float v65 = own_stripe1[0];
  const float v66 = v65 * v62;
  const float v67 = v66 * v64;
  const float v68 = v67 + v63;
  const int v70 = (int)n_y_stride0;
  const int v71 = group * v70;
  const float v72 = pack1.y;
  const float v73 = pack2.y;
  const float v74 = own_stripe1[1];
  const float v75 = v74 * v62;
  const float v76 = v75 * v73;
  const float v77 = v76 + v72;
  const int v78 = v71 + 1;
  *(device float2*)(p_y + (v71 + lane * 4)) = float2(v68, v77);
  const float v79 = p_bias[2 + lane * 4];
  const float v80 = p_weight[2 + lane * 4];
  const float v81 = own_stripe1[2];
  const float v82 = v81 * v62;
  const float v83 = v82 * v80;
  const float v84 = v83 + v79;
  const int v85 = v71 + 2;
  p_y[v85 + lane * 4] = v84;
  const float v86 = v14 ? p_bias[3 + lane * 4] : 0.0f;
  const float v87 = v14 ? p_weight[3 + lane * 4] : 0.0f;
  const float v88 = own_stripe1[3];
  const float v89 = v88 * v62;
  const float v90 = v89 * v87;
  const float v91 = v90 + v86;
  const int v92 = v71 + 3;
  if (v14) p_y[v92 + lane * 4] = v91;
}
