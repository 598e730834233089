#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void layer_norm_kernel_17f00bf25328_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    device const float* p_bias [[buffer(3)]],
    device const float* p_residual [[buffer(4)]],
    constant long& n_residual_stride0 [[buffer(5)]],
    constant long& n_x_stride0 [[buffer(6)]],
    constant float& n_eps [[buffer(7)]],
    constant long& n_y_stride0 [[buffer(8)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const int group = group_;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v4 = (int)n_residual_stride0;
  const int v5 = group * v4;
  const float v6 = p_residual[v5];
  const int v8 = (int)n_x_stride0;
  const int v9 = group * v8;
  const float v10 = p_x[v9];
  const float v11 = v10 + v6;
  const int v17 = lane * 4;
  const bool v19 = v17 < 124;
  const float2 pack0 = *(device const float2*)(p_x + (v9 + lane * 4));
  const float v20 = pack0.x;
  const float2 pack1 = *(device const float2*)(p_residual + (v5 + lane * 4));
  const float v21 = pack1.x;
  const float v22 = v20 + v21;
  own_stripe0[0] = v22;
  const float v23 = v22 - v11;
  const float v24 = 0.0f + v23;
  const int v25 = v9 + 1;
  const float v26 = pack0.y;
  const int v27 = v5 + 1;
  const float v28 = pack1.y;
  const float v29 = v26 + v28;
  own_stripe0[1] = v29;
  const float v30 = v29 - v11;
  const float v31 = v24 + v30;
  const int v32 = v9 + 2;
  const float v33 = p_x[v32 + lane * 4];
  const int v34 = v5 + 2;
  const float v35 = p_residual[v34 + lane * 4];
  const float v36 = v33 + v35;
  own_stripe0[2] = v36;
  const float v37 = v36 - v11;
  const float v38 = v31 + v37;
  const int v39 = v9 + 3;
  const float v40 = v19 ? p_x[v39 + lane * 4] : 0.0f;
  const int v41 = v5 + 3;
  const float v42 = v19 ? p_residual[v41 + lane * 4] : 0.0f;
  const float v43 = v40 + v42;
  own_stripe0[3] = v43;
  const float v44 = v43 - v11;
  const float v45 = v38 + v44;
  const float v46 = v19 ? v45 : v38;
  const float v47 = simd_sum(v46);
  const float v49 = v47 / 127.0f;
  const float v50 = -v11;
  const float v52 = own_stripe0[0];
  const float v53 = fma(v52, 1.0f, v50);
  const float v54 = v53 - v49;
  own_stripe1[0] = v54;
  const float v55 = v54 * v54;
  const float v56 = 0.0f + v55;
  const float v57 = own_stripe0[1];
  const float v58 = fma(v57, 1.0f, v50);
  const float v59 = v58 - v49;
  own_stripe1[1] = v59;
  const float v60 = v59 * v59;
  const float v61 = v56 + v60;
  const float v62 = own_stripe0[2];
  const float v63 = fma(v62, 1.0f, v50);
  const float v64 = v63 - v49;
  own_stripe1[2] = v64;
  const float v65 = v64 * v64;
  const float v66 = v61 + v65;
  const float v67 = own_stripe0[3];
  const float v68 = fma(v67, 1.0f, v50);
  const float v69 = v68 - v49;
  own_stripe1[3] = v69;
  const float v70 = v69 * v69;
  const float v71 = v66 + v70;
  const float v72 = v19 ? v71 : v66;
  const float v73 = simd_sum(v72);
  const float v75 = v73 / 127.0f;
  const float v76 = v75 + n_eps;
  const float v77 = precise::sqrt(v76);
  const float v78 = 1.0f / v77;
  const float2 pack2 = *(device const float2*)(p_bias + (lane * 4));
  const float v79 = pack2.x;
  const float2 pack3 = *(device const float2*)(p_weight + (lane * 4));
  const float v80 = pack3.x;
  const float v81 = own_stripe1[0];
  const float v82 = v81 * v78;
  const float v83 = v82 * v80;
  const float v84 = v83 + v79;
  const int v86 = (int)n_y_stride0;
  const int v87 = group * v86;
  const float v88 = pack2.y;
  const float v89 = pack3.y;
  const float v90 = own_stripe1[1];
  const float v91 = v90 * v78;
  const float v92 = v91 * v89;
  const float v93 = v92 + v88;
  const int v94 = v87 + 1;
  *(device float2*)(p_y + (v87 + lane * 4)) = float2(v84, v93);
  const float v95 = p_bias[2 + lane * 4];
  const float v96 = p_weight[2 + lane * 4];
  const float v97 = own_stripe1[2];
  const float v98 = v97 * v78;
  const float v99 = v98 * v96;
  const float v100 = v99 + v95;
  const int v101 = v87 + 2;
  p_y[v101 + lane * 4] = v100;
  const float v102 = v19 ? p_bias[3 + lane * 4] : 0.0f;
  const float v103 = v19 ? p_weight[3 + lane * 4] : 0.0f;
  const float v104 = own_stripe1[3];
  const float v105 = v104 * v78;
  const float v106 = v105 * v103;
  const float v107 = v106 + v102;
  const int v108 = v87 + 3;
  if (v19) p_y[v108 + lane * 4] = v107;
}
