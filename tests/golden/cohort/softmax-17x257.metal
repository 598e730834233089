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
  const long group = group_;
  float own_stripe0[9];
  float own_stripe1[9];
  const int v2 = (int)group;
  const int v8 = (int)n_x_stride0;
  const int v9 = v2 * v8;
  float v10 = as_type<float>(0xff800000U);
  #pragma unroll
  for (int i12 = 0; i12 < 8; i12 += 1) {
    const int v13 = i12 * 32;
    const int v14 = v9 + v13;
    const float v15 = p_x[v14 + lane];
    own_stripe0[i12] = v15;
    const float v16 = max_nan(v10, v15);
    v10 = v16;
  }
  const bool v19 = lane < 1;
  const int v21 = v9 + 256;
  const float v22 = v19 ? p_x[v21 + lane] : 0.0f;
  own_stripe0[8] = v22;
  const float v23 = max_nan(v10, v22);
  const float v24 = v19 ? v23 : v10;
  const float v25 = lanes_maximum(v24);
  float v38 = 0.0f;
  #pragma unroll
  for (int i40 = 0; i40 < 8; i40 += 1) {
    const float v41 = own_stripe0[i40];
    const float v42 = v41 - v25;
    const bool v43 = (-104.0f) > v42;
    const float v44 = v43 ? (-104.0f) : v42;
    const bool v45 = 89.0f < v44;
    const float v46 = v45 ? 89.0f : v44;
    const float v47 = fma(v46, 1.4426950216293335f, 12582912.0f);
    const float v48 = v47 - 12582912.0f;
    const float v49 = fma(v48, (-0.6931471824645996f), v46);
    const float v50 = fma(v48, 1.9046542121259336e-09f, v49);
    const float v51 = fma(0.0013821304310113192f, v50, 0.00836866907775402f);
    const float v52 = fma(v51, v50, 0.04166825860738754f);
    const float v53 = fma(v52, v50, 0.1666652113199234f);
    const float v54 = fma(v53, v50, 0.4999999403953552f);
    const float v55 = fma(v54, v50, 1.0f);
    const float v56 = fma(v55, v50, 1.0f);
    const float v57 = ldexp(v56, (int)clamp(v48, -300.0f, 300.0f));
    own_stripe1[i40] = v57;
    const float v58 = v38 + v57;
    v38 = v58;
  }
  const float v59 = own_stripe0[8];
  const float v60 = v59 - v25;
  const bool v61 = (-104.0f) > v60;
  const float v62 = v61 ? (-104.0f) : v60;
  const bool v63 = 89.0f < v62;
  const float v64 = v63 ? 89.0f : v62;
  const float v65 = fma(v64, 1.4426950216293335f, 12582912.0f);
  const float v66 = v65 - 12582912.0f;
  const float v67 = fma(v66, (-0.6931471824645996f), v64);
  const float v68 = fma(v66, 1.9046542121259336e-09f, v67);
  const float v69 = fma(0.0013821304310113192f, v68, 0.00836866907775402f);
  const float v70 = fma(v69, v68, 0.04166825860738754f);
  const float v71 = fma(v70, v68, 0.1666652113199234f);
  const float v72 = fma(v71, v68, 0.4999999403953552f);
  const float v73 = fma(v72, v68, 1.0f);
  const float v74 = fma(v73, v68, 1.0f);
  const float v75 = ldexp(v74, (int)clamp(v66, -300.0f, 300.0f));
  own_stripe1[8] = v75;
  const float v76 = v38 + v75;
  const float v77 = v19 ? v76 : v38;
  const float v78 = simd_sum(v77);
  const float v79 = 1.0f / v78;
  const int v81 = (int)n_y_stride0;
  const int v82 = v2 * v81;
  #pragma unroll
  for (int i83 = 0; i83 < 8; i83 += 1) {
    const int v84 = i83 * 32;
    const float v85 = own_stripe1[i83];
    const float v86 = v85 * v79;
    const int v87 = v82 + v84;
    p_y[v87 + lane] = v86;
  }
  const float v88 = own_stripe1[8];
  const float v89 = v88 * v79;
  const int v90 = v82 + 256;
  if (v19) p_y[v90 + lane] = v89;
}
