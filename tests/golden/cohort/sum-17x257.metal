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
  const long v3 = (long)(group & 1L);
  const int v5 = (int)v3;
  const int v7 = v5 + 257;
  const int v10 = lane * 2;
  const bool v12 = v10 >= v5;
  const bool v14 = v12 != true;
  const long v17 = (long)((ulong)group * (ulong)n_x_stride0);
  const long v19 = (long)(v17 & (-2L));
  const long v20 = v19 + 1L;
  const float2 pack0 = v12 ? *(device const float2*)(p_x + v19 + lane * 2L) : float2(float(0));
  const float v21 = v12 ? pack0.x : 0.0f;
  const float v22 = v12 ? pack0.y : 0.0f;
  const bool v23 = simd_any(v14);
  const long v24 = (long)v23;
  const bool v25 = v12 & v14;
  float v26 = 0.0f;
  float v28 = 0.0f;
  for (long i30 = 0L; i30 < v24; i30 += 1L) {
    const float v31 = v25 ? p_x[v19 + lane * 2L] : 0.0f;
    const float v32 = v14 ? p_x[v20 + lane * 2L] : 0.0f;
    v26 = v31;
    v28 = v32;
  }
  const float v33 = v12 ? v21 : v26;
  const float v34 = v12 ? v22 : v28;
  const float v35 = 0.0f + v33;
  const float v36 = v12 ? v35 : 0.0f;
  const float v37 = v36 + v34;
  float v39 = v37;
  for (long i41 = 0L; i41 < 3L; i41 += 1L) {
    const long v42 = i41 * 64L;
    const long v43 = v19 + v42;
    const long v44 = v43 + 64L;
    const float2 pack1 = *(device const float2*)(p_x + v43 + 64L + lane * 2L);
    const float v45 = pack1.x;
    const float v46 = v39 + v45;
    const long v47 = v43 + 65L;
    const float v48 = pack1.y;
    const float v49 = v46 + v48;
    v39 = v49;
  }
  const int v53 = v10 + 256;
  const int v54 = v10 + 257;
  const bool v55 = v53 < v7;
  const bool v56 = v54 < v7;
  const bool v57 = v55 & v56;
  const bool v58 = v55 | v56;
  const bool v59 = v57 != true;
  const bool v60 = v58 & v59;
  const long v61 = v19 + 256L;
  const long v62 = v19 + 257L;
  const float2 pack2 = v57 ? *(device const float2*)(p_x + v19 + 256L + lane * 2L) : float2(float(0));
  const float v63 = v57 ? pack2.x : 0.0f;
  const float v64 = v57 ? pack2.y : 0.0f;
  const bool v65 = simd_any(v60);
  const long v66 = (long)v65;
  const bool v67 = v55 & v60;
  const bool v68 = v56 & v60;
  float v69 = 0.0f;
  float v71 = 0.0f;
  for (long i73 = 0L; i73 < v66; i73 += 1L) {
    const float v74 = v67 ? p_x[v61 + lane * 2L] : 0.0f;
    const float v75 = v68 ? p_x[v62 + lane * 2L] : 0.0f;
    v69 = v74;
    v71 = v75;
  }
  const float v76 = v57 ? v63 : v69;
  const float v77 = v57 ? v64 : v71;
  const float v78 = v39 + v76;
  const float v79 = v55 ? v78 : v39;
  const float v80 = v79 + v77;
  const float v81 = v56 ? v80 : v79;
  const float v82 = simd_sum(v81);
  if (lane == 0) p_y[group] = v82;
}
