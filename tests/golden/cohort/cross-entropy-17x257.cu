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
  const int group = blockIdx.x;
  const int v4 = (int)(group & 1);
  const int v6 = (int)v4;
  const int v8 = v6 + 257;
  const int v11 = lane * 2;
  const bool v13 = v11 >= v6;
  const bool v15 = v13 != true;
  const int v19 = (int)n_logits_stride0;
  const int v20 = group * v19;
  const long long v21 = (long long)v20;
  const int v23 = (int)(v20 & (-2));
  const int v24 = v23 + 1;
  const Pack<float, 2> pack0 = v13 ? load_pack<2>(p_logits + (v23 + lane * 2)) : Pack<float, 2>{};
  const float v25 = v13 ? pack0.item[0] : 0.0f;
  const float v26 = v13 ? pack0.item[1] : 0.0f;
  const bool v27 = __any_sync(0xffffffffU, v15) != 0;
  const int v28 = (int)v27;
  const bool v29 = v13 & v15;
  float v30 = 0.0f;
  float v32 = 0.0f;
  for (int i34 = 0; i34 < v28; i34 += 1) {
    const float v35 = v29 ? p_logits[v23 + lane * 2] : 0.0f;
    const float v36 = v15 ? p_logits[v24 + lane * 2] : 0.0f;
    v30 = v35;
    v32 = v36;
  }
  const float v37 = v13 ? v25 : v30;
  const float v38 = v13 ? v26 : v32;
  const float v39 = v13 ? v37 : __uint_as_float(0xff800000U);
  const float v40 = max_nan(v39, v38);
  float v42 = v40;
  #pragma unroll
  for (int i44 = 0; i44 < 3; i44 += 1) {
    const int v45 = i44 * 64;
    const int v46 = v23 + v45;
    const int v47 = v46 + 64;
    const Pack<float, 2> pack1 = load_pack<2>(p_logits + (v46 + 64 + lane * 2));
    const float v48 = pack1.item[0];
    const float v49 = max_nan(v42, v48);
    const int v50 = v46 + 65;
    const float v51 = pack1.item[1];
    const float v52 = max_nan(v49, v51);
    v42 = v52;
  }
  const int v57 = v11 + 256;
  const int v58 = v11 + 257;
  const bool v59 = v57 < v8;
  const bool v60 = v58 < v8;
  const bool v61 = v59 & v60;
  const bool v62 = v59 | v60;
  const bool v63 = v61 != true;
  const bool v64 = v62 & v63;
  const int v65 = v23 + 256;
  const int v66 = v23 + 257;
  const Pack<float, 2> pack2 = v61 ? load_pack<2>(p_logits + (v23 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v67 = v61 ? pack2.item[0] : 0.0f;
  const float v68 = v61 ? pack2.item[1] : 0.0f;
  const bool v69 = __any_sync(0xffffffffU, v64) != 0;
  const int v70 = (int)v69;
  const bool v71 = v59 & v64;
  const bool v72 = v60 & v64;
  float v73 = 0.0f;
  float v75 = 0.0f;
  for (int i77 = 0; i77 < v70; i77 += 1) {
    const float v78 = v71 ? p_logits[v65 + lane * 2] : 0.0f;
    const float v79 = v72 ? p_logits[v66 + lane * 2] : 0.0f;
    v73 = v78;
    v75 = v79;
  }
  const float v80 = v61 ? v67 : v73;
  const float v81 = v61 ? v68 : v75;
  const float v82 = max_nan(v42, v80);
  const float v83 = v59 ? v82 : v42;
  const float v84 = max_nan(v83, v81);
  const float v85 = v60 ? v84 : v83;
  float v86 = v85;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v86, distance);
    v86 = max_nan(v86, other);
  }
  const long long v87 = p_labels[group];
  const bool v88 = v87 >= 0LL;
  const bool v89 = v87 < 257LL;
  const bool v90 = v88 & v89;
  const long long v91 = (long long)((unsigned long long)v21 + (unsigned long long)v87);
  const float v92 = v90 ? p_logits[v91] : 0.0f;
  const float v93 = v90 ? v92 : 0.0f;
  const bool v94 = (fabs(v86) < __uint_as_float(0x7f800000U));
  const float v95 = v94 ? v86 : 0.0f;
  const Pack<float, 2> pack3 = v13 ? load_pack<2>(p_logits + (v23 + lane * 2)) : Pack<float, 2>{};
  const float v96 = v13 ? pack3.item[0] : 0.0f;
  const float v97 = v13 ? pack3.item[1] : 0.0f;
  float v98 = 0.0f;
  float v100 = 0.0f;
  for (int i102 = 0; i102 < v28; i102 += 1) {
    const float v103 = v29 ? p_logits[v23 + lane * 2] : 0.0f;
    const float v104 = v15 ? p_logits[v24 + lane * 2] : 0.0f;
    v98 = v103;
    v100 = v104;
  }
  const float v105 = v13 ? v96 : v98;
  const float v106 = v13 ? v97 : v100;
  const float v107 = v105 - v95;
  const float v108 = expf(v107);
  const float v109 = 0.0f + v108;
  const float v110 = v13 ? v109 : 0.0f;
  const float v111 = v106 - v95;
  const float v112 = expf(v111);
  const float v113 = v110 + v112;
  float v114 = v113;
  #pragma unroll
  for (int i116 = 0; i116 < 3; i116 += 1) {
    const int v117 = i116 * 64;
    const int v118 = v23 + v117;
    const int v119 = v118 + 64;
    const Pack<float, 2> pack4 = load_pack<2>(p_logits + (v118 + 64 + lane * 2));
    const float v120 = pack4.item[0];
    const float v121 = v120 - v95;
    const float v122 = expf(v121);
    const float v123 = v114 + v122;
    const int v124 = v118 + 65;
    const float v125 = pack4.item[1];
    const float v126 = v125 - v95;
    const float v127 = expf(v126);
    const float v128 = v123 + v127;
    v114 = v128;
  }
  const Pack<float, 2> pack5 = v61 ? load_pack<2>(p_logits + (v23 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v129 = v61 ? pack5.item[0] : 0.0f;
  const float v130 = v61 ? pack5.item[1] : 0.0f;
  float v131 = 0.0f;
  float v133 = 0.0f;
  for (int i135 = 0; i135 < v70; i135 += 1) {
    const float v136 = v71 ? p_logits[v65 + lane * 2] : 0.0f;
    const float v137 = v72 ? p_logits[v66 + lane * 2] : 0.0f;
    v131 = v136;
    v133 = v137;
  }
  const float v138 = v61 ? v129 : v131;
  const float v139 = v61 ? v130 : v133;
  const float v140 = v138 - v95;
  const float v141 = expf(v140);
  const float v142 = v114 + v141;
  const float v143 = v59 ? v142 : v114;
  const float v144 = v139 - v95;
  const float v145 = expf(v144);
  const float v146 = v143 + v145;
  const float v147 = v60 ? v146 : v143;
  float v148 = v147;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v148, distance);
    v148 = v148 + other;
  }
  const float v149 = logf(v148);
  const float v150 = v95 - v93;
  const float v151 = v150 + v149;
  if (lane == 0) p_loss[group] = v151;
}
