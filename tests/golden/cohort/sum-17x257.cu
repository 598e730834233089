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

extern "C" __global__ void __launch_bounds__(32) sum_kernel_89f17e8f9535_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  const long long v3 = (long long)(group & 1LL);
  const int v5 = (int)v3;
  const int v7 = v5 + 257;
  const int v10 = lane * 2;
  const bool v12 = v10 >= v5;
  const bool v14 = v12 != true;
  const long long v17 = (long long)((unsigned long long)group * (unsigned long long)n_x_stride0);
  const long long v19 = (long long)(v17 & (-2LL));
  const long long v20 = v19 + 1LL;
  const Pack<float, 2> pack0 = v12 ? load_pack<2>(p_x + v19 + lane * 2LL) : Pack<float, 2>{};
  const float v21 = v12 ? pack0.item[0] : 0.0f;
  const float v22 = v12 ? pack0.item[1] : 0.0f;
  const bool v23 = __any_sync(0xffffffffU, v14) != 0;
  const long long v24 = (long long)v23;
  const bool v25 = v12 & v14;
  float v26 = 0.0f;
  float v28 = 0.0f;
  for (long long i30 = 0LL; i30 < v24; i30 += 1LL) {
    const float v31 = v25 ? p_x[v19 + lane * 2LL] : 0.0f;
    const float v32 = v14 ? p_x[v20 + lane * 2LL] : 0.0f;
    v26 = v31;
    v28 = v32;
  }
  const float v33 = v12 ? v21 : v26;
  const float v34 = v12 ? v22 : v28;
  const float v35 = 0.0f + v33;
  const float v36 = v12 ? v35 : 0.0f;
  const float v37 = v36 + v34;
  float v39 = v37;
  for (long long i41 = 0LL; i41 < 3LL; i41 += 1LL) {
    const long long v42 = i41 * 64LL;
    const long long v43 = v19 + v42;
    const long long v44 = v43 + 64LL;
    const Pack<float, 2> pack1 = load_pack<2>(p_x + v43 + 64LL + lane * 2LL);
    const float v45 = pack1.item[0];
    const float v46 = v39 + v45;
    const long long v47 = v43 + 65LL;
    const float v48 = pack1.item[1];
    const float v49 = v46 + v48;
    v39 = v49;
  }
  const int v53 = v10 + 256;
  const int v54 = v10 + 257;
  const bool v55 = v53 < v7;
  const bool v56 = v54 < v7;
  const bool v57 = v55 & v56;
  const bool v58 = v55 | v56;
  const bool v59 = v57 != true;
  const bool v60 = v58 & v59;
  const long long v61 = v19 + 256LL;
  const long long v62 = v19 + 257LL;
  const Pack<float, 2> pack2 = v57 ? load_pack<2>(p_x + v19 + 256LL + lane * 2LL) : Pack<float, 2>{};
  const float v63 = v57 ? pack2.item[0] : 0.0f;
  const float v64 = v57 ? pack2.item[1] : 0.0f;
  const bool v65 = __any_sync(0xffffffffU, v60) != 0;
  const long long v66 = (long long)v65;
  const bool v67 = v55 & v60;
  const bool v68 = v56 & v60;
  float v69 = 0.0f;
  float v71 = 0.0f;
  for (long long i73 = 0LL; i73 < v66; i73 += 1LL) {
    const float v74 = v67 ? p_x[v61 + lane * 2LL] : 0.0f;
    const float v75 = v68 ? p_x[v62 + lane * 2LL] : 0.0f;
    v69 = v74;
    v71 = v75;
  }
  const float v76 = v57 ? v63 : v69;
  const float v77 = v57 ? v64 : v71;
  const float v78 = v39 + v76;
  const float v79 = v55 ? v78 : v39;
  const float v80 = v79 + v77;
  const float v81 = v56 ? v80 : v79;
  float v82 = v81;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v82, distance);
    v82 = v82 + other;
  }
  if (lane == 0) p_y[group] = v82;
}
