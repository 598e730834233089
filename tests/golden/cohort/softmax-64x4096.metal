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

[[max_total_threads_per_threadgroup(128)]]
kernel void softmax_kernel_8a0120a3d32f_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    constant long& n_y_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[4];
  threadgroup float shared_partial1[4];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const long group = group_;
  float own_stripe0[32];
  float own_stripe1[32];
  const long v6 = (long)subgroup;
  const long v8 = v6 * 128L;
  const long v14 = group * n_x_stride0;
  float v15 = as_type<float>(0xff800000U);
  #pragma unroll
  for (long i17 = 0L; i17 < 8L; i17 += 1L) {
    const long v18 = i17 * 512L;
    const long v19 = v18 + v8;
    const long v20 = i17 * 4L;
    const long v21 = v20 + 1L;
    const long v22 = v20 + 2L;
    const long v23 = v20 + 3L;
    const long v24 = v14 + v19;
    const float4 pack0 = *(device const float4*)(p_x + v24 + lane * 4L);
    const float v25 = pack0.x;
    own_stripe0[v20] = v25;
    const float v26 = max_nan(v15, v25);
    const long v27 = v24 + 1L;
    const float v28 = pack0.y;
    own_stripe0[v21] = v28;
    const float v29 = max_nan(v26, v28);
    const long v30 = v24 + 2L;
    const float v31 = pack0.z;
    own_stripe0[v22] = v31;
    const float v32 = max_nan(v29, v31);
    const long v33 = v24 + 3L;
    const float v34 = pack0.w;
    own_stripe0[v23] = v34;
    const float v35 = max_nan(v32, v34);
    v15 = v35;
  }
  const float v36 = lanes_maximum(v15);
  if (lane == 0) shared_partial0[v6] = v36;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const long v38 = (long)lane;
  const bool v39 = v38 < 4L;
  const float v40 = v39 ? shared_partial0[v38] : as_type<float>(0xff800000U);
  const float v41 = lanes_maximum(v40);
  float v55 = 0.0f;
  #pragma unroll
  for (long i57 = 0L; i57 < 8L; i57 += 1L) {
    const long v58 = i57 * 4L;
    const long v59 = v58 + 1L;
    const long v60 = v58 + 2L;
    const long v61 = v58 + 3L;
    const float v62 = own_stripe0[v58];
    const float v63 = v62 - v41;
    const bool v64 = (-104.0f) > v63;
    const float v65 = v64 ? (-104.0f) : v63;
    const bool v66 = 89.0f < v65;
    const float v67 = v66 ? 89.0f : v65;
    const float v68 = fma(v67, 1.4426950216293335f, 12582912.0f);
    const float v69 = v68 - 12582912.0f;
    const float v70 = fma(v69, (-0.6931471824645996f), v67);
    const float v71 = fma(v69, 1.9046542121259336e-09f, v70);
    const float v72 = fma(0.0013821304310113192f, v71, 0.00836866907775402f);
    const float v73 = fma(v72, v71, 0.04166825860738754f);
    const float v74 = fma(v73, v71, 0.1666652113199234f);
    const float v75 = fma(v74, v71, 0.4999999403953552f);
    const float v76 = fma(v75, v71, 1.0f);
    const float v77 = fma(v76, v71, 1.0f);
    const float v78 = ldexp(v77, (int)clamp(v69, -300.0f, 300.0f));
    own_stripe1[v58] = v78;
    const float v79 = v55 + v78;
    const float v80 = own_stripe0[v59];
    const float v81 = v80 - v41;
    const bool v82 = (-104.0f) > v81;
    const float v83 = v82 ? (-104.0f) : v81;
    const bool v84 = 89.0f < v83;
    const float v85 = v84 ? 89.0f : v83;
    const float v86 = fma(v85, 1.4426950216293335f, 12582912.0f);
    const float v87 = v86 - 12582912.0f;
    const float v88 = fma(v87, (-0.6931471824645996f), v85);
    const float v89 = fma(v87, 1.9046542121259336e-09f, v88);
    const float v90 = fma(0.0013821304310113192f, v89, 0.00836866907775402f);
    const float v91 = fma(v90, v89, 0.04166825860738754f);
    const float v92 = fma(v91, v89, 0.1666652113199234f);
    const float v93 = fma(v92, v89, 0.4999999403953552f);
    const float v94 = fma(v93, v89, 1.0f);
    const float v95 = fma(v94, v89, 1.0f);
    const float v96 = ldexp(v95, (int)clamp(v87, -300.0f, 300.0f));
    own_stripe1[v59] = v96;
    const float v97 = v79 + v96;
    const float v98 = own_stripe0[v60];
    const float v99 = v98 - v41;
    const bool v100 = (-104.0f) > v99;
    const float v101 = v100 ? (-104.0f) : v99;
    const bool v102 = 89.0f < v101;
    const float v103 = v102 ? 89.0f : v101;
    const float v104 = fma(v103, 1.4426950216293335f, 12582912.0f);
    const float v105 = v104 - 12582912.0f;
    const float v106 = fma(v105, (-0.6931471824645996f), v103);
    const float v107 = fma(v105, 1.9046542121259336e-09f, v106);
    const float v108 = fma(0.0013821304310113192f, v107, 0.00836866907775402f);
    const float v109 = fma(v108, v107, 0.04166825860738754f);
    const float v110 = fma(v109, v107, 0.1666652113199234f);
    const float v111 = fma(v110, v107, 0.4999999403953552f);
    const float v112 = fma(v111, v107, 1.0f);
    const float v113 = fma(v112, v107, 1.0f);
    const float v114 = ldexp(v113, (int)clamp(v105, -300.0f, 300.0f));
    own_stripe1[v60] = v114;
    const float v115 = v97 + v114;
    const float v116 = own_stripe0[v61];
    const float v117 = v116 - v41;
    const bool v118 = (-104.0f) > v117;
    const float v119 = v118 ? (-104.0f) : v117;
    const bool v120 = 89.0f < v119;
    const float v121 = v120 ? 89.0f : v119;
    const float v122 = fma(v121, 1.4426950216293335f, 12582912.0f);
    const float v123 = v122 - 12582912.0f;
    const float v124 = fma(v123, (-0.6931471824645996f), v121);
    const float v125 = fma(v123, 1.9046542121259336e-09f, v124);
    const float v126 = fma(0.0013821304310113192f, v125, 0.00836866907775402f);
    const float v127 = fma(v126, v125, 0.04166825860738754f);
    const float v128 = fma(v127, v125, 0.1666652113199234f);
    const float v129 = fma(v128, v125, 0.4999999403953552f);
    const float v130 = fma(v129, v125, 1.0f);
    const float v131 = fma(v130, v125, 1.0f);
    const float v132 = ldexp(v131, (int)clamp(v123, -300.0f, 300.0f));
    own_stripe1[v61] = v132;
    const float v133 = v115 + v132;
    v55 = v133;
  }
  const float v134 = simd_sum(v55);
  if (lane == 0) shared_partial1[v6] = v134;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v135 = v39 ? shared_partial1[v38] : 0.0f;
  const float v136 = simd_sum(v135);
  const float v137 = 1.0f / v136;
  const long v139 = group * n_y_stride0;
  #pragma unroll
  for (long i140 = 0L; i140 < 8L; i140 += 1L) {
    const long v141 = i140 * 512L;
    const long v142 = v141 + v8;
    const long v143 = i140 * 4L;
    const long v144 = v143 + 1L;
    const long v145 = v143 + 2L;
    const long v146 = v143 + 3L;
    const float v147 = own_stripe1[v143];
    const float v148 = v147 * v137;
    const long v149 = v139 + v142;
    const float v150 = own_stripe1[v144];
    const float v151 = v150 * v137;
    const long v152 = v149 + 1L;
    const float v153 = own_stripe1[v145];
    const float v154 = v153 * v137;
    const long v155 = v149 + 2L;
    const float v156 = own_stripe1[v146];
    const float v157 = v156 * v137;
    const long v158 = v149 + 3L;
    *(device float4*)(p_y + v149 + lane * 4L) = float4(v148, v151, v154, v157);
  }
}
