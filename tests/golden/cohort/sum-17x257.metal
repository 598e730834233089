#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void sum_kernel_89f17e8f9535_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const int group = group_;
  const int v3 = (int)(group & 1);
  const int v5 = (int)v3;
  const int v7 = v5 + 257;
  const int v10 = lane * 2;
  const bool v12 = v10 >= v5;
  const bool v14 = v12 != true;
  const int v17 = (int)n_x_stride0;
  const int v18 = group * v17;
  const int v20 = (int)(v18 & (-2));
  const int v21 = v20 + 1;
  const float2 pack0 = v12 ? *(device const float2*)(p_x + (v20 + lane * 2)) : float2(float(0));
  const float v22 = v12 ? pack0.x : 0.0f;
  const float v23 = v12 ? pack0.y : 0.0f;
  const bool v24 = simd_any(v14);
  const int v25 = (int)v24;
  float v26 = v22;
  float v28 = v23;
  for (int i30 = 0; i30 < v25; i30 += 1) {
    const float v31 = v14 ? p_x[v21 + lane * 2] : v28;
    v28 = v31;
  }
  const float v32 = 0.0f + v26;
  const float v33 = v12 ? v32 : 0.0f;
  const float v34 = v33 + v28;
  float v36 = v34;
  #pragma unroll
  for (int i38 = 0; i38 < 3; i38 += 1) {
    const int v39 = i38 * 64;
    const int v40 = v20 + v39;
    const int v41 = v40 + 64;
    const float2 pack1 = *(device const float2*)(p_x + (v40 + 64 + lane * 2));
    const float v42 = pack1.x;
    const float v43 = v36 + v42;
    const int v44 = v40 + 65;
    const float v45 = pack1.y;
    const float v46 = v43 + v45;
    v36 = v46;
  }
  const int v50 = v10 + 256;
  const int v51 = v10 + 257;
  const bool v52 = v50 < v7;
  const bool v53 = v51 < v7;
  const bool v54 = v53 != true;
  const bool v55 = v52 & v54;
  const int v56 = v20 + 256;
  const int v57 = v20 + 257;
  const float2 pack2 = v53 ? *(device const float2*)(p_x + (v20 + 256 + lane * 2)) : float2(float(0));
  const float v58 = v53 ? pack2.x : 0.0f;
  const float v59 = v53 ? pack2.y : 0.0f;
  const bool v60 = v52 & v55;
  const bool v61 = simd_any(v55);
  const int v62 = (int)v61;
  float v63 = v58;
  float v65 = v59;
  for (int i67 = 0; i67 < v62; i67 += 1) {
    const float v68 = v60 ? p_x[v56 + lane * 2] : v63;
    v63 = v68;
  }
  const float v69 = v36 + v63;
  const float v70 = v52 ? v69 : v36;
  const float v71 = v70 + v65;
  const float v72 = v53 ? v71 : v70;
  const float v73 = simd_sum(v72);
  if (lane == 0) p_y[group] = v73;
}
