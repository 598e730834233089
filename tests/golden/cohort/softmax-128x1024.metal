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
kernel void softmax_kernel_8fe43520bf7e_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    constant long& n_y_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const long group = group_;
  float own_stripe0[32];
  float own_stripe1[32];
  const int v2 = (int)group;
  const int v11 = (int)n_x_stride0;
  const int v12 = v2 * v11;
  float v13 = as_type<float>(0xff800000U);
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
    const float v23 = max_nan(v13, v22);
    const int v24 = v21 + 1;
    const float v25 = pack0.y;
    own_stripe0[v18] = v25;
    const float v26 = max_nan(v23, v25);
    const int v27 = v21 + 2;
    const float v28 = pack0.z;
    own_stripe0[v19] = v28;
    const float v29 = max_nan(v26, v28);
    const int v30 = v21 + 3;
    const float v31 = pack0.w;
    own_stripe0[v20] = v31;
    const float v32 = max_nan(v29, v31);
    v13 = v32;
  }
  const float v33 = lanes_maximum(v13);
  float v47 = 0.0f;
  #pragma unroll
  for (int i49 = 0; i49 < 8; i49 += 1) {
    const int v50 = i49 * 4;
    const int v51 = v50 + 1;
    const int v52 = v50 + 2;
    const int v53 = v50 + 3;
    const float v54 = own_stripe0[v50];
    const float v55 = v54 - v33;
    const bool v56 = (-104.0f) > v55;
    const float v57 = v56 ? (-104.0f) : v55;
    const bool v58 = 89.0f < v57;
    const float v59 = v58 ? 89.0f : v57;
    const float v60 = fma(v59, 1.4426950216293335f, 12582912.0f);
    const float v61 = v60 - 12582912.0f;
    const float v62 = fma(v61, (-0.6931471824645996f), v59);
    const float v63 = fma(v61, 1.9046542121259336e-09f, v62);
    const float v64 = fma(0.0013821304310113192f, v63, 0.00836866907775402f);
    const float v65 = fma(v64, v63, 0.04166825860738754f);
    const float v66 = fma(v65, v63, 0.1666652113199234f);
    const float v67 = fma(v66, v63, 0.4999999403953552f);
    const float v68 = fma(v67, v63, 1.0f);
    const float v69 = fma(v68, v63, 1.0f);
    const float v70 = ldexp(v69, (int)clamp(v61, -300.0f, 300.0f));
    own_stripe1[v50] = v70;
    const float v71 = v47 + v70;
    const float v72 = own_stripe0[v51];
    const float v73 = v72 - v33;
    const bool v74 = (-104.0f) > v73;
    const float v75 = v74 ? (-104.0f) : v73;
    const bool v76 = 89.0f < v75;
    const float v77 = v76 ? 89.0f : v75;
    const float v78 = fma(v77, 1.4426950216293335f, 12582912.0f);
    const float v79 = v78 - 12582912.0f;
    const float v80 = fma(v79, (-0.6931471824645996f), v77);
    const float v81 = fma(v79, 1.9046542121259336e-09f, v80);
    const float v82 = fma(0.0013821304310113192f, v81, 0.00836866907775402f);
    const float v83 = fma(v82, v81, 0.04166825860738754f);
    const float v84 = fma(v83, v81, 0.1666652113199234f);
    const float v85 = fma(v84, v81, 0.4999999403953552f);
    const float v86 = fma(v85, v81, 1.0f);
    const float v87 = fma(v86, v81, 1.0f);
    const float v88 = ldexp(v87, (int)clamp(v79, -300.0f, 300.0f));
    own_stripe1[v51] = v88;
    const float v89 = v71 + v88;
    const float v90 = own_stripe0[v52];
    const float v91 = v90 - v33;
    const bool v92 = (-104.0f) > v91;
    const float v93 = v92 ? (-104.0f) : v91;
    const bool v94 = 89.0f < v93;
    const float v95 = v94 ? 89.0f : v93;
    const float v96 = fma(v95, 1.4426950216293335f, 12582912.0f);
    const float v97 = v96 - 12582912.0f;
    const float v98 = fma(v97, (-0.6931471824645996f), v95);
    const float v99 = fma(v97, 1.9046542121259336e-09f, v98);
    const float v100 = fma(0.0013821304310113192f, v99, 0.00836866907775402f);
    const float v101 = fma(v100, v99, 0.04166825860738754f);
    const float v102 = fma(v101, v99, 0.1666652113199234f);
    const float v103 = fma(v102, v99, 0.4999999403953552f);
    const float v104 = fma(v103, v99, 1.0f);
    const float v105 = fma(v104, v99, 1.0f);
    const float v106 = ldexp(v105, (int)clamp(v97, -300.0f, 300.0f));
    own_stripe1[v52] = v106;
    const float v107 = v89 + v106;
    const float v108 = own_stripe0[v53];
    const float v109 = v108 - v33;
    const bool v110 = (-104.0f) > v109;
    const float v111 = v110 ? (-104.0f) : v109;
    const bool v112 = 89.0f < v111;
    const float v113 = v112 ? 89.0f : v111;
    const float v114 = fma(v113, 1.4426950216293335f, 12582912.0f);
    const float v115 = v114 - 12582912.0f;
    const float v116 = fma(v115, (-0.6931471824645996f), v113);
    const float v117 = fma(v115, 1.9046542121259336e-09f, v116);
    const float v118 = fma(0.0013821304310113192f, v117, 0.00836866907775402f);
    const float v119 = fma(v118, v117, 0.04166825860738754f);
    const float v120 = fma(v119, v117, 0.1666652113199234f);
    const float v121 = fma(v120, v117, 0.4999999403953552f);
    const float v122 = fma(v121, v117, 1.0f);
    const float v123 = fma(v122, v117, 1.0f);
    const float v124 = ldexp(v123, (int)clamp(v115, -300.0f, 300.0f));
    own_stripe1[v53] = v124;
    const float v125 = v107 + v124;
    v47 = v125;
  }
  const float v126 = simd_sum(v47);
  const float v127 = 1.0f / v126;
  const int v129 = (int)n_y_stride0;
  const int v130 = v2 * v129;
  #pragma unroll
  for (int i131 = 0; i131 < 8; i131 += 1) {
    const int v132 = i131 * 128;
    const int v133 = i131 * 4;
    const int v134 = v133 + 1;
    const int v135 = v133 + 2;
    const int v136 = v133 + 3;
    const float v137 = own_stripe1[v133];
    const float v138 = v137 * v127;
    const int v139 = v130 + v132;
    const float v140 = own_stripe1[v134];
    const float v141 = v140 * v127;
    const int v142 = v139 + 1;
    const float v143 = own_stripe1[v135];
    const float v144 = v143 * v127;
    const int v145 = v139 + 2;
    const float v146 = own_stripe1[v136];
    const float v147 = v146 * v127;
    const int v148 = v139 + 3;
    *(device float4*)(p_y + (v139 + lane * 4)) = float4(v138, v141, v144, v147);
  }
}
