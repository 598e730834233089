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

extern "C" __global__ void __launch_bounds__(1024) rms_norm_kernel_d71501988034_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[32];
  float own_stripe0[4];
  const long long v5 = (long long)subgroup;
  const long long v7 = v5 * 128LL;
  const long long v8 = v7 + 1LL;
  const long long v10 = v7 + 2LL;
  const long long v12 = v7 + 3LL;
  const long long v14 = group * n_x_stride0;
  const long long v15 = v14 + v7;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + v15 + lane * 4LL);
  const float v16 = pack0.item[0];
  own_stripe0[0LL] = v16;
  const float v17 = v16 * v16;
  const float v18 = 0.0f + v17;
  const long long v19 = v15 + 1LL;
  const float v20 = pack0.item[1];
  own_stripe0[1LL] = v20;
  const float v21 = v20 * v20;
  const float v22 = v18 + v21;
  const long long v23 = v15 + 2LL;
  const float v24 = pack0.item[2];
  own_stripe0[2LL] = v24;
  const float v25 = v24 * v24;
  const float v26 = v22 + v25;
  const long long v27 = v15 + 3LL;
  const float v28 = pack0.item[3];
  own_stripe0[3LL] = v28;
  const float v29 = v28 * v28;
  const float v30 = v26 + v29;
  float v31 = v30;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v31, distance);
    v31 = v31 + other;
  }
  if (lane == 0) shared_partial0[v5] = v31;
  __syncthreads();
  const long long v33 = (long long)lane;
  const float v34 = shared_partial0[v33];
  float v35 = v34;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v35, distance);
    v35 = v35 + other;
  }
  const float v38 = v35 / 4096.0f;
  const float v39 = v38 + n_eps;
  const float v40 = __frsqrt_rn(v39);
  const Pack<float, 4> pack1 = load_pack<4>(p_weight + v7 + lane * 4LL);
  const float v41 = pack1.item[0];
  const float v42 = own_stripe0[0LL];
  const float v43 = v42 * v40;
  const float v44 = v43 * v41;
  const long long v46 = group * n_y_stride0;
  const long long v47 = v46 + v7;
  const float v48 = pack1.item[1];
  const float v49 = own_stripe0[1LL];
  const float v50 = v49 * v40;
  const float v51 = v50 * v48;
  const long long v52 = v47 + 1LL;
  const float v53 = pack1.item[2];
  const float v54 = own_stripe0[2LL];
  const float v55 = v54 * v40;
  const float v56 = v55 * v53;
  const long long v57 = v47 + 2LL;
  const float v58 = pack1.item[3];
  const float v59 = own_stripe0[3LL];
  const float v60 = v59 * v40;
  const float v61 = v60 * v58;
  const long long v62 = v47 + 3LL;
  store_pack(p_y + v47 + lane * 4LL, Pack<float, 4>{{v44, v51, v56, v61}});
}
