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
  const int group = group_;
  const int v9 = lane * 4;
  const bool v12 = v9 < 124;
  const int v14 = (int)n_logits_stride0;
  const int v15 = group * v14;
  const long v16 = (long)v15;
  const float2 pack0 = *(device const float2*)(p_logits + (v15 + lane * 4));
  const float v17 = pack0.x;
  const int v18 = v15 + 1;
  const float v19 = pack0.y;
  const float v20 = max_nan(v17, v19);
  const int v21 = v15 + 2;
  const float v22 = p_logits[v21 + lane * 4];
  const float v23 = max_nan(v20, v22);
  const int v25 = v15 + 3;
  const float v26 = v12 ? p_logits[v25 + lane * 4] : 0.0f;
  const float v27 = max_nan(v23, v26);
  const float v28 = v12 ? v27 : v23;
  const float v29 = lanes_maximum(v28);
  const long v30 = p_labels[group];
  const bool v31 = v30 >= 0L;
  const bool v32 = v30 < 127L;
  const bool v33 = v31 & v32;
  const long v34 = (long)((ulong)v16 + (ulong)v30);
  const float v35 = v33 ? p_logits[v34] : 0.0f;
  const float v36 = v33 ? v35 : 0.0f;
  const bool v37 = isfinite(v29);
  const float v38 = v37 ? v29 : 0.0f;
  const float2 pack1 = *(device const float2*)(p_logits + (v15 + lane * 4));
  const float v39 = pack1.x;
  const float v40 = v39 - v38;
  const bool v42 = (-104.0f) > v40;
  const float v43 = v42 ? (-104.0f) : v40;
  const bool v45 = 89.0f < v43;
  const float v46 = v45 ? 89.0f : v43;
  const float v49 = fma(v46, 1.4426950216293335f, 12582912.0f);
  const float v50 = v49 - 12582912.0f;
  const float v52 = fma(v50, (-0.6931471824645996f), v46);
  const float v54 = fma(v50, 1.9046542121259336e-09f, v52);
  const float v57 = fma(0.0013821304310113192f, v54, 0.00836866907775402f);
  const float v59 = fma(v57, v54, 0.04166825860738754f);
  const float v61 = fma(v59, v54, 0.1666652113199234f);
  const float v63 = fma(v61, v54, 0.4999999403953552f);
  const float v65 = fma(v63, v54, 1.0f);
  const float v66 = fma(v65, v54, 1.0f);
  const float v67 = ldexp(v66, (int)clamp(v50, -300.0f, 300.0f));
  const float v68 = 0.0f + v67;
  const float v69 = pack1.y;
  const float v70 = v69 - v38;
  const bool v71 = (-104.0f) > v70;
  const float v72 = v71 ? (-104.0f) : v70;
  const bool v73 = 89.0f < v72;
  const float v74 = v73 ? 89.0f : v72;
  const float v75 = fma(v74, 1.4426950216293335f, 12582912.0f);
  const float v76 = v75 - 12582912.0f;
  const float v77 = fma(v76, (-0.6931471824645996f), v74);
  const float v78 = fma(v76, 1.9046542121259336e-09f, v77);
  const float v79 = fma(0.0013821304310113192f, v78, 0.00836866907775402f);
  const float v80 = fma(v79, v78, 0.04166825860738754f);
  const float v81 = fma(v80, v78, 0.1666652113199234f);
  const float v82 = fma(v81, v78, 0.4999999403953552f);
  const float v83 = fma(v82, v78, 1.0f);
  const float v84 = fma(v83, v78, 1.0f);
  const float v85 = ldexp(v84, (int)clamp(v76, -300.0f, 300.0f));
  const float v86 = v68 + v85;
  const float v87 = p_logits[v21 + lane * 4];
  const float v88 = v87 - v38;
  const bool v89 = (-104.0f) > v88;
  const float v90 = v89 ? (-104.0f) : v88;
  const bool v91 = 89.0f < v90;
  const float v92 = v91 ? 89.0f : v90;
  const float v93 = fma(v92, 1.4426950216293335f, 12582912.0f);
  const float v94 = v93 - 12582912.0f;
  const float v95 = fma(v94, (-0.6931471824645996f), v92);
  const float v96 = fma(v94, 1.9046542121259336e-09f, v95);
  const float v97 = fma(0.0013821304310113192f, v96, 0.00836866907775402f);
  const float v98 = fma(v97, v96, 0.04166825860738754f);
  const float v99 = fma(v98, v96, 0.1666652113199234f);
  const float v100 = fma(v99, v96, 0.4999999403953552f);
  const float v101 = fma(v100, v96, 1.0f);
  const float v102 = fma(v101, v96, 1.0f);
  const float v103 = ldexp(v102, (int)clamp(v94, -300.0f, 300.0f));
  const float v104 = v86 + v103;
  const float v105 = v12 ? p_logits[v25 + lane * 4] : 0.0f;
  const float v106 = v105 - v38;
  const bool v107 = (-104.0f) > v106;
  const float v108 = v107 ? (-104.0f) : v106;
  const bool v109 = 89.0f < v108;
  const float v110 = v109 ? 89.0f : v108;
  const float v111 = fma(v110, 1.4426950216293335f, 12582912.0f);
  const float v112 = v111 - 12582912.0f;
  const float v113 = fma(v112, (-0.6931471824645996f), v110);
  const float v114 = fma(v112, 1.9046542121259336e-09f, v113);
  const float v115 = fma(0.0013821304310113192f, v114, 0.00836866907775402f);
  const float v116 = fma(v115, v114, 0.04166825860738754f);
  const float v117 = fma(v116, v114, 0.1666652113199234f);
  const float v118 = fma(v117, v114, 0.4999999403953552f);
  const float v119 = fma(v118, v114, 1.0f);
  const float v120 = fma(v119, v114, 1.0f);
  const float v121 = ldexp(v120, (int)clamp(v112, -300.0f, 300.0f));
  const float v122 = v104 + v121;
  const float v123 = v12 ? v122 : v104;
  const float v124 = simd_sum(v123);
  const bool v126 = v124 < 1.1754943508222875e-38f;
  const float v128 = v124 * 8388608.0f;
  const float v129 = v126 ? v128 : v124;
  const int v130 = as_type<int>(v129);
  const int v132 = (int)((uint)v130 + (uint)(-1060439283));
  const int v134 = shift_right_int(v132, 23);
  const int v135 = shift_left_int(v134, 23);
  const int v136 = (int)((uint)v130 - (uint)v135);
  const float v137 = as_type<float>(v136);
  const int v139 = v126 ? (-23) : 0;
  const int v140 = shift_right_int(v135, 23);
  const int v141 = (int)((uint)v140 + (uint)v139);
  const float v142 = v137 - 1.0f;
  const float v143 = (float)v141;
  const float v145 = v143 * (-1.9046542121259336e-09f);
  const float v146 = v142 * v142;
  const float v149 = fma((-0.0765954852104187f), v142, 0.12929800152778625f);
  const float v151 = fma(v149, v142, (-0.13240014016628265f));
  const float v153 = fma(v151, v142, 0.14177437126636505f);
  const float v155 = fma(v153, v142, (-0.16608870029449463f));
  const float v157 = fma(v155, v142, 0.20002205669879913f);
  const float v159 = fma(v157, v142, (-0.2500160336494446f));
  const float v161 = fma(v159, v142, 0.33333322405815125f);
  const float v163 = fma(v161, v142, (-0.49999988079071045f));
  const float v164 = fma(v146, v163, v145);
  const float v166 = v142 + v164;
  const float v167 = fma(v143, 0.6931471824645996f, v166);
  const bool v168 = v124 == 0.0f;
  const float v170 = v168 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v172 = v124 < as_type<float>(0x7f800000U);
  const float v173 = v172 ? v167 : v124;
  const bool v174 = v124 <= 0.0f;
  const float v175 = v174 ? v170 : v173;
  const float v176 = v38 - v36;
  const float v177 = v176 + v175;
  if (lane == 0) p_loss[group] = v177;
}
