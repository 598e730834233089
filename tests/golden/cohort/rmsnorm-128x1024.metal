#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void rms_norm_kernel_dc463a1c80ee_0(
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
  float own_stripe0[32];
  const long v10 = group * n_x_stride0;
  float v11 = 0.0f;
  #pragma unroll
  for (long i13 = 0L; i13 < 8L; i13 += 1L) {
    const long v14 = i13 * 128L;
    const long v15 = i13 * 4L;
    const long v16 = v15 + 1L;
    const long v17 = v15 + 2L;
    const long v18 = v15 + 3L;
    const long v19 = v10 + v14;
    const float4 pack0 = *(device const float4*)(p_x + v19 + lane * 4L);
    const float v20 = pack0.x;
    own_stripe0[v15] = v20;
    const float v21 = v20 * v20;
    const float v22 = v11 + v21;
    const long v23 = v19 + 1L;
    const float v24 = pack0.y;
    own_stripe0[v16] = v24;
    const float v25 = v24 * v24;
    const float v26 = v22 + v25;
    const long v27 = v19 + 2L;
    const float v28 = pack0.z;
    own_stripe0[v17] = v28;
    const float v29 = v28 * v28;
    const float v30 = v26 + v29;
    const long v31 = v19 + 3L;
    const float v32 = pack0.w;
    own_stripe0[v18] = v32;
    const float v33 = v32 * v32;
    const float v34 = v30 + v33;
    v11 = v34;
  }
  const float v35 = simd_sum(v11);
  const float v38 = v35 / 1024.0f;
  const float v39 = v38 + n_eps;
  const float v41 = precise::sqrt(v39);
  const float v42 = 1.0f / v41;
  const long v44 = group * n_y_stride0;
  #pragma unroll
  for (long i45 = 0L; i45 < 8L; i45 += 1L) {
    const long v46 = i45 * 128L;
    const long v47 = i45 * 4L;
    const long v48 = v46 + 1L;
    const long v49 = v47 + 1L;
    const long v50 = v46 + 2L;
    const long v51 = v47 + 2L;
    const long v52 = v46 + 3L;
    const long v53 = v47 + 3L;
    const float4 pack1 = *(device const float4*)(p_weight + v46 + lane * 4L);
    const float v54 = pack1.x;
    const float v55 = own_stripe0[v47];
    const float v56 = v55 * v42;
    const float v57 = v56 * v54;
    const long v58 = v44 + v46;
    const float v59 = pack1.y;
    const float v60 = own_stripe0[v49];
    const float v61 = v60 * v42;
    const float v62 = v61 * v59;
    const long v63 = v58 + 1L;
    const float v64 = pack1.z;
    const float v65 = own_stripe0[v51];
    const float v66 = v65 * v42;
    const float v67 = v66 * v64;
    const long v68 = v58 + 2L;
    const float v69 = pack1.w;
    const float v70 = own_stripe0[v53];
    const float v71 = v70 * v42;
    const float v72 = v71 * v69;
    const long v73 = v58 + 3L;
    *(device float4*)(p_y + v58 + lane * 4L) = float4(v57, v62, v67, v72);
  }
}
