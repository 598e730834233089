template <typename T, int N> struct alignas(N * sizeof(T)) Pack {
  T item[N];
};
template <int BYTES> struct Words;
template <> struct Words<2> { typedef unsigned short type; };
template <> struct Words<4> { typedef unsigned int type; };
template <> struct Words<8> { typedef uint2 type; };
template <> struct Words<16> { typedef uint4 type; };

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.words = *(const typename Words<N * sizeof(T)>::type*)from;
  return both.pack;
}

template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}

extern "C" __global__ void __launch_bounds__(32) cross_entropy_kernel_76d2dec0f579_0(const float* __restrict__ p_logits, const long long* __restrict__ p_labels, float* __restrict__ p_loss, long long n_logits_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  const long long v3 = (long long)(group & 1LL);
  const int v5 = (int)v3;
  const int v7 = v5 + 257;
  const int v10 = lane * 2;
  const bool v12 = v10 >= v5;
  const bool v14 = v12 != true;
  const long long v18 = (long long)((unsigned long long)group * (unsigned long long)n_logits_stride0);
  const long long v20 = (long long)(v18 & (-2LL));
  const long long v21 = v20 + 1LL;
  const Pack<float, 2> pack0 = v12 ? load_pack<2>(p_logits + v20 + lane * 2LL) : Pack<float, 2>{};
  const float v22 = v12 ? pack0.item[0] : 0.0f;
  const float v23 = v12 ? pack0.item[1] : 0.0f;
  const bool v24 = __any_sync(0xffffffffU, v14) != 0;
  const long long v25 = (long long)v24;
  const bool v26 = v12 & v14;
  float v27 = 0.0f;
  float v29 = 0.0f;
  for (long long i31 = 0LL; i31 < v25; i31 += 1LL) {
    const float v32 = v26 ? p_logits[v20 + lane * 2LL] : 0.0f;
    const float v33 = v14 ? p_logits[v21 + lane * 2LL] : 0.0f;
    v27 = v32;
    v29 = v33;
  }
  const float v34 = v12 ? v22 : v27;
  const float v35 = v12 ? v23 : v29;
  const float v36 = max_nan(__uint_as_float(0xff800000U), v34);
  const float v37 = v12 ? v36 : __uint_as_float(0xff800000U);
  const float v38 = max_nan(v37, v35);
  float v40 = v38;
  for (long long i42 = 0LL; i42 < 3LL; i42 += 1LL) {
    const long long v43 = i42 * 64LL;
    const long long v44 = v20 + v43;
    const long long v45 = v44 + 64LL;
    const Pack<float, 2> pack1 = load_pack<2>(p_logits + v44 + 64LL + lane * 2LL);
    const float v46 = pack1.item[0];
    const float v47 = max_nan(v40, v46);
    const long long v48 = v44 + 65LL;
    const float v49 = pack1.item[1];
    const float v50 = max_nan(v47, v49);
    v40 = v50;
  }
  const int v54 = v10 + 256;
  const int v55 = v10 + 257;
  const bool v56 = v54 < v7;
  const bool v57 = v55 < v7;
  const bool v58 = v56 & v57;
  const bool v59 = v56 | v57;
  const bool v60 = v58 != true;
  const bool v61 = v59 & v60;
  const long long v62 = v20 + 256LL;
  const long long v63 = v20 + 257LL;
  const Pack<float, 2> pack2 = v58 ? load_pack<2>(p_logits + v20 + 256LL + lane * 2LL) : Pack<float, 2>{};
  const float v64 = v58 ? pack2.item[0] : 0.0f;
  const float v65 = v58 ? pack2.item[1] : 0.0f;
  const bool v66 = __any_sync(0xffffffffU, v61) != 0;
  const long long v67 = (long long)v66;
  const bool v68 = v56 & v61;
  const bool v69 = v57 & v61;
  float v70 = 0.0f;
  float v72 = 0.0f;
  for (long long i74 = 0LL; i74 < v67; i74 += 1LL) {
    const float v75 = v68 ? p_logits[v62 + lane * 2LL] : 0.0f;
    const float v76 = v69 ? p_logits[v63 + lane * 2LL] : 0.0f;
    v70 = v75;
    v72 = v76;
  }
  const float v77 = v58 ? v64 : v70;
  const float v78 = v58 ? v65 : v72;
  const float v79 = max_nan(v40, v77);
  const float v80 = v56 ? v79 : v40;
  const float v81 = max_nan(v80, v78);
  const float v82 = v57 ? v81 : v80;
  float v83 = v82;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v83, distance);
    v83 = max_nan(v83, other);
  }
  const long long v84 = p_labels[group];
  const bool v85 = v84 >= 0LL;
  const bool v86 = v84 < 257LL;
  const bool v87 = v85 & v86;
  const long long v88 = (long long)((unsigned long long)v18 + (unsigned long long)v84);
  const float v89 = v87 ? p_logits[v88] : 0.0f;
  const float v90 = v87 ? v89 : 0.0f;
  const bool v91 = (fabs(v83) < __uint_as_float(0x7f800000U));
  const float v92 = v91 ? v83 : 0.0f;
  const Pack<float, 2> pack3 = v12 ? load_pack<2>(p_logits + v20 + lane * 2LL) : Pack<float, 2>{};
  const float v93 = v12 ? pack3.item[0] : 0.0f;
  const float v94 = v12 ? pack3.item[1] : 0.0f;
  float v95 = 0.0f;
  float v97 = 0.0f;
  for (long long i99 = 0LL; i99 < v25; i99 += 1LL) {
    const float v100 = v26 ? p_logits[v20 + lane * 2LL] : 0.0f;
    const float v101 = v14 ? p_logits[v21 + lane * 2LL] : 0.0f;
    v95 = v100;
    v97 = v101;
  }
  const float v102 = v12 ? v93 : v95;
  const float v103 = v12 ? v94 : v97;
  const float v104 = v102 - v92;
  const float v105 = expf(v104);
  const float v106 = 0.0f + v105;
  const float v107 = v12 ? v106 : 0.0f;
  const float v108 = v103 - v92;
  const float v109 = expf(v108);
  const float v110 = v107 + v109;
  float v111 = v110;
  for (long long i113 = 0LL; i113 < 3LL; i113 += 1LL) {
    const long long v114 = i113 * 64LL;
    const long long v115 = v20 + v114;
    const long long v116 = v115 + 64LL;
    const Pack<float, 2> pack4 = load_pack<2>(p_logits + v115 + 64LL + lane * 2LL);
    const float v117 = pack4.item[0];
    const float v118 = v117 - v92;
    const float v119 = expf(v118);
    const float v120 = v111 + v119;
    const long long v121 = v115 + 65LL;
    const float v122 = pack4.item[1];
    const float v123 = v122 - v92;
    const float v124 = expf(v123);
    const float v125 = v120 + v124;
    v111 = v125;
  }
  const Pack<float, 2> pack5 = v58 ? load_pack<2>(p_logits + v20 + 256LL + lane * 2LL) : Pack<float, 2>{};
  const float v126 = v58 ? pack5.item[0] : 0.0f;
  const float v127 = v58 ? pack5.item[1] : 0.0f;
  float v128 = 0.0f;
  float v130 = 0.0f;
  for (long long i132 = 0LL; i132 < v67; i132 += 1LL) {
    const float v133 = v68 ? p_logits[v62 + lane * 2LL] : 0.0f;
    const float v134 = v69 ? p_logits[v63 + lane * 2LL] : 0.0f;
    v128 = v133;
    v130 = v134;
  }
  const float v135 = v58 ? v126 : v128;
  const float v136 = v58 ? v127 : v130;
  const float v137 = v135 - v92;
  const float v138 = expf(v137);
  const float v139 = v111 + v138;
  const float v140 = v56 ? v139 : v111;
  const float v141 = v136 - v92;
  const float v142 = expf(v141);
  const float v143 = v140 + v142;
  const float v144 = v57 ? v143 : v140;
  float v145 = v144;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v145, distance);
    v145 = v145 + other;
  }
  const float v146 = logf(v145);
  const float v147 = v92 - v90;
  const float v148 = v147 + v146;
  if (lane == 0) p_loss[group] = v148;
}
