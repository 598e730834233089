#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(64)]]
kernel void rms_norm_kernel_d71501988034_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    constant long& n_x_stride0 [[buffer(3)]],
    constant float& n_eps [[buffer(4)]],
    constant long& n_y_stride0 [[buffer(5)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[2];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const long group = group_;
  float own_stripe0[64];
  const int v3 = (int)group;
  const int v8 = subgroup * 128;
  const int v14 = (int)n_x_stride0;
  const int v15 = v3 * v14;
  float v16 = 0.0f;
  #pragma unroll
  for (int i18 = 0; i18 < 16; i18 += 1) {
    const int v19 = i18 * 256;
    const int v20 = v19 + v8;
    const int v21 = i18 * 4;
    const int v22 = v21 + 1;
    const int v23 = v21 + 2;
    const int v24 = v21 + 3;
    const int v25 = v15 + v20;
    const float4 pack0 = *(device const float4*)(p_x + (v25 + lane * 4));
    const float v26 = pack0.x;
    own_stripe0[v21] = v26;
    const float v27 = v26 * v26;
    const float v28 = v16 + v27;
    const int v29 = v25 + 1;
    const float v30 = pack0.y;
    own_stripe0[v22] = v30;
    const float v31 = v30 * v30;
    const float v32 = v28 + v31;
    const int v33 = v25 + 2;
    const float v34 = pack0.z;
    own_stripe0[v23] = v34;
    const float v35 = v34 * v34;
    const float v36 = v32 + v35;
    const int v37 = v25 + 3;
    const float v38 = pack0.w;
    own_stripe0[v24] = v38;
    const float v39 = v38 * v38;
    const float v40 = v36 + v39;
    v16 = v40;
  }
  const float v41 = simd_sum(v16);
  if (lane == 0) shared_partial0[subgroup] = v41;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v43 = lane < 2;
  const float v44 = v43 ? shared_partial0[lane] : 0.0f;
  const float v45 = simd_sum(v44);
  const float v48 = v45 / 4096.0f;
  const float v49 = v48 + n_eps;
  const float v51 = precise::sqrt(v49);
  const float v52 = 1.0f / v51;
  const int v54 = (int)n_y_stride0;
  const int v55 = v3 * v54;
  #pragma unroll
  for (int i56 = 0; i56 < 16; i56 += 1) {
    const int v57 = i56 * 256;
    const int v58 = v57 + v8;
    const int v59 = i56 * 4;
    const int v60 = v58 + 1;
    const int v61 = v59 + 1;
    const int v62 = v58 + 2;
    const int v63 = v59 + 2;
    const int v64 = v58 + 3;
    const int v65 = v59 + 3;
    const float4 pack1 = *(device const float4*)(p_weight + (v58 + lane * 4));
    const float v66 = pack1.x;
    const float v67 = own_stripe0[v59];
    const float v68 = v67 * v52;
    const float v69 = v68 * v66;
    const int v70 = v55 + v58;
    const float v71 = pack1.y;
    const float v72 = own_stripe0[v61];
    const float v73 = v72 * v52;
    const float v74 = v73 * v71;
    const int v75 = v70 + 1;
    const float v76 = pack1.z;
    const float v77 = own_stripe0[v63];
    const float v78 = v77 * v52;
    const float v79 = v78 * v76;
    const int v80 = v70 + 2;
    const float v81 = pack1.w;
    const float v82 = own_stripe0[v65];
    const float v83 = v82 * v52;
    const float v84 = v83 * v81;
    const int v85 = v70 + 3;
    *(device float4*)(p_y + (v70 + lane * 4)) = float4(v69, v74, v79, v84);
  }
}
