#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(256)]]
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
  threadgroup float shared_partial0[8];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  float own_stripe0[16];
  const int v7 = subgroup * 128;
  const int v12 = (int)n_x_stride0;
  const int v13 = group * v12;
  float v14 = 0.0f;
  #pragma unroll
  for (int i16 = 0; i16 < 4; i16 += 1) {
    const int v17 = i16 * 1024;
    const int v18 = v17 + v7;
    const int v19 = i16 * 4;
    const int v20 = v19 + 1;
    const int v21 = v19 + 2;
    const int v22 = v19 + 3;
    const int v23 = v13 + v18;
    const float4 pack0 = *(device const float4*)(p_x + (v23 + lane * 4));
    const float v24 = pack0.x;
    own_stripe0[v19] = v24;
    const float v25 = v24 * v24;
    const float v26 = v14 + v25;
    const int v27 = v23 + 1;
    const float v28 = pack0.y;
    own_stripe0[v20] = v28;
    const float v29 = v28 * v28;
    const float v30 = v26 + v29;
    const int v31 = v23 + 2;
    const float v32 = pack0.z;
    own_stripe0[v21] = v32;
    const float v33 = v32 * v32;
    const float v34 = v30 + v33;
    const int v35 = v23 + 3;
    const float v36 = pack0.w;
    own_stripe0[v22] = v36;
    const float v37 = v36 * v36;
    const float v38 = v34 + v37;
    v14 = v38;
  }
  const float v39 = simd_sum(v14);
  if (lane == 0) shared_partial0[subgroup] = v39;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v42 = lane < 8;
  const float v43 = v42 ? shared_partial0[lane] : 0.0f;
  const float v44 = simd_sum(v43);
  const float v47 = v44 / 4096.0f;
  const float v48 = v47 + n_eps;
  const float v50 = precise::sqrt(v48);
  const float v51 = 1.0f / v50;
  const int v53 = (int)n_y_stride0;
  const int v54 = group * v53;
  #pragma unroll
  for (int i55 = 0; i55 < 4; i55 += 1) {
    const int v56 = i55 * 1024;
    const int v57 = v56 + v7;
    const int v58 = i55 * 4;
    const int v59 = v57 + 1;
    const int v60 = v58 + 1;
    const int v61 = v57 + 2;
    const int v62 = v58 + 2;
    const int v63 = v57 + 3;
    const int v64 = v58 + 3;
    const float4 pack1 = *(device const float4*)(p_weight + (v57 + lane * 4));
    const float v65 = pack1.x;
    const float v66 = own_stripe0[v58];
    const float v67 = v66 * v51;
    const float v68 = v67 * v65;
    const int v69 = v54 + v57;
    const float v70 = pack1.y;
    const float v71 = own_stripe0[v60];
    const float v72 = v71 * v51;
    const float v73 = v72 * v70;
    const int v74 = v69 + 1;
    const float v75 = pack1.z;
    const float v76 = own_stripe0[v62];
    const float v77 = v76 * v51;
    const float v78 = v77 * v75;
    const int v79 = v69 + 2;
    const float v80 = pack1.w;
    const float v81 = own_stripe0[v64];
    const float v82 = v81 * v51;
    const float v83 = v82 * v80;
    const int v84 = v69 + 3;
    *(device float4*)(p_y + (v69 + lane * 4)) = float4(v68, v73, v78, v83);
  }
}
