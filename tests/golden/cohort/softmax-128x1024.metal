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
  const int group = group_;
  float own_stripe0[32];
  float own_stripe1[32];
  const int v10 = (int)n_x_stride0;
  const int v11 = group * v10;
  float v12 = as_type<float>(0xff800000U);
  #pragma unroll
  for (int i14 = 0; i14 < 8; i14 += 1) {
    const int v15 = i14 * 128;
    const int v16 = i14 * 4;
    const int v17 = v16 + 1;
    const int v18 = v16 + 2;
    const int v19 = v16 + 3;
    const int v20 = v11 + v15;
    const float4 pack0 = *(device const float4*)(p_x + (v20 + lane * 4));
    const float v21 = pack0.x;
    own_stripe0[v16] = v21;
    const float v22 = max_nan(v12, v21);
    const int v23 = v20 + 1;
    const float v24 = pack0.y;
    own_stripe0[v17] = v24;
    const float v25 = max_nan(v22, v24);
    const int v26 = v20 + 2;
    const float v27 = pack0.z;
    own_stripe0[v18] = v27;
    const float v28 = max_nan(v25, v27);
    const int v29 = v20 + 3;
    const float v30 = pack0.w;
    own_stripe0[v19] = v30;
    const float v31 = max_nan(v28, v30);
    v12 = v31;
  }
  const float v32 = lanes_maximum(v12);
  float v46 = 0.0f;
  #pragma unroll
  for (int i48 = 0; i48 < 8; i48 += 1) {
    const int v49 = i48 * 4;
    const int v50 = v49 + 1;
    const int v51 = v49 + 2;
    const int v52 = v49 + 3;
    const float v53 = own_stripe0[v49];
    const float v54 = v53 - v32;
    const bool v55 = (-104.0f) > v54;
    const float v56 = v55 ? (-104.0f) : v54;
    const bool v57 = 89.0f < v56;
    const float v58 = v57 ? 89.0f : v56;
    const float v59 = fma(v58, 1.4426950216293335f, 12582912.0f);
    const float v60 = v59 - 12582912.0f;
    const float v61 = fma(v60, (-0.6931471824645996f), v58);
    const float v62 = fma(v60, 1.9046542121259336e-09f, v61);
    const float v63 = fma(0.0013821304310113192f, v62, 0.00836866907775402f);
    const float v64 = fma(v63, v62, 0.04166825860738754f);
    const float v65 = fma(v64, v62, 0.1666652113199234f);
    const float v66 = fma(v65, v62, 0.4999999403953552f);
    const float v67 = fma(v66, v62, 1.0f);
    const float v68 = fma(v67, v62, 1.0f);
    const float v69 = ldexp(v68, (int)clamp(v60, -300.0f, 300.0f));
    own_stripe1[v49] = v69;
    const float v70 = v46 + v69;
    const float v71 = own_stripe0[v50];
    const float v72 = v71 - v32;
    const bool v73 = (-104.0f) > v72;
    const float v74 = v73 ? (-104.0f) : v72;
    const bool v75 = 89.0f < v74;
    const float v76 = v75 ? 89.0f : v74;
    const float v77 = fma(v76, 1.4426950216293335f, 12582912.0f);
    const float v78 = v77 - 12582912.0f;
    const float v79 = fma(v78, (-0.6931471824645996f), v76);
    const float v80 = fma(v78, 1.9046542121259336e-09f, v79);
    const float v81 = fma(0.0013821304310113192f, v80, 0.00836866907775402f);
    const float v82 = fma(v81, v80, 0.04166825860738754f);
    const float v83 = fma(v82, v80, 0.1666652113199234f);
    const float v84 = fma(v83, v80, 0.4999999403953552f);
    const float v85 = fma(v84, v80, 1.0f);
    const float v86 = fma(v85, v80, 1.0f);
    const float v87 = ldexp(v86, (int)clamp(v78, -300.0f, 300.0f));
    own_stripe1[v50] = v87;
    const float v88 = v70 + v87;
    const float v89 = own_stripe0[v51];
    const float v90 = v89 - v32;
    const bool v91 = (-104.0f) > v90;
    const float v92 = v91 ? (-104.0f) : v90;
    const bool v93 = 89.0f < v92;
    const float v94 = v93 ? 89.0f : v92;
    const float v95 = fma(v94, 1.4426950216293335f, 12582912.0f);
    const float v96 = v95 - 12582912.0f;
    const float v97 = fma(v96, (-0.6931471824645996f), v94);
    const float v98 = fma(v96, 1.9046542121259336e-09f, v97);
    const float v99 = fma(0.0013821304310113192f, v98, 0.00836866907775402f);
    const float v100 = fma(v99, v98, 0.04166825860738754f);
    const float v101 = fma(v100, v98, 0.1666652113199234f);
    const float v102 = fma(v101, v98, 0.4999999403953552f);
    const float v103 = fma(v102, v98, 1.0f);
    const float v104 = fma(v103, v98, 1.0f);
    const float v105 = ldexp(v104, (int)clamp(v96, -300.0f, 300.0f));
    own_stripe1[v51] = v105;
    const float v106 = v88 + v105;
    const float v107 = own_stripe0[v52];
    const float v108 = v107 - v32;
    const bool v109 = (-104.0f) > v108;
    const float v110 = v109 ? (-104.0f) : v108;
    const bool v111 = 89.0f < v110;
    const float v112 = v111 ? 89.0f : v110;
    const float v113 = fma(v112, 1.4426950216293335f, 12582912.0f);
    const float v114 = v113 - 12582912.0f;
    const float v115 = fma(v114, (-0.6931471824645996f), v112);
    const float v116 = fma(v114, 1.9046542121259336e-09f, v115);
    const float v117 = fma(0.0013821304310113192f, v116, 0.00836866907775402f);
    const float v118 = fma(v117, v116, 0.04166825860738754f);
    const float v119 = fma(v118, v116, 0.1666652113199234f);
    const float v120 = fma(v119, v116, 0.4999999403953552f);
    const float v121 = fma(v120, v116, 1.0f);
    const float v122 = fma(v121, v116, 1.0f);
    const float v123 = ldexp(v122, (int)clamp(v114, -300.0f, 300.0f));
    own_stripe1[v52] = v123;
    const float v124 = v106 + v123;
    v46 = v124;
  }
  const float v125 = simd_sum(v46);
  const float v126 = 1.0f / v125;
  const int v128 = (int)n_y_stride0;
  const int v129 = group * v128;
  #pragma unroll
  for (int i130 = 0; i130 < 8; i130 += 1) {
    const int v131 = i130 * 128;
    const int v132 = i130 * 4;
    const int v133 = v132 + 1;
    const int v134 = v132 + 2;
    const int v135 = v132 + 3;
    const float v136 = own_stripe1[v132];
    const float v137 = v136 * v126;
    const int v138 = v129 + v131;
    const float v139 = own_stripe1[v133];
    const float v140 = v139 * v126;
    const int v141 = v138 + 1;
    const float v142 = own_stripe1[v134];
    const float v143 = v142 * v126;
    const int v144 = v138 + 2;
    const float v145 = own_stripe1[v135];
    const float v146 = v145 * v126;
    const int v147 = v138 + 3;
    *(device float4*)(p_y + (v138 + lane * 4)) = float4(v137, v140, v143, v146);
  }
}
