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
  const long v10 = group * n_x_stride0;
  float v11 = as_type<float>(0xff800000U);
  #pragma unroll
  for (long i13 = 0L; i13 < 8L; i13 += 1L) {
    const long v14 = i13 * 128L;
    const long v15 = i13 * 4L;
    const long v16 = v15 + 1L;
    const long v17 = v15 + 2L;
    const long v18 = v15 + 3L;
    const long v19 = v10 + v14;
    const float4 pack0 = *(device const float4*)(p_x + v19 + lane * 4L);
    const float v20 = pack0.x;
    own_stripe0[v15] = v20;
    const float v21 = max_nan(v11, v20);
    const long v22 = v19 + 1L;
    const float v23 = pack0.y;
    own_stripe0[v16] = v23;
    const float v24 = max_nan(v21, v23);
    const long v25 = v19 + 2L;
    const float v26 = pack0.z;
    own_stripe0[v17] = v26;
    const float v27 = max_nan(v24, v26);
    const long v28 = v19 + 3L;
    const float v29 = pack0.w;
    own_stripe0[v18] = v29;
    const float v30 = max_nan(v27, v29);
    v11 = v30;
  }
  const float v31 = lanes_maximum(v11);
  float v45 = 0.0f;
  #pragma unroll
  for (long i47 = 0L; i47 < 8L; i47 += 1L) {
    const long v48 = i47 * 4L;
    const long v49 = v48 + 1L;
    const long v50 = v48 + 2L;
    const long v51 = v48 + 3L;
    const float v52 = own_stripe0[v48];
    const float v53 = v52 - v31;
    const bool v54 = (-104.0f) > v53;
    const float v55 = v54 ? (-104.0f) : v53;
    const bool v56 = 89.0f < v55;
    const float v57 = v56 ? 89.0f : v55;
    const float v58 = fma(v57, 1.4426950216293335f, 12582912.0f);
    const float v59 = v58 - 12582912.0f;
    const float v60 = fma(v59, (-0.6931471824645996f), v57);
    const float v61 = fma(v59, 1.9046542121259336e-09f, v60);
    const float v62 = fma(0.0013821304310113192f, v61, 0.00836866907775402f);
    const float v63 = fma(v62, v61, 0.04166825860738754f);
    const float v64 = fma(v63, v61, 0.1666652113199234f);
    const float v65 = fma(v64, v61, 0.4999999403953552f);
    const float v66 = fma(v65, v61, 1.0f);
    const float v67 = fma(v66, v61, 1.0f);
    const float v68 = ldexp(v67, (int)clamp(v59, -300.0f, 300.0f));
    own_stripe1[v48] = v68;
    const float v69 = v45 + v68;
    const float v70 = own_stripe0[v49];
    const float v71 = v70 - v31;
    const bool v72 = (-104.0f) > v71;
    const float v73 = v72 ? (-104.0f) : v71;
    const bool v74 = 89.0f < v73;
    const float v75 = v74 ? 89.0f : v73;
    const float v76 = fma(v75, 1.4426950216293335f, 12582912.0f);
    const float v77 = v76 - 12582912.0f;
    const float v78 = fma(v77, (-0.6931471824645996f), v75);
    const float v79 = fma(v77, 1.9046542121259336e-09f, v78);
    const float v80 = fma(0.0013821304310113192f, v79, 0.00836866907775402f);
    const float v81 = fma(v80, v79, 0.04166825860738754f);
    const float v82 = fma(v81, v79, 0.1666652113199234f);
    const float v83 = fma(v82, v79, 0.4999999403953552f);
    const float v84 = fma(v83, v79, 1.0f);
    const float v85 = fma(v84, v79, 1.0f);
    const float v86 = ldexp(v85, (int)clamp(v77, -300.0f, 300.0f));
    own_stripe1[v49] = v86;
    const float v87 = v69 + v86;
    const float v88 = own_stripe0[v50];
    const float v89 = v88 - v31;
    const bool v90 = (-104.0f) > v89;
    const float v91 = v90 ? (-104.0f) : v89;
    const bool v92 = 89.0f < v91;
    const float v93 = v92 ? 89.0f : v91;
    const float v94 = fma(v93, 1.4426950216293335f, 12582912.0f);
    const float v95 = v94 - 12582912.0f;
    const float v96 = fma(v95, (-0.6931471824645996f), v93);
    const float v97 = fma(v95, 1.9046542121259336e-09f, v96);
    const float v98 = fma(0.0013821304310113192f, v97, 0.00836866907775402f);
    const float v99 = fma(v98, v97, 0.04166825860738754f);
    const float v100 = fma(v99, v97, 0.1666652113199234f);
    const float v101 = fma(v100, v97, 0.4999999403953552f);
    const float v102 = fma(v101, v97, 1.0f);
    const float v103 = fma(v102, v97, 1.0f);
    const float v104 = ldexp(v103, (int)clamp(v95, -300.0f, 300.0f));
    own_stripe1[v50] = v104;
    const float v105 = v87 + v104;
    const float v106 = own_stripe0[v51];
    const float v107 = v106 - v31;
    const bool v108 = (-104.0f) > v107;
    const float v109 = v108 ? (-104.0f) : v107;
    const bool v110 = 89.0f < v109;
    const float v111 = v110 ? 89.0f : v109;
    const float v112 = fma(v111, 1.4426950216293335f, 12582912.0f);
    const float v113 = v112 - 12582912.0f;
    const float v114 = fma(v113, (-0.6931471824645996f), v111);
    const float v115 = fma(v113, 1.9046542121259336e-09f, v114);
    const float v116 = fma(0.0013821304310113192f, v115, 0.00836866907775402f);
    const float v117 = fma(v116, v115, 0.04166825860738754f);
    const float v118 = fma(v117, v115, 0.1666652113199234f);
    const float v119 = fma(v118, v115, 0.4999999403953552f);
    const float v120 = fma(v119, v115, 1.0f);
    const float v121 = fma(v120, v115, 1.0f);
    const float v122 = ldexp(v121, (int)clamp(v113, -300.0f, 300.0f));
    own_stripe1[v51] = v122;
    const float v123 = v105 + v122;
    v45 = v123;
  }
  const float v124 = simd_sum(v45);
  const float v125 = 1.0f / v124;
  const long v127 = group * n_y_stride0;
  #pragma unroll
  for (long i128 = 0L; i128 < 8L; i128 += 1L) {
    const long v129 = i128 * 128L;
    const long v130 = i128 * 4L;
    const long v131 = v130 + 1L;
    const long v132 = v130 + 2L;
    const long v133 = v130 + 3L;
    const float v134 = own_stripe1[v130];
    const float v135 = v134 * v125;
    const long v136 = v127 + v129;
    const float v137 = own_stripe1[v131];
    const float v138 = v137 * v125;
    const long v139 = v136 + 1L;
    const float v140 = own_stripe1[v132];
    const float v141 = v140 * v125;
    const long v142 = v136 + 2L;
    const float v143 = own_stripe1[v133];
    const float v144 = v143 * v125;
    const long v145 = v136 + 3L;
    *(device float4*)(p_y + v136 + lane * 4L) = float4(v135, v138, v141, v144);
  }
}
