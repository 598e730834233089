#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

static inline float max_nan(float a, float b) {
  return (a > b || isnan(a)) ? a : b;
}

static inline float lanes_maximum(float value) {
  float extremum = simd_max(value);
  bool poisoned = simd_any(isnan(value));
  return poisoned ? NAN : extremum;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void softmax_kernel_5dcb66b17ce3_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    constant long& n_y_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const int group = group_;
  float own_stripe0[9];
  float own_stripe1[9];
  const int v7 = (int)n_x_stride0;
  const int v8 = group * v7;
  float v9 = as_type<float>(0xff800000U);
  #pragma unroll
  for (int i11 = 0; i11 < 8; i11 += 1) {
    const int v12 = i11 * 32;
    const int v13 = v8 + v12;
    const float v14 = p_x[v13 + lane];
    own_stripe0[i11] = v14;
    const float v15 = max_nan(v9, v14);
    v9 = v15;
  }
  const bool v18 = lane < 1;
  const int v20 = v8 + 256;
  const float v21 = v18 ? p_x[v20 + lane] : 0.0f;
  own_stripe0[8] = v21;
  const float v22 = max_nan(v9, v21);
  const float v23 = v18 ? v22 : v9;
  const float v24 = lanes_maximum(v23);
  float v37 = 0.0f;
  #pragma unroll
  for (int i39 = 0; i39 < 8; i39 += 1) {
    const float v40 = own_stripe0[i39];
    const float v41 = v40 - v24;
    const bool v42 = (-104.0f) > v41;
    const float v43 = v42 ? (-104.0f) : v41;
    const bool v44 = 89.0f < v43;
    const float v45 = v44 ? 89.0f : v43;
    const float v46 = fma(v45, 1.4426950216293335f, 12582912.0f);
    const float v47 = v46 - 12582912.0f;
    const float v48 = fma(v47, (-0.6931471824645996f), v45);
    const float v49 = fma(v47, 1.9046542121259336e-09f, v48);
    const float v50 = fma(0.0013821304310113192f, v49, 0.00836866907775402f);
    const float v51 = fma(v50, v49, 0.04166825860738754f);
    const float v52 = fma(v51, v49, 0.1666652113199234f);
    const float v53 = fma(v52, v49, 0.4999999403953552f);
    const float v54 = fma(v53, v49, 1.0f);
    const float v55 = fma(v54, v49, 1.0f);
    const float v56 = ldexp(v55, (int)clamp(v47, -300.0f, 300.0f));
    own_stripe1[i39] = v56;
    const float v57 = v37 + v56;
    v37 = v57;
  }
  const float v58 = own_stripe0[8];
  const float v59 = v58 - v24;
  const bool v60 = (-104.0f) > v59;
  const float v61 = v60 ? (-104.0f) : v59;
  const bool v62 = 89.0f < v61;
  const float v63 = v62 ? 89.0f : v61;
  const float v64 = fma(v63, 1.4426950216293335f, 12582912.0f);
  const float v65 = v64 - 12582912.0f;
  const float v66 = fma(v65, (-0.6931471824645996f), v63);
  const float v67 = fma(v65, 1.9046542121259336e-09f, v66);
  const float v68 = fma(0.0013821304310113192f, v67, 0.00836866907775402f);
  const float v69 = fma(v68, v67, 0.04166825860738754f);
  const float v70 = fma(v69, v67, 0.1666652113199234f);
  const float v71 = fma(v70, v67, 0.4999999403953552f);
  const float v72 = fma(v71, v67, 1.0f);
  const float v73 = fma(v72, v67, 1.0f);
  const float v74 = ldexp(v73, (int)clamp(v65, -300.0f, 300.0f));
  own_stripe1[8] = v74;
  const float v75 = v37 + v74;
  const float v76 = v18 ? v75 : v37;
  const float v77 = simd_sum(v76);
  const float v78 = 1.0f / v77;
  const int v80 = (int)n_y_stride0;
  const int v81 = group * v80;
  #pragma unroll
  for (int i82 = 0; i82 < 8; i82 += 1) {
    const int v83 = i82 * 32;
    const float v84 = own_stripe1[i82];
    const float v85 = v84 * v78;
    const int v86 = v81 + v83;
    p_y[v86 + lane] = v85;
  }
  const float v87 = own_stripe1[8];
  const float v88 = v87 * v78;
  const int v89 = v81 + 256;
  if (v18) p_y[v89 + lane] = v88;
}
