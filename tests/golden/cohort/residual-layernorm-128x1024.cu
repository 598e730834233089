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
  const int v3 = (int)group;
  const int v6 = (int)n_x_stride0;
  const int v7 = v3 * v6;
  const float v8 = p_x[v7];
  const int v11 = subgroup * 64;
  const int v12 = v11 + 1;
  const int v13 = v7 + v11;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v13 + lane * 2));
  const float v14 = pack0.item[0];
  const int v16 = (int)n_residual_stride0;
  const int v17 = v3 * v16;
  const int v18 = v17 + v11;
  const Pack<float, 2> pack1 = load_pack<2>(p_residual + (v18 + lane * 2));
  const float v19 = pack1.item[0];
  const float v20 = v14 + v19;
  own_stripe0[0] = v20;
  const float v21 = v20 - v8;
  const float v22 = 0.0f + v21;
  const int v23 = v13 + 1;
  const float v24 = pack0.item[1];
  const int v25 = v18 + 1;
  const float v26 = pack1.item[1];
  const float v27 = v24 + v26;
  own_stripe0[1] = v27;
  const float v28 = v27 - v8;
  const float v29 = v22 + v28;
  float v30 = v29;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v30, distance);
    v30 = v30 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v30;
  __syncthreads();
  const bool v33 = lane < 16;
  const float v34 = v33 ? shared_partial0[lane] : 0.0f;
  float v35 = v34;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v35, distance);
    v35 = v35 + other;
  }
  const float v37 = v35 / 1024.0f;
  const float v38 = -v8;
  const float v40 = own_stripe0[0];
  const float v41 = fmaf(v40, 1.0f, v38);
  const float v42 = v41 - v37;
  own_stripe1[0] = v42;
  const float v43 = v42 * v42;
  const float v44 = 0.0f + v43;
  const float v45 = own_stripe0[1];
  const float v46 = fmaf(v45, 1.0f, v38);
  const float v47 = v46 - v37;
  own_stripe1[1] = v47;
  const float v48 = v47 * v47;
  const float v49 = v44 + v48;
  float v50 = v49;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v50, distance);
    v50 = v50 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v50;
  __syncthreads();
  const float v51 = v33 ? shared_partial1[lane] : 0.0f;
  float v52 = v51;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v52, distance);
    v52 = v52 + other;
  }
  const float v54 = v52 / 1024.0f;
  const float v55 = v54 + n_eps;
  const float v56 = __frsqrt_rn(v55);
  const Pack<float, 2> pack2 = load_pack<2>(p_bias + (v11 + lane * 2));
  const float v57 = pack2.item[0];
  const Pack<float, 2> pack3 = load_pack<2>(p_weight + (v11 + lane * 2));
  const float v58 = pack3.item[0];
  const float v59 = own_stripe1[0];
  const float v60 = v59 * v56;
  const float v61 = v60 * v58;
  const float v62 = v61 + v57;
  const int v64 = (int)n_y_stride0;
  const int v65 = v3 * v64;
  const int v66 = v65 + v11;
  const float v67 = pack2.item[1];
  const float v68 = pack3.item[1];
  const float v69 = own_stripe1[1];
  const float v70 = v69 * v56;
  const float v71 = v70 * v68;
  const float v72 = v71 + v67;
  const int v73 = v66 + 1;
  store_pack(p_y + (v66 + lane * 2), Pack<float, 2>{{v62, v72}});
}
