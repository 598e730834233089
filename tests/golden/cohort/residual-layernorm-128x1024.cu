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

extern "C" __global__ void __launch_bounds__(512) layer_norm_kernel_f5d96b18f1ce_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_x_stride0, long long n_residual_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_residual_stride0 % 16 == 0);
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
  const long long v15 = group * n_residual_stride0;
  const long long v16 = v15 + v10;
  const Pack<float, 2> pack1 = load_pack<2>(p_residual + v16 + lane * 2LL);
  const float v17 = pack1.item[0];
  const float v18 = v13 + v17;
  own_stripe0[0LL] = v18;
  const float v19 = v18 - v6;
  const float v20 = 0.0f + v19;
  const long long v21 = v12 + 1LL;
  const float v22 = pack0.item[1];
  const long long v23 = v16 + 1LL;
  const float v24 = pack1.item[1];
  const float v25 = v22 + v24;
  own_stripe0[1LL] = v25;
  const float v26 = v25 - v6;
  const float v27 = v20 + v26;
  float v28 = v27;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v28, distance);
    v28 = v28 + other;
  }
  if (lane == 0) shared_partial0[v8] = v28;
  __syncthreads();
  const long long v31 = (long long)lane;
  const bool v32 = v31 < 16LL;
  const float v33 = v32 ? shared_partial0[v31] : 0.0f;
  float v34 = v33;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v34, distance);
    v34 = v34 + other;
  }
  const float v36 = v34 / 1024.0f;
  const float v37 = -v6;
  const float v39 = own_stripe0[0LL];
  const float v40 = fmaf(v39, 1.0f, v37);
  const float v41 = v40 - v36;
  own_stripe1[0LL] = v41;
  const float v42 = v41 * v41;
  const float v43 = 0.0f + v42;
  const float v44 = own_stripe0[1LL];
  const float v45 = fmaf(v44, 1.0f, v37);
  const float v46 = v45 - v36;
  own_stripe1[1LL] = v46;
  const float v47 = v46 * v46;
  const float v48 = v43 + v47;
  float v49 = v48;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v49, distance);
    v49 = v49 + other;
  }
  if (lane == 0) shared_partial1[v8] = v49;
  __syncthreads();
  const float v50 = v32 ? shared_partial1[v31] : 0.0f;
  float v51 = v50;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v51, distance);
    v51 = v51 + other;
  }
  const float v53 = v51 / 1024.0f;
  const float v54 = v53 + n_eps;
  const float v55 = __frsqrt_rn(v54);
  const Pack<float, 2> pack2 = load_pack<2>(p_bias + v10 + lane * 2LL);
  const float v56 = pack2.item[0];
  const Pack<float, 2> pack3 = load_pack<2>(p_weight + v10 + lane * 2LL);
  const float v57 = pack3.item[0];
  const float v58 = own_stripe1[0LL];
  const float v59 = v58 * v55;
  const float v60 = v59 * v57;
  const float v61 = v60 + v56;
  const long long v63 = group * n_y_stride0;
  const long long v64 = v63 + v10;
  const float v65 = pack2.item[1];
  const float v66 = pack3.item[1];
  const float v67 = own_stripe1[1LL];
  const float v68 = v67 * v55;
  const float v69 = v68 * v66;
  const float v70 = v69 + v65;
  const long long v71 = v64 + 1LL;
  store_pack(p_y + v64 + lane * 2LL, Pack<float, 2>{{v61, v70}});
}
