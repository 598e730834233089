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
  const long group = group_;
  const int v2 = (int)group;
  const int v4 = (int)(v2 & 1);
  const int v6 = (int)v4;
  const int v8 = v6 + 257;
  const int v11 = lane * 2;
  const bool v13 = v11 >= v6;
  const bool v15 = v13 != true;
  const int v18 = (int)n_x_stride0;
  const int v19 = v2 * v18;
  const int v21 = (int)(v19 & (-2));
  const int v22 = v21 + 1;
  const float2 pack0 = v13 ? *(device const float2*)(p_x + (v21 + lane * 2)) : float2(float(0));
  const float v23 = v13 ? pack0.x : 0.0f;
  const float v24 = v13 ? pack0.y : 0.0f;
  const bool v25 = simd_any(v15);
  const int v26 = (int)v25;
  const bool v27 = v13 & v15;
  float v28 = 0.0f;
  float v30 = 0.0f;
  for (int i32 = 0; i32 < v26; i32 += 1) {
    const float v33 = v27 ? p_x[v21 + lane * 2] : 0.0f;
    const float v34 = v15 ? p_x[v22 + lane * 2] : 0.0f;
    v28 = v33;
    v30 = v34;
  }
  const float v35 = v13 ? v23 : v28;
  const float v36 = v13 ? v24 : v30;
  const float v37 = 0.0f + v35;
  const float v38 = v13 ? v37 : 0.0f;
  const float v39 = v38 + v36;
  float v41 = v39;
  #pragma unroll
  for (int i43 = 0; i43 < 3; i43 += 1) {
    const int v44 = i43 * 64;
    const int v45 = v21 + v44;
    const int v46 = v45 + 64;
    const float2 pack1 = *(device const float2*)(p_x + (v45 + 64 + lane * 2));
    const float v47 = pack1.x;
    const float v48 = v41 + v47;
    const int v49 = v45 + 65;
    const float v50 = pack1.y;
    const float v51 = v48 + v50;
    v41 = v51;
  }
  const int v55 = v11 + 256;
  const int v56 = v11 + 257;
  const bool v57 = v55 < v8;
  const bool v58 = v56 < v8;
  const bool v59 = v57 & v58;
  const bool v60 = v57 | v58;
  const bool v61 = v59 != true;
  const bool v62 = v60 & v61;
  const int v63 = v21 + 256;
  const int v64 = v21 + 257;
  const float2 pack2 = v59 ? *(device const float2*)(p_x + (v21 + 256 + lane * 2)) : float2(float(0));
  const float v65 = v59 ? pack2.x : 0.0f;
  const float v66 = v59 ? pack2.y : 0.0f;
  const bool v67 = simd_any(v62);
  const int v68 = (int)v67;
  const bool v69 = v57 & v62;
  const bool v70 = v58 & v62;
  float v71 = 0.0f;
  float v73 = 0.0f;
  for (int i75 = 0; i75 < v68; i75 += 1) {
    const float v76 = v69 ? p_x[v63 + lane * 2] : 0.0f;
    const float v77 = v70 ? p_x[v64 + lane * 2] : 0.0f;
    v71 = v76;
    v73 = v77;
  }
  const float v78 = v59 ? v65 : v71;
  const float v79 = v59 ? v66 : v73;
  const float v80 = v41 + v78;
  const float v81 = v57 ? v80 : v41;
  const float v82 = v81 + v79;
  const float v83 = v58 ? v82 : v81;
  const float v84 = simd_sum(v83);
  if (lane == 0) p_y[v2] = v84;
}
