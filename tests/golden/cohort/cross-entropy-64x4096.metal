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
  const int group = group_;
  const int v9 = subgroup * 128;
  const int v14 = (int)n_logits_stride0;
  const int v15 = group * v14;
  const long v16 = (long)v15;
  float v17 = as_type<float>(0xff800000U);
  #pragma unroll
  for (int i19 = 0; i19 < 4; i19 += 1) {
    const int v20 = i19 * 1024;
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
  const bool v37 = lane < 8;
  const float v38 = v37 ? shared_partial0[lane] : as_type<float>(0xff800000U);
  const float v39 = lanes_maximum(v38);
  const long v40 = p_labels[group];
  const bool v42 = v40 >= 0L;
  const bool v43 = v40 < 4096L;
  const bool v44 = v42 & v43;
  const long v46 = (long)((ulong)v16 + (ulong)v40);
  const float v47 = v44 ? p_logits[v46] : 0.0f;
  const float v48 = v44 ? v47 : 0.0f;
  const bool v49 = isfinite(v39);
  const float v50 = v49 ? v39 : 0.0f;
  float v63 = 0.0f;
  #pragma unroll
  for (int i65 = 0; i65 < 4; i65 += 1) {
    const int v66 = i65 * 1024;
    const int v67 = v66 + v9;
    const int v68 = v15 + v67;
    const float4 pack1 = *(device const float4*)(p_logits + (v68 + lane * 4));
    const float v69 = pack1.x;
    const float v70 = v69 - v50;
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
    const float v86 = v63 + v85;
    const int v87 = v68 + 1;
    const float v88 = pack1.y;
    const float v89 = v88 - v50;
    const bool v90 = (-104.0f) > v89;
    const float v91 = v90 ? (-104.0f) : v89;
    const bool v92 = 89.0f < v91;
    const float v93 = v92 ? 89.0f : v91;
    const float v94 = fma(v93, 1.4426950216293335f, 12582912.0f);
    const float v95 = v94 - 12582912.0f;
    const float v96 = fma(v95, (-0.6931471824645996f), v93);
    const float v97 = fma(v95, 1.9046542121259336e-09f, v96);
    const float v98 = fma(0.0013821304310113192f, v97, 0.00836866907775402f);
    const float v99 = fma(v98, v97, 0.04166825860738754f);
    const float v100 = fma(v99, v97, 0.1666652113199234f);
    const float v101 = fma(v100, v97, 0.4999999403953552f);
    const float v102 = fma(v101, v97, 1.0f);
    const float v103 = fma(v102, v97, 1.0f);
    const float v104 = ldexp(v103, (int)clamp(v95, -300.0f, 300.0f));
    const float v105 = v86 + v104;
    const int v106 = v68 + 2;
    const float v107 = pack1.z;
    const float v108 = v107 - v50;
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
    const float v124 = v105 + v123;
    const int v125 = v68 + 3;
    const float v126 = pack1.w;
    const float v127 = v126 - v50;
    const bool v128 = (-104.0f) > v127;
    const float v129 = v128 ? (-104.0f) : v127;
    const bool v130 = 89.0f < v129;
    const float v131 = v130 ? 89.0f : v129;
    const float v132 = fma(v131, 1.4426950216293335f, 12582912.0f);
    const float v133 = v132 - 12582912.0f;
    const float v134 = fma(v133, (-0.6931471824645996f), v131);
    const float v135 = fma(v133, 1.9046542121259336e-09f, v134);
    const float v136 = fma(0.0013821304310113192f, v135, 0.00836866907775402f);
    const float v137 = fma(v136, v135, 0.04166825860738754f);
    const float v138 = fma(v137, v135, 0.1666652113199234f);
    const float v139 = fma(v138, v135, 0.4999999403953552f);
    const float v140 = fma(v139, v135, 1.0f);
    const float v141 = fma(v140, v135, 1.0f);
    const float v142 = ldexp(v141, (int)clamp(v133, -300.0f, 300.0f));
    const float v143 = v124 + v142;
    v63 = v143;
  }
  const float v144 = simd_sum(v63);
  if (lane == 0) shared_partial1[subgroup] = v144;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v145 = v37 ? shared_partial1[lane] : 0.0f;
  const float v146 = simd_sum(v145);
  const bool v148 = v146 < 1.1754943508222875e-38f;
  const float v150 = v146 * 8388608.0f;
  const float v151 = v148 ? v150 : v146;
  const int v152 = as_type<int>(v151);
  const int v154 = (int)((uint)v152 + (uint)(-1060439283));
  const int v156 = shift_right_int(v154, 23);
  const int v157 = shift_left_int(v156, 23);
  const int v158 = (int)((uint)v152 - (uint)v157);
  const float v159 = as_type<float>(v158);
  const int v161 = v148 ? (-23) : 0;
  const int v162 = shift_right_int(v157, 23);
  const int v163 = (int)((uint)v162 + (uint)v161);
  const float v164 = v159 - 1.0f;
  const float v165 = (float)v163;
  const float v167 = v165 * (-1.9046542121259336e-09f);
  const float v168 = v164 * v164;
  const float v171 = fma((-0.0765954852104187f), v164, 0.12929800152778625f);
  const float v173 = fma(v171, v164, (-0.13240014016628265f));
  const float v175 = fma(v173, v164, 0.14177437126636505f);
  const float v177 = fma(v175, v164, (-0.16608870029449463f));
  const float v179 = fma(v177, v164, 0.20002205669879913f);
  const float v181 = fma(v179, v164, (-0.2500160336494446f));
  const float v183 = fma(v181, v164, 0.33333322405815125f);
  const float v185 = fma(v183, v164, (-0.49999988079071045f));
  const float v186 = fma(v168, v185, v167);
  const float v188 = v164 + v186;
  const float v189 = fma(v165, 0.6931471824645996f, v188);
  const bool v190 = v146 == 0.0f;
  const float v192 = v190 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v194 = v146 < as_type<float>(0x7f800000U);
  const float v195 = v194 ? v189 : v146;
  const bool v196 = v146 <= 0.0f;
  const float v197 = v196 ? v192 : v195;
  const float v198 = v50 - v48;
  const float v199 = v198 + v197;
  const bool v200 = subgroup == 0;
  if (v200) {
    if (lane == 0) p_loss[group] = v199;
  }
}
