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
kernel void cross_entropy_kernel_aa37c16c4c25_0(
    device const float* p_logits [[buffer(0)]],
    device const long* p_labels [[buffer(1)]],
    device float* p_loss [[buffer(2)]],
    constant long& n_logits_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  const int lane = lane_;
  const long group = group_;
  const long v8 = group * n_logits_stride0;
  float v9 = as_type<float>(0xff800000U);
  for (long i11 = 0L; i11 < 3L; i11 += 1L) {
    const long v12 = i11 * 32L;
    const long v13 = v8 + v12;
    const float v14 = p_logits[v13 + lane];
    const float v15 = max_nan(v9, v14);
    v9 = v15;
  }
  const long v18 = (long)lane;
  const bool v20 = v18 < 31L;
  const long v22 = v8 + 96L;
  const float v23 = v20 ? p_logits[v22 + lane] : 0.0f;
  const float v24 = max_nan(v9, v23);
  const float v25 = v20 ? v24 : v9;
  const float v26 = lanes_maximum(v25);
  const long v27 = p_labels[group];
  const bool v29 = v27 >= 0L;
  const bool v30 = v27 < 127L;
  const bool v31 = v29 & v30;
  const long v32 = (long)((ulong)v8 + (ulong)v27);
  const float v33 = v31 ? p_logits[v32] : 0.0f;
  const float v34 = v31 ? v33 : 0.0f;
  const bool v35 = isfinite(v26);
  const float v36 = v35 ? v26 : 0.0f;
  float v49 = 0.0f;
  for (long i51 = 0L; i51 < 3L; i51 += 1L) {
    const long v52 = i51 * 32L;
    const long v53 = v8 + v52;
    const float v54 = p_logits[v53 + lane];
    const float v55 = v54 - v36;
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
    const float v71 = v49 + v70;
    v49 = v71;
  }
  const float v72 = v20 ? p_logits[v22 + lane] : 0.0f;
  const float v73 = v72 - v36;
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
  const float v89 = v49 + v88;
  const float v90 = v20 ? v89 : v49;
  const float v91 = simd_sum(v90);
  const bool v93 = v91 < 1.1754943508222875e-38f;
  const float v95 = v91 * 8388608.0f;
  const float v96 = v93 ? v95 : v91;
  const int v97 = as_type<int>(v96);
  const int v99 = (int)((uint)v97 + (uint)(-1060439283));
  const int v101 = shift_right_int(v99, 23);
  const int v102 = shift_left_int(v101, 23);
  const int v103 = (int)((uint)v97 - (uint)v102);
  const float v104 = as_type<float>(v103);
  const int v106 = v93 ? (-23) : 0;
  const int v107 = shift_right_int(v102, 23);
  const int v108 = (int)((uint)v107 + (uint)v106);
  const float v109 = v104 - 1.0f;
  const float v110 = (float)v108;
  const float v112 = v110 * (-1.9046542121259336e-09f);
  const float v113 = v109 * v109;
  const float v116 = fma((-0.0765954852104187f), v109, 0.12929800152778625f);
  const float v118 = fma(v116, v109, (-0.13240014016628265f));
  const float v120 = fma(v118, v109, 0.14177437126636505f);
  const float v122 = fma(v120, v109, (-0.16608870029449463f));
  const float v124 = fma(v122, v109, 0.20002205669879913f);
  const float v126 = fma(v124, v109, (-0.2500160336494446f));
  const float v128 = fma(v126, v109, 0.33333322405815125f);
  const float v130 = fma(v128, v109, (-0.49999988079071045f));
  const float v131 = fma(v113, v130, v112);
  const float v133 = v109 + v131;
  const float v134 = fma(v110, 0.6931471824645996f, v133);
  const bool v135 = v91 == 0.0f;
  const float v137 = v135 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v139 = v91 < as_type<float>(0x7f800000U);
  const float v140 = v139 ? v134 : v91;
  const bool v141 = v91 <= 0.0f;
  const float v142 = v141 ? v137 : v140;
  const float v143 = v36 - v34;
  const float v144 = v143 + v142;
  if (lane == 0) p_loss[group] = v144;
}
