#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(64)]]
kernel void rms_norm_kernel_dc463a1c80ee_0(
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
  const int group = group_;
  float own_stripe0[16];
  const int v7 = subgroup * 128;
  const int v12 = (int)n_x_stride0;
  const int v13 = group * v12;
  float v14 = 0.0f;
  #pragma unroll
  for (int i16 = 0; i16 < 4; i16 += 1) {
    const int v17 = i16 * 256;
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
  const bool v41 = lane < 2;
  const float v42 = v41 ? shared_partial0[lane] : 0.0f;
  const float v43 = simd_sum(v42);
  const float v46 = v43 / 1024.0f;
  const float v47 = v46 + n_eps;
  const float v49 = precise::sqrt(v47);
  const float v50 = 1.0f / v49;
  const int v52 = (int)n_y_stride0;
  const int v53 = group * v52;
  #pragma unroll
  for (int i54 = 0; i54 < 4; i54 += 1) {
    const int v55 = i54 * 256;
    const int v56 = v55 + v7;
    const int v57 = i54 * 4;
    const int v58 = v56 + 1;
    const int v59 = v57 + 1;
    const int v60 = v56 + 2;
    const int v61 = v57 + 2;
    const int v62 = v56 + 3;
    const int v63 = v57 + 3;
    const float4 pack1 = *(device const float4*)(p_weight + (v56 + lane * 4));
    const float v64 = pack1.x;
    const float v65 = own_stripe0[v57];
    const float v66 = v65 * v50;
    const float v67 = v66 * v64;
    const int v68 = v53 + v56;
    const float v69 = pack1.y;
    const float v70 = own_stripe0[v59];
    const float v71 = v70 * v50;
    const float v72 = v71 * v69;
    const int v73 = v68 + 1;
    const float v74 = pack1.z;
    const float v75 = own_stripe0[v61];
    const float v76 = v75 * v50;
    const float v77 = v76 * v74;
    const int v78 = v68 + 2;
    const float v79 = pack1.w;
    const float v80 = own_stripe0[v63];
    const float v81 = v80 * v50;
    const float v82 = v81 * v79;
    const int v83 = v68 + 3;
    *(device float4*)(p_y + (v68 + lane * 4)) = float4(v67, v72, v77, v82);
  }
}
