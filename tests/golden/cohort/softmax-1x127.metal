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
  const long group = group_;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v2 = (int)group;
  const int v9 = lane * 4;
  const bool v11 = v9 < 124;
  const int v13 = (int)n_x_stride0;
  const int v14 = v2 * v13;
  const float2 pack0 = *(device const float2*)(p_x + (v14 + lane * 4));
  const float v15 = pack0.x;
  own_stripe0[0] = v15;
  const float v16 = max_nan(as_type<float>(0xff800000U), v15);
  const int v17 = v14 + 1;
  const float v18 = pack0.y;
  own_stripe0[1] = v18;
  const float v19 = max_nan(v16, v18);
  const int v20 = v14 + 2;
  const float v21 = p_x[v20 + lane * 4];
  own_stripe0[2] = v21;
  const float v22 = max_nan(v19, v21);
  const int v24 = v14 + 3;
  const float v25 = v11 ? p_x[v24 + lane * 4] : 0.0f;
  own_stripe0[3] = v25;
  const float v26 = max_nan(v22, v25);
  const float v27 = v11 ? v26 : v22;
  const float v28 = lanes_maximum(v27);
  const float v29 = own_stripe0[0];
  const float v30 = v29 - v28;
  const bool v32 = (-104.0f) > v30;
  const float v33 = v32 ? (-104.0f) : v30;
  const bool v35 = 89.0f < v33;
  const float v36 = v35 ? 89.0f : v33;
  const float v39 = fma(v36, 1.4426950216293335f, 12582912.0f);
  const float v40 = v39 - 12582912.0f;
  const float v42 = fma(v40, (-0.6931471824645996f), v36);
  const float v44 = fma(v40, 1.9046542121259336e-09f, v42);
  const float v47 = fma(0.0013821304310113192f, v44, 0.00836866907775402f);
  const float v49 = fma(v47, v44, 0.04166825860738754f);
  const float v51 = fma(v49, v44, 0.1666652113199234f);
  const float v53 = fma(v51, v44, 0.4999999403953552f);
  const float v55 = fma(v53, v44, 1.0f);
  const float v56 = fma(v55, v44, 1.0f);
  const float v57 = ldexp(v56, (int)clamp(v40, -300.0f, 300.0f));
  own_stripe1[0] = v57;
  const float v58 = 0.0f + v57;
  const float v59 = own_stripe0[1];
  const float v60 = v59 - v28;
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
  own_stripe1[1] = v75;
  const float v76 = v58 + v75;
  const float v77 = own_stripe0[2];
  const float v78 = v77 - v28;
  const bool v79 = (-104.0f) > v78;
  const float v80 = v79 ? (-104.0f) : v78;
  const bool v81 = 89.0f < v80;
  const float v82 = v81 ? 89.0f : v80;
  const float v83 = fma(v82, 1.4426950216293335f, 12582912.0f);
  const float v84 = v83 - 12582912.0f;
  const float v85 = fma(v84, (-0.6931471824645996f), v82);
  const float v86 = fma(v84, 1.9046542121259336e-09f, v85);
  const float v87 = fma(0.0013821304310113192f, v86, 0.00836866907775402f);
  const float v88 = fma(v87, v86, 0.04166825860738754f);
  const float v89 = fma(v88, v86, 0.1666652113199234f);
  const float v90 = fma(v89, v86, 0.4999999403953552f);
  const float v91 = fma(v90, v86, 1.0f);
  const float v92 = fma(v91, v86, 1.0f);
  const float v93 = ldexp(v92, (int)clamp(v84, -300.0f, 300.0f));
  own_stripe1[2] = v93;
  const float v94 = v76 + v93;
  const float v95 = own_stripe0[3];
  const float v96 = v95 - v28;
  const bool v97 = (-104.0f) > v96;
  const float v98 = v97 ? (-104.0f) : v96;
  const bool v99 = 89.0f < v98;
  const float v100 = v99 ? 89.0f : v98;
  const float v101 = fma(v100, 1.4426950216293335f, 12582912.0f);
  const float v102 = v101 - 12582912.0f;
  const float v103 = fma(v102, (-0.6931471824645996f), v100);
  const float v104 = fma(v102, 1.9046542121259336e-09f, v103);
  const float v105 = fma(0.0013821304310113192f, v104, 0.00836866907775402f);
  const float v106 = fma(v105, v104, 0.04166825860738754f);
  const float v107 = fma(v106, v104, 0.1666652113199234f);
  const float v108 = fma(v107, v104, 0.4999999403953552f);
  const float v109 = fma(v108, v104, 1.0f);
  const float v110 = fma(v109, v104, 1.0f);
  const float v111 = ldexp(v110, (int)clamp(v102, -300.0f, 300.0f));
  own_stripe1[3] = v111;
  const float v112 = v94 + v111;
  const float v113 = v11 ? v112 : v94;
  const float v114 = simd_sum(v113);
  const float v115 = 1.0f / v114;
  const float v116 = own_stripe1[0];
  const float v117 = v116 * v115;
  const int v119 = (int)n_y_stride0;
  const int v120 = v2 * v119;
  const float v121 = own_stripe1[1];
  const float v122 = v121 * v115;
  const int v123 = v120 + 1;
  *(device float2*)(p_y + (v120 + lane * 4)) = float2(v117, v122);
  const float v124 = own_stripe1[2];
  const float v125 = v124 * v115;
  const int v126 = v120 + 2;
  p_y[v126 + lane * 4] = v125;
  const float v127 = own_stripe1[3];
  const float v128 = v127 * v115;
  const int v129 = v120 + 3;
  if (v11) p_y[v129 + lane * 4] = v128;
}
