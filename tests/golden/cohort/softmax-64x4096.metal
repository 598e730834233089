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
  const int v3 = (int)group;
  const int v8 = subgroup * 128;
  const int v14 = (int)n_x_stride0;
  const int v15 = v3 * v14;
  float v16 = as_type<float>(0xff800000U);
  #pragma unroll
  for (int i18 = 0; i18 < 8; i18 += 1) {
    const int v19 = i18 * 512;
    const int v20 = v19 + v8;
    const int v21 = i18 * 4;
    const int v22 = v21 + 1;
    const int v23 = v21 + 2;
    const int v24 = v21 + 3;
    const int v25 = v15 + v20;
    const float4 pack0 = *(device const float4*)(p_x + (v25 + lane * 4));
    const float v26 = pack0.x;
    own_stripe0[v21] = v26;
    const float v27 = max_nan(v16, v26);
    const int v28 = v25 + 1;
    const float v29 = pack0.y;
    own_stripe0[v22] = v29;
    const float v30 = max_nan(v27, v29);
    const int v31 = v25 + 2;
    const float v32 = pack0.z;
    own_stripe0[v23] = v32;
    const float v33 = max_nan(v30, v32);
    const int v34 = v25 + 3;
    const float v35 = pack0.w;
    own_stripe0[v24] = v35;
    const float v36 = max_nan(v33, v35);
    v16 = v36;
  }
  const float v37 = lanes_maximum(v16);
  if (lane == 0) shared_partial0[subgroup] = v37;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v39 = lane < 4;
  const float v40 = v39 ? shared_partial0[lane] : as_type<float>(0xff800000U);
  const float v41 = lanes_maximum(v40);
  float v55 = 0.0f;
  #pragma unroll
  for (int i57 = 0; i57 < 8; i57 += 1) {
    const int v58 = i57 * 4;
    const int v59 = v58 + 1;
    const int v60 = v58 + 2;
    const int v61 = v58 + 3;
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
  if (lane == 0) shared_partial1[subgroup] = v134;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v135 = v39 ? shared_partial1[lane] : 0.0f;
  const float v136 = simd_sum(v135);
  const float v137 = 1.0f / v136;
  const int v139 = (int)n_y_stride0;
  const int v140 = v3 * v139;
  #pragma unroll
  for (int i141 = 0; i141 < 8; i141 += 1) {
    const int v142 = i141 * 512;
    const int v143 = v142 + v8;
    const int v144 = i141 * 4;
    const int v145 = v144 + 1;
    const int v146 = v144 + 2;
    const int v147 = v144 + 3;
    const float v148 = own_stripe1[v144];
    const float v149 = v148 * v137;
    const int v150 = v140 + v143;
    const float v151 = own_stripe1[v145];
    const float v152 = v151 * v137;
    const int v153 = v150 + 1;
    const float v154 = own_stripe1[v146];
    const float v155 = v154 * v137;
    const int v156 = v150 + 2;
    const float v157 = own_stripe1[v147];
    const float v158 = v157 * v137;
    const int v159 = v150 + 3;
    *(device float4*)(p_y + (v150 + lane * 4)) = float4(v149, v152, v155, v158);
  }
}
