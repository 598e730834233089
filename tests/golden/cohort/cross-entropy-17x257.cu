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
  float v29 = v25;
  float v31 = v26;
  for (int i33 = 0; i33 < v28; i33 += 1) {
    const float v34 = v15 ? p_logits[v24 + lane * 2] : v31;
    v31 = v34;
  }
  const float v35 = v13 ? v29 : __uint_as_float(0xff800000U);
  const float v36 = max_nan(v35, v31);
  float v38 = v36;
  #pragma unroll
  for (int i40 = 0; i40 < 3; i40 += 1) {
    const int v41 = i40 * 64;
    const int v42 = v23 + v41;
    const int v43 = v42 + 64;
    const Pack<float, 2> pack1 = load_pack<2>(p_logits + (v42 + 64 + lane * 2));
    const float v44 = pack1.item[0];
    const float v45 = max_nan(v38, v44);
    const int v46 = v42 + 65;
    const float v47 = pack1.item[1];
    const float v48 = max_nan(v45, v47);
    v38 = v48;
  }
  const int v53 = v11 + 256;
  const int v54 = v11 + 257;
  const bool v55 = v53 < v8;
  const bool v56 = v54 < v8;
  const bool v57 = v56 != true;
  const bool v58 = v55 & v57;
  const int v59 = v23 + 256;
  const int v60 = v23 + 257;
  const Pack<float, 2> pack2 = v56 ? load_pack<2>(p_logits + (v23 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v61 = v56 ? pack2.item[0] : 0.0f;
  const float v62 = v56 ? pack2.item[1] : 0.0f;
  const bool v63 = v55 & v58;
  const bool v64 = __any_sync(0xffffffffU, v58) != 0;
  const int v65 = (int)v64;
  float v66 = v61;
  float v68 = v62;
  for (int i70 = 0; i70 < v65; i70 += 1) {
    const float v71 = v63 ? p_logits[v59 + lane * 2] : v66;
    v66 = v71;
  }
  const float v72 = max_nan(v38, v66);
  const float v73 = v55 ? v72 : v38;
  const float v74 = max_nan(v73, v68);
  const float v75 = v56 ? v74 : v73;
  float v76 = v75;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v76, distance);
    v76 = max_nan(v76, other);
  }
  const long long v77 = p_labels[group];
  const bool v78 = v77 >= 0LL;
  const bool v79 = v77 < 257LL;
  const bool v80 = v78 & v79;
  const long long v81 = (long long)((unsigned long long)v21 + (unsigned long long)v77);
  const float v82 = v80 ? p_logits[v81] : 0.0f;
  const float v83 = v80 ? v82 : 0.0f;
  const bool v84 = (fabs(v76) < __uint_as_float(0x7f800000U));
  const float v85 = v84 ? v76 : 0.0f;
  const Pack<float, 2> pack3 = v13 ? load_pack<2>(p_logits + (v23 + lane * 2)) : Pack<float, 2>{};
  const float v86 = v13 ? pack3.item[0] : 0.0f;
  const float v87 = v13 ? pack3.item[1] : 0.0f;
  float v88 = v86;
  float v90 = v87;
  for (int i92 = 0; i92 < v28; i92 += 1) {
    const float v93 = v15 ? p_logits[v24 + lane * 2] : v90;
    v90 = v93;
  }
  const float v94 = v88 - v85;
  const float v95 = expf(v94);
  const float v96 = 0.0f + v95;
  const float v97 = v13 ? v96 : 0.0f;
  const float v98 = v90 - v85;
  const float v99 = expf(v98);
  const float v100 = v97 + v99;
  float v101 = v100;
  #pragma unroll
  for (int i103 = 0; i103 < 3; i103 += 1) {
    const int v104 = i103 * 64;
    const int v105 = v23 + v104;
    const int v106 = v105 + 64;
    const Pack<float, 2> pack4 = load_pack<2>(p_logits + (v105 + 64 + lane * 2));
    const float v107 = pack4.item[0];
    const float v108 = v107 - v85;
    const float v109 = expf(v108);
    const float v110 = v101 + v109;
    const int v111 = v105 + 65;
    const float v112 = pack4.item[1];
    const float v113 = v112 - v85;
    const float v114 = expf(v113);
    const float v115 = v110 + v114;
    v101 = v115;
  }
  const Pack<float, 2> pack5 = v56 ? load_pack<2>(p_logits + (v23 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v116 = v56 ? pack5.item[0] : 0.0f;
  const float v117 = v56 ? pack5.item[1] : 0.0f;
  float v118 = v116;
  float v120 = v117;
  for (int i122 = 0; i122 < v65; i122 += 1) {
    const float v123 = v63 ? p_logits[v59 + lane * 2] : v118;
    v118 = v123;
  }
  const float v124 = v118 - v85;
  const float v125 = expf(v124);
  const float v126 = v101 + v125;
  const float v127 = v55 ? v126 : v101;
  const float v128 = v120 - v85;
  const float v129 = expf(v128);
  const float v130 = v127 + v129;
  const float v131 = v56 ? v130 : v127;
  float v132 = v131;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v132, distance);
    v132 = v132 + other;
  }
  const float v133 = logf(v132);
  const float v134 = v85 - v83;
  const float v135 = v134 + v133;
  if (lane == 0) p_loss[group] = v135;
}
