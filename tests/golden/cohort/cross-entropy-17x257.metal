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
  const long group = group_;
  const int v4 = (int)group;
  const int v6 = (int)(v4 & 1);
  const int v8 = (int)v6;
  const int v10 = v8 + 257;
  const int v13 = lane * 2;
  const bool v15 = v13 >= v8;
  const bool v17 = v15 != true;
  const int v21 = (int)n_logits_stride0;
  const int v22 = v4 * v21;
  const long v23 = (long)v22;
  const int v25 = (int)(v22 & (-2));
  const int v26 = v25 + 1;
  const float2 pack0 = v15 ? *(device const float2*)(p_logits + (v25 + lane * 2)) : float2(float(0));
  const float v27 = v15 ? pack0.x : 0.0f;
  const float v28 = v15 ? pack0.y : 0.0f;
  const bool v29 = simd_any(v17);
  const int v30 = (int)v29;
  const bool v31 = v15 & v17;
  float v32 = 0.0f;
  float v34 = 0.0f;
  for (int i36 = 0; i36 < v30; i36 += 1) {
    const float v37 = v31 ? p_logits[v25 + lane * 2] : 0.0f;
    const float v38 = v17 ? p_logits[v26 + lane * 2] : 0.0f;
    v32 = v37;
    v34 = v38;
  }
  const float v39 = v15 ? v27 : v32;
  const float v40 = v15 ? v28 : v34;
  const float v41 = max_nan(as_type<float>(0xff800000U), v39);
  const float v42 = v15 ? v41 : as_type<float>(0xff800000U);
  const float v43 = max_nan(v42, v40);
  float v45 = v43;
  #pragma unroll
  for (int i47 = 0; i47 < 3; i47 += 1) {
    const int v48 = i47 * 64;
    const int v49 = v25 + v48;
    const int v50 = v49 + 64;
    const float2 pack1 = *(device const float2*)(p_logits + (v49 + 64 + lane * 2));
    const float v51 = pack1.x;
    const float v52 = max_nan(v45, v51);
    const int v53 = v49 + 65;
    const float v54 = pack1.y;
    const float v55 = max_nan(v52, v54);
    v45 = v55;
  }
  const int v60 = v13 + 256;
  const int v61 = v13 + 257;
  const bool v62 = v60 < v10;
  const bool v63 = v61 < v10;
  const bool v64 = v62 & v63;
  const bool v65 = v62 | v63;
  const bool v66 = v64 != true;
  const bool v67 = v65 & v66;
  const int v68 = v25 + 256;
  const int v69 = v25 + 257;
  const float2 pack2 = v64 ? *(device const float2*)(p_logits + (v25 + 256 + lane * 2)) : float2(float(0));
  const float v70 = v64 ? pack2.x : 0.0f;
  const float v71 = v64 ? pack2.y : 0.0f;
  const bool v72 = simd_any(v67);
  const int v73 = (int)v72;
  const bool v74 = v62 & v67;
  const bool v75 = v63 & v67;
  float v76 = 0.0f;
  float v78 = 0.0f;
  for (int i80 = 0; i80 < v73; i80 += 1) {
    const float v81 = v74 ? p_logits[v68 + lane * 2] : 0.0f;
    const float v82 = v75 ? p_logits[v69 + lane * 2] : 0.0f;
    v76 = v81;
    v78 = v82;
  }
  const float v83 = v64 ? v70 : v76;
  const float v84 = v64 ? v71 : v78;
  const float v85 = max_nan(v45, v83);
  const float v86 = v62 ? v85 : v45;
  const float v87 = max_nan(v86, v84);
  const float v88 = v63 ? v87 : v86;
  const float v89 = lanes_maximum(v88);
  const long v90 = p_labels[v4];
  const bool v91 = v90 >= 0L;
  const bool v92 = v90 < 257L;
  const bool v93 = v91 & v92;
  const long v94 = (long)((ulong)v23 + (ulong)v90);
  const float v95 = v93 ? p_logits[v94] : 0.0f;
  const float v96 = v93 ? v95 : 0.0f;
  const bool v97 = isfinite(v89);
  const float v98 = v97 ? v89 : 0.0f;
  const float2 pack3 = v15 ? *(device const float2*)(p_logits + (v25 + lane * 2)) : float2(float(0));
  const float v99 = v15 ? pack3.x : 0.0f;
  const float v100 = v15 ? pack3.y : 0.0f;
  float v101 = 0.0f;
  float v103 = 0.0f;
  for (int i105 = 0; i105 < v30; i105 += 1) {
    const float v106 = v31 ? p_logits[v25 + lane * 2] : 0.0f;
    const float v107 = v17 ? p_logits[v26 + lane * 2] : 0.0f;
    v101 = v106;
    v103 = v107;
  }
  const float v108 = v15 ? v99 : v101;
  const float v109 = v15 ? v100 : v103;
  const float v110 = v108 - v98;
  const bool v112 = (-104.0f) > v110;
  const float v113 = v112 ? (-104.0f) : v110;
  const bool v115 = 89.0f < v113;
  const float v116 = v115 ? 89.0f : v113;
  const float v119 = fma(v116, 1.4426950216293335f, 12582912.0f);
  const float v120 = v119 - 12582912.0f;
  const float v122 = fma(v120, (-0.6931471824645996f), v116);
  const float v124 = fma(v120, 1.9046542121259336e-09f, v122);
  const float v127 = fma(0.0013821304310113192f, v124, 0.00836866907775402f);
  const float v129 = fma(v127, v124, 0.04166825860738754f);
  const float v131 = fma(v129, v124, 0.1666652113199234f);
  const float v133 = fma(v131, v124, 0.4999999403953552f);
  const float v135 = fma(v133, v124, 1.0f);
  const float v136 = fma(v135, v124, 1.0f);
  const float v137 = ldexp(v136, (int)clamp(v120, -300.0f, 300.0f));
  const float v138 = 0.0f + v137;
  const float v139 = v15 ? v138 : 0.0f;
  const float v140 = v109 - v98;
  const bool v141 = (-104.0f) > v140;
  const float v142 = v141 ? (-104.0f) : v140;
  const bool v143 = 89.0f < v142;
  const float v144 = v143 ? 89.0f : v142;
  const float v145 = fma(v144, 1.4426950216293335f, 12582912.0f);
  const float v146 = v145 - 12582912.0f;
  const float v147 = fma(v146, (-0.6931471824645996f), v144);
  const float v148 = fma(v146, 1.9046542121259336e-09f, v147);
  const float v149 = fma(0.0013821304310113192f, v148, 0.00836866907775402f);
  const float v150 = fma(v149, v148, 0.04166825860738754f);
  const float v151 = fma(v150, v148, 0.1666652113199234f);
  const float v152 = fma(v151, v148, 0.4999999403953552f);
  const float v153 = fma(v152, v148, 1.0f);
  const float v154 = fma(v153, v148, 1.0f);
  const float v155 = ldexp(v154, (int)clamp(v146, -300.0f, 300.0f));
  const float v156 = v139 + v155;
  float v157 = v156;
  #pragma unroll
  for (int i159 = 0; i159 < 3; i159 += 1) {
    const int v160 = i159 * 64;
    const int v161 = v25 + v160;
    const int v162 = v161 + 64;
    const float2 pack4 = *(device const float2*)(p_logits + (v161 + 64 + lane * 2));
    const float v163 = pack4.x;
    const float v164 = v163 - v98;
    const bool v165 = (-104.0f) > v164;
    const float v166 = v165 ? (-104.0f) : v164;
    const bool v167 = 89.0f < v166;
    const float v168 = v167 ? 89.0f : v166;
    const float v169 = fma(v168, 1.4426950216293335f, 12582912.0f);
    const float v170 = v169 - 12582912.0f;
    const float v171 = fma(v170, (-0.6931471824645996f), v168);
    const float v172 = fma(v170, 1.9046542121259336e-09f, v171);
    const float v173 = fma(0.0013821304310113192f, v172, 0.00836866907775402f);
    const float v174 = fma(v173, v172, 0.04166825860738754f);
    const float v175 = fma(v174, v172, 0.1666652113199234f);
    const float v176 = fma(v175, v172, 0.4999999403953552f);
    const float v177 = fma(v176, v172, 1.0f);
    const float v178 = fma(v177, v172, 1.0f);
    const float v179 = ldexp(v178, (int)clamp(v170, -300.0f, 300.0f));
    const float v180 = v157 + v179;
    const int v181 = v161 + 65;
    const float v182 = pack4.y;
    const float v183 = v182 - v98;
    const bool v184 = (-104.0f) > v183;
    const float v185 = v184 ? (-104.0f) : v183;
    const bool v186 = 89.0f < v185;
    const float v187 = v186 ? 89.0f : v185;
    const float v188 = fma(v187, 1.4426950216293335f, 12582912.0f);
    const float v189 = v188 - 12582912.0f;
    const float v190 = fma(v189, (-0.6931471824645996f), v187);
    const float v191 = fma(v189, 1.9046542121259336e-09f, v190);
    const float v192 = fma(0.0013821304310113192f, v191, 0.00836866907775402f);
    const float v193 = fma(v192, v191, 0.04166825860738754f);
    const float v194 = fma(v193, v191, 0.1666652113199234f);
    const float v195 = fma(v194, v191, 0.4999999403953552f);
    const float v196 = fma(v195, v191, 1.0f);
    const float v197 = fma(v196, v191, 1.0f);
    const float v198 = ldexp(v197, (int)clamp(v189, -300.0f, 300.0f));
    const float v199 = v180 + v198;
    v157 = v199;
  }
  const float2 pack5 = v64 ? *(device const float2*)(p_logits + (v25 + 256 + lane * 2)) : float2(float(0));
  const float v200 = v64 ? pack5.x : 0.0f;
  const float v201 = v64 ? pack5.y : 0.0f;
  float v202 = 0.0f;
  float v204 = 0.0f;
  for (int i206 = 0; i206 < v73; i206 += 1) {
    const float v207 = v74 ? p_logits[v68 + lane * 2] : 0.0f;
    const float v208 = v75 ? p_logits[v69 + lane * 2] : 0.0f;
    v202 = v207;
    v204 = v208;
  }
  const float v209 = v64 ? v200 : v202;
  const float v210 = v64 ? v201 : v204;
  const float v211 = v209 - v98;
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
  const float v227 = v157 + v226;
  const float v228 = v62 ? v227 : v157;
  const float v229 = v210 - v98;
  const bool v230 = (-104.0f) > v229;
  const float v231 = v230 ? (-104.0f) : v229;
  const bool v232 = 89.0f < v231;
  const float v233 = v232 ? 89.0f : v231;
  const float v234 = fma(v233, 1.4426950216293335f, 12582912.0f);
  const float v235 = v234 - 12582912.0f;
  const float v236 = fma(v235, (-0.6931471824645996f), v233);
  const float v237 = fma(v235, 1.9046542121259336e-09f, v236);
  const float v238 = fma(0.0013821304310113192f, v237, 0.00836866907775402f);
  const float v239 = fma(v238, v237, 0.04166825860738754f);
  const float v240 = fma(v239, v237, 0.1666652113199234f);
  const float v241 = fma(v240, v237, 0.4999999403953552f);
  const float v242 = fma(v241, v237, 1.0f);
  const float v243 = fma(v242, v237, 1.0f);
  const float v244 = ldexp(v243, (int)clamp(v235, -300.0f, 300.0f));
  const float v245 = v228 + v244;
  const float v246 = v63 ? v245 : v228;
  const float v247 = simd_sum(v246);
  const bool v249 = v247 < 1.1754943508222875e-38f;
  const float v251 = v247 * 8388608.0f;
  const float v252 = v249 ? v251 : v247;
  const int v253 = as_type<int>(v252);
  const int v255 = (int)((uint)v253 + (uint)(-1060439283));
  const int v257 = shift_right_int(v255, 23);
  const int v258 = shift_left_int(v257, 23);
  const int v259 = (int)((uint)v253 - (uint)v258);
  const float v260 = as_type<float>(v259);
  const int v262 = v249 ? (-23) : 0;
  const int v263 = shift_right_int(v258, 23);
  const int v264 = (int)((uint)v263 + (uint)v262);
  const float v265 = v260 - 1.0f;
  const float v266 = (float)v264;
  const float v268 = v266 * (-1.9046542121259336e-09f);
  const float v269 = v265 * v265;
  const float v272 = fma((-0.0765954852104187f), v265, 0.12929800152778625f);
  const float v274 = fma(v272, v265, (-0.13240014016628265f));
  const float v276 = fma(v274, v265, 0.14177437126636505f);
  const float v278 = fma(v276, v265, (-0.16608870029449463f));
  const float v280 = fma(v278, v265, 0.20002205669879913f);
  const float v282 = fma(v280, v265, (-0.2500160336494446f));
  const float v284 = fma(v282, v265, 0.33333322405815125f);
  const float v286 = fma(v284, v265, (-0.49999988079071045f));
  const float v287 = fma(v269, v286, v268);
  const float v289 = v265 + v287;
  const float v290 = fma(v266, 0.6931471824645996f, v289);
  const bool v291 = v247 == 0.0f;
  const float v293 = v291 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v295 = v247 < as_type<float>(0x7f800000U);
  const float v296 = v295 ? v290 : v247;
  const bool v297 = v247 <= 0.0f;
  const float v298 = v297 ? v293 : v296;
  const float v299 = v98 - v96;
  const float v300 = v299 + v298;
  if (lane == 0) p_loss[v4] = v300;
}
