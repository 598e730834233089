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
  const int group = group_;
  float own_stripe0[4];
  const int v8 = lane * 4;
  const bool v10 = v8 < 124;
  const int v12 = (int)n_x_stride0;
  const int v13 = group * v12;
  const float2 pack0 = *(device const float2*)(p_x + (v13 + lane * 4));
  const float v14 = pack0.x;
  own_stripe0[0] = v14;
  const float v15 = v14 * v14;
  const float v16 = 0.0f + v15;
  const int v17 = v13 + 1;
  const float v18 = pack0.y;
  own_stripe0[1] = v18;
  const float v19 = v18 * v18;
  const float v20 = v16 + v19;
  const int v21 = v13 + 2;
  const float v22 = p_x[v21 + lane * 4];
  own_stripe0[2] = v22;
  const float v23 = v22 * v22;
  const float v24 = v20 + v23;
  const int v25 = v13 + 3;
  const float v26 = v10 ? p_x[v25 + lane * 4] : 0.0f;
  own_stripe0[3] = v26;
  const float v27 = v26 * v26;
  const float v28 = v24 + v27;
  const float v29 = v10 ? v28 : v24;
  const float v30 = simd_sum(v29);
  const float v33 = v30 / 127.0f;
  const float v34 = v33 + n_eps;
  const float v36 = precise::sqrt(v34);
  const float v37 = 1.0f / v36;
  const float2 pack1 = *(device const float2*)(p_weight + (lane * 4));
  const float v38 = pack1.x;
  const float v39 = own_stripe0[0];
  const float v40 = v39 * v37;
  const float v41 = v40 * v38;
  const int v43 = (int)n_y_stride0;
  const int v44 = group * v43;
  const float v45 = pack1.y;
  const float v46 = own_stripe0[1];
  const float v47 = v46 * v37;
  const float v48 = v47 * v45;
  const int v49 = v44 + 1;
  *(device float2*)(p_y + (v44 + lane * 4)) = float2(v41, v48);
  const float v50 = p_weight[2 + lane * 4];
  const float v51 = own_stripe0[2];
  const float v52 = v51 * v37;
  const float v53 = v52 * v50;
  const int v54 = v44 + 2;
  p_y[v54 + lane * 4] = v53;
  const float v55 = v10 ? p_weight[3 + lane * 4] : 0.0f;
  const float v56 = own_stripe0[3];
  const float v57 = v56 * v37;
  const float v58 = v57 * v55;
  const int v59 = v44 + 3;
  if (v10) p_y[v59 + lane * 4] = v58;
}
