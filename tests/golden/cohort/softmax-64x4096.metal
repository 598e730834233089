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

[[max_total_threads_per_threadgroup(256)]]
kernel void softmax_kernel_8a0120a3d32f_0(
    device const float* p_x [[buffer(0)]],
    device float* p_y [[buffer(1)]],
    constant long& n_x_stride0 [[buffer(2)]],
    constant long& n_y_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[8];
  threadgroup float shared_partial1[8];
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
    const int v17 = i16 * 1024;
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
  const bool v38 = lane < 8;
  const float v39 = v38 ? shared_partial0[lane] : as_type<float>(0xff800000U);
  const float v40 = lanes_maximum(v39);
  float v54 = 0.0f;
  #pragma unroll
  for (int i56 = 0; i56 < 4; i56 += 1) {
    const int v57 = i56 * 4;
    const int v58 = v57 + 1;
    const int v59 = v57 + 2;
    const int v60 = v57 + 3;
    const float v61 = own_stripe0[v57];
    const float v62 = v61 - v40;
    const bool v63 = (-104.0f) > v62;
    const float v64 = v63 ? (-104.0f) : v62;
    const bool v65 = 89.0f < v64;
    const float v66 = v65 ? 89.0f : v64;
    const float v67 = fma(v66, 1.4426950216293335f, 12582912.0f);
    const float v68 = v67 - 12582912.0f;
    const float v69 = fma(v68, (-0.6931471824645996f), v66);
    const float v70 = fma(v68, 1.9046542121259336e-09f, v69);
    const float v71 = fma(0.0013821304310113192f, v70, 0.00836866907775402f);
    const float v72 = fma(v71, v70, 0.04166825860738754f);
    const float v73 = fma(v72, v70, 0.1666652113199234f);
    const float v74 = fma(v73, v70, 0.4999999403953552f);
    const float v75 = fma(v74, v70, 1.0f);
    const float v76 = fma(v75, v70, 1.0f);
    const float v77 = ldexp(v76, (int)clamp(v68, -300.0f, 300.0f));
    own_stripe1[v57] = v77;
    const float v78 = v54 + v77;
    const float v79 = own_stripe0[v58];
    const float v80 = v79 - v40;
    const bool v81 = (-104.0f) > v80;
    const float v82 = v81 ? (-104.0f) : v80;
    const bool v83 = 89.0f < v82;
    const float v84 = v83 ? 89.0f : v82;
    const float v85 = fma(v84, 1.4426950216293335f, 12582912.0f);
    const float v86 = v85 - 12582912.0f;
    const float v87 = fma(v86, (-0.6931471824645996f), v84);
    const float v88 = fma(v86, 1.9046542121259336e-09f, v87);
    const float v89 = fma(0.0013821304310113192f, v88, 0.00836866907775402f);
    const float v90 = fma(v89, v88, 0.04166825860738754f);
    const float v91 = fma(v90, v88, 0.1666652113199234f);
    const float v92 = fma(v91, v88, 0.4999999403953552f);
    const float v93 = fma(v92, v88, 1.0f);
    const float v94 = fma(v93, v88, 1.0f);
    const float v95 = ldexp(v94, (int)clamp(v86, -300.0f, 300.0f));
    own_stripe1[v58] = v95;
    const float v96 = v78 + v95;
    const float v97 = own_stripe0[v59];
    const float v98 = v97 - v40;
    const bool v99 = (-104.0f) > v98;
    const float v100 = v99 ? (-104.0f) : v98;
    const bool v101 = 89.0f < v100;
    const float v102 = v101 ? 89.0f : v100;
    const float v103 = fma(v102, 1.4426950216293335f, 12582912.0f);
    const float v104 = v103 - 12582912.0f;
    const float v105 = fma(v104, (-0.6931471824645996f), v102);
    const float v106 = fma(v104, 1.9046542121259336e-09f, v105);
    const float v107 = fma(0.0013821304310113192f, v106, 0.00836866907775402f);
    const float v108 = fma(v107, v106, 0.04166825860738754f);
    const float v109 = fma(v108, v106, 0.1666652113199234f);
    const float v110 = fma(v109, v106, 0.4999999403953552f);
    const float v111 = fma(v110, v106, 1.0f);
    const float v112 = fma(v111, v106, 1.0f);
    const float v113 = ldexp(v112, (int)clamp(v104, -300.0f, 300.0f));
    own_stripe1[v59] = v113;
    const float v114 = v96 + v113;
    const float v115 = own_stripe0[v60];
    const float v116 = v115 - v40;
    const bool v117 = (-104.0f) > v116;
    const float v118 = v117 ? (-104.0f) : v116;
    const bool v119 = 89.0f < v118;
    const float v120 = v119 ? 89.0f : v118;
    const float v121 = fma(v120, 1.4426950216293335f, 12582912.0f);
    const float v122 = v121 - 12582912.0f;
    const float v123 = fma(v122, (-0.6931471824645996f), v120);
    const float v124 = fma(v122, 1.9046542121259336e-09f, v123);
    const float v125 = fma(0.0013821304310113192f, v124, 0.00836866907775402f);
    const float v126 = fma(v125, v124, 0.04166825860738754f);
    const float v127 = fma(v126, v124, 0.1666652113199234f);
    const float v128 = fma(v127, v124, 0.4999999403953552f);
    const float v129 = fma(v128, v124, 1.0f);
    const float v130 = fma(v129, v124, 1.0f);
    const float v131 = ldexp(v130, (int)clamp(v122, -300.0f, 300.0f));
    own_stripe1[v60] = v131;
    const float v132 = v114 + v131;
    v54 = v132;
  }
  const float v133 = simd_sum(v54);
  if (lane == 0) shared_partial1[subgroup] = v133;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v134 = v38 ? shared_partial1[lane] : 0.0f;
  const float v135 = simd_sum(v134);
  const float v136 = 1.0f / v135;
  const int v138 = (int)n_y_stride0;
  const int v139 = group * v138;
  #pragma unroll
  for (int i140 = 0; i140 < 4; i140 += 1) {
    const int v141 = i140 * 1024;
    const int v142 = v141 + v7;
    const int v143 = i140 * 4;
    const int v144 = v143 + 1;
    const int v145 = v143 + 2;
    const int v146 = v143 + 3;
    const float v147 = own_stripe1[v143];
    const float v148 = v147 * v136;
    const int v149 = v139 + v142;
    const float v150 = own_stripe1[v144];
    const float v151 = v150 * v136;
    const int v152 = v149 + 1;
    const float v153 = own_stripe1[v145];
    const float v154 = v153 * v136;
    const int v155 = v149 + 2;
    const float v156 = own_stripe1[v146];
    const float v157 = v156 * v136;
    const int v158 = v149 + 3;
    *(device float4*)(p_y + (v149 + lane * 4)) = float4(v148, v151, v154, v157);
  }
}
