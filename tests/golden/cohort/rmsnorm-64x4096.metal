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
  const long v6 = (long)subgroup;
  const long v8 = v6 * 128L;
  const long v14 = group * n_x_stride0;
  float v15 = 0.0f;
  #pragma unroll
  for (long i17 = 0L; i17 < 16L; i17 += 1L) {
    const long v18 = i17 * 256L;
    const long v19 = v18 + v8;
    const long v20 = i17 * 4L;
    const long v21 = v20 + 1L;
    const long v22 = v20 + 2L;
    const long v23 = v20 + 3L;
    const long v24 = v14 + v19;
    const float4 pack0 = *(device const float4*)(p_x + v24 + lane * 4L);
    const float v25 = pack0.x;
    own_stripe0[v20] = v25;
    const float v26 = v25 * v25;
    const float v27 = v15 + v26;
    const long v28 = v24 + 1L;
    const float v29 = pack0.y;
    own_stripe0[v21] = v29;
    const float v30 = v29 * v29;
    const float v31 = v27 + v30;
    const long v32 = v24 + 2L;
    const float v33 = pack0.z;
    own_stripe0[v22] = v33;
    const float v34 = v33 * v33;
    const float v35 = v31 + v34;
    const long v36 = v24 + 3L;
    const float v37 = pack0.w;
    own_stripe0[v23] = v37;
    const float v38 = v37 * v37;
    const float v39 = v35 + v38;
    v15 = v39;
  }
  const float v40 = simd_sum(v15);
  if (lane == 0) shared_partial0[v6] = v40;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const long v42 = (long)lane;
  const bool v43 = v42 < 2L;
  const float v44 = v43 ? shared_partial0[v42] : 0.0f;
  const float v45 = simd_sum(v44);
  const float v48 = v45 / 4096.0f;
  const float v49 = v48 + n_eps;
  const float v51 = precise::sqrt(v49);
  const float v52 = 1.0f / v51;
  const long v54 = group * n_y_stride0;
  #pragma unroll
  for (long i55 = 0L; i55 < 16L; i55 += 1L) {
    const long v56 = i55 * 256L;
    const long v57 = v56 + v8;
    const long v58 = i55 * 4L;
    const long v59 = v57 + 1L;
    const long v60 = v58 + 1L;
    const long v61 = v57 + 2L;
    const long v62 = v58 + 2L;
    const long v63 = v57 + 3L;
    const long v64 = v58 + 3L;
    const float4 pack1 = *(device const float4*)(p_weight + v57 + lane * 4L);
    const float v65 = pack1.x;
    const float v66 = own_stripe0[v58];
    const float v67 = v66 * v52;
    const float v68 = v67 * v65;
    const long v69 = v54 + v57;
    const float v70 = pack1.y;
    const float v71 = own_stripe0[v60];
    const float v72 = v71 * v52;
    const float v73 = v72 * v70;
    const long v74 = v69 + 1L;
    const float v75 = pack1.z;
    const float v76 = own_stripe0[v62];
    const float v77 = v76 * v52;
    const float v78 = v77 * v75;
    const long v79 = v69 + 2L;
    const float v80 = pack1.w;
    const float v81 = own_stripe0[v64];
    const float v82 = v81 * v52;
    const float v83 = v82 * v80;
    const long v84 = v69 + 3L;
    *(device float4*)(p_y + v69 + lane * 4L) = float4(v68, v73, v78, v83);
  }
}
