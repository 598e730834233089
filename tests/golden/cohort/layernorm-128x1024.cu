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

extern "C" __global__ void __launch_bounds__(512) layer_norm_kernel_3ccb037f802b_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[16];
  __shared__ float shared_partial1[16];
  float own_stripe0[2];
  float own_stripe1[2];
  const long long v5 = group * n_x_stride0;
  const float v6 = p_x[v5];
  const long long v8 = (long long)subgroup;
  const long long v10 = v8 * 64LL;
  const long long v11 = v10 + 1LL;
  const long long v12 = v5 + v10;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + v12 + lane * 2LL);
  const float v13 = pack0.item[0];
  own_stripe0[0LL] = v13;
  const float v14 = v13 - v6;
  const float v15 = 0.0f + v14;
  const long long v16 = v12 + 1LL;
  const float v17 = pack0.item[1];
  own_stripe0[1LL] = v17;
  const float v18 = v17 - v6;
  const float v19 = v15 + v18;
  float v20 = v19;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v20, distance);
    v20 = v20 + other;
  }
  if (lane == 0) shared_partial0[v8] = v20;
  __syncthreads();
  const long long v23 = (long long)lane;
  const bool v24 = v23 < 16LL;
  const float v25 = v24 ? shared_partial0[v23] : 0.0f;
  float v26 = v25;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v26, distance);
    v26 = v26 + other;
  }
  const float v28 = v26 / 1024.0f;
  const float v29 = -v6;
  const float v31 = own_stripe0[0LL];
  const float v32 = fmaf(v31, 1.0f, v29);
  const float v33 = v32 - v28;
  own_stripe1[0LL] = v33;
  const float v34 = v33 * v33;
  const float v35 = 0.0f + v34;
  const float v36 = own_stripe0[1LL];
  const float v37 = fmaf(v36, 1.0f, v29);
  const float v38 = v37 - v28;
  own_stripe1[1LL] = v38;
  const float v39 = v38 * v38;
  const float v40 = v35 + v39;
  float v41 = v40;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v41, distance);
    v41 = v41 + other;
  }
  if (lane == 0) shared_partial1[v8] = v41;
  __syncthreads();
  const float v42 = v24 ? shared_partial1[v23] : 0.0f;
  float v43 = v42;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v43, distance);
    v43 = v43 + other;
  }
  const float v45 = v43 / 1024.0f;
  const float v46 = v45 + n_eps;
  const float v47 = __frsqrt_rn(v46);
  const Pack<float, 2> pack1 = load_pack<2>(p_bias + v10 + lane * 2LL);
  const float v48 = pack1.item[0];
  const Pack<float, 2> pack2 = load_pack<2>(p_weight + v10 + lane * 2LL);
  const float v49 = pack2.item[0];
  const float v50 = own_stripe1[0LL];
  const float v51 = v50 * v47;
  const float v52 = v51 * v49;
  const float v53 = v52 + v48;
  const long long v55 = group * n_y_stride0;
  const long long v56 = v55 + v10;
  const float v57 = pack1.item[1];
  const float v58 = pack2.item[1];
  const float v59 = own_stripe1[1LL];
  const float v60 = v59 * v47;
  const float v61 = v60 * v58;
  const float v62 = v61 + v57;
  const long long v63 = v56 + 1LL;
  store_pack(p_y + v56 + lane * 2LL, Pack<float, 2>{{v53, v62}});
}
