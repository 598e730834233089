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
  const int group = group_;
  float own_stripe0[32];
  const int v10 = (int)n_x_stride0;
  const int v11 = group * v10;
  float v12 = 0.0f;
  #pragma unroll
  for (int i14 = 0; i14 < 8; i14 += 1) {
    const int v15 = i14 * 128;
    const int v16 = i14 * 4;
    const int v17 = v16 + 1;
    const int v18 = v16 + 2;
    const int v19 = v16 + 3;
    const int v20 = v11 + v15;
    const float4 pack0 = *(device const float4*)(p_x + (v20 + lane * 4));
    const float v21 = pack0.x;
    own_stripe0[v16] = v21;
    const float v22 = v21 * v21;
    const float v23 = v12 + v22;
    const int v24 = v20 + 1;
    const float v25 = pack0.y;
    own_stripe0[v17] = v25;
    const float v26 = v25 * v25;
    const float v27 = v23 + v26;
    const int v28 = v20 + 2;
    const float v29 = pack0.z;
    own_stripe0[v18] = v29;
    const float v30 = v29 * v29;
    const float v31 = v27 + v30;
    const int v32 = v20 + 3;
    const float v33 = pack0.w;
    own_stripe0[v19] = v33;
    const float v34 = v33 * v33;
    const float v35 = v31 + v34;
    v12 = v35;
  }
  const float v36 = simd_sum(v12);
  const float v39 = v36 / 1024.0f;
  const float v40 = v39 + n_eps;
  const float v42 = precise::sqrt(v40);
  const float v43 = 1.0f / v42;
  const int v45 = (int)n_y_stride0;
  const int v46 = group * v45;
  #pragma unroll
  for (int i47 = 0; i47 < 8; i47 += 1) {
    const int v48 = i47 * 128;
    const int v49 = i47 * 4;
    const int v50 = v48 + 1;
    const int v51 = v49 + 1;
    const int v52 = v48 + 2;
    const int v53 = v49 + 2;
    const int v54 = v48 + 3;
    const int v55 = v49 + 3;
    const float4 pack1 = *(device const float4*)(p_weight + (v48 + lane * 4));
    const float v56 = pack1.x;
    const float v57 = own_stripe0[v49];
    const float v58 = v57 * v43;
    const float v59 = v58 * v56;
    const int v60 = v46 + v48;
    const float v61 = pack1.y;
    const float v62 = own_stripe0[v51];
    const float v63 = v62 * v43;
    const float v64 = v63 * v61;
    const int v65 = v60 + 1;
    const float v66 = pack1.z;
    const float v67 = own_stripe0[v53];
    const float v68 = v67 * v43;
    const float v69 = v68 * v66;
    const int v70 = v60 + 2;
    const float v71 = pack1.w;
    const float v72 = own_stripe0[v55];
    const float v73 = v72 * v43;
    const float v74 = v73 * v71;
    const int v75 = v60 + 3;
    *(device float4*)(p_y + (v60 + lane * 4)) = float4(v59, v64, v69, v74);
  }
}
