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
  const bool v30 = v14 & v16;
  float v31 = 0.0f;
  float v33 = 0.0f;
  for (int i35 = 0; i35 < v29; i35 += 1) {
    const float v36 = v30 ? p_logits[v24 + lane * 2] : 0.0f;
    const float v37 = v16 ? p_logits[v25 + lane * 2] : 0.0f;
    v31 = v36;
    v33 = v37;
  }
  const float v38 = v14 ? v26 : v31;
  const float v39 = v14 ? v27 : v33;
  const float v40 = v14 ? v38 : as_type<float>(0xff800000U);
  const float v41 = max_nan(v40, v39);
  float v43 = v41;
  #pragma unroll
  for (int i45 = 0; i45 < 3; i45 += 1) {
    const int v46 = i45 * 64;
    const int v47 = v24 + v46;
    const int v48 = v47 + 64;
    const float2 pack1 = *(device const float2*)(p_logits + (v47 + 64 + lane * 2));
    const float v49 = pack1.x;
    const float v50 = max_nan(v43, v49);
    const int v51 = v47 + 65;
    const float v52 = pack1.y;
    const float v53 = max_nan(v50, v52);
    v43 = v53;
  }
  const int v58 = v12 + 256;
  const int v59 = v12 + 257;
  const bool v60 = v58 < v9;
  const bool v61 = v59 < v9;
  const bool v62 = v60 & v61;
  const bool v63 = v60 | v61;
  const bool v64 = v62 != true;
  const bool v65 = v63 & v64;
  const int v66 = v24 + 256;
  const int v67 = v24 + 257;
  const float2 pack2 = v62 ? *(device const float2*)(p_logits + (v24 + 256 + lane * 2)) : float2(float(0));
  const float v68 = v62 ? pack2.x : 0.0f;
  const float v69 = v62 ? pack2.y : 0.0f;
  const bool v70 = simd_any(v65);
  const int v71 = (int)v70;
  const bool v72 = v60 & v65;
  const bool v73 = v61 & v65;
  float v74 = 0.0f;
  float v76 = 0.0f;
  for (int i78 = 0; i78 < v71; i78 += 1) {
    const float v79 = v72 ? p_logits[v66 + lane * 2] : 0.0f;
    const float v80 = v73 ? p_logits[v67 + lane * 2] : 0.0f;
    v74 = v79;
    v76 = v80;
  }
  const float v81 = v62 ? v68 : v74;
  const float v82 = v62 ? v69 : v76;
  const float v83 = max_nan(v43, v81);
  const float v84 = v60 ? v83 : v43;
  const float v85 = max_nan(v84, v82);
  const float v86 = v61 ? v85 : v84;
  const float v87 = lanes_maximum(v86);
  const long v88 = p_labels[group];
  const bool v89 = v88 >= 0L;
  const bool v90 = v88 < 257L;
  const bool v91 = v89 & v90;
  const long v92 = (long)((ulong)v22 + (ulong)v88);
  const float v93 = v91 ? p_logits[v92] : 0.0f;
  const float v94 = v91 ? v93 : 0.0f;
  const bool v95 = isfinite(v87);
  const float v96 = v95 ? v87 : 0.0f;
  const float2 pack3 = v14 ? *(device const float2*)(p_logits + (v24 + lane * 2)) : float2(float(0));
  const float v97 = v14 ? pack3.x : 0.0f;
  const float v98 = v14 ? pack3.y : 0.0f;
  float v99 = 0.0f;
  float v101 = 0.0f;
  for (int i103 = 0; i103 < v29; i103 += 1) {
    const float v104 = v30 ? p_logits[v24 + lane * 2] : 0.0f;
    const float v105 = v16 ? p_logits[v25 + lane * 2] : 0.0f;
    v99 = v104;
    v101 = v105;
  }
  const float v106 = v14 ? v97 : v99;
  const float v107 = v14 ? v98 : v101;
  const float v108 = v106 - v96;
  const bool v110 = (-104.0f) > v108;
  const float v111 = v110 ? (-104.0f) : v108;
  const bool v113 = 89.0f < v111;
  const float v114 = v113 ? 89.0f : v111;
  const float v117 = fma(v114, 1.4426950216293335f, 12582912.0f);
  const float v118 = v117 - 12582912.0f;
  const float v120 = fma(v118, (-0.6931471824645996f), v114);
  const float v122 = fma(v118, 1.9046542121259336e-09f, v120);
  const float v125 = fma(0.0013821304310113192f, v122, 0.00836866907775402f);
  const float v127 = fma(v125, v122, 0.04166825860738754f);
  const float v129 = fma(v127, v122, 0.1666652113199234f);
  const float v131 = fma(v129, v122, 0.4999999403953552f);
  const float v133 = fma(v131, v122, 1.0f);
  const float v134 = fma(v133, v122, 1.0f);
  const float v135 = ldexp(v134, (int)clamp(v118, -300.0f, 300.0f));
  const float v136 = 0.0f + v135;
  const float v137 = v14 ? v136 : 0.0f;
  const float v138 = v107 - v96;
  const bool v139 = (-104.0f) > v138;
  const float v140 = v139 ? (-104.0f) : v138;
  const bool v141 = 89.0f < v140;
  const float v142 = v141 ? 89.0f : v140;
  const float v143 = fma(v142, 1.4426950216293335f, 12582912.0f);
  const float v144 = v143 - 12582912.0f;
  const float v145 = fma(v144, (-0.6931471824645996f), v142);
  const float v146 = fma(v144, 1.9046542121259336e-09f, v145);
  const float v147 = fma(0.0013821304310113192f, v146, 0.00836866907775402f);
  const float v148 = fma(v147, v146, 0.04166825860738754f);
  const float v149 = fma(v148, v146, 0.1666652113199234f);
  const float v150 = fma(v149, v146, 0.4999999403953552f);
  const float v151 = fma(v150, v146, 1.0f);
  const float v152 = fma(v151, v146, 1.0f);
  const float v153 = ldexp(v152, (int)clamp(v144, -300.0f, 300.0f));
  const float v154 = v137 + v153;
  float v155 = v154;
  #pragma unroll
  for (int i157 = 0; i157 < 3; i157 += 1) {
    const int v158 = i157 * 64;
    const int v159 = v24 + v158;
    const int v160 = v159 + 64;
    const float2 pack4 = *(device const float2*)(p_logits + (v159 + 64 + lane * 2));
    const float v161 = pack4.x;
    const float v162 = v161 - v96;
    const bool v163 = (-104.0f) > v162;
    const float v164 = v163 ? (-104.0f) : v162;
    const bool v165 = 89.0f < v164;
    const float v166 = v165 ? 89.0f : v164;
    const float v167 = fma(v166, 1.4426950216293335f, 12582912.0f);
    const float v168 = v167 - 12582912.0f;
    const float v169 = fma(v168, (-0.6931471824645996f), v166);
    const float v170 = fma(v168, 1.9046542121259336e-09f, v169);
    const float v171 = fma(0.0013821304310113192f, v170, 0.00836866907775402f);
    const float v172 = fma(v171, v170, 0.04166825860738754f);
    const float v173 = fma(v172, v170, 0.1666652113199234f);
    const float v174 = fma(v173, v170, 0.4999999403953552f);
    const float v175 = fma(v174, v170, 1.0f);
    const float v176 = fma(v175, v170, 1.0f);
    const float v177 = ldexp(v176, (int)clamp(v168, -300.0f, 300.0f));
    const float v178 = v155 + v177;
    const int v179 = v159 + 65;
    const float v180 = pack4.y;
    const float v181 = v180 - v96;
    const bool v182 = (-104.0f) > v181;
    const float v183 = v182 ? (-104.0f) : v181;
    const bool v184 = 89.0f < v183;
    const float v185 = v184 ? 89.0f : v183;
    const float v186 = fma(v185, 1.4426950216293335f, 12582912.0f);
    const float v187 = v186 - 12582912.0f;
    const float v188 = fma(v187, (-0.6931471824645996f), v185);
    const float v189 = fma(v187, 1.9046542121259336e-09f, v188);
    const float v190 = fma(0.0013821304310113192f, v189, 0.00836866907775402f);
    const float v191 = fma(v190, v189, 0.04166825860738754f);
    const float v192 = fma(v191, v189, 0.1666652113199234f);
    const float v193 = fma(v192, v189, 0.4999999403953552f);
    const float v194 = fma(v193, v189, 1.0f);
    const float v195 = fma(v194, v189, 1.0f);
    const float v196 = ldexp(v195, (int)clamp(v187, -300.0f, 300.0f));
    const float v197 = v178 + v196;
    v155 = v197;
  }
  const float2 pack5 = v62 ? *(device const float2*)(p_logits + (v24 + 256 + lane * 2)) : float2(float(0));
  const float v198 = v62 ? pack5.x : 0.0f;
  const float v199 = v62 ? pack5.y : 0.0f;
  float v200 = 0.0f;
  float v202 = 0.0f;
  for (int i204 = 0; i204 < v71; i204 += 1) {
    const float v205 = v72 ? p_logits[v66 + lane * 2] : 0.0f;
    const float v206 = v73 ? p_logits[v67 + lane * 2] : 0.0f;
    v200 = v205;
    v202 = v206;
  }
  const float v207 = v62 ? v198 : v200;
  const float v208 = v62 ? v199 : v202;
  const float v209 = v207 - v96;
  const bool v210 = (-104.0f) > v209;
  const float v211 = v210 ? (-104.0f) : v209;
  const bool v212 = 89.0f < v211;
  const float v213 = v212 ? 89.0f : v211;
  const float v214 = fma(v213, 1.4426950216293335f, 12582912.0f);
  const float v215 = v214 - 12582912.0f;
  const float v216 = fma(v215, (-0.6931471824645996f), v213);
  const float v217 = fma(v215, 1.9046542121259336e-09f, v216);
  const float v218 = fma(0.0013821304310113192f, v217, 0.00836866907775402f);
  const float v219 = fma(v218, v217, 0.04166825860738754f);
  const float v220 = fma(v219, v217, 0.1666652113199234f);
  const float v221 = fma(v220, v217, 0.4999999403953552f);
  const float v222 = fma(v221, v217, 1.0f);
  const float v223 = fma(v222, v217, 1.0f);
  const float v224 = ldexp(v223, (int)clamp(v215, -300.0f, 300.0f));
  const float v225 = v155 + v224;
  const float v226 = v60 ? v225 : v155;
  const float v227 = v208 - v96;
  const bool v228 = (-104.0f) > v227;
  const float v229 = v228 ? (-104.0f) : v227;
  const bool v230 = 89.0f < v229;
  const float v231 = v230 ? 89.0f : v229;
  const float v232 = fma(v231, 1.4426950216293335f, 12582912.0f);
  const float v233 = v232 - 12582912.0f;
  const float v234 = fma(v233, (-0.6931471824645996f), v231);
  const float v235 = fma(v233, 1.9046542121259336e-09f, v234);
  const float v236 = fma(0.0013821304310113192f, v235, 0.00836866907775402f);
  const float v237 = fma(v236, v235, 0.04166825860738754f);
  const float v238 = fma(v237, v235, 0.1666652113199234f);
  const float v239 = fma(v238, v235, 0.4999999403953552f);
  const float v240 = fma(v239, v235, 1.0f);
  const float v241 = fma(v240, v235, 1.0f);
  const float v242 = ldexp(v241, (int)clamp(v233, -300.0f, 300.0f));
  const float v243 = v226 + v242;
  const float v244 = v61 ? v243 : v226;
  const float v245 = simd_sum(v244);
  const bool v247 = v245 < 1.1754943508222875e-38f;
  const float v249 = v245 * 8388608.0f;
  const float v250 = v247 ? v249 : v245;
  const int v251 = as_type<int>(v250);
  const int v253 = (int)((uint)v251 + (uint)(-1060439283));
  const int v255 = shift_right_int(v253, 23);
  const int v256 = shift_left_int(v255, 23);
  const int v257 = (int)((uint)v251 - (uint)v256);
  const float v258 = as_type<float>(v257);
  const int v260 = v247 ? (-23) : 0;
  const int v261 = shift_right_int(v256, 23);
  const int v262 = (int)((uint)v261 + (uint)v260);
  const float v263 = v258 - 1.0f;
  const float v264 = (float)v262;
  const float v266 = v264 * (-1.9046542121259336e-09f);
  const float v267 = v263 * v263;
  const float v270 = fma((-0.0765954852104187f), v263, 0.12929800152778625f);
  const float v272 = fma(v270, v263, (-0.13240014016628265f));
  const float v274 = fma(v272, v263, 0.14177437126636505f);
  const float v276 = fma(v274, v263, (-0.16608870029449463f));
  const float v278 = fma(v276, v263, 0.20002205669879913f);
  const float v280 = fma(v278, v263, (-0.2500160336494446f));
  const float v282 = fma(v280, v263, 0.33333322405815125f);
  const float v284 = fma(v282, v263, (-0.49999988079071045f));
  const float v285 = fma(v267, v284, v266);
  const float v287 = v263 + v285;
  const float v288 = fma(v264, 0.6931471824645996f, v287);
  const bool v289 = v245 == 0.0f;
  const float v291 = v289 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v293 = v245 < as_type<float>(0x7f800000U);
  const float v294 = v293 ? v288 : v245;
  const bool v295 = v245 <= 0.0f;
  const float v296 = v295 ? v291 : v294;
  const float v297 = v96 - v94;
  const float v298 = v297 + v296;
  if (lane == 0) p_loss[group] = v298;
}
