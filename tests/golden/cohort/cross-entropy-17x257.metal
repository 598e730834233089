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
  const int v5 = (int)(group & 1);
  const int v7 = (int)v5;
  const int v9 = v7 + 257;
  const int v12 = lane * 2;
  const bool v14 = v12 >= v7;
  const bool v16 = v14 != true;
  const int v20 = (int)n_logits_stride0;
  const int v21 = group * v20;
  const long v22 = (long)v21;
  const int v24 = (int)(v21 & (-2));
  const int v25 = v24 + 1;
  const float2 pack0 = v14 ? *(device const float2*)(p_logits + (v24 + lane * 2)) : float2(float(0));
  const float v26 = v14 ? pack0.x : 0.0f;
  const float v27 = v14 ? pack0.y : 0.0f;
  const bool v28 = simd_any(v16);
  const int v29 = (int)v28;
  float v30 = v26;
  float v32 = v27;
  for (int i34 = 0; i34 < v29; i34 += 1) {
    const float v35 = v16 ? p_logits[v25 + lane * 2] : v32;
    v32 = v35;
  }
  const float v36 = v14 ? v30 : as_type<float>(0xff800000U);
  const float v37 = max_nan(v36, v32);
  float v39 = v37;
  #pragma unroll
  for (int i41 = 0; i41 < 3; i41 += 1) {
    const int v42 = i41 * 64;
    const int v43 = v24 + v42;
    const int v44 = v43 + 64;
    const float2 pack1 = *(device const float2*)(p_logits + (v43 + 64 + lane * 2));
    const float v45 = pack1.x;
    const float v46 = max_nan(v39, v45);
    const int v47 = v43 + 65;
    const float v48 = pack1.y;
    const float v49 = max_nan(v46, v48);
    v39 = v49;
  }
  const int v54 = v12 + 256;
  const int v55 = v12 + 257;
  const bool v56 = v54 < v9;
  const bool v57 = v55 < v9;
  const bool v58 = v57 != true;
  const bool v59 = v56 & v58;
  const int v60 = v24 + 256;
  const int v61 = v24 + 257;
  const float2 pack2 = v57 ? *(device const float2*)(p_logits + (v24 + 256 + lane * 2)) : float2(float(0));
  const float v62 = v57 ? pack2.x : 0.0f;
  const float v63 = v57 ? pack2.y : 0.0f;
  const bool v64 = v56 & v59;
  const bool v65 = simd_any(v59);
  const int v66 = (int)v65;
  float v67 = v62;
  float v69 = v63;
  for (int i71 = 0; i71 < v66; i71 += 1) {
    const float v72 = v64 ? p_logits[v60 + lane * 2] : v67;
    v67 = v72;
  }
  const float v73 = max_nan(v39, v67);
  const float v74 = v56 ? v73 : v39;
  const float v75 = max_nan(v74, v69);
  const float v76 = v57 ? v75 : v74;
  const float v77 = lanes_maximum(v76);
  const long v78 = p_labels[group];
  const bool v79 = v78 >= 0L;
  const bool v80 = v78 < 257L;
  const bool v81 = v79 & v80;
  const long v82 = (long)((ulong)v22 + (ulong)v78);
  const float v83 = v81 ? p_logits[v82] : 0.0f;
  const float v84 = v81 ? v83 : 0.0f;
  const bool v85 = isfinite(v77);
  const float v86 = v85 ? v77 : 0.0f;
  const float2 pack3 = v14 ? *(device const float2*)(p_logits + (v24 + lane * 2)) : float2(float(0));
  const float v87 = v14 ? pack3.x : 0.0f;
  const float v88 = v14 ? pack3.y : 0.0f;
  float v89 = v87;
  float v91 = v88;
  for (int i93 = 0; i93 < v29; i93 += 1) {
    const float v94 = v16 ? p_logits[v25 + lane * 2] : v91;
    v91 = v94;
  }
  const float v95 = v89 - v86;
  const bool v97 = (-104.0f) > v95;
  const float v98 = v97 ? (-104.0f) : v95;
  const bool v100 = 89.0f < v98;
  const float v101 = v100 ? 89.0f : v98;
  const float v104 = fma(v101, 1.4426950216293335f, 12582912.0f);
  const float v105 = v104 - 12582912.0f;
  const float v107 = fma(v105, (-0.6931471824645996f), v101);
  const float v109 = fma(v105, 1.9046542121259336e-09f, v107);
  const float v112 = fma(0.0013821304310113192f, v109, 0.00836866907775402f);
  const float v114 = fma(v112, v109, 0.04166825860738754f);
  const float v116 = fma(v114, v109, 0.1666652113199234f);
  const float v118 = fma(v116, v109, 0.4999999403953552f);
  const float v120 = fma(v118, v109, 1.0f);
  const float v121 = fma(v120, v109, 1.0f);
  const float v122 = ldexp(v121, (int)clamp(v105, -300.0f, 300.0f));
  const float v123 = 0.0f + v122;
  const float v124 = v14 ? v123 : 0.0f;
  const float v125 = v91 - v86;
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
  const float v141 = v124 + v140;
  float v142 = v141;
  #pragma unroll
  for (int i144 = 0; i144 < 3; i144 += 1) {
    const int v145 = i144 * 64;
    const int v146 = v24 + v145;
    const int v147 = v146 + 64;
    const float2 pack4 = *(device const float2*)(p_logits + (v146 + 64 + lane * 2));
    const float v148 = pack4.x;
    const float v149 = v148 - v86;
    const bool v150 = (-104.0f) > v149;
    const float v151 = v150 ? (-104.0f) : v149;
    const bool v152 = 89.0f < v151;
    const float v153 = v152 ? 89.0f : v151;
    const float v154 = fma(v153, 1.4426950216293335f, 12582912.0f);
    const float v155 = v154 - 12582912.0f;
    const float v156 = fma(v155, (-0.6931471824645996f), v153);
    const float v157 = fma(v155, 1.9046542121259336e-09f, v156);
    const float v158 = fma(0.0013821304310113192f, v157, 0.00836866907775402f);
    const float v159 = fma(v158, v157, 0.04166825860738754f);
    const float v160 = fma(v159, v157, 0.1666652113199234f);
    const float v161 = fma(v160, v157, 0.4999999403953552f);
    const float v162 = fma(v161, v157, 1.0f);
    const float v163 = fma(v162, v157, 1.0f);
    const float v164 = ldexp(v163, (int)clamp(v155, -300.0f, 300.0f));
    const float v165 = v142 + v164;
    const int v166 = v146 + 65;
    const float v167 = pack4.y;
    const float v168 = v167 - v86;
    const bool v169 = (-104.0f) > v168;
    const float v170 = v169 ? (-104.0f) : v168;
    const bool v171 = 89.0f < v170;
    const float v172 = v171 ? 89.0f : v170;
    const float v173 = fma(v172, 1.4426950216293335f, 12582912.0f);
    const float v174 = v173 - 12582912.0f;
    const float v175 = fma(v174, (-0.6931471824645996f), v172);
    const float v176 = fma(v174, 1.9046542121259336e-09f, v175);
    const float v177 = fma(0.0013821304310113192f, v176, 0.00836866907775402f);
    const float v178 = fma(v177, v176, 0.04166825860738754f);
    const float v179 = fma(v178, v176, 0.1666652113199234f);
    const float v180 = fma(v179, v176, 0.4999999403953552f);
    const float v181 = fma(v180, v176, 1.0f);
    const float v182 = fma(v181, v176, 1.0f);
    const float v183 = ldexp(v182, (int)clamp(v174, -300.0f, 300.0f));
    const float v184 = v165 + v183;
    v142 = v184;
  }
  const float2 pack5 = v57 ? *(device const float2*)(p_logits + (v24 + 256 + lane * 2)) : float2(float(0));
  const float v185 = v57 ? pack5.x : 0.0f;
  const float v186 = v57 ? pack5.y : 0.0f;
  float v187 = v185;
  float v189 = v186;
  for (int i191 = 0; i191 < v66; i191 += 1) {
    const float v192 = v64 ? p_logits[v60 + lane * 2] : v187;
    v187 = v192;
  }
  const float v193 = v187 - v86;
  const bool v194 = (-104.0f) > v193;
  const float v195 = v194 ? (-104.0f) : v193;
  const bool v196 = 89.0f < v195;
  const float v197 = v196 ? 89.0f : v195;
  const float v198 = fma(v197, 1.4426950216293335f, 12582912.0f);
  const float v199 = v198 - 12582912.0f;
  const float v200 = fma(v199, (-0.6931471824645996f), v197);
  const float v201 = fma(v199, 1.9046542121259336e-09f, v200);
  const float v202 = fma(0.0013821304310113192f, v201, 0.00836866907775402f);
  const float v203 = fma(v202, v201, 0.04166825860738754f);
  const float v204 = fma(v203, v201, 0.1666652113199234f);
  const float v205 = fma(v204, v201, 0.4999999403953552f);
  const float v206 = fma(v205, v201, 1.0f);
  const float v207 = fma(v206, v201, 1.0f);
  const float v208 = ldexp(v207, (int)clamp(v199, -300.0f, 300.0f));
  const float v209 = v142 + v208;
  const float v210 = v56 ? v209 : v142;
  const float v211 = v189 - v86;
  const bool v212 = (-104.0f) > v211;
  const float v213 = v212 ? (-104.0f) : v211;
  const bool v214 = 89.0f < v213;
  const float v215 = v214 ? 89.0f : v213;
  const float v216 = fma(v215, 1.4426950216293335f, 12582912.0f);
  const float v217 = v216 - 12582912.0f;
  const float v218 = fma(v217, (-0.6931471824645996f), v215);
  const float v219 = fma(v217, 1.9046542121259336e-09f, v218);
  const float v220 = fma(0.0013821304310113192f, v219, 0.00836866907775402f);
  const float v221 = fma(v220, v219, 0.04166825860738754f);
  const float v222 = fma(v221, v219, 0.1666652113199234f);
  const float v223 = fma(v222, v219, 0.4999999403953552f);
  const float v224 = fma(v223, v219, 1.0f);
  const float v225 = fma(v224, v219, 1.0f);
  const float v226 = ldexp(v225, (int)clamp(v217, -300.0f, 300.0f));
  const float v227 = v210 + v226;
  const float v228 = v57 ? v227 : v210;
  const float v229 = simd_sum(v228);
  const bool v231 = v229 < 1.1754943508222875e-38f;
  const float v233 = v229 * 8388608.0f;
  const float v234 = v231 ? v233 : v229;
  const int v235 = as_type<int>(v234);
  const int v237 = (int)((uint)v235 + (uint)(-1060439283));
  const int v239 = shift_right_int(v237, 23);
  const int v240 = shift_left_int(v239, 23);
  const int v241 = (int)((uint)v235 - (uint)v240);
  const float v242 = as_type<float>(v241);
  const int v244 = v231 ? (-23) : 0;
  const int v245 = shift_right_int(v240, 23);
  const int v246 = (int)((uint)v245 + (uint)v244);
  const float v247 = v242 - 1.0f;
  const float v248 = (float)v246;
  const float v250 = v248 * (-1.9046542121259336e-09f);
  const float v251 = v247 * v247;
  const float v254 = fma((-0.0765954852104187f), v247, 0.12929800152778625f);
  const float v256 = fma(v254, v247, (-0.13240014016628265f));
  const float v258 = fma(v256, v247, 0.14177437126636505f);
  const float v260 = fma(v258, v247, (-0.16608870029449463f));
  const float v262 = fma(v260, v247, 0.20002205669879913f);
  const float v264 = fma(v262, v247, (-0.2500160336494446f));
  const float v266 = fma(v264, v247, 0.33333322405815125f);
  const float v268 = fma(v266, v247, (-0.49999988079071045f));
  const float v269 = fma(v251, v268, v250);
  const float v271 = v247 + v269;
  const float v272 = fma(v248, 0.6931471824645996f, v271);
  const bool v273 = v229 == 0.0f;
  const float v275 = v273 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v277 = v229 < as_type<float>(0x7f800000U);
  const float v278 = v277 ? v272 : v229;
  const bool v279 = v229 <= 0.0f;
  const float v280 = v279 ? v275 : v278;
  const float v281 = v86 - v84;
  const float v282 = v281 + v280;
  if (lane == 0) p_loss[group] = v282;
}
