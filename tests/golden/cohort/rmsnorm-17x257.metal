#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

[[max_total_threads_per_threadgroup(320)]]
kernel void rms_norm_kernel_027240339f71_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    device const float* p_weight [[buffer(2)]],
    constant long& n_x_stride0 [[buffer(3)]],
    constant float& n_eps [[buffer(4)]],
    constant long& n_y_stride0 [[buffer(5)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[10];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  float own_stripe0[1];
  const int v5 = subgroup * 32;
  const int v7 = v5 + lane;
  const bool v9 = v7 < 257;
  const int v11 = (int)n_x_stride0;
  const int v12 = group * v11;
  const int v13 = v12 + v5;
  const float v14 = v9 ? p_x[v13 + lane] : 0.0f;
  own_stripe0[0] = v14;
  const float v15 = v14 * v14;
  const float v16 = 0.0f + v15;
  const float v17 = v9 ? v16 : 0.0f;
  const float v18 = simd_sum(v17);
  if (lane == 0) shared_partial0[subgroup] = v18;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v20 = lane < 10;
  const float v21 = v20 ? shared_partial0[lane] : 0.0f;
  const float v22 = simd_sum(v21);
  const float v25 = v22 / 257.0f;
  const float v26 = v25 + n_eps;
  const float v28 = precise::sqrt(v26);
  const float v29 = 1.0f / v28;
  const float v30 = v9 ? p_weight[v5 + lane] : 0.0f;
  const float v31 = own_stripe0[0];
  const float v32 = v31 * v29;
  const float v33 = v32 * v30;
  const int v35 = (int)n_y_stride0;
  const int v36 = group * v35;
  const int v37 = v36 + v5;
  if (v9) p_y[v37 + lane] = v33;
}
