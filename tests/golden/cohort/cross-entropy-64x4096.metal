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

[[max_total_threads_per_threadgroup(256)]]
kernel void cross_entropy_kernel_f2bb5a5bed44_0(
    device const float* p_logits [[buffer(0)]],
    device const long* p_labels [[buffer(1)]],
    device float* p_loss [[buffer(2)]],
    constant long& n_logits_stride0 [[buffer(3)]],
    uint lane_ [[thread_index_in_simdgroup]],
    uint subgroup_ [[simdgroup_index_in_threadgroup]],
    uint group_ [[threadgroup_position_in_grid]]) {
  threadgroup float shared_partial0[8];
  threadgroup float shared_partial1[8];
  const int lane = lane_;
  const int subgroup = subgroup_;
  const long group = group_;
  const int v5 = (int)group;
  const int v10 = subgroup * 128;
  const int v15 = (int)n_logits_stride0;
  const int v16 = v5 * v15;
  const long v17 = (long)v16;
  float v18 = as_type<float>(0xff800000U);
  #pragma unroll
  for (int i20 = 0; i20 < 4; i20 += 1) {
    const int v21 = i20 * 1024;
    const int v22 = v21 + v10;
    const int v23 = v16 + v22;
    const float4 pack0 = *(device const float4*)(p_logits + (v23 + lane * 4));
    const float v24 = pack0.x;
    const float v25 = max_nan(v18, v24);
    const int v26 = v23 + 1;
    const float v27 = pack0.y;
    const float v28 = max_nan(v25, v27);
    const int v29 = v23 + 2;
    const float v30 = pack0.z;
    const float v31 = max_nan(v28, v30);
    const int v32 = v23 + 3;
    const float v33 = pack0.w;
    const float v34 = max_nan(v31, v33);
    v18 = v34;
  }
  const float v35 = lanes_maximum(v18);
  if (lane == 0) shared_partial0[subgroup] = v35;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const bool v38 = lane < 8;
  const float v39 = v38 ? shared_partial0[lane] : as_type<float>(0xff800000U);
  const float v40 = lanes_maximum(v39);
  const long v41 = p_labels[v5];
  const bool v43 = v41 >= 0L;
  const bool v44 = v41 < 4096L;
  const bool v45 = v43 & v44;
  const long v47 = (long)((ulong)v17 + (ulong)v41);
  const float v48 = v45 ? p_logits[v47] : 0.0f;
  const float v49 = v45 ? v48 : 0.0f;
  const bool v50 = isfinite(v40);
  const float v51 = v50 ? v40 : 0.0f;
  float v64 = 0.0f;
  #pragma unroll
  for (int i66 = 0; i66 < 4; i66 += 1) {
    const int v67 = i66 * 1024;
    const int v68 = v67 + v10;
    const int v69 = v16 + v68;
    const float4 pack1 = *(device const float4*)(p_logits + (v69 + lane * 4));
    const float v70 = pack1.x;
    const float v71 = v70 - v51;
    const bool v72 = (-104.0f) > v71;
    const float v73 = v72 ? (-104.0f) : v71;
    const bool v74 = 89.0f < v73;
    const float v75 = v74 ? 89.0f : v73;
    const float v76 = fma(v75, 1.4426950216293335f, 12582912.0f);
    const float v77 = v76 - 12582912.0f;
    const float v78 = fma(v77, (-0.6931471824645996f), v75);
    const float v79 = fma(v77, 1.9046542121259336e-09f, v78);
    const float v80 = fma(0.0013821304310113192f, v79, 0.00836866907775402f);
    const float v81 = fma(v80, v79, 0.04166825860738754f);
    const float v82 = fma(v81, v79, 0.1666652113199234f);
    const float v83 = fma(v82, v79, 0.4999999403953552f);
    const float v84 = fma(v83, v79, 1.0f);
    const float v85 = fma(v84, v79, 1.0f);
    const float v86 = ldexp(v85, (int)clamp(v77, -300.0f, 300.0f));
    const float v87 = v64 + v86;
    const int v88 = v69 + 1;
    const float v89 = pack1.y;
    const float v90 = v89 - v51;
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
    const float v106 = v87 + v105;
    const int v107 = v69 + 2;
    const float v108 = pack1.z;
    const float v109 = v108 - v51;
    const bool v110 = (-104.0f) > v109;
    const float v111 = v110 ? (-104.0f) : v109;
    const bool v112 = 89.0f < v111;
    const float v113 = v112 ? 89.0f : v111;
    const float v114 = fma(v113, 1.4426950216293335f, 12582912.0f);
    const float v115 = v114 - 12582912.0f;
    const float v116 = fma(v115, (-0.6931471824645996f), v113);
    const float v117 = fma(v115, 1.9046542121259336e-09f, v116);
    const float v118 = fma(0.0013821304310113192f, v117, 0.00836866907775402f);
    const float v119 = fma(v118, v117, 0.04166825860738754f);
    const float v120 = fma(v119, v117, 0.1666652113199234f);
    const float v121 = fma(v120, v117, 0.4999999403953552f);
    const float v122 = fma(v121, v117, 1.0f);
    const float v123 = fma(v122, v117, 1.0f);
    const float v124 = ldexp(v123, (int)clamp(v115, -300.0f, 300.0f));
    const float v125 = v106 + v124;
    const int v126 = v69 + 3;
    const float v127 = pack1.w;
    const float v128 = v127 - v51;
    const bool v129 = (-104.0f) > v128;
    const float v130 = v129 ? (-104.0f) : v128;
    const bool v131 = 89.0f < v130;
    const float v132 = v131 ? 89.0f : v130;
    const float v133 = fma(v132, 1.4426950216293335f, 12582912.0f);
    const float v134 = v133 - 12582912.0f;
    const float v135 = fma(v134, (-0.6931471824645996f), v132);
    const float v136 = fma(v134, 1.9046542121259336e-09f, v135);
    const float v137 = fma(0.0013821304310113192f, v136, 0.00836866907775402f);
    const float v138 = fma(v137, v136, 0.04166825860738754f);
    const float v139 = fma(v138, v136, 0.1666652113199234f);
    const float v140 = fma(v139, v136, 0.4999999403953552f);
    const float v141 = fma(v140, v136, 1.0f);
    const float v142 = fma(v141, v136, 1.0f);
    const float v143 = ldexp(v142, (int)clamp(v134, -300.0f, 300.0f));
    const float v144 = v125 + v143;
    v64 = v144;
  }
  const float v145 = simd_sum(v64);
  if (lane == 0) shared_partial1[subgroup] = v145;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v146 = v38 ? shared_partial1[lane] : 0.0f;
  const float v147 = simd_sum(v146);
  const bool v149 = v147 < 1.1754943508222875e-38f;
  const float v151 = v147 * 8388608.0f;
  const float v152 = v149 ? v151 : v147;
  const int v153 = as_type<int>(v152);
  const int v155 = (int)((uint)v153 + (uint)(-1060439283));
  const int v157 = shift_right_int(v155, 23);
  const int v158 = shift_left_int(v157, 23);
  const int v159 = (int)((uint)v153 - (uint)v158);
  const float v160 = as_type<float>(v159);
  const int v162 = v149 ? (-23) : 0;
  const int v163 = shift_right_int(v158, 23);
  const int v164 = (int)((uint)v163 + (uint)v162);
  const float v165 = v160 - 1.0f;
  const float v166 = (float)v164;
  const float v168 = v166 * (-1.9046542121259336e-09f);
  const float v169 = v165 * v165;
  const float v172 = fma((-0.0765954852104187f), v165, 0.12929800152778625f);
  const float v174 = fma(v172, v165, (-0.13240014016628265f));
  const float v176 = fma(v174, v165, 0.14177437126636505f);
  const float v178 = fma(v176, v165, (-0.16608870029449463f));
  const float v180 = fma(v178, v165, 0.20002205669879913f);
  const float v182 = fma(v180, v165, (-0.2500160336494446f));
  const float v184 = fma(v182, v165, 0.33333322405815125f);
  const float v186 = fma(v184, v165, (-0.49999988079071045f));
  const float v187 = fma(v169, v186, v168);
  const float v189 = v165 + v187;
  const float v190 = fma(v166, 0.6931471824645996f, v189);
  const bool v191 = v147 == 0.0f;
  const float v193 = v191 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v195 = v147 < as_type<float>(0x7f800000U);
  const float v196 = v195 ? v190 : v147;
  const bool v197 = v147 <= 0.0f;
  const float v198 = v197 ? v193 : v196;
  const float v199 = v51 - v49;
  const float v200 = v199 + v198;
  const bool v201 = subgroup == 0;
  if (v201) {
    if (lane == 0) p_loss[v5] = v200;
  }
}
