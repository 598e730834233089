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

[[max_total_threads_per_threadgroup(64)]]
kernel void cross_entropy_kernel_9cb1a3910f53_0(
    device const float* p_logits [[buffer(0)]],
    device const long* p_labels [[buffer(1)]],
    device float* p_loss [[buffer(2)]],
    constant long& n_logits_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[2];
  threadgroup float shared_partial1[2];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const int group = group_;
  const int v9 = subgroup * 128;
  const int v14 = (int)n_logits_stride0;
  const int v15 = group * v14;
  const long v16 = (long)v15;
  float v17 = as_type<float>(0xff800000U);
  #pragma unroll
  for (int i19 = 0; i19 < 4; i19 += 1) {
    const int v20 = i19 * 256;
    const int v21 = v20 + v9;
    const int v22 = v15 + v21;
    const float4 pack0 = *(device const float4*)(p_logits + (v22 + lane * 4));
    const float v23 = pack0.x;
    const float v24 = max_nan(v17, v23);
    const int v25 = v22 + 1;
    const float v26 = pack0.y;
    const float v27 = max_nan(v24, v26);
    const int v28 = v22 + 2;
    const float v29 = pack0.z;
    const float v30 = max_nan(v27, v29);
    const int v31 = v22 + 3;
    const float v32 = pack0.w;
    const float v33 = max_nan(v30, v32);
    v17 = v33;
  }
  const float v34 = lanes_maximum(v17);
  if (lane == 0) shared_partial0[subgroup] = v34;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v36 = lane < 2;
  const float v37 = v36 ? shared_partial0[lane] : as_type<float>(0xff800000U);
  const float v38 = lanes_maximum(v37);
  const long v39 = p_labels[group];
  const bool v41 = v39 >= 0L;
  const bool v42 = v39 < 1024L;
  const bool v43 = v41 & v42;
  const long v45 = (long)((ulong)v16 + (ulong)v39);
  const float v46 = v43 ? p_logits[v45] : 0.0f;
  const float v47 = v43 ? v46 : 0.0f;
  const bool v48 = isfinite(v38);
  const float v49 = v48 ? v38 : 0.0f;
  float v62 = 0.0f;
  #pragma unroll
  for (int i64 = 0; i64 < 4; i64 += 1) {
    const int v65 = i64 * 256;
    const int v66 = v65 + v9;
    const int v67 = v15 + v66;
    const float4 pack1 = *(device const float4*)(p_logits + (v67 + lane * 4));
    const float v68 = pack1.x;
    const float v69 = v68 - v49;
    const bool v70 = (-104.0f) > v69;
    const float v71 = v70 ? (-104.0f) : v69;
    const bool v72 = 89.0f < v71;
    const float v73 = v72 ? 89.0f : v71;
    const float v74 = fma(v73, 1.4426950216293335f, 12582912.0f);
    const float v75 = v74 - 12582912.0f;
    const float v76 = fma(v75, (-0.6931471824645996f), v73);
    const float v77 = fma(v75, 1.9046542121259336e-09f, v76);
    const float v78 = fma(0.0013821304310113192f, v77, 0.00836866907775402f);
    const float v79 = fma(v78, v77, 0.04166825860738754f);
    const float v80 = fma(v79, v77, 0.1666652113199234f);
    const float v81 = fma(v80, v77, 0.4999999403953552f);
    const float v82 = fma(v81, v77, 1.0f);
    const float v83 = fma(v82, v77, 1.0f);
    const float v84 = ldexp(v83, (int)clamp(v75, -300.0f, 300.0f));
    const float v85 = v62 + v84;
    const int v86 = v67 + 1;
    const float v87 = pack1.y;
    const float v88 = v87 - v49;
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
    const float v104 = v85 + v103;
    const int v105 = v67 + 2;
    const float v106 = pack1.z;
    const float v107 = v106 - v49;
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
    const float v123 = v104 + v122;
    const int v124 = v67 + 3;
    const float v125 = pack1.w;
    const float v126 = v125 - v49;
    const bool v127 = (-104.0f) > v126;
    const float v128 = v127 ? (-104.0f) : v126;
    const bool v129 = 89.0f < v128;
    const float v130 = v129 ? 89.0f : v128;
    const float v131 = fma(v130, 1.4426950216293335f, 12582912.0f);
    const float v132 = v131 - 12582912.0f;
    const float v133 = fma(v132, (-0.6931471824645996f), v130);
    const float v134 = fma(v132, 1.9046542121259336e-09f, v133);
    const float v135 = fma(0.0013821304310113192f, v134, 0.00836866907775402f);
    const float v136 = fma(v135, v134, 0.04166825860738754f);
    const float v137 = fma(v136, v134, 0.1666652113199234f);
    const float v138 = fma(v137, v134, 0.4999999403953552f);
    const float v139 = fma(v138, v134, 1.0f);
    const float v140 = fma(v139, v134, 1.0f);
    const float v141 = ldexp(v140, (int)clamp(v132, -300.0f, 300.0f));
    const float v142 = v123 + v141;
    v62 = v142;
  }
  const float v143 = simd_sum(v62);
  if (lane == 0) shared_partial1[subgroup] = v143;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v144 = v36 ? shared_partial1[lane] : 0.0f;
  const float v145 = simd_sum(v144);
  const bool v147 = v145 < 1.1754943508222875e-38f;
  const float v149 = v145 * 8388608.0f;
  const float v150 = v147 ? v149 : v145;
  const int v151 = as_type<int>(v150);
  const int v153 = (int)((uint)v151 + (uint)(-1060439283));
  const int v155 = shift_right_int(v153, 23);
  const int v156 = shift_left_int(v155, 23);
  const int v157 = (int)((uint)v151 - (uint)v156);
  const float v158 = as_type<float>(v157);
  const int v160 = v147 ? (-23) : 0;
  const int v161 = shift_right_int(v156, 23);
  const int v162 = (int)((uint)v161 + (uint)v160);
  const float v163 = v158 - 1.0f;
  const float v164 = (float)v162;
  const float v166 = v164 * (-1.9046542121259336e-09f);
  const float v167 = v163 * v163;
  const float v170 = fma((-0.0765954852104187f), v163, 0.12929800152778625f);
  const float v172 = fma(v170, v163, (-0.13240014016628265f));
  const float v174 = fma(v172, v163, 0.14177437126636505f);
  const float v176 = fma(v174, v163, (-0.16608870029449463f));
  const float v178 = fma(v176, v163, 0.20002205669879913f);
  const float v180 = fma(v178, v163, (-0.2500160336494446f));
  const float v182 = fma(v180, v163, 0.33333322405815125f);
  const float v184 = fma(v182, v163, (-0.49999988079071045f));
  const float v185 = fma(v167, v184, v166);
  const float v187 = v163 + v185;
  const float v188 = fma(v164, 0.6931471824645996f, v187);
  const bool v189 = v145 == 0.0f;
  const float v191 = v189 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v193 = v145 < as_type<float>(0x7f800000U);
  const float v194 = v193 ? v188 : v145;
  const bool v195 = v145 <= 0.0f;
  const float v196 = v195 ? v191 : v194;
  const float v197 = v49 - v47;
  const float v198 = v197 + v196;
  const bool v199 = subgroup == 0;
  if (v199) {
    if (lane == 0) p_loss[group] = v198;
  }
}
