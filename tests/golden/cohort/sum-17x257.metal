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
  const bool v26 = v12 & v14;
  float v27 = 0.0f;
  float v29 = 0.0f;
  for (int i31 = 0; i31 < v25; i31 += 1) {
    const float v32 = v26 ? p_x[v20 + lane * 2] : 0.0f;
    const float v33 = v14 ? p_x[v21 + lane * 2] : 0.0f;
    v27 = v32;
    v29 = v33;
  }
  const float v34 = v12 ? v22 : v27;
  const float v35 = v12 ? v23 : v29;
  const float v36 = 0.0f + v34;
  const float v37 = v12 ? v36 : 0.0f;
  const float v38 = v37 + v35;
  float v40 = v38;
  #pragma unroll
  for (int i42 = 0; i42 < 3; i42 += 1) {
    const int v43 = i42 * 64;
    const int v44 = v20 + v43;
    const int v45 = v44 + 64;
    const float2 pack1 = *(device const float2*)(p_x + (v44 + 64 + lane * 2));
    const float v46 = pack1.x;
    const float v47 = v40 + v46;
    const int v48 = v44 + 65;
    const float v49 = pack1.y;
    const float v50 = v47 + v49;
    v40 = v50;
  }
  const int v54 = v10 + 256;
  const int v55 = v10 + 257;
  const bool v56 = v54 < v7;
  const bool v57 = v55 < v7;
  const bool v58 = v56 & v57;
  const bool v59 = v56 | v57;
  const bool v60 = v58 != true;
  const bool v61 = v59 & v60;
  const int v62 = v20 + 256;
  const int v63 = v20 + 257;
  const float2 pack2 = v58 ? *(device const float2*)(p_x + (v20 + 256 + lane * 2)) : float2(float(0));
  const float v64 = v58 ? pack2.x : 0.0f;
  const float v65 = v58 ? pack2.y : 0.0f;
  const bool v66 = simd_any(v61);
  const int v67 = (int)v66;
  const bool v68 = v56 & v61;
  const bool v69 = v57 & v61;
  float v70 = 0.0f;
  float v72 = 0.0f;
  for (int i74 = 0; i74 < v67; i74 += 1) {
    const float v75 = v68 ? p_x[v62 + lane * 2] : 0.0f;
    const float v76 = v69 ? p_x[v63 + lane * 2] : 0.0f;
    v70 = v75;
    v72 = v76;
  }
  const float v77 = v58 ? v64 : v70;
  const float v78 = v58 ? v65 : v72;
  const float v79 = v40 + v77;
  const float v80 = v56 ? v79 : v40;
  const float v81 = v80 + v78;
  const float v82 = v57 ? v81 : v80;
  const float v83 = simd_sum(v82);
  if (lane == 0) p_y[group] = v83;
}
