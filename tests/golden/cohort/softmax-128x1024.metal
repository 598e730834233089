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

[[max_total_threads_per_threadgroup(64)]]
kernel void softmax_kernel_8fe43520bf7e_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    constant long& n_y_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[2];
  threadgroup float shared_partial1[2];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  float own_stripe0[16];
  float own_stripe1[16];
  const int v7 = subgroup * 128;
  const int v12 = (int)n_x_stride0;
  const int v13 = group * v12;
  float v14 = as_type<float>(0xff800000U);
  #pragma unroll
  for (int i16 = 0; i16 < 4; i16 += 1) {
    const int v17 = i16 * 256;
    const int v18 = v17 + v7;
    const int v19 = i16 * 4;
    const int v20 = v19 + 1;
    const int v21 = v19 + 2;
    const int v22 = v19 + 3;
    const int v23 = v13 + v18;
    const float4 pack0 = *(device const float4*)(p_x + (v23 + lane * 4));
    const float v24 = pack0.x;
    own_stripe0[v19] = v24;
    const float v25 = max_nan(v14, v24);
    const int v26 = v23 + 1;
    const float v27 = pack0.y;
    own_stripe0[v20] = v27;
    const float v28 = max_nan(v25, v27);
    const int v29 = v23 + 2;
    const float v30 = pack0.z;
    own_stripe0[v21] = v30;
    const float v31 = max_nan(v28, v30);
    const int v32 = v23 + 3;
    const float v33 = pack0.w;
    own_stripe0[v22] = v33;
    const float v34 = max_nan(v31, v33);
    v14 = v34;
  }
  const float v35 = lanes_maximum(v14);
  if (lane == 0) shared_partial0[subgroup] = v35;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v37 = lane < 2;
  const float v38 = v37 ? shared_partial0[lane] : as_type<float>(0xff800000U);
  const float v39 = lanes_maximum(v38);
  float v53 = 0.0f;
  #pragma unroll
  for (int i55 = 0; i55 < 4; i55 += 1) {
    const int v56 = i55 * 4;
    const int v57 = v56 + 1;
    const int v58 = v56 + 2;
    const int v59 = v56 + 3;
    const float v60 = own_stripe0[v56];
    const float v61 = v60 - v39;
    const bool v62 = (-104.0f) > v61;
    const float v63 = v62 ? (-104.0f) : v61;
    const bool v64 = 89.0f < v63;
    const float v65 = v64 ? 89.0f : v63;
    const float v66 = fma(v65, 1.4426950216293335f, 12582912.0f);
    const float v67 = v66 - 12582912.0f;
    const float v68 = fma(v67, (-0.6931471824645996f), v65);
    const float v69 = fma(v67, 1.9046542121259336e-09f, v68);
    const float v70 = fma(0.0013821304310113192f, v69, 0.00836866907775402f);
    const float v71 = fma(v70, v69, 0.04166825860738754f);
    const float v72 = fma(v71, v69, 0.1666652113199234f);
    const float v73 = fma(v72, v69, 0.4999999403953552f);
    const float v74 = fma(v73, v69, 1.0f);
    const float v75 = fma(v74, v69, 1.0f);
    const float v76 = ldexp(v75, (int)clamp(v67, -300.0f, 300.0f));
    own_stripe1[v56] = v76;
    const float v77 = v53 + v76;
    const float v78 = own_stripe0[v57];
    const float v79 = v78 - v39;
    const bool v80 = (-104.0f) > v79;
    const float v81 = v80 ? (-104.0f) : v79;
    const bool v82 = 89.0f < v81;
    const float v83 = v82 ? 89.0f : v81;
    const float v84 = fma(v83, 1.4426950216293335f, 12582912.0f);
    const float v85 = v84 - 12582912.0f;
    const float v86 = fma(v85, (-0.6931471824645996f), v83);
    const float v87 = fma(v85, 1.9046542121259336e-09f, v86);
    const float v88 = fma(0.0013821304310113192f, v87, 0.00836866907775402f);
    const float v89 = fma(v88, v87, 0.04166825860738754f);
    const float v90 = fma(v89, v87, 0.1666652113199234f);
    const float v91 = fma(v90, v87, 0.4999999403953552f);
    const float v92 = fma(v91, v87, 1.0f);
    const float v93 = fma(v92, v87, 1.0f);
    const float v94 = ldexp(v93, (int)clamp(v85, -300.0f, 300.0f));
    own_stripe1[v57] = v94;
    const float v95 = v77 + v94;
    const float v96 = own_stripe0[v58];
    const float v97 = v96 - v39;
    const bool v98 = (-104.0f) > v97;
    const float v99 = v98 ? (-104.0f) : v97;
    const bool v100 = 89.0f < v99;
    const float v101 = v100 ? 89.0f : v99;
    const float v102 = fma(v101, 1.4426950216293335f, 12582912.0f);
    const float v103 = v102 - 12582912.0f;
    const float v104 = fma(v103, (-0.6931471824645996f), v101);
    const float v105 = fma(v103, 1.9046542121259336e-09f, v104);
    const float v106 = fma(0.0013821304310113192f, v105, 0.00836866907775402f);
    const float v107 = fma(v106, v105, 0.04166825860738754f);
    const float v108 = fma(v107, v105, 0.1666652113199234f);
    const float v109 = fma(v108, v105, 0.4999999403953552f);
    const float v110 = fma(v109, v105, 1.0f);
    const float v111 = fma(v110, v105, 1.0f);
    const float v112 = ldexp(v111, (int)clamp(v103, -300.0f, 300.0f));
    own_stripe1[v58] = v112;
    const float v113 = v95 + v112;
    const float v114 = own_stripe0[v59];
    const float v115 = v114 - v39;
    const bool v116 = (-104.0f) > v115;
    const float v117 = v116 ? (-104.0f) : v115;
    const bool v118 = 89.0f < v117;
    const float v119 = v118 ? 89.0f : v117;
    const float v120 = fma(v119, 1.4426950216293335f, 12582912.0f);
    const float v121 = v120 - 12582912.0f;
    const float v122 = fma(v121, (-0.6931471824645996f), v119);
    const float v123 = fma(v121, 1.9046542121259336e-09f, v122);
    const float v124 = fma(0.0013821304310113192f, v123, 0.00836866907775402f);
    const float v125 = fma(v124, v123, 0.04166825860738754f);
    const float v126 = fma(v125, v123, 0.1666652113199234f);
    const float v127 = fma(v126, v123, 0.4999999403953552f);
    const float v128 = fma(v127, v123, 1.0f);
    const float v129 = fma(v128, v123, 1.0f);
    const float v130 = ldexp(v129, (int)clamp(v121, -300.0f, 300.0f));
    own_stripe1[v59] = v130;
    const float v131 = v113 + v130;
    v53 = v131;
  }
  const float v132 = simd_sum(v53);
  if (lane == 0) shared_partial1[subgroup] = v132;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v133 = v37 ? shared_partial1[lane] : 0.0f;
  const float v134 = simd_sum(v133);
  const float v135 = 1.0f / v134;
  const int v137 = (int)n_y_stride0;
  const int v138 = group * v137;
  #pragma unroll
  for (int i139 = 0; i139 < 4; i139 += 1) {
    const int v140 = i139 * 256;
    const int v141 = v140 + v7;
    const int v142 = i139 * 4;
    const int v143 = v142 + 1;
    const int v144 = v142 + 2;
    const int v145 = v142 + 3;
    const float v146 = own_stripe1[v142];
    const float v147 = v146 * v135;
    const int v148 = v138 + v141;
    const float v149 = own_stripe1[v143];
    const float v150 = v149 * v135;
    const int v151 = v148 + 1;
    const float v152 = own_stripe1[v144];
    const float v153 = v152 * v135;
    const int v154 = v148 + 2;
    const float v155 = own_stripe1[v145];
    const float v156 = v155 * v135;
    const int v157 = v148 + 3;
    *(device float4*)(p_y + (v148 + lane * 4)) = float4(v147, v150, v153, v156);
  }
}
