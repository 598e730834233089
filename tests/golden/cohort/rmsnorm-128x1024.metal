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
  const int v2 = (int)group;
  const int v11 = (int)n_x_stride0;
  const int v12 = v2 * v11;
  float v13 = 0.0f;
  #pragma unroll
  for (int i15 = 0; i15 < 8; i15 += 1) {
    const int v16 = i15 * 128;
    const int v17 = i15 * 4;
    const int v18 = v17 + 1;
    const int v19 = v17 + 2;
    const int v20 = v17 + 3;
    const int v21 = v12 + v16;
    const float4 pack0 = *(device const float4*)(p_x + (v21 + lane * 4));
    const float v22 = pack0.x;
    own_stripe0[v17] = v22;
    const float v23 = v22 * v22;
    const float v24 = v13 + v23;
    const int v25 = v21 + 1;
    const float v26 = pack0.y;
    own_stripe0[v18] = v26;
    const float v27 = v26 * v26;
    const float v28 = v24 + v27;
    const int v29 = v21 + 2;
    const float v30 = pack0.z;
    own_stripe0[v19] = v30;
    const float v31 = v30 * v30;
    const float v32 = v28 + v31;
    const int v33 = v21 + 3;
    const float v34 = pack0.w;
    own_stripe0[v20] = v34;
    const float v35 = v34 * v34;
    const float v36 = v32 + v35;
    v13 = v36;
  }
  const float v37 = simd_sum(v13);
  const float v40 = v37 / 1024.0f;
  const float v41 = v40 + n_eps;
  const float v43 = precise::sqrt(v41);
  const float v44 = 1.0f / v43;
  const int v46 = (int)n_y_stride0;
  const int v47 = v2 * v46;
  #pragma unroll
  for (int i48 = 0; i48 < 8; i48 += 1) {
    const int v49 = i48 * 128;
    const int v50 = i48 * 4;
    const int v51 = v49 + 1;
    const int v52 = v50 + 1;
    const int v53 = v49 + 2;
    const int v54 = v50 + 2;
    const int v55 = v49 + 3;
    const int v56 = v50 + 3;
    const float4 pack1 = *(device const float4*)(p_weight + (v49 + lane * 4));
    const float v57 = pack1.x;
    const float v58 = own_stripe0[v50];
    const float v59 = v58 * v44;
    const float v60 = v59 * v57;
    const int v61 = v47 + v49;
    const float v62 = pack1.y;
    const float v63 = own_stripe0[v52];
    const float v64 = v63 * v44;
    const float v65 = v64 * v62;
    const int v66 = v61 + 1;
    const float v67 = pack1.z;
    const float v68 = own_stripe0[v54];
    const float v69 = v68 * v44;
    const float v70 = v69 * v67;
    const int v71 = v61 + 2;
    const float v72 = pack1.w;
    const float v73 = own_stripe0[v56];
    const float v74 = v73 * v44;
    const float v75 = v74 * v72;
    const int v76 = v61 + 3;
    *(device float4*)(p_y + (v61 + lane * 4)) = float4(v60, v65, v70, v75);
  }
}
