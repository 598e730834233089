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
  const int v3 = (int)group;
  const int v10 = lane * 4;
  const bool v13 = v10 < 124;
  const int v15 = (int)n_logits_stride0;
  const int v16 = v3 * v15;
  const long v17 = (long)v16;
  const float2 pack0 = *(device const float2*)(p_logits + (v16 + lane * 4));
  const float v18 = pack0.x;
  const float v19 = max_nan(as_type<float>(0xff800000U), v18);
  const int v20 = v16 + 1;
  const float v21 = pack0.y;
  const float v22 = max_nan(v19, v21);
  const int v23 = v16 + 2;
  const float v24 = p_logits[v23 + lane * 4];
  const float v25 = max_nan(v22, v24);
  const int v27 = v16 + 3;
  const float v28 = v13 ? p_logits[v27 + lane * 4] : 0.0f;
  const float v29 = max_nan(v25, v28);
  const float v30 = v13 ? v29 : v25;
  const float v31 = lanes_maximum(v30);
  const long v32 = p_labels[v3];
  const bool v33 = v32 >= 0L;
  const bool v34 = v32 < 127L;
  const bool v35 = v33 & v34;
  const long v36 = (long)((ulong)v17 + (ulong)v32);
  const float v37 = v35 ? p_logits[v36] : 0.0f;
  const float v38 = v35 ? v37 : 0.0f;
  const bool v39 = isfinite(v31);
  const float v40 = v39 ? v31 : 0.0f;
  const float2 pack1 = *(device const float2*)(p_logits + (v16 + lane * 4));
  const float v41 = pack1.x;
  const float v42 = v41 - v40;
  const bool v44 = (-104.0f) > v42;
  const float v45 = v44 ? (-104.0f) : v42;
  const bool v47 = 89.0f < v45;
  const float v48 = v47 ? 89.0f : v45;
  const float v51 = fma(v48, 1.4426950216293335f, 12582912.0f);
  const float v52 = v51 - 12582912.0f;
  const float v54 = fma(v52, (-0.6931471824645996f), v48);
  const float v56 = fma(v52, 1.9046542121259336e-09f, v54);
  const float v59 = fma(0.0013821304310113192f, v56, 0.00836866907775402f);
  const float v61 = fma(v59, v56, 0.04166825860738754f);
  const float v63 = fma(v61, v56, 0.1666652113199234f);
  const float v65 = fma(v63, v56, 0.4999999403953552f);
  const float v67 = fma(v65, v56, 1.0f);
  const float v68 = fma(v67, v56, 1.0f);
  const float v69 = ldexp(v68, (int)clamp(v52, -300.0f, 300.0f));
  const float v70 = 0.0f + v69;
  const float v71 = pack1.y;
  const float v72 = v71 - v40;
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
  const float v88 = v70 + v87;
  const float v89 = p_logits[v23 + lane * 4];
  const float v90 = v89 - v40;
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
  const float v106 = v88 + v105;
  const float v107 = v13 ? p_logits[v27 + lane * 4] : 0.0f;
  const float v108 = v107 - v40;
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
  const float v124 = v106 + v123;
  const float v125 = v13 ? v124 : v106;
  const float v126 = simd_sum(v125);
  const bool v128 = v126 < 1.1754943508222875e-38f;
  const float v130 = v126 * 8388608.0f;
  const float v131 = v128 ? v130 : v126;
  const int v132 = as_type<int>(v131);
  const int v134 = (int)((uint)v132 + (uint)(-1060439283));
  const int v136 = shift_right_int(v134, 23);
  const int v137 = shift_left_int(v136, 23);
  const int v138 = (int)((uint)v132 - (uint)v137);
  const float v139 = as_type<float>(v138);
  const int v141 = v128 ? (-23) : 0;
  const int v142 = shift_right_int(v137, 23);
  const int v143 = (int)((uint)v142 + (uint)v141);
  const float v144 = v139 - 1.0f;
  const float v145 = (float)v143;
  const float v147 = v145 * (-1.9046542121259336e-09f);
  const float v148 = v144 * v144;
  const float v151 = fma((-0.0765954852104187f), v144, 0.12929800152778625f);
  const float v153 = fma(v151, v144, (-0.13240014016628265f));
  const float v155 = fma(v153, v144, 0.14177437126636505f);
  const float v157 = fma(v155, v144, (-0.16608870029449463f));
  const float v159 = fma(v157, v144, 0.20002205669879913f);
  const float v161 = fma(v159, v144, (-0.2500160336494446f));
  const float v163 = fma(v161, v144, 0.33333322405815125f);
  const float v165 = fma(v163, v144, (-0.49999988079071045f));
  const float v166 = fma(v148, v165, v147);
  const float v168 = v144 + v166;
  const float v169 = fma(v145, 0.6931471824645996f, v168);
  const bool v170 = v126 == 0.0f;
  const float v172 = v170 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v174 = v126 < as_type<float>(0x7f800000U);
  const float v175 = v174 ? v169 : v126;
  const bool v176 = v126 <= 0.0f;
  const float v177 = v176 ? v172 : v175;
  const float v178 = v40 - v38;
  const float v179 = v178 + v177;
  if (lane == 0) p_loss[v3] = v179;
}
