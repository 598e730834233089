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
  const long group = group_;
  const long v7 = (long)subgroup;
  const long v9 = v7 * 128L;
  const long v14 = group * n_logits_stride0;
  float v15 = as_type<float>(0xff800000U);
  for (long i17 = 0L; i17 < 4L; i17 += 1L) {
    const long v18 = i17 * 256L;
    const long v19 = v18 + v9;
    const long v20 = v14 + v19;
    const float4 pack0 = *(device const float4*)(p_logits + v20 + lane * 4L);
    const float v21 = pack0.x;
    const float v22 = max_nan(v15, v21);
    const long v23 = v20 + 1L;
    const float v24 = pack0.y;
    const float v25 = max_nan(v22, v24);
    const long v26 = v20 + 2L;
    const float v27 = pack0.z;
    const float v28 = max_nan(v25, v27);
    const long v29 = v20 + 3L;
    const float v30 = pack0.w;
    const float v31 = max_nan(v28, v30);
    v15 = v31;
  }
  const float v32 = lanes_maximum(v15);
  if (lane == 0) shared_partial0[v7] = v32;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const long v34 = (long)lane;
  const bool v35 = v34 < 2L;
  const float v36 = v35 ? shared_partial0[v34] : as_type<float>(0xff800000U);
  const float v37 = lanes_maximum(v36);
  const long v38 = p_labels[group];
  const bool v40 = v38 >= 0L;
  const bool v41 = v38 < 1024L;
  const bool v42 = v40 & v41;
  const long v44 = (long)((ulong)v14 + (ulong)v38);
  const float v45 = v42 ? p_logits[v44] : 0.0f;
  const float v46 = v42 ? v45 : 0.0f;
  const bool v47 = isfinite(v37);
  const float v48 = v47 ? v37 : 0.0f;
  float v61 = 0.0f;
  for (long i63 = 0L; i63 < 4L; i63 += 1L) {
    const long v64 = i63 * 256L;
    const long v65 = v64 + v9;
    const long v66 = v14 + v65;
    const float4 pack1 = *(device const float4*)(p_logits + v66 + lane * 4L);
    const float v67 = pack1.x;
    const float v68 = v67 - v48;
    const bool v69 = (-104.0f) > v68;
    const float v70 = v69 ? (-104.0f) : v68;
    const bool v71 = 89.0f < v70;
    const float v72 = v71 ? 89.0f : v70;
    const float v73 = fma(v72, 1.4426950216293335f, 12582912.0f);
    const float v74 = v73 - 12582912.0f;
    const float v75 = fma(v74, (-0.6931471824645996f), v72);
    const float v76 = fma(v74, 1.9046542121259336e-09f, v75);
    const float v77 = fma(0.0013821304310113192f, v76, 0.00836866907775402f);
    const float v78 = fma(v77, v76, 0.04166825860738754f);
    const float v79 = fma(v78, v76, 0.1666652113199234f);
    const float v80 = fma(v79, v76, 0.4999999403953552f);
    const float v81 = fma(v80, v76, 1.0f);
    const float v82 = fma(v81, v76, 1.0f);
    const float v83 = ldexp(v82, (int)clamp(v74, -300.0f, 300.0f));
    const float v84 = v61 + v83;
    const long v85 = v66 + 1L;
    const float v86 = pack1.y;
    const float v87 = v86 - v48;
    const bool v88 = (-104.0f) > v87;
    const float v89 = v88 ? (-104.0f) : v87;
    const bool v90 = 89.0f < v89;
    const float v91 = v90 ? 89.0f : v89;
    const float v92 = fma(v91, 1.4426950216293335f, 12582912.0f);
    const float v93 = v92 - 12582912.0f;
    const float v94 = fma(v93, (-0.6931471824645996f), v91);
    const float v95 = fma(v93, 1.9046542121259336e-09f, v94);
    const float v96 = fma(0.0013821304310113192f, v95, 0.00836866907775402f);
    const float v97 = fma(v96, v95, 0.04166825860738754f);
    const float v98 = fma(v97, v95, 0.1666652113199234f);
    const float v99 = fma(v98, v95, 0.4999999403953552f);
    const float v100 = fma(v99, v95, 1.0f);
    const float v101 = fma(v100, v95, 1.0f);
    const float v102 = ldexp(v101, (int)clamp(v93, -300.0f, 300.0f));
    const float v103 = v84 + v102;
    const long v104 = v66 + 2L;
    const float v105 = pack1.z;
    const float v106 = v105 - v48;
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
    const float v122 = v103 + v121;
    const long v123 = v66 + 3L;
    const float v124 = pack1.w;
    const float v125 = v124 - v48;
    const bool v126 = (-104.0f) > v125;
    const float v127 = v126 ? (-104.0f) : v125;
    const bool v128 = 89.0f < v127;
    const float v129 = v128 ? 89.0f : v127;
    const float v130 = fma(v129, 1.4426950216293335f, 12582912.0f);
    const float v131 = v130 - 12582912.0f;
    const float v132 = fma(v131, (-0.6931471824645996f), v129);
    const float v133 = fma(v131, 1.9046542121259336e-09f, v132);
    const float v134 = fma(0.0013821304310113192f, v133, 0.00836866907775402f);
    const float v135 = fma(v134, v133, 0.04166825860738754f);
    const float v136 = fma(v135, v133, 0.1666652113199234f);
    const float v137 = fma(v136, v133, 0.4999999403953552f);
    const float v138 = fma(v137, v133, 1.0f);
    const float v139 = fma(v138, v133, 1.0f);
    const float v140 = ldexp(v139, (int)clamp(v131, -300.0f, 300.0f));
    const float v141 = v122 + v140;
    v61 = v141;
  }
  const float v142 = simd_sum(v61);
  if (lane == 0) shared_partial1[v7] = v142;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v143 = v35 ? shared_partial1[v34] : 0.0f;
  const float v144 = simd_sum(v143);
  const bool v146 = v144 < 1.1754943508222875e-38f;
  const float v148 = v144 * 8388608.0f;
  const float v149 = v146 ? v148 : v144;
  const int v150 = as_type<int>(v149);
  const int v152 = (int)((uint)v150 + (uint)(-1060439283));
  const int v154 = shift_right_int(v152, 23);
  const int v155 = shift_left_int(v154, 23);
  const int v156 = (int)((uint)v150 - (uint)v155);
  const float v157 = as_type<float>(v156);
  const int v159 = v146 ? (-23) : 0;
  const int v160 = shift_right_int(v155, 23);
  const int v161 = (int)((uint)v160 + (uint)v159);
  const float v162 = v157 - 1.0f;
  const float v163 = (float)v161;
  const float v165 = v163 * (-1.9046542121259336e-09f);
  const float v166 = v162 * v162;
  const float v169 = fma((-0.0765954852104187f), v162, 0.12929800152778625f);
  const float v171 = fma(v169, v162, (-0.13240014016628265f));
  const float v173 = fma(v171, v162, 0.14177437126636505f);
  const float v175 = fma(v173, v162, (-0.16608870029449463f));
  const float v177 = fma(v175, v162, 0.20002205669879913f);
  const float v179 = fma(v177, v162, (-0.2500160336494446f));
  const float v181 = fma(v179, v162, 0.33333322405815125f);
  const float v183 = fma(v181, v162, (-0.49999988079071045f));
  const float v184 = fma(v166, v183, v165);
  const float v186 = v162 + v184;
  const float v187 = fma(v163, 0.6931471824645996f, v186);
  const bool v188 = v144 == 0.0f;
  const float v190 = v188 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v192 = v144 < as_type<float>(0x7f800000U);
  const float v193 = v192 ? v187 : v144;
  const bool v194 = v144 <= 0.0f;
  const float v195 = v194 ? v190 : v193;
  const float v196 = v48 - v46;
  const float v197 = v196 + v195;
  const bool v198 = subgroup == 0;
  if (v198) {
    if (lane == 0) p_loss[group] = v197;
  }
}
