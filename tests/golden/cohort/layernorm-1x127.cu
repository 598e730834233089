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

template <typename T, int N>
__device__ __forceinline__ void store_pack(T* to, Pack<T, N> pack) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.pack = pack;
  __stwb((typename Words<N * sizeof(T)>::type*)to, both.words);
}

extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_64d6963907b4_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v2 = (int)group;
  const int v5 = (int)n_x_stride0;
  const int v6 = v2 * v5;
  const float v7 = p_x[v6];
  const int v13 = lane * 4;
  const bool v15 = v13 < 124;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v6 + lane * 4));
  const float v16 = pack0.item[0];
  own_stripe0[0] = v16;
  const float v17 = v16 - v7;
  const float v18 = 0.0f + v17;
  const int v19 = v6 + 1;
  const float v20 = pack0.item[1];
  own_stripe0[1] = v20;
  const float v21 = v20 - v7;
  const float v22 = v18 + v21;
  const int v23 = v6 + 2;
  const float v24 = p_x[v23 + lane * 4];
  own_stripe0[2] = v24;
  const float v25 = v24 - v7;
  const float v26 = v22 + v25;
  const int v27 = v6 + 3;
  const float v28 = v15 ? p_x[v27 + lane * 4] : 0.0f;
  own_stripe0[3] = v28;
  const float v29 = v28 - v7;
  const float v30 = v26 + v29;
  const float v31 = v15 ? v30 : v26;
  float v32 = v31;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v32, distance);
    v32 = v32 + other;
  }
  const float v34 = v32 / 127.0f;
  const float v35 = -v7;
  const float v37 = own_stripe0[0];
  const float v38 = fmaf(v37, 1.0f, v35);
  const float v39 = v38 - v34;
  own_stripe1[0] = v39;
  const float v40 = v39 * v39;
  const float v41 = 0.0f + v40;
  const float v42 = own_stripe0[1];
  const float v43 = fmaf(v42, 1.0f, v35);
  const float v44 = v43 - v34;
  own_stripe1[1] = v44;
  const float v45 = v44 * v44;
  const float v46 = v41 + v45;
  const float v47 = own_stripe0[2];
  const float v48 = fmaf(v47, 1.0f, v35);
  const float v49 = v48 - v34;
  own_stripe1[2] = v49;
  const float v50 = v49 * v49;
  const float v51 = v46 + v50;
  const float v52 = own_stripe0[3];
  const float v53 = fmaf(v52, 1.0f, v35);
  const float v54 = v53 - v34;
  own_stripe1[3] = v54;
  const float v55 = v54 * v54;
  const float v56 = v51 + v55;
  const float v57 = v15 ? v56 : v51;
  float v58 = v57;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v58, distance);
    v58 = v58 + other;
  }
  const float v60 = v58 / 127.0f;
  const float v61 = v60 + n_eps;
  const float v62 = __frsqrt_rn(v61);
  const Pack<float, 2> pack1 = load_pack<2>(p_bias + (lane * 4));
  const float v63 = pack1.item[0];
  const Pack<float, 2> pack2 = load_pack<2>(p_weight + (lane * 4));
  const float v64 = pack2.item[0];
  const float v65 = own_stripe1[0];
  const float v66 = v65 * v62;
  const float v67 = v66 * v64;
  const float v68 = v67 + v63;
  const int v70 = (int)n_y_stride0;
  const int v71 = v2 * v70;
  const float v72 = pack1.item[1];
  const float v73 = pack2.item[1];
  const float v74 = own_stripe1[1];
  const float v75 = v74 * v62;
  const float v76 = v75 * v73;
  const float v77 = v76 + v72;
  const int v78 = v71 + 1;
  store_pack(p_y + (v71 + lane * 4), Pack<float, 2>{{v68, v77}});
  const float v79 = p_bias[2 + lane * 4];
  const float v80 = p_weight[2 + lane * 4];
  const float v81 = own_stripe1[2];
  const float v82 = v81 * v62;
  const float v83 = v82 * v80;
  const float v84 = v83 + v79;
  const int v85 = v71 + 2;
  p_y[v85 + lane * 4] = v84;
  const float v86 = v15 ? p_bias[3 + lane * 4] : 0.0f;
  const float v87 = v15 ? p_weight[3 + lane * 4] : 0.0f;
  const float v88 = own_stripe1[3];
  const float v89 = v88 * v62;
  const float v90 = v89 * v87;
  const float v91 = v90 + v86;
  const int v92 = v71 + 3;
  if (v15) p_y[v92 + lane * 4] = v91;
}
