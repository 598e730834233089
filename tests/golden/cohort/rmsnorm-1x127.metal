#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void rms_norm_kernel_c56920be72e0_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    constant long& n_x_stride0 [[buffer(3)]],
    constant float& n_eps [[buffer(4)]],
    constant long& n_y_stride0 [[buffer(5)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const long group = group_;
  float own_stripe0[4];
  const int v2 = (int)group;
  const int v9 = lane * 4;
  const bool v11 = v9 < 124;
  const int v13 = (int)n_x_stride0;
  const int v14 = v2 * v13;
  const float2 pack0 = *(device const float2*)(p_x + (v14 + lane * 4));
  const float v15 = pack0.x;
  own_stripe0[0] = v15;
  const float v16 = v15 * v15;
  const float v17 = 0.0f + v16;
  const int v18 = v14 + 1;
  const float v19 = pack0.y;
  own_stripe0[1] = v19;
  const float v20 = v19 * v19;
  const float v21 = v17 + v20;
  const int v22 = v14 + 2;
  const float v23 = p_x[v22 + lane * 4];
  own_stripe0[2] = v23;
  const float v24 = v23 * v23;
  const float v25 = v21 + v24;
  const int v26 = v14 + 3;
  const float v27 = v11 ? p_x[v26 + lane * 4] : 0.0f;
  own_stripe0[3] = v27;
  const float v28 = v27 * v27;
  const float v29 = v25 + v28;
  const float v30 = v11 ? v29 : v25;
  const float v31 = simd_sum(v30);
  const float v34 = v31 / 127.0f;
  const float v35 = v34 + n_eps;
  const float v37 = precise::sqrt(v35);
  const float v38 = 1.0f / v37;
  const float2 pack1 = *(device const float2*)(p_weight + (lane * 4));
  const float v39 = pack1.x;
  const float v40 = own_stripe0[0];
  const float v41 = v40 * v38;
  const float v42 = v41 * v39;
  const int v44 = (int)n_y_stride0;
  const int v45 = v2 * v44;
  const float v46 = pack1.y;
  const float v47 = own_stripe0[1];
  const float v48 = v47 * v38;
  const float v49 = v48 * v46;
  const int v50 = v45 + 1;
  *(device float2*)(p_y + (v45 + lane * 4)) = float2(v42, v49);
  const float v51 = p_weight[2 + lane * 4];
  const float v52 = own_stripe0[2];
  const float v53 = v52 * v38;
  const float v54 = v53 * v51;
  const int v55 = v45 + 2;
  p_y[v55 + lane * 4] = v54;
  const float v56 = v11 ? p_weight[3 + lane * 4] : 0.0f;
  const float v57 = own_stripe0[3];
  const float v58 = v57 * v38;
  const float v59 = v58 * v56;
  const int v60 = v45 + 3;
  if (v11) p_y[v60 + lane * 4] = v59;
}
