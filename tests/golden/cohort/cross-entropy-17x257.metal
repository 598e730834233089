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
  const long v4 = (long)(group & 1L);
  const int v6 = (int)v4;
  const int v8 = v6 + 257;
  const int v11 = lane * 2;
  const bool v13 = v11 >= v6;
  const bool v15 = v13 != true;
  const long v19 = (long)((ulong)group * (ulong)n_logits_stride0);
  const long v21 = (long)(v19 & (-2L));
  const long v22 = v21 + 1L;
  const float2 pack0 = v13 ? *(device const float2*)(p_logits + v21 + lane * 2L) : float2(float(0));
  const float v23 = v13 ? pack0.x : 0.0f;
  const float v24 = v13 ? pack0.y : 0.0f;
  const bool v25 = simd_any(v15);
  const long v26 = (long)v25;
  const bool v27 = v13 & v15;
  float v28 = 0.0f;
  float v30 = 0.0f;
  for (long i32 = 0L; i32 < v26; i32 += 1L) {
    const float v33 = v27 ? p_logits[v21 + lane * 2L] : 0.0f;
    const float v34 = v15 ? p_logits[v22 + lane * 2L] : 0.0f;
    v28 = v33;
    v30 = v34;
  }
  const float v35 = v13 ? v23 : v28;
  const float v36 = v13 ? v24 : v30;
  const float v37 = max_nan(as_type<float>(0xff800000U), v35);
  const float v38 = v13 ? v37 : as_type<float>(0xff800000U);
  const float v39 = max_nan(v38, v36);
  float v41 = v39;
  for (long i43 = 0L; i43 < 3L; i43 += 1L) {
    const long v44 = i43 * 64L;
    const long v45 = v21 + v44;
    const long v46 = v45 + 64L;
    const float2 pack1 = *(device const float2*)(p_logits + v45 + 64L + lane * 2L);
    const float v47 = pack1.x;
    const float v48 = max_nan(v41, v47);
    const long v49 = v45 + 65L;
    const float v50 = pack1.y;
    const float v51 = max_nan(v48, v50);
    v41 = v51;
  }
  const int v55 = v11 + 256;
  const int v56 = v11 + 257;
  const bool v57 = v55 < v8;
  const bool v58 = v56 < v8;
  const bool v59 = v57 & v58;
  const bool v60 = v57 | v58;
  const bool v61 = v59 != true;
  const bool v62 = v60 & v61;
  const long v63 = v21 + 256L;
  const long v64 = v21 + 257L;
  const float2 pack2 = v59 ? *(device const float2*)(p_logits + v21 + 256L + lane * 2L) : float2(float(0));
  const float v65 = v59 ? pack2.x : 0.0f;
  const float v66 = v59 ? pack2.y : 0.0f;
  const bool v67 = simd_any(v62);
  const long v68 = (long)v67;
  const bool v69 = v57 & v62;
  const bool v70 = v58 & v62;
  float v71 = 0.0f;
  float v73 = 0.0f;
  for (long i75 = 0L; i75 < v68; i75 += 1L) {
    const float v76 = v69 ? p_logits[v63 + lane * 2L] : 0.0f;
    const float v77 = v70 ? p_logits[v64 + lane * 2L] : 0.0f;
    v71 = v76;
    v73 = v77;
  }
  const float v78 = v59 ? v65 : v71;
  const float v79 = v59 ? v66 : v73;
  const float v80 = max_nan(v41, v78);
  const float v81 = v57 ? v80 : v41;
  const float v82 = max_nan(v81, v79);
  const float v83 = v58 ? v82 : v81;
  const float v84 = lanes_maximum(v83);
  const long v85 = p_labels[group];
  const bool v86 = v85 >= 0L;
  const bool v87 = v85 < 257L;
  const bool v88 = v86 & v87;
  const long v89 = (long)((ulong)v19 + (ulong)v85);
  const float v90 = v88 ? p_logits[v89] : 0.0f;
  const float v91 = v88 ? v90 : 0.0f;
  const bool v92 = isfinite(v84);
  const float v93 = v92 ? v84 : 0.0f;
  const float2 pack3 = v13 ? *(device const float2*)(p_logits + v21 + lane * 2L) : float2(float(0));
  const float v94 = v13 ? pack3.x : 0.0f;
  const float v95 = v13 ? pack3.y : 0.0f;
  float v96 = 0.0f;
  float v98 = 0.0f;
  for (long i100 = 0L; i100 < v26; i100 += 1L) {
    const float v101 = v27 ? p_logits[v21 + lane * 2L] : 0.0f;
    const float v102 = v15 ? p_logits[v22 + lane * 2L] : 0.0f;
    v96 = v101;
    v98 = v102;
  }
  const float v103 = v13 ? v94 : v96;
  const float v104 = v13 ? v95 : v98;
  const float v105 = v103 - v93;
  const bool v107 = (-104.0f) > v105;
  const float v108 = v107 ? (-104.0f) : v105;
  const bool v110 = 89.0f < v108;
  const float v111 = v110 ? 89.0f : v108;
  const float v114 = fma(v111, 1.4426950216293335f, 12582912.0f);
  const float v115 = v114 - 12582912.0f;
  const float v117 = fma(v115, (-0.6931471824645996f), v111);
  const float v119 = fma(v115, 1.9046542121259336e-09f, v117);
  const float v122 = fma(0.0013821304310113192f, v119, 0.00836866907775402f);
  const float v124 = fma(v122, v119, 0.04166825860738754f);
  const float v126 = fma(v124, v119, 0.1666652113199234f);
  const float v128 = fma(v126, v119, 0.4999999403953552f);
  const float v130 = fma(v128, v119, 1.0f);
  const float v131 = fma(v130, v119, 1.0f);
  const float v132 = ldexp(v131, (int)clamp(v115, -300.0f, 300.0f));
  const float v133 = 0.0f + v132;
  const float v134 = v13 ? v133 : 0.0f;
  const float v135 = v104 - v93;
  const bool v136 = (-104.0f) > v135;
  const float v137 = v136 ? (-104.0f) : v135;
  const bool v138 = 89.0f < v137;
  const float v139 = v138 ? 89.0f : v137;
  const float v140 = fma(v139, 1.4426950216293335f, 12582912.0f);
  const float v141 = v140 - 12582912.0f;
  const float v142 = fma(v141, (-0.6931471824645996f), v139);
  const float v143 = fma(v141, 1.9046542121259336e-09f, v142);
  const float v144 = fma(0.0013821304310113192f, v143, 0.00836866907775402f);
  const float v145 = fma(v144, v143, 0.04166825860738754f);
  const float v146 = fma(v145, v143, 0.1666652113199234f);
  const float v147 = fma(v146, v143, 0.4999999403953552f);
  const float v148 = fma(v147, v143, 1.0f);
  const float v149 = fma(v148, v143, 1.0f);
  const float v150 = ldexp(v149, (int)clamp(v141, -300.0f, 300.0f));
  const float v151 = v134 + v150;
  float v152 = v151;
  for (long i154 = 0L; i154 < 3L; i154 += 1L) {
    const long v155 = i154 * 64L;
    const long v156 = v21 + v155;
    const long v157 = v156 + 64L;
    const float2 pack4 = *(device const float2*)(p_logits + v156 + 64L + lane * 2L);
    const float v158 = pack4.x;
    const float v159 = v158 - v93;
    const bool v160 = (-104.0f) > v159;
    const float v161 = v160 ? (-104.0f) : v159;
    const bool v162 = 89.0f < v161;
    const float v163 = v162 ? 89.0f : v161;
    const float v164 = fma(v163, 1.4426950216293335f, 12582912.0f);
    const float v165 = v164 - 12582912.0f;
    const float v166 = fma(v165, (-0.6931471824645996f), v163);
    const float v167 = fma(v165, 1.9046542121259336e-09f, v166);
    const float v168 = fma(0.0013821304310113192f, v167, 0.00836866907775402f);
    const float v169 = fma(v168, v167, 0.04166825860738754f);
    const float v170 = fma(v169, v167, 0.1666652113199234f);
    const float v171 = fma(v170, v167, 0.4999999403953552f);
    const float v172 = fma(v171, v167, 1.0f);
    const float v173 = fma(v172, v167, 1.0f);
    const float v174 = ldexp(v173, (int)clamp(v165, -300.0f, 300.0f));
    const float v175 = v152 + v174;
    const long v176 = v156 + 65L;
    const float v177 = pack4.y;
    const float v178 = v177 - v93;
    const bool v179 = (-104.0f) > v178;
    const float v180 = v179 ? (-104.0f) : v178;
    const bool v181 = 89.0f < v180;
    const float v182 = v181 ? 89.0f : v180;
    const float v183 = fma(v182, 1.4426950216293335f, 12582912.0f);
    const float v184 = v183 - 12582912.0f;
    const float v185 = fma(v184, (-0.6931471824645996f), v182);
    const float v186 = fma(v184, 1.9046542121259336e-09f, v185);
    const float v187 = fma(0.0013821304310113192f, v186, 0.00836866907775402f);
    const float v188 = fma(v187, v186, 0.04166825860738754f);
    const float v189 = fma(v188, v186, 0.1666652113199234f);
    const float v190 = fma(v189, v186, 0.4999999403953552f);
    const float v191 = fma(v190, v186, 1.0f);
    const float v192 = fma(v191, v186, 1.0f);
    const float v193 = ldexp(v192, (int)clamp(v184, -300.0f, 300.0f));
    const float v194 = v175 + v193;
    v152 = v194;
  }
  const float2 pack5 = v59 ? *(device const float2*)(p_logits + v21 + 256L + lane * 2L) : float2(float(0));
  const float v195 = v59 ? pack5.x : 0.0f;
  const float v196 = v59 ? pack5.y : 0.0f;
  float v197 = 0.0f;
  float v199 = 0.0f;
  for (long i201 = 0L; i201 < v68; i201 += 1L) {
    const float v202 = v69 ? p_logits[v63 + lane * 2L] : 0.0f;
    const float v203 = v70 ? p_logits[v64 + lane * 2L] : 0.0f;
    v197 = v202;
    v199 = v203;
  }
  const float v204 = v59 ? v195 : v197;
  const float v205 = v59 ? v196 : v199;
  const float v206 = v204 - v93;
  const bool v207 = (-104.0f) > v206;
  const float v208 = v207 ? (-104.0f) : v206;
  const bool v209 = 89.0f < v208;
  const float v210 = v209 ? 89.0f : v208;
  const float v211 = fma(v210, 1.4426950216293335f, 12582912.0f);
  const float v212 = v211 - 12582912.0f;
  const float v213 = fma(v212, (-0.6931471824645996f), v210);
  const float v214 = fma(v212, 1.9046542121259336e-09f, v213);
  const float v215 = fma(0.0013821304310113192f, v214, 0.00836866907775402f);
  const float v216 = fma(v215, v214, 0.04166825860738754f);
  const float v217 = fma(v216, v214, 0.1666652113199234f);
  const float v218 = fma(v217, v214, 0.4999999403953552f);
  const float v219 = fma(v218, v214, 1.0f);
  const float v220 = fma(v219, v214, 1.0f);
  const float v221 = ldexp(v220, (int)clamp(v212, -300.0f, 300.0f));
  const float v222 = v152 + v221;
  const float v223 = v57 ? v222 : v152;
  const float v224 = v205 - v93;
  const bool v225 = (-104.0f) > v224;
  const float v226 = v225 ? (-104.0f) : v224;
  const bool v227 = 89.0f < v226;
  const float v228 = v227 ? 89.0f : v226;
  const float v229 = fma(v228, 1.4426950216293335f, 12582912.0f);
  const float v230 = v229 - 12582912.0f;
  const float v231 = fma(v230, (-0.6931471824645996f), v228);
  const float v232 = fma(v230, 1.9046542121259336e-09f, v231);
  const float v233 = fma(0.0013821304310113192f, v232, 0.00836866907775402f);
  const float v234 = fma(v233, v232, 0.04166825860738754f);
  const float v235 = fma(v234, v232, 0.1666652113199234f);
  const float v236 = fma(v235, v232, 0.4999999403953552f);
  const float v237 = fma(v236, v232, 1.0f);
  const float v238 = fma(v237, v232, 1.0f);
  const float v239 = ldexp(v238, (int)clamp(v230, -300.0f, 300.0f));
  const float v240 = v223 + v239;
  const float v241 = v58 ? v240 : v223;
  const float v242 = simd_sum(v241);
  const bool v244 = v242 < 1.1754943508222875e-38f;
  const float v246 = v242 * 8388608.0f;
  const float v247 = v244 ? v246 : v242;
  const int v248 = as_type<int>(v247);
  const int v250 = (int)((uint)v248 + (uint)(-1060439283));
  const int v252 = shift_right_int(v250, 23);
  const int v253 = shift_left_int(v252, 23);
  const int v254 = (int)((uint)v248 - (uint)v253);
  const float v255 = as_type<float>(v254);
  const int v257 = v244 ? (-23) : 0;
  const int v258 = shift_right_int(v253, 23);
  const int v259 = (int)((uint)v258 + (uint)v257);
  const float v260 = v255 - 1.0f;
  const float v261 = (float)v259;
  const float v263 = v261 * (-1.9046542121259336e-09f);
  const float v264 = v260 * v260;
  const float v267 = fma((-0.0765954852104187f), v260, 0.12929800152778625f);
  const float v269 = fma(v267, v260, (-0.13240014016628265f));
  const float v271 = fma(v269, v260, 0.14177437126636505f);
  const float v273 = fma(v271, v260, (-0.16608870029449463f));
  const float v275 = fma(v273, v260, 0.20002205669879913f);
  const float v277 = fma(v275, v260, (-0.2500160336494446f));
  const float v279 = fma(v277, v260, 0.33333322405815125f);
  const float v281 = fma(v279, v260, (-0.49999988079071045f));
  const float v282 = fma(v264, v281, v263);
  const float v284 = v260 + v282;
  const float v285 = fma(v261, 0.6931471824645996f, v284);
  const bool v286 = v242 == 0.0f;
  const float v288 = v286 ? as_type<float>(0xff800000U) : as_type<float>(0x7fc00000U);
  const bool v290 = v242 < as_type<float>(0x7f800000U);
  const float v291 = v290 ? v285 : v242;
  const bool v292 = v242 <= 0.0f;
  const float v293 = v292 ? v288 : v291;
  const float v294 = v93 - v91;
  const float v295 = v294 + v293;
  if (lane == 0) p_loss[group] = v295;
}
