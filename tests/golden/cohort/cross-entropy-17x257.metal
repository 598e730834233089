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

static inline int shift_left_int(int a, int count) {
  return (uint)count < 32 ? (int)((uint)a << (uint)count) : (int)0;
}

static inline int shift_right_int(int a, int count) {
  return (uint)count < 32 ? (int)(a >> (uint)count) : (int)(a < 0 ? -1 : 0);
}

[[max_total_threads_per_threadgroup(32)]]
kernel void cross_entropy_kernel_76d2dec0f579_0(
    device const float* p_logits [[buffer(0)]],
    device const long* p_labels [[buffer(1)]],
    device float* p_loss [[buffer(2)]],
    constant long& n_logits_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const int group = group_;
  const int v9 = (int)n_logits_stride0;
  const int v10 = group * v9;
  const long v11 = (long)v10;
  float v12 = as_type<float>(0xff800000U);
  for (int i14 = 0; i14 < 8; i14 += 1) {
    const int v15 = i14 * 32;
    const int v16 = v10 + v15;
    const float v17 = p_logits[v16 + lane];
    const float v18 = max_nan(v12, v17);
    v12 = v18;
  }
  const bool v21 = lane < 1;
  const int v23 = v10 + 256;
  const float v24 = v21 ? p_logits[v23 + lane] : 0.0f;
  const float v25 = max_nan(v12, v24);
  const float v26 = v21 ? v25 : v12;
  const float v27 = lanes_maximum(v26);
  const long v28 = p_labels[group];
  const bool v30 = v28 >= 0L;
  const bool v31 = v28 < 257L;
  const bool v32 = v30 & v31;
  const long v33 = (long)((ulong)v11 + (ulong)v28);
  const float v34 = v32 ? p_logits[v33] : 0.0f;
  const float v35 = v32 ? v34 : 0.0f;
  const bool v36 = isfinite(v27);
  const float v37 = v36 ? v27 : 0.0f;
  float v50 = 0.0f;
  for (int i52 = 0; i52 < 8; i52 += 1) {
    const int v53 = i52 * 32;
    const int v54 = v10 + v53;
    const float v55 = p_logits[v54 + lane];
    const float v56 = v55 - v37;
    const bool v57 = (-104.0f) > v56;
    const float v58 = v57 ? (-104.0f) : v56;
    const bool v59 = 89.0f < v58;
    const float v60 = v59 ? 89.0f : v58;
    const float v61 = fma(v60, 1.4426950216293335f, 12582912.0f);
    const float v62 = v61 - 12582912.0f;
    const float v63 = fma(v62, (-0.6931471824645996f), v60);
    const float v64 = fma(v62, 1.9046542121259336e-09f, v63);
    const float v65 = fma(0.0013821304310113192f, v64, 0.00836866907775402f);
    const float v66 = fma(v65, v64, 0.04166825860738754f);
    const float v67 = fma(v66, v64, 0.1666652113199234f);
    const float v68 = fma(v67, v64, 0.4999999403953552f);
    const float v69 = fma(v68, v64, 1.0f);
    const float v70 = fma(v69, v64, 1.0f);
    const float v71 = ldexp(v70, (int)clamp(v62, -300.0f, 300.0f));
    const float v72 = v50 + v71;
    v50 = v72;
  }
  const float v73 = v21 ? p_logits[v23 + lane] : 0.0f;
  const float v74 = v73 - v37;
  const bool v75 = (-104.0f) > v74;
  const float v76 = v75 ? (-104.0f) : v74;
  const bool v77 = 89.0f < v76;
  const float v78 = v77 ? 89.0f : v76;
  const float v79 = fma(v78, 1.4426950216293335f, 12582912.0f);
  const float v80 = v79 - 12582912.0f;
  const float v81 = fma(v80, (-0.6931471824645996f), v78);
  const float v82 = fma(v80, 1.9046542121259336e-09f, v81);
  const float v83 = fma(0.0013821304310113192f, v82, 0.00836866907775402f);
  const float v84 = fma(v83, v82, 0.04166825860738754f);
  const float v85 = fma(v84, v82, 0.1666652113199234f);
  const float v86 = fma(v85, v82, 0.4999999403953552f);
  const float v87 = fma(v86, v82, 1.0f);
  const float v88 = fma(v87, v82, 1.0f);
  const float v89 = ldexp(v88, (int)clamp(v80, -300.0f, 300.0f));
  const float v90 = v50 + v89;
  const float v91 = v21 ? v90 : v50;
  const float v92 = simd_sum(v91);
  const bool v94 = v92 < 1.1754943508222875e-38f;
  const float v96 = v92 * 8388608.0f;
  const float v97 = v94 ? v96 : v92;
  const int v98 = as_type<int>(v97);
  const int v100 = (int)((uint)v98 + (uint)(-1060439283));
  const int v102 = shift_right_int(v100, 23);
  const int v103 = shift_left_int(v102, 23);
  const int v104 = (int)((uint)v98 - (uint)v103);
  const float v105 = as_type<float>(v104);
  const int v107 = v94 ? (-23) : 0;
  const int v108 = shift_right_int(v103, 23);
  const int v109 = (int)((uint)v108 + (uint)v107);
  const float v110 = v105 - 1.0f;
  const float v111 = (float)v109;
  const float v113 = v111 * (-1.9046542121259336e-09f);
  const float v114 = v110 * v110;
  const float v117 = fma((-0.0765954852104187f), v110, 0.12929800152778625f);
  const float v119 = fma(v117, v110, (-0.13240014016628265f));
  const float v121 = fma(v119, v110, 0.14177437126636505f);
  const float v123 = fma(v121, v110, (-0.16608870029449463f));
  const float v125 = fma(v123, v110, 0.20002205669879913f);
  const float v127 = fma(v125, v110, (-0.2500160336494446f));
  const float v129 = fma(v127, v110, 0.33333322405815125f);
  const float v131 = fma(v129, v110, (-0.49999988079071045f));
  const float v132 = fma(v114, v131, v113);
  const float v134 = v110 + v132;
  const float v135 = fma(v111, 0.6931471824645996f, v134);
  const bool v136 = v92 == 0.0f;
  const float v138 = v136 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v140 = v92 < as_type<float>(0x7f800000U);
  const float v141 = v140 ? v135 : v92;
  const bool v142 = v92 <= 0.0f;
  const float v143 = v142 ? v138 : v141;
  const float v144 = v37 - v35;
  const float v145 = v144 + v143;
  if (lane == 0) p_loss[group] = v145;
}
