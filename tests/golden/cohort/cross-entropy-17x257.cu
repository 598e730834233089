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
  const int v3 = (int)group;
  const int v5 = (int)(v3 & 1);
  const int v7 = (int)v5;
  const int v9 = v7 + 257;
  const int v12 = lane * 2;
  const bool v14 = v12 >= v7;
  const bool v16 = v14 != true;
  const int v20 = (int)n_logits_stride0;
  const int v21 = v3 * v20;
  const long long v22 = (long long)v21;
  const int v24 = (int)(v21 & (-2));
  const int v25 = v24 + 1;
  const Pack<float, 2> pack0 = v14 ? load_pack<2>(p_logits + (v24 + lane * 2)) : Pack<float, 2>{};
  const float v26 = v14 ? pack0.item[0] : 0.0f;
  const float v27 = v14 ? pack0.item[1] : 0.0f;
  const bool v28 = __any_sync(0xffffffffU, v16) != 0;
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
  const float v40 = max_nan(__uint_as_float(0xff800000U), v38);
  const float v41 = v14 ? v40 : __uint_as_float(0xff800000U);
  const float v42 = max_nan(v41, v39);
  float v44 = v42;
  #pragma unroll
  for (int i46 = 0; i46 < 3; i46 += 1) {
    const int v47 = i46 * 64;
    const int v48 = v24 + v47;
    const int v49 = v48 + 64;
    const Pack<float, 2> pack1 = load_pack<2>(p_logits + (v48 + 64 + lane * 2));
    const float v50 = pack1.item[0];
    const float v51 = max_nan(v44, v50);
    const int v52 = v48 + 65;
    const float v53 = pack1.item[1];
    const float v54 = max_nan(v51, v53);
    v44 = v54;
  }
  const int v59 = v12 + 256;
  const int v60 = v12 + 257;
  const bool v61 = v59 < v9;
  const bool v62 = v60 < v9;
  const bool v63 = v61 & v62;
  const bool v64 = v61 | v62;
  const bool v65 = v63 != true;
  const bool v66 = v64 & v65;
  const int v67 = v24 + 256;
  const int v68 = v24 + 257;
  const Pack<float, 2> pack2 = v63 ? load_pack<2>(p_logits + (v24 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v69 = v63 ? pack2.item[0] : 0.0f;
  const float v70 = v63 ? pack2.item[1] : 0.0f;
  const bool v71 = __any_sync(0xffffffffU, v66) != 0;
  const int v72 = (int)v71;
  const bool v73 = v61 & v66;
  const bool v74 = v62 & v66;
  float v75 = 0.0f;
  float v77 = 0.0f;
  for (int i79 = 0; i79 < v72; i79 += 1) {
    const float v80 = v73 ? p_logits[v67 + lane * 2] : 0.0f;
    const float v81 = v74 ? p_logits[v68 + lane * 2] : 0.0f;
    v75 = v80;
    v77 = v81;
  }
  const float v82 = v63 ? v69 : v75;
  const float v83 = v63 ? v70 : v77;
  const float v84 = max_nan(v44, v82);
  const float v85 = v61 ? v84 : v44;
  const float v86 = max_nan(v85, v83);
  const float v87 = v62 ? v86 : v85;
  float v88 = v87;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v88, distance);
    v88 = max_nan(v88, other);
  }
  const long long v89 = p_labels[v3];
  const bool v90 = v89 >= 0LL;
  const bool v91 = v89 < 257LL;
  const bool v92 = v90 & v91;
  const long long v93 = (long long)((unsigned long long)v22 + (unsigned long long)v89);
  const float v94 = v92 ? p_logits[v93] : 0.0f;
  const float v95 = v92 ? v94 : 0.0f;
  const bool v96 = (fabs(v88) < __uint_as_float(0x7f800000U));
  const float v97 = v96 ? v88 : 0.0f;
  const Pack<float, 2> pack3 = v14 ? load_pack<2>(p_logits + (v24 + lane * 2)) : Pack<float, 2>{};
  const float v98 = v14 ? pack3.item[0] : 0.0f;
  const float v99 = v14 ? pack3.item[1] : 0.0f;
  float v100 = 0.0f;
  float v102 = 0.0f;
  for (int i104 = 0; i104 < v29; i104 += 1) {
    const float v105 = v30 ? p_logits[v24 + lane * 2] : 0.0f;
    const float v106 = v16 ? p_logits[v25 + lane * 2] : 0.0f;
    v100 = v105;
    v102 = v106;
  }
  const float v107 = v14 ? v98 : v100;
  const float v108 = v14 ? v99 : v102;
  const float v109 = v107 - v97;
  const float v110 = expf(v109);
  const float v111 = 0.0f + v110;
  const float v112 = v14 ? v111 : 0.0f;
  const float v113 = v108 - v97;
  const float v114 = expf(v113);
  const float v115 = v112 + v114;
  float v116 = v115;
  #pragma unroll
  for (int i118 = 0; i118 < 3; i118 += 1) {
    const int v119 = i118 * 64;
    const int v120 = v24 + v119;
    const int v121 = v120 + 64;
    const Pack<float, 2> pack4 = load_pack<2>(p_logits + (v120 + 64 + lane * 2));
    const float v122 = pack4.item[0];
    const float v123 = v122 - v97;
    const float v124 = expf(v123);
    const float v125 = v116 + v124;
    const int v126 = v120 + 65;
    const float v127 = pack4.item[1];
    const float v128 = v127 - v97;
    const float v129 = expf(v128);
    const float v130 = v125 + v129;
    v116 = v130;
  }
  const Pack<float, 2> pack5 = v63 ? load_pack<2>(p_logits + (v24 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v131 = v63 ? pack5.item[0] : 0.0f;
  const float v132 = v63 ? pack5.item[1] : 0.0f;
  float v133 = 0.0f;
  float v135 = 0.0f;
  for (int i137 = 0; i137 < v72; i137 += 1) {
    const float v138 = v73 ? p_logits[v67 + lane * 2] : 0.0f;
    const float v139 = v74 ? p_logits[v68 + lane * 2] : 0.0f;
    v133 = v138;
    v135 = v139;
  }
  const float v140 = v63 ? v131 : v133;
  const float v141 = v63 ? v132 : v135;
  const float v142 = v140 - v97;
  const float v143 = expf(v142);
  const float v144 = v116 + v143;
  const float v145 = v61 ? v144 : v116;
  const float v146 = v141 - v97;
  const float v147 = expf(v146);
  const float v148 = v145 + v147;
  const float v149 = v62 ? v148 : v145;
  float v150 = v149;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v150, distance);
    v150 = v150 + other;
  }
  const float v151 = logf(v150);
  const float v152 = v97 - v95;
  const float v153 = v152 + v151;
  if (lane == 0) p_loss[v3] = v153;
}
