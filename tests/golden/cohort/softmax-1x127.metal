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
kernel void softmax_kernel_c78bf73303d0_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    constant long& n_y_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const int group = group_;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v7 = lane * 4;
  const bool v9 = v7 < 124;
  const int v11 = (int)n_x_stride0;
  const int v12 = group * v11;
  const float2 pack0 = *(device const float2*)(p_x + (v12 + lane * 4));
  const float v13 = pack0.x;
  own_stripe0[0] = v13;
  const int v14 = v12 + 1;
  const float v15 = pack0.y;
  own_stripe0[1] = v15;
  const float v16 = max_nan(v13, v15);
  const int v17 = v12 + 2;
  const float v18 = p_x[v17 + lane * 4];
  own_stripe0[2] = v18;
  const float v19 = max_nan(v16, v18);
  const int v21 = v12 + 3;
  const float v22 = v9 ? p_x[v21 + lane * 4] : 0.0f;
  own_stripe0[3] = v22;
  const float v23 = max_nan(v19, v22);
  const float v24 = v9 ? v23 : v19;
  const float v25 = lanes_maximum(v24);
  const float v26 = own_stripe0[0];
  const float v27 = v26 - v25;
  const bool v29 = (-104.0f) > v27;
  const float v30 = v29 ? (-104.0f) : v27;
  const bool v32 = 89.0f < v30;
  const float v33 = v32 ? 89.0f : v30;
  const float v36 = fma(v33, 1.4426950216293335f, 12582912.0f);
  const float v37 = v36 - 12582912.0f;
  const float v39 = fma(v37, (-0.6931471824645996f), v33);
  const float v41 = fma(v37, 1.9046542121259336e-09f, v39);
  const float v44 = fma(0.0013821304310113192f, v41, 0.00836866907775402f);
  const float v46 = fma(v44, v41, 0.04166825860738754f);
  const float v48 = fma(v46, v41, 0.1666652113199234f);
  const float v50 = fma(v48, v41, 0.4999999403953552f);
  const float v52 = fma(v50, v41, 1.0f);
  const float v53 = fma(v52, v41, 1.0f);
  const float v54 = ldexp(v53, (int)clamp(v37, -300.0f, 300.0f));
  own_stripe1[0] = v54;
  const float v55 = 0.0f + v54;
  const float v56 = own_stripe0[1];
  const float v57 = v56 - v25;
  const bool v58 = (-104.0f) > v57;
  const float v59 = v58 ? (-104.0f) : v57;
  const bool v60 = 89.0f < v59;
  const float v61 = v60 ? 89.0f : v59;
  const float v62 = fma(v61, 1.4426950216293335f, 12582912.0f);
  const float v63 = v62 - 12582912.0f;
  const float v64 = fma(v63, (-0.6931471824645996f), v61);
  const float v65 = fma(v63, 1.9046542121259336e-09f, v64);
  const float v66 = fma(0.0013821304310113192f, v65, 0.00836866907775402f);
  const float v67 = fma(v66, v65, 0.04166825860738754f);
  const float v68 = fma(v67, v65, 0.1666652113199234f);
  const float v69 = fma(v68, v65, 0.4999999403953552f);
  const float v70 = fma(v69, v65, 1.0f);
  const float v71 = fma(v70, v65, 1.0f);
  const float v72 = ldexp(v71, (int)clamp(v63, -300.0f, 300.0f));
  own_stripe1[1] = v72;
  const float v73 = v55 + v72;
  const float v74 = own_stripe0[2];
  const float v75 = v74 - v25;
  const bool v76 = (-104.0f) > v75;
  const float v77 = v76 ? (-104.0f) : v75;
  const bool v78 = 89.0f < v77;
  const float v79 = v78 ? 89.0f : v77;
  const float v80 = fma(v79, 1.4426950216293335f, 12582912.0f);
  const float v81 = v80 - 12582912.0f;
  const float v82 = fma(v81, (-0.6931471824645996f), v79);
  const float v83 = fma(v81, 1.9046542121259336e-09f, v82);
  const float v84 = fma(0.0013821304310113192f, v83, 0.00836866907775402f);
  const float v85 = fma(v84, v83, 0.04166825860738754f);
  const float v86 = fma(v85, v83, 0.1666652113199234f);
  const float v87 = fma(v86, v83, 0.4999999403953552f);
  const float v88 = fma(v87, v83, 1.0f);
  const float v89 = fma(v88, v83, 1.0f);
  const float v90 = ldexp(v89, (int)clamp(v81, -300.0f, 300.0f));
  own_stripe1[2] = v90;
  const float v91 = v73 + v90;
  const float v92 = own_stripe0[3];
  const float v93 = v92 - v25;
  const bool v94 = (-104.0f) > v93;
  const float v95 = v94 ? (-104.0f) : v93;
  const bool v96 = 89.0f < v95;
  const float v97 = v96 ? 89.0f : v95;
  const float v98 = fma(v97, 1.4426950216293335f, 12582912.0f);
  const float v99 = v98 - 12582912.0f;
  const float v100 = fma(v99, (-0.6931471824645996f), v97);
  const float v101 = fma(v99, 1.9046542121259336e-09f, v100);
  const float v102 = fma(0.0013821304310113192f, v101, 0.00836866907775402f);
  const float v103 = fma(v102, v101, 0.04166825860738754f);
  const float v104 = fma(v103, v101, 0.1666652113199234f);
  const float v105 = fma(v104, v101, 0.4999999403953552f);
  const float v106 = fma(v105, v101, 1.0f);
  const float v107 = fma(v106, v101, 1.0f);
  const float v108 = ldexp(v107, (int)clamp(v99, -300.0f, 300.0f));
  own_stripe1[3] = v108;
  const float v109 = v91 + v108;
  const float v110 = v9 ? v109 : v91;
  const float v111 = simd_sum(v110);
  const float v112 = 1.0f / v111;
  const float v113 = own_stripe1[0];
  const float v114 = v113 * v112;
  const int v116 = (int)n_y_stride0;
  const int v117 = group * v116;
  const float v118 = own_stripe1[1];
  const float v119 = v118 * v112;
  const int v120 = v117 + 1;
  *(device float2*)(p_y + (v117 + lane * 4)) = float2(v114, v119);
  const float v121 = own_stripe1[2];
  const float v122 = v121 * v112;
  const int v123 = v117 + 2;
  p_y[v123 + lane * 4] = v122;
  const float v124 = own_stripe1[3];
  const float v125 = v124 * v112;
  const int v126 = v117 + 3;
  if (v9) p_y[v126 + lane * 4] = v125;
}
